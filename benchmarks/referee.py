"""One objective for all contenders, and an optimum found by none of them.

P(W, b) = ½‖W‖² + C Σ loss, the bias not penalised, in float64; ten classes are ten problems, each
class against the rest, or for the logistic loss one multinomial problem.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

C = 1.0
BLOCK = 1 << 16
Values = Callable[[np.ndarray], np.ndarray]
Slopes = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def objective(loss: str, X: Any, y: np.ndarray, W: np.ndarray, b: np.ndarray) -> float:
    """P of weights (k × d) and biases (k), k = 1 for two classes."""
    W = np.asarray(W, np.float64).reshape(-1, X.shape[1])
    b = np.broadcast_to(np.asarray(b, np.float64).ravel(), len(W))
    total = sum(_losses(loss, scores(X[rows], W, b), y[rows]).sum() for rows in _blocks(X.shape[0]))
    return 0.5 * float(np.sum(W * W)) + C * float(total)


def scores(X: Any, W: np.ndarray, b: np.ndarray) -> np.ndarray:
    return X.astype(np.float64) @ W.T + b


def _losses(loss: str, scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    if loss == "logistic" and scores.shape[1] > 1:
        top = scores.max(1)
        sums = np.exp(scores - top[:, None]).sum(1)
        return np.log(sums) + top - scores[np.arange(len(y)), y]
    margins = scores * signs(y, scores.shape[1])
    return LOSSES[loss](margins)


LOSSES: dict[str, Values] = {
    "hinge": lambda m: np.maximum(0, 1 - m),
    "squared_hinge": lambda m: np.maximum(0, 1 - m) ** 2,
    "logistic": lambda m: np.logaddexp(0, -m),
}


def signs(y: np.ndarray, k: int) -> np.ndarray:
    """±1, a column a problem."""
    return 2.0 * (y[:, None] == (np.arange(k) if k > 1 else 1)) - 1


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, n, BLOCK))


NARROW, FEW = 1000, 6000


def optimum(loss: str, X: Any, y: np.ndarray, *, bias: bool) -> tuple[float, float] | None:
    """The least P and a lower bound of it, slowly; None where the referee has no method."""
    wide = X.shape[1] > NARROW
    if y.max() > 1 or (wide and bias and loss == "hinge"):
        return None
    if bias:
        X = with_ones(X)
    A = sparse.csr_array(X, dtype=np.float64) if wide else dense(X)
    A = sparse.diags_array(signs(y, 1)[:, 0]) @ A
    penalty = np.ones(A.shape[1])
    penalty[A.shape[1] - bias :] = 0
    if loss != "hinge":
        return newton(A, penalty, LOSSES[loss], DERIVATIVES[loss])
    return smoothing(A) if wide else interior_point(A, penalty)


def with_ones(X: Any) -> Any:
    ones = np.ones((X.shape[0], 1), X.dtype)
    return sparse.hstack([X, ones]) if sparse.issparse(X) else np.hstack([X, ones])


def dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, np.float64)


def interior_point(A: np.ndarray, penalty: np.ndarray) -> tuple[float, float]:
    """Mehrotra's method for the hinge. A holds y(x, 1); α and β = C − α belong to s and ξ ≥ 0."""
    w = np.zeros(A.shape[1])
    m = A @ w
    alpha = np.full(len(A), C / 2)
    xi = np.maximum(0, 1 - m) + 1
    least, most = np.inf, 0.0
    for _turn in range(100):
        beta, s = C - alpha, m - 1 + xi
        u = A.T @ alpha
        least = min(least, 0.5 * w @ (penalty * w) + C * np.maximum(0, 1 - m).sum())
        if np.abs(u[penalty == 0]).sum() <= 1e-9 * alpha.sum():
            most = max(most, alpha.sum() - 0.5 * u @ (penalty * u))
        if least - most <= 1e-10 * least:
            break
        theta = 1 / (s / alpha + xi / beta)
        system = linalg.cho_factor(_gram(A, theta) + np.diag(penalty + 1e-14 * theta.sum()))
        mu = (alpha @ s + beta @ xi) / (2 * len(A))
        towards, first = 0.0, (0.0, 0.0)
        for _stage in range(2):  # predictor, then corrector
            p = (towards - alpha * s - first[0]) / alpha
            q = (towards - beta * xi - first[1]) / beta
            dw = linalg.cho_solve(system, u - penalty * w + A.T @ (theta * (p - q)))
            dm = A @ dw
            da = theta * (p - q - dm)
            dxi = q + xi * da / beta
            ds = dm + dxi
            step = min(
                1.0, 0.995 * min(_room(alpha, da), _room(beta, -da), _room(xi, dxi), _room(s, ds))
            )
            after = (alpha + step * da) @ (s + step * ds) + (beta - step * da) @ (xi + step * dxi)
            towards = mu * (after / (2 * len(A)) / mu) ** 3
            first = (da * ds, -da * dxi)
        w, m, alpha, xi = w + step * dw, m + step * dm, alpha + step * da, xi + step * dxi
    return float(least), float(most)


