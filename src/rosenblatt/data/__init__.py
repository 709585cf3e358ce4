"""Rows, labels and weights: the only door for data."""
