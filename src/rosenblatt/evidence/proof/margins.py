"""Margins of weights on a table, with proved bounds on their rounding errors.

Row i of class c asks ``w_c·z − w_r·z > 0`` of every rival class r, where z is (x, 1), or x without
a bias. With two classes there is one weight vector and the row asks ``±w·z > 0``, plus for class 1.
The smallest of these numbers is the row's *slack*. A sum of m products in floating point, in any
order, errs by at most γ_m Σ|x_j||w_j|, γ_m = mu/(1 − mu), u = 2^−53 (Higham 2002, section 3.1).
Where that bound leaves the sign open the slack is computed again in integers.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Floats, Ints
from rosenblatt.evidence.proof.table import Table, bigs, floats, integers

UNIT = 2.0**-53
TINY = 2.0**-1022
LARGEST = Fraction(float(np.finfo(np.float64).max))
EXACT_ROWS, EXACT_ENTRIES = 256, 1 << 16  # rows computed exactly at once


class Slack(NamedTuple):
    """Bounds that hold: low[i] ≤ slack of row i ≤ high[i], or nan where nothing is known."""

    low: Floats
    high: Floats


def has_bias(table: Table, W: Array) -> bool:
    """Say whether the weights have a last column for the constant 1."""
    return bool(W.shape[1] == table.d + 1)


def slacks(table: Table, W: Array, lengths: Floats | None = None) -> Slack:
    """Bound the slack of every row; with lengths[c, r], each part divided by its length first."""
    parts = [slack for _, slack in slack_blocks(table, W, lengths)]
    return Slack(*(np.concatenate(side) for side in zip(*parts, strict=True)))


def slack_blocks(
    table: Table, W: Array, lengths: Floats | None = None
) -> Iterator[tuple[Ints, Slack]]:
    """Bound the slack of some rows at a time: all rows may be more than memory holds."""
    V = nearest(W)
    whole = bool((np.rint(V) == V).all() and (W == V).all())
    lost = lost_by_rounding(W, V)
    for rows in table.blocks():
        with np.errstate(over="ignore", invalid="ignore"):
            known = whole and table.whole(rows)
            slack = Slack(*_block_slack(table, V, rows, lengths, whole=known))
        if lost:
            slack.low[:], slack.high[:] = np.nan, np.nan
        yield rows, slack


def nearest(W: Array) -> Floats:
    """Nearest float64 of weights that may be fractions."""
    if W.dtype.kind != "O":
        return W.astype(np.float64, copy=False)
    return np.array([[_float(w) for w in unit] for unit in W])


def _float(w: Fraction) -> float:
    try:
        return float(w)
    except OverflowError:
        return float("inf") if w > 0 else float("-inf")


def lost_by_rounding(W: Array, V: Floats) -> bool:
    """Say whether a fraction became so small a float that its relative error is not at most u."""
    small = (np.abs(V) < TINY) & (W != 0)
    return W.dtype.kind == "O" and bool(small.any())


def _block_slack(
    table: Table, V: Floats, rows: Ints, lengths: Floats | None, *, whole: bool
) -> tuple[Floats, Floats]:
    d, m = table.d, V.shape[1]
    score, size = table.products(rows, V[:, :d].T), table.sizes(rows, V[:, :d].T)
    if m > d:
        score, size = score + V[:, d], size + np.abs(V[:, d])
    # twice the terms, and a few more: the size is rounded too, and so are integers on their way in
    terms = (2 * m + 16) * UNIT
    error = terms / (1 - terms) * size + m * TINY
    if whole:
        error[size < 2.0**52] = 0  # sums of integers below 2^53 do not round at all
    codes = table.codes[rows]
    if len(V) == 1:
        value = np.where(codes == 1, score[:, 0], -score[:, 0])
        return value - error[:, 0], value + error[:, 0]
    here = np.arange(len(rows))
    value = score[here, codes][:, None] - score
    error = error[here, codes][:, None] + error
    low, high = value - error, value + error
    if lengths is not None:
        low, high = low / lengths[codes], high / lengths[codes]
    low[here, codes] = high[here, codes] = np.inf
    return low.min(axis=1), high.min(axis=1)


def signs(table: Table, W: Array) -> Ints:
    """Sign of every row's slack, −1, 0 or 1, exactly."""
    return np.concatenate(list(_sign_blocks(table, W)))


