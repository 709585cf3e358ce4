"""Margins of rows, from their scores: y (w·x + b), or the own score less the best other one."""

import numpy as np

from rosenblatt.types import Floats, Ints


def margins_of(scores: Floats, codes: Ints) -> Floats:
    """Margin of every row: positive where the row is classified correctly, 0 at a tie."""
    if scores.shape[1] == 1:
        return np.where(codes == 1, scores[:, 0], -scores[:, 0])
    rows = np.arange(len(scores))
    others = scores.copy()
    others[rows, codes] = -np.inf
    margins: Floats = scores[rows, codes] - others.max(axis=1)
    return margins
