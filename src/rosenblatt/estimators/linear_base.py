"""Base classes of classifiers: scores and predictions."""

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.labels import check_same_kind, class_counts, classes_of, codes_of, labels_of
from rosenblatt.data.training_data import TrainingData, unlabelled
from rosenblatt.data.validation import (
    class_weights_of,
    not_finite,
    refuse_masked,
    rows_of,
    weights_of,
)
from rosenblatt.errors import DataError, NotFiniteError, ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.base import ClassifierMixin, Estimator, remember_columns, seed_of
from rosenblatt.kernels.rows import Rows, n_cols, n_rows
from rosenblatt.linalg.scores import scores_of
from rosenblatt.losses.link import predicted_codes
from rosenblatt.online.algorithms import ALGORITHMS
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.online.update import Rule
from rosenblatt.types import Array, Codes, Floats

# fitted attributes that hold for the weights of a fit only
EVIDENCE = ("gap_", "objective_", "support_", "dual_coef_", "margin_bounds_", "mistake_bound_")


class WarmStart(NamedTuple):
    """Weights and classes of an earlier fit."""

    W: Floats
    classes: Array


class Classifier(ClassifierMixin, Estimator):
    """A classifier by scores: one output for two classes, else one for each class.

    Subclasses set `classes_` and say how rows are scored.
    """

    # parameters that every classifier has
    n_jobs: int | None
    random_state: Any

    # and those a rule is made of
    fit_intercept: bool
    multi_class: str

    classes_: Array
    n_features_in_: int

    @abstractmethod
    def _scorer(self) -> Callable[[Rows], Floats]:
        """A function from rows to their scores, a column for each output."""

    def decision_function(self, X: Any) -> Floats:
        """Score of each row: one number a row for two classes, else one a class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to score.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive scores of the first kind mean `classes_[1]`; so does 0, unless the estimator
            has `predict_proba`, where it means `classes_[0]`.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """Class of each row: the sign of the score, or the class with the best one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to classify.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of `classes_`.
        """
        scores = self._scores(X)
        codes = predicted_codes(scores, len(self.classes_), zero_is_first=self._zero_is_first())
        decisions: Array = self.classes_[codes]
        return decisions

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the share of rows that are classified correctly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to classify.
        y : array-like of shape (n_samples,), or for several outputs (n_samples, n_outputs)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
        """
        right = self._is_correct(self.predict(X), y)
        return float(np.average(right, weights=weights_of(sample_weight, len(right))))

    def __sklearn_tags__(self) -> Any:
        """Tags of a classifier that takes sparse rows."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _zero_is_first(self) -> bool:
        """Whether a score of 0 means the first of two classes: where there are probabilities."""
        return False

    def _scores(self, X: Any) -> Floats:
        return self._scored(X, self._scorer())

    def _scored(self, X: Any, score: Callable[[Rows], Floats]) -> Floats:
        """What `score` gives for blocks of the rows of X, put together."""
        rows = self._rows(X, reset=False)
        blocks = Blocks(unlabelled(rows), self._threads())
        scores = np.concatenate(list(blocks.each(lambda block: score(block.rows))))
        if not np.isfinite(scores).all():
            raise _named(not_finite(rows), self)
        return scores

    def _rows(self, X: Any, *, reset: bool) -> Rows:
        """Validated X; its width and column names are remembered, or compared."""
        rows = rows_of(X)
        remember_columns(self, X, n_cols(rows), reset=reset)
        return rows

    def _training_data(self, X: Any, y: Any, sample_weight: Any, class_weight: Any) -> TrainingData:
        """Check training data, and set the classes."""
        rows = self._rows(X, reset=True)
        labels = labels_of(y, n_rows(rows))
        weights = weights_of(sample_weight, n_rows(rows))
        classes = classes_of(labels)
        if len(classes) < 2:
            raise DataError(
                "A classifier needs at least 2 classes to tell apart; the data hold one class,"
                f" {classes.tolist()[0]!r}."
            )
        codes = codes_of(labels, classes)
        class_weights = class_weights_of(
            class_weight, classes, lambda: self._class_sizes(codes, weights, len(classes))
        )
        if not class_weights.any():
            raise ParameterError(f"class_weight is zero for all classes: {class_weight!r}.")
        if not class_weights.all() and not weights[class_weights[codes] > 0].any():
            raise DataError("sample_weight and class_weight leave no row with a weight above zero.")
        self.classes_ = classes
        self.__dict__.pop("_sparse_coef", None)
        return TrainingData(rows, codes, weights, class_weights)

    def _class_sizes(self, codes: Codes, weights: Floats, n_classes: int) -> Array:
        """Size of each class: by weight, where a row of weight 2 is two rows."""
        if self._weights_are_repetitions():
            return np.bincount(codes, weights, n_classes)
        return class_counts(codes, n_classes)

    def _weights_are_repetitions(self) -> bool:
        """Whether the weight of a row is how many times it counts; else it scales a step."""
        return False

    def _is_correct(self, decisions: Array, y: Any) -> Array:
        """Which predictions are correct."""
        labels = labels_of(y, len(decisions))
        check_same_kind(labels, self.classes_)
        return np.equal(decisions, labels)

    def _require_weight(self, weights: Floats) -> None:
        """Refuse classes that weigh nothing."""
        empty = np.flatnonzero(weights == 0)
        if len(empty):
            label = self.classes_.tolist()[empty[0]]
            raise DataError(f"All rows of class {label!r} have weight 0; every class needs weight.")

    def _rule_of(
        self,
        name: str,
        n_classes: int,
        *,
        eta: float = 1.0,
        cap: float = np.inf,
        balanced: bool = False,
        l1: float = 0.0,
        l2: float = 0.0,
    ) -> Rule:
        """A row of the table of algorithms as a rule, with the parameters of this estimator."""
        algorithm = ALGORITHMS[name]
        return Rule(
            loss=int(algorithm.loss),
            step=int(algorithm.step),
            eta=float(eta),
            cap=float(cap),
            constant=1.0 if self.fit_intercept else 0.0,
            kesler=n_classes > 2 and self.multi_class == "kesler",
            balanced=balanced,
            l1=float(l1),
            l2=float(l2),
        )

    def _threads(self) -> int:
        n_jobs = self.n_jobs
        if n_jobs is None:
            return 1
        return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)

    def _seed(self) -> int:
        return seed_of(self.random_state)


class LinearClassifier(Classifier):
    """A classifier with weights (w, b) for each output: its scores are w·x + b.

    Subclasses set `_W`, the weights with the intercept in the last column.
    """

    # parameters that every estimator has; each final class lists them in its own signature
    max_iter: int
    tol: float | None
    n_iter_no_change: int
    shuffle: bool
    class_weight: Any
    warm_start: bool
    start: str

    _W: Floats | None

    @property
    def coef_(self) -> Any:
        """Weights of the features, a row for each output; after `sparsify` a sparse matrix.

        They can be set: predictions follow them, and what was proved of the old ones is forgotten.
        """
        coef = self._shown_weights()[:, :-1]
        if not vars(self).get("_sparse_coef", False):
            return coef
        from scipy.sparse import csr_matrix  # noqa: PLC0415 (slow to import)

        return csr_matrix(coef)

    @coef_.setter
    def coef_(self, values: Any) -> None:
        coef = np.atleast_2d(given_numbers("coef_", values))
        if self.__sklearn_is_fitted__():
            W = self._shown_weights().copy()
            _require_shape("coef_", coef, W[:, :-1].shape)
        else:
            W = np.zeros((len(coef), coef.shape[1] + 1))
            self.n_features_in_ = coef.shape[1]
        W[:, :-1] = coef
        self._set_weights(W)

    @property
    def intercept_(self) -> Floats:
        """Intercept of each output; it can be set like `coef_`."""
        return self._shown_weights()[:, -1]

    @intercept_.setter
    def intercept_(self, values: Any) -> None:
        if not self.__sklearn_is_fitted__():
            raise DataError("intercept_ goes with weights: set coef_ first.")
        W = self._shown_weights().copy()
        biases = given_numbers("intercept_", values)
        if biases.ndim:
            _require_shape("intercept_", biases, W[:, -1].shape)
        W[:, -1] = biases
        self._set_weights(W)

    def sparsify(self) -> Self:
        """Let `coef_` be a sparse matrix, as scikit-learn's linear classifiers can.

        The estimator itself goes on with dense weights, so no prediction changes.

        Returns
        -------
        self
        """
        self._require_fitted()
        self._sparse_coef = True
        return self

    def densify(self) -> Self:
        """Let `coef_` be an array again.

        Returns
        -------
        self
        """
        self._require_fitted()
        self.__dict__.pop("_sparse_coef", None)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are weights to predict with."""
        return "_W" in vars(self)

    def _weights(self) -> Floats:
        self._require_fitted()
        return np.asarray(self._W)

    def _shown_weights(self) -> Floats:
        """Weights (w, b) as `coef_` and `intercept_` have them."""
        return self._weights()

    def _set_weights(self, W: Floats) -> None:
        """Predict by other weights from now on, and forget what was proved of the old ones."""
        if self.__sklearn_is_fitted__() and np.array_equal(W, self._shown_weights()):
            return
        self._take_weights(W)
        for name in EVIDENCE:
            self.__dict__.pop(name, None)

    def _take_weights(self, W: Floats) -> None:
        self.__dict__.update(_W=W, outcome_=Outcome(Ending.SET, 0, 0))

    def _scorer(self) -> Callable[[Rows], Floats]:
        W = self._weights()
        return lambda rows: scores_of(rows, W)

    def _warm_start(self) -> WarmStart | None:
        """Weights and classes of the last fit, where `warm_start` asks to go on from them."""
        if not self.warm_start or not self.__sklearn_is_fitted__():
            return None
        return WarmStart(self._weights().copy(), self.classes_)

    def _check_warm(self, warm: WarmStart | None) -> None:
        """Refuse to go on from weights of other classes or another width."""
        if warm is None:
            return
        before, now = warm.W.shape[1] - 1, self.n_features_in_
        if before != now:
            raise DataError(f"warm_start goes on with {before} features; X now has {now}.")
        if not np.array_equal(warm.classes, self.classes_):
            raise DataError(
                f"warm_start goes on with the classes {warm.classes.tolist()}; y now holds"
                f" {self.classes_.tolist()}. partial_fit, where there is one, lets classes join."
            )

    def _check_common(self) -> None:
        """Settings that every estimator has."""
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.whole("max_iter", self.max_iter, least=1)
        parameters.number("tol", self.tol, optional=True)
        parameters.whole("n_iter_no_change", self.n_iter_no_change, least=1)
        parameters.flag("shuffle", self.shuffle)
        parameters.one_of("multi_class", self.multi_class, ("kesler", "ovr"))
        parameters.one_of("start", self.start, ("zero", "random", "means"))
        parameters.flag("warm_start", self.warm_start)
        parameters.jobs("n_jobs", self.n_jobs)
        parameters.class_weight("class_weight", self.class_weight)


def given_numbers(name: str, given: Any) -> Floats:
    """Finite numbers that a user gave, dense or sparse, as an array of their own."""
    refuse_masked(given, name)
    try:
        values = np.array(given.toarray() if hasattr(given, "toarray") else given, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} must hold numbers: {error}.") from error
    if not np.isfinite(values).all():
        raise DataError(f"{name} must be finite; got {values[~np.isfinite(values)][0]}.")
    return values


def _require_shape(name: str, values: Floats, shape: tuple[int, ...]) -> None:
    if values.shape != shape:
        raise DataError(f"{name} must have shape {shape}, that of the fit; got {values.shape}.")


@contextmanager
def unchanged_by_failure(estimator: Estimator) -> Iterator[None]:
    """Leave an estimator as it was, fitted or not, when something goes wrong inside."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException as error:
        named = _named(error, estimator)
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        raise named from None


def _named(error: BaseException, estimator: Estimator) -> BaseException:
    """An error about a column tells its name, where columns have names."""
    names = getattr(estimator, "feature_names_in_", None)
    if isinstance(error, NotFiniteError) and names is not None:
        return error.named(names)
    return error
