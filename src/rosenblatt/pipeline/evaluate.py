"""Evaluation of a classifier on rows that it was not trained on.

The metrics are the accuracy with its confidence interval, ROC AUC, F1, log loss, Brier score and
calibration; two classifiers are compared by a paired test.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Source
from rosenblatt.preprocess.target import UNKNOWN_CLASS, encode_labels, label_text
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.persist.model import Model

TEST_SET = "test set"  # a method of evaluation


N_BOOTSTRAP_SAMPLES = 1000
CONFIDENCE = 0.95
Z = 1.959963984540054  # standard normal quantile of a 95 % interval
N_CALIBRATION_BINS = 10
MIN_PROBABILITY = 1e-15  # in the log loss


class IntervalEstimate(NamedTuple):
    """A number with its 95 % confidence interval."""

    value: float
    low: float
    high: float


def wilson(p: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval around a share p of n independent rows."""
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z / (1 + Z * Z / n) * float(np.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)))
    low = 0.0 if p == 0 else middle - reach  # exactly, whatever rounding makes of it
    high = 1.0 if p == 1 else middle + reach
    return low, high


def bootstrap_means(rows: Floats, rng: np.random.RandomState) -> list[IntervalEstimate]:
    """The mean of each column, with its percentile bootstrap interval over the rows.

    All columns share the bootstrap samples. A column of zeros has the interval 0 to 0, although an
    event that none of n rows has may still occur in up to 3 of n.
    """
    n = len(rows)
    samples = np.array(
        [rows[rng.randint(n, size=n)].mean(axis=0) for _ in range(N_BOOTSTRAP_SAMPLES)]
    )
    low, high = np.quantile(samples, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return [
        IntervalEstimate(float(mean), float(a), float(b))
        for mean, a, b in zip(rows.mean(axis=0), low, high, strict=True)
    ]


class PairedDifference(NamedTuple):
    """A difference in accuracy, as a share of the rows.

    The 95 % interval is Bonett and Price's (2012), which holds for few rows too; `p_value` is that
    of McNemar's exact test.
    """

    difference: float
    low: float
    high: float
    p_value: float
    n_rows: int


def paired_difference(one: Array, other: Array) -> PairedDifference:
    """The difference in accuracy of `one` and the `other`: whether each row is correct."""
    from scipy.stats import binomtest  # noqa: PLC0415 (slow to import)

    n, wins = len(one), int(np.sum(one & ~other))
    losses = int(np.sum(other & ~one))
    middle = (wins - losses) / (n + 2)
    spread = (wins + losses + 2) / (n + 2) - middle**2
    reach = Z * float(np.sqrt(spread / (n + 2)))
    p = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    low, high = max(-1.0, middle - reach), min(1.0, middle + reach)
    return PairedDifference((wins - losses) / n, low, high, float(p), n)


@dataclass(frozen=True)
class Evaluation:
    """True and predicted classes of rows that were not used for training, and their scores.

    `true` is UNKNOWN for rows of classes that training did not have: whatever is predicted for them
    is wrong. `method` says which rows these are, such as "10-fold CV". `probabilities` has a column
    a class; it is None for rules without any. `scores` are decision values of a single model, one
    column for two classes; None where several models scored the rows.
    """

    true: Ints
    predicted: Ints
    n_classes: int
    method: str
    scores: Floats | None = None
    probabilities: Floats | None = None

    @property
    def n_rows(self) -> int:
        """Number of evaluated rows, those of unknown classes included."""
        return len(self.true)

    @property
    def n_unknown_class(self) -> int:
        """Number of rows whose class training did not have."""
        return int(np.count_nonzero(self.true == UNKNOWN_CLASS))

    @property
    def known(self) -> "Evaluation":
        """The evaluation of the rows of known classes alone."""
        if not self.n_unknown_class:
            return self
        rows = self.true != UNKNOWN_CLASS
        scores, probabilities = (
            None if values is None else values[rows] for values in (self.scores, self.probabilities)
        )
        return replace(
            self,
            true=self.true[rows],
            predicted=self.predicted[rows],
            scores=scores,
            probabilities=probabilities,
        )

    @cached_property
    def confusion(self) -> Ints:
        """The confusion matrix, counts[true, predicted], over the rows of known classes."""
        K, known = self.n_classes, self.true != UNKNOWN_CLASS
        cells = self.true[known].astype(np.int64) * K + self.predicted[known]
        return np.bincount(cells, minlength=K * K).reshape(K, K)

    @property
    def accuracy(self) -> float:
        """Share of the rows that are predicted correctly."""
        return float(np.trace(self.confusion)) / self.n_rows

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval around the accuracy, for independent rows."""
        return wilson(self.accuracy, self.n_rows)

    @property
    def baseline_accuracy(self) -> float:
        """Accuracy of the majority-class baseline on the same rows."""
        return int(self.confusion.sum(axis=1).max()) / self.n_rows

    @property
    def correct(self) -> Array:
        """Whether each row is predicted correctly."""
        correct: Array = self.true == self.predicted
        return correct


def predict_rows(estimator: Any, X: Any) -> tuple[Ints, Floats | None]:
    """Predicted class codes, and probabilities, if the estimator has any."""
    predicted = np.asarray(estimator.predict(X), np.int64)
    if not hasattr(estimator, "predict_proba"):
        return predicted, None
    return predicted, np.asarray(estimator.predict_proba(X))


def decision_values(estimator: Any, X: Any) -> Floats:
    """Decision values, a row each; one column for two classes."""
    values: Floats = np.asarray(estimator.decision_function(X), np.float64)
    return values.reshape(len(values), -1)


def evaluate_model(model: "Model", source: Source) -> Evaluation:
    """The evaluation of a saved model on a labelled source, chunk by chunk."""
    classes = tuple(model.classes.tolist())
    parts = [
        (encode_labels(chunk, model.transformer.target, classes), model.scores(chunk))
        for chunk in source
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
