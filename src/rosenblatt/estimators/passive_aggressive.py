"""Passive-aggressive rules: change as little as needed to close the hinge loss of each sample."""

from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.online_base import OnlineClassifier
from rosenblatt.online.stopping import Stop, no_change
from rosenblatt.online.update import Rule

_VARIANTS = {"hinge": "passive-aggressive I", "squared_hinge": "passive-aggressive II"}


class PassiveAggressive(OnlineClassifier):
    """Passive-aggressive classifier: the smallest step that gives a sample the margin 1.

    Where a row has a margin below 1, w ← w + τ y x with τ = min(C, loss/‖x‖²) (variant I) or
    τ = loss/(‖x‖² + 1/2C) (variant II); ‖x‖ is that of (x, 1). A row with margin 1 or more changes
    nothing (Crammer et al. 2006). The weight of a row multiplies C for it.

    scikit-learn's rule moves the bias by τ too, but leaves it out of ‖x‖² (and moves that of sparse
    rows by a hundredth of τ): its steps are longer than needed. Without a bias both are the same.

    Parameters
    ----------
    C : float, default=1.0
        Most that a single row may move the weights (I), or how hard it may push (II).
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Variant I or II.
    fit_intercept, max_iter, shuffle, verbose, n_jobs, random_state, early_stopping, \
validation_fraction, n_iter_no_change, class_weight, warm_start, keep, multi_class, start, \
track_error, time_limit :
        As in `Perceptron`.
    tol : float or None, default=1e-3
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` passes. None runs
        until a pass changes nothing.

    average : bool, default=False
        For scikit-learn's signature: True means `keep="average"`, the mean of the weights after
        every row.

    Attributes
    ----------
    classes_, coef_, intercept_, trace_, outcome_, mistakes_, n_iter_, t_ :
        As in `Perceptron`.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> model = PassiveAggressive(tol=None).fit([[0.0], [1.0]], ["no", "yes"])
    >>> model.predict([[0.2], [0.8]]).tolist()
    ['no', 'yes']
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        loss: str = "hinge",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        warm_start: bool = False,
        average: bool = False,
        keep: str = "last",
        multi_class: str = "kesler",
        start: str = "zero",
        track_error: bool = False,
        time_limit: float | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.keep = keep
        self.multi_class = multi_class
        self.start = start
        self.track_error = track_error
        self.time_limit = time_limit

    def _check(self) -> None:
        super()._check()
        parameter_checks.number("C", self.C, above=0)
        parameter_checks.one_of("loss", self.loss, _VARIANTS)
        parameter_checks.flag("average", self.average)
        if self.average and self.keep == "pocket":
            raise ParameterError("average=True and keep='pocket' contradict each other.")

    def _kept_weights(self) -> str:
        return "average" if self.average else self.keep

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        return self._rule_of(_VARIANTS[self.loss], n_classes, cap=self.C, balanced=balanced)

    def _convergence_criterion(self) -> Stop:
        return no_change