def smoothing(A: Any) -> tuple[float, float]:
    """Newton on hinges rounded off within μ of the corner, μ → 0: few rows lie there at last."""
    w = np.zeros(A.shape[1])
    least, most = np.inf, 0.0
    for mu in 10.0 ** np.arange(0, -9, -0.5):
        w = descend(A, np.ones(len(w)), *rounded(mu), w)
        alpha = -C * rounded(mu)[1](A @ w)[0]
        u = A.T @ alpha
        least = min(least, 0.5 * w @ w + C * LOSSES["hinge"](A @ w).sum())
        most = max(most, alpha.sum() - 0.5 * u @ u)
        if least - most <= 1e-9 * least:
            break
    return float(least), float(most)


def rounded(mu: float) -> tuple[Values, Slopes]:
    """The hinge with a parabola on 1 − μ < m < 1."""

    def values(m: np.ndarray) -> np.ndarray:
        r = np.maximum(0, 1 - m)
        return np.where(r < mu, r * r / (2 * mu), r - mu / 2)

    def slopes(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r = np.maximum(0, 1 - m)
        return -np.minimum(1, r / mu), ((r > 0) & (r < mu)) / mu

    return values, slopes


def newton(A: Any, penalty: np.ndarray, values: Values, slopes: Slopes) -> tuple[float, float]:
    """A smooth loss. P is 1-strongly convex in w, so P − P* ≤ ½‖gradient‖² with the best bias."""
    w = descend(A, penalty, values, slopes, np.zeros(A.shape[1]))
    best = 0.5 * w @ (penalty * w) + C * values(A @ w).sum()
    gradient = penalty * w + C * (A.T @ slopes(A @ w)[0])
    return float(best), float(best - 0.5 * gradient @ gradient)


def descend(
    A: Any, penalty: np.ndarray, values: Values, slopes: Slopes, w: np.ndarray
) -> np.ndarray:
    """Newton's method with halved steps until nothing is gained."""

    def value(w: np.ndarray) -> float:
        return 0.5 * w @ (penalty * w) + C * values(A @ w).sum()

    best = value(w)
    for _ in range(100):
        slope, curve = slopes(A @ w)
        direction = -solve(A, C * curve, penalty, penalty * w + C * (A.T @ slope))
        step = 1.0
        while step > 1e-10 and value(w + step * direction) > best:
            step /= 2
        after = value(w + step * direction)
        if after >= best:
            break
        w = w + step * direction
        gained, best = best - after, after
        if gained <= 1e-15 * best:
            break
    return w


def solve(A: Any, curve: np.ndarray, penalty: np.ndarray, g: np.ndarray) -> np.ndarray:
    """(diag(penalty) + Aᵀ diag(curve) A)⁻¹ g, by whichever of three ways is the least work."""
    few = np.flatnonzero(curve)
    if A.shape[1] <= NARROW:
        system = _gram(A, curve) + np.diag(penalty + 1e-14 * curve.sum())
        return linalg.solve(system, g, assume_a="pos")
    if len(few) <= FEW and penalty.all():
        B = A[few]
        kernel = (B @ B.T).toarray() + np.diag(1 / curve[few])
        return g - B.T @ linalg.solve(kernel, B @ g, assume_a="pos")
    product = LinearOperator(
        (len(g), len(g)), lambda v: penalty * v + A.T @ (curve * (A @ v)), dtype=float
    )
    return cg(product, g, rtol=1e-10, maxiter=2000)[0]


def _squared_hinge(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return -2 * np.maximum(0, 1 - m), 2.0 * (m < 1)


def _logistic(m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p = np.exp(-np.logaddexp(0, m))
    return -p, p * (1 - p)


DERIVATIVES: dict[str, Slopes] = {"squared_hinge": _squared_hinge, "logistic": _logistic}


def _gram(A: np.ndarray, theta: np.ndarray) -> np.ndarray:
    total = np.zeros((A.shape[1], A.shape[1]))
    for rows in _blocks(len(A)):
        part = A[rows] * np.sqrt(theta[rows])[:, None]
        total += part.T @ part
    return total


def _room(x: np.ndarray, dx: np.ndarray) -> float:
    """How far x may go along dx and stay positive."""
    inward = dx < 0
    return float(np.min(-x[inward] / dx[inward])) if inward.any() else np.inf
