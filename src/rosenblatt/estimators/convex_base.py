"""Estimators that minimise a convex objective, with proved duality gaps; paths over C."""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Self

import numpy as np

from rosenblatt.data.labels import codes_of, labels_of
from rosenblatt.data.training_data import TrainingData
from rosenblatt.data.validation import (
    class_weights_of,
    not_finite,
    require_finite,
    weights_of,
)
from rosenblatt.errors import DataError, ParameterError, TooLargeError
from rosenblatt.estimators import parameters, sklearn_interface
from rosenblatt.estimators.base import clone_with
from rosenblatt.estimators.convex_fit import (
    ConvexFit,
    ConvexObjective,
    Run,
    minimise,
    positive_classes,
    prove_fitted,
)
from rosenblatt.estimators.fit_loop import given_weights
from rosenblatt.estimators.linear_base import LinearClassifier, WarmStart, unchanged_by_failure
from rosenblatt.estimators.parameters import ConvexParameters
from rosenblatt.estimators.partial_fit import count_outputs
from rosenblatt.estimators.replay import StepRecorder, StepReplay
from rosenblatt.estimators.sklearn_interface import CallbackContext, warn_unless_converged
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg.products import one_thread
from rosenblatt.model_selection.choose_c import CS
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.optim.certificate import (
    Certificate,
    certificate_of,
)
from rosenblatt.optim.duality_gap import DualityGap
from rosenblatt.optim.solve import Limits, Start
from rosenblatt.trace.trace import Trace
from rosenblatt.types import Array, Floats

PER_FIT = ("cv_results_", "_one_vs_rest")  # what a fit may leave unset


