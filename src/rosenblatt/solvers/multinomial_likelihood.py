"""Maximum likelihood of K classes: Newton's method for the softmax loss alone.

As in likelihood.py, of which this is the form for many classes. H is a sum over pairs of classes,

    H = Σ_{k<l} L_kl ⊗ Σ c q_k q_l (x, 1)(x, 1)ᵀ,      L_kl = (e_k − e_l)(e_k − e_l)ᵀ

so no digits cancel in it; its shortest steps have a sum of 0 over the classes. With the moves μ of
the scores by Newton's step the probabilities

    q′ = q + (diag(q) − q qᵀ) μ,      Σ c (e_y − q′) (x, 1)ᵀ = 0

balance in every feature. Where no two moves of a row differ by 1 they are positive, so that they
bound P from below by Σ c H(q′), and prove that there are best weights: along a direction that puts
no row's own class behind another, and not all level, the sum could not vanish.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.rows import CSR, n_cols
from rosenblatt.solvers import products, softmax, units
from rosenblatt.solvers.certificate import Bounds
from rosenblatt.solvers.certified import Step
from rosenblatt.solvers.duality_gap import Proof
from rosenblatt.solvers.factors import about
from rosenblatt.solvers.likelihood import AT_REST, BALANCED, FARTHEST
from rosenblatt.solvers.multinomial import Place, place_at, scores_of
from rosenblatt.solvers.newton import downhill
from rosenblatt.solvers.positive import factored
from rosenblatt.solvers.softmax import Classes
from rosenblatt.solvers.system import require_finite


class Aim(NamedTuple):
    """Newton's step: how weights and scores would move, and the pulls that it balances."""

    direction: Floats
    moves: Floats
    pulls: Floats
    bound: float


def climb(task: Classes, start: Floats | None) -> Iterator[Step]:
    """Steps towards the greatest likelihood, without an end; weights have a row a class."""
    place, centre = place_at(task, start), centre_of(task)
    W, best, number = place.W, Bounds(np.inf, 0.0), 0
    while True:
        aim = aim_at(task, place, centre)
        follow(task, place, aim)
        now = Bounds(softmax.answers(task, place.scores).loss, aim.bound)
        W = place.W if now.objective < best.objective else W
        best, number = best.tighter(now), number + 1
        proof = partial(proved, task, place.scores if W is place.W else None, W, aim)
        yield Step(
            number, np.ascontiguousarray(W.T), aim.pulls, best, "newton", len(task.costs), proof
        )


def aim_at(task: Classes, place: Place, centre: Floats) -> Aim:
    """Shortest of Newton's steps from a place."""
    odds = softmax.answers(task, place.scores).odds
    V = units.sums(task.blocks, balanced_pulls(task, odds, np.zeros_like(odds))[0])
    V[-1] *= task.bias
    H = curvature(task, odds, centre)
    factor = factored(H)

    def solve(R: Floats) -> Floats:
        return factor.solve(R.T.reshape(-1, 1)).reshape(task.n_classes, -1).T

    direction = np.ascontiguousarray(about(centre, solve)(V))
    moves = scores_of(task, direction)
    pulls, entropy = balanced_pulls(task, odds, moves)
    at_rest = float(np.ptp(moves[task.costs > 0], axis=1).max()) < AT_REST
    return Aim(direction, moves, pulls, max(entropy, 0.0) if at_rest else 0.0)


def curvature(task: Classes, odds: Floats, centre: Floats) -> Floats:
    """H, a block for each two classes, of rows measured from a centre."""
    width, K = n_cols(task.blocks.problem.rows) + 1, task.n_classes
    H = np.zeros((K, width, K, width))
    for k in range(K):
        for other in range(k):
            bends = task.costs * odds[:, k] * odds[:, other]
            rows = np.flatnonzero(bends)
            G = products.gram(task.blocks, rows, bends[rows], centre)
            G = np.tril(G) + np.tril(G, -1).T
            if not task.bias:
                G[-1], G[:, -1] = 0.0, 0.0
            H[k, :, k] += G
            H[other, :, other] += G
            H[k, :, other] -= G
            H[other, :, k] -= G
    require_finite(H)
    return H.reshape(K * width, K * width)


def balanced_pulls(task: Classes, odds: Floats, moves: Floats) -> tuple[Floats, float]:
    """Pulls c (e_y − q′) of all rows at the probabilities q′ after the moves, and Σ c H(q′)."""
    own, here = task.blocks.problem.codes, np.arange(len(odds))
    apart = moves - moves[here, own][:, None]
    mean = np.sum(odds * apart, axis=1)
    q = odds * (1.0 + apart - mean[:, None])
    mine = q[here, own]
    q[here, own] = 0.0
    others = q.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.sum(np.where(q > 0.0, q * np.log(q), 0.0), axis=1)
        log_mine = np.where(others < 0.5, np.log1p(-others), np.log(mine))
    entropy -= np.where(mine > 0.0, mine * log_mine, 0.0)
    pulls = -task.costs[:, None] * q
    pulls[here, own] = task.costs * others
    return pulls, float(task.costs @ entropy)


def follow(task: Classes, place: Place, aim: Aim) -> None:
    """Move a place along Newton's step as far as it leads up, but no score out of all bounds."""

    def along(t: float) -> float:
        return softmax.slope(task, place.scores, aim.moves, t)

    t = downhill(along, along(0.0))
    t = min(t, max(1.0, FARTHEST / max(float(np.abs(aim.moves).max()), 1.0)))
    place.W = place.W + t * aim.direction
    place.scores = place.scores + t * aim.moves


def proved(task: Classes, scores: Floats | None, W: Floats, aim: Aim) -> Proof:
    """Bounds of weights from scores made anew, less what rounding leaves open."""
    anew = scores_of(task, W)
    drift = 0.0 if scores is None else float(np.abs(anew - scores).max())
    objective, sizes = softmax.answers(task, anew).loss, np.abs(aim.pulls)
    left = np.abs(units.sums(task.blocks, aim.pulls))
    left[-1] *= task.bias
    if (left > BALANCED * reach(task, sizes)).any():  # a direction that Newton's step was blind to
        return Proof(Bounds(objective, 0.0), aim.pulls, np.ascontiguousarray(W.T))
    open_by_rounding = 2.0 * float(np.sum(left * np.abs(W))) + 2.0 * drift * float(sizes.sum())
    bounds = Bounds(objective, max(aim.bound - open_by_rounding, 0.0))
    return Proof(bounds, aim.pulls, np.ascontiguousarray(W.T))


def reach(task: Classes, sizes: Floats) -> Floats:
    """At least Σ |pull| |(x, 1)|, a row a feature and a column a class."""
    rows = np.arange(len(sizes))
    squares = [products.squared(task.blocks, rows, column) for column in sizes.T.copy()]
    return np.asarray(np.sqrt(np.column_stack(squares)) * np.sqrt(sizes.sum(axis=0)))


def centre_of(task: Classes) -> Floats:
    """Mean row, about which features far from zero lose no digits; sparse rows stay."""
    rows = task.blocks.problem.rows
    if isinstance(rows, CSR) or not task.bias:
        return np.zeros(n_cols(rows))
    total = units.sums(task.blocks, task.costs[:, None])[:-1, 0]
    return np.asarray(total / task.costs.sum())
