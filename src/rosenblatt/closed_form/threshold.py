"""Threshold of a projection of two classes: midway where they are separated, else equal error."""

from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.closed_form.moments import row_weights
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.linalg.scores import scores_of
from rosenblatt.types import Array, Floats

OVERLAP_CHECK_ROWS = 4096


class Gap(NamedTuple):
    """The largest projection of class 0 and the smallest of class 1."""

    below: float
    above: float

    @property
    def overlaps(self) -> bool:
        """Whether the projections of the classes overlap."""
        return self.below >= self.above

    def __add__(self, other: "Gap") -> "Gap":  # type: ignore[override]
        """Gap of both sets of rows."""
        return Gap(max(self.below, other.below), min(self.above, other.above))


def midway(blocks: Blocks, w: Floats) -> float | None:
    """Threshold midway between the classes; None where their projections overlap."""
    gap_here = partial(gap_of, w=w)
    if gap_here(blocks.problem.part(0, OVERLAP_CHECK_ROWS)).overlaps:
        return None  # most classes that overlap do so among the first rows
    gap = blocks.total(gap_here)
    return None if gap.overlaps else between(gap.below, gap.above)


def between(below: float, above: float) -> float:
    """Midpoint; rows at the threshold count as above, so it exceeds `below` despite rounding."""
    middle = 0.5 * below + 0.5 * above
    return middle if middle > below else above


def gap_of(block: TrainingData, *, w: Floats) -> Gap:
    """Gap between the classes of a block, from the rows with a weight."""
    projected, counts = projections(block, w), row_weights(block)
    rows = counts > 0 if len(counts) else np.ones(len(projected), bool)
    positive = block.codes == 1
    return Gap(
        float(projected[rows & ~positive].max(initial=-np.inf)),
        float(projected[rows & positive].min(initial=np.inf)),
    )


def equal_error(blocks: Blocks, w: Floats) -> float:
    """Threshold of equal error rates in the two classes, as nearly as possible.

    Keeps the projections of all rows in memory.
    """
    parts = list(blocks.each(partial(weighted_projections, w=w)))
    projected, weights, codes = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(projected, kind="stable")
    projected, weights, positive = projected[order], weights[order], codes[order] == 1
    false_negative_rate = np.cumsum(weights * positive) / np.sum(weights * positive)
    false_positive_rate = 1.0 - np.cumsum(weights * ~positive) / np.sum(weights * ~positive)
    cuts = np.flatnonzero(projected[:-1] < projected[1:])  # between different projections
    if not len(cuts):
        return float(projected[0])
    best = cuts[np.argmin(np.abs(false_negative_rate[cuts] - false_positive_rate[cuts]))]
    return between(float(projected[best]), float(projected[best + 1]))


def weighted_projections(block: TrainingData, *, w: Floats) -> tuple[Floats, Floats, Array]:
    """Projection, weight and class of each row with a weight."""
    weights, projected = row_weights(block), projections(block, w)
    if not len(weights):
        return projected, np.ones(len(projected)), block.codes
    rows = weights > 0
    return projected[rows], weights[rows], block.codes[rows]


def projections(block: TrainingData, w: Floats) -> Floats:
    """w·x of each row."""
    return np.asarray(scores_of(block.rows, np.append(w, 0.0)[None])[:, 0])
