"""The objective of a binary problem, and its losses, dual variables and curvatures at an iterate.

    P(w, b) = ½ρ‖w‖² + Σ C ℓ(m),   m = y (w·x + b)
    α = −C ℓ′(m)   dual variable of a row; of a hinge, that of the smoothed hinge
    Θ = C ℓ″(m)    curvature of a row

All are computed from the margins in one pass. The sums Σ α (x, 1), from which the gradient comes,
are updated with the rows whose α changed; late in a run these are few.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, add, add4, in_groups, n_cols, prefetch_row
from rosenblatt.losses.conjugate import loss_alpha_curvature
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, NEVER_FLAT, value_and_derivative
from rosenblatt.types import Floats

PREFETCH_ROWS = 32  # rows ahead
MAX_PREFETCHED_FEATURES = 256  # rows this short are prefetched, as their order by sign is irregular
CHUNK_ROWS = 1024  # evaluated at a time by the line search


class BinaryObjective(NamedTuple):
    """A problem of two classes: minimise ½ρ‖w‖² + Σ C ℓ(y (w·x + b)).

    `signs` are the y, `sample_C` the C of each row, `l2` is ρ; without `fit_intercept` b stays 0.
    """

    blocks: Blocks
    loss: int
    signs: Floats
    sample_C: Floats  # noqa: N815 (C as in the formulas)
    l2: float
    fit_intercept: bool


class SmoothedHinge(NamedTuple):
    """The smoothed hinge (losses/conjugate.py): proximal centre of each row, and smoothing ω."""

    prox_centers: Floats
    smoothing: float


@dataclass
class Iterate:
    """Weights (w, b), margins, dual variables and their sums Σ α (x, 1) over y = −1 and y = +1.

    `curvatures` is memory for those of every row, which would take as long to allocate as to fill.
    """

    w: Floats
    margins: Floats
    alpha: Floats
    alpha_sums: Floats
    curvatures: Floats


class LossSums(NamedTuple):
    """Σ C ℓ(m), Σ dual(α) over y = −1 and y = +1, Σ α m, and the curvature of each row.

    The curvatures are the iterate's own: its next evaluation overwrites them.
    """

    loss: float
    dual_terms: Floats
    alpha_dot_margins: float
    curvatures: Floats


def evaluate_losses(
    objective: BinaryObjective,
    iterate: Iterate,
    smoothed_hinge: SmoothedHinge,
    *,
    from_scratch: bool,
) -> LossSums:
    """Evaluate losses, dual variables and curvatures; update Σ α (x, 1), or compute it afresh."""
    shape = (2, len(iterate.w))

    def on_block(block: TrainingData, *arrays: Floats) -> Floats:
        sums = np.zeros(shape)
        found = alpha_rows(
            block.rows, objective.loss, 1.0 / smoothed_hinge.smoothing, from_scratch, arrays, sums
        )
        return np.append(found, sums)

    arrays = (
        iterate.margins,
        objective.signs,
        objective.sample_C,
        smoothed_hinge.prox_centers,
        iterate.alpha,
        iterate.curvatures,
    )
    totals = objective.blocks.total(on_block, *arrays)
    loss, dual, signed_dual, alpha_dot_margins = (float(total) for total in totals[:4])
    sums = totals[4:].reshape(shape)
    iterate.alpha_sums = sums if from_scratch else iterate.alpha_sums + sums
    dual_terms = 0.5 * np.array([dual - signed_dual, dual + signed_dual])
    return LossSums(loss, dual_terms, alpha_dot_margins, iterate.curvatures)


def predict_alpha(
    objective: BinaryObjective, iterate: Iterate, margin_changes: Floats, out: Floats
) -> Floats:
    """Write α − Θ μ, the dual variables predicted for changes μ of the margins."""

    def on_block(_: TrainingData, *arrays: Floats) -> None:
        predict_rows(*arrays)

    for _ in objective.blocks.each(
        on_block, iterate.alpha, iterate.curvatures, margin_changes, objective.sample_C, out
    ):
        pass
    return out


def derivative(
    objective: BinaryObjective,
    iterate: Iterate,
    margin_changes: Floats,
    smoothed_hinge: SmoothedHinge,
    t: float,
) -> float:
    """Derivative of the sum of the (smoothed) losses along margins + t changes."""

    def on_block(_: TrainingData, m: Floats, dm: Floats, c: Floats, a0: Floats) -> float:
        return float(
            derivative_of_rows(objective.loss, 1.0 / smoothed_hinge.smoothing, t, m, dm, (c, a0))
        )

    return objective.blocks.total(
        on_block, iterate.margins, margin_changes, objective.sample_C, smoothed_hinge.prox_centers
    )


def total_loss(objective: BinaryObjective, margins: Floats) -> float:
    """Σ C ℓ(m)."""

    def on_block(_: TrainingData, m: Floats, c: Floats) -> float:
        return float(loss_of_rows(objective.loss, m, c))

    return objective.blocks.total(on_block, margins, objective.sample_C)


@njit(cache=True, nogil=True)
def alpha_rows(  # noqa: PLR0915 (a hot loop is one function)
    X: Rows,
    loss: int,
    inverse_smoothing: float,
    from_scratch: bool,  # noqa: FBT001
    arrays: tuple[Floats, ...],
    sums: Floats,
) -> tuple[float, float, float, float]:
    """Write α and curvature of each row; add the changes of α (x, 1) to the sum of its sign.

    Gives Σ C ℓ(m), Σ dual(α), Σ y dual(α) and Σ α m.
    """
    margins, signs, sample_C, prox_centers, alpha, curvatures = arrays
    n, last = len(margins), n_cols(X)
    values, new_alpha = np.empty(n), np.empty(n)
    evaluate_rows(
        loss, inverse_smoothing, margins, sample_C, prox_centers, (values, new_alpha, curvatures)
    )
    rows, factors = np.zeros((2, 4), np.int64), np.zeros((2, 4))
    n_pending = np.zeros(2, np.int64)
    prefetch = loss >= NEVER_FLAT and last <= MAX_PREFETCHED_FEATURES
    total, dual_terms, signed_dual_terms, alpha_dot_margins = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        a = new_alpha[i]
        a_margin = a * margins[i]
        dual = a if loss == HINGE else values[i] + a_margin
        total += values[i]
        dual_terms += dual
        signed_dual_terms += signs[i] * dual
        alpha_dot_margins += a_margin
        change = a if from_scratch else a - alpha[i]
        alpha[i] = a
        if change == 0.0:
            continue
        side = 1 if signs[i] > 0.0 else 0
        sums[side, last] += change
        if not in_groups(X):
            add(X, i, change, sums[side])
            continue
        if prefetch:
            prefetch_row(X, min(i + PREFETCH_ROWS, n - 1))
        k = n_pending[side]
        rows[side, k], factors[side, k] = i, change
        n_pending[side] = k + 1
        if k == 3:
            add_four(X, rows[side], factors[side], sums[side])
            n_pending[side] = 0
    for side in range(2):
        for k in range(n_pending[side]):
            add(X, rows[side, k], factors[side, k], sums[side])
    return total, dual_terms, signed_dual_terms, alpha_dot_margins


@njit(cache=True, forceinline=True)
def evaluate_rows(
    loss: int,
    inverse_smoothing: float,
    margins: Floats,
    sample_C: Floats,
    prox_centers: Floats,
    out: tuple[Floats, Floats, Floats],
) -> None:
    """Write loss, α and curvature of each row; a loop of its own for each loss is vectorised."""
    values, alpha, curvatures = out
    if loss == HINGE:
        for i in range(len(margins)):
            values[i], alpha[i], curvatures[i] = loss_alpha_curvature(
                HINGE, margins[i], sample_C[i], prox_centers[i], inverse_smoothing
            )
    elif loss == LOGISTIC:
        for i in range(len(margins)):
            values[i], alpha[i], curvatures[i] = loss_alpha_curvature(
                LOGISTIC, margins[i], sample_C[i], 0.0, 1.0
            )
    else:
        for i in range(len(margins)):
            values[i], alpha[i], curvatures[i] = loss_alpha_curvature(
                loss, margins[i], sample_C[i], 0.0, 1.0
            )


@njit(cache=True, forceinline=True)
def add_four(X: Rows, rows: Floats, factors: Floats, total: Floats) -> None:
    """Add four rows, each times its factor."""
    four = (rows[0], rows[1], rows[2], rows[3])
    add4(X, four, (factors[0], factors[1], factors[2], factors[3]), total)


@njit(cache=True, nogil=True)
def predict_rows(
    alpha: Floats, curvatures: Floats, margin_changes: Floats, sample_C: Floats, out: Floats
) -> None:
    """Write α − Θ μ of each row, clipped to 0 ≤ α ≤ C."""
    for i in range(len(alpha)):
        out[i] = min(max(alpha[i] - curvatures[i] * margin_changes[i], 0.0), sample_C[i])


@njit(cache=True, nogil=True)
def derivative_of_rows(
    loss: int,
    inverse_smoothing: float,
    t: float,
    margins: Floats,
    margin_changes: Floats,
    arrays: tuple[Floats, Floats],
) -> float:
    """−Σ α μ at margins + t μ."""
    sample_C, prox_centers = arrays
    total = 0.0
    moved = np.empty(CHUNK_ROWS)
    found = (np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS))
    for start in range(0, len(margins), CHUNK_ROWS):
        n = min(CHUNK_ROWS, len(margins) - start)
        for i in range(n):
            moved[i] = margins[start + i] + t * margin_changes[start + i]
        stop = start + n
        evaluate_rows(
            loss,
            inverse_smoothing,
            moved[:n],
            sample_C[start:stop],
            prox_centers[start:stop],
            found,
        )
        for i in range(n):
            total -= found[1][i] * margin_changes[start + i]
    return total


@njit(cache=True, nogil=True)
def loss_of_rows(loss: int, margins: Floats, sample_C: Floats) -> float:
    """Σ C ℓ(m)."""
    total = 0.0
    for i in range(len(margins)):
        total += sample_C[i] * value_and_derivative(loss, margins[i])[0]
    return total
