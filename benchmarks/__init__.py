"""Speed, as ratios to a named baseline in the same run. `make bench` prints them; nothing here is a test."""
