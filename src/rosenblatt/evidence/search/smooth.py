"""The smooth perceptron and von Neumann's method in one run (Soheili and Peña 2012).

Of signed vectors a_i, none longer than 1, it keeps weights y, and a point p = Σ x_i a_i of their
hull. A perceptron moves y by one wrong vector; this moves it by a mean of all of them, in which
the most wrong count most (the softmin of the slacks at temperature μ), with Nesterov's momentum:

    θ = 2 / (k + 3),  y ← (1 − θ)(y + θ p) + θ² q(μ, y),  μ ← (1 − θ) μ,  p ← (1 − θ) p + θ q(μ, y)

where q(μ, y) = Σ s_i a_i with s_i ∝ exp(−a_i·y / μ), and μ = 2, y = mean of a, p = q at the start.
As long as some a_i·y ≤ 0, |p| ≤ 2 √(2 log n) / (k + 1). So with a margin γ > 0 the weights y
separate after at most 2 √(2 log n) / γ − 1 steps, and without one p comes within any ε of
the origin in as many, ε for γ. A step reads the vectors twice.
"""

from collections.abc import Iterator
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats


class Step(NamedTuple):
    """Where the method stands after k steps: min_i a_i·y / |y| ≤ γ* ≤ |p| whenever y separates."""

    k: int
    y: Floats
    slack: Floats
    x: Floats
    p: Floats

    @property
    def separates(self) -> bool:
        """Say whether y puts every vector on its side, as far as floats can tell."""
        return bool(self.slack.min() > 0)

    @property
    def length(self) -> float:
        """|p|: no margin is larger."""
        return float(np.linalg.norm(self.p))


def smooth(M: Any) -> Iterator[Step]:
    """Steps without an end, for the rows of a matrix that none of which is longer than 1."""
    y = np.asarray(M.mean(axis=0), dtype=np.float64).ravel()
    mu, k = 2.0, 0
    slack = _times(M, y)
    x = softmin(slack, mu)
    q = p = _times(M.T, x)
    while True:
        yield Step(k, y, slack, x, p)
        theta = 2 / (k + 3)
        y = (1 - theta) * (y + theta * p) + theta**2 * q
        mu, k = (1 - theta) * mu, k + 1
        slack = _times(M, y)
        share = softmin(slack, mu)
        q = _times(M.T, share)
        x, p = (1 - theta) * x + theta * share, (1 - theta) * p + theta * q


def _times(M: Any, v: Floats) -> Floats:
    """Product in the precision of the matrix, which so need not be copied."""
    return np.asarray(M @ v.astype(M.dtype), dtype=np.float64)


def softmin(slack: Floats, mu: float) -> Floats:
    """Positive shares that sum to 1 and fall off exponentially with the slack."""
    share: Floats = np.exp((slack.min() - slack) / mu)
    share /= share.sum()
    return share


def most_steps(n: int, margin: float) -> int:
    """Steps after which n vectors with that margin are separated, by the theorem."""
    return max(0, int(2 * sqrt(2 * log(n)) / margin - 1))


def separator_or_hull(M: Any, epsilon: float) -> Step:
    """Run until y separates or |p| ≤ ε; no data take more than `most_steps(n, ε)` + 1 steps."""
    return next(step for step in smooth(M) if step.separates or step.length <= epsilon)
