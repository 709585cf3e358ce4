"""Estimators that learn sample by sample: `fit` in passes, `partial_fit` from a stream."""

from abc import abstractmethod
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Self

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.door import require_finite
from rosenblatt.data.labels import (
    check_same_kind,
    class_counts,
    classes_of,
    codes_of,
    given_classes,
    labels_of,
)
from rosenblatt.data.problem import Problem, unlabelled
from rosenblatt.data.rows import n_rows
from rosenblatt.data.weights import weights_of
from rosenblatt.errors import ParameterError, TooLargeError
from rosenblatt.estimators import checks
from rosenblatt.estimators.convergence import warn_unless_converged
from rosenblatt.estimators.linear import LinearClassifier, Warm, unchanged_by_failure
from rosenblatt.estimators.stream import Chunk, OneRow, Stream, advance, check_same_keep, units
from rosenblatt.estimators.telling import tell_pass
from rosenblatt.estimators.training import (
    Fit,
    Listening,
    accuracy,
    given_weights,
    held_out,
    start_weights,
    train,
)
from rosenblatt.estimators.visiting import Memories, Replay, remembered
from rosenblatt.evidence.bounds import MarginBounds
from rosenblatt.evidence.trace import Record, Trace
from rosenblatt.rules.losses import NEVER_FLAT
from rosenblatt.solvers.correct import Rule
from rosenblatt.solvers.divergence import Guard
from rosenblatt.solvers.memory import MISTAKES, ROWS, Memory
from rosenblatt.solvers.passes import passes_of
from rosenblatt.solvers.run import Stalled, Stop, passes_spent
from rosenblatt.solvers.state import Ending, Outcome, State


