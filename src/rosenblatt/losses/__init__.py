"""Losses, their conjugates and smoothing, activations, links and kernel functions."""
