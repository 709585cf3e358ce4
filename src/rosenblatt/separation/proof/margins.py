"""Margins of weights on a table, with proved bounds on their rounding errors.

Row i of class c asks ``w_c·z − w_r·z > 0`` of every rival class r, where z is (x, 1), or x without
an intercept. With two classes there is one weight vector and the row asks ``±w·z > 0``, plus for
class 1. The smallest of these numbers is the row's *slack*. A sum of m products in floating point,
in any order, errs by at most γ_m Σ|x_j||w_j|, γ_m = mu/(1 − mu), u = 2^−53 (Higham 2002, section
3.1). Where that bound leaves the sign open the slack is computed again in integers.

Numbers that a proof claims are rounded to the safe side, and `margin_holds`, `radius_holds` and
`hull_holds` decide claims exactly: floats settle the clear cases, squares in integers the others.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import isqrt, lcm
from typing import NamedTuple

import numpy as np

from rosenblatt.separation.proof.table import Table, bigs, floats, integers, odd_parts
from rosenblatt.types import Array, Floats, Ints

UNIT_ROUNDOFF = 2.0**-53
MIN_NORMAL = 2.0**-1022
MIN_SUBNORMAL = 2.0**-1074
MIN_SQUARABLE_LENGTH = 2.0**-400  # the squares of shorter vectors may underflow
MAX_FLOAT = Fraction(float(np.finfo(np.float64).max))
EXACT_ROWS, EXACT_ENTRIES = 256, 1 << 16  # rows computed exactly at once


class Slack(NamedTuple):
    """Bounds that hold: low[i] ≤ slack of row i ≤ high[i], or nan where nothing is known."""

    low: Floats
    high: Floats


def has_intercept(table: Table, W: Array) -> bool:
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
    return np.array([[_float(w) for w in row] for row in W])


def _float(w: Fraction) -> float:
    try:
        return float(w)
    except OverflowError:
        return float("inf") if w > 0 else float("-inf")


def lost_by_rounding(W: Array, V: Floats) -> bool:
    """Say whether a fraction became so small a float that its relative error is not at most u."""
    small = (np.abs(V) < MIN_NORMAL) & (W != 0)
    return W.dtype.kind == "O" and bool(small.any())


def _block_slack(
    table: Table, V: Floats, rows: Ints, lengths: Floats | None, *, whole: bool
) -> tuple[Floats, Floats]:
    d, m = table.d, V.shape[1]
    score, size = table.products(rows, V[:, :d].T), table.sizes(rows, V[:, :d].T)
    if m > d:
        score, size = score + V[:, d], size + np.abs(V[:, d])
    # twice the terms, and a few more: the size is rounded too, and so are integers on their way in
    terms = (2 * m + 16) * UNIT_ROUNDOFF
    error = terms / (1 - terms) * size + m * MIN_NORMAL
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
    many = _exact_rows(table)
    for rows, (low, high) in slack_blocks(table, W):
        sign = (low > 0).astype(np.int64) - (high < 0)
        unsettled = np.flatnonzero(~(low > 0) & ~(high < 0) & ~((low == 0) & (high == 0)))
        for start in range(0, len(unsettled), many):
            some = unsettled[start : start + many]
            sign[some] = [(v > 0) - (v < 0) for v in _numerators(table, W, rows[some])[0]]
        yield sign


def exact_slacks(table: Table, W: Array, rows: Ints) -> list[Fraction]:
    """Slacks of some rows, exactly."""
    numerators, unit = _numerators(table, W, rows)
    return [v * unit for v in numerators]


def _numerators(table: Table, W: Array, rows: Ints) -> tuple[list[int], Fraction]:
    """Integers, and a positive number, whose products are the slacks of some rows."""
    entries = table.entries(rows)
    used, place = np.unique(entries.column, return_inverse=True)
    whole, exponent = integers(entries, table.d)
    columns, powers = used, exponent[used]
    if has_intercept(table, W):
        columns, powers = np.append(used, table.d), np.append(powers, 0)
    weights, unit = whole_weights(W[:, columns], powers)
    totals = []
    for row in weights:
        sums = grouped_sums(entries.row, whole, row[: len(used)], place, len(rows))
        shift = sum(row[len(used) :].tolist())
        totals.append([s + shift for s in sums])
    codes = table.codes[rows].tolist()
    return [_smallest(s, c) for s, c in zip(zip(*totals, strict=True), codes, strict=True)], unit


def whole_weights(W: Array, powers: Ints) -> tuple[Array, Fraction]:
    """Return integers M and a positive number u with W[k, j] · 2^powers[j] = M[k, j] · u."""
    if W.dtype != np.float64:
        factors = [Fraction(2) ** int(power) for power in powers]
        exact = [Fraction(w) * f for row in W.tolist() for w, f in zip(row, factors, strict=True)]
        bottom = lcm(*(w.denominator for w in exact))
        return over(exact, bottom).reshape(W.shape), Fraction(1, bottom)
    whole, exponent = odd_parts(W)
    exponent = exponent + powers
    least = int(exponent[whole != 0].min()) if whole.any() else 0
    lift = np.where(whole != 0, exponent - least, 0)
    return whole.astype(object) << lift.astype(object), Fraction(2) ** least


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


def length(W: Array) -> Fraction:
    """Length of the weights, rounded up."""
    if W.dtype.kind != "O":
        shift = int(np.frexp(np.abs(W).max(initial=0.0))[1])
        V = np.ldexp(W.astype(np.float64, copy=False), -shift)
    else:
        shift = max((_exponent(w) for w in W.ravel().tolist() if w), default=0)
        V = nearest(W * Fraction(2) ** -shift)
    return (
        Fraction(float(np.linalg.norm(V) * (1 + (V.size + 10) * 2 * UNIT_ROUNDOFF)))
        * Fraction(2) ** shift
    )


def _exponent(number: Fraction | float) -> int:
    """An e with |number| below 2^e, and hardly more."""
    top, bottom = number.as_integer_ratio()
    return abs(top).bit_length() - bottom.bit_length() + 1


def squared_length(W: Array) -> Fraction:
    """Square of the length of the weights, exactly."""
    whole, unit = whole_weights(W, np.zeros(W.shape[1], dtype=np.int64))
    return Fraction(sum(v * v for v in whole.ravel().tolist())) * unit**2


def radius(table: Table, *, fit_intercept: bool) -> float:
    """Largest length of a vector (x, 1), or x without an intercept; rounded up."""
    shift = _shift(table, fit_intercept=fit_intercept)
    if shift is None:
        return float("inf")
    longest = max(
        float(lengths.max()) for _, lengths in _lengths(table, shift, fit_intercept=fit_intercept)
    )
    return max(_up(Fraction(longest) * _up_for(table) * Fraction(2) ** shift), MIN_SUBNORMAL)


def radius_holds(table: Table, claim: float, *, fit_intercept: bool) -> bool:
    """Whether no vector (x, 1), or x without an intercept, is longer than the claim, exactly."""
    if claim == np.inf:
        return True
    if not claim > 0:
        return False
    shift = _shift(table, fit_intercept=fit_intercept)
    if shift is None:
        return _no_longer(table, np.arange(table.n), Fraction(claim) ** 2 - fit_intercept)
    most = _towards_zero(Fraction(claim) / _up_for(table) / Fraction(2) ** shift)
    return all(
        _no_longer(table, rows[~(lengths <= most)], Fraction(claim) ** 2 - fit_intercept)
        for rows, lengths in _lengths(table, shift, fit_intercept=fit_intercept)
    )


def _shift(table: Table, *, fit_intercept: bool) -> int | None:
    """An exponent that brings the largest value near 1; None beyond floats."""
    top = max(float(table.column_tops().max()), float(fit_intercept))
    return None if top == np.inf else max(int(np.frexp(top)[1]), -1022)


def _lengths(table: Table, shift: int, *, fit_intercept: bool) -> Iterator[tuple[Ints, Floats]]:
    """Lengths of some vectors at a time, divided by 2^shift and rounded."""
    scale = np.full(table.d, np.ldexp(1.0, -shift))
    for rows in table.blocks():
        yield rows, np.hypot(table.lengths(rows, scale), np.ldexp(float(fit_intercept), -shift))


def _up_for(table: Table) -> Fraction:
    """What lengths of rows are multiplied by, so that no rounding has left them too short."""
    return 1 + (table.d + 10) * 2 * Fraction(UNIT_ROUNDOFF)


def _no_longer(table: Table, rows: Ints, most: Fraction) -> bool:
    """Say whether Σ x_j² is at most so much in all of these rows."""
    entries = table.entries(rows)
    whole, exponent = integers(entries, table.d)
    shift = int(exponent.min())
    lift = (exponent - shift)[entries.column]
    squares = [0] * len(rows)
    for i, m, k in zip(entries.row.tolist(), whole.tolist(), lift.tolist(), strict=True):
        squares[i] += (m << k) ** 2
    return max(squares, default=0) <= most / Fraction(4) ** shift


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
    """Smallest slack over the length of the weights, rounded towards 0: γ of the theorem."""
    size = length(W)
    return 0.0 if size == 0 else _towards_zero(smallest_slack(table, W) / size)


def margin_holds(table: Table, W: Array, claim: float) -> bool:
    """Say whether every slack is at least the claim times the length of the weights, exactly."""
    if not 0 <= claim < np.inf:
        return False
    least_square, step = None, _exact_rows(table)
    enough = _up(Fraction(claim) * length(W))
    for rows, (low, _) in slack_blocks(table, W):
        unsettled = rows[~(low >= enough)]
        for start in range(0, len(unsettled), step):
            least = min(exact_slacks(table, W, unsettled[start : start + step]))
            if least_square is None:
                least_square = Fraction(claim) ** 2 * squared_length(W)
            if least < 0 or least**2 < least_square:
                return False
    return True


def distance_of(margin: float, W: Array, d: int) -> float:
    """Distance in x of every row from the plane between its class and any rival, at least.

    A slack of γ|W| is a distance of γ|W| / |w_c − w_r|, the lengths without and with intercepts.
    """
    exact = np.array([[Fraction(w) for w in row] for row in W.tolist()], dtype=object)
    w = exact[:, :d]
    pairs = [w] if len(w) == 1 else [w[[c]] - w[[r]] for c in range(len(w)) for r in range(c)]
    longest = max(length(difference) for difference in pairs)
    if longest == 0:
        return 0.0
    shorter = length(exact) * (
        1 - (W.size + 10) * 4 * Fraction(UNIT_ROUNDOFF)
    )  # rounded down instead of up
    return _towards_zero(Fraction(margin) * shorter / longest)


def _towards_zero(quotient: Fraction) -> float:
    """Largest float whose size is at most that of the number."""
    clipped = min(max(quotient, -MAX_FLOAT), MAX_FLOAT)
    number = float(clipped)
    return number if abs(Fraction(number)) <= abs(clipped) else float(np.nextafter(number, 0.0))


def _up(number: Fraction) -> float:
    """Smallest float that is no less; infinite beyond all floats."""
    if number > MAX_FLOAT:
        return float("inf")
    rounded = float(number)
    return rounded if Fraction(rounded) >= number else float(np.nextafter(rounded, np.inf))


class Hull(NamedTuple):
    """Positive weights on row-rival pairs: a point of the convex hull of the signed vectors."""

    rows: tuple[int, ...]
    rivals: tuple[int, ...]
    weights: tuple[float, ...]


def hull_length(table: Table, hull: Hull, *, fit_intercept: bool) -> float:
    """Length of the hull's point, rounded up. No margin is larger: γ* is the least such length."""
    rows, rivals = np.array(hull.rows), np.array(hull.rivals)
    weights = np.array(hull.weights) / max(hull.weights)
    own, entries = table.codes[rows], table.entries(rows)
    value = floats(entries.value)
    scale = int(np.frexp(max(float(np.abs(value).max(initial=0.0)), float(fit_intercept)))[1])
    if not np.isfinite(value).all():
        return float("inf")
    value, one = (
        np.ldexp(value, -scale),
        float(np.ldexp(float(fit_intercept), -scale)),
    )  # so the largest is about 1; what underflows beside it is far below MIN_SQUARABLE_LENGTH
    points, sizes = [], []
    for k in range(1 if len(table.classes) == 2 else len(table.classes)):
        factor = ((own == k) * 1.0 - (rivals == k)) * weights
        terms = value * factor[entries.row]
        points.append(np.append(np.bincount(entries.column, terms, table.d), one * factor.sum()))
        size = np.bincount(entries.column, np.abs(terms), table.d)
        sizes.append(np.append(size, one * np.abs(factor).sum()))
    point, size = np.concatenate(points), np.concatenate(sizes)
    slop = 2 * (len(rows) + len(point) + 10) * UNIT_ROUNDOFF
    total = np.linalg.norm(point) + slop * np.linalg.norm(size)
    if not total > MIN_SQUARABLE_LENGTH:
        return _up(_root_up(_hull_square(table, hull, fit_intercept=fit_intercept)))
    up = Fraction(float(total / weights.sum() * (1 + 2 * slop))) * Fraction(2) ** scale
    return _up(up)


