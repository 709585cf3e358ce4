"""Subspace acceleration of dual coordinate ascent: before an epoch, maximise D over the last steps.

Coordinate ascent is slow where rows are much alike: an epoch then goes on in the direction of the
one before. D is a quadratic, or nearly one, so its maximum over the span of the last few steps
follows from their inner products alone, without reading the rows (conjugate directions, with the
epochs as the preconditioner). Dual variables that would leave their bounds are clipped, and only
their rows are read.

What is clipped is missing from Σ α y x, and D may fall far below where the step began. But it falls
along the few directions that many rows share, which an epoch puts right at once. So a step is
judged together with the epoch that follows it.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, add, n_cols, n_rows
from rosenblatt.losses.conjugate import clipped, dual_curvature, dual_derivative
from rosenblatt.optim.duality_gap import LossTerms, half_square, inner, sum_dual_terms
from rosenblatt.types import Floats

N_DIRECTIONS = 3  # each the sum of an accelerated step and the epoch after it
DAMPING_GROWTH = 1.5
MAX_COEFFICIENT = 1e3  # of a direction: larger ones would magnify its rounding
MIN_STEP_SHARE = 3e-7  # of ‖w‖: the derivative along a shorter step is lost in rounding
DIAGONAL_SHIFT_SHARE = 1e-14  # of the largest diagonal entry: directions may be parallel


class DualIterate(NamedTuple):
    """Dual variables α, and the weights (w, b) they give."""

    alpha: Floats
    w: Floats

    def copy(self) -> "DualIterate":
        """A copy."""
        return DualIterate(self.alpha.copy(), self.w.copy())

    def set_difference(self, start: "DualIterate", end: "DualIterate") -> None:
        """Become the step from one iterate to another, in place."""
        np.subtract(end.alpha, start.alpha, out=self.alpha)
        np.subtract(end.w, start.w, out=self.w)


class SubspaceAcceleration:
    """Maximises D over the span of the last few steps, or goes part of the way (damping).

    Parameters
    ----------
    rows, terms
        The rows, and the losses on them.
    intercept_step : float
        db / d(Σ α y) within an epoch (dual_cd.py); 0 without an intercept.
    """

    def __init__(self, rows: Rows, terms: LossTerms, intercept_step: float) -> None:
        self._rows, self._terms, self._intercept_step = rows, terms, intercept_step
        # within an epoch the intercept has the penalty b² / 2 intercept_step
        self._intercept_l2 = 1.0 / intercept_step if intercept_step > 0.0 else 0.0
        # unused directions are zero
        self._alphas = np.zeros((N_DIRECTIONS, n_rows(rows)))
        self._ws = np.zeros((N_DIRECTIONS, n_cols(rows) + 1))
        self._oldest, self._damping = 0, 1.0

    def remember(self, start: DualIterate, end: DualIterate) -> None:
        """Replace the oldest direction by the step from one iterate to another."""
        DualIterate(self._alphas[self._oldest], self._ws[self._oldest]).set_difference(start, end)
        self._oldest = (self._oldest + 1) % N_DIRECTIONS

    def accelerate(self, iterate: DualIterate) -> float:
        """Move the iterate in place; give the change of D, negative where clipping lowered it."""
        newest = self._ws[self._oldest - 1]
        if half_square(newest) <= MIN_STEP_SHARE**2 * half_square(iterate.w):
            return 0.0
        curvatures, derivatives = quadratic_model(
            self._terms, iterate, self._alphas, self._ws, self._intercept_l2
        )
        try:
            coefficients = np.asarray(
                self._damping * np.linalg.solve(curvatures, derivatives), np.float64
            )
        except np.linalg.LinAlgError:  # the directions are parallel up to rounding
            return 0.0
        if not np.abs(coefficients).max() < MAX_COEFFICIENT:
            return 0.0
        before, dual_value = iterate.alpha.copy(), self._dual_value(iterate)
        add_steps(coefficients, self._alphas, iterate.alpha)
        add_steps(coefficients, self._ws, iterate.w)
        clip_to_bounds(self._rows, self._terms, before, iterate, self._intercept_step)
        return self._dual_value(iterate) - dual_value

    def adapt_damping(self, *, raised_dual: bool) -> None:
        """Halve the damping factor where a step lowered D; else raise it, up to 1."""
        self._damping = (
            min(1.0, DAMPING_GROWTH * self._damping) if raised_dual else 0.5 * self._damping
        )

    def _dual_value(self, iterate: DualIterate) -> float:
        intercept_penalty = 0.5 * self._intercept_l2 * float(iterate.w[-1]) ** 2
        return (
            float(sum_dual_terms(self._terms, iterate.alpha) - half_square(iterate.w[:-1]))
            - intercept_penalty
        )


@njit(cache=True, nogil=True)
def quadratic_model(
    terms: LossTerms, iterate: DualIterate, alphas: Floats, ws: Floats, intercept_l2: float
) -> tuple[Floats, Floats]:
    """Negative second derivatives of D along each pair of directions, and first derivatives."""
    (signs, sample_C, loss), (alpha, w) = terms, iterate
    n, k, b = len(signs), len(ws), len(w) - 1
    row_derivatives, row_curvatures, curved_steps = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        if sample_C[i] > 0.0:
            row_derivatives[i] = dual_derivative(loss, alpha[i], sample_C[i])
            row_curvatures[i] = dual_curvature(loss, alpha[i], sample_C[i])
    curvatures, derivatives, largest = np.zeros((k, k)), np.zeros(k), 0.0
    for s in range(k):
        for i in range(n):
            curved_steps[i] = row_curvatures[i] * alphas[s, i]
        intercept_penalty = intercept_l2 * ws[s, b]
        derivatives[s] = (
            inner(row_derivatives, alphas[s]) - inner(ws[s, :b], w[:b]) - intercept_penalty * w[b]
        )
        for t in range(s + 1):
            curvatures[s, t] = inner(curved_steps, alphas[t]) + inner(ws[s, :b], ws[t, :b])
            curvatures[s, t] += intercept_penalty * ws[t, b]
            curvatures[t, s] = curvatures[s, t]
        largest = max(largest, curvatures[s, s])
    for s in range(k):
        curvatures[s, s] += DIAGONAL_SHIFT_SHARE * largest if largest > 0.0 else 1.0
    return curvatures, derivatives


@njit(cache=True, nogil=True)
def add_steps(coefficients: Floats, steps: Floats, to: Floats) -> None:
    """Add each step times its coefficient."""
    for s in range(len(coefficients)):
        for j in range(len(to)):
            to[j] += coefficients[s] * steps[s, j]


@njit(cache=True, nogil=True)
def clip_to_bounds(
    X: Rows, terms: LossTerms, before: Floats, new: DualIterate, intercept_step: float
) -> None:
    """Clip dual variables to their bounds, and subtract what was clipped from the weights."""
    (signs, sample_C, loss), (alpha, w) = terms, new
    for i in range(len(signs)):
        if sample_C[i] > 0.0 and alpha[i] != before[i]:
            inside = clipped(loss, alpha[i], before[i], sample_C[i])
            if inside != alpha[i]:
                step = (inside - alpha[i]) * signs[i]
                add(X, i, step, w)
                w[len(w) - 1] += intercept_step * step
                alpha[i] = inside
