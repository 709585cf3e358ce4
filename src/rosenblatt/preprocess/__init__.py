"""Columns of any type, turned into features by what was learned from the training rows."""
