"""Logistic regression of lecture 003, for two classes or many, with its duality gap as proof."""

from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.special import log_expit, log_softmax, logsumexp

from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.convex_base import CertifiedClassifier, check_C
from rosenblatt.estimators.convex_fit import ConvexObjective, Run, signs_of
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.optim.solve import METHODS
from rosenblatt.types import Array, Floats

SOLVERS = ("auto", *METHODS, "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
PENALTIES = ("l2", None, "deprecated", "l1", "elasticnet")


@dataclass(eq=False, repr=False)
class LogisticRegression(CertifiedClassifier):
    """Logistic regression: minimises ½‖w‖² + C Σ log(1 + exp(−y (w·x + b))).

    The probability of the second of two classes is σ(w·x + b), and that of each of K classes is
    exp(w_k·x + b_k) / Σ exp(w·x + b). The objective is the negative log posterior of the weights
    (maximum a posteriori) under a Gaussian prior of variance C. Intercepts are not penalised. With
    `C=np.inf` it is the negative log likelihood; if the classes are separable, the likelihood has
    no maximum, and the outcome says so (see docs/separation.md).

    Every step yields a lower bound of the objective (a feasible point of the dual problem), so
    training stops when the objective is within a relative `tol` of the optimum, and the outcome
    says so. The solver is Newton's method (see rosenblatt.optim.newton and
    rosenblatt.optim.softmax_newton).

    The signature and the objective are scikit-learn's, so changing the import line is enough; the
    result is that of its solvers run to convergence.

    Parameters
    ----------
    penalty : {"l2", None}, default="l2"
        ½‖w‖², or nothing, which means `C=np.inf`. "deprecated", scikit-learn's new default, means
        "l2", and so does "elasticnet", which requires `l1_ratio` 0.
    C : float, np.inf or "cv", default=1.0
        Inverse regularisation strength. "cv" selects it by cross-validation along a path of warm
        starts, by log loss. np.inf is maximum likelihood, for up to 4,096 weights (n_features + 1
        for two classes or one-vs-rest, else n_classes times as many).
    l1_ratio : 0 or None, default=0.0
        Accepted for scikit-learn's signature: there is no l1 penalty.
    dual : bool, default=False
        Accepted for scikit-learn's signature: primal and dual are solved together.
    tol : float, default=1e-6
        Relative duality gap (P − D)/P at which to stop.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    intercept_scaling : float, default=1
        Accepted for scikit-learn's signature: the intercept is not penalised, so this has no
        effect.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight. They multiply C.
    random_state : int, RandomState or None, default=0
        Seed of the subsample for a first, coarse run.
    solver : str, default="auto"
        "newton" is Newton's method, "ascent" dual coordinate ascent; "auto" uses the latter for
        sparse rows with more than 4,096 features. "ascent" is for two classes or one-vs-rest. The
        names of scikit-learn's solvers are accepted, and mean "auto". ("liblinear" penalises the
        intercept in scikit-learn, but not here.)
    max_iter : int, default=1000
        Maximum number of steps of the solver.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
        For more than two classes: softmax regression, or one-vs-rest.
    verbose : int, default=0
        Accepted for scikit-learn's signature: nothing is printed; `trace_` has every step.
    warm_start : bool, default=False
        Whether to start from the weights of the previous fit.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.
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
        (P − D)/P: the objective exceeds the optimum by at most this fraction of itself; infinite if
        there is no optimum.
    objective_ : float
        P; for one-vs-rest, summed over the classes.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Dual variables with signs, α y, or for softmax c (e_y − q), whose dual objective is the
        bound behind `gap_`; with an intercept they sum to exactly 0 for each class. They are not
        stored in model files; with C=np.inf there are none.
    C_ : float
        The C used.
    cv_results_ : dict
        With C="cv": the values "C" tried, the "scores" of each on each fold, NaN for folds that
        were skipped because the value had been eliminated, and the "mean_score", in which a skipped
        fold is imputed from the difference to the selected value.
    n_iter_ : ndarray of shape (1,) or (n_classes,)
        Number of steps; for one-vs-rest, that of each class.
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

    _selection_tol = 1e-3  # log loss shows more than accuracy does

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
            In the order of `classes_`. With one-vs-rest, the probabilities of the single models,
            normalised to sum to 1.
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Any) -> Floats:
        """Log probability of each class, even if the probability is too small for a float.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return log_probabilities(self._scores(X), one_vs_rest=self._fitted_one_vs_rest())

    def _fitted_one_vs_rest(self) -> bool:
        """Whether each class was fitted against the rest, whatever `multi_class` says now."""
        return bool(vars(self).get("_one_vs_rest", self.multi_class == "ovr"))

    def _zero_is_first(self) -> bool:
        return True

    def _objective(self) -> ConvexObjective:
        one_vs_rest = self.multi_class == "ovr"
        return ConvexObjective(
            loss=Loss.LOGISTIC,
            C=np.inf if self.penalty is None else self._C_value(),
            softmax=len(self.classes_) > 2 and not one_vs_rest,
            fit_intercept=self.fit_intercept,
            method=self.solver if self.solver in METHODS else "auto",
            n_jobs=self._threads(),
            seed=self._seed,
            row_scores=partial(log_likelihoods, one_vs_rest=one_vs_rest),
            selection_tol=self._selection_tol,
            feature_names=getattr(self, "feature_names_in_", None),
        )

    def _stored_alphas(self, data: TrainingData) -> list[Floats]:
        if self._objective().softmax:
            return [self._kept_alpha(data)]
        return super()._stored_alphas(data)

    def _stored_alpha(self, data: TrainingData, output: int, positive: int) -> Floats:
        return np.asarray(self._kept_alpha(data)[:, output] * signs_of(data, positive))

    def _kept_alpha(self, data: TrainingData) -> Floats:
        """Dual variables as they are published, one row per sample, one column per output."""
        if "dual_coef_" not in vars(self):
            raise ModelError(
                "The dual variables of this model are not known: a model file does not store them."
                " Fit the model again to check its gap."
            )
        n, rows = len(self.dual_coef_), len(data.codes)
        if n != rows:
            raise DataError(
                f"The dual variables belong to {n:,} rows; X has {rows:,}. Give the rows that the"
                " model was fitted to."
            )
        return self.dual_coef_.reshape(n, -1)

    def _store_alpha(self, data: TrainingData, runs: list[Run]) -> None:
        self.n_iter_ = np.array([run.last.number for run in runs], np.int64)
        self._one_vs_rest = self.multi_class == "ovr"
        self.__dict__.pop("dual_coef_", None)
        if np.isinf(self.C_):
            return
        if self._objective().softmax:
            self.dual_coef_ = runs[0].last.alpha
            return
        signed = [run.last.alpha * signs_of(data, run.positive) for run in runs]
        self.dual_coef_ = signed[0] if len(signed) == 1 else np.column_stack(signed)

    def _check(self) -> None:
        super()._check()
        if not (isinstance(self.C, float) and np.inf == self.C):
            check_C(self.C)
        parameters.one_of("penalty", self.penalty, PENALTIES)
        parameters.one_of("solver", self.solver, SOLVERS)
        parameters.one_of("multi_class", self.multi_class, ("multinomial", "ovr"))
        parameters.flag("dual", self.dual)
        parameters.number("intercept_scaling", self.intercept_scaling, above=0)
        parameters.verbosity("verbose", self.verbose)
        parameters.number("l1_ratio", self.l1_ratio, least=0, most=1, optional=True)
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError(
                "l1_ratio must be specified when penalty is elasticnet; here it can only be 0."
            )
        if self.penalty == "l1" or self.l1_ratio:
            raise ParameterError(
                f"penalty={self.penalty!r} with l1_ratio={self.l1_ratio!r} asks for an l1 penalty,"
                " which this rule does not have: use penalty='l2' and l1_ratio=0, or, for sparse"
                " weights, Perceptron(penalty='l1')."
            )
        if self.penalty is None and isinstance(self.C, str):
            raise ParameterError("penalty=None has no C to choose: leave C=1.0.")


def log_probabilities(scores: Floats, *, one_vs_rest: bool) -> Floats:
    """Logarithm of the probability of each class, from the scores of the outputs."""
    if scores.shape[1] == 1:
        return np.asarray(log_expit(np.hstack([-scores, scores])))
    if not one_vs_rest:
        return np.asarray(log_softmax(scores, axis=1))
    own = log_expit(scores)
    return np.asarray(own - logsumexp(own, axis=1, keepdims=True))


def log_likelihoods(scores: Floats, codes: Array, *, one_vs_rest: bool) -> Floats:
    """Logarithm of the probability of each row's own class."""
    log_proba = log_probabilities(scores, one_vs_rest=one_vs_rest)
    return np.asarray(log_proba[np.arange(len(codes)), codes])