def _hull_square(table: Table, hull: Hull, *, fit_intercept: bool) -> Fraction:
    """Square of the length of the hull's point, exactly."""
    weights = [Fraction(weight) for weight in hull.weights]
    numerators = over(weights, lcm(*(weight.denominator for weight in weights)))
    sums = signed_sums(
        table, np.array(hull.rows), np.array(hull.rivals), numerators, fit_intercept=fit_intercept
    )
    square = sum((total * total for vector in sums for total in vector), Fraction(0))
    total = Fraction(sum(numerators.tolist()))
    return square / total**2


def _root_up(number: Fraction) -> Fraction:
    """Square root, rounded up to some 64 bits."""
    top, bottom = number.as_integer_ratio()
    half = max(0, 64 + (bottom.bit_length() - top.bit_length()) // 2)
    return Fraction(isqrt((top << 2 * half) // bottom) + 1, 1 << half)


def hull_holds(table: Table, hull: Hull, claim: float, *, fit_intercept: bool) -> bool:
    """Say whether the hull's point is no longer than the claim, exactly."""
    if claim >= hull_length(table, hull, fit_intercept=fit_intercept):
        return True
    return (
        claim > 0 and _hull_square(table, hull, fit_intercept=fit_intercept) <= Fraction(claim) ** 2
    )


def signed_sums(
    table: Table, rows: Ints, rivals: Ints, numerators: Array, *, fit_intercept: bool
) -> Iterator[list[Fraction]]:
    """Sums of the pairs' vectors times integers, exactly, a weight vector at a time."""
    listed, place = np.unique(rows, return_inverse=True)
    entries = table.entries(listed)
    whole, exponent = integers(entries, table.d)
    own = table.codes[rows]
    for k in [1] if len(table.classes) == 2 else range(len(table.classes)):
        sign = (own == k).astype(np.int64) - (rivals == k)
        factor = np.zeros(len(listed), dtype=object)
        np.add.at(factor, place, numerators * sign.astype(object))
        sums = grouped_sums(entries.column, whole, factor, entries.row, table.d)
        power = [Fraction(2) ** e if s else 0 for s, e in zip(sums, exponent.tolist(), strict=True)]
        totals = [Fraction(s) * p for s, p in zip(sums, power, strict=True)]
        yield [*totals, Fraction(factor.sum())] if fit_intercept else totals
