"""Readers of files: every source is a sequence of chunks that can be iterated more than once."""
