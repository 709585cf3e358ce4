"""Least-squares solutions of S x = b for a positive semidefinite S of any rank and scale.

S is scaled to ones on the diagonal and factored by Cholesky with pivoting, up to where only
rounding is left. The pivot columns span the range of S; the other columns are combinations of
them, which gives the null space N. With P the projection orthogonal to N,

    S⁺ b = P S⁻ P b

where S⁻ solves on the pivots alone: the least-squares solution of least norm, as by a singular
value decomposition, at the cost of a Cholesky factor.

S is made of squares, so float64 resolves in S only the square of what it resolves in the rows: a
feature that others explain up to some 1e-14 of its variance counts as dependent on them.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.linalg.lapack import dpstrf

from rosenblatt.linalg.products import one_thread
from rosenblatt.types import Floats, Ints

EPSILON = np.finfo(np.float64).eps
MAX_ROUNDING_PIVOT = 32  # times EPSILON; measured: at most 14 among 1,500 scatter matrices


class PivotedCholesky(NamedTuple):
    """A factored matrix: `scale` of its columns, its `pivots`, their Cholesky `triangle`, and N."""

    scale: Floats
    pivots: Ints
    triangle: Floats
    null: Floats

    @property
    def rank(self) -> int:
        """Rank of S."""
        return len(self.pivots)

    def solve(self, b: Floats) -> Floats:
        """Least-squares solution of least norm, for each column of b."""
        return self.directions(self.whiten(b))

    def whiten(self, b: Floats) -> Floats:
        """Columns of b in coordinates in which S is the identity."""
        scaled = self._project(b)[self.pivots] / self.scale[self.pivots, None]
        with one_thread():  # a few columns: threads would cost more than they share
            return np.asarray(solve_triangular(self.triangle, scaled, lower=True))

    def directions(self, u: Floats) -> Floats:
        """Directions w of least norm with w·b = u·whiten(b), for each column of u."""
        with one_thread():
            basic = solve_triangular(self.triangle, u, lower=True, trans="T")
        w = np.zeros((len(self.scale), u.shape[1]))
        w[self.pivots] = basic / self.scale[self.pivots, None]
        return self._project(w)

    def _project(self, b: Floats) -> Floats:
        """Columns of b projected onto the range of S; 0 where only rounding is left."""
        left = b - self.null @ (self.null.T @ b)
        scale = np.abs(b).max(axis=0)  # so that no square overflows
        scale[scale == 0.0] = 1.0
        rounding = len(b) * EPSILON * np.linalg.norm(b / scale, axis=0)
        return np.where(np.linalg.norm(left / scale, axis=0) > rounding, left, 0.0)


def pivoted_cholesky(S: Floats) -> PivotedCholesky:
    """PivotedCholesky a positive semidefinite matrix by Cholesky with pivoting."""
    d = len(S)
    scale = np.sqrt(np.maximum(np.diag(S), 0.0))
    nonzero = np.flatnonzero(scale > 0)
    # pivots are equal at first: the feature of the larger scale comes first
    nonzero = nonzero[np.argsort(-scale[nonzero], kind="stable")]
    if not len(nonzero):
        return PivotedCholesky(scale, nonzero, np.zeros((0, 0)), np.eye(d))
    C = S[np.ix_(nonzero, nonzero)] / np.outer(scale[nonzero], scale[nonzero])
    L, order, rank, _ = dpstrf(C, tol=(MAX_ROUNDING_PIVOT + d) * EPSILON, lower=1)
    order = order - 1  # Fortran counts from one
    triangle = np.tril(L[:rank, :rank])
    return PivotedCholesky(
        scale=scale,
        pivots=nonzero[order[:rank]],
        triangle=triangle,
        null=_null_space(L, order, rank, nonzero, scale),
    )


def _null_space(L: Floats, order: Ints, rank: int, nonzero: Ints, scale: Floats) -> Floats:
    """Orthonormal basis of the null space, in the original scales."""
    d, dependent = len(scale), order[rank:]
    zero = np.flatnonzero(scale == 0)
    N = np.zeros((d, len(zero) + len(dependent)))
    N[zero, np.arange(len(zero))] = 1.0
    if len(dependent):
        pivots = order[:rank]
        combinations = solve_triangular(L[:rank, :rank], L[rank:, :rank].T, lower=True, trans="T")
        directions = np.zeros((len(order), len(dependent)))
        directions[pivots] = -combinations
        directions[dependent, np.arange(len(dependent))] = 1.0
        scaled = directions / scale[nonzero, None]
        N[nonzero, len(zero) :] = qr(scaled / np.linalg.norm(scaled, axis=0), mode="economic")[0]
    return N
