"""Logistic regression of lecture 003, for two classes or many, with its duality gap as proof."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
from scipy.special import log_expit, log_softmax, logsumexp

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.absent_classes import class_sizes, present_only, with_absent
from rosenblatt.estimators.convex_base import (
    CertifiedClassifier,
    Run,
    recorded,
    retold,
    sample_C_of,
)
from rosenblatt.estimators.sklearn_callbacks import Listener
from rosenblatt.kernels.rows import n_cols
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.optim import softmax_mle, softmax_newton
from rosenblatt.optim.certificate import COMPENSATED, Proof
from rosenblatt.optim.mle import MAX_MLE_WEIGHTS, maximise_likelihood
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.optim.softmax_certificate import prove_softmax
from rosenblatt.optim.solve import METHODS, Limits, Start, Step, until
from rosenblatt.separation.mle_existence import watched
from rosenblatt.types import Array, Floats

SOLVERS = ("auto", *METHODS, "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
PENALTIES = ("l2", None, "deprecated", "l1", "elasticnet")


@dataclass(eq=False, repr=False)
class LogisticRegression(CertifiedClassifier):
    """Logistic regression: ½‖w‖² + C Σ log(1 + exp(−y (w·x + b))) is as small as can be.

    The model gives the second of two classes the probability σ(w·x + b), and of K classes each the
    share exp(w_k·x + b_k) / Σ exp(w·x + b); the objective is the negative logarithm of the
    posterior of the weights (maximum a posteriori) under a Gaussian prior of variance C. The biases
    are not penalised. With `C=np.inf` it is that of the likelihood alone; where the classes are
    separable that has no best weights, and the outcome says so (see docs/separation.md).

    Every step knows a value that no weights can go below (a feasible point of the dual problem), so
    the run stops when the objective is within `tol` of the best possible, and says so. Newton's
    method finds it (see rosenblatt.optim.newton and rosenblatt.optim.softmax_newton).

    The signature is scikit-learn's, so that changing the import line is enough; the objective is
    the same, and the answer is that of its solvers run to the end.

    Parameters
    ----------
    penalty : {"l2", None}, default="l2"
        ½‖w‖², or nothing, which means `C=np.inf`. "deprecated", the word that scikit-learn's
        default has become, means "l2", and so does "elasticnet", whose l1 part must be 0.
    C : float, np.inf or "cv", default=1.0
        Inverse regularisation strength. "cv" selects it by cross-validation along a path of warm
        starts, by log loss. np.inf is maximum likelihood, for up to 4,096 weights (n_features + 1
        for two classes or one against the rest, else n_classes times that).
    l1_ratio : 0 or None, default=0.0
        For scikit-learn's signature: there is no l1 part.
    dual : bool, default=False
        For scikit-learn's signature: primal and dual are solved together.
    tol : float, default=1e-6
        Relative duality gap (P − D)/P at which to stop.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    intercept_scaling : float, default=1
        For scikit-learn's signature: the intercept is not penalised, so its scale changes nothing.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight. They multiply C.
    random_state : int, RandomState or None, default=0
        Seed of the subsample that a first, coarse run is fitted to.
    solver : str, default="auto"
        "newton" is Newton's method, "ascent" dual coordinate ascent; "auto" takes the second for
        sparse rows of more than 4,096 features. The second is for two classes, or one against the
        rest. The names of scikit-learn's solvers are accepted for its signature's sake, and mean
        "auto". ("liblinear" penalises the intercept in scikit-learn; here nothing does.)
    max_iter : int, default=1000
        Maximum number of steps of the solver.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
        For more than two classes: the softmax over all, or each class against the rest.
    verbose : int, default=0
        For scikit-learn's signature: nothing is printed; `trace_` has every step.
    warm_start : bool, default=False
        Whether to start from the weights of the last fit.
    n_jobs : int or None, default=None
        Number of threads; they change no bit of the result. None is one, −1 all cores.
    time_limit : float or None, default=None
        Time limit of `fit` in seconds. The best weights so far are kept.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; those of a softmax sum to 0 over the classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts, likewise.
    gap_ : float
        (P − D)/P: the objective is at most this far above the best possible, relative to itself;
        infinite where no weights are the best.
    objective_ : float
        P, summed over the units where each has its own.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Dual variables times their signs, α y, or of a softmax c (e_y − q), whose dual objective is
        the bound behind `gap_`; with an intercept they sum to 0 exactly, class by class. A model
        file does not keep them; with C=np.inf there are none.
    C_ : float
        The C used.
    cv_results_ : dict
        With C="cv": the values "C" tried, the "scores" of each on each fold, NaN where one was
        spared because the value was out of the race, and the "mean_score", for which a spared
        fold is made up from how far the value was behind the one chosen.
    n_iter_ : ndarray of shape (1,) or (n_classes,)
        Steps taken, by each unit where each has its own run.
    outcome_ : Outcome
        How the run ended, as a sentence.
    trace_ : Trace
        Objective, bound and gap after each step.

    Examples
    --------
    >>> from rosenblatt import LogisticRegression, builtin
    >>> iris = builtin("iris")
    >>> model = LogisticRegression().fit(iris.X, iris.y)
    >>> model.predict_proba(iris.X[:2]).round(3)
    array([[0.982, 0.018, 0.   ],
           [0.971, 0.029, 0.   ]])
    >>> model.gap_ <= 1e-6
    True
    """

    penalty: str | None = "l2"
    _: KW_ONLY
    l1_ratio: float | None = 0.0
    dual: bool = False
    multi_class: str = "multinomial"

    dual_coef_: Floats = field(init=False)

    _choosing_tol = 1e-3  # a probability shows more than a side

    _one_vs_rest: bool = field(init=False)

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. One-vs-rest: the units' own, scaled to the sum 1.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of the probability of each class, also where that is too small for a float.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._log_proba(self._scores(X))

    def _log_proba(self, scores: Floats) -> Floats:
        """Logarithm of the probability of each class, from the scores."""
        if scores.shape[1] == 1:
            return np.asarray(log_expit(np.hstack([-scores, scores])))
        if not self._fitted_one_vs_rest():
            return np.asarray(log_softmax(scores, axis=1))
        own = log_expit(scores)
        return np.asarray(own - logsumexp(own, axis=1, keepdims=True))

    def _fitted_one_vs_rest(self) -> bool:
        """Whether the units were fitted one against the rest, whatever `multi_class` says now."""
        return bool(vars(self).get("_one_vs_rest", self.multi_class == "ovr"))

    def _solve(
        self, problem: TrainingData, start: list[Start] | None, listener: Listener | None
    ) -> None:
        self._one_vs_rest = self.multi_class == "ovr"
        super()._solve(problem, start, listener)

    def _n_runs(self, problem: TrainingData) -> int:
        return 1 if self._is_softmax(problem) else super()._n_runs(problem)

    def _zero_is_first(self) -> bool:
        return True

    def _marks(self, scores: Floats, codes: Array) -> Floats:
        return np.asarray(self._log_proba(scores)[np.arange(len(codes)), codes])

    def _loss(self) -> Loss:
        return Loss.LOGISTIC

    def _runs(
        self, problem: TrainingData, C: float, start: list[Start] | None, limits: Limits
    ) -> list[Run]:
        if not self._is_softmax(problem):
            return super()._runs(problem, C, start, limits)
        W = None if start is None else np.vstack([unit.w for unit in start])
        present = np.flatnonzero(class_sizes(problem))
        if len(present) == problem.n_classes or not self.fit_intercept:
            return [self._softmax_run(problem, C, W, limits)]
        part, rows = present_only(problem, present)
        run = self._softmax_run(part, C, None if W is None else W[present], limits)
        objective = self._softmax_objective(problem, C)
        W, alpha = with_absent(objective, run.last, present, rows)
        return [retold(run, prove_softmax(objective, W, alpha, limits.tol), limits.tol)]

    def _softmax_run(
        self, problem: TrainingData, C: float, W: Floats | None, limits: Limits
    ) -> Run:
        objective = self._softmax_objective(problem, C)
        if limits.max_iter == 0:
            return recorded(softmax_newton.at_start(objective, W), 0, -1, limits)
        if np.isinf(C):
            steps = self._watched(softmax_mle.maximise_likelihood(objective, W), objective, limits)
        else:
            steps = softmax_newton.solve(objective, W, self._seed(), limits)
        return recorded(steps, 0, -1, limits)

    def _retold(self, problem: TrainingData, run: Run, w: Floats, alpha: Floats, tol: float) -> Run:
        if not self._is_softmax(problem):
            return super()._retold(problem, run, w, alpha, tol)
        objective = self._softmax_objective(problem, self.C_)
        return retold(run, prove_softmax(objective, w, alpha, tol), tol)

    def _is_softmax(self, problem: TrainingData) -> bool:
        return problem.n_classes > 2 and self.multi_class != "ovr"

    def _softmax_objective(self, problem: TrainingData, C: float) -> SoftmaxObjective:
        free = np.isinf(C)  # then only the losses count
        return SoftmaxObjective(
            blocks=Blocks(problem, self._threads()),
            sample_C=sample_C_of(problem, 1.0 if free else C),
            l2=0.0 if free else 1.0,
            fit_intercept=self.fit_intercept,
        )

    def _proofs(self, problem: TrainingData) -> list[Proof]:
        if not self._is_softmax(problem):
            return super()._proofs(problem)
        objective, W = self._softmax_objective(problem, self.C_), self._weights()
        return [prove_softmax(objective, W, self._kept_alpha(problem), 0.0, COMPENSATED)]

    def _alpha(self, unit: int, problem: TrainingData, positive: int) -> Floats:
        signs = np.where(problem.codes == positive, 1.0, -1.0)
        return np.asarray(self._kept_alpha(problem)[:, unit] * signs)

    def _kept_alpha(self, problem: TrainingData) -> Floats:
        """Dual variables as they are published, a row a sample and a column a unit."""
        if "dual_coef_" not in vars(self):
            raise ModelError(
                "The dual variables of this model are not known: a model file does not keep them."
                " Fit it again to check its gap."
            )
        n, rows = len(self.dual_coef_), len(problem.codes)
        if n != rows:
            raise DataError(
                f"The dual variables are of {n:,} rows; X has {rows:,}. Give the rows that the"
                " model was fitted to."
            )
        return self.dual_coef_.reshape(n, -1)

    def _store(self, problem: TrainingData, runs: list[Run]) -> None:
        super()._store(problem, runs)
        self.n_iter_ = np.array([run.last.number for run in runs], np.int64)
        self.__dict__.pop("dual_coef_", None)
        if np.isinf(self.C_):
            return
        if self._is_softmax(problem):
            self.dual_coef_ = runs[0].last.alpha
            return
        signed = [
            run.last.alpha * np.where(problem.codes == run.positive, 1.0, -1.0) for run in runs
        ]
        self.dual_coef_ = signed[0] if len(signed) == 1 else np.column_stack(signed)

    def _steps(
        self, objective: BinaryObjective, start: Start | None, seed: int, limits: Limits
    ) -> Iterator[Step]:
        if objective.l2 > 0.0:
            return super()._steps(objective, start, seed, limits)
        return self._watched(
            maximise_likelihood(objective, None if start is None else start.w), objective, limits
        )

    def _watched(
        self, steps: Iterator[Step], objective: BinaryObjective | SoftmaxObjective, limits: Limits
    ) -> Iterator[Step]:
        """Steps of a climb to its end, or to where separation is seen."""
        features = n_cols(objective.blocks.problem.rows)
        units = objective.n_classes if isinstance(objective, SoftmaxObjective) else 1
        most = MAX_MLE_WEIGHTS // units - 1
        if features > most:
            of_classes = f" of {units} classes" if units > 1 else ""
            raise ParameterError(
                f"C=inf takes at most {most:,} features{of_classes}; X has {features:,}. Use a"
                " finite C: so many features nearly always separate the classes."
            )
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(features)])
        return watched(until(steps, limits), objective, list(names), limits)

    def _price(self) -> Any:
        return np.inf if self.penalty is None else super()._price()

    def _method(self) -> str:
        return self.solver if self.solver in METHODS else "auto"

    def _check(self) -> None:
        super()._check()
        parameter_checks.one_of("penalty", self.penalty, PENALTIES)
        parameter_checks.one_of("solver", self.solver, SOLVERS)
        parameter_checks.one_of("multi_class", self.multi_class, ("multinomial", "ovr"))
        parameter_checks.flag("dual", self.dual)
        parameter_checks.number("intercept_scaling", self.intercept_scaling, above=0)
        parameter_checks.verbosity("verbose", self.verbose)
        parameter_checks.number("l1_ratio", self.l1_ratio, least=0, most=1, optional=True)
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError(
                "l1_ratio must be specified when penalty is elasticnet; 0 is all it may be here."
            )
        if self.penalty == "l1" or self.l1_ratio:
            raise ParameterError(
                f"penalty={self.penalty!r} with l1_ratio={self.l1_ratio!r} asks for an l1 part, of"
                " which this rule has none: use penalty='l2' and l1_ratio=0, or for sparse"
                " weights Perceptron(penalty='l1')."
            )
        if self.penalty is None and isinstance(self.C, str):
            raise ParameterError("penalty=None has no C to choose: leave C=1.0.")

    def _check_price(self) -> None:
        if not (isinstance(self.C, float) and np.inf == self.C):
            super()._check_price()
