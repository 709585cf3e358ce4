"""Metrics of an evaluation: accuracy, ROC AUC, F1, log loss, Brier score, calibration."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.pipeline.evaluate import Evaluation
from rosenblatt.preprocess.target import label_text
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.persist.model import Model

N_CALIBRATION_BINS = 10
MIN_PROBABILITY = 1e-15  # in the log loss


def evaluation_json(evaluation: Evaluation, classes: Sequence[str]) -> dict[str, Any]:
    """An evaluation as plain data; a metric is None where it is not defined."""
    recalls, f1 = per_class(evaluation.confusion)
    known, K = evaluation.known, len(classes)
    probabilities = known.probabilities
    ranking = known.scores if K == 2 or probabilities is None else probabilities
    if ranking is None:
        ranking = probabilities
    return {
        "accuracy": evaluation.accuracy,
        "accuracy_interval": list(evaluation.accuracy_interval),
        "baseline_accuracy": evaluation.baseline_accuracy,
        "balanced_accuracy": _mean(recalls),
        "roc_auc": None if ranking is None else roc_auc(known.true, ranking, K),
        "f1": _mean(f1),
        "log_loss": None if probabilities is None else log_loss(known.true, probabilities),
        "positive": classes[1] if K == 2 else None,
        "confusion": evaluation.confusion.tolist(),
        "n_rows": evaluation.n_rows,
        "n_unknown_class": evaluation.n_unknown_class,
        "method": evaluation.method,
    }


def per_class(confusion: Ints) -> tuple[Floats, Floats]:
    """Recall and F1 of each class; NaN where not defined."""
    hits = np.diag(confusion).astype(float)
    rows, predicted = confusion.sum(axis=1), confusion.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return hits / rows, 2.0 * hits / (rows + predicted)


def _mean(values: Floats) -> float | None:
    """The mean over classes, those left out where it is not defined."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else None


def log_loss(true: Ints, probabilities: Floats) -> float:
    """The mean negative logarithm of the probability of the true class."""
    own = probabilities[np.arange(len(true)), true]
    return float(-np.log(np.maximum(own, MIN_PROBABILITY)).mean())


def brier_score(true: Ints, probabilities: Floats) -> float:
    """The Brier score: the mean squared error of the probabilities, half of it for two classes."""
    n_classes = probabilities.shape[1]
    squares = ((probabilities - np.eye(n_classes)[true]) ** 2).sum(axis=1).mean()
    return float(squares / 2 if n_classes == 2 else squares)


def roc_auc(true: Ints, scores: Floats, n_classes: int) -> float | None:
    """Area under the ROC curve; for more than two classes one-vs-rest, macro average."""
    if n_classes == 2:
        return area(true == 1, scores[:, -1])
    areas = [area(true == k, scores[:, k]) for k in range(n_classes)]
    defined = [a for a in areas if a is not None]
    return float(np.mean(defined)) if defined else None


def area(positive: Array, scores: Floats) -> float | None:
    """Area under the ROC curve, by ranks; ties count one half."""
    n_positive = int(np.count_nonzero(positive))
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[place]
    above = float(ranks[positive].sum()) - n_positive * (n_positive + 1) / 2.0
    return above / (n_positive * n_negative)


def calibration(confidence: Floats, correct: Array) -> dict[str, Any]:
    """Expected calibration error, and confidence and accuracy of predictions in bins."""
    bins = np.minimum((confidence * N_CALIBRATION_BINS).astype(int), N_CALIBRATION_BINS - 1)
    table = []
    for b in range(N_CALIBRATION_BINS):
        here = bins == b
        if here.any():
            mean, accuracy = float(confidence[here].mean()), float(correct[here].mean())
            table.append({"n_rows": int(here.sum()), "confidence": mean, "accuracy": accuracy})
    off = sum(row["n_rows"] * abs(row["confidence"] - row["accuracy"]) for row in table)
    return {"expected_calibration_error": float(off / len(correct)), "bins": table}


def score_json(model: "Model", source: str, evaluation: Evaluation) -> dict[str, Any]:
    """All metrics of a model on a source."""
    if evaluation.n_unknown_class == evaluation.n_rows:
        raise SourceError(f"{source}: no row belongs to a class that the model was trained on.")
    classes = [label_text(label) for label in model.classes]
    known = evaluation.known
    score = {"source": source, "classes": classes, **evaluation_json(evaluation, classes)}
    if known.probabilities is None:
        return {**score, "brier_score": None, "calibration": None}
    confidence = known.probabilities.max(axis=1)
    return {
        **score,
        "brier_score": brier_score(known.true, known.probabilities),
        "calibration": calibration(confidence, known.correct),
    }
