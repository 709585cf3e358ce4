"""Scores w_k · x + b_k of rows, to the same bits as in training, and the margins they give."""

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, dot, dot4, n_cols, n_rows, prefetchable4
from rosenblatt.losses.link import predicted_codes
from rosenblatt.types import Floats, Ints


def scores_of(rows: Rows, W: Floats) -> Floats:
    """Scores of every row, a column for each output."""
    scores = np.empty((n_rows(rows), len(W)))
    score_rows(rows, np.ascontiguousarray(W), scores)
    return scores


def training_error(blocks: Blocks, W: Floats) -> float:
    """Share of the rows, by weight, that the weights W misclassify."""
    wrong, total = blocks.total(lambda block: wrong_and_all(block, scores_of(block.rows, W)))
    return float(wrong / total)


def wrong_and_all(block: TrainingData, scores: Floats) -> Floats:
    """Weight of the rows that their scores misclassify, and of all rows."""
    weights = block.weights * block.class_weights[block.codes]
    wrong = predicted_codes(scores, block.n_classes) != block.codes
    return np.array([weights[wrong].sum(), weights.sum()])


@njit(cache=True, nogil=True)
def score_rows(X: Rows, W: Floats, scores: Floats) -> None:
    """Write the score of each row for each output."""
    d, n = n_cols(X), n_rows(X)
    for i in range(0, n - 3, 4):
        four, after = (i, i + 1, i + 2, i + 3), min(i + 4, n - 4)
        prefetched = prefetchable4(X, (after, after + 1, after + 2, after + 3))
        write_four(dot4(X, four, W[0], prefetched), i, 0, W[0, d], scores)
        for k in range(1, len(W)):
            write_four(dot4(X, four, W[k], None), i, k, W[k, d], scores)
    for i in range(n - n % 4, n):
        for k in range(len(W)):
            scores[i, k] = dot(X, i, W[k]) + W[k, d]


@njit(cache=True, nogil=True, forceinline=True)
def write_four(
    products: tuple[float, ...], i: int, k: int, intercept: float, scores: Floats
) -> None:
    """Write the scores of four rows from the i-th on for output k."""
    for b in range(4):
        scores[i + b, k] = products[b] + intercept


def margins_of(scores: Floats, codes: Ints) -> Floats:
    """Margin of every row: positive where the row is classified correctly, 0 at a tie."""
    if scores.shape[1] == 1:
        return np.where(codes == 1, scores[:, 0], -scores[:, 0])
    rows = np.arange(len(scores))
    others = scores.copy()
    others[rows, codes] = -np.inf
    margins: Floats = scores[rows, codes] - others.max(axis=1)
    return margins
