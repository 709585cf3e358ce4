"""The point of a convex hull nearest to the origin, by Wolfe's method.

For signed vectors a_i, the least length of Σ λ_i a_i over λ ≥ 0, Σ λ_i = 1 is the largest margin γ*
(and 0 if nothing separates). At any λ, with p = Σ λ_i a_i: min_i a_i·p / |p| ≤ γ* ≤ |p|, so the
method carries an interval all the way, and it ends in a separator (a_i·p > 0 for all i) or in few
affinely independent vectors with 0 in their hull: what an exact solve needs.

The *corral* is a set of affinely independent vectors whose nearest affine point has positive
weights. A vector with a·p < p·p joins; the weights move towards the new affine minimum; vectors
whose weight would turn negative leave. R is the triangular factor of the corral's Gram matrix plus
one in every entry, R'R = G + ee', and u the solution of R'u = e; both are updated as vectors come
and go, so that p·p = 1 / u·u − 1 costs nothing, and the weights one triangular solve.

Products square the condition of the vectors. Near the origin, where that takes all digits, the
corral turns to orthogonal vectors: with the vectors (1, a_i) as the columns of B = QR, R is the
same factor, u the first row of Q, and p the other rows of Q u over u·u. That costs more, but it
holds to the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.types import Floats, Ints

BATCH_SIZE = 32  # vectors taken at once: one pass over the working set serves several joins
DEPENDENCE_TOLERANCE = 1e-12
EMPTY = np.zeros(0)
MIN_GRAM_HEIGHT = 1e-13  # p·p below which products alone, which square the errors, are not enough
MAX_ORTHOGONAL_ENTRIES = 1 << 26  # numbers in the orthogonal vectors, which are dense


class NewVector(NamedTuple):
    """A vector that may join, or its products with those of the corral; and with itself."""

    own: float
    gram: Floats = EMPTY
    vector: Floats = EMPTY


@dataclass(eq=False)
class Corral:
    """Positions in the working set, their weights, and the triangular factor with its u.

    Near the origin, Q has an orthogonal vector a row.
    """

    at: list[int] = field(default_factory=list)
    weight: Floats = field(default_factory=lambda: np.zeros(0))
    R: Floats = field(default_factory=lambda: np.zeros((32, 32)))
    u: Floats = field(default_factory=lambda: np.zeros(32))
    Q: Floats | None = None

    def join(self, position: int, new: NewVector) -> bool:
        """Add a vector with weight 0; False if it adds no new direction."""
        k = len(self.at)
        self._grow(k)
        if self.Q is None:
            column = _forward(self.R, new.gram + 1)
            rest, least = new.own + 1 - column @ column, DEPENDENCE_TOLERANCE
        else:
            column, left = _apart(self.Q[:k], np.append(1.0, new.vector))
            rest, least = left @ left, DEPENDENCE_TOLERANCE**2
        if rest <= least * (new.own + 1):
            return False
        self.R[:k, k] = column
        self.R[k, k] = np.sqrt(rest)
        if self.Q is None:
            self.u[k] = (1 - column @ self.u[:k]) / self.R[k, k]
        else:
            self.Q[k] = left / self.R[k, k]
            self.u[k] = self.Q[k, 0]
        self.at.append(position)
        self.weight = np.append(self.weight, 0.0 if k else 1.0)
        return True

    def settle(self) -> None:
        """Move to the nearest affine point, dropping vectors until all weights are positive."""
        while True:
            v = _backward(self.R, self.u[: len(self.at)])
            goal = v / v.sum()
            if not goal.min() <= 0:
                self.weight = goal
                return
            falling = np.flatnonzero(goal <= 0)
            w, g = self.weight[falling], goal[falling]
            step = np.divide(w, w - g, out=np.zeros(len(w)), where=w > g)
            first = int(falling[step.argmin()])
            self.weight = self.weight + step.min() * (goal - self.weight)
            self._leave(first)

    def shortened_by(self, new: NewVector) -> bool:
        """Say whether a vector would shorten p, for a settled corral."""
        u = self.u[: len(self.at)]
        if self.Q is None:
            return bool(new.gram @ self.weight < 1 / (u @ u) - 1)
        p = (u @ self.Q[: len(self.at), 1:]) / (u @ u)
        return bool(new.vector @ p < p @ p)

    def turn_orthogonal(self, M: Any) -> None:
        """Go on with orthogonal vectors, made from the vectors themselves."""
        k, wide = len(self.at), M.shape[1] + 1
        B = np.hstack([np.ones((k, 1)), _dense(M[self.at])])
        Q, R = np.linalg.qr(B.T)
        self.Q = np.zeros((len(self.R), wide))
        self.Q[:k], self.R[:k, :k], self.u[:k] = Q.T, R, Q[0]

    def _grow(self, k: int) -> None:
        if k < len(self.R):
            return
        grown = np.zeros((2 * k, 2 * k))
        grown[:k, :k] = self.R
        self.R, self.u = grown, np.append(self.u, np.zeros(k))
        if self.Q is not None:
            self.Q = np.vstack([self.Q, np.zeros_like(self.Q)])

    def _leave(self, place: int) -> None:
        k = len(self.at)
        aux = self.u[:, None] if self.Q is None else self.Q
        _delete(self.R, aux, place, k)
        if self.Q is not None:
            self.u[:k] = self.Q[:k, 0]
        del self.at[place]
        kept = np.maximum(np.delete(self.weight, place), 0.0)
        self.weight = kept / kept.sum() if kept.sum() > 0 else np.full(k - 1, 1 / (k - 1))


def _apart(Q: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Products of b with orthogonal rows, and what is left of it; twice is enough."""
    column = Q @ b
    left = b - column @ Q
    more = Q @ left
    return column + more, left - more @ Q


