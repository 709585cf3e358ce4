"""Smallest integer weights of a unit that decides given rows as wanted.

The size is Σ|w_j|; the bias is free. Minimise it subject to w·x + b ≥ 0 on the true rows and
w·x + b ≤ −1 on the false ones. Numbers λ ≥ 0 on the rows with Σ_true λ = Σ_false λ bound it from
below: adding up the inequalities,

    Σ_false λ ≤ Σ_x ± λ_x (w·x + b) = w · Σ_x ± λ_x x ≤ Σ|w_j| · max_j |Σ_x ± λ_x x_j|.

So floats may propose both the weights and λ: the weights are checked on every row, and "smallest"
is said only where the bound, in integers, excludes a sum smaller by one. It does for every
threshold function of up to 6 inputs.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from rosenblatt.logic.units import ThresholdUnit
from rosenblatt.types import Floats, Ints

SCALE = 2**30  # λ in units of 2⁻³⁰
SECONDS = 5.0  # for the integer program, where the linear one is fractional


class Small(NamedTuple):
    """A unit, and whether no unit has a smaller sum of absolute weights."""

    unit: ThresholdUnit
    minimal: bool


def smallest(points: Ints, bits: Ints) -> Small | None:
    """Find the unit with the least Σ|w_j| for these rows of bits; None if none was found."""
    n = points.shape[1]
    if len(np.unique(bits)) == 1:
        return Small(ThresholdUnit((0,) * n, int(bits[0]) - 1), minimal=True)
    A, low = _constraints(points, bits)
    cost = np.append(np.ones(2 * n), 0.0)
    free = [(0.0, None)] * (2 * n) + [(None, None)]
    relaxed = linprog(cost, A_ub=-A, b_ub=-low, bounds=free, method="highs")
    if relaxed.x is None:
        return None
    unit = _rounded(relaxed.x, points, bits) or _whole_program(A, low, points, bits)
    if unit is None:
        return None
    size = int(sum(abs(w) for w in unit.whole[:-1]))
    return Small(unit, minimal=_excludes(size - 1, -relaxed.ineqlin.marginals, points, bits))


def _constraints(points: Ints, bits: Ints) -> tuple[Floats, Floats]:
    """Rows of A v ≥ low in v = (p, q, b) with w = p − q and p, q ≥ 0."""
    sign = np.where(bits == 1, 1.0, -1.0)[:, None]
    A: Floats = np.hstack([sign * points, -sign * points, sign])
    return A, np.where(bits == 1, 0.0, 1.0)


def _rounded(v: Floats, points: Ints, bits: Ints) -> ThresholdUnit | None:
    """Round the weights, and take the integer bias nearest to 0 that fits all rows, if any."""
    n = points.shape[1]
    w = np.rint(v[:n]).astype(np.int64) - np.rint(v[n : 2 * n]).astype(np.int64)
    scores = points @ w
    least, most = -int(scores[bits == 1].min()), -int(scores[bits == 0].max()) - 1
    if least > most:
        return None
    return ThresholdUnit(tuple(w.tolist()), min(max(0, least), most))


def _whole_program(A: Floats, low: Floats, points: Ints, bits: Ints) -> ThresholdUnit | None:
    n = points.shape[1]
    bounds = Bounds(np.append(np.zeros(2 * n), -np.inf), np.full(2 * n + 1, np.inf))
    found = milp(
        np.append(np.ones(2 * n), 0.0),
        constraints=LinearConstraint(A, low, np.inf),
        integrality=np.ones(2 * n + 1),
        bounds=bounds,
        options={"time_limit": SECONDS},
    )
    return None if found.x is None else _rounded(found.x, points, bits)


def _excludes(size: int, proposed: Floats, points: Ints, bits: Ints) -> bool:
    """Whether λ proves that no weights have Σ|w_j| ≤ size."""
    weights = np.rint(np.maximum(proposed, 0.0) * SCALE).astype(np.int64)
    true, false = bits == 1, bits == 0
    gap = int(weights[true].sum() - weights[false].sum())
    side = np.flatnonzero(false if gap > 0 else true)
    weights[side[weights[side].argmax()]] += abs(gap)  # rounding must not leave the sums unequal
    total = np.where(true, weights, -weights) @ points
    return int(weights[false].sum()) > size * int(np.abs(total).max())
