"""Estimators in closed form: moments of the classes, discriminants, thresholds."""
