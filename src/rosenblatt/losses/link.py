"""Links from scores to classes and probabilities; plain numpy, so that prediction starts at once.

==============  ===========================================================================
link            probabilities of the classes at scores s
==============  ===========================================================================
"logistic"      1 − σ(s) and σ(s) of a single score
"softmax"       eˢ of each class, normalised to the sum 1
"one-vs-rest"   σ(s) of each class, normalised to the sum 1
==============  ===========================================================================
"""

import numpy as np

from rosenblatt.types import Array, Floats

LOGISTIC, SOFTMAX, ONE_VS_REST = LINKS = ("logistic", "softmax", "one-vs-rest")


def predicted_codes(scores: Floats, n_classes: int, *, zero_is_first: bool = False) -> Array:
    """Class code of every row: by the sign of a single score, else the class of the largest score.

    A single score of 0 predicts the second class, as in the lectures. With probabilities both
    classes are equally likely there, and `zero_is_first` predicts the first, as `argmax` does.
    """
    if n_classes == 1:
        return np.zeros(len(scores), np.intp)
    if scores.shape[1] == 1:
        above = scores[:, 0] > 0 if zero_is_first else scores[:, 0] >= 0
        return above.astype(np.intp)
    best: Array = scores.argmax(axis=1)
    return best


def probabilities(link: str, scores: Floats) -> Floats:
    """Probability of each class, a column each."""
    if link == LOGISTIC:
        scores = np.hstack([-scores, scores])
    if link != SOFTMAX:
        scores = -np.logaddexp(0.0, -scores)  # log σ
    if link == LOGISTIC:
        return np.exp(scores)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
