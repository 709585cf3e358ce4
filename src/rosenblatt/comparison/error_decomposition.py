"""Bias-variance decomposition of the errors of many models, row by row, from their outputs."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import is_regressor

from rosenblatt.comparison.run import LabelledData, classes_in, fit_copy
from rosenblatt.data.labels import classes_of, codes_of
from rosenblatt.types import Array, Floats, Ints


class ModelOutputs(NamedTuple):
    """Outputs, a row each, and the codes of the predicted classes."""

    values: Floats
    predicted: Ints


class SquaredRows(NamedTuple):
    """Squared error of each row, and its parts."""

    error: Floats
    bias: Floats
    variance: Floats


class ZeroOneRows(NamedTuple):
    """0–1 loss of each row, and its parts."""

    error: Floats
    bias: Floats
    variance: Floats
    unbiased: Floats
    biased: Floats
    corrected: Floats


class Votes:
    """Predictions of models, counted for each row and class."""

    def __init__(self, codes: Ints, n_classes: int) -> None:
        self.codes = codes
        self.counts = np.zeros((len(codes), n_classes), np.int64)

    def add(self, rows: Ints, predicted: Ints) -> None:
        """Add the predictions of a model for some rows, each once."""
        self.counts[rows, predicted] += 1

    def parts(self, rows: Ints) -> ZeroOneRows:
        """The decomposition for rows that some model has predicted; ties go to the lowest class."""
        shares = self.counts[rows] / self.counts[rows].sum(axis=1, keepdims=True)
        true, main, each = self.codes[rows], shares.argmax(axis=1), np.arange(len(rows))
        correct = shares[each, true]
        bias = (main != true).astype(np.float64)
        variance = 1.0 - shares[each, main]
        return ZeroOneRows(
            1.0 - correct, bias, variance, (1 - bias) * variance, bias * variance, bias * correct
        )


class OutputEncoder(Protocol):
    """How to compute the outputs of a model, and their targets."""

    @property
    def kind(self) -> str:
        """The name of the outputs."""
        ...

    def can_be_fitted(self, y: Array) -> bool:
        """Whether an estimator can be fitted to these labels."""
        ...

    def targets(self, y: Array) -> Floats:
        """The targets of the outputs, a row each."""
        ...

    def votes(self, y: Array) -> Votes | None:
        """A counter of predictions; None for a regressor."""
        ...

    def of(self, model: Any, X: Any) -> ModelOutputs:
        """The outputs of a model."""
        ...


def outputs_of(estimator: Any, data: LabelledData) -> OutputEncoder:
    """The encoder of an estimator fitted to such rows."""
    if is_regressor(estimator):
        return RegressorOutputs()
    classes = classes_in(data.y)
    soft = hasattr(fit_copy(estimator, data), "predict_proba")  # some have it only when fitted
    return ClassifierOutputs(classes, "probabilities" if soft else "decisions")


class RegressorOutputs:
    """Outputs of a regressor."""

    kind = "values"

    def can_be_fitted(self, y: Array) -> bool:
        """Whether an estimator can be fitted to these values: always, if there are any."""
        return len(y) > 0

    def targets(self, y: Array) -> Floats:
        """The values themselves."""
        return np.asarray(y[:, None], np.float64)

    def votes(self, y: Array) -> None:
        """None: values are not counted."""

    def of(self, model: Any, X: Any) -> ModelOutputs:
        """Values that a model predicts."""
        values = np.asarray(model.predict(X), np.float64)[:, None]
        return ModelOutputs(values, np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class ClassifierOutputs:
    """Outputs of a classifier: its probabilities or, where it has none, its decisions."""

    classes: Array
    kind: str

    def can_be_fitted(self, y: Array) -> bool:
        """Whether there are two classes among the labels."""
        return len(classes_of(y)) > 1

    def targets(self, y: Array) -> Floats:
        """The targets for rows of these labels."""
        return self._encoded(self._codes(y))

    def votes(self, y: Array) -> Votes:
        """A counter of predictions for rows of these labels."""
        return Votes(self._codes(y), len(self.classes))

    def of(self, model: Any, X: Any) -> ModelOutputs:
        """The outputs of a model; a class that was not in its training rows has probability 0."""
        predicted = self._codes(np.asarray(model.predict(X)))
        if self.kind == "decisions":
            return ModelOutputs(self._encoded(predicted), predicted)
        shares = np.zeros((len(predicted), len(self.classes)))
        shares[:, self._codes(np.asarray(model.classes_))] = model.predict_proba(X)
        return ModelOutputs(shares[:, 1:] if len(self.classes) == 2 else shares, predicted)

    def _codes(self, labels: Array) -> Ints:
        return codes_of(labels, self.classes).astype(np.int64)

    def _encoded(self, codes: Ints) -> Floats:
        """Class codes as outputs."""
        if len(self.classes) > 2:
            return np.eye(len(self.classes))[codes]
        ones = codes[:, None].astype(np.float64)
        return 2.0 * ones - 1.0 if self.kind == "decisions" else ones


class RunningMoments:
    """Running means and spreads of outputs: updated model by model."""

    def __init__(self, targets: Floats) -> None:
        n = len(targets)
        self.targets = targets
        self.counts = np.zeros(n, np.int64)
        self._mean = np.zeros_like(targets)
        self._spread = np.zeros(n)  # summed squares around the mean
        self._error = np.zeros(n)  # summed squares around the target

    def add(self, rows: Ints, outputs: Floats) -> None:
        """Add the outputs of a model for some rows, each once."""
        self.counts[rows] += 1
        deviation = outputs - self._mean[rows]
        self._mean[rows] += deviation / self.counts[rows, None]
        self._spread[rows] += (deviation * (outputs - self._mean[rows])).sum(axis=1)
        self._error[rows] += ((outputs - self.targets[rows]) ** 2).sum(axis=1)

    def parts(self, rows: Ints) -> SquaredRows:
        """The decomposition for rows that two models or more have predicted."""
        R = self.counts[rows]
        variance = self._spread[rows] / (R - 1)
        bias = ((self._mean - self.targets)[rows] ** 2).sum(axis=1) - variance / R
        return SquaredRows(self._error[rows] / R, bias, variance)
