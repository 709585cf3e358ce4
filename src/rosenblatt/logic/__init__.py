"""Threshold logic: units, gates, Boolean functions as units or networks, and their counts."""
