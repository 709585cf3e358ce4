"""The search for a verdict: proposals in floats, the last word in exact arithmetic."""
