"""Smallest integer weights of a threshold unit with given outputs.

Minimise Σ|w_j|, b free, subject to w·x + b ≥ 0 on the true rows and w·x + b ≤ −1 on the false ones.
Numbers λ ≥ 0 on the rows with Σ_true λ = Σ_false λ give a lower bound: summing the inequalities,

    Σ_false λ ≤ Σ_x ± λ_x (w·x + b) = w · Σ_x ± λ_x x ≤ Σ|w_j| · max_j |Σ_x ± λ_x x_j|.

So floats may propose both the weights and λ: the weights are checked on every row, and they are
called smallest only if the bound, in integers, excludes a sum smaller by one. It does for every
threshold function of up to 6 inputs.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from rosenblatt.logic.units import ThresholdUnit
from rosenblatt.types import Floats, Ints

LAMBDA_SCALE = 2**30  # λ in units of 2⁻³⁰
MAX_MILP_SECONDS = 5.0  # for the integer program, if the linear one is fractional


class SmallUnit(NamedTuple):
    """A unit, and whether no unit has a smaller sum of absolute weights."""

    unit: ThresholdUnit
    minimal: bool


def smallest(points: Ints, bits: Ints) -> SmallUnit | None:
    """The unit with the least Σ|w_j| that maps the points to these bits; None if not found."""
    n = points.shape[1]
    if len(np.unique(bits)) == 1:
        return SmallUnit(ThresholdUnit((0,) * n, int(bits[0]) - 1, boolean=True), minimal=True)
    A, low = _constraints(points, bits)
    cost = np.append(np.ones(2 * n), 0.0)
    free = [(0.0, None)] * (2 * n) + [(None, None)]
    relaxed = linprog(cost, A_ub=-A, b_ub=-low, bounds=free, method="highs")
    if relaxed.x is None:
        return None
    unit = _rounded(relaxed.x, points, bits) or _integer_program(A, low, points, bits)
    if unit is None:
        return None
    size = int(sum(abs(w) for w in unit.whole[:-1]))
    return SmallUnit(unit, minimal=_is_excluded(size - 1, -relaxed.ineqlin.marginals, points, bits))


def _constraints(points: Ints, bits: Ints) -> tuple[Floats, Floats]:
    """Rows of A v ≥ low in v = (p, q, b) with w = p − q and p, q ≥ 0."""
    sign = np.where(bits == 1, 1.0, -1.0)[:, None]
    A: Floats = np.hstack([sign * points, -sign * points, sign])
    return A, np.where(bits == 1, 0.0, 1.0)


def _rounded(v: Floats, points: Ints, bits: Ints) -> ThresholdUnit | None:
    """The unit of the rounded weights and the integer intercept nearest to 0 that fits, if any."""
    n = points.shape[1]
    w = np.rint(v[:n]).astype(np.int64) - np.rint(v[n : 2 * n]).astype(np.int64)
    scores = points @ w
    least, most = -int(scores[bits == 1].min()), -int(scores[bits == 0].max()) - 1
    if least > most:
        return None
    return ThresholdUnit(tuple(w.tolist()), min(max(0, least), most), boolean=True)


def _integer_program(A: Floats, low: Floats, points: Ints, bits: Ints) -> ThresholdUnit | None:
    n = points.shape[1]
    bounds = Bounds(np.append(np.zeros(2 * n), -np.inf), np.full(2 * n + 1, np.inf))
    found = milp(
        np.append(np.ones(2 * n), 0.0),
        constraints=LinearConstraint(A, low, np.inf),
        integrality=np.ones(2 * n + 1),
        bounds=bounds,
        options={"time_limit": MAX_MILP_SECONDS},
    )
    return None if found.x is None else _rounded(found.x, points, bits)


def _is_excluded(size: int, proposed: Floats, points: Ints, bits: Ints) -> bool:
    """Whether λ proves that Σ|w_j| > size for all weights."""
    weights = np.rint(np.maximum(proposed, 0.0) * LAMBDA_SCALE).astype(np.int64)
    true, false = bits == 1, bits == 0
    gap = int(weights[true].sum() - weights[false].sum())
    side = np.flatnonzero(false if gap > 0 else true)
    weights[side[weights[side].argmax()]] += abs(gap)  # makes the rounded sums equal
    total = np.where(true, weights, -weights) @ points
    return int(weights[false].sum()) > size * int(np.abs(total).max())
