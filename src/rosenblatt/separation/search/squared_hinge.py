"""Weights that separate, by a truncated Newton method for the squared hinge.

For the signed vectors a_i of all pairs, scaled to length one, f(w) = ½ Σ max(0, 1 − a_i·w)² has the
minimum 0 exactly where some weights separate. It is piecewise quadratic, so Newton's method ends
after finitely many steps (Mangasarian 2002; Keerthi and DeCoste 2005): a step solves a least
squares problem on the rows with a_i·w < 1, by conjugate gradients, which read the rows and store
nothing. Where the plane has thousands of weights that is far less work than the nearest point of a
hull, whose corral has about as many vectors.

The residuals r_i = max(0, 1 − a_i·w) are weights of a point of the hull, p = Σ r_i a_i / Σ r_i, so
that |p| is an upper bound of the margin at every step. Once it is as small as rounding the method
gives up: the data are not separable, or floats cannot tell.
"""

from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Space
from rosenblatt.types import Floats

MAX_ENTRIES = 1 << 25  # numbers in the vectors of all pairs, which are copied
SECONDS_PER_ENTRY = 2e-7  # to write one of them
MAX_DENSE_SHARE = 0.3  # of entries that are not 0, above which they are written out
MAX_STEPS = 100
MAX_CG_ITERATIONS = 1000  # iterations of conjugate gradients in a step
CG_TOLERANCE = 1e-2  # share of the gradient that a step may leave
MIN_CG_TOLERANCE = 1e-8  # the same after steps that have brought little
SLOW_DECREASE = 0.99
MIN_MARGIN = 1e-12
MAX_BISECTIONS = 40
MAX_STEP_LENGTH = 2.0**40


def separate(space: Space, deadline: Deadline) -> Floats | None:
    """Weights that separate every row, exactly checked; None if none were found."""
    if entries(space) > MAX_ENTRIES or not deadline.allows(SECONDS_PER_ENTRY * entries(space)):
        return None
    A = _vectors(space)
    w, value, accuracy = _start(A), np.inf, CG_TOLERANCE
    for step in range(1, MAX_STEPS):
        margin = A @ w
        residual = np.maximum(0.0, 1 - margin)
        total = float(residual.sum())
        wrong = int(np.count_nonzero(~(margin > 0)))
        deadline.report("squared hinge", step, len(margin), wrong)
        if wrong == 0 and space.separated_by(space.weights(w)):
            return space.weights(w)
        gradient = -(A.T @ residual)
        length = float(np.linalg.norm(gradient))
        if deadline.passed() or not length > MIN_MARGIN * total:
            break
        before, value = value, float(residual @ residual)
        accuracy = (
            max(accuracy / 10, MIN_CG_TOLERANCE) if value > SLOW_DECREASE * before else CG_TOLERANCE
        )
        direction = _newton_direction(A[residual > 0], gradient, accuracy, deadline)
        w = w + _step_length(margin, A @ direction) * direction
    return None


def entries(space: Space) -> int:
    """Count the numbers in the vectors of all pairs."""
    table, K = space.table, len(space.table.classes)
    return (table.values.size + table.n * space.fit_intercept) * (K - 1) * min(2, space.n_vectors)


def _vectors(space: Space) -> Any:
    A = space.vectors(space.every_pair())
    sparse_enough = np.count_nonzero(A) <= MAX_DENSE_SHARE * A.size if _dense(A) else True
    return sparse.csr_array(A) if sparse_enough else A


def _dense(A: Any) -> bool:
    return isinstance(A, np.ndarray)


def _start(A: Any) -> Floats:
    """Sum of the vectors, at the length at which their margins are nearest to 1."""
    w: Floats = A.T @ np.ones(A.shape[0])
    margin = A @ w
    square = float(margin @ margin)
    return w * (float(margin.sum()) / square) if square > 0 else w


def _newton_direction(A: Any, gradient: Floats, accuracy: float, deadline: Deadline) -> Floats:
    """Solve A'A s = −gradient by conjugate gradients with the diagonal as preconditioner."""
    squares = np.einsum("ij,ij->j", A, A) if _dense(A) else np.asarray((A * A).sum(axis=0)).ravel()
    scale = 1 / np.where(squares > 0, squares, 1.0)
    s, rest = np.zeros(len(gradient)), -gradient
    p = z = scale * rest
    height = first = float(rest @ z)
    for _ in range(MAX_CG_ITERATIONS):
        q = A.T @ (A @ p)
        curvature = float(p @ q)
        if not curvature > 0 or deadline.passed():
            break
        s = s + height / curvature * p
        rest = rest - height / curvature * q
        z = scale * rest
        height, before = float(rest @ z), height
        if not height > accuracy**2 * first:
            break
        p = z + height / before * p
    return s


def _step_length(margin: Floats, change: Floats) -> float:
    """Minimise f along a direction, by bisection of its derivative; all of a step if enough."""

    def derivative(t: float) -> float:
        residual = np.maximum(0.0, 1 - margin - t * change)
        return -float(change @ residual)

    low, high = 0.0, 1.0
    if abs(derivative(high)) < 0.1 * abs(derivative(low)):
        return high
    while derivative(high) < 0 and high < MAX_STEP_LENGTH:
        low, high = high, 2 * high
    for _ in range(MAX_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) < 0 else (low, middle)
    return high