class CertifiedClassifier(ConvexParameters, LinearClassifier):
    """Minimises ½‖w‖² + C Σ loss, the intercept not penalised, until the duality gap proves it.

    Subclasses say which objective, and how its dual variables are stored.
    """

    trace_: Trace
    outcome_: Outcome
    gap_: float
    objective_: float
    n_iter_: int | Array
    C_: float
    cv_results_: dict[str, Any]

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        coef_init: Any = None,
        intercept_init: Any = None,
    ) -> Self:
        """Minimise the objective until its gap is at most `tol`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: float32 and float64 in C order and CSR are used without a copy.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts: it multiplies C.
        coef_init, intercept_init : array-like, optional
            Weights and intercepts to start from, instead of zero. The optimum is the same.

        Returns
        -------
        self
        """
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        given = {"X": X, "y": y, "metadata": metadata}
        with unchanged_by_failure(self):
            self._check()
            warm = self._warm_start()
            data = self._training_data(X, y, sample_weight, self.class_weight)
            self._check_warm(warm)
            start = self._given_start(data, coef_init, intercept_init, warm)
            is_given = not (coef_init is None and intercept_init is None)

            def solve(callbacks: CallbackContext | None) -> None:
                self._run_solver(data, start, callbacks, is_given=is_given)

            with _errors_of(data):
                if not sklearn_interface.has_callbacks(self):
                    solve(None)
                else:
                    n_runs = 1 if self._objective().softmax else len(positive_classes(data))
                    size = n_runs, float(self.tol or 0.0)
                    sklearn_interface.solve_with_callbacks(self, given, size, solve)
        warn_unless_converged(self.outcome_, self.tol)
        return self

    def replay(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        coef_init: Any = None,
        intercept_init: Any = None,
    ) -> StepReplay:
        """Fit, and keep the weights after every step of the solver.

        Parameters
        ----------
        X, y, sample_weight, coef_init, intercept_init :
            As in `fit`.

        Returns
        -------
        StepReplay
            Iterating yields the weights (w, b) at the start, then after each step of `trace_`. The
            estimator is fitted.
        """
        with unchanged_by_failure(self):
            self._check()
            if isinstance(self.C, str):
                raise ParameterError(
                    f"A replay needs a number for C; got {self.C!r}. Fit first, then replay with"
                    " the C_ that was selected."
                )
            data = self._training_data(X, y, sample_weight, self.class_weight)
            start = self._given_start(data, coef_init, intercept_init, None)
            shape = (count_outputs(data.n_classes), n_cols(data.rows) + 1)
            W = np.zeros(shape) if start is None else np.vstack([one.w for one in start])
            recorder = StepRecorder(W)
            with _errors_of(data):
                self._run_solver(data, start, recorder, is_given=True)
        return recorder.replay(self._weights())

    def _run_solver(
        self,
        data: TrainingData,
        start: list[Start] | None,
        callbacks: "CallbackContext | StepRecorder | None",
        *,
        is_given: bool,
    ) -> None:
        """Minimise the objective from a start, given by the user or not, and store the result."""
        objective, sizes = self._objective(), data.class_sizes
        if np.count_nonzero(sizes) < 2 or np.inf == objective.C:
            self._require_weight(sizes)
        for name in PER_FIT:
            self.__dict__.pop(name, None)
        limits = self._limits()
        fit = minimise(objective, data, start, limits, callbacks, also_from_zero=not is_given)
        self._store(data, fit)

    def _given_start(
        self, data: TrainingData, coef_init: Any, intercept_init: Any, warm: WarmStart | None
    ) -> list[Start] | None:
        """Where to start: at the weights given to `fit`, where the last fit ended, or at zero."""
        if coef_init is None and intercept_init is None:
            return None if warm is None else self._start(warm.W, data)
        if isinstance(self.C, str):
            raise ParameterError(
                f"`coef_init` and `intercept_init` need a number for `C`; got {self.C!r}, which"
                " selects C along a path with its own initial weights."
            )
        shape = (count_outputs(data.n_classes), n_cols(data.rows) + 1)
        W = np.zeros(shape) if warm is None else warm.W
        bias = 1.0 if self.fit_intercept else 0.0
        return [Start(w) for w in given_weights(coef_init, intercept_init, W, bias)]

    @property
    def set_callbacks(self) -> Callable[..., Self]:
        """Set callbacks, where the scikit-learn that is installed has them (1.9 or later).

        Every digit of the gap is a task of its own: `set_callbacks(ProgressBar()).fit(X, y)`.
        """
        if not sklearn_interface.is_supported():
            raise AttributeError("set_callbacks needs scikit-learn 1.9 or later.")
        return partial(sklearn_interface.set_callbacks, self)

    @abstractmethod
    def _objective(self) -> ConvexObjective:
        """What the parameters say is to be minimised."""

    @abstractmethod
    def _stored_alpha(self, data: TrainingData, output: int, positive: int) -> Floats:
        """Dual variables of a binary problem, one for each row."""

    @abstractmethod
    def _store_alpha(self, data: TrainingData, runs: list[Run]) -> None:
        """Store the dual variables of all runs."""

    def _stored_alphas(self, data: TrainingData) -> list[Floats]:
        """Dual variables of each binary problem."""
        positives = enumerate(positive_classes(data))
        return [self._stored_alpha(data, output, positive) for output, positive in positives]

    def _weights_are_repetitions(self) -> bool:
        return True

    def certificate(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Check the gap of this fit anew, from its weights and dual variables alone.

        It needs a penalty: with C=inf `gap_` rests on an estimate of how long the best weights are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights, if the fit had any.

        Returns
        -------
        Certificate
            `primal_upper` is at least the objective of `coef_` and `intercept_`; no weights have an
            objective below `dual_lower`; `gap` is (primal_upper − dual_lower)/primal_upper, and
            `holds` tells whether that is at most `gap_`. All rounding is counted. `units` has the
            same for each unit, with the dual variables `alpha` that prove it.
        """
        self._require_fitted()
        data = self._data_again(X, y, sample_weight)
        if np.isinf(self.C_):
            raise ParameterError(
                "certificate() needs a penalty: with C=inf no finite set of dual variables in"
                " float64 bounds the likelihood exactly. Fit with a finite C."
            )
        with one_thread():
            alphas = self._stored_alphas(data)
            proofs = prove_fitted(self._objective(), data, self.C_, self._weights(), alphas)
        return certificate_of(proofs, self.gap_)

    def _data_again(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        """Training data of the last fit, checked again; no fitted attribute changes."""
        rows = self._rows(X, reset=False)
        require_finite(rows)
        codes = codes_of(labels_of(y, n_rows(rows)), self.classes_)
        weights = weights_of(sample_weight, n_rows(rows))
        n_classes = len(self.classes_)
        class_weights = class_weights_of(
            self.class_weight, self.classes_, lambda: self._class_sizes(codes, weights, n_classes)
        )
        return TrainingData(rows, codes, weights, class_weights)

    def _start(self, W: Floats, data: TrainingData) -> list[Start]:
        """Where the last fit ended, with its dual variables if they may be of these rows."""
        if "dual_coef_" not in vars(self):
            return [Start(w) for w in W]
        positives = enumerate(positive_classes(data))
        try:
            alphas = [self._stored_alpha(data, output, positive) for output, positive in positives]
        except DataError:
            return [Start(w) for w in W]
        return [Start(w, alpha) for w, alpha in zip(W, alphas, strict=True)]

    def _C_value(self) -> Any:  # noqa: N802 (C as in the formulas)
        """C as the parameters have it: a number, or "cv"."""
        return self.C if isinstance(self.C, str) else float(self.C)

    def _limits(self) -> Limits:
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        return Limits(float(self.tol or 0.0), self.max_iter, deadline)

    def _store(self, data: TrainingData, fit: ConvexFit) -> None:
        last = [run.last for run in fit.runs]
        self.C_, self._W = fit.C, fit.W
        if fit.selection is not None:
            self.cv_results_ = fit.selection
        self.trace_ = Trace([record for run in fit.runs for record in run.records])
        total = DualityGap.summed([step.bounds for step in last])
        self.objective_, self.gap_ = total.primal, total.gap
        self.n_iter_ = steps = max(step.number for step in last)
        endings = [step.ending for step in last if step.ending is not None]
        worst = next((e for e in endings if e is not Ending.CERTIFIED), Ending.CERTIFIED)
        if self.gap_ <= float(self.tol or 0.0):  # of all runs together, which is what counts
            worst = Ending.CERTIFIED
        if worst is Ending.CERTIFIED and np.isinf(self.C_):
            worst = Ending.CONVERGED
        advice = next((step.advice for step in last if step.ending is worst), "")
        rows = n_rows(data.rows)
        self.outcome_ = Outcome(worst, steps, rows, advice=advice, gap=self.gap_)
        self._store_alpha(data, fit.runs)

    def _check(self) -> None:
        parameters.number("tol", self.tol, least=0)
        parameters.whole("max_iter", self.max_iter, least=0)
        parameters.number("time_limit", self.time_limit, above=0, optional=True)
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.flag("warm_start", self.warm_start)
        parameters.jobs("n_jobs", self.n_jobs)
        parameters.class_weight("class_weight", self.class_weight)


@contextmanager
def _errors_of(data: TrainingData) -> Iterator[None]:
    """One BLAS thread inside; numbers beyond float64 are an error that names their place."""
    try:
        with one_thread():
            yield
    except (FloatingPointError, OverflowError):
        raise _beyond(data) from None


def check_C(C: Any) -> None:  # noqa: N802 (C as in the formulas)
    """Refuse what is neither a positive number nor "cv"."""
    if not (isinstance(C, str) and C == "cv"):
        parameters.number("C", C, above=0)


def _beyond(data: TrainingData) -> DataError:
    """The error that names what was not finite, or may have been too large where X was finite."""
    error = not_finite(data.rows)
    if not isinstance(error, TooLargeError):
        return error
    return TooLargeError(
        "The objective overflows float64: X holds values that are too large, or C and the sample"
        " weights are too large or differ too much. Scale the columns of X, or change C and the"
        " weights."
    )


def regularisation_path(
    estimator: Any, X: Any, y: Any, Cs: Any = CS, sample_weight: Any = None
) -> list[Any]:
    """Fit an estimator for each of several C, each from the weights of the previous one.

    Parameters
    ----------
    estimator : LinearSVM or LogisticRegression
        The settings other than C; it is not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their labels.
    Cs : sequence of float, default: 1e-4 to 1e4 in steps of √10
        Values of C, preferably in increasing order.
    sample_weight : array-like of shape (n_samples,), optional
        How many times each row counts.

    Returns
    -------
    list of estimators
        The fitted estimators, one for each C.

    Examples
    --------
    >>> from rosenblatt import LinearSVM, builtin, regularisation_path
    >>> data = builtin("iris")
    >>> for model in regularisation_path(LinearSVM(), data.X, data.y, Cs=[0.01, 1, 100]):
    ...     print(model.C, round(model.score(data.X, data.y), 3))
    0.01 0.667
    1 0.96
    100 0.967
    """
    if not hasattr(estimator, "C"):
        raise ParameterError(
            f"A path is a series of fits for several C, and {estimator!r} has no parameter C."
        )
    if not np.iterable(Cs) or isinstance(Cs, str):
        raise ParameterError(f"Cs must be a list of values of C; got {Cs!r}.")
    fitted: list[Any] = []
    for C in Cs:
        model = clone_with(estimator, C=C)
        if fitted:
            vars(model).update({k: v for k, v in vars(fitted[-1]).items() if k not in vars(model)})
        warm = model.get_params()["warm_start"]
        fitted.append(model.set_params(warm_start=True).fit(X, y, sample_weight))
        model.set_params(warm_start=warm)
    return fitted
