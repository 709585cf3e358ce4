"""The proved duality gap of the softmax, from dual variables α = C (e_y − q) of rows and classes.

    P(W, b) = ½ρ‖W‖² + Σ C (log Σ_k exp(s_k) − s_y),   s = W x + b
    D(α) = Σ C H(q) − ‖Σ α xᵀ‖² / 2ρ,                  H(q) = −Σ_k q_k log q_k

As for two classes (certificate.py): scores and sums have proved errors, which widen both bounds.
"""

import numpy as np

from rosenblatt.data.training_data import Blocks
from rosenblatt.kernels.cache import njit
from rosenblatt.linalg import multi_output, products
from rosenblatt.linalg.error_free import (
    EPSILON,
    LENGTH_ROUNDING,
    SQUARES_UNDERFLOW,
    Enclosed,
    error_of,
    read_rows,
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
    squared_norm_of,
    squared_norm_of_plain_sum,
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
    """Proved gap of softmax weights, one row per class, from a feasible dual point near α."""
    codes = objective.blocks.problem.codes
    given = feasible_by_class(
        alpha, codes, objective.sample_C, fit_intercept=objective.fit_intercept
    )
    has_feasible_point = given is not None
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
    scale = enclosed.dual_terms / enclosed.square if enclosed.square > 0.0 else 1.0
    if 0.0 < scale < MAX_RESCALE and has_feasible_point:
        scaled = prove_softmax(objective, W, MAX_RESCALE * scale * point, tol, summations)
        if scaled.bounds.dual > enclosed.dual_lower:
            return scaled
    return enclosed.proof(point, W)


def softmax_enclosed_gap(
    objective: SoftmaxObjective,
    W: Floats,
    given: Floats,
    scores: Enclosed,
    squares: tuple[float, float],
) -> EnclosedGap:
    """Enclosed P and D of the softmax from one reading of the rows."""
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
    size = blocks.known(rounded_up_norms)
    value = multi_output.scores(blocks, np.ascontiguousarray(W.T))
    term_size = np.outer(size, np.sqrt((W[:, :-1] ** 2).sum(axis=1))) + np.abs(W[:, -1])
    error = error_of(term_size, W.shape[1] + 2, compensated=False)
    V = multi_output.sums(blocks, point)[:-1].ravel()
    spread = float(size @ np.sqrt((point**2).sum(axis=1)))
    scores = Enclosed(value, np.zeros_like(value), error)
    return scores, squared_norm_of_plain_sum(V, spread, terms_of_a_sum(blocks))


def read_classes_compensated(
    objective: SoftmaxObjective, W: Floats, point: Floats
) -> tuple[Enclosed, tuple[float, float]]:
    """The same by compensated sums, class by class."""
    found = [
        read_rows(objective.blocks, w, np.ascontiguousarray(point[:, k])) for k, w in enumerate(W)
    ]
    columns = zip(*(reading.scores for reading in found), strict=True)
    scores = Enclosed(*(np.ascontiguousarray(np.column_stack(parts)) for parts in columns))
    squares = [squared_norm_of(reading.total) for reading in found]
    most = sum(upper for _, upper in squares) * (1.0 + (len(W) + 4) * EPSILON)
    return scores, (sum(middle for middle, _ in squares), most)


def rounded_up_norms(blocks: Blocks) -> Floats:
    """Upper bound of ‖x‖ of each row."""
    squares = blocks.known(products.row_squared_norms)
    return np.asarray(np.sqrt(squares) * LENGTH_ROUNDING + SQUARES_UNDERFLOW)


@njit(cache=True, nogil=True, error_model="numpy")
def softmax_primal_sums(codes: Codes, sample_C: Floats, scores: Enclosed) -> tuple[float, float]:
    """Σ C (log Σ exp(s) − s_y) at the worst scores possible, and at those computed.

    The log-sum-exp is taken relative to the row's own score, and to the largest.
    """
    value, correction, error = scores
    upper, lost_upper, middle = 0.0, 0.0, 0.0
    rounding = 2.0 * FUNCTION_ERROR + (value.shape[1] + 2) * EPSILON
    for start in range(0, len(codes), CHUNK_ROWS):
        part_upper, part = 0.0, 0.0
        for i in range(start, min(start + CHUNK_ROWS, len(codes))):
            own, top = codes[i], 0.0
            error_bound = 0.0
            for k in range(value.shape[1]):
                relative = (value[i, k] - value[i, own]) + (correction[i, k] - correction[i, own])
                top = max(top, relative)
                size = abs(value[i, k]) + abs(value[i, own])
                error_bound = max(error_bound, error[i, k] + error[i, own] + 4 * EPSILON * size)
            rest = 0.0
            for k in range(value.shape[1]):
                relative = (value[i, k] - value[i, own]) + (correction[i, k] - correction[i, own])
                rest += np.exp(relative - top) if k != own else 0.0
            loss = np.log1p(rest) if top == 0.0 else top + np.log(np.exp(-top) + rest)
            part += sample_C[i] * loss
            # the other scores higher by δ: the loss grows by at most δ, and at most e^δ times
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
    """Σ C H(q) for q_k = given/C in the classes other than the row's own; and its size."""
    total, lost_total = 0.0, 0.0
    n_classes = given.shape[1]
    for start in range(0, len(codes), CHUNK_ROWS):
        part = 0.0
        for i in range(start, min(start + CHUNK_ROWS, len(codes))):
            c, taken, entropy = sample_C[i], 0.0, 0.0
            for k in range(n_classes):
                taken += given[i, k]
                entropy += entropy_term(given[i, k], c)
            part += entropy + entropy_of_rest(taken, c)  # `taken` is exact
        total, lost = two_sum(total, part)
        lost_total += lost
    total += lost_total
    return total, total * (1.0 + (n_classes + 1) * EPSILON / FUNCTION_ERROR)
