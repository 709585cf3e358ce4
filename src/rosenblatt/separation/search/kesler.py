"""Kesler's construct: rows and rivals as the constraints ``a·w > 0`` of one weight vector.

Row i with the vector z = (x, 1) and class c, held against class r, is the vector a with z in block
c and −z in block r. Two classes need one block only: a = z for class 1 and −z for class 0. For the
float solvers columns are scaled by powers of two and rows to length one; neither changes
the answer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rosenblatt.separation.proof import margins
from rosenblatt.separation.proof.table import Csr, Table, floats
from rosenblatt.types import Array, Floats, Ints

MAX_DENSE_WIDTH = 2048  # longer vectors are kept compressed


class Pairs(NamedTuple):
    """Row numbers and the classes they are held against."""

    row: Ints
    rival: Ints

    def keep(self, which: Any) -> "Pairs":
        """Return the chosen pairs."""
        return Pairs(self.row[which], self.rival[which])

    def among(self, rows: Ints) -> "Pairs":
        """Return pairs of a part of a table as pairs of the table, whose rows the part has."""
        return Pairs(rows[self.row], self.rival)

    def listed(self) -> list[tuple[int, int]]:
        """Return the pairs one by one."""
        return list(zip(self.row.tolist(), self.rival.tolist(), strict=True))

    def join(self, other: "Pairs") -> "Pairs":
        """Return these pairs, then the others that are new."""
        known = set(self.listed())
        fresh = [pair not in known for pair in other.listed()]
        new = other.keep(np.array(fresh, dtype=bool))
        return Pairs(np.concatenate([self.row, new.row]), np.concatenate([self.rival, new.rival]))


@dataclass(frozen=True, eq=False)
class Space:
    """The constraints of a table, with or without an intercept; columns scaled by powers of two."""

    table: Table
    fit_intercept: bool
    even: bool = False  # one scale for all columns, rows left as they are: keeps the geometry

    @property
    def n_vectors(self) -> int:
        """Number of weight vectors."""
        return 1 if len(self.table.classes) == 2 else len(self.table.classes)

    @property
    def width(self) -> int:
        """Number of weights in one vector."""
        return self.table.d + self.fit_intercept

    @cached_property
    def exponents(self) -> Ints:
        """Column j is multiplied by 2^−exponents[j], the intercept's constant 1 included.

        That brings a column's root mean square near 1: scaled by its largest value, a feature that
        is rarely not 0 would weigh almost nothing until the end, and the end would come late.
        """
        top = self.table.column_tops()
        top = np.where((top > 0) & (top < np.inf), top, 1.0)
        if self.even:
            size = np.full(self.width, max(top.max(), float(self.fit_intercept)))
        else:
            mean = self.table.column_squares(1 / top) / self.table.n
            size = np.append(top * np.sqrt(np.where(mean > 0, mean, 1.0)), 1.0)[: self.width]
        power: Ints = np.frexp(size)[1].astype(np.int64)
        return np.clip(power, -1000, 1000)

    @cached_property
    def scale(self) -> Floats:
        """2^−exponents as floats."""
        return np.ldexp(1.0, -self.exponents)

    @cached_property
    def lengths(self) -> Floats:
        """Length of every scaled row z; 1 for rows of zeros."""
        d, one = self.table.d, float(self.scale[-1]) if self.fit_intercept else 0.0
        length = np.empty(self.table.n)
        for rows in self.table.blocks():
            length[rows] = np.hypot(self.table.lengths(rows, self.scale[:d]), one)
        length[~((length > 0) & (length < np.inf))] = 1.0
        return length

    def separated_by(self, W: Array) -> bool:
        """Say whether W puts every row strictly on its side, exactly; never if W overflowed."""
        held = W.dtype.kind == "O" or bool(np.isfinite(W).all())
        return held and margins.separates(self.table, W)

    def every_pair(self) -> Pairs:
        """Every row with every rival."""
        n, K = self.table.n, len(self.table.classes)
        rows, rivals = np.repeat(np.arange(n), K - 1), np.tile(np.arange(K - 1), n)
        return Pairs(rows, rivals + (rivals >= self.table.codes[rows]))

    def vectors(self, pairs: Pairs) -> Any:
        """Signed, scaled vectors of the pairs as a float matrix, dense or CSR."""
        Z = self._rows(pairs.row)
        own = self.table.codes[pairs.row]
        size = np.ones(len(own)) if self.even else 1 / self.lengths[pairs.row]
        if self.n_vectors == 1:
            size = np.where(own == 1, size, -size)
            return Z * size[:, None] if isinstance(Z, np.ndarray) else sparse.diags_array(size) @ Z
        Z = sparse.csr_array(Z)
        Z = sparse.diags_array(size / np.sqrt(2)) @ Z
        k, wide = len(own), self.n_vectors * self.width
        up = _moved(Z, own * self.width, (k, wide))
        down = _moved(Z, pairs.rival * self.width, (k, wide))
        M = sparse.csr_array(up - down)
        return M.toarray() if wide <= MAX_DENSE_WIDTH else M

    def _rows(self, rows: Ints) -> Any:
        X, d = self.table.X, self.table.d
        if not isinstance(X, Csr):
            block = floats(X[rows]) * self.scale[:d]
            one = np.full((len(rows), int(self.fit_intercept)), self.scale[-1])
            return np.hstack([block, one])
        row, column, value = self.table.entries(rows)
        data = floats(value) * self.scale[column]
        if self.fit_intercept:
            row = np.append(row, np.arange(len(rows)))
            column = np.append(column, np.full(len(rows), d))
            data = np.append(data, np.full(len(rows), self.scale[d]))
        Z = sparse.csr_array((data, (row, column)), shape=(len(rows), self.width))
        return Z.toarray() if self.width <= MAX_DENSE_WIDTH else Z

    def weights(self, p: Floats) -> Floats:
        """Weights W in the units of the data from a vector p of the scaled space."""
        W: Floats = p.reshape(self.n_vectors, self.width) * self.scale
        top = np.abs(W).max()
        return W / top if 0 < top < np.inf else W

    def worst(self, W: Array) -> tuple[Floats, Ints]:
        """Slack of every row against its strongest rival, over the row's length; and that rival."""
        parts = [(slack, rival) for _, slack, rival in self.worst_blocks(W)]
        slack, rival = (np.concatenate(side) for side in zip(*parts, strict=True))
        return slack, rival

    def worst_blocks(self, W: Array) -> Iterator[tuple[Ints, Floats, Ints]]:
        """Yield some rows at a time with their slack and rival."""
        V, d = W.T, self.table.d
        for rows in self.table.blocks():
            score = self.table.products(rows, V[:d]) + (V[d] if self.fit_intercept else 0.0)
            codes, here = self.table.codes[rows], np.arange(len(rows))
            if self.n_vectors == 1:
                slack, rival = np.where(codes == 1, 1, -1) * score[:, 0], 1 - codes
            else:
                own = score[here, codes].copy()
                score[here, codes] = -np.inf
                rival = score.argmax(axis=1)
                slack = own - score[here, rival]
            yield rows, slack if self.even else slack / self.lengths[rows], rival


def _moved(Z: Any, shift: Ints, shape: tuple[int, int]) -> Any:
    """Shift the columns of every row by its own amount."""
    indices = Z.indices + np.repeat(shift, np.diff(Z.indptr))
    return sparse.csr_array((Z.data, indices, Z.indptr), shape=shape)
