"""Verdicts and their checker: numpy and the standard library, nothing else."""
