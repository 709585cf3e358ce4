"""Projections to a plane of rows with any number of features.

==================  ================================================================================
features            the plane
==================  ================================================================================
1                   the feature across; nothing up, which leaves room for jitter
2                   the two features
more, two classes   across, the signed distance to the boundary w·x + b = 0; up, the direction of
                    largest variance orthogonal to it
more, several       the plane of largest variance within the span of the differences of weights;
                    for three classes that is all of it, for more the decision regions are those
                    of the plane through the mean of the rows
==================  ================================================================================

For two classes the boundary is a vertical line at 0 and distances to it are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.types import Floats

MAX_SAMPLE_ROWS = 500  # evenly spaced, from which directions of large variance are computed
PLANE_AXIS_NAMES = ("plane of the weights, first axis", "plane of the weights, second axis")
RANK_TOLERANCE = 1e-9  # smaller singular values, relative to the largest, count as 0


@dataclass(frozen=True, eq=False)
class Projection:
    """A plane in the space of the features.

    Parameters
    ----------
    origin
        The point that is mapped to (0, 0), of length d.
    axes
        The directions across and up: 2 × d, orthonormal; zeros where there is no direction.
    names
        Names of the two axes.
    exact
        Whether every row lies in the region of its predicted class; otherwise the regions are those
        of points in the plane, and a row off the plane may be predicted otherwise.
    """

    origin: Floats
    axes: Floats
    names: tuple[str, str]
    exact: bool = True

    @classmethod
    def of(
        cls, X: Any, coef: npt.ArrayLike, intercept: npt.ArrayLike, names: Sequence[str] = ()
    ) -> "Projection":
        """The plane for rows (an array or a sparse matrix) and a linear model."""
        W, b = np.atleast_2d(np.asarray(coef, float)), np.atleast_1d(np.asarray(intercept, float))
        d = W.shape[1]
        names = list(names) or [f"x{j + 1}" for j in range(d)]
        if d <= 2:
            return cls(np.zeros(d), np.eye(2, d), (names[0], names[1] if d == 2 else ""))
        rows = _sample_rows(X)
        mean = np.asarray(rows.mean(axis=0)).ravel()
        span = _weight_span(W if len(W) == 1 else W - W.mean(axis=0))
        axes = _axes(*_centred_and_scaled(rows, mean), span)
        if len(W) > 1:
            return cls(mean, axes, PLANE_AXIS_NAMES, exact=len(span) <= 2)
        if not len(span):
            return cls(mean, axes, ("largest variance", "second largest"))
        length = float(W[0] @ axes[0])  # of w, without overflow of its square
        distance = float(axes[0] @ mean) + b[0] / length
        boundary = "signed distance to the boundary"
        return cls(mean - distance * axes[0], axes, (boundary, "largest variance of the rest"))

    def points(self, X: Any) -> Floats:
        """Projected rows (of an array or a sparse matrix), n × 2."""
        projected: Floats = np.asarray(X @ self.axes.T) - self.axes @ self.origin
        return projected

    def project_weights(
        self, coef: npt.ArrayLike, intercept: npt.ArrayLike
    ) -> tuple[Floats, Floats]:
        """Weights (K × 2) and intercepts (K) of the model's scores of points in the plane."""
        W = np.atleast_2d(np.asarray(coef, dtype=float))
        return W @ self.axes.T, np.atleast_1d(intercept) + W @ self.origin


def _sample_rows(X: Any) -> Any:
    """A sample of evenly spaced rows, as floats."""
    sample = np.unique(np.linspace(0, X.shape[0] - 1, MAX_SAMPLE_ROWS).astype(int))
    return X[sample].astype(float)


def _centred_and_scaled(rows: Any, mean: Floats) -> tuple[Any, Floats]:
    """Rows with entries up to 1, and the mean still to be subtracted: 0 if they are dense."""
    if isinstance(rows, np.ndarray):
        rows, mean = rows - mean, np.zeros(len(mean))
    largest = float(abs(rows).max()) or 1.0
    return rows / largest, mean / largest


def _weight_span(differences: Floats) -> Floats:
    """An orthonormal basis of the span of the differences of weights, one direction per row."""
    largest = float(np.abs(differences).max())
    if largest == 0:
        return differences[:0]
    scaled: Floats = differences / largest
    if len(differences) == 1:
        return scaled / np.linalg.norm(scaled)
    _, singular, directions = np.linalg.svd(scaled, full_matrices=False)
    spanned: Floats = directions[singular > RANK_TOLERANCE * singular[0]]
    return spanned


def _axes(rows: Any, mean: Floats, span: Floats) -> Floats:
    """Two orthonormal directions of large variance of rows less a mean, in the span if possible."""
    if len(span) < 2:
        axes = span
        while len(axes) < 2:
            axes = np.vstack([axes, _principal_direction(rows, mean, axes)])
        return axes
    projected = np.asarray(rows @ span.T) - span @ mean
    directions = np.linalg.eigh(projected.T @ projected)[1][:, :-3:-1].T
    return np.array([_with_sign(direction) for direction in directions @ span])


def _principal_direction(rows: Any, mean: Floats, axes: Floats) -> Floats:
    """The direction of largest variance of the rows that is orthogonal to the axes.

    With C the centred rows less their components along the axes, it is the first eigenvector of CᵀC
    or, for many features, Cᵀu for the first eigenvector u of C Cᵀ: whichever matrix is smaller.
    """
    first = _by_covariance if len(mean) < rows.shape[0] else _by_gram_matrix
    direction = first(rows, mean, axes)
    for _ in range(2):  # twice, because of rounding
        direction = direction - axes.T @ (axes @ direction)
    if np.linalg.norm(direction) <= RANK_TOLERANCE:  # the rows do not vary: any direction will do
        direction = np.zeros(len(mean))
        direction[np.abs(axes).sum(axis=0).argmin()] = 1.0
        direction = direction - axes.T @ (axes @ direction)
    return _with_sign(direction / np.linalg.norm(direction))


def _by_covariance(rows: Any, mean: Floats, axes: Floats) -> Floats:
    """The first eigenvector of CᵀC, times the norm of C along it."""
    centred = _dense(rows) - mean
    centred = centred - (centred @ axes.T) @ axes
    squares, directions = np.linalg.eigh(centred.T @ centred)
    first: Floats = directions[:, -1] * max(float(squares[-1]), 0.0) ** 0.5
    return first


def _by_gram_matrix(rows: Any, mean: Floats, axes: Floats) -> Floats:
    """Cᵀu for the first eigenvector u of C Cᵀ, without making sparse rows dense."""
    along = np.asarray(rows @ mean).ravel()
    products = _dense(rows @ rows.T) - along - along[:, None] + mean @ mean
    projected = np.asarray(rows @ axes.T) - axes @ mean
    first = np.linalg.eigh(products - projected @ projected.T)[1][:, -1]
    direction: Floats = np.asarray(rows.T @ first).ravel() - first.sum() * mean
    return direction


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


def _with_sign(direction: Floats) -> Floats:
    """The direction, with the sign that makes its largest entry positive."""
    return direction * (np.sign(direction[np.abs(direction).argmax()]) or 1.0)
