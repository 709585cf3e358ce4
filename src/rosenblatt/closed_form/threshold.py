"""Where to cut a projection of two classes: between them where they come apart, else by error."""

from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.closed_form.moments import row_weights
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.linalg.scores import scores_of
from rosenblatt.types import Array, Floats

FIRST_LOOK = 4096  # rows


class Gap(NamedTuple):
    """The highest projection of class 0 and the lowest of class 1."""

    below: float
    above: float

    @property
    def overlaps(self) -> bool:
        """Whether the classes do not come apart."""
        return self.below >= self.above

    def __add__(self, other: "Gap") -> "Gap":  # type: ignore[override]
        """Gap of both sets of rows."""
        return Gap(max(self.below, other.below), min(self.above, other.above))


def midway(blocks: Blocks, w: Floats) -> float | None:
    """Projection midway between the two closest of different classes, where they come apart."""
    gap_here = partial(gap_of, w=w)
    if gap_here(blocks.problem.part(0, FIRST_LOOK)).overlaps:
        return None  # most classes that overlap do so among the first rows
    gap = blocks.total(gap_here)
    return None if gap.overlaps else between(gap.below, gap.above)


def between(below: float, above: float) -> float:
    """Cut midway; rows at the cut count as above, so it is not `below` even after rounding."""
    middle = 0.5 * below + 0.5 * above
    return middle if middle > below else above


def gap_of(block: TrainingData, *, w: Floats) -> Gap:
    """Gap between the classes of a block, of the rows that have weight."""
    projected, counts = projections(block, w), row_weights(block)
    rows = counts > 0 if len(counts) else np.ones(len(projected), bool)
    positive = block.codes == 1
    return Gap(
        float(projected[rows & ~positive].max(initial=-np.inf)),
        float(projected[rows & positive].min(initial=np.inf)),
    )


def equal_error(blocks: Blocks, w: Floats) -> float:
    """Projection at which the two classes have the most equal shares of rows on the wrong side.

    Keeps one number a row.
    """
    parts = list(blocks.each(partial(weighted_projections, w=w)))
    projected, weights, codes = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(projected, kind="stable")
    projected, weights, positive = projected[order], weights[order], codes[order] == 1
    missed = np.cumsum(weights * positive) / np.sum(weights * positive)
    passed = 1.0 - np.cumsum(weights * ~positive) / np.sum(weights * ~positive)
    cuts = np.flatnonzero(projected[:-1] < projected[1:])  # between rows that differ
    if not len(cuts):
        return float(projected[0])
    best = cuts[np.argmin(np.abs(missed[cuts] - passed[cuts]))]
    return between(float(projected[best]), float(projected[best + 1]))


def weighted_projections(block: TrainingData, *, w: Floats) -> tuple[Floats, Floats, Array]:
    """Projection, weight and class of each row that has weight."""
    weights, projected = row_weights(block), projections(block, w)
    if not len(weights):
        return projected, np.ones(len(projected)), block.codes
    rows = weights > 0
    return projected[rows], weights[rows], block.codes[rows]


def projections(block: TrainingData, w: Floats) -> Floats:
    """w·x of each row."""
    return np.asarray(scores_of(block.rows, np.append(w, 0.0)[None])[:, 0])
