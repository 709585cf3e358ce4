"""The linear support vector machine of lecture 000, with its duality gap as proof."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import DataError
from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.convex_base import CertifiedClassifier, Run
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.optim.solve import METHODS
from rosenblatt.types import Floats, Ints

LOSSES = {"hinge": Loss.HINGE, "squared_hinge": Loss.SQUARED_HINGE}


@dataclass(eq=False, repr=False)
class LinearSVM(CertifiedClassifier):
    """Linear SVM: ½‖w‖² + C Σ max(0, 1 − y (w·x + b)) is as small as can be, and proved to be.

    Lecture 000 writes λ‖w‖² + the mean of the hinge losses; that is the same line for
    λ = 1/(2CN), N the number of rows. The bias b is not penalised. More than two classes: one unit
    a class, against the rest.

    Every step knows a value that no weights can go below (a feasible point of the dual problem), so
    the run stops when the objective is within `tol` of the best possible, and says so. Newton's
    method finds it; for the hinge, which has a corner, on smooth floors under it (see
    rosenblatt.losses.smoothing).

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
        "newton" is Newton's method, "ascent" dual coordinate ascent; "auto" takes the second for
        sparse rows of more than 4,096 features. `trace_` tells which it was.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight. They multiply C.
    warm_start : bool, default=False
        Whether to start from the weights of the last fit.
    time_limit : float or None, default=None
        Time limit of `fit` in seconds. The best weights so far are kept.
    penalty : {"l2"}, default="l2"
        For the signature of scikit-learn's LinearSVC: there is no l1 part.
    dual : bool or "auto", default="auto"
        For scikit-learn's signature: primal and dual are solved together.
    multi_class : {"ovr"}, default="ovr"
        For scikit-learn's signature: each class against the rest.
    intercept_scaling : float, default=1
        For scikit-learn's signature: the intercept is not penalised, so its scale changes nothing.
    verbose : int, default=0
        For scikit-learn's signature: nothing is printed; `trace_` has every step.
    n_jobs : int or None, default=None
        Number of threads; they change no bit of the result. None is one, −1 all cores.
    random_state : int, RandomState or None, default=0
        Seed of the subsample that a first, coarse run is fitted to.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    gap_ : float
        (P − D)/P: the objective is at most this far above the best possible, relative to itself.
    objective_ : float
        P, summed over the units.
    support_ : ndarray, or a list of one a class
        Rows that pull on the line: those on the margin or within it.
    dual_coef_ : ndarray, or a list of one a class
        Their dual variables times their signs, α y, whose dual objective is the bound behind
        `gap_`: with an intercept they sum to 0 exactly, and w is the sum of the rows so weighted,
        up to the gap.
    C_ : float
        The C used.
    cv_results_ : dict
        With C="cv": the values "C" tried, the "scores" of each on each fold, NaN where one was
        spared because the value was out of the race, and the "mean_score", for which a spared
        fold is made up from how far the value was behind the one chosen.
    n_iter_ : int
        Steps taken (the most of any unit).
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

    support_: Ints | list[Ints] = field(init=False)
    dual_coef_: Floats | list[Floats] = field(init=False)

    def _check(self) -> None:
        super()._check()
        parameter_checks.one_of("loss", self.loss, tuple(LOSSES))
        parameter_checks.one_of("solver", self.solver, ("auto", *METHODS))
        parameter_checks.one_of("penalty", self.penalty, ("l2",))
        parameter_checks.one_of("dual", self.dual, ("auto", True, False))
        parameter_checks.one_of("multi_class", self.multi_class, ("ovr",))
        parameter_checks.number("intercept_scaling", self.intercept_scaling, above=0)
        parameter_checks.verbosity("verbose", self.verbose)

    def _loss(self) -> Loss:
        return LOSSES[self.loss]

    def _alpha(self, unit: int, problem: TrainingData, positive: int) -> Floats:
        only = isinstance(self.support_, np.ndarray)
        rows = self.support_ if only else self.support_[unit]
        signed = self.dual_coef_ if only else self.dual_coef_[unit]
        n = len(problem.codes)
        if len(rows) and rows[-1] >= n:
            raise DataError(
                f"The dual variables are of {rows[-1] + 1:,} rows or more; X has {n:,}. Give the"
                " rows that the model was fitted to."
            )
        signs = np.where(problem.codes == positive, 1.0, -1.0)
        alpha = np.zeros(n)
        alpha[rows] = signed * signs[rows]
        return alpha

    def _store(self, problem: TrainingData, runs: list[Run]) -> None:
        super()._store(problem, runs)
        supports, pulls = [], []
        for run in runs:
            signs = np.where(problem.codes == run.positive, 1.0, -1.0)
            supports.append(np.flatnonzero(run.last.alpha))
            pulls.append((run.last.alpha * signs)[supports[-1]])
        only = len(runs) == 1
        self.support_, self.dual_coef_ = (supports[0], pulls[0]) if only else (supports, pulls)
