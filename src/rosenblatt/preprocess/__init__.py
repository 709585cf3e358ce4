"""Columns as people have them, turned into numbers by what was learned from the training rows."""
