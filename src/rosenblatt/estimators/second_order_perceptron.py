"""The second-order perceptron: the perceptron on rows that are whitened as they come."""

from dataclasses import KW_ONLY, dataclass

from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.second_order_base import SecondOrderClassifier
from rosenblatt.online.stopping import Stop, no_mistake
from rosenblatt.online.update import Rule


@dataclass(eq=False, repr=False)
class SecondOrderPerceptron(SecondOrderClassifier):
    """Second-order perceptron: w = (aI + Σ xxᵀ)⁻¹ Σ y x, both sums over its mistakes.

    The perceptron keeps v = Σ y x over its mistakes; this rule also keeps A = aI + Σ xxᵀ over them
    and decides by A⁻¹v, which takes out the correlation between features (Cesa-Bianchi, Conconi and
    Gentile 2005; that they add the row to be decided to A does not change the sign). Ties are
    mistakes. `covariance_` is aA⁻¹. The larger a, the closer it is to the perceptron.

    A row of weight ω counts like ω rows at once, in A and in v. With more than two classes each has
    its own A; by Kesler's construct a row turns its own class and the strongest wrong one, and what
    there is to know of the two together is dropped.

    Parameters
    ----------
    a : float, default=1.0
        The a of aI: about how large x² has to be before a feature counts as known.
    covariance : {"auto", "full", "diagonal"}, default="auto"
        Keep the covariance of the weights whole, (d + 1)² numbers for each output, or its diagonal
        only, the usual choice for text: a row then costs no more than its entries. "auto" keeps it
        whole up to 256 features.
    fit_intercept, shuffle, verbose, n_jobs, random_state, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, keep, multi_class, start, track_error, time_limit :
        As in `Perceptron`.
    max_iter : int, default=1
        Maximum number of epochs (passes over the rows). Each epoch takes the rows for new ones.
    tol : float or None, default=None
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        until an epoch has no mistake.
    warm_start : bool, default=False
        Whether to start from the weights of the last fit. The matrix starts again at A = aI; to go
        on with it use `partial_fit`.

    Attributes
    ----------
    covariance_kind_ : str
        "full" or "diagonal".
    covariance_ : ndarray of shape (n_units, n_features + 1, n_features + 1) or \
(n_units, n_features + 1)
        aA⁻¹ of each output, or the diagonals kept in its place.
    classes_, coef_, intercept_, trace_, outcome_, mistakes_, n_iter_, t_ :
        As in `Perceptron`.

    Examples
    --------
    >>> from rosenblatt import SecondOrderPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> and_gate = SecondOrderPerceptron(max_iter=100, shuffle=False).fit(X, y)
    >>> and_gate.predict(X).tolist()
    [0, 0, 0, 1]
    >>> print(and_gate.outcome_)
    Converged: an epoch without a mistake, after 3 epochs.
    """

    _: KW_ONLY
    a: float = 1.0
    covariance: str = "auto"
    max_iter: int = 1
    tol: float | None = None
    multi_class: str = "kesler"

    def _check(self) -> None:
        super()._check()
        parameter_checks.number("a", self.a, above=0)

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        name = "second-order perceptron"
        return self._rule_of(name, n_classes, cap=self.a, balanced=balanced)

    def _convergence_criterion(self) -> Stop:
        return no_mistake
