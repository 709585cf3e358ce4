"""Passive-aggressive rules: change as little as needed to close the hinge loss of each sample."""

from dataclasses import KW_ONLY, dataclass

from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.online_base import OnlineClassifier
from rosenblatt.online.stopping import Stop, no_change
from rosenblatt.online.update import Rule

_VARIANTS = {"hinge": "passive-aggressive I", "squared_hinge": "passive-aggressive II"}


@dataclass(eq=False, repr=False)
class PassiveAggressive(OnlineClassifier):
    """Passive-aggressive classifier: the smallest step that gives a sample the margin 1.

    If a row has a margin below 1, w ← w + τ y x with τ = min(C, loss/‖x‖²) (variant I) or τ =
    loss/(‖x‖² + 1/2C) (variant II), where x includes the constant 1. A row with margin 1 or more
    changes nothing (Crammer et al. 2006). The weight of a row multiplies its C.

    scikit-learn's rule also updates the intercept by τ, but leaves the constant out of ‖x‖² (and
    updates by a hundredth of τ for sparse rows), so its steps are longer than needed. Without an
    intercept, both are the same.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness: the largest step τ (variant I), or the weight of the loss relative to the
        length of the step (variant II).
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Variant I or II.
    fit_intercept, max_iter, shuffle, verbose, n_jobs, random_state, early_stopping, \
validation_fraction, n_iter_no_change, class_weight, warm_start, keep, multi_class, start, \
track_error, time_limit :
        As in `Perceptron`.
    tol : float or None, default=1e-3
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        until an epoch changes nothing.

    average : bool, default=False
        Accepted for scikit-learn's signature: True means `keep="average"`, the mean of the weights
        after every row.

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

    _: KW_ONLY
    C: float = 1.0
    loss: str = "hinge"
    average: bool = False
    multi_class: str = "kesler"

    def _check(self) -> None:
        super()._check()
        parameters.number("C", self.C, above=0)
        parameters.one_of("loss", self.loss, _VARIANTS)
        parameters.flag("average", self.average)
        if self.average and self.keep == "pocket":
            raise ParameterError("average=True and keep='pocket' contradict each other.")

    def _kept_weights(self) -> str:
        return "average" if self.average else self.keep

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        return self._rule_of(_VARIANTS[self.loss], n_classes, cap=self.C, balanced=balanced)

    def _convergence_criterion(self) -> Stop:
        return no_change
