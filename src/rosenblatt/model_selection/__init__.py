"""Splits of the rows, and the choice of C."""
