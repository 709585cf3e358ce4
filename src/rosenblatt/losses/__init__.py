"""Losses and steps: the mathematics of one sample."""
