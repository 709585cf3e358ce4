"""The linear support vector machine of lecture 000, with its duality gap as proof."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import DataError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.convex_base import CertifiedClassifier, check_C
from rosenblatt.estimators.convex_fit import ConvexObjective, Run, signs_of
from rosenblatt.losses.link import predicted_codes
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.optim.solve import METHODS
from rosenblatt.types import Array, Floats, Ints

LOSSES = {"hinge": Loss.HINGE, "squared_hinge": Loss.SQUARED_HINGE}


@dataclass(eq=False, repr=False)
class LinearSVM(CertifiedClassifier):
    """Linear SVM: minimises ½‖w‖² + C Σ max(0, 1 − y (w·x + b)), with a proved duality gap.

    Lecture 000 minimises λ‖w‖² plus the mean hinge loss, which has the same solution for λ =
    1/(2CN), with N the number of rows. The intercept b is not penalised. With more than two
    classes, each is fitted against the rest.

    Every step yields a lower bound of the objective (a feasible point of the dual problem), so
    training stops when the objective is within a relative `tol` of the optimum, and the outcome
    says so. The solver is Newton's method, for the hinge on smoothed losses below it (see
    rosenblatt.losses.conjugate).

    Parameters
    ----------
    C : float or "cv", default=1.0
        Inverse regularisation strength. "cv" selects it by cross-validation along a path of warm
        starts, by accuracy.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        max(0, 1 − m), or its square.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    tol : float, default=1e-6
        Relative duality gap (P − D)/P at which to stop.
    max_iter : int, default=1000
        Maximum number of steps of the solver.
    solver : {"auto", "newton", "ascent"}, default="auto"
        "newton" is Newton's method, "ascent" dual coordinate ascent; "auto" uses the latter for
        sparse rows with more than 4,096 features. `trace_` records which was used.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight. They multiply C.
    warm_start : bool, default=False
        Whether to start from the weights of the previous fit.
    time_limit : float or None, default=None
        Time limit of `fit` in seconds. The best weights so far are kept.
    penalty : {"l2"}, default="l2"
        Accepted for the signature of scikit-learn's LinearSVC: there is no l1 penalty.
    dual : bool or "auto", default="auto"
        Accepted for scikit-learn's signature: primal and dual are solved together.
    multi_class : {"ovr"}, default="ovr"
        Accepted for scikit-learn's signature: one-vs-rest.
    intercept_scaling : float, default=1
        Accepted for scikit-learn's signature: the intercept is not penalised, so this has no
        effect.
    verbose : int, default=0
        Accepted for scikit-learn's signature: nothing is printed; `trace_` has every step.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.
    random_state : int, RandomState or None, default=0
        Seed of the subsample for a first, coarse run.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    gap_ : float
        (P − D)/P: the objective exceeds the optimum by at most this fraction of itself.
    objective_ : float
        P, summed over the classes.
    support_ : ndarray, or a list of one a class
        Indices of the support vectors: the rows on the margin or within it.
    dual_coef_ : ndarray, or a list of one a class
        Their dual variables with signs, α y, whose dual objective is the bound behind `gap_`: with
        an intercept they sum to exactly 0, and w is the sum of the rows with these weights, up to
        the gap.
    C_ : float
        The C used.
    cv_results_ : dict
        With C="cv": the values "C" tried, the "scores" of each on each fold, NaN for folds that
        were skipped because the value had been eliminated, and the "mean_score", in which a skipped
        fold is imputed from the difference to the selected value.
    n_iter_ : int
        Number of steps (the most of any class).
    outcome_ : Outcome
        How the run ended, as a sentence.
    trace_ : Trace
        Objective, bound and gap after each step.

    Examples
    --------
    >>> from rosenblatt import LinearSVM, builtin
    >>> data = builtin("4f10")
    >>> model = LinearSVM().fit(data.X, data.y)
    >>> model.score(data.X, data.y)
    1.0
    >>> model.gap_ <= 1e-6
    True
    """

    C: Any = 1.0
    _: KW_ONLY
    loss: str = "hinge"
    penalty: str = "l2"
    dual: bool | str = "auto"
    multi_class: str = "ovr"

    _selection_tol = 1e-2  # by then few rows change sides

    support_: Ints | list[Ints] = field(init=False)
    dual_coef_: Floats | list[Floats] = field(init=False)

    def _check(self) -> None:
        super()._check()
        check_C(self.C)
        parameters.one_of("loss", self.loss, tuple(LOSSES))
        parameters.one_of("solver", self.solver, ("auto", *METHODS))
        parameters.one_of("penalty", self.penalty, ("l2",))
        parameters.one_of("dual", self.dual, ("auto", True, False))
        parameters.one_of("multi_class", self.multi_class, ("ovr",))
        parameters.number("intercept_scaling", self.intercept_scaling, above=0)
        parameters.verbosity("verbose", self.verbose)

    def _objective(self) -> ConvexObjective:
        return ConvexObjective(
            loss=LOSSES[self.loss],
            C=self._C_value(),
            softmax=False,
            fit_intercept=self.fit_intercept,
            method=self.solver,
            n_jobs=self._threads(),
            seed=self._seed,
            row_scores=is_correct,
            selection_tol=self._selection_tol,
            feature_names=None,
        )

    def _stored_alpha(self, data: TrainingData, output: int, positive: int) -> Floats:
        only = isinstance(self.support_, np.ndarray)
        rows = self.support_ if only else self.support_[output]
        signed = self.dual_coef_ if only else self.dual_coef_[output]
        n = len(data.codes)
        if len(rows) and rows[-1] >= n:
            raise DataError(
                f"The dual variables belong to at least {rows[-1] + 1:,} rows; X has {n:,}. Give"
                " the rows that the model was fitted to."
            )
        signs = signs_of(data, positive)
        alpha = np.zeros(n)
        alpha[rows] = signed * signs[rows]
        return alpha

    def _store_alpha(self, data: TrainingData, runs: list[Run]) -> None:
        supports = [np.flatnonzero(run.last.alpha) for run in runs]
        signed = [
            (run.last.alpha * signs_of(data, run.positive))[support]
            for run, support in zip(runs, supports, strict=True)
        ]
        only = len(runs) == 1
        self.support_, self.dual_coef_ = (supports[0], signed[0]) if only else (supports, signed)


def is_correct(scores: Floats, codes: Array) -> Floats:
    """1 for each row whose class its scores predict, else 0."""
    n_classes = max(2, scores.shape[1])
    return np.equal(predicted_codes(scores, n_classes), codes).astype(np.float64)