class OnlineClassifier(LinearClassifier):
    """A line learned sample by sample. Subclasses name their rule and their parameters."""

    # parameters that online rules have beyond those of every estimator
    verbose: int
    early_stopping: bool
    validation_fraction: float
    keep: str
    track_error: bool
    time_limit: float | None

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
    def _at_rest(self) -> Stop:
        """Stop rule by which the run ends of itself."""

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
        """Learn the weights, pass after pass, until the rule comes to rest or must stop.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: float32 and float64 in C order and CSR are used without a copy.
        y : array-like of shape (n_samples,)
            Labels of any type.
        coef_init, intercept_init : array-like, optional
            Weights and bias to start from, instead of `start`.
        sample_weight : array-like of shape (n_samples,), optional
            Scales the update each row makes; rows of weight 0 are passed over.
        X_val, y_val : array-like, optional
            Rows of one's own to judge for early stopping, instead of a share of X.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            warm = self._warm_weights()
            problem = self._problem(X, y, sample_weight, self.class_weight)
            self._check_warm(warm)
            self._train(problem, self._validation(X_val, y_val), (coef_init, intercept_init), warm)
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
        """Learn from each row once, in the order given; any chunking gives the same bits.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next rows of the stream.
        y : array-like of shape (n_samples,)
            Their labels. A class that was never seen joins at its first row.
        classes : array-like, optional
            Classes that take part from the start, seen or not.
        sample_weight : array-like of shape (n_samples,), optional
            Scales the update each row makes.
        X_val, y_val : array-like, optional
            Rows of one's own to judge: `validation_score_` is the accuracy on them after this
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
                self._check_going_on()
            rows = self._rows(X, reset=first)
            n = n_rows(rows)
            weights = weights_of(sample_weight, n, some_positive=False)
            chunk = Chunk(rows, labels_of(y, n), weights)
            # work on a copy: a chunk that fails half-way leaves no trace
            stream = self._opened_stream() if first else self._stream.copy()
            if classes is not None:
                new = newcomers(given_classes(classes), stream.classes)
                stream = stream.joined(new, self._memory_for)
            stream, outcome = self._advanced(stream, chunk)
            self._stream, self.classes_ = stream, stream.classes
            self._W, self._outcome = None, outcome
            self._forget_bounds()
            validation = self._validation(X_val, y_val)
            if validation is not None:
                self._judge(validation)
        return self

    def replay(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Replay:
        """Learn the weights like `fit`, and keep what shows every row of every pass again.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows, visited in this order unless `shuffle` is True.
        y : array-like of shape (n_samples,)
            Labels of any type.
        coef_init, intercept_init : array-like, optional
            Weights and bias to start from, instead of `start`.

        Returns
        -------
        Replay
            `visit(passes, place)` gives the row that was visited there, and the weights before and
            after it; the estimator is fitted.

        Examples
        --------
        The dogs and cats of lecture 004, from (1, 0, −20):

        >>> from rosenblatt import Perceptron, builtin
        >>> pets = builtin("dogs-vs-cats")
        >>> model = Perceptron(shuffle=False, max_iter=1)
        >>> run = model.replay(pets.X, pets.y, coef_init=[1, 0], intercept_init=-20)
        >>> [run.visit(1, row).after.tolist() for row in range(3)]
        [[[2.0, 100.0, -19.0]], [[2.0, 100.0, -19.0]], [[2.0, 80.0, -20.0]]]
        """
        memories = Memories()
        with unchanged_by_failure(self):
            self._check()
            self._check_replay()
            problem = self._problem(X, y, None, self.class_weight)
            given = (coef_init, intercept_init)
            rule, seed = self._train(problem, None, given, None, memories)
        return Replay(problem, rule, memories, seed)

    def __copy__(self) -> Self:
        """The same estimator, with a stream of its own: one row changes its memory in place."""
        twin = type(self).__new__(type(self))
        vars(twin).update(vars(self))
        vars(twin).pop("_ready", None)
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
        """How many mistakes were made in all passes or in the stream so far."""
        self._weights()
        return int(self._stream.memory.clock[MISTAKES])

    @property
    def t_(self) -> int:
        """How many rows were visited, over all passes and chunks."""
        self._weights()
        return int(self._stream.memory.clock[ROWS])

    def _weights(self) -> Floats:
        if vars(self).get("_W", ...) is None:  # the stream has moved on since they were wanted
            self._W = self._stream.memory.kept()
        return super()._weights()

    def _take_weights(self, W: Floats) -> None:
        self._W, self._outcome = W, Outcome(Ending.SET, 0, 0)
        if "_stream" in vars(self):
            memory = self._stream.memory
            memory.settle()
            memory.go_on_from(W)
            if memory.keep == "pocket":
                memory.keep_in_pocket(W)

    def _check(self) -> None:
        self._check_common()
        checks.verbosity("verbose", self.verbose)
        checks.flag("early_stopping", self.early_stopping)
        checks.number("validation_fraction", self.validation_fraction, above=0, below=1)
        checks.one_of("keep", self.keep, ("last", "average", "pocket"))
        checks.flag("track_error", self.track_error)
        checks.number("time_limit", self.time_limit, above=0, optional=True)

    def _keeps(self) -> str:
        """Which weights of a run are kept."""
        return self.keep

    def _check_replay(self) -> None:
        """Refuse settings under which not all rows are visited, or not one by one."""
        if self.early_stopping:
            raise ParameterError("A replay needs early_stopping=False; got True.")

    def _check_going_on(self) -> None:
        """Refuse settings that a stream cannot change midway."""
        check_same_keep(self._stream.memory, self._keeps())
        if not self.fit_intercept and self._stream.memory.W[:, -1].any():
            raise ParameterError(
                "fit_intercept=False cannot be asked of a stream that has learned a bias. Use a new"
                " estimator."
            )

    def _opened_stream(self) -> Stream:
        return Stream(np.array([]), self._memory_for(0))

    def _memory_for(self, n_classes: int) -> Memory:
        """Memory of a run over so many classes that starts at zero."""
        return self._memory(np.zeros((units(n_classes), self.n_features_in_ + 1)), n_classes)

    def _memory(self, W: Floats, n_classes: int) -> Memory:
        """Memory of a run that starts at the weights W."""
        return Memory.starting_at(W, n_classes, keep=self._keeps(), l1=self._rule(2).l1 > 0)

    def _train(
        self,
        problem: Problem,
        validation: Problem | None,
        given: tuple[Any, Any],
        warm: Warm | None,
        memories: Memories | None = None,
    ) -> tuple[Rule, int | None]:
        """Run the solver and store what it found; the memory between passes, if it is asked for.

        Gives the rule, and the seed by which passes were shuffled.
        """
        seed = self._seed()
        splits = validation is None and self.early_stopping
        if splits:
            require_finite(problem.rows)  # while rows still have their numbers
            problem, validation = held_out(problem, self.validation_fraction, seed)
        rule = self._rule(problem.n_classes)
        W = warm.W if warm else start_weights(problem, units(problem.n_classes), self.start, seed)
        W = given_weights(*given, W, rule.bias)
        bounded = not splits and not W.any()  # the theorem speaks of all rows, and of w = 0
        memory = self._memory(W, problem.n_classes)
        shuffled_by = seed if self.shuffle else None
        states = self._states(problem, rule, memory, shuffled_by)
        if memories is not None:
            states = remembered(states, memory, memories)
        listening = Listening(
            stops=self._stops(judged=validation is not None),
            pocket=self._keeps() == "pocket",
            track_error=self.track_error,
            validation=validation,
            eta_if_bounded=self._eta_if_bounded(problem, rule) if bounded else None,
            guard=self._guard(problem, rule, W.copy()),
            progress=self._tell,
            time_limit=self.time_limit,
        )
        fit = train(states, Blocks(problem, self._threads()), rule, listening)
        memory.counts[:] = len(fit.trace) * class_counts(problem.codes, problem.n_classes)
        self._store(fit, memory)
        return rule, shuffled_by

    def _states(
        self, problem: Problem, rule: Rule, memory: Memory, seed: int | None
    ) -> Iterator[State]:
        """The solver at work: row by row, unless a subclass has it otherwise."""
        n_jobs = self._threads() if rule.l1 == rule.l2 == 0 else 1
        return passes_of(problem, rule, memory, seed=seed, n_jobs=n_jobs)

    def _tell(self, record: Record) -> None:
        tell_pass(record, self.max_iter, loudly=self.verbose > 0)

    def _guard(self, problem: Problem, rule: Rule, W: Floats) -> Guard | None:  # noqa: ARG002
        """What to hold a run from the weights W against, where its steps may grow without bound."""
        return None

    def _advice(self, problem: Problem, rule: Rule) -> str:  # noqa: ARG002
        """Say which step would do for these rows where the present one is too large."""
        return ""

    def _stops(self, *, judged: bool) -> list[Stop]:
        stops: list[Stop] = [self._at_rest()]
        tol, patience = self.tol, self.n_iter_no_change
        if judged:
            ending = Ending.SCORE_STALLED
            stops.append(Stalled(lambda s: -float(s.score or 0), tol or 0.0, patience, ending))
        elif tol is not None:
            stops.append(Stalled(lambda s: s.loss, tol, patience, self._when_stalled()))
        return [*stops, self._when_spent()]

    def _when_stalled(self) -> Ending:
        return Ending.LOSS_STALLED

    def _when_spent(self) -> Stop:
        return passes_spent(self.max_iter)

    def _eta_if_bounded(self, problem: Problem, rule: Rule) -> float | None:  # noqa: ARG002
        """η where the premises of the convergence theorem hold, but for the start."""
        return None

    def _store(self, fit: Fit, memory: Memory) -> None:
        if fit.outcome.ending is Ending.DIVERGED:
            memory.go_on_from(fit.W)
        if self._keeps() == "pocket":
            memory.keep_in_pocket(fit.W)
        self._W, self._stream, self._outcome = fit.W, Stream(self.classes_, memory), fit.outcome
        self.__dict__.pop("_patience", None)
        self.trace_, self.n_iter_ = fit.trace, len(fit.trace)
        self.margin_bounds_, self.mistake_bound_ = fit.margin_bounds, fit.mistake_bound

    def _one_row(self, X: Any, y: Any) -> bool:
        """Learn from one row that is already right, at the cost of little more than the kernel."""
        stream, settings = vars(self).get("_stream"), self._settings()
        if stream is None:
            return False
        one_row: OneRow | None = vars(self).get("_ready")
        if one_row is None or not one_row.serves(stream, settings):
            self._check()
            self._check_going_on()
            rule = self._streaming_rule(len(stream.classes))
            one_row = self._ready = OneRow(stream, rule, self.class_weight, settings)
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
        """Learn from a chunk; one whose steps grow without bound is left out, which is told."""
        rule = self._streaming_rule(2)
        if rule.loss < NEVER_FLAT:
            rule_for, memory_for = self._streaming_rule, self._memory_for
            return advance(stream, chunk, rule_for, self.class_weight, memory_for=memory_for), None
        before = stream.copy()
        try:
            stream = advance(stream, chunk, self._streaming_rule, self.class_weight)
            if not stream.memory.ran_away():
                return stream, None
        except TooLargeError:  # of the weights; rows too long are refused with the advice
            pass
        advice = self._advice(unlabelled(chunk.rows), rule)
        before = before.joined(newcomers(classes_of(chunk.labels), before.classes))
        rows, mistakes = before.memory.clock[[ROWS, MISTAKES]]
        told = Outcome(Ending.STREAM_DIVERGED, 1, int(rows), int(mistakes), advice=advice)
        return before, told

    def _streaming_rule(self, n_classes: int) -> Rule:
        return self._rule(n_classes, balanced=self.class_weight == "balanced")

    def _validation(self, X_val: Any, y_val: Any) -> Problem | None:
        if (X_val is None) != (y_val is None):
            raise ParameterError("X_val and y_val go together: give both, or neither.")
        if X_val is None:
            return None
        rows = self._rows(X_val, reset=False)
        require_finite(rows, "X_val")
        n = n_rows(rows)
        codes = codes_of(labels_of(y_val, n), self.classes_)
        return Problem(rows, codes, weights_of(None, n), np.ones(len(self.classes_)))

    def _judge(self, validation: Problem) -> None:
        """Score the stream on validation rows, and say when it no longer gets better."""
        self.validation_score_ = accuracy(validation, self._weights())
        if "_patience" not in vars(self):
            ending = Ending.STREAM_STALLED
            self._patience = Stalled(float, self.tol or 0.0, self.n_iter_no_change, ending)
        stalled = self._patience(-self.validation_score_) is not None
        if stalled and self._outcome is None:  # a chunk that was left out is told first
            self._outcome = Outcome(Ending.STREAM_STALLED, 1, self.t_, self.mistakes_)


def newcomers(classes: Array, known: Array) -> Array:
    """Those of some classes that are not known yet."""
    check_same_kind(classes, known)
    return np.setdiff1d(classes, known) if len(known) else classes
