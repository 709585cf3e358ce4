"""Bounds of the convergence theorem: mistakes, and the margin bracket of a run.

A perceptron that starts at w = 0 and adds η y (x, 1) at each of k mistakes has, for any separable
data, with γ* the largest margin of unit weights on the vectors (x, 1) and R their largest norm,

    k γ* ≤ |w_k| / η,      γ* ≥ min y (w·x) / |w|      and      k ≤ (R / γ*)².

So |w_k| / (η k) bounds γ* from above during the run, and an epoch without a mistake bounds it from
below: a bracket that closes. (Lecture 000 writes γ/2 for what is γ here: its bound is 4R²/γ².)
In Kesler's construct the vectors have x at the own class and −x at the rival, the margin is that of
the K(d+1)-vector, and R² counts twice.

Premises: w starts at 0, η is constant, all samples have the same weight, and there is no penalty.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, n_rows, square
from rosenblatt.linalg.scores import margins_of, scores_of
from rosenblatt.types import Floats


class MarginBounds(NamedTuple):
    """lower ≤ γ* ≤ upper, for the vectors (x, 1)."""

    lower: float
    upper: float


class MarginAndRadius(NamedTuple):
    """Smallest functional margin (times |w|) of some rows, and their largest ‖(x, 1)‖²."""

    margin: float
    square_radius: float

    def __add__(self, other: "MarginAndRadius") -> "MarginAndRadius":  # type: ignore[override]
        """Those of both sets of rows."""
        return MarginAndRadius(
            min(self.margin, other.margin), max(self.square_radius, other.square_radius)
        )


def margin_and_radius(
    blocks: Blocks, W: Floats, *, constant: float, kesler: bool
) -> MarginAndRadius:
    """Smallest margin and largest norm over all rows, in one pass."""

    def of_block(block: TrainingData) -> MarginAndRadius:
        scores = scores_of(block.rows, W)
        margin = smallest_margin(scores, block, kesler=kesler)
        lengths = np.empty(n_rows(block.rows))
        squares(block.rows, lengths)
        return MarginAndRadius(margin, float(lengths.max()) + constant * constant)

    return blocks.total(of_block)


def smallest_margin(scores: Floats, block: TrainingData, *, kesler: bool) -> float:
    """Smallest margin of some rows, from their scores."""
    margins = margins_of(scores, block.codes) if kesler else _unit_margins(scores, block)
    return float(margins.min())


def _unit_margins(scores: Floats, block: TrainingData) -> Floats:
    positive = np.array([1]) if scores.shape[1] == 1 else np.arange(scores.shape[1])
    margins: Floats = np.where(block.codes[:, None] == positive, scores, -scores)
    return margins


@njit(cache=True, nogil=True)
def squares(X: Rows, lengths: Floats) -> None:
    """Write ‖x‖² of each row."""
    for i in range(len(lengths)):
        lengths[i] = square(X, i)
