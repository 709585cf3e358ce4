"""Online classifiers with a covariance of the weights: the second-order perceptron, AROW."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.online_base import OnlineClassifier
from rosenblatt.online.second_order import covariance_of, identity_roots
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.stopping import Stop, after_one_epoch, no_change, no_mistake
from rosenblatt.online.update import Rule
from rosenblatt.types import Floats

MAX_FULL_FEATURES = (
    256  # features for which "auto" keeps whole matrices: an update costs their square
)
MAX_BYTES = 4 * 2**30  # of covariances


class SecondOrderClassifier(OnlineClassifier):
    """A linear classifier with a covariance of its weights. Subclasses name their update rule."""

    covariance: str

    @property
    def covariance_kind_(self) -> str:
        """Whether the covariance is kept "full" or as its "diagonal" only."""
        self._weights()
        return _kind(self._stream.state)

    @property
    def covariance_(self) -> Floats:
        """Covariance of the weights (w, b) of each output: a matrix, or the diagonal of one."""
        self._weights()
        return covariance_of(self._stream.state)

    def _check(self) -> None:
        super()._check()
        parameters.one_of("covariance", self.covariance, ("auto", "full", "diagonal"))

    def _wanted_kind(self) -> str:
        if self.covariance == "auto":
            return "full" if self.n_features_in_ <= MAX_FULL_FEATURES else "diagonal"
        return self.covariance

    def _state_from(self, W: Floats, n_classes: int) -> OptimiserState:
        kind = self._wanted_kind()
        if kind == "full":
            _check_size(*W.shape)
        return (
            super()
            ._state_from(W, n_classes)
            ._replace(aux=identity_roots(*W.shape, full=kind == "full"))
        )

    def _check_stream_settings(self) -> None:
        super()._check_stream_settings()
        began = _kind(self._stream.state)
        if began != self._wanted_kind():
            raise ParameterError(
                f"covariance={self.covariance!r} is impossible for a stream that began with a"
                f" {began} one. Use a new estimator."
            )

    def _stopping_criteria(self, *, with_validation: bool) -> list[Stop]:
        if self.max_iter == 1:
            return [self._convergence_criterion(), after_one_epoch]
        return super()._stopping_criteria(with_validation=with_validation)


def _kind(state: OptimiserState) -> str:
    return "diagonal" if len(state.aux) == len(state.W) else "full"


def _check_size(n_units: int, n_weights: int) -> None:
    """Refuse matrices that are too large to keep, before they are made."""
    size = n_units * n_weights**2 * np.dtype(np.float64).itemsize
    if size > MAX_BYTES:
        matrices = "a matrix" if n_units == 1 else f"{n_units:,} matrices"
        raise ParameterError(
            f"covariance='full' would store {matrices} of {n_weights:,} × {n_weights:,} numbers,"
            f" {size / 2**30:,.1f} GiB; the limit is {MAX_BYTES / 2**30:g} GiB."
            " Use covariance='diagonal'."
        )


@dataclass(eq=False, repr=False)
class AROW(SecondOrderClassifier):
    """AROW: steps that grow smaller for features met often, so that one pass is enough.

    If a row has a margin m = y (w·x) below 1, w ← w + β (1 − m) y Σx and Σ ← Σ − β Σx xᵀΣ, with β =
    1 / (xᵀΣx + r) and initially Σ = I (Crammer, Kulesza and Dredze 2009). As long as every row has
    a margin below 1 when it is visited, w is the ridge solution (XᵀX + rI)⁻¹Xᵀy of the rows so far.
    The intercept is part of w, and initially as uncertain as any weight.

    A row of weight ω counts as ω rows at once, with r/ω in place of r. With more than two classes,
    each has its own Σ; by Kesler's construct, a row updates its true class and the wrong class with
    the highest score, and the covariance between the two is ignored.

    Parameters
    ----------
    r : float, default=1.0
        Assumed noise of a row: the larger r, the less one row changes the weights.
    covariance : {"auto", "full", "diagonal"}, default="auto"
        Whether to store the full covariance of the weights, (d + 1)² numbers for each output, or
        only its diagonal, the usual choice for text: the time for a row is then proportional to its
        entries. "auto" is "full" for up to 256 features.
    fit_intercept, shuffle, verbose, n_jobs, random_state, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, keep, multi_class, start, track_error, time_limit :
        As in `Perceptron`.
    max_iter : int, default=1
        Maximum number of epochs (passes over the rows). Each epoch treats the rows as new, so Σ
        keeps shrinking.
    tol : float or None, default=1e-3
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        until an epoch changes nothing.
    warm_start : bool, default=False
        Whether to start from the weights of the previous fit. The covariance starts again from Σ =
        I; to continue with it, use `partial_fit`.

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
    Done: one epoch (pass) over 3 rows, with 2 mistakes. Raise `max_iter` to train for more epochs.
    """

    _: KW_ONLY
    r: float = 1.0
    covariance: str = "auto"
    max_iter: int = 1
    multi_class: str = "kesler"

    def _check(self) -> None:
        super()._check()
        parameters.number("r", self.r, above=0)

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        return self._rule_of("AROW", n_classes, cap=self.r, balanced=balanced)

    def _convergence_criterion(self) -> Stop:
        return no_change


@dataclass(eq=False, repr=False)
class SecondOrderPerceptron(SecondOrderClassifier):
    """Second-order perceptron: w = (aI + Σ xxᵀ)⁻¹ Σ y x, both sums over its mistakes.

    The perceptron keeps v = Σ y x over its mistakes; this rule also keeps A = aI + Σ xxᵀ over them
    and predicts with the weights A⁻¹v, which removes the correlation between features
    (Cesa-Bianchi, Conconi and Gentile 2005, who also add the row to be predicted to A, which does
    not change the sign). Ties are mistakes. `covariance_` is aA⁻¹. The larger a, the closer the
    rule is to the perceptron.

    A row of weight ω counts as ω rows at once, in A and in v. With more than two classes, each has
    its own A; by Kesler's construct, a row updates its true class and the wrong class with the
    highest score, and the covariance between the two is ignored.

    Parameters
    ----------
    a : float, default=1.0
        The a of aI: roughly the sum of x² at which a feature counts as known.
    covariance : {"auto", "full", "diagonal"}, default="auto"
        Whether to store the full covariance of the weights, (d + 1)² numbers for each output, or
        only its diagonal, the usual choice for text: the time for a row is then proportional to its
        entries. "auto" is "full" for up to 256 features.
    fit_intercept, shuffle, verbose, n_jobs, random_state, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, keep, multi_class, start, track_error, time_limit :
        As in `Perceptron`.
    max_iter : int, default=1
        Maximum number of epochs (passes over the rows). Each epoch treats the rows as new.
    tol : float or None, default=None
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        until an epoch has no mistake.
    warm_start : bool, default=False
        Whether to start from the weights of the previous fit. The matrix starts again from A = aI;
        to continue with it, use `partial_fit`.

    Attributes
    ----------
    covariance_kind_ : str
        "full" or "diagonal".
    covariance_ : ndarray of shape (n_units, n_features + 1, n_features + 1) or \
(n_units, n_features + 1)
        aA⁻¹ of each output, or its diagonal.
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
    Converged after 3 epochs, the last without a mistake.
    """

    _: KW_ONLY
    a: float = 1.0
    covariance: str = "auto"
    max_iter: int = 1
    tol: float | None = None
    multi_class: str = "kesler"

    def _check(self) -> None:
        super()._check()
        parameters.number("a", self.a, above=0)

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        name = "second-order perceptron"
        return self._rule_of(name, n_classes, cap=self.a, balanced=balanced)

    def _convergence_criterion(self) -> Stop:
        return no_mistake
