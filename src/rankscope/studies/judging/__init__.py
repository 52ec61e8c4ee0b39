"""May systems be ranked with these judgments instead? What `judge` asks, and the parts of its answer."""
