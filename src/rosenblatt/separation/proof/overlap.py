"""Evidence that classes overlap: that no weights put no row on the wrong side, and not all at 0.

Pairs with positive weights whose signed sum is exactly 0 allow weights w that put no row on the
wrong side only the product 0 with each of these pairs. If the pairs span all that the data's pairs
span, such w have the product 0 with every pair (Stiemke). The data's pairs lie in the vectors of
K blocks that sum to 0, each block orthogonal to the `null` vectors, which are orthogonal to every
row z: with null vectors of rank m that space has at most (K − 1)(width − m) dimensions. So as many
independent pairs span it. A rank modulo a prime is at most the rank: what it shows is so.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from rosenblatt.errors import ProofError
from rosenblatt.separation.proof.margins import over, signs
from rosenblatt.separation.proof.table import Table, bigs, integers
from rosenblatt.types import Array, Floats, Ints

PRIMES = (1048573, 1048571)  # products of residues are below 2^40: sums of 8,192 are exact floats
MAX_RANK_WORK = 1 << 31  # pairs and null vectors, times the square of the pairs' dimension
RANK_BLOCK_ROWS = 32


class Overlap(NamedTuple):
    """Pairs besides those of the certificate, with positive weights and the signed sum 0.

    ``null`` has vectors as rows that are orthogonal to every row z of the data.
    """

    rows: tuple[int, ...]
    rivals: tuple[int, ...]
    weights: tuple[Fraction, ...]
    null: Array


def overlap_of(
    table: Table,
    pairs: tuple[Sequence[int], Sequence[int]],
    *,
    fit_intercept: bool,
    more: tuple[Sequence[int], Sequence[int], Sequence[Fraction]] = ((), (), ()),
    null: Array | None = None,
) -> Overlap | None:
    """Evidence made of a certificate's pairs, further pairs and null vectors; None if too little.

    ``pairs`` are rows and rivals of the certificate, ``more`` further rows, rivals and weights
    whose signed sum is 0. That sum and the null vectors are not looked at here; the checker does.
    """
    null = np.zeros((0, table.d + fit_intercept)) if null is None else null
    overlap = Overlap(tuple(more[0]), tuple(more[1]), tuple(more[2]), null)
    return overlap if spans(table, pairs, overlap, fit_intercept=fit_intercept) else None


def spans(
    table: Table,
    pairs: tuple[Sequence[int], Sequence[int]],
    overlap: Overlap,
    *,
    fit_intercept: bool,
) -> bool:
    """Say whether the pairs have the dimension that the null vectors leave, as far as is seen."""
    width, blocks = table.d + fit_intercept, len(table.classes) - 1
    rows, rivals = [*pairs[0], *overlap.rows], [*pairs[1], *overlap.rivals]
    if len(rows) < blocks * (width - len(overlap.null)):
        return False
    if (len(rows) + len(overlap.null)) * (blocks * width) ** 2 > MAX_RANK_WORK:
        return False
    vectors = _vectors(table, np.array(rows), np.array(rivals), fit_intercept=fit_intercept)
    null = _whole(overlap.null)
    return any(_rank(vectors, p) >= blocks * (width - _rank(null, p)) for p in PRIMES)


def check_null(table: Table, null: Array, *, fit_intercept: bool) -> None:
    """Raise ProofError unless every null vector is orthogonal to every row."""
    if null.shape[1] != table.d + fit_intercept:
        raise ProofError(f"The null vectors have the shape {null.shape}, which does not fit.")
    used = null != 0
    single = used.sum(axis=1) == 1
    column = used.argmax(axis=1)
    empty = np.append(table.column_tops() == 0, False)  # the constant 1 of an intercept is not
    for t in range(len(null)):
        if single[t] and empty[column[t]]:
            continue
        if bool(signs(Table(table.X, np.ones_like(table.codes), ("", "")), null[[t]]).any()):
            raise ProofError(f"Null vector {t} is not orthogonal to every row of the data.")


def _vectors(table: Table, rows: Ints, rivals: Ints, *, fit_intercept: bool) -> Array:
    """The pairs' vectors in integers, columns scaled, without the block of the last class."""
    listed, place = np.unique(rows, return_inverse=True)
    entries = table.entries(listed)
    Z = np.zeros((len(listed), table.d + fit_intercept), dtype=object)
    Z[entries.row, entries.column] = integers(entries, table.d)[0]
    if fit_intercept:
        Z[:, -1] = 1
    blocks = len(table.classes) - 1
    own, out = (
        table.codes[rows],
        np.zeros((len(rows), blocks, table.d + fit_intercept), dtype=object),
    )
    for block in range(blocks):
        sign = (own == block).astype(np.int64) - (rivals == block)
        out[:, block] = Z[place] * sign.astype(object)[:, None]
    return out.reshape(len(rows), -1)


def _whole(null: Array) -> Array:
    """Null vectors as integers, each multiplied by what makes it so."""
    out = np.zeros(null.shape, dtype=object)
    for t, row in enumerate(null.tolist()):
        exact = [Fraction(value) for value in row]
        out[t] = over(exact, int(np.lcm.reduce([v.denominator for v in exact], dtype=object)))
    return out


def _rank(matrix: Array, prime: int) -> int:
    """Rank modulo a prime: rows in blocks, reduced by a basis that is 1 at its own pivots.

    Rows are divided by their common divisors first, lest they be multiples of the prime.
    """
    divisors = bigs(gcd(*row) or 1 for row in matrix.tolist())
    residues = (matrix // divisors[:, None] % prime).astype(np.float64)
    basis, pivots = np.zeros((0, matrix.shape[1])), np.zeros(0, dtype=np.int64)
    for start in range(0, len(residues), RANK_BLOCK_ROWS):
        block = residues[start : start + RANK_BLOCK_ROWS]
        block = _residues(block - block[:, pivots] @ basis, prime)
        fresh, places = _echelon(block, prime)
        basis = _residues(basis - basis[:, places] @ fresh, prime)
        basis, pivots = np.vstack([basis, fresh]), np.append(pivots, places)
    return len(pivots)


def _residues(values: Floats, prime: int) -> Floats:
    """Numbers that differ by multiples of the prime, from −1 to prime − 1; 0 for multiples only."""
    out: Floats = values - prime * np.floor(values / prime)
    return out


def _echelon(block: Floats, prime: int) -> tuple[Floats, Ints]:
    """Reduced rows of a small block, and the columns in which each of them alone is 1."""
    kept: list[int] = []
    pivots: list[int] = []
    for t in range(len(block)):
        places = np.flatnonzero(block[t])
        if len(places) == 0:
            continue
        inverse = pow(int(block[t, places[0]]), -1, prime)
        block[t] = _residues(block[t] * inverse, prime)
        factor = block[:, places[0]].copy()
        factor[t] = 0
        block = _residues(block - np.outer(factor, block[t]), prime)
        kept.append(t)
        pivots.append(int(places[0]))
    return block[kept], np.array(pivots, dtype=np.int64)
