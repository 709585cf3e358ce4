"""Solve S x = b for a symmetric S without negative directions, whatever its rank and scales.

S is scaled to ones on the diagonal and factored by Cholesky with pivoting, which stops where only
rounding is left: the pivots so far span the range of S, the other columns follow from them and
give the directions N in which S is zero. With P the projection off those directions,

    S⁺ b = P S⁻ P b

where S⁻ solves on the pivots alone. That is the least-squares solution of least norm, as by a
singular value decomposition, at the price of a Cholesky factor.

S is made of squares, so what floats can tell apart there is the square of what they could in the
rows: a feature that others explain but for some 1e-14 of its variance counts as dependent on them.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.linalg.lapack import dpstrf

from rosenblatt.types import Floats, Ints

EPSILON = np.finfo(np.float64).eps
ROUNDING_PIVOTS = 32  # pivots left by rounding alone were at most 14 EPSILON among 1,500 scatters


class Factor(NamedTuple):
    """A factored matrix: `scale` of its columns, `pivots` that span it, their triangle, and N."""

    scale: Floats
    pivots: Ints
    triangle: Floats
    null: Floats

    @property
    def rank(self) -> int:
        """How many directions S is not zero in."""
        return len(self.pivots)

    def solve(self, b: Floats) -> Floats:
        """Solution of least norm, for each column of b."""
        return self.directions(self.whiten(b))

    def whiten(self, b: Floats) -> Floats:
        """Columns of b in coordinates in which S is the unit matrix."""
        inside = self._project(b)[self.pivots] / self.scale[self.pivots, None]
        return np.asarray(solve_triangular(self.triangle, inside, lower=True))

    def directions(self, u: Floats) -> Floats:
        """Directions w of least norm with w·b = u·whiten(b), for each column of u."""
        basic = solve_triangular(self.triangle, u, lower=True, trans="T")
        w = np.zeros((len(self.scale), u.shape[1]))
        w[self.pivots] = basic / self.scale[self.pivots, None]
        return self._project(w)

    def _project(self, b: Floats) -> Floats:
        left = b - self.null @ (self.null.T @ b)
        scale = np.abs(b).max(axis=0)  # so that no square leaves float64
        scale[scale == 0.0] = 1.0
        rounding = len(b) * EPSILON * np.linalg.norm(b / scale, axis=0)
        return np.where(np.linalg.norm(left / scale, axis=0) > rounding, left, 0.0)


def factored(S: Floats) -> Factor:
    """Factor a symmetric matrix without negative directions."""
    d = len(S)
    scale = np.sqrt(np.maximum(np.diag(S), 0.0))
    nonzero = np.flatnonzero(scale > 0)
    nonzero = nonzero[
        np.argsort(-scale[nonzero], kind="stable")
    ]  # of equal pivots, the larger feature
    if not len(nonzero):
        return Factor(scale, nonzero, np.zeros((0, 0)), np.eye(d))
    C = S[np.ix_(nonzero, nonzero)] / np.outer(scale[nonzero], scale[nonzero])
    L, order, rank, _ = dpstrf(C, tol=(ROUNDING_PIVOTS + d) * EPSILON, lower=1)
    order = order - 1  # Fortran counts from one
    triangle = np.tril(L[:rank, :rank])
    return Factor(
        scale=scale,
        pivots=nonzero[order[:rank]],
        triangle=triangle,
        null=_null(L, order, rank, nonzero, scale),
    )


def _null(L: Floats, order: Ints, rank: int, nonzero: Ints, scale: Floats) -> Floats:
    """Orthonormal directions, in the original scales, in which the matrix is zero."""
    d, dependent = len(scale), order[rank:]
    zero = np.flatnonzero(scale == 0)
    N = np.zeros((d, len(zero) + len(dependent)))
    N[zero, np.arange(len(zero))] = 1.0
    if len(dependent):
        pivots = order[:rank]
        follow = solve_triangular(L[:rank, :rank], L[rank:, :rank].T, lower=True, trans="T")
        directions = np.zeros((len(order), len(dependent)))
        directions[pivots] = -follow
        directions[dependent, np.arange(len(dependent))] = 1.0
        scaled = directions / scale[nonzero, None]
        N[nonzero, len(zero) :] = qr(scaled / np.linalg.norm(scaled, axis=0), mode="economic")[0]
    return N
