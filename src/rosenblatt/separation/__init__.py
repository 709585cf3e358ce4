"""Traces, bounds, verdicts and their proofs."""
