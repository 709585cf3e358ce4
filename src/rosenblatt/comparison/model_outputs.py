"""The outputs of models: numbers for the squared loss, predicted classes for the 0–1 loss.

=============  ============================  ===========================================
outputs        two classes                   more classes
=============  ============================  ===========================================
probabilities  that of the second class      one a class; the target is 1 for its own
decisions      −1 or +1                      1 for the predicted class, 0 for the others
values         (a regressor's, as they are)
=============  ============================  ===========================================
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import is_regressor

from rosenblatt.comparison.error_decomposition import Votes
from rosenblatt.comparison.inputs import LabelledData, classes_in, fit_copy
from rosenblatt.data.labels import classes_of, codes_of
from rosenblatt.types import Array, Floats, Ints


class ModelOutputs(NamedTuple):
    """Outputs, a row each, and the codes of the predicted classes."""

    values: Floats
    predicted: Ints


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
