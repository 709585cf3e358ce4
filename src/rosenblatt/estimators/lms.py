"""Least mean squares, the rule of Widrow and Hoff."""

from dataclasses import KW_ONLY, dataclass

from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.squared_error_base import SquaredErrorClassifier
from rosenblatt.online.result import Ending

_ALGORITHMS = {"linear": "LMS", "hard": "perceptron"}


@dataclass(eq=False, repr=False)
class LMS(SquaredErrorClassifier):
    """Least mean squares: w ← w + η e x for every row, with the error e = y − (w·x + b).

    Widrow and Hoff's rule (lecture 002, eq. 12): one step down ½e² a row, with y = ±1. The rule
    never ends by an epoch without mistakes: it ends where the loss of an epoch levels off. With the
    hard error, e = y at mistakes and 0 elsewhere, and η = 1 it is the perceptron. More than two
    classes have one unit each against the rest, all in one pass.

    An η that is too large for the rows makes every step larger than the last. Such a run ends with
    an outcome that names a better η, and keeps the weights from before; in `partial_fit` the chunk
    is left out. (Any chunking gives the same bits as long as no chunk is.)

    Parameters
    ----------
    eta0 : float, default=0.01
        Learning rate η. It is the lecture's μ; below 2 / ‖(x, 1)‖² of the longest row it is safe.
    learning_rate : {"constant", "1/n", "normalised"}, default="constant"
        "constant" is η at every step, "1/n" is η/n at the n-th. "normalised" is η / ‖(x, 1)‖²,
        which is safe below 2 whatever the rows (normalised LMS).
    error : {"linear", "hard"}, default="linear"
        e = y − (w·x + b), or the perceptron's: y where y (w·x + b) ≤ 0, else 0.
    batch_size : int or None, default=1
        Number of rows in a batch; None takes them all. The updates of a batch are summed at the
        same weights and made at once. A normalised step then divides η by the sum of ‖(x, 1)‖², and
        `sample_weight` means repetition. `partial_fit` goes row by row in any case.
    fit_intercept, max_iter, shuffle, verbose, random_state, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, warm_start, keep, start, track_error, time_limit :
        As in `Perceptron`.
    tol : float or None, default=1e-4
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        `max_iter` epochs.
    n_jobs : int or None, default=None
        Number of threads; they change no bit of the result. None is one, −1 all cores.

    Attributes
    ----------
    classes_, coef_, intercept_, trace_, outcome_, mistakes_, n_iter_, t_ :
        As in `Perceptron`.

    Examples
    --------
    >>> from rosenblatt import LMS, builtin
    >>> points = builtin("4f10")
    >>> model = LMS(eta0=0.1).fit(points.X, points.y)
    >>> model.predict(points.X).tolist() == points.y.tolist()
    True

    A step that is too large is reported, not returned as NaN:

    >>> print(LMS(eta0=5).fit(points.X, points.y).outcome_)
    Diverged after ...
    """

    _: KW_ONLY
    eta0: float = 0.01
    learning_rate: str = "constant"
    error: str = "linear"
    batch_size: int | None = 1
    tol: float | None = 1e-4

    def _check(self) -> None:
        super()._check()
        parameter_checks.one_of("error", self.error, _ALGORITHMS)

    def _algorithm(self) -> str:
        return _ALGORITHMS[self.error]

    def _stalled_ending(self) -> Ending:
        return Ending.LOSS_STALLED if self._is_hard() else Ending.SQUARED_ERROR_STALLED
