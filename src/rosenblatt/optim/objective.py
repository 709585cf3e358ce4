"""What all rows answer at their margins: the loss, the pulls with their sums, the curvatures."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, add, add4, in_groups, n_cols, prefetch_row
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, NEVER_FLAT, value_and_derivative
from rosenblatt.losses.smoothing import loss_alpha_curvature
from rosenblatt.types import Floats

PREFETCH_ROWS, MAX_PREFETCHED_FEATURES = (
    32,
    256,
)  # rows, features: short rows that are all read, sign by sign, are fetched
CHUNK_ROWS = 1024  # rows answered at a time, where no array of all is wanted


class BinaryObjective(NamedTuple):
    """A problem of two classes: minimise ½ρ‖w‖² + Σ c ℓ(y (w·x + b)).

    `signs` are the y, `costs` the c, `ridge` is ρ; without `bias` b stays 0.
    """

    blocks: Blocks
    loss: int
    signs: Floats
    sample_C: Floats  # noqa: N815 (C as in the formulas)
    l2: float
    bias: bool


class SmoothedHinge(NamedTuple):
    """What Newton's steps descend: the loss, or for the hinge a smooth floor under it."""

    prox_centers: Floats
    smoothing: float


@dataclass
class Iterate:
    """Where a run stands: weights (w, b), margins, and the pulls with their sums by sign.

    `curvatures` has room for an answer of every row: finding fresh memory takes the operating
    system as long as filling it.
    """

    w: Floats
    margins: Floats
    alpha: Floats
    sums: Floats
    curvatures: Floats


class LossSums(NamedTuple):
    """Answers of all rows: Σ c ℓ(m), Σ dual(a) by sign, Σ a m, and the curvature of each.

    The curvatures are the place's own, and overwritten by its next answer.
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
    """Let all rows pull; the sums follow the pulls that changed, or are made anew."""
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
    iterate.sums = sums if from_scratch else iterate.sums + sums
    dual_terms = 0.5 * np.array([dual - signed_dual, dual + signed_dual])
    return LossSums(loss, dual_terms, alpha_dot_margins, iterate.curvatures)


def predict_alpha(
    objective: BinaryObjective, iterate: Iterate, moves: Floats, out: Floats
) -> Floats:
    """Write the pulls a − θμ that the curvatures θ let expect where the margins have moved by μ."""

    def on_block(_: TrainingData, *arrays: Floats) -> None:
        predict_rows(*arrays)

    for _ in objective.blocks.each(
        on_block, iterate.alpha, iterate.curvatures, moves, objective.sample_C, out
    ):
        pass
    return out


def derivative(
    objective: BinaryObjective,
    iterate: Iterate,
    moves: Floats,
    smoothed_hinge: SmoothedHinge,
    t: float,
) -> float:
    """Derivative of the sum of the floor along margins + t moves."""

    def on_block(_: TrainingData, m: Floats, dm: Floats, c: Floats, a0: Floats) -> float:
        return float(
            derivative_of_rows(objective.loss, 1.0 / smoothed_hinge.smoothing, t, m, dm, (c, a0))
        )

    return objective.blocks.total(
        on_block, iterate.margins, moves, objective.sample_C, smoothed_hinge.prox_centers
    )


def total_loss(objective: BinaryObjective, margins: Floats) -> float:
    """Σ c ℓ(m)."""

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
    """Write pull and curvature of each row, and add what moved to the sums of its sign.

    Gives Σ c ℓ(m), Σ dual(a), Σ y dual(a) and Σ a m.
    """
    margins, signs, sample_C, prox_centers, alpha, curvatures = arrays
    n, bias = len(margins), n_cols(X)
    values, new_alpha = np.empty(n), np.empty(n)
    evaluate_rows(
        loss, inverse_smoothing, margins, sample_C, prox_centers, (values, new_alpha, curvatures)
    )
    rows, factors = np.zeros((2, 4), np.int64), np.zeros((2, 4))
    n_pending = np.zeros(2, np.int64)
    prefetch = loss >= NEVER_FLAT and bias <= MAX_PREFETCHED_FEATURES
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
        sums[side, bias] += change
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
    """Write loss, pull and curvature of each row; a loop of its own for each loss is vectorised."""
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
def add_four(X: Rows, rows: Floats, a: Floats, total: Floats) -> None:
    """Add four rows, each times its own number."""
    now = (rows[0], rows[1], rows[2], rows[3])
    add4(X, now, (a[0], a[1], a[2], a[3]), total)


@njit(cache=True, nogil=True)
def predict_rows(
    alpha: Floats, curvatures: Floats, moves: Floats, sample_C: Floats, out: Floats
) -> None:
    """Write a − θμ of each row, held between 0 and c."""
    for i in range(len(alpha)):
        out[i] = min(max(alpha[i] - curvatures[i] * moves[i], 0.0), sample_C[i])


@njit(cache=True, nogil=True)
def derivative_of_rows(
    loss: int,
    inverse_smoothing: float,
    t: float,
    margins: Floats,
    moves: Floats,
    arrays: tuple[Floats, Floats],
) -> float:
    """−Σ pull · move at margins + t moves."""
    sample_C, prox_centers = arrays
    total = 0.0
    there, found = (
        np.empty(CHUNK_ROWS),
        (np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS), np.empty(CHUNK_ROWS)),
    )
    for start in range(0, len(margins), CHUNK_ROWS):
        n = min(CHUNK_ROWS, len(margins) - start)
        for i in range(n):
            there[i] = margins[start + i] + t * moves[start + i]
        stop = start + n
        evaluate_rows(
            loss,
            inverse_smoothing,
            there[:n],
            sample_C[start:stop],
            prox_centers[start:stop],
            found,
        )
        for i in range(n):
            total -= found[1][i] * moves[start + i]
    return total


@njit(cache=True, nogil=True)
def loss_of_rows(loss: int, margins: Floats, sample_C: Floats) -> float:
    """Σ c ℓ(m)."""
    total = 0.0
    for i in range(len(margins)):
        total += sample_C[i] * value_and_derivative(loss, margins[i])[0]
    return total
