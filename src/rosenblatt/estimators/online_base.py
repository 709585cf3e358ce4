"""Estimators that learn sample by sample: `fit` in epochs, `partial_fit` from a stream."""

from abc import abstractmethod
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Self

import numpy as np

from rosenblatt.data.labels import (
    check_same_kind,
    class_counts,
    classes_of,
    given_classes,
    labels_of,
)
from rosenblatt.data.training_data import Blocks, TrainingData, unlabelled
from rosenblatt.data.validation import require_finite, weights_of
from rosenblatt.errors import ParameterError, TooLargeError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.fit_loop import (
    Fit,
    Monitoring,
    accuracy,
    error_on,
    given_weights,
    held_out,
    log_epoch,
    run_solver,
    start_weights,
)
from rosenblatt.estimators.linear_base import LinearClassifier, WarmStart, unchanged_by_failure
from rosenblatt.estimators.parameters import OnlineParameters
from rosenblatt.estimators.partial_fit import (
    Chunk,
    SingleRowUpdate,
    Stream,
    check_same_keep,
    count_outputs,
    learn_chunk,
)
from rosenblatt.estimators.replay import Replay, StateHistory, with_history
from rosenblatt.estimators.sklearn_interface import warn_unless_converged
from rosenblatt.kernels.rows import n_rows
from rosenblatt.losses.margin_losses import may_diverge
from rosenblatt.online.epochs import run_epochs
from rosenblatt.online.result import Ending, EpochResult, Outcome
from rosenblatt.online.state import MISTAKES, ROWS, OptimiserState
from rosenblatt.online.stopping import (
    DivergenceGuard,
    Stalled,
    Stop,
    comparable_loss,
    max_epochs,
)
from rosenblatt.online.update import Rule
from rosenblatt.trace.trace import MarginBounds, Record, Trace
from rosenblatt.types import Array, Floats


