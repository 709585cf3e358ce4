"""Newton's method for convex losses: steps H δ = −g, as far as they lead down.

The step is as long as the slope along it stays downhill, and that is seen from the margins alone,
without another pass. If it moves the margins by μ, the pulls a′ = a − θ μ are to be expected, and
where its system is solved they give back the weights it leads to: ρ (w + δ) = Σ a′ y x. So they
prove the new place to be as good as it is, a step before the pulls that its rows answer with.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.linalg import products
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, NEVER_FLAT
from rosenblatt.optim.duality_gap import primal_at
from rosenblatt.optim.hessian import NewtonSystem, require_finite
from rosenblatt.optim.objective import (
    BinaryObjective,
    Iterate,
    LossSums,
    SmoothedHinge,
    derivative,
    evaluate_losses,
    predict_alpha,
)
from rosenblatt.optim.pcg import AdaptivePCG, any_residual
from rosenblatt.types import Floats, Ints

SMALL_MARGIN_MOVE = (
    0.5  # of all margins: the curvature of a logistic loss hardly changes on the way
)
QUADRATIC_CONVERGENCE_FACTOR = 3.0  # times e² is what a step from an error e was measured to leave


class Evaluation(NamedTuple):
    """What is seen at a place: the answers of the rows, and the gradient.

    `error` is how far from the best the step that led there began, as a share of the objective.
    `expected` are the pulls it let expect, where they may prove more than the answers do.
    """

    loss_sums: LossSums
    gradient: Floats
    error: float = np.inf
    predicted_alpha: Floats | None = None


def iterate_at(objective: BinaryObjective, w: Floats) -> Iterate:
    """Place with given weights; no row pulls yet."""
    margins = margins_of(objective, w, np.empty_like(objective.sample_C))
    alpha, curvatures = np.zeros_like(margins), np.empty_like(margins)
    return Iterate(w.copy(), margins, alpha, np.zeros((2, len(w))), curvatures)


def margins_of(objective: BinaryObjective, w: Floats, out: Floats) -> Floats:
    """Write the margins y (w·x + b); a FloatingPointError where one is not a number."""
    products.scores(objective.blocks, w, out)
    out *= objective.signs
    require_finite(np.add.reduce(out))
    return out


def evaluate(
    objective: BinaryObjective,
    iterate: Iterate,
    smoothed_hinge: SmoothedHinge,
    *,
    from_scratch: bool,
) -> Evaluation:
    """Let the rows pull, and see where that leads."""
    loss_sums = evaluate_losses(objective, iterate, smoothed_hinge, from_scratch=from_scratch)
    gradient = iterate.sums[0] - iterate.sums[1]
    gradient[:-1] += objective.l2 * iterate.w[:-1]
    gradient[-1] *= objective.bias
    return Evaluation(loss_sums, gradient)


@dataclass
class ErrorForecast:
    """How far from the best a step ends, as a share of the objective, told from where it starts.

    Newton's method squares the error e, or if it is slower, does no worse than the last step twice.
    The proof by the squared hinge is not so lucky: rows that change sides pull otherwise than their
    curvature told.
    """

    objective: BinaryObjective
    tol: float
    last_error: float = 0.0

    def predicted_error(self, error: float) -> float:
        """Share of the objective that a step from an error leaves of the gap."""
        if self.objective.loss != LOGISTIC:
            return error
        fallen = min(1.0, error / self.last_error) if self.last_error > 0.0 else 0.0
        return max(QUADRATIC_CONVERGENCE_FACTOR * error**2, error * fallen**2)

    def residual_bound(self, primal: float) -> Callable[[float], float]:
        """Most |r|² that a step may leave of its system, by the fall it promises.

        Only what may be the last step has to be so careful; the floors of a hinge are left before
        their end.
        """
        small_residual = self.objective.l2 * primal * self.tol  # a gap of tol / 2

        def residual_bound_at(predicted_decrease: float) -> float:
            return (
                small_residual
                if self.predicted_error(predicted_decrease / primal) <= 0.5 * self.tol
                else np.inf
            )

        return any_residual if self.objective.loss == HINGE else residual_bound_at


def newton_iterates(
    objective: BinaryObjective,
    iterate: Iterate,
    smoothed_hinge: SmoothedHinge,
    pcg: AdaptivePCG,
    tol: float,
) -> Iterator[Evaluation]:
    """Take Newton's steps as long as they lead down; show each place before leaving it."""
    moves, predicted_alpha = np.empty_like(iterate.margins), None
    everything = np.arange(len(moves)) if objective.loss >= NEVER_FLAT else None
    forecast = ErrorForecast(objective, tol)
    from_scratch, step, error = True, 1.0, np.inf
    while step > 0.0:
        evaluation = evaluate(objective, iterate, smoothed_hinge, from_scratch=from_scratch)
        yield evaluation._replace(error=error, predicted_alpha=predicted_alpha)
        primal = primal_at(objective, iterate, evaluation.loss_sums)
        residual_bound_at = forecast.residual_bound(primal)
        direction = pcg.solve(
            newton_system(objective, iterate, everything), -evaluation.gradient, residual_bound_at
        )
        start = float(evaluation.gradient @ direction)
        step = take_step(objective, iterate, smoothed_hinge, direction, (start, moves))
        error = -0.5 * start / primal
        last = objective.loss == LOGISTIC and step == 1.0 and forecast.predicted_error(error) <= tol
        predicted_alpha = (
            predict_alpha(objective, iterate, moves, np.empty_like(moves)) if last else None
        )
        forecast.last_error = error
        from_scratch = objective.loss >= NEVER_FLAT


