"""Evaluation of a classifier on rows that it was not trained on, with a confidence interval."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.io.chunks import Source
from rosenblatt.model_selection.intervals import wilson
from rosenblatt.preprocess.target import UNKNOWN_CLASS, encode_labels
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.persist.model import Model

TEST_SET = "test set"  # a method of evaluation


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
