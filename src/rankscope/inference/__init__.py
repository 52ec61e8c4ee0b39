"""How sure one may be: resampled topics, rank distance, and the significance of pairs."""
