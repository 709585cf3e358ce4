"""The exact step: Wolfe's method in rational numbers, and the quick way where the basis is right.

A float run ends with pairs whose hull seems to hold the origin, or with weights that seem to
separate. Here that is decided. If the vectors of the pairs depend on each other in exactly one way
and all its weights are positive, that is the certificate. If not, nothing is rounded: the same
method goes on in exact arithmetic from where the floats stopped. Every corral it visits has a
nearest point strictly shorter than the one before, so it ends after finitely many steps, in a
certificate or in weights that separate every row of the table.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np

from rosenblatt.separation.proof.margins import exact_slacks, nearest, signs
from rosenblatt.separation.proof.table import integers
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.types import Array, Floats, Ints

PRIME = (
    0x3243F6A8885A309D  # the next after the digits of π: no power of two is near a multiple of it
)
WEIGHT_BITS = 50  # a proposed weight is rounded to so many bits below the largest
SOLVE_SECONDS = 1e-9  # of one exact solve over k³ bits, for k × k integers of few bits


class Found(NamedTuple):
    """Either weights that separate, or pairs with positive integer weights whose sum is 0."""

    W: Array | None
    pairs: Pairs | None
    weights: tuple[int, ...]


class Block(NamedTuple):
    """Integer vectors of some pairs, all scaled by one power of two.

    Column t is the coordinate ``columns[t]`` of the weight vector ``vector[t]``.
    """

    matrix: Any
    vector: Ints
    columns: Ints


def block(space: Space, pairs: Pairs) -> Block:
    """Write the vectors of the pairs in integers, columns scaled as in the float run."""
    listed, place = np.unique(pairs.row, return_inverse=True)
    rows = _integer_rows(space, listed)
    own = space.table.codes[pairs.row]
    vectors = [
        {(k, j): sign * m for k, sign in vectors_of(space, c, r) for j, m in rows[i]}
        for i, c, r in zip(place.tolist(), own.tolist(), pairs.rival.tolist(), strict=True)
    ]
    used = sorted(set().union(*vectors))
    at = {key: t for t, key in enumerate(used)}
    data = [0] * (len(vectors) * len(used))
    for t, vector in enumerate(vectors):
        for key, m in vector.items():
            data[t * len(used) + at[key]] = m
    of_vector, columns = np.array(used, dtype=np.int64).reshape(-1, 2).T
    return Block(flint.fmpz_mat(len(vectors), len(used), data), of_vector, columns)


def _integer_rows(space: Space, listed: Ints) -> list[list[tuple[int, int]]]:
    """List the entries (column, integer) of every row z, scaled by powers of two."""
    entries = space.table.entries(listed)
    whole, exponent = integers(entries, space.table.d)
    exponent = np.append(exponent, 0)[: space.width]  # the intercept's constant is the integer 1
    used = np.append(np.unique(entries.column), space.table.d)[: space.fit_intercept - 1 or None]
    lift = exponent - space.exponents
    lift -= lift[used].min(initial=0)
    rows: list[list[tuple[int, int]]] = [[] for _ in listed]
    for i, j, m in zip(entries.row.tolist(), entries.column.tolist(), whole.tolist(), strict=True):
        rows[i].append((j, m << int(lift[j])))
    if space.fit_intercept:
        for row in rows:
            row.append((space.table.d, 1 << int(lift[-1])))
    return rows


def vectors_of(space: Space, own: int, rival: int) -> list[tuple[int, int]]:
    """Weight vectors in which a pair has its row, and with which sign."""
    if space.n_vectors == 1:
        return [(0, 1 if own == 1 else -1)]
    return [(own, 1), (rival, -1)]


def dependency(matrix: Any) -> list[int] | None:
    """Return the integers with Σ λ_i a_i = 0 if there is one way only, with Σ λ_i > 0."""
    k = matrix.nrows()
    rank, columns = echelon(flint.nmod_mat(matrix, PRIME))
    if rank != k - 1:  # modulo a prime the rank can only be too small
        return None
    if rank == 0:
        return [1]
    core = part(matrix, range(k), columns).transpose()
    _, basis = echelon(flint.nmod_mat(core, PRIME))
    free = next(iter(set(range(k)) - set(basis)))
    solved: Any = part(core, range(rank), basis).solve(-part(core, range(rank), [free]))
    numerators, bottom = solved.numer_denom()
    weights = [int(bottom)] * k
    for t, i in enumerate(basis):
        weights[i] = int(numerators[t, 0])
    total = sum(weights)
    if total == 0 or not (flint.fmpz_mat(1, k, weights) * matrix).is_zero():
        return None
    return weights if total > 0 else [-w for w in weights]


def echelon(matrix: Any) -> tuple[int, list[int]]:
    """Rank, and the columns of the pivots."""
    reduced, rank = matrix.rref()
    pivots, column = [], 0
    for row in range(rank):
        while int(reduced[row, column]) == 0:
            column += 1
        pivots.append(column)
    return rank, pivots


def rounded(w: Floats) -> list[int]:
    """Integers in proportion to floats, to WEIGHT_BITS below the largest."""
    top = float(np.abs(w).max()) or 1.0
    return [int(v) for v in np.rint(w / top * 2.0**WEIGHT_BITS).tolist()]


def pivots(matrix: Any) -> tuple[list[int], list[int]]:
    """Independent rows and columns of a submatrix that has the rank of the matrix, modulo PRIME."""
    _, columns = echelon(flint.nmod_mat(matrix, PRIME))
    if not columns:
        return [], []
    core = part(matrix, range(matrix.nrows()), columns)
    _, rows = echelon(flint.nmod_mat(core.transpose(), PRIME))
    return rows, columns


def fraction(q: Any) -> Fraction:
    """Return a fraction of flint's as Python writes it."""
    return Fraction(int(q.p), int(q.q))