# whole factors are handed over, not their used corner: numba turns loops over rows that lie in one
# piece into vector code, and a sum too if it may reorder it


@njit(cache=True, fastmath={"reassoc", "contract"})
def _forward(R: Floats, b: Floats) -> Floats:
    """Solve R'x = b with the corner of R that b asks for."""
    x = b.copy()
    for i in range(len(x)):
        x[i] /= R[i, i]
        for j in range(i + 1, len(x)):
            x[j] -= R[i, j] * x[i]
    return x


@njit(cache=True, fastmath={"reassoc", "contract"})
def _backward(R: Floats, b: Floats) -> Floats:
    """Solve R x = b with the corner of R that b asks for."""
    x = b.copy()
    for i in range(len(x) - 1, -1, -1):
        s = 0.0
        for j in range(i + 1, len(x)):
            s += R[i, j] * x[j]
        x[i] = (x[i] - s) / R[i, i]
    return x


@njit(cache=True)
def _delete(R: Floats, aux: Floats, place: int, k: int) -> None:
    """Delete one column of the factor and make it triangular again by rotations.

    What stands aux it, a row for each row of the factor, is rotated with it.
    """
    for i in range(k):
        for j in range(max(place, i - 1), k - 1):
            R[i, j] = R[i, j + 1]
    for i in range(place, k - 1):
        a, b = R[i, i], R[i + 1, i]
        r = np.hypot(a, b)
        if r == 0.0:
            continue
        c, s = a / r, b / r
        for j in range(i, k - 1):
            up, low = R[i, j], R[i + 1, j]
            R[i, j] = c * up + s * low
            R[i + 1, j] = c * low - s * up
        for j in range(aux.shape[1]):
            up, low = aux[i, j], aux[i + 1, j]
            aux[i, j] = c * up + s * low
            aux[i + 1, j] = c * low - s * up
    for i in range(k):
        R[i, k - 1] = 0.0


def point(M: Any, corral: Corral) -> Floats:
    """Compute p from the vectors themselves: more exact than from their products."""
    p: Floats = M[corral.at].T @ corral.weight
    return p


def improve(M: Any, corral: Corral, products: Floats, bar: float) -> int:
    """Let vectors with the smallest products a·p join; return how many did."""
    if (
        corral.Q is None
        and corral.at
        and bar < MIN_GRAM_HEIGHT
        and len(corral.R) * M.shape[1] <= MAX_ORTHOGONAL_ENTRIES
    ):
        corral.turn_orthogonal(M)
    order: Ints = np.argsort(products)[:BATCH_SIZE]
    order = order[products[order] < bar]
    new_vector = _by_products(M, corral, order) if corral.Q is None else _by_vectors(M[order])
    joined = 0
    for t, position in enumerate(order.tolist()):
        if position in corral.at:
            continue
        vector = new_vector(t)
        if joined and not corral.shortened_by(vector):
            continue
        if corral.join(position, vector):
            corral.settle()
            joined += 1
    return joined


def _by_products(M: Any, corral: Corral, order: Ints) -> Callable[[int], NewVector]:
    """New vectors by their products with all that are or may come to be in the corral."""
    some, start = M[order], list(corral.at)
    place = {int(p): len(start) + t for t, p in enumerate(order)}
    place |= {position: t for t, position in enumerate(start)}
    products = _dense(some @ M[start].T) if start else np.zeros((len(order), 0))
    products = np.hstack([products, _dense(some @ some.T)])

    def new_vector(t: int) -> NewVector:
        own = float(products[t, len(start) + t])
        return NewVector(own, gram=products[t, [place[q] for q in corral.at]])

    return new_vector


def _by_vectors(new: Any) -> Callable[[int], NewVector]:
    vectors = _dense(new)
    return lambda t: NewVector(float(vectors[t] @ vectors[t]), vector=vectors[t])


def _dense(products: Any) -> Floats:
    return products if isinstance(products, np.ndarray) else products.toarray()
