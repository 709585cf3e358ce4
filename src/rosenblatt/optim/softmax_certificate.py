"""The proved duality gap of the softmax, by dual variables α = c (e_y − q) of rows and classes.

    P(W, b) = ½ρ‖W‖² + Σ c (log Σ_k exp(s_k) − s_y),   s = W x + b
    D(α) = Σ c H(q) − ‖Σ α xᵀ‖² / 2ρ,                  H(q) = −Σ_k q_k log q_k

as for two classes (duality_gap.py): scores and sums with a proved error, taken off both sides.
"""

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, n_rows, square
from rosenblatt.linalg import multi_output
from rosenblatt.linalg.error_free import (
    EPSILON,
    Enclosed,
    error_of,
    read_rows,
    rounded_up_length,
    terms_of_a_sum,
    two_sum,
)
from rosenblatt.optim.certificate import (
    CHUNK_ROWS,
    FUNCTION_ERROR,
    MAX_RESCALE,
    PLAIN_FIRST,
    EnclosedGap,
    Proof,
    enclosed_from_sums,
    entropy_of_rest,
    entropy_term,
    squared_norms,
    squared_norms_of_plain_sum,
)
from rosenblatt.optim.dual_feasibility import feasible_by_class
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.types import Codes, Floats


def prove_softmax(
    objective: SoftmaxObjective,
    W: Floats,
    alpha: Floats,
    tol: float,
    summations: tuple[bool, ...] = PLAIN_FIRST,
) -> Proof:
    """Proved bounds of softmax weights, a row a class, by a feasible dual point near α."""
    codes = objective.blocks.problem.codes
    given = feasible_by_class(alpha, codes, objective.sample_C, bias=objective.bias)
    feasible_point = given is not None
    if given is None:
        given = np.zeros_like(alpha)
    point = -given
    point[np.arange(len(codes)), codes] = given.sum(axis=1)
    for compensated in summations:
        read = read_classes_compensated if compensated else read_classes_plain
        scores, squares = read(objective, W, point)
        enclosed = softmax_enclosed_gap(objective, W, given, scores, squares)
        if enclosed.is_tight(tol):
            break
    part = enclosed.dual_terms / enclosed.square if enclosed.square > 0.0 else 1.0
    if 0.0 < part < MAX_RESCALE and feasible_point:
        shorter = prove_softmax(objective, W, 0.999 * part * point, tol, summations)
        if shorter.bounds.dual > enclosed.dual_lower:
            return shorter
    return enclosed.proof(point, W)


def softmax_enclosed_gap(
    objective: SoftmaxObjective,
    W: Floats,
    given: Floats,
    scores: Enclosed,
    squares: tuple[float, float],
) -> EnclosedGap:
    """Both sides of the softmax's gap from one reading of the rows."""
    codes, sample_C = objective.blocks.problem.codes, objective.sample_C
    with np.errstate(over="ignore", invalid="ignore"):
        losses = softmax_primal_sums(codes, sample_C, scores)
        duals = softmax_dual_sums(given, codes, sample_C)
        return enclosed_from_sums(W[:, :-1].ravel(), losses, duals, squares, objective)


def read_classes_plain(
    objective: SoftmaxObjective, W: Floats, point: Floats
) -> tuple[Enclosed, tuple[float, float]]:
    """Scores of all classes, and ‖Σ α xᵀ‖² as computed and at most, by plain sums."""
    blocks = objective.blocks
    size = blocks.known(row_lengths)
    value = multi_output.scores(blocks, np.ascontiguousarray(W.T))
    term_size = np.outer(size, np.sqrt((W[:, :-1] ** 2).sum(axis=1))) + np.abs(W[:, -1])
    error = error_of(term_size, W.shape[1] + 2, compensated=False)
    V = multi_output.sums(blocks, point)[:-1].ravel()
    spread = float(size @ np.sqrt((point**2).sum(axis=1)))
    scores = Enclosed(value, np.zeros_like(value), error)
    return scores, squared_norms_of_plain_sum(V, spread, terms_of_a_sum(blocks))


