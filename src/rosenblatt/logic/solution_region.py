"""The solution region of two or three weights: all w that separate the rows (lecture 003).

With z_i = ± (x_i, 1), the sign that of the class, the weights w with w·z_i > 0 for all i form an
open cone. Its closure is computed exactly, in integers (`cone`). The region is empty exactly if the
sum of the vectors that generate the closure, a point in its relative interior, violates w·z_i > 0
for some i; so this, too, decides separability with certainty.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import nnls

from rosenblatt.errors import DataError
from rosenblatt.logic import cone
from rosenblatt.logic.cone import Vector
from rosenblatt.separation.proof.validation import read_labels, read_rows
from rosenblatt.types import Floats

LABEL_SIGNS = {-1: -1, 0: -1, 1: 1}  # for data of one class only
MAX_NNLS_ITERATIONS = 1000  # the centre takes about as many as the region has sides


@dataclass(frozen=True, eq=False)
class SolutionRegion:
    """All weights (w, b), or w without an intercept, with w·z > 0 for every row z.

    Parameters
    ----------
    constraints
        The vectors z_i in smallest integers, one for each row of the data.
    exact_rays
        Extreme rays of the cone in smallest integers, in order around ``centre``. A cone that
        contains a line has the line's two directions; a half-space of three weights has none.
    bounding
        Indices of the rows that bound the region.
    faces
        The parts of the surface of the box [−1, 1]^d in the region, one array of corners each, in
        order: line segments for two weights, polygons for three.
    inside
        A point strictly inside, in integers; None if the region is empty.
    centre, radius
        Chebyshev centre: the unit vector that is the centre of the largest ball inside the region,
        and the radius of that ball. None and 0 if the region is empty. If the region is too narrow
        to find it in floats, the float vector nearest to ``inside``.
    """

    constraints: tuple[Vector, ...]
    exact_rays: tuple[Vector, ...]
    bounding: tuple[int, ...]
    faces: tuple[Floats, ...]
    inside: Vector | None
    centre: Floats | None
    radius: float

    @property
    def n_weights(self) -> int:
        """Number of weights, the intercept included: 2 or 3."""
        return len(self.constraints[0])

    @property
    def empty(self) -> bool:
        """Whether no weights separate the rows."""
        return self.inside is None

    @property
    def rays(self) -> Floats:
        """Extreme rays as unit vectors: the corners of the region on the unit sphere."""
        return np.array([cone.unit(ray) for ray in self.exact_rays]).reshape(-1, self.n_weights)

    @property
    def polygon(self) -> Floats:
        """The region in the box as one polygon, for two weights: 0 and the corners around it."""
        if self.n_weights != 2:
            raise DataError("Only the region of two weights is a polygon; for three use `faces`.")
        if self.centre is None:
            return np.zeros((0, 2))
        corners = np.unique(np.vstack(self.faces), axis=0)
        return np.vstack([np.zeros(2), corners[np.argsort(cone.angles(corners, self.centre))]])

    def contains(self, w: Any) -> bool:
        """Whether these weights separate the rows, in exact arithmetic."""
        numbers = [Fraction(weight) for weight in np.asarray(w, dtype=object).tolist()]
        if len(numbers) != self.n_weights:
            raise DataError(f"The region has {self.n_weights} weights; got {len(numbers)}.")
        exact = cone.direction(numbers)
        return all(cone.dot(z, exact) > 0 for z in self.constraints)


def solution_region(X: Any, y: Any, *, fit_intercept: bool = True) -> SolutionRegion:
    """The cone of all weights that separate the rows, for two or three weights.

    Parameters
    ----------
    X
        Rows of one or two features with an intercept, of two or three without.
    y
        Labels of two classes; if all rows are of one class, its label must be −1, 0 or 1.
    fit_intercept
        Whether there is an intercept; it is then the last weight.

    Examples
    --------
    >>> region = solution_region([[2, 1], [1, 2]], [1, 1], fit_intercept=False)
    >>> region.exact_rays
    ((2, -1), (-1, 2))
    >>> region.centre.round(3).tolist()
    [0.707, 0.707]
    """
    constraints = _constraints(X, y, intercept=fit_intercept)
    d = len(constraints[0])
    sides = [cone.clip(side, constraints) for side in cone.box_sides(d)]
    corners = sorted({corner for side in sides for corner in side})
    inside = tuple(sum(values) for values in zip(*corners, strict=True))
    if not inside or any(cone.dot(z, inside) <= 0 for z in constraints):
        return SolutionRegion(constraints, (), (), (), None, None, 0.0)
    bounding = [i for i, z in enumerate(constraints) if _bounds(z, corners)]
    centre, radius = _chebyshev([constraints[i] for i in bounding], inside)
    rays = [corner for corner in corners if _bounds(corner, constraints)]
    faces = [np.array([cone.on_box(corner) for corner in side]) for side in sides if len(side) >= d]
    return SolutionRegion(
        constraints,
        _by_angle(rays, centre),
        tuple(bounding),
        tuple(faces),
        cone.primitive(inside),
        centre,
        radius,
    )


def _constraints(X: Any, y: Any, *, intercept: bool) -> tuple[Vector, ...]:
    rows = read_rows(X)
    if not isinstance(rows, np.ndarray):
        raise DataError("X must be dense; got a sparse matrix. Use X.toarray().")
    d = rows.shape[1] + intercept
    if d not in (2, 3):
        raise DataError(
            f"A solution region has 2 or 3 weights; {rows.shape[1]} features "
            f"{'with' if intercept else 'without'} an intercept make {d}. Choose other columns."
        )
    return tuple(
        cone.direction([sign * Fraction(value) for value in (*row, *[1] * intercept)])
        for sign, row in zip(_signs(y, len(rows)), rows.tolist(), strict=True)
    )


def _signs(y: Any, n: int) -> list[int]:
    labels = np.asarray(y)
    names = set(labels.tolist()) if labels.shape == (n,) else set()
    if len(names) == 1 and names <= set(LABEL_SIGNS):
        return [LABEL_SIGNS[names.pop()]] * n
    codes, classes = read_labels(y, n)
    if len(classes) != 2:
        raise DataError(
            f"A solution region is that of two classes; y holds {len(classes)}: "
            f"{', '.join(classes)}. Choose two of them, or one against the rest."
        )
    return [1 if code else -1 for code in codes.tolist()]


def _bounds(vector: Vector, others: Any) -> bool:
    """Whether a constraint defines a facet of the cone, or a corner an extreme ray."""
    return cone.span_facet(cone.orthogonal(vector, others), len(vector))


def _chebyshev(constraints: list[Vector], inside: Vector) -> tuple[Floats, float]:
    """The unit vector with the largest distance to the planes z_i·w = 0, and that distance.

    It has the direction of the shortest w with w·z_i/|z_i| ≥ 1 for all i (Lawson and Hanson's
    least distance programming). If rounding puts it outside a narrow cone, the exact point inside
    is taken instead. The distance is that of the returned floats, without cancellation.
    """
    U = np.array([cone.unit(z) for z in dict.fromkeys(constraints)])
    E = np.vstack([U.T, np.ones(len(U))])
    target = np.append(np.zeros(U.shape[1]), 1.0)
    residual = (E @ nnls(E, target, maxiter=MAX_NNLS_ITERATIONS)[0] - target)[:-1]
    centre: Floats = residual / (np.linalg.norm(residual) or 1.0)
    if _smallest_distance(centre, constraints) <= 0:
        centre = cone.unit(inside)
    return centre, max(0.0, _smallest_distance(centre, constraints))


def _smallest_distance(w: Floats, constraints: list[Vector]) -> float:
    """Smallest distance of w to the planes z_i·w = 0, negative on the wrong side of one."""
    exact = [Fraction(x) for x in w.tolist()]
    return min(
        float(sum(a * b for a, b in zip(z, exact, strict=True)) / largest)
        / float(np.linalg.norm(cone.on_box(z)))
        for z, largest in ((z, max(map(abs, z))) for z in constraints)
    )


def _by_angle(rays: list[Vector], centre: Floats) -> tuple[Vector, ...]:
    if not rays:
        return ()
    order = np.argsort(cone.angles(np.array([cone.unit(ray) for ray in rays]), centre))
    return tuple(rays[int(k)] for k in order)
