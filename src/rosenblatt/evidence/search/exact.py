"""The exact step: Wolfe's method in rational numbers, and the quick way where the basis is right.

A float run ends with pairs whose hull seems to hold the origin, or with weights that seem to
separate. Here that is decided. If the vectors of the pairs depend on each other in exactly one way
and all its weights are positive, that is the certificate. If not, nothing is rounded: the same
method goes on in exact arithmetic from where the floats stopped. Every corral it visits has a
nearest point strictly shorter than the one before, so it ends after finitely many steps, in a
certificate or in weights that separate every row of the table.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np

from rosenblatt.arrays import Array, Ints
from rosenblatt.evidence.proof.margins import exact_slacks, nearest, separates, signs
from rosenblatt.evidence.proof.table import integers
from rosenblatt.evidence.search.pairs import Pairs, Space

PRIME = (1 << 61) - 1


class Found(NamedTuple):
    """Either weights that separate, or pairs with positive integer weights whose sum is 0."""

    W: Array | None
    pairs: Pairs | None
    weights: tuple[int, ...]


class Block(NamedTuple):
    """Integer vectors of some pairs on the coordinates they use, all scaled by one power of two."""

    matrix: Any
    units: Ints
    columns: Ints


def block(space: Space, pairs: Pairs) -> Block:
    """Write the vectors of the pairs in integers, columns scaled as in the float run."""
    listed, place = np.unique(pairs.row, return_inverse=True)
    rows = _integer_rows(space, listed)
    own = space.table.codes[pairs.row]
    vectors = [
        {(unit, j): sign * m for unit, sign in blocks_of(space, c, r) for j, m in rows[i]}
        for i, c, r in zip(place.tolist(), own.tolist(), pairs.rival.tolist(), strict=True)
    ]
    used = sorted(set().union(*vectors))
    at = {key: t for t, key in enumerate(used)}
    data = [0] * (len(vectors) * len(used))
    for t, vector in enumerate(vectors):
        for key, m in vector.items():
            data[t * len(used) + at[key]] = m
    units, columns = np.array(used, dtype=np.int64).reshape(-1, 2).T
    return Block(flint.fmpz_mat(len(vectors), len(used), data), units, columns)


def _integer_rows(space: Space, listed: Ints) -> list[list[tuple[int, int]]]:
    """List the entries (column, integer) of every row z, scaled by powers of two."""
    entries = space.table.entries(listed)
    whole, exponent = integers(entries, space.table.d)
    exponent = np.append(exponent, 0)[: space.width]  # the bias answers to the integer 1
    used = np.append(np.unique(entries.column), space.table.d)[: space.bias - 1 or None]
    lift = exponent - space.exponents
    lift -= lift[used].min(initial=0)
    rows: list[list[tuple[int, int]]] = [[] for _ in listed]
    for i, j, m in zip(entries.row.tolist(), entries.column.tolist(), whole.tolist(), strict=True):
        rows[i].append((j, m << int(lift[j])))
    if space.bias:
        for row in rows:
            row.append((space.table.d, 1 << int(lift[-1])))
    return rows


def blocks_of(space: Space, own: int, rival: int) -> list[tuple[int, int]]:
    """Blocks (weight vectors) in which a pair has its row, and with which sign."""
    if space.units == 1:
        return [(0, 1 if own == 1 else -1)]
    return [(own, 1), (rival, -1)]


def dependency(matrix: Any) -> list[int] | None:
    """Return the integers with Σ λ_i a_i = 0 if there is one way only, with Σ λ_i > 0."""
    k = matrix.nrows()
    rank, columns = _echelon(flint.nmod_mat(matrix, PRIME))
    if rank != k - 1:  # modulo a prime the rank can only be too small
        return None
    if rank == 0:
        return [1]
    core = flint.fmpz_mat([[matrix[i, j] for i in range(k)] for j in columns])
    _, basis = _echelon(flint.nmod_mat(core, PRIME))
    free = next(iter(set(range(k)) - set(basis)))
    left = flint.fmpz_mat([[core[t, i] for i in basis] for t in range(rank)])
    right = flint.fmpz_mat([[-core[t, free]] for t in range(rank)])
    solved: Any = left.solve(right)
    numerators, bottom = solved.numer_denom()
    weights = [int(bottom)] * k
    for t, i in enumerate(basis):
        weights[i] = int(numerators[t, 0])
    total = sum(weights)
    if total == 0 or not (flint.fmpz_mat(1, k, weights) * matrix).is_zero():
        return None
    return weights if total > 0 else [-w for w in weights]


def _echelon(matrix: Any) -> tuple[int, list[int]]:
    """Rank, and the columns of the pivots."""
    reduced, rank = matrix.rref()
    pivots, column = [], 0
    for row in range(rank):
        while int(reduced[row, column]) == 0:
            column += 1
        pivots.append(column)
    return rank, pivots


def _fraction(q: Any) -> Fraction:
    return Fraction(int(q.p), int(q.q))


def _common(weights: Sequence[Fraction]) -> Any:
    """Numerators over the common denominator, as a row matrix."""
    numerators, _ = flint.fmpq_mat(1, len(weights), [rational(w) for w in weights]).numer_denom()
    return numerators


def rational(w: Fraction) -> Any:
    """Return the fraction as flint writes it."""
    return flint.fmpq(w.numerator, w.denominator)


def settle(
    space: Space, pairs: Pairs, weights: Sequence[Fraction], listen: Callable[[int], None]
) -> Found:
    """Decide exactly, starting from pairs with weights ≥ 0 that sum to 1."""
    weights, steps = list(weights), 0
    while True:
        steps += 1
        listen(steps)
        at = block(space, pairs)
        goal = _affine(at.matrix)
        if goal is None:
            weights = _slide(at.matrix, weights)
        elif min(goal) > 0:
            weights = goal
            found = _look(space, pairs, weights, at)
            if isinstance(found, Found):
                return found
            pairs, weights = pairs.join(found), [*weights, Fraction(0)]
            continue
        else:
            falling = [
                (w / (w - g)) for w, g in zip(weights, goal, strict=True) if g <= 0 and w > g
            ]
            step = min(falling, default=Fraction(0))
            weights = [w + step * (g - w) for w, g in zip(weights, goal, strict=True)]
        keep = [i for i, w in enumerate(weights) if w > 0]
        pairs, weights = pairs.keep(keep), [weights[i] for i in keep]


def _affine(matrix: Any) -> list[Fraction] | None:
    """Weights of the nearest affine point, or None if the vectors depend affinely."""
    k = matrix.nrows()
    gram = matrix * matrix.transpose()
    rows = [[*(gram[i, j] for j in range(k)), 1] for i in range(k)]
    bordered = flint.fmpz_mat([*rows, [1] * k + [0]])
    try:
        solved = bordered.solve(flint.fmpz_mat(k + 1, 1, [0] * k + [1]))
    except ZeroDivisionError:
        return None
    return [_fraction(solved[i, 0]) for i in range(k)]


def _slide(matrix: Any, weights: Sequence[Fraction]) -> list[Fraction]:
    """Move along an affine dependency, which leaves the point alone, until a weight is 0."""
    k = matrix.nrows()
    columns = [[matrix[i, j] for i in range(k)] for j in range(matrix.ncols())]
    null, _ = flint.fmpz_mat([*columns, [1] * k]).nullspace()
    move = [int(null[i, 0]) for i in range(k)]
    step = min(w / m for w, m in zip(weights, move, strict=True) if m > 0)
    return [w - step * m for w, m in zip(weights, move, strict=True)]


def _look(space: Space, pairs: Pairs, weights: Sequence[Fraction], at: Block) -> Found | Pairs:
    """See what the nearest point proves: a certificate, a separator, or a pair that must join."""
    numerators = _common(weights)
    p = numerators * at.matrix
    if p.is_zero():
        return Found(None, pairs, tuple(int(w) for w in numerators.entries()))
    W = weights_of(space, [int(v) for v in p.entries()], at)
    rounded = nearest(W)
    for candidate in (rounded, W):
        if separates(space.table, candidate):
            return Found(candidate, None, ())
    return worst_pair(space, W)


def weights_of(space: Space, p: list[int], at: Block) -> Array:
    """Exact weights in the units of the data, the largest between 1/2 and 1."""
    W = np.full((space.units, space.width), Fraction(0), dtype=object)
    power = (-space.exponents[at.columns]).tolist()
    top = max(abs(v).bit_length() + e for v, e in zip(p, power, strict=True) if v)
    for v, e, unit, j in zip(p, power, at.units, at.columns, strict=True):
        W[unit, j] = v * Fraction(2) ** (e - top)
    return W


def worst_pair(space: Space, W: Array) -> Pairs:
    """Return a pair that the weights W leave on the boundary or the wrong side."""
    sign = signs(space.table, W)
    slack, rival = space.worst(nearest(W))
    slack[sign > 0] = np.inf
    row = int(np.nan_to_num(slack, nan=-np.inf).argmin())
    rows = np.array([row])
    if space.units == 1:
        return Pairs(rows, 1 - space.table.codes[rows])
    own = int(space.table.codes[row])
    for r in [int(rival[row]), *range(space.units)]:
        if r != own and _pair_slack(space, W, row, r) <= 0:
            return Pairs(rows, np.array([r]))
    raise AssertionError("a row without slack has a rival without slack")


def _pair_slack(space: Space, W: Array, row: int, rival: int) -> Fraction:
    """Slack of one pair: the row's slack when only its own class and the rival remain."""
    own = int(space.table.codes[row])
    difference = W[[own]] - W[[rival]]
    two = type(space.table)(space.table.X, (space.table.codes == own).astype(np.int64), ("", ""))
    return exact_slacks(two, difference, np.array([row]))[0]
