"""Overlap or touching by facial reduction, in exact arithmetic throughout.

Weights without a row on the wrong side are 0 on every pair of a certificate. What is left is the
space of weights orthogonal to it: there the remaining rows are separable, or hold another
certificate, or there are none. Slower than a linear program, but numbers of very different sizes
do it no harm.
"""

from fractions import Fraction
from typing import Any

import flint
import numpy as np

from rosenblatt.separation.proof.table import Table, bigs
from rosenblatt.separation.search import exact
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.overlap_evidence import UNKNOWN, KindFound, overlapping, spanning
from rosenblatt.separation.search.working_set import decide
from rosenblatt.types import Array

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
