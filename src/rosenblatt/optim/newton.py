"""Inexact Newton method for convex losses: H d = −g by conjugate gradients, then a line search.

The line search ends where the derivative along the step has all but vanished. φ(t) = P(w + t d) is
convex, so φ′ rises with t, and its sign shows on which side of the minimum t lies. A step is
accepted where |φ′(t)| ≤ 0.1 |φ′(0)| (the curvature condition of the strong Wolfe conditions;
Nocedal & Wright, §3.1), or at the first t = 1, 2, 4 … with φ′(t) between half and a tenth of φ′(0).
φ′ needs the margins along the step, but not the rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg import products
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, NEVER_FLAT
from rosenblatt.optim.duality_gap import complementarity_gap, primal_at, stationarity_residual
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

MAX_DERIVATIVE_RATIO = 0.1  # |φ′(t)| / |φ′(0)| of an accepted step
MIN_EXPANSION_RATIO = 0.5  # where φ′ still falls more steeply than this, t is doubled
MAX_STEP_LENGTH = 1e9
MAX_BRACKET_STEPS = 20
MIN_BRACKET_SHARE = 0.1  # of the bracket: regula falsi stays this far away from its ends
SUBSAMPLE_STRIDE = 8  # one row of so many
MIN_ROWS_PER_WEIGHT = 4  # in a subsample
MIN_SUBSAMPLE_ROWS = 500
SUBSAMPLE_TOL = 3e-2  # duality gap
SUBSAMPLE_MAX_STEPS = 50
SMALL_MARGIN_CHANGE = 0.5  # of every margin: ℓ″ of the logistic loss hardly changes on the way
QUADRATIC_CONVERGENCE_FACTOR = 3.0  # measured: a step from the error e leaves this times e²
STATIONARITY_RATIO = 1.0  # stationarity residual / complementarity gap at which the smoothing falls
SMOOTHING_DECREASE = 0.5  # factor of the next smoothing; squared after an inner problem of
FAST_INNER_STEPS = 4  # so few steps
MAX_INITIAL_STIFFNESS = 1e4  # C ‖x‖² / smoothing of the first smoothed hinge


def penalty_along(l2: float, w: Floats, direction: Floats) -> tuple[float, float]:
    """Slope ρ w·d and curvature ρ d·d of the penalty along a step, the intercept left out."""
    return l2 * float(w @ direction), l2 * float(direction @ direction)


def line_search(derivative: Callable[[float], float], derivative_at_zero: float) -> float:
    """Step length at which the derivative of a convex function has all but vanished; 1 first.

    It is 0 where the direction is not a descent direction: only rounding is left then.
    """
    if derivative_at_zero >= 0.0:
        return 0.0
    accepted = -MAX_DERIVATIVE_RATIO * derivative_at_zero
    near, far = 0.0, 1.0
    low, high = derivative_at_zero, derivative(1.0)
    while high < MIN_EXPANSION_RATIO * derivative_at_zero:
        near, low, far = far, high, 2.0 * far
        high = derivative(far)
        if far > MAX_STEP_LENGTH:
            return far
    if high <= accepted:
        return far
    for _ in range(MAX_BRACKET_STEPS):
        share = min(max(low / (low - high), MIN_BRACKET_SHARE), 1.0 - MIN_BRACKET_SHARE)
        t = near + (far - near) * share
        now = derivative(t)
        if abs(now) <= accepted:
            break
        if now < 0.0:
            near, low = t, now
        else:
            far, high = t, now
    return t


def is_worth_subsampling(n_samples: int, n_weights: int) -> bool:
    """Whether a subsample of the rows determines the weights well enough to start from."""
    return n_samples >= SUBSAMPLE_STRIDE * max(MIN_SUBSAMPLE_ROWS, MIN_ROWS_PER_WEIGHT * n_weights)


def margin_error(objective: BinaryObjective) -> float:
    """Standard error of the margins by the weights of the subsample: √(weights / rows)."""
    rows = objective.blocks.problem.rows
    return float(np.sqrt((n_cols(rows) + 1) * SUBSAMPLE_STRIDE / n_rows(rows)))


def systematic_sample(n: int, seed: int) -> Ints:
    """Row numbers of the subsample: one drawn from every `SUBSAMPLE_STRIDE` successive rows."""
    first = np.arange(0, n - SUBSAMPLE_STRIDE + 1, SUBSAMPLE_STRIDE)
    drawn = np.random.default_rng(seed).integers(0, SUBSAMPLE_STRIDE, len(first))
    return np.asarray(first + drawn)


def subsample_of(objective: BinaryObjective, seed: int) -> BinaryObjective | None:
    """The objective of the subsample; None where it has only one class."""
    rows = systematic_sample(len(objective.signs), seed)
    part = restricted(objective, rows)
    signs = part.signs[part.sample_C > 0.0]
    return part if len(signs) > 0 and bool(signs.min() < signs.max()) else None


def validation_of(objective: BinaryObjective, seed: int) -> BinaryObjective:
    """The objective of the validation rows: half as many as the subsample has, and other ones."""
    rows = systematic_sample(len(objective.signs), seed)
    neighbours = rows - rows % SUBSAMPLE_STRIDE + (rows + 1) % SUBSAMPLE_STRIDE
    return restricted(objective, np.asarray(neighbours)[::2])


def restricted(objective: BinaryObjective, rows: Ints) -> BinaryObjective:
    """The objective of some rows, their C scaled up to estimate the sum over all rows."""
    sample_C = objective.sample_C[rows] * (len(objective.sample_C) / len(rows))
    return objective._replace(
        blocks=objective.blocks.take(rows), signs=objective.signs[rows], sample_C=sample_C
    )


class Evaluation(NamedTuple):
    """Losses, dual variables and gradient at an iterate.

    `error` is the relative error of the objective before the step that led here, as predicted by
    the quadratic model. `predicted_alpha` are the dual variables the step predicted, where they may
    prove more than those at the margins.
    """

    loss_sums: LossSums
    gradient: Floats
    error: float = np.inf
    predicted_alpha: Floats | None = None


def iterate_at(objective: BinaryObjective, w: Floats) -> Iterate:
    """An iterate with given weights; its dual variables are still 0."""
    margins = margins_of(objective, w, np.empty_like(objective.sample_C))
    alpha, curvatures = np.zeros_like(margins), np.empty_like(margins)
    return Iterate(w.copy(), margins, alpha, np.zeros((2, len(w))), curvatures)


def margins_of(objective: BinaryObjective, w: Floats, out: Floats) -> Floats:
    """Write the margins y (w·x + b); a FloatingPointError where one is not finite."""
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
    """Evaluate losses, dual variables and gradient at the iterate."""
    loss_sums = evaluate_losses(objective, iterate, smoothed_hinge, from_scratch=from_scratch)
    gradient = iterate.alpha_sums[0] - iterate.alpha_sums[1]
    gradient[:-1] += objective.l2 * iterate.w[:-1]
    gradient[-1] *= objective.fit_intercept
    return Evaluation(loss_sums, gradient)


@dataclass
class ErrorForecast:
    """Predicts the relative error of the objective after a step from the one before it.

    Newton's method squares the error, or, where it is slower, reduces it by the square of the last
    reduction. For the squared hinge nothing is predicted: rows that cross the kink change that.
    """

    objective: BinaryObjective
    tol: float
    last_error: float = 0.0

    def predicted_error(self, error: float) -> float:
        """Relative error that a step from a relative error leaves."""
        if self.objective.loss != LOGISTIC:
            return error
        reduction = min(1.0, error / self.last_error) if self.last_error > 0.0 else 0.0
        return max(QUADRATIC_CONVERGENCE_FACTOR * error**2, error * reduction**2)

    def residual_bound(self, primal: float) -> Callable[[float], float]:
        """Largest |r|² of the Newton system, by the decrease that the quadratic model predicts.

        Only what may be the last step must be solved that well. Inner problems of a hinge are never
        solved to their end.
        """
        small_residual = self.objective.l2 * primal * self.tol  # a gap of tol / 2

        def residual_bound_at(predicted_decrease: float) -> float:
            return (
                small_residual
                if self.predicted_error(predicted_decrease / primal) <= 0.5 * self.tol
                else np.inf
            )

        return any_residual if self.objective.loss == HINGE else residual_bound_at


def newton_on_smooth_loss(
    objective: BinaryObjective, iterate: Iterate, pcg: AdaptivePCG, tol: float
) -> Iterator[tuple[Evaluation, SmoothedHinge]]:
    """Evaluations of Newton's method on a smooth loss, without end."""
    unused = SmoothedHinge(objective.sample_C, 1.0)
    while True:
        for evaluation in newton_iterates(objective, iterate, unused, pcg, tol):
            yield evaluation, unused


