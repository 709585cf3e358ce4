"""Rows, labels and weights: validated training data."""
