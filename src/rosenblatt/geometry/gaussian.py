"""Gaussian densities in the plane and along a line, as curves to draw."""

import numpy as np

from rosenblatt.types import Floats

ELLIPSE_POINTS = 120


def ellipse(mean: Floats, covariance: Floats, deviations: float) -> Floats:
    """The contour of a density in the plane, so many standard deviations from its mean."""
    squares, directions = np.linalg.eigh(covariance)
    angles = np.linspace(0.0, 2 * np.pi, ELLIPSE_POINTS)
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    scaled = unit * np.sqrt(np.maximum(squares, 0.0))
    return np.asarray(mean + deviations * scaled @ directions.T)


def density(places: Floats, mean: float, variance: float) -> Floats:
    """The density of a Gaussian along a line."""
    scaled = (places - mean) ** 2 / (2 * variance)
    return np.asarray(np.exp(-scaled) / np.sqrt(2 * np.pi * variance))


def along_normal(
    means: Floats, covariance: Floats, w: Floats, b: float
) -> tuple[Floats, float]:
    """Means and common variance of classes along the normal of w·x + b = 0, in signed distances."""
    length = float(np.linalg.norm(w))
    return (means @ w + b) / length, float(w @ covariance @ w) / length**2
