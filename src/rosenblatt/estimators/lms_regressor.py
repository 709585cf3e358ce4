"""Widrow and Hoff's rule on real targets: linear regression, row by row."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np

from rosenblatt.data.training_data import MultiOutputData, TrainingData, unlabelled
from rosenblatt.data.validation import require_finite
from rosenblatt.errors import DataError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.divergence_guard import layer_guard
from rosenblatt.estimators.fit_loop import given_weights
from rosenblatt.estimators.linear_base import given_together, unchanged_by_failure
from rosenblatt.estimators.lms import RATES, step_size_advice
from rosenblatt.estimators.regressor_base import LinearRegressor
from rosenblatt.estimators.sklearn_interface import warn_unless_converged
from rosenblatt.linalg.scores import scores_of
from rosenblatt.losses.margin_losses import SQUARE
from rosenblatt.online.algorithms import ALGORITHMS
from rosenblatt.online.multi_output import multi_output_epochs
from rosenblatt.online.result import Ending, EpochResult, Outcome
from rosenblatt.online.state import MAX_STREAM_LOSS, ROWS, OptimiserState
from rosenblatt.online.stopping import (
    Stalled,
    Stop,
    max_epochs,
    no_change,
    stop_on_divergence,
    until,
    with_training_error,
    with_validation_error,
)
from rosenblatt.online.update import Rule
from rosenblatt.trace.trace import Trace, outcome_of, regression_record
from rosenblatt.types import Floats

MAX_TARGET = 1e140  # leaves room for weights and rows under the square


@dataclass(eq=False, repr=False)
class LMSRegressor(LinearRegressor):
    """Least mean squares on real targets: w ← w + η e x for every row, with e = y − (w·x + b).

    Widrow and Hoff's rule (lecture 002, eq. 12), whose targets need not be labels. It comes near to
    `LeastSquaresRegressor`, which solves for the same weights at once, and it can follow a stream.

    Parameters
    ----------
    eta0 : float, default=0.01
        Learning rate η. It is the lecture's μ, and safe below 2 / ‖(x, 1)‖² of the longest row.
    learning_rate : {"constant", "1/n", "normalised"}, default="constant"
        "constant" is η at every step, "1/n" is η/n at the n-th. "normalised" is η / ‖(x, 1)‖², for
        which any η below 2 is safe (normalised LMS).
    batch_size : int or None, default=1
        Number of rows in a batch; None is all rows. The updates of a batch are computed with the
        same weights, summed and applied together. A normalised step then divides η by the sum of
        ‖(x, 1)‖², and `sample_weight` means repetition. `partial_fit` always goes row by row.
    fit_intercept : bool, default=True
        Whether to fit an intercept. It is the weight of a constant 1 at the end of each row.
    max_iter : int, default=1000
        Maximum number of epochs (passes over the rows).
    tol : float or None, default=1e-4
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. It is
        relative to the loss of zero weights, so it does not depend on the unit of y. None runs
        `max_iter` epochs.
    n_iter_no_change : int, default=5
        Number of epochs without improvement to wait for before stopping.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch.
    random_state : int, RandomState or None, default=0
        Seed of the shuffle.
    warm_start : bool, default=False
        Whether to start from the weights of the previous fit.
    track_error : bool, default=False
        Whether to measure the training error after each epoch, which takes another pass over the
        rows.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores. Threads
        are used in `predict`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_outputs, n_features)
        Weights.
    intercept_ : float or ndarray of shape (n_outputs,)
        Intercept of each output.
    trace_ : Trace
        One record per epoch of `fit`.
    outcome_ : Outcome
        How the run ended, as a sentence.
    n_iter_ : int
        Number of epochs.
    t_ : int
        Rows visited.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import LMSRegressor
    >>> x = np.linspace(-1, 1, 21)[:, None]
    >>> model = LMSRegressor(eta0=0.1).fit(x, 3 * x[:, 0] + 1)
    >>> model.coef_.round(2), round(model.intercept_, 2)
    (array([3.]), 1.0)
    """

    _: KW_ONLY
    eta0: float = 0.01
    learning_rate: str = "constant"
    batch_size: int | None = 1
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-4
    n_iter_no_change: int = 5
    shuffle: bool = True
    random_state: Any = 0
    warm_start: bool = False
    track_error: bool = False
    n_jobs: int | None = None

    trace_: Trace = field(init=False)
    n_iter_: int = field(init=False)
    _state: OptimiserState = field(init=False)
    _largest_target: float = field(init=False)
    _outcome: Outcome | None = field(init=False)

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
        """Train epoch after epoch, until the squared error levels off.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: float32 and float64 in C order and CSR are used without a copy.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets: a number a row, or one for each output.
        coef_init, intercept_init : array-like, optional
            Weights and intercepts to start from, instead of zero.
        sample_weight : array-like of shape (n_samples,), optional
            Scales the update of each row; rows of weight 0 are skipped.
        X_val, y_val : array-like, optional
            Validation rows, whose mean squared error is measured after each epoch.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            warm = self._weights().copy() if self._goes_on() else None
            data = self._squarable_data(X, y, sample_weight)
            W = self._start(data, warm, (coef_init, intercept_init))
            validation = self._validation(X_val, y_val)
            self._run(data, validation, W)
        warn_unless_converged(self.outcome_, self.tol)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from each row once, in the order given.

        The result is bit-identical for any chunking, as long as no chunk is skipped because its
        updates diverge.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next rows of the stream.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            Scales the update of each row.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            first = "_state" not in vars(self)
            data = self._squarable_data(X, y, sample_weight, first=first)
            if first:
                W = np.zeros((data.targets.shape[1], self.n_features_in_ + 1))
                self._state = _state_from(W)
                self._largest_target = 0.0
            self._learn_chunk(data)
        return self

    @property
    def outcome_(self) -> Outcome:
        """How the run ended, or how far the stream has come; `str` of it is a sentence."""
        self._require_fitted()
        return self._outcome or Outcome(Ending.REGRESSION_STREAM, 1, self.t_)

    @property
    def t_(self) -> int:
        """Number of rows visited, over all epochs and chunks."""
        self._require_fitted()
        return int(self._state.counters[ROWS])

    def _learn_chunk(self, data: MultiOutputData) -> None:
        """Learn from a chunk of a stream, unless its errors lose the targets to rounding."""
        rule, state = self._rule(), self._state.copy()
        largest = max(self._largest_target, float(np.abs(data.targets).max()))
        result = next(multi_output_epochs(data, rule, state, batch_size=1, seed=None))
        most = MAX_STREAM_LOSS * largest * largest or np.inf
        if result.loss < most:
            self._largest_target, self._state, self._outcome = largest, state, None
        else:
            rows, advice = int(self._state.counters[ROWS]), self._advice(data, rule, 1)
            self._outcome = Outcome(Ending.STREAM_DIVERGED, 1, rows, advice=advice)
        self._W = self._state.last()

    def _check(self) -> None:
        parameters.number("eta0", self.eta0, above=0)
        parameters.one_of("learning_rate", self.learning_rate, RATES)
        parameters.whole("batch_size", self.batch_size, least=1, optional=True)
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.whole("max_iter", self.max_iter, least=1)
        parameters.number("tol", self.tol, optional=True)
        parameters.whole("n_iter_no_change", self.n_iter_no_change, least=1)
        parameters.flag("shuffle", self.shuffle)
        parameters.flag("warm_start", self.warm_start)
        parameters.flag("track_error", self.track_error)
        parameters.jobs("n_jobs", self.n_jobs)

    def _rule(self) -> Rule:
        step = "" if self.learning_rate == "constant" else f" {self.learning_rate}"
        algorithm = ALGORITHMS["LMS" + step]
        constant = 1.0 if self.fit_intercept else 0.0
        return Rule(SQUARE, int(algorithm.step), eta=float(self.eta0), constant=constant)

    def _squarable_data(self, *given: Any, first: bool = True) -> MultiOutputData:
        """Checked rows and targets, none so large that squared errors leave float64."""
        data = self._regression_data(*given, first=first)
        largest = float(np.abs(data.targets).max())
        if largest > MAX_TARGET:
            raise DataError(
                f"y holds numbers as large as {largest:.1e}, whose squares leave float64. Scale y."
            )
        return data

    def _goes_on(self) -> bool:
        return self.warm_start and self.__sklearn_is_fitted__()

    def _start(self, data: MultiOutputData, warm: Floats | None, given: tuple[Any, Any]) -> Floats:
        """Weights to start from: those given, those of the last fit, or zero."""
        W = np.zeros((data.targets.shape[1], self.n_features_in_ + 1))
        if warm is not None:
            if warm.shape != W.shape:
                (k, width), (n, now) = warm.shape, W.shape
                raise DataError(
                    f"warm_start continues with {width - 1} features and {k} outputs; X and y now"
                    f" have {now - 1} and {n}."
                )
            W = warm
        return given_weights(*given, W, self._rule().constant)

    def _validation(self, X_val: Any, y_val: Any) -> MultiOutputData | None:
        if not given_together(X_val, y_val):
            return None
        data = self._squarable_data(X_val, y_val, first=False)
        require_finite(data.rows, "X_val")
        return data

    def _run(self, data: MultiOutputData, validation: MultiOutputData | None, W: Floats) -> None:
        rule, state = self._rule(), _state_from(W.copy())
        seed = self._seed() if self.shuffle else None
        results = multi_output_epochs(data, rule, state, batch_size=self.batch_size, seed=seed)
        if self.track_error:
            results = with_training_error(results, partial(mean_squared_error, data))
        if validation is not None:
            results = with_validation_error(results, partial(mean_squared_error, validation))
        trace, last = Trace(), None
        for last in self._stopped(results, data, rule, W):
            trace.add(regression_record(last))
        if last is None:
            raise ValueError("a run has at least one epoch")
        self._W, self._state, self._outcome = last.weights(), state, outcome_of(last)
        self._largest_target = float(np.abs(data.targets).max())
        if self._outcome.ending is Ending.DIVERGED:
            state.restart_from(self._W)
        self.trace_, self.n_iter_ = trace, len(trace)

    def _stopped(
        self, results: Iterator[EpochResult], data: MultiOutputData, rule: Rule, W: Floats
    ) -> Iterator[EpochResult]:
        """The results up to the last one, which tells how the run ended."""
        zero = _zero_loss(data, by_weight=self.batch_size != 1)
        stops: list[Stop] = [no_change]
        if self.tol is not None:
            tol, patience = self.tol * zero, self.n_iter_no_change
            stops.append(Stalled(lambda r: r.loss, tol, patience, Ending.REGRESSION_STALLED))
        stops.append(max_epochs(self.max_iter, Ending.MAX_REGRESSION_EPOCHS_REACHED))
        advice = partial(self._advice, data, rule, self.batch_size)
        guard = layer_guard(data, rule, W.copy(), self.batch_size, advice)
        results = until(results, stops)
        return results if guard is None else stop_on_divergence(results, guard)

    def _advice(self, data: MultiOutputData, rule: Rule, batch_size: int | None) -> str:
        return step_size_advice(_unlabelled(data), rule, self.learning_rate, batch_size)


def mean_squared_error(data: MultiOutputData, W: Floats) -> float:
    """Weighted mean of (y − w·x − b)², over rows and outputs."""
    squares = (data.targets - scores_of(data.rows, W)) ** 2
    return float(np.average(squares.mean(axis=1), weights=data.weights))


def _zero_loss(data: MultiOutputData, *, by_weight: bool) -> float:
    """Loss of zero weights: its mean by weight, or over rows."""
    losses = 0.5 * (data.targets**2).sum(axis=1)
    if by_weight:
        return float(np.average(losses, weights=data.weights))
    return float(np.mean(data.weights * losses))


def _state_from(W: Floats) -> OptimiserState:
    return OptimiserState.from_weights(W, 0, keep="last", l1=False)


def _unlabelled(data: MultiOutputData) -> TrainingData:
    return unlabelled(data.rows)._replace(weights=data.weights)
