"""How classes that cannot be separated meet: they overlap, or only touch.

They touch if some weights put no row on the wrong side and not every row on the boundary
("quasi-complete separation" in logistic regression). One linear program decides, or where floats
fail facial reduction; in larger tables one feature alone may decide, or a certificate whose rows
span the space.

The linear program, with the vectors a_i of all pairs, is

  maximise Σ s_i  subject to  s_i ≤ a_i·w,  0 ≤ s_i ≤ 1,  w free.

The optimum is 0 where the classes overlap, and the dual variables then are weights λ_i ≥ 1 with
Σ λ_i a_i = 0 (Stiemke's theorem). Otherwise w has as few rows on the boundary as any weights that
put none on the wrong side. Floats only propose: w is solved again in integers from the rows on the
boundary, λ from Σ λ_i a_i = 0, and what is returned was checked exactly.

Facial reduction is exact throughout. Weights without a row on the wrong side are 0 on every pair of
a certificate. What is left is the space of weights orthogonal to it: there the remaining rows are
separable, or hold another certificate, or there are none. It is slower than a linear program, but
numbers of very different sizes do it no harm.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
from scipy import sparse

from rosenblatt.separation.proof.margins import signs
from rosenblatt.separation.proof.table import Csr, Table, bigs, floats
from rosenblatt.separation.search import exact
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.exact import Found
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.separation.search.overlap_evidence import (
    UNKNOWN,
    KindFound,
    LinearProgram,
    independent,
    overlap_near,
    overlapping,
    solve_linear_program,
    spanning,
)
from rosenblatt.separation.search.working_set import TimeLimitReached, decide, finite
from rosenblatt.types import Array, Floats, Ints


class WeakSeparator(NamedTuple):
    """A float solution: weights, slacks capped at 1, and the dual weights of the pairs."""

    w: Floats
    capped: Floats
    dual: Floats


def by_linear_program(space: Space, deadline: Deadline) -> KindFound | None:
    """Tell the kind with its evidence, or None where floats or the time do not suffice."""
    pairs = space.every_pair()
    vectors = space.vectors(pairs)
    if not finite(vectors):
        return None
    weak = _solve_weakly(vectors, deadline)
    if weak is None:
        return None
    positive = weak.capped > 0.5
    if positive.any():
        W = _exact_weights(space, pairs.keep(~positive), vectors[~positive], weak.w, deadline)
        return None if W is None or not touches(space, W) else KindFound("touching", touching=W)
    return overlapping(overlap_near(space, pairs, vectors, weak.dual, deadline))


def _solve_weakly(vectors: Any, deadline: Deadline) -> WeakSeparator | None:
    """Solve the linear program of the module's text in floats."""
    n, width = vectors.shape
    free, bounded = np.full(width, np.inf), np.ones(n)
    program = LinearProgram(
        np.append(np.zeros(width), -bounded),
        sparse.hstack([-sparse.csr_array(vectors), sparse.eye_array(n)], format="csc"),
        np.zeros(n),
        np.append(-free, np.zeros(n)),
        np.append(free, bounded),
    )
    solved = solve_linear_program(program, deadline)
    return solved and WeakSeparator(solved.x[:width], solved.x[width:], solved.dual)


def _exact_weights(
    space: Space, boundary: Pairs, vectors: Any, w: Floats, deadline: Deadline
) -> Array | None:
    """Weights next to w that are exactly 0 on the pairs of the boundary."""
    whole = exact.rounded(w)
    if len(boundary.row) == 0:
        return exact.weights_at(space, whole)
    at = exact.block(space, boundary.keep(independent(vectors)))
    place = (at.vector * space.width + at.columns).tolist()
    rows, columns = exact.pivots(at.matrix)
    free = sorted(set(range(at.matrix.ncols())) - set(columns))
    if rows:
        if not deadline.allows(exact.solve_seconds(at.matrix, len(rows))):
            return None
        square = exact.part(at.matrix, rows, columns)
        right = exact.part(at.matrix, rows, free) * flint.fmpz_mat(
            len(free), 1, [-whole[place[j]] for j in free]
        )
        numerators, bottom = square.solve(right).numer_denom()
        whole = [v * int(bottom) for v in whole]
        for t, j in enumerate(columns):
            whole[place[j]] = int(numerators[t, 0])
    return exact.weights_at(space, whole) if any(whole) else None


def touches(space: Space, W: Array) -> bool:
    """Say whether W puts no row on the wrong side and not every pair on the boundary, exactly."""
    sign = signs(space.table, W)
    if sign.min() < 0:
        return False
    if sign.max() > 0:
        return True
    if space.n_vectors == 1:
        return False
    return any(
        bool((signs(_against(space.table, own), W[[own]] - W[[rival]])[mine] > 0).any())
        for own in range(space.n_vectors)
        for mine in (space.table.codes == own,)
        for rival in range(space.n_vectors)
    )


def _against(table: Table, own: int) -> Table:
    """Return the table with the rows of one class as class 1 and all others as class 0."""
    return Table(table.X, (table.codes == own).astype(np.int64), ("0", "1"))


