"""The warm start of Newton's method: the weights of a subsample, where rows are many.

The subsample is systematic: one row of every eight, drawn by the seed. Its losses count eight
times, so that its objective estimates that of all rows. Its margins are off by chance by about
√(weights / rows), `margin_error`: steps that change less are not worth taking. Half as many other
rows are the validation set by which the steps on the subsample are stopped early.
"""

import numpy as np

from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.types import Ints

SUBSAMPLE_STRIDE = 8  # one row of so many
MIN_ROWS_PER_WEIGHT = 4  # in a subsample
MIN_SUBSAMPLE_ROWS = 500
SUBSAMPLE_TOL = 3e-2  # duality gap
SUBSAMPLE_MAX_STEPS = 50


def is_worth_subsampling(n_samples: int, n_weights: int) -> bool:
    """Whether a subsample of the rows determines the weights well enough to start from."""
    return n_samples >= SUBSAMPLE_STRIDE * max(MIN_SUBSAMPLE_ROWS, MIN_ROWS_PER_WEIGHT * n_weights)


def margin_error(objective: BinaryObjective) -> float:
    """Standard error of the margins by the weights of the subsample: √(weights / rows)."""
    rows = objective.blocks.problem.rows
    return float(np.sqrt((n_cols(rows) + 1) * SUBSAMPLE_STRIDE / n_rows(rows)))


def systematic_sample(n: int, seed: int) -> Ints:
    """Row numbers of the subsample: one drawn from every `SUBSAMPLE_STRIDE` successive rows."""
    first = np.arange(0, n - SUBSAMPLE_STRIDE + 1, SUBSAMPLE_STRIDE)
    drawn = np.random.default_rng(seed).integers(0, SUBSAMPLE_STRIDE, len(first))
    return np.asarray(first + drawn)


def subsample_of(objective: BinaryObjective, seed: int) -> BinaryObjective | None:
    """The objective of the subsample; None where it has only one class."""
    rows = systematic_sample(len(objective.signs), seed)
    part = restricted(objective, rows)
    signs = part.signs[part.sample_C > 0.0]
    return part if len(signs) > 0 and bool(signs.min() < signs.max()) else None


def validation_of(objective: BinaryObjective, seed: int) -> BinaryObjective:
    """The objective of the validation rows: half as many as the subsample has, and other ones."""
    rows = systematic_sample(len(objective.signs), seed)
    neighbours = rows - rows % SUBSAMPLE_STRIDE + (rows + 1) % SUBSAMPLE_STRIDE
    return restricted(objective, np.asarray(neighbours)[::2])


def restricted(objective: BinaryObjective, rows: Ints) -> BinaryObjective:
    """The objective of some rows, their C scaled up to estimate the sum over all rows."""
    sample_C = objective.sample_C[rows] * (len(objective.sample_C) / len(rows))
    return objective._replace(
        blocks=objective.blocks.take(rows), signs=objective.signs[rows], sample_C=sample_C
    )
