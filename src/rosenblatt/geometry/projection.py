"""A plane to look at rows of any number of features.

==================  ================================================================================
features            what is seen
==================  ================================================================================
1                   the feature across; nothing up, so that drawings have a strip to spread rows in
2                   the rows as they are
more, one unit      across, the signed distance to the boundary w·x + b = 0; up, the direction of
                    largest variance of the rest
more, several       the plane of largest variance among the directions in which the weights differ;
                    for three classes that is all of them, for more the cells are those of the
                    plane through the mean of the rows
==================  ================================================================================

For one unit the boundary is a vertical line at 0 and distances to it are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.types import Floats

LOOKED_AT = 500  # rows, evenly spaced, from which directions of large variance are found
PLANE = ("plane of the weights, first axis", "plane of the weights, second axis")
SPAN = 1e-9  # shorter than this share of the longest, a difference of weights spans nothing


@dataclass(frozen=True, eq=False)
class Projection:
    """A plane in the space of the features.

    Parameters
    ----------
    origin
        The point seen at (0, 0), of length d.
    axes
        The directions seen across and up: 2 × d, orthonormal; zeros where there is no direction.
    names
        What the two axes are called.
    exact
        Whether every row lies in the cell of its class; otherwise the cells are those of the plane
        and rows before or behind it may be decided otherwise.
    """

    origin: Floats
    axes: Floats
    names: tuple[str, str]
    exact: bool = True

    @classmethod
    def of(
        cls, X: Any, coef: npt.ArrayLike, intercept: npt.ArrayLike, names: Sequence[str] = ()
    ) -> "Projection":
        """The plane for rows (an array or a sparse matrix) and the units that decide about them."""
        W, b = np.atleast_2d(np.asarray(coef, float)), np.atleast_1d(np.asarray(intercept, float))
        d = W.shape[1]
        called = list(names) or [f"x{j + 1}" for j in range(d)]
        if d <= 2:
            return cls(np.zeros(d), np.eye(2, d), (called[0], called[1] if d == 2 else ""))
        rows = _looked_at(X)
        mean = np.asarray(rows.mean(axis=0)).ravel()
        span = _span(W if len(W) == 1 else W - W.mean(axis=0))
        axes = _axes(*_comparable(rows, mean), span)
        if len(W) > 1:
            return cls(mean, axes, PLANE, exact=len(span) <= 2)
        if not len(span):
            return cls(mean, axes, ("largest variance", "second largest"))
        length = float(W[0] @ axes[0])  # of w, also where its square is beyond floats
        distance = float(axes[0] @ mean) + b[0] / length
        boundary = "signed distance to the boundary"
        return cls(mean - distance * axes[0], axes, (boundary, "largest variance of the rest"))

    def points(self, X: Any) -> Floats:
        """Where rows (an array or a sparse matrix) are seen, n × 2."""
        seen: Floats = np.asarray(X @ self.axes.T) - self.axes @ self.origin
        return seen

    def units(self, coef: npt.ArrayLike, intercept: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Weights (K × 2) and biases (K) that score a point of the plane as the units do there."""
        W = np.atleast_2d(np.asarray(coef, dtype=float))
        return W @ self.axes.T, np.atleast_1d(intercept) + W @ self.origin


def _looked_at(X: Any) -> Any:
    """Some rows, evenly spaced, as floats."""
    some = np.unique(np.linspace(0, X.shape[0] - 1, LOOKED_AT).astype(int))
    return X[some].astype(float)


def _comparable(rows: Any, mean: Floats) -> tuple[Any, Floats]:
    """Rows of entries up to 1, and what is still to be taken from each; nothing from dense ones."""
    if isinstance(rows, np.ndarray):
        rows, mean = rows - mean, np.zeros(len(mean))
    largest = float(abs(rows).max()) or 1.0
    return rows / largest, mean / largest


def _span(differences: Floats) -> Floats:
    """Orthonormal directions that the differences of weights span, one a row."""
    largest = float(np.abs(differences).max())
    if largest == 0:
        return differences[:0]
    scaled: Floats = differences / largest
    if len(differences) == 1:
        return scaled / np.linalg.norm(scaled)
    _, lengths, directions = np.linalg.svd(scaled, full_matrices=False)
    spanned: Floats = directions[lengths > SPAN * lengths[0]]
    return spanned


def _axes(rows: Any, mean: Floats, span: Floats) -> Floats:
    """Two orthonormal directions of large variance of rows less a mean; in the span, if it can."""
    if len(span) < 2:
        axes = span
        while len(axes) < 2:
            axes = np.vstack([axes, _most_variable(rows, mean, axes)])
        return axes
    seen = np.asarray(rows @ span.T) - span @ mean
    directions = np.linalg.eigh(seen.T @ seen)[1][:, :-3:-1].T
    return np.array([_upright(direction) for direction in directions @ span])


def _most_variable(rows: Any, mean: Floats, axes: Floats) -> Floats:
    """The direction of largest variance of the rows that is orthogonal to the axes.

    With C the centred rows less their parts along the axes, it is the first eigenvector of CᵀC or,
    for many features, Cᵀu for the first eigenvector u of C Cᵀ: whichever matrix is the smaller.
    """
    first = _first_of_few if len(mean) < rows.shape[0] else _first_of_many
    direction = first(rows, mean, axes)
    for _ in range(2):  # once more for what rounding left
        direction = direction - axes.T @ (axes @ direction)
    if np.linalg.norm(direction) <= SPAN:  # the rows do not vary: any direction will do
        direction = np.zeros(len(mean))
        direction[np.abs(axes).sum(axis=0).argmin()] = 1.0
        direction = direction - axes.T @ (axes @ direction)
    return _upright(direction / np.linalg.norm(direction))


def _first_of_few(rows: Any, mean: Floats, axes: Floats) -> Floats:
    """The eigenvector of CᵀC, times the length of C along it."""
    centred = _dense(rows) - mean
    centred = centred - (centred @ axes.T) @ axes
    squares, directions = np.linalg.eigh(centred.T @ centred)
    first: Floats = directions[:, -1] * max(float(squares[-1]), 0.0) ** 0.5
    return first


def _first_of_many(rows: Any, mean: Floats, axes: Floats) -> Floats:
    """Cᵀu for the eigenvector u of C Cᵀ, without making sparse rows dense."""
    along = np.asarray(rows @ mean).ravel()
    products = _dense(rows @ rows.T) - along - along[:, None] + mean @ mean
    seen = np.asarray(rows @ axes.T) - axes @ mean
    first = np.linalg.eigh(products - seen @ seen.T)[1][:, -1]
    direction: Floats = np.asarray(rows.T @ first).ravel() - first.sum() * mean
    return direction


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


def _upright(direction: Floats) -> Floats:
    """The direction whose largest entry is positive."""
    return direction * (np.sign(direction[np.abs(direction).argmax()]) or 1.0)