Weights = dict[int, Fraction]


def by_reduction(space: Space, found: exact.Found, deadline: Deadline) -> KindFound:
    """Leave certificate after certificate behind; their sum is the evidence of overlap.

    The certificate of a later round sums to 0 only in the space left over. Vectors of earlier
    rounds make up for the rest: their weights can be as large as need be.
    """
    everything = space.every_pair()
    at = exact.block(space, everything)
    place = {
        pair: t for t, pair in enumerate(zip(*map(np.ndarray.tolist, everything), strict=True))
    }
    assert found.pairs is not None
    listed = zip(found.pairs.row.tolist(), found.pairs.rival.tolist(), strict=True)
    weights = dict(zip([place[pair] for pair in listed], map(Fraction, found.weights), strict=True))
    while True:
        if deadline.passed():
            return UNKNOWN
        chosen = sorted(weights)
        matrix = exact.part(at.matrix, chosen, range(at.matrix.ncols()))
        if not deadline.allows(exact.solve_seconds(matrix, matrix.ncols())):
            return UNKNOWN
        basis = exact.orthogonal(matrix)
        left = at.matrix * basis if basis is not None else flint.fmpz_mat(at.matrix.nrows(), 0)
        alive = _not_zero(left)
        if not alive:
            total = sum(weights.values())
            shares = [weights[t] / total for t in chosen]
            overlap = spanning(space, everything.keep(chosen), shares, deadline)
            return overlapping(overlap) or UNKNOWN
        more = decide(_plain(left, alive), np.ones((1, left.ncols())), deadline)
        if more.W is not None:
            return KindFound("touching", touching=_back(space, at, basis, more.W))
        assert more.pairs is not None
        new = {
            alive[t]: Fraction(w)
            for t, w in zip(more.pairs.row.tolist(), more.weights, strict=True)
        }
        weights = _joined(at.matrix, weights, new)


def _joined(
    matrix: Any, weights: dict[int, Fraction], new: dict[int, Fraction]
) -> dict[int, Fraction]:
    """Add weights whose signed sum lies in the span of the first vectors, so that the sum is 0."""
    old = sorted(weights)
    rows, columns = exact.pivots(exact.part(matrix, old, range(matrix.ncols())))
    total = flint.fmpq_mat(1, matrix.ncols())
    for t, w in new.items():
        vector = exact.part(matrix, [t], range(matrix.ncols()))
        total += flint.fmpq_mat(vector) * exact.rational(w)
    square = flint.fmpq_mat(exact.part(matrix, [old[t] for t in rows], columns).transpose())
    right = flint.fmpq_mat(len(columns), 1, [-total[0, j] for j in columns])
    solved = square.solve(right)
    shift = {old[t]: exact.fraction(solved[i, 0]) for i, t in enumerate(rows)}
    times = 1 + max((-s / weights[t] for t, s in shift.items()), default=Fraction(0))
    times = max(times, Fraction(1))
    joined = {t: times * w + shift.get(t, 0) for t, w in weights.items()}
    return joined | new


def _not_zero(matrix: Any) -> list[int]:
    return [t for t in range(matrix.nrows()) if any(matrix[t, j] for j in range(matrix.ncols()))]


def _plain(matrix: Any, rows: list[int]) -> Space:
    """Vectors that all ask v·u > 0, as a table whose rows are all of class 1."""
    flat = bigs(int(matrix[t, j]) for t in rows for j in range(matrix.ncols()))
    X = flat.reshape(len(rows), matrix.ncols())
    return Space(Table(X, np.ones(len(rows), dtype=np.int64), ("0", "1")), fit_intercept=False)


def _back(space: Space, at: exact.Block, basis: Any, U: Array) -> Array:
    """Weights in the units of the data from weights u of the orthogonal space."""
    u = flint.fmpq_mat(len(U[0]), 1, [exact.rational(Fraction(v)) for v in U[0]])
    numerators, _ = (flint.fmpq_mat(basis) * u).numer_denom()
    return exact.weights_of(space, [int(v) for v in numerators.entries()], at)


MIN_KIND_SECONDS = 2.0  # time for the kind; more if finding the certificate has taken more
MAX_LP_ENTRIES = 1_000_000  # entries of all pairs' vectors that one linear program may have
MAX_REDUCTION_ENTRIES = 200_000  # the same for facial reduction
MAX_ROWS_COMPARED = 200_000  # more rows are not searched for repeats


def kind_of(space: Space, found: Found, deadline: Deadline) -> KindFound:
    """Overlap or touching, exactly; unknown if time or size do not allow to decide."""
    import scipy.optimize  # noqa: F401, PLC0415 - not on the time that is counted

    try:
        attempts = _attempts(space, found, _budget(deadline))
        return next((known for known in attempts if known is not None), UNKNOWN)
    except TimeLimitReached:
        return UNKNOWN


