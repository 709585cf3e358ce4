"""Traces of runs: records, curves, and the bounds of the convergence theorem."""
