"""Plots for notebooks, in scikit-learn's convention: `from_…` computes, `plot` draws.

They need matplotlib: `pip install 'rosenblatt[plot]'`.
"""

from rosenblatt.plotting.boundary import BoundaryDisplay
from rosenblatt.plotting.margins import MarginDisplay
from rosenblatt.plotting.separability import SeparabilityDisplay
from rosenblatt.plotting.trace import TraceDisplay
from rosenblatt.plotting.weight_space import WeightSpaceDisplay
from rosenblatt.plotting.weights import WeightsDisplay

__all__ = [
    "BoundaryDisplay",
    "MarginDisplay",
    "SeparabilityDisplay",
    "TraceDisplay",
    "WeightSpaceDisplay",
    "WeightsDisplay",
]