def newton_on_smoothed_hinges(
    objective: BinaryObjective, iterate: Iterate, smoothing: float, pcg: AdaptivePCG
) -> Iterator[tuple[Evaluation, SmoothedHinge]]:
    """Evaluations of Newton's method on hinges with less and less smoothing, without end."""
    smoothed_hinge = SmoothedHinge(np.zeros_like(objective.sample_C), smoothing)
    while True:
        n_steps = 0
        for evaluation in newton_iterates(objective, iterate, smoothed_hinge, pcg, 0.0):
            yield evaluation, smoothed_hinge
            n_steps += 1
            residual = stationarity_residual(objective, evaluation.gradient)
            if residual <= STATIONARITY_RATIO * complementarity_gap(evaluation.loss_sums):
                break
        factor = SMOOTHING_DECREASE if n_steps > FAST_INNER_STEPS else SMOOTHING_DECREASE**2
        smoothed_hinge = SmoothedHinge(iterate.alpha.copy(), factor * smoothed_hinge.smoothing)
        warm_start_smoothing(objective, iterate, smoothed_hinge, evaluation.gradient, pcg)


def smallest_smoothing(objective: BinaryObjective) -> float:
    """Smallest initial smoothing: below it the curvatures C/smoothing dwarf the l2 penalty."""
    return (
        float(objective.sample_C.mean())
        * products.mean_square(objective.blocks)
        / MAX_INITIAL_STIFFNESS
    )


