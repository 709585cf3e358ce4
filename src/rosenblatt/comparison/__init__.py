"""Comparison of rules, feature maps and baselines; bias-variance decomposition; learning curves."""
