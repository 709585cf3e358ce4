"""Where to cut a projection of two classes: between them where they come apart, else by error."""

from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.solvers.moments import row_weights
from rosenblatt.solvers.score import scores_of


class Gap(NamedTuple):
    """The highest projection of class 0 and the lowest of class 1."""

    below: float
    above: float

    def __add__(self, other: "Gap") -> "Gap":  # type: ignore[override]
        """Gap of both sets of rows."""
        return Gap(max(self.below, other.below), min(self.above, other.above))


def midway(blocks: Blocks, w: Floats) -> float | None:
    """Projection midway between the two closest of different classes, where they come apart.

    Reads no further than to the first block that shows that they do not.
    """
    gap = Gap(-np.inf, np.inf)
    for more in blocks.each(partial(gap_of, w=w)):
        gap = gap + more
        if gap.below >= gap.above:
            return None
    return 0.5 * (gap.below + gap.above)


def gap_of(block: Problem, *, w: Floats) -> Gap:
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
    return float(0.5 * (projected[best] + projected[best + 1]))


def weighted_projections(block: Problem, *, w: Floats) -> tuple[Floats, Floats, Array]:
    """Projection, weight and class of each row."""
    weights = row_weights(block)
    projected = projections(block, w)
    return projected, weights if len(weights) else np.ones(len(projected)), block.codes


def projections(block: Problem, w: Floats) -> Floats:
    """w·x of each row."""
    return np.asarray(scores_of(block.rows, np.append(w, 0.0)[None])[:, 0])