def newton_iterates(
    objective: BinaryObjective,
    iterate: Iterate,
    smoothed_hinge: SmoothedHinge,
    pcg: AdaptivePCG,
    tol: float,
) -> Iterator[Evaluation]:
    """Evaluations at the iterates of Newton's method, until no step decreases the objective."""
    margin_changes, predicted_alpha = np.empty_like(iterate.margins), None
    all_rows = np.arange(len(margin_changes)) if objective.loss >= NEVER_FLAT else None
    forecast = ErrorForecast(objective, tol)
    from_scratch, step_length, error = True, 1.0, np.inf
    while step_length > 0.0:
        evaluation = evaluate(objective, iterate, smoothed_hinge, from_scratch=from_scratch)
        yield evaluation._replace(error=error, predicted_alpha=predicted_alpha)
        primal = primal_at(objective, iterate, evaluation.loss_sums)
        residual_bound_at = forecast.residual_bound(primal)
        system = newton_system(objective, iterate, all_rows)
        direction = pcg.solve(system, -evaluation.gradient, residual_bound_at)
        grad_dot_dir = float(evaluation.gradient @ direction)
        step_length = take_step(
            objective, iterate, smoothed_hinge, direction, (grad_dot_dir, margin_changes)
        )
        error = -0.5 * grad_dot_dir / primal
        full_step = objective.loss == LOGISTIC and step_length == 1.0
        may_be_last = full_step and forecast.predicted_error(error) <= tol
        predicted_alpha = (
            predict_alpha(objective, iterate, margin_changes, np.empty_like(margin_changes))
            if may_be_last
            else None
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
    """Move the minimiser for one smoothing towards the minimiser for the next.

    The active set, the rows with 0 < α < C, is assumed to stay: with less smoothing most of these
    rows are outside of the smoothed part at first, where they have no curvature.
    """
    active_set = np.flatnonzero(
        (smoothed_hinge.prox_centers > 0.0) & (smoothed_hinge.prox_centers < objective.sample_C)
    )
    if not len(active_set):
        return
    curvatures = objective.sample_C[active_set] / smoothed_hinge.smoothing
    alpha_changes = objective.signs[active_set] * curvatures * (1.0 - iterate.margins[active_set])
    b = products.weighted_row_sum(objective.blocks, active_set, alpha_changes) - gradient
    b[-1] *= objective.fit_intercept
    direction = pcg.solve(NewtonSystem(objective, active_set, curvatures), b)
    take_step(objective, iterate, smoothed_hinge, direction, (None, np.empty_like(iterate.margins)))


def newton_system(
    objective: BinaryObjective, iterate: Iterate, all_rows: Ints | None
) -> NewtonSystem:
    """Newton's system, over the rows with a curvature; with some losses these are `all_rows`."""
    if all_rows is not None:
        return NewtonSystem(objective, all_rows, iterate.curvatures)
    chosen = np.flatnonzero(iterate.curvatures)
    return NewtonSystem(objective, chosen, iterate.curvatures[chosen])


def take_step(
    objective: BinaryObjective,
    iterate: Iterate,
    smoothed_hinge: SmoothedHinge,
    direction: Floats,
    known: tuple[float | None, Floats],
) -> float:
    """Move the iterate along a direction by a line search; give the step length.

    `known` is g·d, or None, and an array for the changes of the margins, which is overwritten.
    """
    grad_dot_dir, margin_changes = known
    margins_of(objective, direction, margin_changes)
    derivative_at_0, curvature = penalty_along(objective.l2, iterate.w[:-1], direction[:-1])

    def derivative_at(t: float) -> float:
        losses = derivative(objective, iterate, margin_changes, smoothed_hinge, t)
        return derivative_at_0 + t * curvature + losses

    grad_dot_dir = derivative_at(0.0) if grad_dot_dir is None else grad_dot_dir
    nearly_quadratic = (
        objective.loss == LOGISTIC and largest_magnitude(margin_changes) <= SMALL_MARGIN_CHANGE
    )
    full_step = nearly_quadratic and grad_dot_dir < 0.0
    t = 1.0 if full_step else line_search(derivative_at, grad_dot_dir)
    iterate.w = iterate.w + t * direction
    margin_changes *= t
    iterate.margins += margin_changes
    return t


def largest_magnitude(values: Floats) -> float:
    """Largest absolute value, without a copy of the array."""
    return max(float(values.max()), -float(values.min()))
