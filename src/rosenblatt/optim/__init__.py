"""Generators of states: how a rule runs over the rows."""