def separates(table: Table, W: Array) -> bool:
    """Say whether every row has a positive slack, exactly; the first that has not ends it."""
    return all(bool(block.min() > 0) for block in _sign_blocks(table, W))


def _sign_blocks(table: Table, W: Array) -> Iterator[Ints]:
    used = np.flatnonzero((W != 0).any(axis=0))
    features = used[used < table.d]
    if 0 < len(features) <= table.d // 8:  # weights on few features need no look at the others
        table, W = table.only(features), W[:, np.append(features, np.arange(table.d, W.shape[1]))]
    many = max(EXACT_ROWS, EXACT_ENTRIES // table.d)
    for rows, (low, high) in slack_blocks(table, W):
        sign = (low > 0).astype(np.int64) - (high < 0)
        unsettled = np.flatnonzero(~(low > 0) & ~(high < 0) & ~((low == 0) & (high == 0)))
        for start in range(0, len(unsettled), many):
            some = unsettled[start : start + many]
            sign[some] = [(v > 0) - (v < 0) for v in _numerators(table, W, rows[some])[0]]
        yield sign


def exact_slacks(table: Table, W: Array, rows: Ints) -> list[Fraction]:
    """Slacks of some rows, exactly."""
    numerators, bottom = _numerators(table, W, rows)
    return [Fraction(v, bottom) for v in numerators]


def _numerators(table: Table, W: Array, rows: Ints) -> tuple[list[int], int]:
    """Compute the slacks of some rows in integers over one common denominator."""
    entries = table.entries(rows)
    used, place = np.unique(entries.column, return_inverse=True)
    whole, exponent = integers(entries, table.d)
    powers = [Fraction(2) ** int(exponent[j]) for j in used]
    weights = [[Fraction(unit[j]) * p for j, p in zip(used, powers, strict=True)] for unit in W]
    biases = [Fraction(unit[table.d]) if has_bias(table, W) else Fraction(0) for unit in W]
    bottom = lcm(
        *(w.denominator for unit in weights for w in unit), *(b.denominator for b in biases)
    )
    totals = []
    for unit, bias in zip(weights, biases, strict=True):
        sums = grouped_sums(entries.row, whole, over(unit, bottom), place, len(rows))
        shift = int(bias * bottom)
        totals.append([s + shift for s in sums])
    codes = table.codes[rows].tolist()
    return [_smallest(s, c) for s, c in zip(zip(*totals, strict=True), codes, strict=True)], bottom


def _smallest(scores: Sequence[int], code: int) -> int:
    if len(scores) == 1:
        return scores[0] if code == 1 else -scores[0]
    return min(scores[code] - score for rival, score in enumerate(scores) if rival != code)


def over(values: Iterable[Fraction], bottom: int) -> Array:
    """Numerators of fractions brought to one common denominator."""
    return bigs(v.numerator * (bottom // v.denominator) for v in values)


def grouped_sums(group: Ints, whole: Array, factor: Array, which: Ints, count: int) -> list[int]:
    """Sum whole · factor[which] over each group, exactly; quickly where nothing can overflow."""
    most = min(max((abs(f) for f in factor), default=0), 2**99)
    if whole.dtype.kind != "O" and most * (1 + np.abs(floats(whole)).sum()) < 2.0**62:
        sums = np.zeros(count, dtype=np.int64)
        np.add.at(sums, group, whole * factor.astype(np.int64)[which])
        return [int(s) for s in sums]
    totals = [0] * count
    factors = factor.tolist()
    for g, m, f in zip(group.tolist(), whole.tolist(), which.tolist(), strict=True):
        totals[g] += m * factors[f]
    return totals


def norm(W: Array) -> float:
    """Length of the weights, rounded up."""
    V = nearest(W)
    top = float(np.abs(V).max())
    if top in {0.0, float("inf")}:
        return top
    return float(np.linalg.norm(V / top) * top * (1 + (V.size + 10) * 2 * UNIT))


def radius(table: Table, *, bias: bool) -> float:
    """Largest length of a vector (x, 1), or x without a bias; rounded up."""
    top = max(float(table.column_tops().max()), 1.0 if bias else TINY)
    if top == np.inf:
        return top
    scale = np.full(table.d, 1 / top)
    longest = max(float(table.lengths(rows, scale).max()) for rows in table.blocks())
    return float(np.hypot(longest, bias / top)) * top * (1 + (table.d + 10) * 2 * UNIT)


def smallest_slack(table: Table, W: Array) -> Fraction:
    """Smallest slack of all rows; exact, or where very many rows tie a positive bound below it."""
    near, low = _near(table, W, 0.0)
    if len(near) > EXACT_ROWS and bool((low > 0).all()):
        return Fraction(float(low.min()))
    step = _exact_rows(table)
    return min(
        min(exact_slacks(table, W, near[start : start + step]))
        for start in range(0, len(near), step)
    )


def _exact_rows(table: Table) -> int:
    return max(EXACT_ROWS, EXACT_ENTRIES // table.d)


def nearest_rows(table: Table, W: Array, more: float) -> list[int]:
    """Rows whose slack may be the smallest, or larger by a share; for weights that separate."""
    rows: list[int] = _near(table, W, more)[0].tolist()
    return rows


def _near(table: Table, W: Array, more: float) -> tuple[Ints, Floats]:
    """Rows that may have the smallest slack, with their lower bounds."""
    near, lows, least = np.zeros(0, np.int64), np.zeros(0), np.inf
    for rows, (low, high) in slack_blocks(table, W):
        least = min(least, float(np.min(high)))  # nan counts for nothing: such rows all stay
        near, lows = np.append(near, rows), np.append(lows, low)
        keep = ~(lows > least * (1 + more))
        near, lows = near[keep], lows[keep]
    return near, lows


def margin(table: Table, W: Array) -> float:
    """Smallest slack over the length of the weights, rounded down: γ of the theorem."""
    return _down(smallest_slack(table, W), norm(W))


def geometric_margin(table: Table, W: Array) -> float:
    """Smallest distance of a row x from the plane between its class and a rival, rounded down."""
    w = nearest(W)[:, : table.d]
    if len(w) == 1:
        return _down(smallest_slack(table, W), norm(W[:, : table.d]))
    lengths = np.ones((len(w), len(w)))
    for c, r in zip(*np.nonzero(~np.eye(len(w), dtype=bool)), strict=True):
        lengths[c, r] = norm(w[[c]] - w[[r]])
    least = float(slacks(table, W, lengths).low.min())
    return least if 0 < least < np.inf else 0.0


def _down(slack: Fraction, length: float) -> float:
    """Divide and round towards minus infinity; 0 where the length is 0 or beyond floats."""
    if length in {0.0, float("inf")}:
        return 0.0
    quotient = min(max(slack / Fraction(length), -LARGEST), LARGEST)
    return float(np.nextafter(float(quotient), -np.inf))


class Hull(NamedTuple):
    """Positive weights on row-rival pairs: a point of the convex hull of the signed vectors."""

    rows: tuple[int, ...]
    rivals: tuple[int, ...]
    weights: tuple[float, ...]


def hull_length(table: Table, hull: Hull, *, bias: bool) -> float:
    """Length of the hull's point, rounded up. No margin is larger: γ* is the least such length."""
    rows, rivals = np.array(hull.rows), np.array(hull.rivals)
    weights = np.array(hull.weights) / max(hull.weights)
    own, entries = table.codes[rows], table.entries(rows)
    points, sizes = [], []
    for unit in range(len(table.classes)):
        sign = (own == unit) * 1.0 - (rivals == unit)
        factor = sign * weights
        terms = floats(entries.value) * factor[entries.row]
        points.append(np.bincount(entries.column, terms, table.d))
        sizes.append(np.bincount(entries.column, np.abs(terms), table.d))
        points.append(bias * factor.sum(keepdims=True))
        sizes.append(bias * np.abs(factor).sum(keepdims=True))
    half = len(points) // 2  # two classes have mirrored blocks and one weight vector: count it once
    kept = slice(half) if len(table.classes) == 2 else slice(None)
    point, size = np.concatenate(points[kept]), np.concatenate(sizes[kept])
    top = float(size.max()) or 1.0
    slop = (2 * len(rows) + table.d + 20) * UNIT
    length = np.linalg.norm(point / top) + slop * np.linalg.norm(size / top)
    return float(length / weights.sum() * (1 + 2 * slop) * top)
