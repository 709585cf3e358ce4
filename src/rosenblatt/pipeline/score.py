"""Evaluation of a saved model on a labelled source, chunk by chunk."""

import numpy as np

from rosenblatt.io.chunks import Source
from rosenblatt.persist.model import Model
from rosenblatt.pipeline.evaluate import TEST_SET, Evaluation
from rosenblatt.preprocess.target import coded


def evaluate_model(model: Model, source: Source) -> Evaluation:
    """The evaluation of a model on every row of a source; some numbers a row are kept."""
    classes = tuple(model.classes.tolist())
    parts = [
        (coded(chunk, model.preparation.target, classes), model.scores(chunk)) for chunk in source
    ]
    true = np.concatenate([true for true, _ in parts])
    scores = np.concatenate([scores for _, scores in parts])
    return Evaluation(
        true=true,
        predicted=model.codes(scores).astype(np.int64),
        n_classes=len(classes),
        method=TEST_SET,
        scores=scores,
        probabilities=None if model.link is None else model.probabilities_at(scores),
    )
