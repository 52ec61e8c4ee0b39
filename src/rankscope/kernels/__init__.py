"""Compiled loops over rows of scores: plain arrays in and out; no labels, options or randomness.

Each kernel takes `truth` of shape (1 or B, m) and `estimate` of shape (1 or B, m), so that one list is compared with
many without being copied, and, where it needs them, `order` arrays that sort the rows from best to worst. Only this
package imports numba, and others import it on first need.
"""