def read_classes_compensated(
    objective: SoftmaxObjective, W: Floats, point: Floats
) -> tuple[Enclosed, tuple[float, float]]:
    """The same by compensated sums, class by class."""
    found = [
        read_rows(objective.blocks, w, np.ascontiguousarray(point[:, k])) for k, w in enumerate(W)
    ]
    columns = zip(*(reading.scores for reading in found), strict=True)
    scores = Enclosed(*(np.ascontiguousarray(np.column_stack(parts)) for parts in columns))
    squares = [squared_norms(reading.total) for reading in found]
    most = sum(upper for _, upper in squares) * (1.0 + (len(W) + 4) * EPSILON)
    return scores, (sum(middle for middle, _ in squares), most)


def row_lengths(blocks: Blocks) -> Floats:
    """Length of each row, rounded up."""
    lengths_ = np.empty(n_rows(blocks.problem.rows))

    def here(block: TrainingData, part: Floats) -> None:
        write_lengths(block.rows, part)

    for _ in blocks.each(here, lengths_):
        pass
    return lengths_


@njit(cache=True, nogil=True)
def write_lengths(X: Rows, out: Floats) -> None:
    """Write the length of each row, rounded up."""
    for i in range(len(out)):
        out[i] = rounded_up_length(square(X, i))


@njit(cache=True, nogil=True, error_model="numpy")
def softmax_primal_sums(codes: Codes, sample_C: Floats, scores: Enclosed) -> tuple[float, float]:
    """Σ c (log Σ exp(s) − s_y) at the worst scores allowed, and at those computed."""
    value, correction, error = scores
    upper, lost_upper, middle = 0.0, 0.0, 0.0
    rounding = 2.0 * FUNCTION_ERROR + (value.shape[1] + 2) * EPSILON
    for start in range(0, len(codes), CHUNK_ROWS):
        part_upper, part = 0.0, 0.0
        for i in range(start, min(start + CHUNK_ROWS, len(codes))):
            own, top = codes[i], 0.0
            error_bound = 0.0
            for k in range(value.shape[1]):
                ahead = (value[i, k] - value[i, own]) + (correction[i, k] - correction[i, own])
                top = max(top, ahead)
                size = abs(value[i, k]) + abs(value[i, own])
                error_bound = max(error_bound, error[i, k] + error[i, own] + 4 * EPSILON * size)
            rest = 0.0
            for k in range(value.shape[1]):
                ahead = (value[i, k] - value[i, own]) + (correction[i, k] - correction[i, own])
                rest += np.exp(ahead - top) if k != own else 0.0
            loss = np.log1p(rest) if top == 0.0 else top + np.log(np.exp(-top) + rest)
            part += sample_C[i] * loss
            # all others ahead by the doubt: the loss grows by that, and by its factor, at most
            loss_increase = min(
                error_bound, loss * np.expm1(min(error_bound, 1.0)) * (1.0 + FUNCTION_ERROR)
            )
            loss_increase = error_bound if error_bound >= 1.0 else loss_increase
            part_upper += sample_C[i] * (loss * (1.0 + rounding) + loss_increase)
        upper, lost = two_sum(upper, part_upper)
        lost_upper += lost
        middle += part
    return upper + lost_upper, middle


@njit(cache=True, nogil=True, error_model="numpy")
def softmax_dual_sums(given: Floats, codes: Codes, sample_C: Floats) -> tuple[float, float]:
    """Σ c H(q) for q_k = given/c in other classes than the row's own, at most but for rounding."""
    total, lost_total = 0.0, 0.0
    n_classes = given.shape[1]
    for start in range(0, len(codes), CHUNK_ROWS):
        part = 0.0
        for i in range(start, min(start + CHUNK_ROWS, len(codes))):
            c, taken, entropy = sample_C[i], 0.0, 0.0
            for k in range(n_classes):
                taken += given[i, k]
                entropy += entropy_term(given[i, k], c)
            part += entropy + entropy_of_rest(taken, c)  # the sum is exact
        total, lost = two_sum(total, part)
        lost_total += lost
    total += lost_total
    return total, total * (1.0 + (n_classes + 1) * EPSILON / FUNCTION_ERROR)
