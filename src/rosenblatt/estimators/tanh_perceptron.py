"""Perceptrons with a soft output: the squared error through tanh or the logistic function."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.training_data import Blocks, MultiOutputData, TrainingData
from rosenblatt.data.validation import (
    is_matrix,
    label_pair,
    require_finite,
    scaled_targets,
    targets_of,
    weights_of,
)
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.base import available_if
from rosenblatt.estimators.divergence_guard import layer_guard
from rosenblatt.estimators.fit_loop import Monitoring, given_weights, run_solver, start_weights
from rosenblatt.estimators.linear_base import WarmStart, given_together, unchanged_by_failure
from rosenblatt.estimators.lms import DescentClassifier
from rosenblatt.estimators.replay import EpochRecorder
from rosenblatt.estimators.sklearn_interface import warn_unless_converged
from rosenblatt.kernels.rows import Rows, n_rows
from rosenblatt.losses.margin_losses import PERCEPTRON, outputs_at, target_range
from rosenblatt.online.multi_output import multi_output_epochs, multi_output_error
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.stopping import keep_best, with_training_error
from rosenblatt.online.update import Rule
from rosenblatt.types import Array, Floats


class Given(NamedTuple):
    """A layer to be trained, and the two labels its targets stand for (None: real targets)."""

    layer: MultiOutputData
    pair: Array | None


def given_layer(rows: Rows, Y: Any, sample_weight: Any, rule: Rule) -> Given:
    """Check a matrix of targets and bring it into the range of the outputs."""
    table = targets_of(Y, n_rows(rows))
    pair = label_pair(table)
    if pair is None and rule.loss == PERCEPTRON:
        raise DataError(
            "activation='hard' learns labels: a matrix of 0 and 1, or of -1 and 1; y holds other"
            " numbers. Use activation='tanh' or 'logistic' for real targets."
        )
    least, most = target_range(rule.loss)
    targets = scaled_targets(table, pair, least, most)
    middle = (least + most) / 2
    return Given(
        MultiOutputData(rows, targets, weights_of(sample_weight, n_rows(rows)), middle), pair
    )


def as_training_data(layer: MultiOutputData, output: int = 0) -> TrainingData:
    """The rows with the side of one output's targets as their class."""
    codes = (layer.targets[:, output] > layer.middle).astype(np.int8)
    return TrainingData(layer.rows, codes, layer.weights, np.ones(2))


def layer_start(layer: MultiOutputData, start: str, seed: int) -> Floats:
    """Weights to start from: zero, random, or the mean of the rows each output should fire at."""
    n_outputs = layer.targets.shape[1]
    if start != "means":
        return start_weights(as_training_data(layer), n_outputs, start, seed)
    units = [start_weights(as_training_data(layer, k), 1, start, seed) for k in range(n_outputs)]
    return np.concatenate(units)


_ALGORITHMS = {"tanh": "tanh", "logistic": "sigmoid", "hard": "perceptron"}


def _gives_probabilities(model: "TanhPerceptron") -> bool:
    """Whether σ(w·x + b) is the chance of a label: two classes, or a matrix of labels."""
    if model.activation != "logistic":
        return False
    if not model.__sklearn_is_fitted__():
        return True
    return model._pair is not None if model._has_layer() else len(model.classes_) == 2  # noqa: SLF001


