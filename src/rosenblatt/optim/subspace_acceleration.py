"""Leaps: before an epoch of an ascent, to the best point of the space its last few steps span.

Coordinate ascent creeps where rows are much alike: an epoch then goes on in the direction of the
one before. The dual is a quadratic, or nearly one, so its best point over a few directions is found
from their inner products alone, without a look at the rows (conjugate directions, of which the
epochs are the preconditioner). Multipliers that would leave their bounds stop there, and only their
rows are read.

The rows that stopped miss the others, and the dual may fall far below where the leap began. But
what throws it down are the few directions that many rows share, and they are the ones an epoch
puts right at once: so a leap is judged only after the epoch that follows it.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, add, n_cols, n_rows
from rosenblatt.losses.conjugate import clipped, dual_curvature, dual_derivative
from rosenblatt.optim.duality_gap import Terms, half_square, inner, sum_dual_terms
from rosenblatt.types import Floats

N_DIRECTIONS = 3  # each of a leap and the epoch after it
DAMPING_GROWTH = 1.5
MAX_STEP_FACTOR = 1e3  # times a step: more would blow up its rounding
MIN_STEP_SHARE = 3e-7  # of w: the slope along a shorter step is lost in the rounding of its weights
DIAGONAL_SHIFT_SHARE = (
    1e-14  # added to the diagonal, as a share of its largest: steps may be parallel
)


class DualIterate(NamedTuple):
    """A point of the ascent: the multipliers α, and the weights (w, b) they give."""

    alpha: Floats
    w: Floats

    def copy(self) -> "DualIterate":
        """The same numbers in memory of their own."""
        return DualIterate(self.alpha.copy(), self.w.copy())

    def set_difference(self, start: "DualIterate", end: "DualIterate") -> None:
        """Become the step from one place to another."""
        np.subtract(end.alpha, start.alpha, out=self.alpha)
        np.subtract(end.w, start.w, out=self.w)


class SubspaceAcceleration:
    """Remembers the last few steps, and leaps to the best point they span, or part of the way.

    Parameters
    ----------
    rows, terms
        The problem.
    reach : float
        How far the bias gives way to Σ α y; 0 if there is none.
    """

    def __init__(self, rows: Rows, terms: Terms, bias_step: float) -> None:
        self._rows, self._terms, self._bias_step = rows, terms, bias_step
        self._inverse_bias_step = (
            1.0 / bias_step if bias_step > 0.0 else 0.0
        )  # what b² counts, as a part of ‖w‖²
        # steps that were never made are zero, and do nothing
        self._alphas = np.zeros((N_DIRECTIONS, n_rows(rows)))
        self._ws = np.zeros((N_DIRECTIONS, n_cols(rows) + 1))
        self._oldest, self._damping = 0, 1.0

    def remember(self, start: DualIterate, end: DualIterate) -> None:
        """Take the step from one place to another for a direction, instead of the oldest."""
        DualIterate(self._alphas[self._oldest], self._ws[self._oldest]).set_difference(start, end)
        self._oldest = (self._oldest + 1) % N_DIRECTIONS

    def accelerate(self, iterate: DualIterate) -> float:
        """Move on, in place; tell by how much the dual rose, or fell where bounds were met."""
        newest = self._ws[self._oldest - 1]
        if half_square(newest) <= MIN_STEP_SHARE**2 * half_square(iterate.w):
            return 0.0
        curvatures, derivatives = quadratic_model(
            self._terms, iterate, self._alphas, self._ws, self._inverse_bias_step
        )
        try:
            coefficients = np.asarray(
                self._damping * np.linalg.solve(curvatures, derivatives), np.float64
            )
        except np.linalg.LinAlgError:  # the steps are one and the same, but for rounding
            return 0.0
        if not np.abs(coefficients).max() < MAX_STEP_FACTOR:
            return 0.0
        before, dual_value = iterate.alpha.copy(), self._dual_value(iterate)
        add_steps(coefficients, self._alphas, iterate.alpha)
        add_steps(coefficients, self._ws, iterate.w)
        clip_to_bounds(self._rows, self._terms, before, iterate, self._bias_step)
        return self._dual_value(iterate) - dual_value

    def adapt_damping(self, *, raised_dual: bool) -> None:
        """Go half as far next time where a leap did not pay; else farther, up to all the way."""
        self._damping = (
            min(1.0, DAMPING_GROWTH * self._damping) if raised_dual else 0.5 * self._damping
        )

    def _dual_value(self, iterate: DualIterate) -> float:
        bias_penalty = 0.5 * self._inverse_bias_step * float(iterate.w[-1]) ** 2
        return (
            float(sum_dual_terms(self._terms, iterate.alpha) - half_square(iterate.w[:-1]))
            - bias_penalty
        )


@njit(cache=True, nogil=True)
def quadratic_model(
    terms: Terms, iterate: DualIterate, alphas: Floats, ws: Floats, inverse_bias_step: float
) -> tuple[Floats, Floats]:
    """How the dual bends along each two steps from a place, and its slope along each."""
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
        bias_penalty = inverse_bias_step * ws[s, b]
        derivatives[s] = (
            inner(row_derivatives, alphas[s]) - inner(ws[s, :b], w[:b]) - bias_penalty * w[b]
        )
        for t in range(s + 1):
            curvatures[s, t] = inner(curved_steps, alphas[t]) + inner(ws[s, :b], ws[t, :b])
            curvatures[s, t] += bias_penalty * ws[t, b]
            curvatures[t, s] = curvatures[s, t]
        largest = max(largest, curvatures[s, s])
    for s in range(k):
        curvatures[s, s] += DIAGONAL_SHIFT_SHARE * largest if largest > 0.0 else 1.0
    return curvatures, derivatives


@njit(cache=True, nogil=True)
def add_steps(coefficients: Floats, steps: Floats, to: Floats) -> None:
    """Add each step, times its share."""
    for s in range(len(coefficients)):
        for j in range(len(to)):
            to[j] += coefficients[s] * steps[s, j]


@njit(cache=True, nogil=True)
def clip_to_bounds(
    X: Rows, terms: Terms, before: Floats, new: DualIterate, bias_step: float
) -> None:
    """Stop multipliers at their bounds, and take what they went too far out of the weights."""
    (signs, sample_C, loss), (alpha, w) = terms, new
    for i in range(len(signs)):
        if sample_C[i] > 0.0 and alpha[i] != before[i]:
            kept = clipped(loss, alpha[i], before[i], sample_C[i])
            if kept != alpha[i]:
                step = (kept - alpha[i]) * signs[i]
                add(X, i, step, w)
                w[len(w) - 1] += bias_step * step
                alpha[i] = kept
