"""Gradient descent on the sum of a loss, as the lectures write it: of all rows, batches or rows."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from rosenblatt.estimators import parameters
from rosenblatt.estimators.base import available_if
from rosenblatt.estimators.lms import DescentClassifier
from rosenblatt.losses.link import LOGISTIC, ONE_VS_REST, probabilities
from rosenblatt.online.result import Ending
from rosenblatt.types import Floats

_ALGORITHMS = {
    "logistic": "logistic",
    "perceptron": "perceptron",
    "hinge": "hinge",
    "squared_hinge": "squared hinge",
    "square": "LMS",
    "tanh": "tanh",
}
_STALLED = {
    "perceptron": Ending.LOSS_STALLED,
    "square": Ending.SQUARED_ERROR_STALLED,
    "tanh": Ending.OUTPUT_ERROR_STALLED,
}


def _gives_probabilities(model: "GradientDescent") -> bool:
    """Whether σ(w·x + b) is the probability of a class."""
    return model.loss == "logistic"


@dataclass(eq=False, repr=False)
class GradientDescent(DescentClassifier):
    """Gradient descent on a loss: w ← w − η Σ ℓ′(m) y x, with the margin m = y (w·x + b).

    The sum is over the whole set, a batch, or one row, and is not a mean: η is that of the
    lectures. For the logistic loss, a step is w ← w + η Σ (t − p) x, with t = 0 or 1 and p = σ(w·x
    + b) (lecture 003); for the perceptron loss it is the batch perceptron; for tanh it is eq. 16 of
    lecture 002. There is no penalty and no line search: if η is too small, training is slow, and if
    it is too large, it overshoots, as the trace shows. `LogisticRegression`, `LinearSVM` and
    `LeastSquares` find the minimum of their losses without a learning rate.

    With more than two classes, each has an output against the rest, all trained in one epoch.

    ===============  ==========================  ===================================
    loss             ℓ(m)                        −ℓ′(m), how much of y x a step adds
    ===============  ==========================  ===================================
    "logistic"       log(1 + exp(−m))            σ(−m)
    "perceptron"     max(0, −m)                  1 where m ≤ 0
    "hinge"          max(0, 1 − m)               1 where m < 1
    "squared_hinge"  max(0, 1 − m)²              2 max(0, 1 − m)
    "square"         (1 − m)² / 2                1 − m
    "tanh"           (1 − tanh m)² / 2           (1 − tanh m)(1 − tanh² m)
    ===============  ==========================  ===================================

    Parameters
    ----------
    loss : {"logistic", "perceptron", "hinge", "squared_hinge", "square", "tanh"}, \
default="logistic"
        The loss ℓ.
    eta0 : float, default=0.01
        Learning rate η.
    learning_rate : {"constant", "1/n", "normalised"}, default="constant"
        "constant" is η at every step, "1/n" is η/n at the n-th. "normalised" divides η by the sum
        of ‖(x, 1)‖² over the batch.
    batch_size : int or None, default=None
        Number of rows in a batch; None is all rows. With 1, there is a step after every row, and
        `sample_weight` scales it; otherwise it means repetition. `partial_fit` always goes row by
        row.
    fit_intercept, max_iter, shuffle, verbose, random_state, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, warm_start, keep, start, track_error, time_limit :
        As in `Perceptron`.
    tol : float or None, default=1e-4
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        `max_iter` epochs, or until no row has a loss (for the perceptron loss: no mistake).
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.

    Attributes
    ----------
    classes_, coef_, intercept_, trace_, outcome_, mistakes_, n_iter_, t_ :
        As in `Perceptron`. The loss in the trace is the mean over the rows; that of the whole set
        is computed before its step.

    Examples
    --------
    One step of lecture 003 by hand, from w = (0, 1), b = −0.5:

    >>> import numpy as np
    >>> from rosenblatt import GradientDescent, builtin
    >>> points = builtin("4f10")
    >>> step = GradientDescent(eta0=0.1, max_iter=1, tol=None)
    >>> step = step.fit(points.X, points.y, coef_init=[0, 1], intercept_init=-0.5)
    >>> p = 1 / (1 + np.exp(-(points.X @ [0, 1] - 0.5)))
    >>> bool(np.allclose(step.coef_[0], [0, 1] + 0.1 * ((points.y == 1) - p) @ points.X))
    True
    """

    _: KW_ONLY
    loss: str = "logistic"
    eta0: float = 0.01
    learning_rate: str = "constant"
    batch_size: int | None = None
    tol: float | None = 1e-4

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, for the logistic loss.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. More than two classes: those of each class alone, scaled to
            the sum 1.
        """
        scores = self._scores(X)
        return probabilities(LOGISTIC if scores.shape[1] == 1 else ONE_VS_REST, scores)

    def _zero_is_first(self) -> bool:
        return _gives_probabilities(self)

    def _algorithm(self) -> str:
        return _ALGORITHMS[self.loss]

    def _check(self) -> None:
        super()._check()
        parameters.one_of("loss", self.loss, _ALGORITHMS)

    def _stalled_ending(self) -> Ending:
        return _STALLED.get(self.loss, Ending.DESCENT_STALLED)
