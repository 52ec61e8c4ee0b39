"""Statistical inference: resampling of topics, intervals, tests of pairs of systems, rank distance, worth, labels."""
