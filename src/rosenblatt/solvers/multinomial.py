"""Multinomial logistic regression by Newton's method, until the gap proves it.

Each step solves H Δ = −G by conjugate gradients; a product with H reads the rows once for all
classes. They are led by a factor of each class's own block of H, made from a sample of rows, or by
H's diagonal where factors would cost more than they save. Adding the same to every class changes no
probability, so all that moves has a sum of 0 over the classes: there H is well led by its blocks.
Float32 rows are multiplied with H in float32 as long as the ridge outweighs what that rounds off;
gradients and bounds are float64 always.

Before each step the biases are settled for the weights as they stand. That takes the scores alone,
not the rows, and balances the pulls, so that every step has a proof.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import entries_in
from rosenblatt.data.rows import CSR, n_cols, n_rows
from rosenblatt.solvers import products, softmax, units
from rosenblatt.solvers.certificate import Bounds
from rosenblatt.solvers.certified import (
    FEWEST,
    PART,
    ROUGH_GAP,
    ROUGH_STEPS,
    ROWS_A_WEIGHT,
    Limits,
    Step,
    one_of_each,
    unproved,
    until,
)
from rosenblatt.solvers.factors import about, cholesky
from rosenblatt.solvers.leading import FORCING, LEAST_SAMPLE, SAMPLE, conjugate_gradients
from rosenblatt.solvers.newton import downhill
from rosenblatt.solvers.softmax import Classes
from rosenblatt.solvers.softmax_gap import prove_softmax
from rosenblatt.solvers.system import require_finite

SETTLED = 1e-3  # β so small are repaired to the fourth order, and made good with the next step
MOST_SETTLING = 50
BALANCED = 1e-12  # of all pulls: what rounding leaves of their sum
TOO_MANY = 8  # iterations, after which the factors are made anew
WORTH = 64  # products with H that the factors may cost,
CHEAP = 1 << 28  # unless they cost next to nothing: so many multiplications for each
MOST_NUMBERS = 1 << 26  # in all factors
SHARE = 0.1  # of H's diagonal that leads beside the ridge: more of it slows down words in common
HOLD = 1e-12  # of the curvature: holds a bias where no row does

Solver = Callable[[Floats], Floats]


@dataclass
class Place:
    """Where a run stands: weights, a row a feature and the last for the biases, and the scores."""

    W: Floats
    scores: Floats

    def shift(self, beta: Floats) -> None:
        """Move the biases."""
        self.W[-1] += beta
        self.scores += beta


@dataclass(frozen=True)
class Look:
    """What is seen at a place: its bounds, the gradient, the probabilities and the pulls.

    `beta` is how far the biases are from their best, where the gradient is taken.
    """

    bounds: Bounds
    gradient: Floats
    odds: Floats
    pulls: Floats
    beta: Floats


def certify(task: Classes, start: Floats | None, seed: int, limits: Limits) -> Iterator[Step]:
    """Steps until a limit speaks or only rounding is left; weights have a row a class."""
    start = start if start is not None and is_better_than_zero(task, start) else None
    return until(minimise(task, start, Leader(seed), limits), limits)


def is_better_than_zero(task: Classes, W: Floats) -> bool:
    """Whether weights to start from, a row a class, have a lower objective than zero weights."""
    try:
        return objective_at(task, W) < objective_at(task, np.zeros_like(W))
    except FloatingPointError:
        return False


def objective_at(task: Classes, W: Floats) -> float:
    """P of some weights, a row a class."""
    place = place_at(task, W)
    w = place.W[:-1].ravel()
    return 0.5 * task.ridge * float(w @ w) + softmax.answers(task, place.scores).loss


def at_start(task: Classes, start: Floats | None) -> Iterator[Step]:
    """A run that may take no step: its weights are those it starts from, and nothing is proved."""
    place = place_at(task, start)
    W = np.ascontiguousarray(place.W.T)
    yield unproved(W, np.zeros_like(place.scores), objective_at(task, W))


def minimise(
    task: Classes, start: Floats | None, leader: "Leader", limits: Limits
) -> Iterator[Step]:
    """Steps towards the best weights, without an end."""
    if start is None and worth_a_part(task):
        start = rough_start(task, leader, limits)
    place = place_at(task, start)
    best_W, best = place.W, Bounds(np.inf, 0.0)
    for number in itertools.count():
        seen = look(task, place)
        best_W = place.W.copy() if seen.bounds.objective < best.objective else best_W
        best = best.tighter(seen.bounds)
        W = np.ascontiguousarray(best_W.T)
        rows = int(np.count_nonzero(task.costs))
        proof = partial(prove_softmax, task, W, seen.pulls, limits.tol)
        yield Step(number, W, seen.pulls, best, "newton", rows, proof)
        place.shift(seen.beta)
        walk(task, place, seen.gradient, leader.solve(task, seen.odds, -seen.gradient))


def worth_a_part(task: Classes) -> bool:
    """Whether a part of the rows tells enough about all."""
    rows = task.blocks.problem.rows
    n_weights = task.n_classes * (n_cols(rows) + 1)
    return n_rows(rows) >= PART * max(FEWEST, ROWS_A_WEIGHT * n_weights)


def rough_start(task: Classes, leader: "Leader", limits: Limits) -> Floats | None:
    """Weights learned from every eighth row, each costing eight times as much; none if too few."""
    n = n_rows(task.blocks.problem.rows)
    chosen = one_of_each(PART, n, leader.seed)
    part = task._replace(
        blocks=Blocks(task.blocks.problem.take(chosen), task.blocks.n_jobs),
        costs=task.costs[chosen] * (n / len(chosen)),
    )
    if not np.bincount(part.blocks.problem.codes, part.costs, task.n_classes).all():
        return None
    rough = replace(limits, tol=ROUGH_GAP, max_iter=ROUGH_STEPS, proved=False)
    for step in until(minimise(part, None, leader, rough), rough):
        W = step.w
    return W


def place_at(task: Classes, start: Floats | None) -> Place:
    """Place with given weights, a row a class, less what all classes have in common."""
    W = np.zeros((n_cols(task.blocks.problem.rows) + 1, task.n_classes))
    if start is not None:
        W += start.T - start.mean(axis=0)[:, None]
    if not task.bias:
        W[-1] = 0.0
    return Place(W, scores_of(task, W))


def scores_of(task: Classes, W: Floats) -> Floats:
    """Scores of all rows; a FloatingPointError where one is not a number."""
    scores = units.scores(task.blocks, W)
    require_finite(scores)
    return scores


def look(task: Classes, place: Place) -> Look:
    """Settle the biases, let the rows pull, and see what that proves."""
    answer, beta, balanced = settle(task, place)
    pulls, entropy = softmax.pulls(task, answer.odds, beta)
    V = units.sums(task.blocks, pulls)
    w = place.W[:-1].ravel()
    objective = 0.5 * task.ridge * float(w @ w) + answer.loss
    bound = dual_bound(task, entropy, V[:-1].ravel()) if balanced else 0.0
    gradient = task.ridge * place.W - V
    gradient[-1] = -V[-1] if task.bias else 0.0
    return Look(Bounds(objective, bound), gradient, answer.odds, pulls, beta)


def dual_bound(task: Classes, entropy: float, v: Floats) -> float:
    """D of the pulls, or of the best fraction t of them.

    That is D at (1 − t) e_y + t q, whose entropy, being concave, is at least t H(q).
    """
    square = float(v @ v) / task.ridge
    t = min(1.0, entropy / square) if square > 0 else 1.0
    return t * entropy - 0.5 * t * t * square


def settle(task: Classes, place: Place) -> tuple[softmax.Answer, Floats, bool]:
    """Move the biases to their best; give what the rows answer, the β left, and if it balances."""
    for _ in range(MOST_SETTLING):
        answer = softmax.answers(task, place.scores)
        if not task.bias:
            return answer, np.zeros(task.n_classes), True
        M = softmax.sway(task, answer.odds)
        beta = softmax.balance(M, answer.pull)
        reach = float(np.ptp(beta))
        if reach <= SETTLED:
            left = np.abs(answer.pull - M @ beta).max()
            return answer, beta, bool(left <= BALANCED * np.trace(M))
        # the curvature changes along β by no more than exp(reach): so far the loss falls for sure
        place.shift(beta * (np.log1p(reach) / reach))
    return answer, np.zeros(task.n_classes), False


def walk(task: Classes, place: Place, gradient: Floats, direction: Floats) -> None:
    """Move a place along a direction as far as it leads down."""
    moves = scores_of(task, direction)
    w, d = place.W[:-1].ravel(), direction[:-1].ravel()
    lean, bend = task.ridge * float(w @ d), task.ridge * float(d @ d)

    def along(t: float) -> float:
        return lean + t * bend + softmax.slope(task, place.scores, moves, t)

    t = downhill(along, float(gradient.ravel() @ direction.ravel()))
    place.W = place.W + t * direction
    place.scores += t * moves


@dataclass
class Leader:
    """Solves H Δ = −G by conjugate gradients led by factors of an earlier or sampled H."""

    seed: int
    _lead: Solver | None = None
    _taken: int = 0
    _rough: bool = False
    _generator: Any = field(init=False)

    def __post_init__(self) -> None:
        self._generator = np.random.default_rng(self.seed)

    def solve(self, task: Classes, odds: Floats, B: Floats) -> Floats:
        """Solve to a part of the residual; the factors are made anew where they serve no longer."""
        hold = HOLD * float(np.trace(softmax.sway(task, odds)) + HOLD * task.costs.sum())
        if self._lead is None or self._taken > TOO_MANY:
            lead = self._by_factors if worth_factors(task) else self._by_diagonal
            self._lead = lead(task, odds, hold)

        def times(p: Floats) -> Floats:
            P = p.reshape(B.shape)
            beside = (odds, task.blocks.problem.codes, task.costs)
            product = units.curved(task.blocks, P, softmax.bend_rows, *beside, rough=self._rough)
            product[:-1] += task.ridge * P[:-1]
            product[-1] = product[-1] + hold * P[-1] if task.bias else P[-1]
            return product.ravel()

        solved = conjugate_gradients(times, self._lead, B.ravel(), FORCING)
        self._taken = solved.taken
        if not solved.done:
            self._lead = None
        return solved.x.reshape(B.shape)

    def _by_factors(self, task: Classes, odds: Floats, hold: float) -> Solver:
        """Solver of each class's own block of H, on what sums to 0 over the classes."""
        blocks = (self._block(task, odds, k, hold) for k in range(task.n_classes))
        solvers, traces = zip(*blocks, strict=True)
        self._rough = small_beside(max(traces), task.ridge)

        def lead(r: Floats) -> Floats:
            R = r.reshape(-1, task.n_classes)
            Z = np.column_stack([solve(R[:, k]) for k, solve in enumerate(solvers)])
            Z -= Z.mean(axis=1, keepdims=True)
            return Z.ravel()

        return lead

    def _block(self, task: Classes, odds: Floats, k: int, hold: float) -> tuple[Solver, float]:
        """Solver of class k's own block of H on a sample of the rows, and the block's trace."""
        bends = softmax.curvature(odds, task.costs, k)
        width = n_cols(task.blocks.problem.rows) + 1
        chance = np.minimum(1.0, sample_size(width) * bends / bends.sum())
        taken = np.flatnonzero(self._generator.random(len(bends)) < chance)
        weights = bends[taken] / chance[taken]
        sparse = isinstance(task.blocks.problem.rows, CSR)  # whose zeros have to stay zeros
        centre = products.mean_row(task.blocks, taken, weights) * (task.bias and not sparse)
        H = products.gram(task.blocks, taken, weights, centre)
        H[np.diag_indices(width - 1)] += task.ridge
        if task.bias:
            H[-1, -1] += hold
        else:
            H[-1, :] = 0.0
            H[-1, -1] = 1.0
        trace = float(np.trace(H) + weights.sum() * (centre @ centre))  # of rows as they are
        return about(centre, cholesky(H)), trace

    def _by_diagonal(self, task: Classes, odds: Floats, hold: float) -> Solver:
        """Solver of H's diagonal, on what sums to 0 over the classes."""
        bends = [softmax.curvature(odds, task.costs, k) for k in range(task.n_classes)]
        squares = np.column_stack(
            [products.squared(task.blocks, np.flatnonzero(b), b[b != 0.0]) for b in bends]
        )
        self._rough = small_beside(float(squares.sum(axis=0).max()), task.ridge)
        diagonal = task.ridge + SHARE * squares
        diagonal[-1] = diagonal[-1] + hold if task.bias else 1.0
        require_finite(diagonal)
        inverse = 1.0 / diagonal
        shares = inverse / inverse.sum(axis=1, keepdims=True)

        def lead(r: Floats) -> Floats:
            Z = r.reshape(inverse.shape) * inverse
            Z -= shares * Z.sum(axis=1, keepdims=True)
            return Z.ravel()

        return lead


def small_beside(trace: float, ridge: float) -> bool:
    """Whether what float32 rounds off a matrix with this trace is small beside the ridge."""
    return bool(np.finfo(np.float32).eps * trace <= ridge)


def sample_size(width: int) -> int:
    """About how many rows a factor is made of."""
    return max(SAMPLE * width, LEAST_SAMPLE)


def worth_factors(task: Classes) -> bool:
    """Whether the factors cost no more than some products with H, and fit."""
    rows = task.blocks.problem.rows
    width, n = n_cols(rows) + 1, n_rows(rows)
    entries = entries_in(rows)
    cost = width * width * (min(n, sample_size(width)) + width // 3)
    return (
        cost <= max(CHEAP, WORTH * 4 * entries) and task.n_classes * width * width <= MOST_NUMBERS
    )
