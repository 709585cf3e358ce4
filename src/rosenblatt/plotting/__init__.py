"""Plots for notebooks, in scikit-learn's convention: `from_…` computes, `plot` draws.

They need matplotlib: `pip install 'rosenblatt[plot]'`.
"""

from rosenblatt.plotting.boundary import BoundaryDisplay
from rosenblatt.plotting.error_curves import BiasVarianceDisplay, ErrorCurveDisplay
from rosenblatt.plotting.error_surface import ErrorSurfaceDisplay
from rosenblatt.plotting.functions import FunctionDisplay
from rosenblatt.plotting.half_space import HalfSpaceDisplay
from rosenblatt.plotting.hog import HOGDisplay
from rosenblatt.plotting.margins import MarginDisplay
from rosenblatt.plotting.network import NetworkDisplay
from rosenblatt.plotting.projection import GaussianDisplay, ProjectionDisplay
from rosenblatt.plotting.regions import GateDisplay, NoDecisionDisplay
from rosenblatt.plotting.regression import RegressionDisplay
from rosenblatt.plotting.score import ScoreDisplay
from rosenblatt.plotting.separability import SeparabilityDisplay
from rosenblatt.plotting.steps import StepsDisplay
from rosenblatt.plotting.trace import TraceDisplay
from rosenblatt.plotting.vectors import HyperplaneDisplay, VectorDisplay
from rosenblatt.plotting.weight_space import WeightSpaceDisplay
from rosenblatt.plotting.weights import WeightsDisplay

__all__ = [
    "BiasVarianceDisplay",
    "BoundaryDisplay",
    "ErrorCurveDisplay",
    "ErrorSurfaceDisplay",
    "FunctionDisplay",
    "GateDisplay",
    "GaussianDisplay",
    "HOGDisplay",
    "HalfSpaceDisplay",
    "HyperplaneDisplay",
    "MarginDisplay",
    "NetworkDisplay",
    "NoDecisionDisplay",
    "ProjectionDisplay",
    "RegressionDisplay",
    "ScoreDisplay",
    "SeparabilityDisplay",
    "StepsDisplay",
    "TraceDisplay",
    "VectorDisplay",
    "WeightSpaceDisplay",
    "WeightsDisplay",
]
