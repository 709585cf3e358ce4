"""How classes that cannot be separated meet: they overlap, or only touch.

They touch if some weights put no row on the wrong side and not every row on the boundary
("quasi-complete separation" in logistic regression). One linear program decides (`stiemke_lp`),
or where floats fail facial reduction (`facial_reduction`); in larger tables one feature alone may
decide, or a certificate whose rows span the space.
"""

from collections.abc import Iterator
from fractions import Fraction
from time import monotonic
from typing import Any

import numpy as np

from rosenblatt.separation.proof.table import Csr, Table, floats
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.exact import Found
from rosenblatt.separation.search.facial_reduction import by_reduction
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.separation.search.overlap_evidence import UNKNOWN, KindFound, overlapping, spanning
from rosenblatt.separation.search.stiemke_lp import by_linear_program
from rosenblatt.separation.search.working_set import TimeLimitReached
from rosenblatt.types import Array, Ints

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
    spent = monotonic() - deadline.start
    return Deadline(min(max(MIN_KIND_SECONDS, spent), deadline.seconds_left()), deadline.progress)


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
