"""A model's decisions on rows of known classes, chunk by chunk; a few numbers a row are kept."""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.models.model import Model
from rosenblatt.sources.chunks import Source
from rosenblatt.tables.targets import UNKNOWN, coded


class Scored(NamedTuple):
    """True classes, decisions, scores and probabilities of rows; and how many classes are unknown.

    Rows whose class the model never saw are counted in `strange`, and left out of the arrays.
    """

    true: Ints
    decided: Ints
    scores: Floats
    probabilities: Floats | None
    strange: int


def scored(model: Model, source: Source) -> Scored:
    """Decide for every row of a source."""
    classes = tuple(model.classes.tolist())
    parts: list[tuple[Ints, Floats]] = []
    strange = 0
    for chunk in source:
        true, scores = coded(chunk, model.preparation.target, classes), model.scores(chunk)
        known = true != UNKNOWN
        strange += int(np.count_nonzero(~known))
        parts.append((true[known], scores[known]))
    true = np.concatenate([true for true, _ in parts])
    scores = np.concatenate([scores for _, scores in parts])
    shares = None if model.link is None else model.probabilities_at(scores)
    return Scored(true, model.codes(scores).astype(np.int64), scores, shares, strange)
