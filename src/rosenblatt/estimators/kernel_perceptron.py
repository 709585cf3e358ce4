"""The perceptron in the space of a kernel."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np

from rosenblatt.data.labels import class_counts, codes_of, given_classes, labels_of
from rosenblatt.data.training_data import Blocks, TrainingData, matrix_of
from rosenblatt.data.validation import require_finite, weights_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.fit_loop import Fit, Monitoring, run_solver
from rosenblatt.estimators.linear_base import Classifier, unchanged_by_failure
from rosenblatt.estimators.online_base import unseen_classes
from rosenblatt.estimators.partial_fit import (
    Chunk,
    Stream,
    check_same_keep,
    count_outputs,
    learn_chunk,
)
from rosenblatt.estimators.replay import EpochRecorder, StepReplay
from rosenblatt.estimators.sklearn_interface import warn_unless_converged
from rosenblatt.kernels.rows import CSR, Rows, n_cols, n_rows
from rosenblatt.linalg.scores import wrong_and_all
from rosenblatt.losses.kernel_functions import KERNEL_NAMES, Kernel, Points, gamma_by_scale
from rosenblatt.online.kernelized import (
    Budget,
    Columns,
    Learner,
    StreamLearner,
    kernel_epochs,
    kernel_scores,
)
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.online.state import MISTAKES, ROWS, OptimiserState
from rosenblatt.online.stopping import Stalled, Stop, keep_best, max_epochs, no_mistake
from rosenblatt.online.update import Rule
from rosenblatt.trace.trace import MarginAndRadius, MarginBounds, Trace, smallest_margin
from rosenblatt.types import Array, Floats, Ints

MEGABYTE = 1024 * 1024


@dataclass(eq=False, repr=False)
class KernelPerceptron(Classifier):
    """Kernel perceptron: the perceptron on Φ(x), of which only κ(a, b) = Φ(a)·Φ(b) is known.

    Every mistake adds a row to the weights, so w = Σ δ_j Φ(x_j) over the rows that were mistakes,
    and a score is f(x) = Σ δ_j κ(x_j, x). With `kernel="linear"` it is `Perceptron`, mistake for
    mistake. With "rbf", any rows without contradictory labels are separable, so training converges.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "precomputed"} or callable, default="rbf"
        exp(−γ ‖a − b‖²), a·b, (γ a·b + coef0)^degree; with "precomputed", X is a matrix of kernel
        values (n × n to fit, m × n to predict); a function takes two matrices of rows and returns
        the matrix of their kernel values.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        γ of "rbf" and "poly": 1 / (n_features · variance of X), 1 / n_features, or a number. The
        variance of a stream is not known: if training begins with `partial_fit`, "scale" means
        "auto".
    coef0 : float, default=0.0
        Constant of "poly".
    fit_intercept : bool, default=True
        Whether to fit an intercept. It is the weight of a constant 1 at the end of Φ(x), which adds
        1 to κ.
    max_iter : int, default=1000
        Maximum number of epochs (passes over the rows).
    tol : float or None, default=None
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        until an epoch has no mistake.
    n_iter_no_change : int, default=5
        Number of epochs without improvement to wait for before stopping.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch. The order is that of `Perceptron`.
    random_state : int, RandomState or None, default=0
        Seed of the shuffle.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight. In
        `partial_fit`, it uses the counts so far.
    keep : {"last", "average", "pocket"}, default="last"
        Which weights to keep: the last, the mean over all rows visited, or the best seen (in `fit`
        by training errors, in `partial_fit` by the longest run of correct rows).
    multi_class : {"kesler", "ovr"}, default="kesler"
        For more than two classes: Kesler's construct, or one-vs-rest.
    budget : int or None, default=None
        Maximum number of support vectors, which bounds memory and time on an endless stream;
        requires `keep="last"`.
    forget : {"smallest", "oldest"}, default="smallest"
        Which support vector to remove when there is one too many: the one with the smallest
        coefficients (the oldest, if tied), or the oldest. It is never the newest.
    cache_size : float, default=200
        Megabytes of kernel columns to keep in `fit`.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    support_ : ndarray of shape (n_support,)
        Indices of the rows in the sum; those of a stream continue those of the fit.
    support_vectors_ : ndarray or CSR array of shape (n_support, n_features)
        These rows; without columns if the kernel is precomputed.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        The numbers δ.
    n_support_ : ndarray of shape (n_classes,)
        Number of these rows in each class.
    coef_, intercept_ : ndarray
        Weights and intercept; only with the linear kernel.
    gamma_ : float
        The value of γ used.
    trace_ : Trace
        One record an epoch of `fit`; its `norm` is |w| in the space of Φ.
    outcome_ : Outcome
        How the run ended, as a sentence.
    margin_bounds_ : MarginBounds or None
        lower ≤ γ* ≤ upper for the largest margin γ* of the vectors (Φ(x), 1), if all rows have the
        same weight and there is no budget.
    mistake_bound_ : float or None
        (R/γ)² with that lower bound: the theorem's limit on `mistakes_`; None without convergence.
    mistakes_, n_iter_, t_ : int
        Mistakes over all epochs, epochs, rows visited.

    Examples
    --------
    No line separates xor, but its products do:

    >>> from rosenblatt import KernelPerceptron, builtin
    >>> xor = builtin("xor")
    >>> model = KernelPerceptron(kernel="poly", degree=2, coef0=1, gamma=1, shuffle=False)
    >>> print(model.fit(xor.X, xor.y).outcome_)
    Converged after 9 epochs, the last without a mistake.
    >>> model.support_.tolist(), model.dual_coef_.tolist()
    ([0, 1, 2, 3], [[-8.0, 6.0, 6.0, -5.0]])
    """

    kernel: str | Callable[[Any, Any], Any] = "rbf"
    _: KW_ONLY
    degree: int = 3
    gamma: str | float = "scale"
    coef0: float = 0.0
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = None
    n_iter_no_change: int = 5
    shuffle: bool = True
    random_state: Any = 0
    class_weight: Any = None
    keep: str = "last"
    multi_class: str = "kesler"
    budget: int | None = None
    forget: str = "smallest"
    cache_size: float = 200
    n_jobs: int | None = None

    trace_: Trace = field(init=False)
    n_iter_: int = field(init=False)
    margin_bounds_: MarginBounds | None = field(init=False)
    mistake_bound_: float | None = field(init=False)
    _stream: Stream = field(init=False)
    _kernel: Kernel = field(init=False)
    _supports: Points = field(init=False)
    _labels: Array = field(init=False)
    _skipped: int = field(init=False)
    _outcome: Outcome | None = field(init=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train epoch by epoch, until one has no mistakes or `max_iter` is reached.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows, or the matrix of their kernel values if it is precomputed.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), optional
            Scales the update of each row; rows of weight 0 are skipped.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            data = self._training_data(X, y, sample_weight, self.class_weight)
            if self.kernel == "precomputed":
                _check_square(data.rows)
            self._kernel = self._made_kernel(data.rows)
            self._run_solver(data, self._kernel.points(data.rows))
        warn_unless_converged(self.outcome_, self.tol)
        return self

    def replay(self, X: Any, y: Any, sample_weight: Any = None) -> StepReplay:
        """Fit, and keep the coefficients of the rows after every epoch.

        Parameters
        ----------
        X, y, sample_weight :
            As in `fit`.

        Returns
        -------
        StepReplay
            Iterating yields arrays of shape (n_units, n_samples): δ of every training row, zero at
            the start, then after each epoch. The estimator is fitted.
        """
        with unchanged_by_failure(self):
            self._check()
            data = self._training_data(X, y, sample_weight, self.class_weight)
            if self.kernel == "precomputed":
                _check_square(data.rows)
            self._kernel = self._made_kernel(data.rows)
            recorder = EpochRecorder(dual=True)
            self._run_solver(data, self._kernel.points(data.rows), recorder)
        return recorder.replay()

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
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

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            first = "_stream" not in vars(self)
            self._check_stream(first=first)
            rows = self._rows(X, reset=first)
            n = n_rows(rows)
            weights = weights_of(sample_weight, n, some_positive=False)
            chunk = Chunk(rows, labels_of(y, n), weights)
            if first:
                self._open_stream()
            stream, before = self._stream.copy(), self.t_ - self._skipped
            if classes is not None:
                stream = stream.joined(unseen_classes(given_classes(classes), stream.classes))
            learner = StreamLearner(self._kernel, self._supports, self._budget(), self._skipped)
            stream = learn_chunk(
                stream, chunk, self._streaming_rule, self.class_weight, learner.learn
            )
            self._labels = self._labels_of(learner.supports, chunk.labels, before)
            self._stream, self.classes_ = stream, stream.classes
            self._supports, self._outcome = learner.supports, None
        return self

    @property
    def support_(self) -> Ints:
        """Indices of the rows in the sum."""
        return self._sum()[0].indices

    @property
    def support_vectors_(self) -> Any:
        """The rows in the sum."""
        return matrix_of(self._sum()[0].rows)

    @property
    def dual_coef_(self) -> Floats:
        """Coefficient of each row in the sum, for each output."""
        return self._sum()[1]

    @property
    def n_support_(self) -> Ints:
        """Number of rows in the sum, in each class."""
        inside = self.support_
        own = self._labels[np.isin(self._supports.indices, inside)]
        return class_counts(codes_of(own, self.classes_), len(self.classes_))

    @property
    def gamma_(self) -> float:
        """The value of γ used."""
        self._require_fitted()
        return self._kernel.gamma

    @property
    def coef_(self) -> Floats:
        """Weights of the features, a row for each output; only with the linear kernel."""
        points, deltas = self._linear_sum()
        return np.asarray(deltas @ matrix_of(points.rows).astype(np.float64))

    @property
    def intercept_(self) -> Floats:
        """Intercept of each output; only with the linear kernel."""
        _, deltas = self._linear_sum()
        return np.asarray(deltas.sum(axis=1) * self._kernel.offset)

    @property
    def outcome_(self) -> Outcome:
        """How the run ended, or how far the stream has come; `str` of it is a sentence."""
        self._require_fitted()
        if self._outcome is not None:
            return self._outcome
        return Outcome(Ending.STREAM, 1, self.t_, self.mistakes_)

    @property
    def mistakes_(self) -> int:
        """Number of mistakes in all epochs, or in the stream so far."""
        self._require_fitted()
        return int(self._stream.state.counters[MISTAKES])

    @property
    def t_(self) -> int:
        """Number of rows visited, over all epochs and chunks."""
        self._require_fitted()
        return int(self._stream.state.counters[ROWS])

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a sum to predict with."""
        return "_stream" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that sparse rows are welcome, or tables of kernel values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _scorer(self) -> Callable[[Rows], Floats]:
        points, deltas = self._sum()
        kernel = self._kernel
        return lambda rows: kernel_scores(kernel, points, deltas, kernel.points(rows))

    def _sum(self) -> tuple[Points, Floats]:
        """The rows that count in the weights kept, and how much."""
        self._require_fitted()
        deltas = self._stream.state.kept()
        inside = np.flatnonzero(deltas.any(axis=0))
        if len(inside) == deltas.shape[1]:
            return self._supports, deltas
        return self._kernel.centres(self._supports, inside), deltas[:, inside]

    def _linear_sum(self) -> tuple[Points, Floats]:
        self._require_fitted()
        if self._kernel.kind != "linear":
            raise AttributeError(
                "coef_ and intercept_ exist only with kernel='linear'; this was fitted with"
                f" {self._kernel.kind!r}."
            )
        return self._sum()

    def _rows(self, X: Any, *, reset: bool) -> Rows:
        rows = super()._rows(X, reset=reset)
        if self.kernel == "precomputed" and isinstance(rows, CSR):
            raise DataError(
                "kernel='precomputed' needs a dense matrix of kernel values; got a sparse matrix."
                " Use X.toarray()."
            )
        with unchanged_by_failure(self):  # a kernel may well hide what is not finite
            require_finite(rows)
        return rows

    def _check(self) -> None:
        if not callable(self.kernel):
            parameters.one_of("kernel", self.kernel, KERNEL_NAMES)
        parameters.whole("degree", self.degree, least=1)
        if not isinstance(self.gamma, str):
            parameters.number("gamma", self.gamma, above=0)
        else:
            parameters.one_of("gamma", self.gamma, ("scale", "auto"))
        parameters.number("coef0", self.coef0)
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.whole("max_iter", self.max_iter, least=1)
        parameters.number("tol", self.tol, optional=True)
        parameters.whole("n_iter_no_change", self.n_iter_no_change, least=1)
        parameters.flag("shuffle", self.shuffle)
        parameters.class_weight("class_weight", self.class_weight)
        parameters.one_of("keep", self.keep, ("last", "average", "pocket"))
        parameters.one_of("multi_class", self.multi_class, ("kesler", "ovr"))
        parameters.whole("budget", self.budget, least=1, optional=True)
        parameters.one_of("forget", self.forget, ("smallest", "oldest"))
        parameters.number("cache_size", self.cache_size, least=0)
        parameters.jobs("n_jobs", self.n_jobs)
        if self.budget is not None and self.keep != "last":
            raise ParameterError(f"budget={self.budget} needs keep='last'; got keep={self.keep!r}.")

    def _check_stream(self, *, first: bool) -> None:
        if self.kernel == "precomputed":
            raise ParameterError(
                "partial_fit needs the rows themselves: kernel='precomputed' works with fit only."
            )
        if first:
            return
        check_same_keep(self._stream.state, self.keep)
        wanted = self._made_kernel(None)
        if isinstance(self.gamma, str):  # it was settled when the stream began, or by the fit
            wanted = wanted._replace(gamma=self._kernel.gamma)
        if wanted != self._kernel:
            raise ParameterError(
                "kernel, degree, gamma, coef0 and fit_intercept cannot change in a stream. Use a"
                " new estimator."
            )

    def _open_stream(self) -> None:
        """Begin a stream: no rows, no classes."""
        self._kernel = self._made_kernel(None)
        W = np.zeros((1, 0))
        state = OptimiserState.from_weights(W, 0, keep=self.keep, l1=False)
        self._stream, self._skipped = Stream(np.array([]), state), 0
        self._supports = self._kernel.points(np.zeros((0, self.n_features_in_)))
        self._labels = np.array([])

    def _labels_of(self, supports: Points, labels: Array, before: int) -> Array:
        """Labels of the rows in the sum after a chunk that began at row `before`."""
        new = labels[supports.indices[supports.indices >= before] - before]
        old = self._labels[np.isin(self._supports.indices, supports.indices)]
        return np.concatenate([old, new]) if len(old) else new

    def _made_kernel(self, rows: Rows | None) -> Kernel:
        """The kernel for some training rows, or for a stream."""
        return Kernel(
            kind=self.kernel,
            gamma=self._gamma(rows),
            degree=int(self.degree),
            coef0=float(self.coef0),
            offset=1.0 if self.fit_intercept else 0.0,
        )

    def _gamma(self, rows: Rows | None) -> float:
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if rows is None or self.gamma == "auto" or self.kernel not in {"rbf", "poly"}:
            return 1.0 / self.n_features_in_
        return gamma_by_scale(rows)

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        return self._rule_of("perceptron", n_classes, balanced=balanced)

    def _streaming_rule(self, n_classes: int) -> Rule:
        return self._rule(n_classes, balanced=self.class_weight == "balanced")

    def _budget(self) -> Budget:
        return Budget(np.inf if self.budget is None else self.budget, self.forget)

    def _stopping_criteria(self) -> list[Stop]:
        criteria: list[Stop] = [no_mistake]
        if self.tol is not None:
            ending, patience = Ending.LOSS_STALLED, self.n_iter_no_change
            criteria.append(Stalled(lambda result: result.loss, self.tol, patience, ending))
        return [*criteria, max_epochs(self.max_iter)]

    def _run_solver(
        self, data: TrainingData, points: Points, recorder: EpochRecorder | None = None
    ) -> None:
        kernel, rule = self._kernel, self._rule(data.n_classes)
        W = np.zeros((count_outputs(data.n_classes), len(data.codes)))
        state = OptimiserState.from_weights(W, data.n_classes, keep=self.keep, l1=False)
        columns = Columns(kernel, points, self._threads(), self.cache_size * MEGABYTE)
        learner = Learner(data, rule, state, columns, np.zeros(W.T.shape))
        seed = self._seed() if self.shuffle else None
        results = kernel_epochs(learner, state, seed=seed, budget=self._budget())
        if recorder is not None:
            results = recorder.recorded(results, W.copy(), lambda w: w.deltas)
        if self.keep == "pocket":
            results = keep_best(results, lambda w: _share(*wrong_and_all(data, w.scores)))
        monitoring = Monitoring(
            criteria=self._stopping_criteria(),
            eta_if_bounded=1.0 if data.all_weigh_one and self.budget is None else None,
            geometry=lambda w: MarginAndRadius(
                smallest_margin(w.scores, data, kesler=rule.kesler),
                float(kernel.with_themselves(points).max()),
            ),
        )
        fit = run_solver(results, Blocks(data), rule, monitoring)
        state.counts[:] = len(fit.trace) * class_counts(data.codes, data.n_classes)
        self._store(fit, state, data, points)

    def _store(self, fit: Fit, state: OptimiserState, data: TrainingData, points: Points) -> None:
        kept: Any = fit.W
        if self.keep == "pocket":
            state.keep_in_pocket(kept.deltas)
        inside = np.flatnonzero(state.W.any(axis=0))
        self._supports = self._kernel.centres(points, inside)
        self._labels = self.classes_[data.codes[inside]]
        # in C order, so that sums over them have the same bits wherever they come from
        W, update_sum, pocket = (np.ascontiguousarray(part[:, inside]) for part in state[:3])
        state = state._replace(W=W, weighted_update_sum=update_sum, pocket=pocket)
        self._stream, self._outcome = Stream(self.classes_, state), fit.outcome
        self.trace_, self.n_iter_ = fit.trace, len(fit.trace)
        self.margin_bounds_, self.mistake_bound_ = fit.margin_bounds, fit.mistake_bound
        self._skipped = (self.n_iter_ - 1) * len(data.codes)


def _share(part: float, whole: float) -> float:
    return float(part / whole)


def _check_square(rows: Rows) -> None:
    if n_rows(rows) != n_cols(rows):
        raise DataError(
            "Precomputed matrix must be a square matrix: kernel='precomputed' needs the kernel of"
            f" every row with every row; got shape {(n_rows(rows), n_cols(rows))}."
        )