def warm_start_smoothing(
    objective: BinaryObjective,
    iterate: Iterate,
    smoothed_hinge: SmoothedHinge,
    gradient: Floats,
    pcg: AdaptivePCG,
) -> None:
    """Move a place at rest on one floor towards rest on the next, centred on its pulls.

    The rows between their bounds are taken to stay there: on the narrower floor most are beyond
    them at first, and would be in no system.
    """
    inside = np.flatnonzero(
        (smoothed_hinge.prox_centers > 0.0) & (smoothed_hinge.prox_centers < objective.sample_C)
    )
    if not len(inside):
        return
    stiffness = objective.sample_C[inside] / smoothed_hinge.smoothing
    more = objective.signs[inside] * stiffness * (1.0 - iterate.margins[inside])
    b = products.weighted_row_sum(objective.blocks, inside, more) - gradient
    b[-1] *= objective.bias
    direction = pcg.solve(NewtonSystem(objective, inside, stiffness), b)
    take_step(objective, iterate, smoothed_hinge, direction, (None, np.empty_like(iterate.margins)))


def newton_system(
    objective: BinaryObjective, iterate: Iterate, everything: Ints | None
) -> NewtonSystem:
    """System of Newton's step, over the rows that bend; with some losses that is everything."""
    if everything is not None:
        return NewtonSystem(objective, everything, iterate.curvatures)
    chosen = np.flatnonzero(iterate.curvatures)
    return NewtonSystem(objective, chosen, iterate.curvatures[chosen])


def take_step(
    objective: BinaryObjective,
    iterate: Iterate,
    smoothed_hinge: SmoothedHinge,
    direction: Floats,
    along: tuple[float | None, Floats],
) -> float:
    """Move a place along a direction as far as it leads down; give how far that was.

    `along` is the slope there, if it is known, and room for the moves of the margins.
    """
    start, moves = along
    margins_of(objective, direction, moves)
    w, d = iterate.w[:-1], direction[:-1]
    l2_grad_dot_dir, l2_curvature = objective.l2 * float(w @ d), objective.l2 * float(d @ d)

    def derivative_at(t: float) -> float:
        return (
            l2_grad_dot_dir
            + t * l2_curvature
            + derivative(objective, iterate, moves, smoothed_hinge, t)
        )

    start = derivative_at(0.0) if start is None else start
    surely = objective.loss == LOGISTIC and largest(moves) <= SMALL_MARGIN_MOVE
    t = 1.0 if surely and start < 0.0 else line_search(derivative_at, start)
    iterate.w = iterate.w + t * direction
    moves *= t
    iterate.margins += moves
    return t


def largest(moves: Floats) -> float:
    """Largest move of any margin."""
    return max(float(moves.max()), -float(moves.min()))


def line_search(along: Callable[[float], float], start: float) -> float:
    """Step at which a rising slope, `start` at 0, has all but vanished, tried at 1 first."""
    if start >= 0.0:  # rounding is all that is left
        return 0.0
    near, far, t = 0.0, 1.0, 1.0
    low, high = start, along(1.0)
    while high < 0.5 * start:  # still falling more than half as steeply: go on
        near, low, far = far, high, 2.0 * far
        high = along(far)
        if far > 1e9:
            return far
    if high <= -0.1 * start:
        return far
    for _ in range(20):
        t = near + (far - near) * min(max(low / (low - high), 0.1), 0.9)
        now = along(t)
        if abs(now) <= -0.1 * start:
            break
        if now < 0.0:
            near, low = t, now
        else:
            far, high = t, now
    return t
