"""AROW: adaptive regularization of weights, for noisy streams."""

from dataclasses import KW_ONLY, dataclass

from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.second_order_base import SecondOrderClassifier
from rosenblatt.online.stopping import Stop, no_change
from rosenblatt.online.update import Rule


@dataclass(eq=False, repr=False)
class AROW(SecondOrderClassifier):
    """AROW: steps that grow smaller for features met often, so that one pass is enough.

    Where a row has a margin m = y (w·x) below 1, w ← w + β (1 − m) y Σx and Σ ← Σ − β Σx xᵀΣ, with
    β = 1 / (xᵀΣx + r) and Σ = I at first (Crammer, Kulesza and Dredze 2009). As long as every row
    has a margin below 1 when it comes, w is the ridge solution (XᵀX + rI)⁻¹Xᵀy of the rows so far.
    The intercept is part of w, and as uncertain as any weight.

    A row of weight ω counts like ω rows at once: it has r/ω in place of r. With more than two
    classes each has its own Σ; by Kesler's construct a row turns its own class and the strongest
    wrong one, and what there is to know of the two together is dropped.

    Parameters
    ----------
    r : float, default=1.0
        How noisy a row is taken to be: the larger, the less one row moves the weights.
    covariance : {"auto", "full", "diagonal"}, default="auto"
        Keep the covariance of the weights whole, (d + 1)² numbers for each output, or its diagonal
        only, the usual choice for text: a row then costs no more than its entries. "auto" keeps it
        whole up to 256 features.
    fit_intercept, shuffle, verbose, n_jobs, random_state, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, keep, multi_class, start, track_error, time_limit :
        As in `Perceptron`.
    max_iter : int, default=1
        Maximum number of epochs (passes over the rows). Each epoch takes the rows for new ones, and
        Σ shrinks on.
    tol : float or None, default=1e-3
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        until an epoch changes nothing.
    warm_start : bool, default=False
        Whether to start from the weights of the last fit. The covariance starts again at Σ = I; to
        go on with it use `partial_fit`.

    Attributes
    ----------
    covariance_kind_ : str
        "full" or "diagonal".
    covariance_ : ndarray of shape (n_units, n_features + 1, n_features + 1) or \
(n_units, n_features + 1)
        Covariance Σ of the weights (w, b) of each output, or its diagonals.
    classes_, coef_, intercept_, trace_, outcome_, mistakes_, n_iter_, t_ :
        As in `Perceptron`.

    Examples
    --------
    >>> from rosenblatt import AROW
    >>> model = AROW(shuffle=False).fit([[0.0], [1.0], [3.0]], ["no", "yes", "yes"])
    >>> model.predict([[0.2], [2.0]]).tolist()
    ['no', 'yes']
    >>> model.covariance_[0].round(2).tolist()
    [[0.6, -0.2], [-0.2, 0.4]]
    >>> print(model.outcome_)
    Done: one epoch (pass) over 3 rows with 2 mistakes. A higher `max_iter` trains for more epochs.
    """

    _: KW_ONLY
    r: float = 1.0
    covariance: str = "auto"
    max_iter: int = 1
    multi_class: str = "kesler"

    def _check(self) -> None:
        super()._check()
        parameter_checks.number("r", self.r, above=0)

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        return self._rule_of("AROW", n_classes, cap=self.r, balanced=balanced)

    def _convergence_criterion(self) -> Stop:
        return no_change