class OnlineClassifier(OnlineParameters, LinearClassifier):
    """A linear classifier learned online. Subclasses name their update rule and parameters."""

    trace_: Trace
    n_iter_: int
    margin_bounds_: MarginBounds | None
    mistake_bound_: float | None
    validation_score_: float
    _stream: Stream
    _outcome: Outcome | None

    @abstractmethod
    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        """The rule of this estimator for so many classes, balanced by running counts or not."""

    @abstractmethod
    def _convergence_criterion(self) -> Stop:
        """Stopping criterion by which the run has converged."""

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
        """Train epoch after epoch, until the run converges or must stop.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: float32 and float64 in C order and CSR are used without a copy.
        y : array-like of shape (n_samples,)
            Labels of any type.
        coef_init, intercept_init : array-like, optional
            Initial weights and intercepts, instead of `start`.
        sample_weight : array-like of shape (n_samples,), optional
            Scales the update of each row; rows of weight 0 are skipped.
        X_val, y_val : array-like, optional
            Validation rows: each record of `trace_` has the error on them. With `early_stopping`
            they decide when to stop, instead of a share of X.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            warm = self._warm_start()
            data = self._training_data(X, y, sample_weight, self.class_weight)
            self._check_warm(warm)
            self._run_solver(
                data, self._validation(X_val, y_val), (coef_init, intercept_init), warm
            )
        warn_unless_converged(self.outcome_, self.tol)
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
        """Learn from each row once, in the given order; bit-identical for any chunking.

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
            Validation rows: `validation_score_` is the accuracy on them after this
            chunk, and `outcome_` says when it has not risen for `n_iter_no_change` chunks.

        Returns
        -------
        self
        """
        alone = classes is None and sample_weight is None and X_val is None and y_val is None
        if alone and self._one_row(X, y):
            return self
        with unchanged_by_failure(self):
            self._check()
            first = "_stream" not in vars(self)
            if not first:
                self._check_stream_settings()
            rows = self._rows(X, reset=first)
            n = n_rows(rows)
            weights = weights_of(sample_weight, n, some_positive=False)
            chunk = Chunk(rows, labels_of(y, n), weights)
            # work on a copy: a chunk that fails half-way leaves no trace
            stream = self._opened_stream() if first else self._stream.copy()
            if classes is not None:
                new = unseen_classes(given_classes(classes), stream.classes)
                stream = stream.joined(new, self._state_for)
            stream, outcome = self._advanced(stream, chunk)
            self._stream, self.classes_ = stream, stream.classes
            self._W, self._outcome = None, outcome
            self._forget_bounds()
            validation = self._validation(X_val, y_val)
            if validation is not None:
                self._evaluate_stream(validation)
        return self

    def replay(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Replay:
        """Fit, and keep what is needed to show every step of every epoch again.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows, visited in this order unless `shuffle` is True.
        y : array-like of shape (n_samples,)
            Labels of any type.
        coef_init, intercept_init : array-like, optional
            Initial weights and intercepts, instead of `start`.
        sample_weight : array-like of shape (n_samples,), optional
            As in `fit`.

        Returns
        -------
        Replay
            Iterating yields the weights (w, b) at the start, then after each row, or each batch
            where the rule takes batches. `visit(epoch, place)` gives the rows of one step, and the
            weights before and after it. The estimator is fitted.

        Examples
        --------
        The dogs and cats of lecture 004, from (1, 0, −20):

        >>> from rosenblatt import Perceptron, builtin
        >>> pets = builtin("dogs-vs-cats")
        >>> model = Perceptron(shuffle=False, max_iter=1)
        >>> run = model.replay(pets.X, pets.y, coef_init=[1, 0], intercept_init=-20)
        >>> [weights[0].tolist() for weights in run]
        [[1.0, 0.0, -20.0], [2.0, 100.0, -19.0], [2.0, 100.0, -19.0], [2.0, 80.0, -20.0]]
        """
        history = StateHistory()
        with unchanged_by_failure(self):
            self._check()
            self._check_replay()
            data = self._training_data(X, y, sample_weight, self.class_weight)
            given = (coef_init, intercept_init)
            rule, seed = self._run_solver(data, None, given, None, history)
        return Replay(data, rule, history, seed, self._rows_per_step(), self._threads())

    def __copy__(self) -> Self:
        """The same estimator, with a stream of its own: one row changes its state in place."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(vars(self))
        twin.__dict__.pop("_ready", None)
        for name in vars(self).keys() & {"_stream", "_patience"}:
            setattr(twin, name, deepcopy(getattr(self, name)))
        return twin

    @property
    def outcome_(self) -> Outcome:
        """How the run ended, or how far the stream has come; `str` of it is a sentence."""
        self._weights()
        if self._outcome is not None:
            return self._outcome
        return Outcome(Ending.STREAM, 1, self.t_, self.mistakes_)

    @property
    def mistakes_(self) -> int:
        """Number of mistakes in all epochs, or in the stream so far."""
        self._weights()
        return int(self._stream.state.counters[MISTAKES])

    @property
    def t_(self) -> int:
        """Number of rows visited, over all epochs and chunks."""
        self._weights()
        return int(self._stream.state.counters[ROWS])

    def _weights(self) -> Floats:
        if vars(self).get("_W", ...) is None:  # the stream has gone on since
            self._W = self._stream.state.kept()
        return super()._weights()

    def _take_weights(self, W: Floats) -> None:
        self._W, self._outcome = W, Outcome(Ending.SET, 0, 0)
        if "_stream" in vars(self):
            state = self._stream.state
            state.apply_penalties()
            state.restart_from(W)
            if state.keep == "pocket":
                state.keep_in_pocket(W)

    def _check(self) -> None:
        self._check_common()
        parameters.verbosity("verbose", self.verbose)
        parameters.flag("early_stopping", self.early_stopping)
        parameters.number("validation_fraction", self.validation_fraction, above=0, below=1)
        parameters.one_of("keep", self.keep, ("last", "average", "pocket"))
        parameters.flag("track_error", self.track_error)
        parameters.number("time_limit", self.time_limit, above=0, optional=True)

    def _kept_weights(self) -> str:
        """Which weights of a run are kept."""
        return self.keep

    def _check_replay(self) -> None:
        """Refuse settings under which not all rows are learned from, or not one by one."""
        if self.early_stopping:
            raise ParameterError("A replay needs early_stopping=False; got True.")

    def _rows_per_step(self) -> int | None:
        """How many rows a step takes; None: the whole set."""
        return 1

    def _check_stream_settings(self) -> None:
        """Refuse settings that a stream cannot change midway."""
        check_same_keep(self._stream.state, self._kept_weights())
        if not self.fit_intercept and self._stream.state.W[:, -1].any():
            raise ParameterError(
                "fit_intercept=False is impossible for a stream that has learned an intercept. Use"
                " a new estimator."
            )

    def _opened_stream(self) -> Stream:
        return Stream(np.array([]), self._state_for(0))

    def _state_for(self, n_classes: int) -> OptimiserState:
        """State of a run over so many classes that starts at zero."""
        return self._state_from(
            np.zeros((count_outputs(n_classes), self.n_features_in_ + 1)), n_classes
        )

    def _state_from(self, W: Floats, n_classes: int) -> OptimiserState:
        """State of a run that starts at the weights W."""
        return OptimiserState.from_weights(
            W, n_classes, keep=self._kept_weights(), l1=self._rule(2).l1 > 0
        )

    def _run_solver(
        self,
        data: TrainingData,
        validation: TrainingData | None,
        given: tuple[Any, Any],
        warm: WarmStart | None,
        history: StateHistory | None = None,
    ) -> tuple[Rule, int | None]:
        """The rule, and the seed by which epochs were shuffled, of a run whose result is stored.

        States between epochs are added to `history`, if it is given.
        """
        seed = self._seed()
        splits = validation is None and self.early_stopping
        if splits:
            require_finite(data.rows)  # while rows still have their numbers
            data, validation = held_out(data, self.validation_fraction, seed)
        rule = self._rule(data.n_classes)
        W = warm.W if warm else start_weights(data, count_outputs(data.n_classes), self.start, seed)
        W = given_weights(*given, W, rule.constant)
        bounded = not splits and not W.any()  # the theorem speaks of all rows, and of w = 0
        state = self._state_from(W, data.n_classes)
        shuffled_by = seed if self.shuffle else None
        results = self._epoch_results(data, rule, state, shuffled_by)
        if history is not None:
            results = with_history(results, state, history)
        monitoring = Monitoring(
            criteria=self._stopping_criteria(with_validation=self.early_stopping),
            pocket=self._kept_weights() == "pocket",
            track_error=self.track_error,
            validation=error_on(validation, self._threads()),
            eta_if_bounded=self._eta_if_bounded(data, rule) if bounded else None,
            guard=self._guard(data, rule, W.copy()),
            progress=self._log_epoch,
            time_limit=self.time_limit,
        )
        fit = run_solver(results, Blocks(data, self._threads()), rule, monitoring)
        state.counts[:] = len(fit.trace) * class_counts(data.codes, data.n_classes)
        self._store(fit, state)
        return rule, shuffled_by

    def _epoch_results(
        self, data: TrainingData, rule: Rule, state: OptimiserState, seed: int | None
    ) -> Iterator[EpochResult]:
        """Results of the solver: sample by sample, unless a subclass has it otherwise."""
        return run_epochs(data, rule, state, seed=seed)

    def _log_epoch(self, record: Record) -> None:
        log_epoch(record, self.max_iter, verbose=self.verbose > 0)

    def _guard(self, data: TrainingData, rule: Rule, W: Floats) -> DivergenceGuard | None:  # noqa: ARG002
        """What divergence of a run from the weights W is detected by, where its steps may grow."""
        return None

    def _advice(self, data: TrainingData, rule: Rule) -> str:  # noqa: ARG002
        """Say which step would do for these rows where the present one is too large."""
        return ""

    def _stopping_criteria(self, *, with_validation: bool) -> list[Stop]:
        criteria: list[Stop] = [self._convergence_criterion()]
        tol, patience = self.tol, self.n_iter_no_change
        if with_validation:
            ending = Ending.SCORE_STALLED
            error = Stalled(lambda s: float(s.validation_error), tol or 0.0, patience, ending)
            criteria.append(error)
        elif tol is not None:
            criteria.append(Stalled(comparable_loss, tol, patience, self._stalled_ending()))
        return [*criteria, self._max_iter_criterion()]

    def _stalled_ending(self) -> Ending:
        return Ending.LOSS_STALLED

    def _max_iter_criterion(self) -> Stop:
        return max_epochs(self.max_iter)

    def _eta_if_bounded(self, data: TrainingData, rule: Rule) -> float | None:  # noqa: ARG002
        """η where the premises of the convergence theorem hold, but for the start."""
        return None

    def _store(self, fit: Fit, state: OptimiserState) -> None:
        if fit.outcome.ending is Ending.DIVERGED:
            state.restart_from(fit.W)
        if self._kept_weights() == "pocket":
            state.keep_in_pocket(fit.W)
        self._W, self._stream, self._outcome = fit.W, Stream(self.classes_, state), fit.outcome
        self.__dict__.pop("_patience", None)
        self.trace_, self.n_iter_ = fit.trace, len(fit.trace)
        self.margin_bounds_, self.mistake_bound_ = fit.margin_bounds, fit.mistake_bound

    def _one_row(self, X: Any, y: Any) -> bool:
        """Update by a single row that needs no conversion; False where X is no such row."""
        stream, settings = vars(self).get("_stream"), self._parameter_values()
        if stream is None:
            return False
        one_row: SingleRowUpdate | None = vars(self).get("_ready")
        if one_row is None or not one_row.is_valid_for(stream, settings):
            self._check()
            self._check_stream_settings()
            rule = self._streaming_rule(len(stream.classes))
            one_row = self._ready = SingleRowUpdate(stream, rule, self.class_weight, settings)
        if not one_row.learn(X, y):
            return False
        self._W = self._outcome = None
        self._forget_bounds()
        return True

    def _forget_bounds(self) -> None:
        """Drop what was proved of the rows of a fit, once a stream goes on from there."""
        if self.__dict__.get("margin_bounds_") is not None:
            self.margin_bounds_ = self.mistake_bound_ = None

    def _advanced(self, stream: Stream, chunk: Chunk) -> tuple[Stream, Outcome | None]:
        """Stream after a chunk, and an outcome where the chunk was left out because it diverged."""
        rule = self._streaming_rule(2)
        if not may_diverge(rule.loss):
            rule_for, state_for = self._streaming_rule, self._state_for
            return learn_chunk(
                stream, chunk, rule_for, self.class_weight, state_for=state_for
            ), None
        before = stream.copy()
        try:
            stream = learn_chunk(stream, chunk, self._streaming_rule, self.class_weight)
            if not stream.state.has_diverged():
                return stream, None
        except TooLargeError:  # of the weights; rows too long are refused with the advice
            pass
        advice = self._advice(unlabelled(chunk.rows), rule)
        before = before.joined(unseen_classes(classes_of(chunk.labels), before.classes))
        rows, mistakes = before.state.counters[[ROWS, MISTAKES]]
        outcome = Outcome(Ending.STREAM_DIVERGED, 1, int(rows), int(mistakes), advice=advice)
        return before, outcome

    def _streaming_rule(self, n_classes: int) -> Rule:
        return self._rule(n_classes, balanced=self.class_weight == "balanced")

    def _evaluate_stream(self, validation: TrainingData) -> None:
        """Set the score on validation rows, and the outcome when it no longer improves."""
        self.validation_score_ = accuracy(validation, self._weights())
        if "_patience" not in vars(self):
            ending = Ending.STREAM_STALLED
            self._patience = Stalled(float, self.tol or 0.0, self.n_iter_no_change, ending)
        stalled = self._patience(-self.validation_score_) is not None
        if stalled and self._outcome is None:  # a chunk that was left out comes first
            self._outcome = Outcome(Ending.STREAM_STALLED, 1, self.t_, self.mistakes_)


def unseen_classes(classes: Array, known: Array) -> Array:
    """Classes that are not known yet."""
    check_same_kind(classes, known)
    return np.setdiff1d(classes, known) if len(known) else classes
