"""Convex optimisation with proved duality gaps: Newton's method and dual coordinate ascent."""
