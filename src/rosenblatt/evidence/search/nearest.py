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
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit

from rosenblatt.arrays import Floats, Ints

BATCH = 32  # vectors priced at once: one pass over the working set serves several joins
DEPENDENT = 1e-12
REFINE = 1e-10  # p·p below which products alone, which square the errors, are not enough


@dataclass(eq=False)
class Corral:
    """Positions in the working set, their weights, and the triangular factor with its u."""

    at: list[int] = field(default_factory=list)
    weight: Floats = field(default_factory=lambda: np.zeros(0))
    R: Floats = field(default_factory=lambda: np.zeros((32, 32)))
    u: Floats = field(default_factory=lambda: np.zeros(32))

    def join(self, position: int, gram: Floats, own: float) -> bool:
        """Add a vector with weight 0, given its products; False if it adds no new direction."""
        k = len(self.at)
        if k == len(self.R):
            grown = np.zeros((2 * k, 2 * k))
            grown[:k, :k] = self.R
            self.R, self.u = grown, np.append(self.u, np.zeros(k))
        column = _forward(self.R, gram + 1)
        rest = own + 1 - column @ column
        if rest <= DEPENDENT * (own + 1):
            return False
        self.R[:k, k] = column
        self.R[k, k] = np.sqrt(rest)
        self.u[k] = (1 - column @ self.u[:k]) / self.R[k, k]
        self.at.append(position)
        self.weight = np.append(self.weight, 0.0 if k else 1.0)
        return True

    def settle(self, M: Any = None) -> None:
        """Move to the nearest affine point, dropping vectors until all weights are positive.

        Near the origin, weights from products alone are rough; with the vectors M they are refined.
        """
        while True:
            goal = self._affine(M)
            if not goal.min() <= 0:
                self.weight = goal
                return
            falling = np.flatnonzero(goal <= 0)
            w, g = self.weight[falling], goal[falling]
            step = np.divide(w, w - g, out=np.zeros(len(w)), where=w > g)
            first = int(falling[step.argmin()])
            self.weight = self.weight + step.min() * (goal - self.weight)
            self._leave(first)

    def _affine(self, M: Any) -> Floats:
        """Weights v / Σv with (ee' + G) v = e."""
        v: Floats = _backward(self.R, self.u[: len(self.at)])
        if M is not None:
            A = M[self.at]
            for _ in range(2):
                wrong = 1 - v.sum() - A @ (A.T @ v)
                v = v + _backward(self.R, _forward(self.R, wrong))
        weight: Floats = v / v.sum()
        return weight

    def height(self) -> float:
        """p·p of a settled corral: 1 / Σv − 1 where (ee' + G) v = e."""
        u = self.u[: len(self.at)]
        return float(1 / (u @ u) - 1)

    def _leave(self, place: int) -> None:
        k = len(self.at)
        _delete(self.R, self.u, place, k)
        del self.at[place]
        kept = np.maximum(np.delete(self.weight, place), 0.0)
        self.weight = kept / kept.sum() if kept.sum() > 0 else np.full(k - 1, 1 / (k - 1))


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
def _delete(R: Floats, u: Floats, place: int, k: int) -> None:
    """Delete one column of the factor and make it triangular again by rotations, u with it."""
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
        up, low = u[i], u[i + 1]
        u[i] = c * up + s * low
        u[i + 1] = c * low - s * up
    for i in range(k):
        R[i, k - 1] = 0.0


def point(M: Any, corral: Corral) -> Floats:
    """Compute p from the vectors themselves: more exact than from their products."""
    p: Floats = M[corral.at].T @ corral.weight
    return p


def improve(M: Any, corral: Corral, price: Floats, bar: float) -> int:
    """Let the cheapest vectors of the working set join; return how many did."""
    order: Ints = np.argsort(price)[:BATCH]
    order = order[price[order] < bar]
    new = M[order]
    start = list(corral.at)
    place = {int(p): len(start) + t for t, p in enumerate(order)}
    place |= {position: t for t, position in enumerate(start)}
    products = _dense(new @ M[start].T) if start else np.zeros((len(order), 0))
    products = np.hstack([products, _dense(new @ new.T)])
    joined = 0
    for t, position in enumerate(order.tolist()):
        gram = products[t, [place[q] for q in corral.at]]
        if position in corral.at or (joined and gram @ corral.weight >= corral.height()):
            continue
        if corral.join(position, gram, float(products[t, len(start) + t])):
            corral.settle()
            joined += 1
    if corral.height() < REFINE:
        corral.settle(M)
    return joined


def _dense(products: Any) -> Floats:
    return products if isinstance(products, np.ndarray) else products.toarray()
