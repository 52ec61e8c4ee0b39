"""Outputs of evaluation harnesses: nested files → one long table of models, tasks, samples, measures and scores."""
