"""How classes that cannot be separated meet: they overlap, or only touch.

They touch if some weights put no row on the wrong side and not every row on the boundary
("quasi-complete separation" in logistic regression). Such weights are 0 on every pair of a
certificate, so what is left is the space of weights orthogonal to the certificate: there the
remaining rows are separable, or hold another certificate, or there are none.
"""

from fractions import Fraction
from typing import Any

import flint
import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.evidence.proof.table import Csr, Table, bigs, floats
from rosenblatt.evidence.proof.verdict import Kind
from rosenblatt.evidence.search import exact
from rosenblatt.evidence.search.pairs import Pairs, Space
from rosenblatt.evidence.search.workingset import Late, Watch, decide

SMALL = 200_000  # entries of all pairs' vectors that are still worked out one by one


def kind_of(space: Space, pairs: Pairs, watch: Watch) -> tuple[Kind, Array | None]:
    """Overlap, or touching with the weights that show it."""
    W = one_feature(space)
    if W is not None:
        return "touching", W
    vectors = exact.block(space, pairs).matrix
    blocks = max(1, space.units - 1)
    if flint.nmod_mat(vectors, exact.PRIME).rank() == blocks * space.width:  # at most the rank
        return "overlap", None
    if space.table.n * (len(space.table.classes) - 1) * space.units * space.width > SMALL:
        return "unknown", None
    try:
        return _by_steps(space, pairs, watch)
    except Late:
        return "unknown", None


def one_feature(space: Space) -> Array | None:
    """Return weights on one feature that is ≥ 0 in one class, ≤ 0 in the others, or the reverse."""
    low, high = ranges(space.table)
    for code in range(len(space.table.classes)):
        others = np.arange(len(low)) != code
        for sign, least, most in ((1.0, low, high), (-1.0, -high, -low)):
            fits = (least[code] >= 0) & (most[others].max(axis=0) <= 0)
            fits &= (most[code] > 0) | (least[others].min(axis=0) < 0)
            if fits.any():
                W = np.zeros((space.units, space.width))
                unit, up = (0, 1 if code == 1 else -1) if space.units == 1 else (code, 1)
                W[unit, int(np.flatnonzero(fits)[0])] = sign * up
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


def _by_steps(space: Space, pairs: Pairs, watch: Watch) -> tuple[Kind, Array | None]:
    everything = space.every_pair()
    at = exact.block(space, everything)
    known = set(zip(pairs.row.tolist(), pairs.rival.tolist(), strict=True))
    chosen = [t for t, pair in enumerate(zip(*everything, strict=True)) if pair in known]
    left, basis = at.matrix, None
    while True:
        free = _orthogonal(_rows_of(left, chosen))
        if free is None:
            return "overlap", None
        basis = free if basis is None else basis * free
        left = left * free
        alive = [t for t in range(left.nrows()) if any(left[t, j] for j in range(left.ncols()))]
        if not alive:
            return "overlap", None
        found = decide(_plain(left, alive), np.ones((1, left.ncols())), watch)
        if found.W is not None:
            return "touching", _back(space, at, basis, found.W)
        assert found.pairs is not None
        chosen = [alive[int(t)] for t in found.pairs.row]


def _rows_of(matrix: Any, rows: list[int]) -> Any:
    return flint.fmpz_mat([[matrix[t, j] for j in range(matrix.ncols())] for t in rows])


def _orthogonal(matrix: Any) -> Any:
    """Basis of all w with matrix · w = 0, as columns; None if only w = 0."""
    null, size = matrix.nullspace()
    if size == 0:
        return None
    return flint.fmpz_mat([[null[i, j] for j in range(size)] for i in range(null.nrows())])


def _plain(matrix: Any, rows: list[int]) -> Space:
    """Vectors that all ask v·u > 0, as a table whose rows are all of class 1."""
    flat = bigs(int(matrix[t, j]) for t in rows for j in range(matrix.ncols()))
    X = flat.reshape(len(rows), matrix.ncols())
    return Space(Table(X, np.ones(len(rows), dtype=np.int64), ("0", "1")), bias=False)


def _back(space: Space, at: exact.Block, basis: Any, U: Array) -> Array:
    """Weights in the units of the data from weights u of the orthogonal space."""
    u = flint.fmpq_mat(len(U[0]), 1, [exact.rational(Fraction(v)) for v in U[0]])
    numerators, _ = (flint.fmpq_mat(basis) * u).numer_denom()
    return exact.weights_of(space, [int(v) for v in numerators.entries()], at)
