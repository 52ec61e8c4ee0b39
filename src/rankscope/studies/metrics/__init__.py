"""Which measures to report: how they correlate, which can be predicted, which few say most (Gupta et al. 2019)."""