def _attempts(space: Space, found: Found, deadline: Deadline) -> Iterator[KindFound | None]:
    """Try to find the kind, the quickest way first; None where a way does not."""
    assert found.pairs is not None
    yield overlapping(spanning(space, found.pairs, _shares(found)))
    space, found, rows = without_repeats(space, found)
    for known in _slower_attempts(space, found, deadline):
        yield known and known.among(rows)


def _slower_attempts(space: Space, found: Found, deadline: Deadline) -> Iterator[KindFound | None]:
    assert found.pairs is not None
    if _entries(space) <= MAX_LP_ENTRIES:
        yield by_linear_program(space, deadline)
    W = one_feature(space)
    yield None if W is None else KindFound("touching", touching=W)
    yield overlapping(spanning(space, found.pairs, _shares(found), deadline))
    if _entries(space) <= MAX_REDUCTION_ENTRIES:
        yield by_reduction(space, found, deadline)


def _shares(found: Found) -> tuple[Fraction, ...]:
    total = sum(found.weights)
    return tuple(Fraction(w, total) for w in found.weights)


def without_repeats(space: Space, found: Found) -> tuple[Space, Found, Ints]:
    """The space and the certificate on distinct rows only, and which rows of the table they are.

    Rows are the same if their class and their stored numbers are. Repeats change neither the kind
    nor its evidence.
    """
    table = space.table
    if table.n > MAX_ROWS_COMPARED:
        return space, found, np.arange(table.n)
    place: dict[tuple[int, Any], int] = {}
    code = (place.setdefault(key, len(place)) for key in _row_keys(table))
    group = np.fromiter(code, np.int64, table.n)
    first = np.unique(group, return_index=True)[1]
    assert found.pairs is not None
    weights: dict[tuple[int, int], int] = {}
    for row, rival, weight in zip(
        group[found.pairs.row], found.pairs.rival, found.weights, strict=True
    ):
        pair = int(row), int(rival)
        weights[pair] = weights.get(pair, 0) + weight
    row, rival = np.array(list(weights), dtype=np.int64).T
    distinct = Space(table.take(first), space.fit_intercept, space.even)
    return distinct, Found(None, Pairs(row, rival), tuple(weights.values())), first


def _row_keys(table: Table) -> Iterator[tuple[int, Any]]:
    """A key for every row, equal for equal rows."""
    X, codes = table.X, table.codes.tolist()
    if isinstance(X, Csr):
        ends = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
        cells = ((X.indices[a:b].tobytes(), X.data[a:b].tobytes()) for a, b in ends)
        yield from zip(codes, cells, strict=True)
    elif X.dtype.kind == "O":
        yield from zip(codes, map(tuple, X.tolist()), strict=True)
    else:
        yield from zip(codes, (row.tobytes() for row in X), strict=True)


def _budget(deadline: Deadline) -> Deadline:
    """Give the kind a time limit of its own, within what is left of the caller's."""
    own = max(MIN_KIND_SECONDS, deadline.spent())
    if deadline.limit is None:
        return Deadline.of_this_thread(own, deadline.progress)
    return Deadline(min(own, deadline.seconds_left()), deadline.progress)


def _entries(space: Space) -> int:
    return space.table.n * (len(space.table.classes) - 1) * space.n_vectors * space.width


def one_feature(space: Space) -> Array | None:
    """Return weights on one feature that is ≥ 0 in one class, ≤ 0 in the others, or the reverse."""
    low, high = ranges(space.table)
    for code in range(len(space.table.classes)):
        others = np.arange(len(low)) != code
        for sign, least, most in ((1.0, low, high), (-1.0, -high, -low)):
            fits = (least[code] >= 0) & (most[others].max(axis=0) <= 0)
            fits &= (most[code] > 0) | (least[others].min(axis=0) < 0)
            if fits.any():
                W = np.zeros((space.n_vectors, space.width))
                k, up = (0, 1 if code == 1 else -1) if space.n_vectors == 1 else (code, 1)
                W[k, int(np.flatnonzero(fits)[0])] = sign * up
                return W
    return None


def ranges(table: Table) -> tuple[Array, Array]:
    """Smallest and largest value of every feature in every class."""
    shape = (len(table.classes), table.d)
    low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
    for rows in table.blocks():
        codes = table.codes[rows]
        if isinstance(table.X, Csr):
            _spread(table, rows, low, high)
            continue
        block = floats(table.X[rows[0] : rows[-1] + 1])
        for code in np.unique(codes):
            mine = block[codes == code]
            np.minimum(low[code], mine.min(axis=0), out=low[code])
            np.maximum(high[code], mine.max(axis=0), out=high[code])
    return low, high


def _spread(table: Table, rows: Array, low: Array, high: Array) -> None:
    entries = table.entries(rows)
    codes, value = table.codes[rows][entries.row], floats(entries.value)
    np.minimum.at(low, (codes, entries.column), value)
    np.maximum.at(high, (codes, entries.column), value)
    np.minimum(low, 0.0, out=low)  # a sparse column may also be 0; reading it so is only cautious
    np.maximum(high, 0.0, out=high)