@dataclass(eq=False, repr=False)
class TanhPerceptron(DescentClassifier):
    """Units f(w·x + b) with f = tanh or the logistic function, trained on the squared error.

    w ← w + η e (1 − f²) x with e = y − f for every row (lecture 004), or summed over a batch
    (lecture 002, eq. 16: `batch_size=None`): gradient descent on Σ ½e². Lecture 004 uses ¼e², so
    its η is twice the `eta0` of the same steps. Labels of two classes train one unit, of more
    classes one unit per class against the rest; a matrix of targets trains the layer f(W x + b) of
    lecture 000, one unit per column. The loss is not convex, and every row changes the weights,
    correct or not.

    Parameters
    ----------
    eta0 : float, default=0.01
        Learning rate η. It is lecture 002's μ.
    learning_rate : {"constant", "1/n", "normalised"}, default="constant"
        "constant" is η at every step, "1/n" is η/n at the n-th. "normalised" is η / ‖(x, 1)‖².
    activation : {"tanh", "logistic", "hard"}, default="tanh"
        Output tanh s with the targets ±1, or σ(s) with the targets 0 and 1; "hard" gives the sign
        of s and is trained by the perceptron's error, y at mistakes and 0 elsewhere.
    batch_size : int or None, default=1
        Number of rows in a batch; None is all rows. The updates of a batch are computed with the
        same weights, summed and applied together. A normalised step then divides η by the sum of
        ‖(x, 1)‖², and `sample_weight` means repetition. `partial_fit` always goes row by row.
    fit_intercept, max_iter, shuffle, verbose, random_state, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, warm_start, keep, start, track_error, time_limit :
        As in `Perceptron`.
    tol : float or None, default=1e-4
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        `max_iter` epochs.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.

    Attributes
    ----------
    classes_, coef_, intercept_, trace_, outcome_, mistakes_, n_iter_, t_ :
        As in `Perceptron`. After a matrix of targets, `classes_` are the indices of its columns.

    Examples
    --------
    >>> from rosenblatt import TanhPerceptron, builtin
    >>> gate = builtin("or")
    >>> model = TanhPerceptron(eta0=0.5, batch_size=None).fit(gate.X, gate.y)
    >>> model.predict(gate.X).tolist()
    [0, 1, 1, 1]

    Two outputs at once, "or" and "and":

    >>> both = [[0, 0], [1, 0], [1, 0], [1, 1]]
    >>> layer = TanhPerceptron(eta0=0.5).fit(gate.X, both)
    >>> layer.coef_.shape, layer.predict(gate.X).tolist() == both
    ((2, 2), True)
    """

    _: KW_ONLY
    eta0: float = 0.01
    learning_rate: str = "constant"
    activation: str = "tanh"
    batch_size: int | None = 1
    tol: float | None = 1e-4

    _pair: Array | None = field(init=False)

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Train on labels or on a matrix of targets, epoch by epoch until the loss levels off.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels of any type; or a matrix with one column per output: labels 0 and 1, labels −1
            and 1, or real targets in the range of the activation.
        coef_init, intercept_init : array-like, optional
            Initial weights and intercepts, instead of `start`.
        sample_weight : array-like of shape (n_samples,), optional
            Scales the update of each row; rows of weight 0 are skipped.
        X_val, y_val : array-like, optional
            Validation rows: each record of `trace_` has the error on them. With `early_stopping`,
            for labels only, they decide when to stop.

        Returns
        -------
        self
        """
        if is_matrix(y):
            self._refuse_for_layers()
            with unchanged_by_failure(self):
                self._check()
                given, validation = (coef_init, intercept_init), (X_val, y_val)
                warm = self._warm_start()
                self._fit_layer(X, y, given, sample_weight, validation, warm=warm)
            warn_unless_converged(self.outcome_, self.tol)
            return self
        with unchanged_by_failure(self):
            self.__dict__.pop("_pair", None)
            super().fit(X, y, coef_init, intercept_init, sample_weight, X_val=X_val, y_val=y_val)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Learn labels from each row once, in the given order.

        The result is bit-identical for any chunking, as long as no chunk is skipped because its
        updates diverge.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next rows of the stream.
        y : array-like of shape (n_samples,)
            Their labels. A new class is added at its first row.
        classes : array-like, optional
            Classes to include from the start, seen or not.
        sample_weight : array-like of shape (n_samples,), optional
            Scales the update of each row.
        X_val, y_val : array-like, optional
            Validation rows, as in `Perceptron`.

        Returns
        -------
        self
        """
        if is_matrix(y):
            raise DataError(
                f"partial_fit learns one label per row: y must be 1d, got shape {np.shape(y)}. Use"
                " fit for a matrix of targets."
            )
        if self._has_layer():
            raise DataError(
                "partial_fit learns labels, but this layer was fitted to a matrix of targets. Use"
                " a new estimator, or fit with warm_start=True to continue."
            )
        return super().partial_fit(X, y, classes, sample_weight, X_val=X_val, y_val=y_val)

    def replay(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Fit, and keep what is needed to show the run again: every step, or epochs of a layer.

        Parameters
        ----------
        X, y, coef_init, intercept_init, sample_weight :
            As in `fit`.

        Returns
        -------
        Replay or StepReplay
            Iterating yields the weights (w, b) at the start, then after each row or batch; for a
            matrix of targets after each epoch. The estimator is fitted.
        """
        if not is_matrix(y):
            with unchanged_by_failure(self):
                self.__dict__.pop("_pair", None)
                return super().replay(X, y, coef_init, intercept_init, sample_weight)
        self._refuse_for_layers()
        with unchanged_by_failure(self):
            self._check()
            recorder = EpochRecorder()
            given = (coef_init, intercept_init)
            self._fit_layer(X, y, given, sample_weight, recorder=recorder)
        return recorder.replay()

    def outputs(self, X: Any) -> Floats:
        """Soft outputs f(w·x + b), in the shape of `decision_function`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_units)
            Between −1 and 1 for "tanh", 0 and 1 for "logistic"; −1 or 1 for "hard".
        """
        return outputs_at(self._rule(2).loss, self.decision_function(X))

    def predict(self, X: Any) -> Array:
        """Class of each row; for a layer the label of each output.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to classify.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Labels from `classes_`; for a layer, 0 and 1 or −1 and 1 as in the matrix it learned.
        """
        if not self._has_layer():
            return super().predict(X)
        if self._pair is None:
            raise DataError(
                "This layer learned real targets, so it has no labels to predict: call `outputs`."
            )
        scores = self._scores(X)
        positive = scores > 0 if self._zero_is_first() else scores >= 0
        labels: Array = self._pair[positive.astype(np.intp)]
        return labels

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Chances σ(w·x + b), for the logistic activation with two classes or a matrix of labels.

        The squared error of a chance is least at the true one, so σ estimates it as well as a line
        can. For other units wrap the estimator in `sklearn.calibration.CalibratedClassifierCV`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, n_outputs)
            Chance of each class, or for a layer of the label 1 of each output.
        """
        chances = self.outputs(X)
        return chances if self._has_layer() else np.column_stack([1.0 - chances, chances])

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that a matrix of labels is welcome."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _is_correct(self, decisions: Array, y: Any) -> Array:
        """Which rows are predicted correctly; of several outputs, in all of them."""
        if not self._has_layer():
            return super()._is_correct(decisions, y)
        table = targets_of(y, len(decisions))
        if table.shape != decisions.shape:
            raise DataError(f"y must have shape {decisions.shape}; got {table.shape}.")
        right: Array = (decisions == table).all(axis=1)
        return right

    def _zero_is_first(self) -> bool:
        return _gives_probabilities(self)

    def _algorithm(self) -> str:
        return _ALGORITHMS[self.activation]

    def _check(self) -> None:
        super()._check()
        parameters.one_of("activation", self.activation, _ALGORITHMS)

    def _has_layer(self) -> bool:
        return "_pair" in vars(self)

    def _refuse_for_layers(self) -> None:
        """Refuse what is made of classes."""
        asked = {
            "early_stopping": bool(self.early_stopping),
            "class_weight": self.class_weight is not None,
        }
        for name in [name for name, wanted in asked.items() if wanted]:
            raise ParameterError(f"{name} works with labels only; y is a matrix of targets.")

    def _layer_error(
        self, validation: tuple[Any, Any], rule: Rule
    ) -> Callable[[Floats], float] | None:
        """What gives the error of weights on validation rows, if these are given."""
        if not given_together(*validation):
            return None
        return partial(multi_output_error, self._validation_layer(*validation, rule))

    def _validation_layer(self, X_val: Any, Y_val: Any, rule: Rule) -> MultiOutputData:
        """Validation rows, with targets as those that the layer learns."""
        rows = self._rows(X_val, reset=False)
        require_finite(rows, "X_val")
        try:
            table, n_outputs = targets_of(Y_val, n_rows(rows)), len(self.classes_)
        except DataError as error:
            raise DataError(f"X_val and y_val, the validation rows: {error}") from error
        if table.shape[1] != n_outputs or (
            self._pair is not None and not np.isin(table, self._pair).all()
        ):
            known = "numbers" if self._pair is None else f"labels {self._pair.tolist()}"
            raise DataError(
                f"y_val must hold {n_outputs} columns of {known}, as y does; it has the shape"
                f" {table.shape}."
            )
        least, most = target_range(rule.loss)
        targets = scaled_targets(table, self._pair, least, most)
        return MultiOutputData(rows, targets, weights_of(None, n_rows(rows)), (least + most) / 2)

    def _fit_layer(
        self,
        X: Any,
        Y: Any,
        given: tuple[Any, Any],
        sample_weight: Any,
        validation: tuple[Any, Any] = (None, None),
        *,
        warm: WarmStart | None = None,
        recorder: EpochRecorder | None = None,
    ) -> None:
        rule = self._rule(2)
        layer, self._pair = given_layer(self._rows(X, reset=True), Y, sample_weight, rule)
        self.classes_ = np.arange(layer.targets.shape[1])
        self._check_warm(warm)
        seed = self._seed()
        W = warm.W if warm else layer_start(layer, self.start, seed)
        W = given_weights(*given, W, rule.constant)
        state = OptimiserState.from_weights(W, len(W), keep=self.keep, l1=False)
        results = multi_output_epochs(
            layer,
            rule,
            state,
            batch_size=self.batch_size,
            seed=seed if self.shuffle else None,
        )
        if recorder is not None:
            results = recorder.recorded(results, W.copy())
        if self.keep == "pocket":
            results = keep_best(results, partial(multi_output_error, layer))
        elif self.track_error:
            results = with_training_error(results, partial(multi_output_error, layer))
        data = as_training_data(layer)
        advice = partial(self._advice, data, rule, self.batch_size)
        monitoring = Monitoring(
            criteria=self._stopping_criteria(with_validation=False),
            guard=layer_guard(layer, rule, W.copy(), self.batch_size, advice),
            progress=self._log_epoch,
            time_limit=self.time_limit,
            validation=self._layer_error(validation, rule),
        )
        self._store(run_solver(results, Blocks(data), rule, monitoring), state)