def numerators(weights: Sequence[Fraction]) -> Any:
    """Numerators over the common denominator, as a row matrix."""
    whole, _ = flint.fmpq_mat(1, len(weights), [rational(w) for w in weights]).numer_denom()
    return whole


def part(matrix: Any, rows: Iterable[int], columns: Iterable[int]) -> Any:
    """Submatrix of the given rows and columns, in their order."""
    rows, columns = list(rows), list(columns)
    return flint.fmpz_mat(len(rows), len(columns), [matrix[i, j] for i in rows for j in columns])


def orthogonal(matrix: Any) -> Any:
    """Integer basis of all w with matrix · w = 0, as columns; None if only w = 0."""
    null, size = matrix.nullspace()
    return part(null, range(null.nrows()), range(size)) if size else None


def solve_seconds(matrix: Any, rank: int, *, products: bool = False) -> float:
    """Estimate the seconds of an exact solve; with products, of the vectors' Gram matrix."""
    bits = max((int(v).bit_length() for v in matrix.entries()), default=1)
    bits *= 2 if products else 1
    return SOLVE_SECONDS * min(4.0, 1 + bits / 100) * float(rank) ** 3 * bits


def rational(w: Fraction) -> Any:
    """Return the fraction as flint writes it."""
    return flint.fmpq(w.numerator, w.denominator)


def settle(
    space: Space,
    pairs: Pairs,
    weights: Sequence[Fraction],
    before_step: Callable[[int, float], None],
) -> Found:
    """Decide exactly, starting from pairs with weights ≥ 0 that sum to 1.

    ``before_step`` is called before every step with its number and the seconds it may take.
    """
    weights, steps = list(weights), 0
    while True:
        steps += 1
        at = block(space, pairs)
        before_step(steps, solve_seconds(at.matrix, len(pairs.row), products=True))
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
    return [fraction(solved[i, 0]) for i in range(k)]


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
    whole = numerators(weights)
    p = whole * at.matrix
    if p.is_zero():
        return Found(None, pairs, tuple(int(w) for w in whole.entries()))
    W = weights_of(space, [int(v) for v in p.entries()], at)
    rounded = nearest(W)
    for candidate in (rounded, W):
        if space.separated_by(candidate):
            return Found(candidate, None, ())
    return worst_pair(space, W)


def weights_of(space: Space, p: Sequence[int], at: Block) -> Array:
    """Exact weights in the units of the data, the largest between 1/2 and 1."""
    W = np.full((space.n_vectors, space.width), Fraction(0), dtype=object)
    power = (-space.exponents[at.columns]).tolist()
    top = max(abs(v).bit_length() + e for v, e in zip(p, power, strict=True) if v)
    for v, e, k, j in zip(p, power, at.vector, at.columns, strict=True):
        W[k, j] = v * Fraction(2) ** (e - top)
    return W


def weights_at(space: Space, p: Sequence[int]) -> Array:
    """Exact weights in the units of the data from integers for every coordinate."""
    vector, columns = np.divmod(np.arange(len(p)), space.width)
    return weights_of(space, p, Block(None, vector, columns))


def worst_pair(space: Space, W: Array) -> Pairs:
    """Return a pair that the weights W leave on the boundary or the wrong side."""
    wrong = np.flatnonzero(signs(space.table, W) <= 0)
    slack, rival = space.worst(nearest(W))
    # floats choose among rows that are wrong only: what they cannot hold is infinite or nan
    row = int(wrong[np.nan_to_num(slack[wrong], nan=-np.inf).argmin()])
    rows = np.array([row])
    if space.n_vectors == 1:
        return Pairs(rows, 1 - space.table.codes[rows])
    own = int(space.table.codes[row])
    for r in [int(rival[row]), *range(space.n_vectors)]:
        if r != own and _pair_slack(space, W, row, r) <= 0:
            return Pairs(rows, np.array([r]))
    raise AssertionError("a row without slack has a rival without slack")


def _pair_slack(space: Space, W: Array, row: int, rival: int) -> Fraction:
    """Slack of one pair: the row's slack when only its own class and the rival remain."""
    own = int(space.table.codes[row])
    difference = W[[own]] - W[[rival]]
    two = type(space.table)(space.table.X, (space.table.codes == own).astype(np.int64), ("", ""))
    return exact_slacks(two, difference, np.array([row]))[0]
