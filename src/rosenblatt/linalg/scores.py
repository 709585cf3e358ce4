"""Scores of rows: w_k · x + b_k for every unit k, in the same bits as in training."""

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, dot, dot4, n_cols, n_rows, prefetchable4
from rosenblatt.losses.link import decided
from rosenblatt.types import Floats


def scores_of(rows: Rows, W: Floats) -> Floats:
    """Scores of every row, a column a unit."""
    scores = np.empty((n_rows(rows), len(W)))
    score_rows(rows, np.ascontiguousarray(W), scores)
    return scores


def training_error(blocks: Blocks, W: Floats) -> float:
    """Share of the rows, by weight, that the weights W decide wrongly."""
    wrong, everything = blocks.total(lambda block: wrong_and_all(block, scores_of(block.rows, W)))
    return float(wrong / everything)


def wrong_and_all(block: TrainingData, scores: Floats) -> Floats:
    """Weight of the rows that their scores decide wrongly, and of all."""
    weights = block.weights * block.class_weights[block.codes]
    wrong = decided(scores, block.n_classes) != block.codes
    return np.array([weights[wrong].sum(), weights.sum()])


@njit(cache=True, nogil=True)
def score_rows(X: Rows, W: Floats, scores: Floats) -> None:
    """Write the score of each row by each unit."""
    d, n = n_cols(X), n_rows(X)
    for i in range(0, n - 3, 4):
        now, then = (i, i + 1, i + 2, i + 3), min(i + 4, n - 4)
        later = prefetchable4(X, (then, then + 1, then + 2, then + 3))
        write_four(dot4(X, now, W[0], later), i, 0, W[0, d], scores)
        for k in range(1, len(W)):
            write_four(dot4(X, now, W[k], None), i, k, W[k, d], scores)
    for i in range(n - n % 4, n):
        for k in range(len(W)):
            scores[i, k] = dot(X, i, W[k]) + W[k, d]


@njit(cache=True, nogil=True, forceinline=True)
def write_four(products: tuple[float, ...], i: int, k: int, bias: float, scores: Floats) -> None:
    """Write the scores of four rows from the i-th on by unit k."""
    for b in range(4):
        scores[i + b, k] = products[b] + bias
