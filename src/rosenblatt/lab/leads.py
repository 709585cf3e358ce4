"""By how much a sample is on its side: positive is right, 0 is a tie."""

import numpy as np

from rosenblatt.arrays import Floats, Ints


def lead_of_own(scores: Floats, codes: Ints) -> Floats:
    """By how much the own class leads the best other; of one unit, y times its score."""
    if scores.shape[1] == 1:
        return np.where(codes == 1, scores[:, 0], -scores[:, 0])
    places = np.arange(len(scores))
    others = scores.copy()
    others[places, codes] = -np.inf
    lead: Floats = scores[places, codes] - others.max(axis=1)
    return lead
