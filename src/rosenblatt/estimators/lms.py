"""Least mean squares, the rule of Widrow and Hoff, and what it shares with other descents."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from functools import partial

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.estimators import parameters
from rosenblatt.estimators.divergence_guard import guard_of
from rosenblatt.estimators.online_base import OnlineClassifier
from rosenblatt.losses.margin_losses import SQUARED_HINGE
from rosenblatt.online.epochs import batch_epochs
from rosenblatt.online.result import Ending, EpochResult
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.stopping import (
    DivergenceGuard,
    Stop,
    max_epochs,
    no_change,
    no_mistake,
    row_norms,
    smaller_eta,
)
from rosenblatt.online.update import Rule
from rosenblatt.types import Floats

RATES = ("constant", "1/n", "normalised")


class DescentClassifier(OnlineClassifier):
    """A linear classifier trained by steps down a loss, after each row or each batch of rows."""

    # parameters that these rules have beyond those of every online rule
    eta0: float
    learning_rate: str
    batch_size: int | None

    multi_class = "ovr"  # a squared error aims at ±1 and knows no rival

    @abstractmethod
    def _algorithm(self) -> str:
        """Name in the table of algorithms, but for the step size."""

    def _is_hard(self) -> bool:
        return self._algorithm() == "perceptron"

    def _check(self) -> None:
        super()._check()
        parameters.number("eta0", self.eta0, above=0)
        parameters.one_of("learning_rate", self.learning_rate, RATES)
        parameters.whole("batch_size", self.batch_size, least=1, optional=True)

    def _weights_are_repetitions(self) -> bool:
        return self.batch_size != 1

    def _rows_per_step(self) -> int | None:
        return self.batch_size

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        step = "" if self.learning_rate == "constant" else f" {self.learning_rate}"
        name = self._algorithm() + step
        return self._rule_of(name, n_classes, eta=self.eta0, balanced=balanced)

    def _epoch_results(
        self, data: TrainingData, rule: Rule, state: OptimiserState, seed: int | None
    ) -> Iterator[EpochResult]:
        if self.batch_size == 1:
            return super()._epoch_results(data, rule, state, seed)
        return batch_epochs(
            data,
            rule,
            state,
            batch_size=self.batch_size,
            seed=seed,
            n_jobs=self._threads(),
        )

    def _convergence_criterion(self) -> Stop:
        return no_mistake if self._is_hard() else no_change

    def _stalled_ending(self) -> Ending:
        return Ending.LOSS_STALLED if self._is_hard() else Ending.OUTPUT_ERROR_STALLED

    def _max_iter_criterion(self) -> Stop:
        return max_epochs(
            self.max_iter, None if self._is_hard() else Ending.MAX_DESCENT_EPOCHS_REACHED
        )

    def _guard(self, data: TrainingData, rule: Rule, W: Floats) -> DivergenceGuard | None:
        blocks = Blocks(data, self._threads())
        advice = partial(self._advice, data, rule, self.batch_size)
        return guard_of(blocks, rule, W, self.batch_size, advice)

    def _advice(self, data: TrainingData, rule: Rule, batch_size: int | None = 1) -> str:
        return step_size_advice(data, rule, self.learning_rate, batch_size)


def step_size_advice(
    data: TrainingData, rule: Rule, learning_rate: str, batch_size: int | None
) -> str:
    """Say which η keeps η ‖(x, 1)‖² well below 2, for each row or the sum over a batch."""
    longest, total, heaviest = row_norms(data, rule.constant)
    share = 0.1 if batch_size == 1 else 1.0  # single rows are noisy: safe is not yet good
    share /= 2.0 if rule.loss == SQUARED_HINGE else 1.0  # its second derivative is 2, not 1
    if learning_rate == "normalised":  # of batches, by their weight too
        better = smaller_eta(rule.eta, share / heaviest if batch_size == 1 else share)
        return f"`eta0={rule.eta:g}` is too large for normalised steps; try `eta0={better:.1g}`."
    summed = total if batch_size is None else min(total, batch_size * longest)
    better = smaller_eta(rule.eta, share / summed)
    return (
        f"`eta0={rule.eta:g}` is too large for these rows; try `eta0={better:.1g}`,"
        " `learning_rate='normalised'`, or standardise the features."
    )


_ALGORITHMS = {"linear": "LMS", "hard": "perceptron"}


@dataclass(eq=False, repr=False)
class LMS(DescentClassifier):
    """Least mean squares: w ← w + η e x for every row, with the error e = y − (w·x + b).

    Widrow and Hoff's rule (lecture 002, eq. 12): one gradient step on ½e² per row, with y = ±1. The
    rule does not end with an epoch without mistakes, but when the loss of an epoch levels off. With
    the hard error, e = y at mistakes and 0 elsewhere, and η = 1, it is the perceptron. With more
    than two classes, each has a unit against the rest, all trained in one epoch.

    An η that is too large for the rows makes every step larger than the last. Such a run ends with
    an outcome that names a better η, and keeps the weights from before; in `partial_fit` the chunk
    is left out. (Any chunking gives the same bits as long as no chunk is.)

    Parameters
    ----------
    eta0 : float, default=0.01
        Learning rate η. It is the lecture's μ, and safe below 2 / ‖(x, 1)‖² of the longest row.
    learning_rate : {"constant", "1/n", "normalised"}, default="constant"
        "constant" is η at every step, "1/n" is η/n at the n-th. "normalised" is η / ‖(x, 1)‖², for
        which any η below 2 is safe (normalised LMS).
    error : {"linear", "hard"}, default="linear"
        e = y − (w·x + b), or the perceptron's: y where y (w·x + b) ≤ 0, else 0.
    batch_size : int or None, default=1
        Number of rows in a batch; None is all rows. The updates of a batch are computed with the
        same weights, summed and applied together. A normalised step then divides η by the sum of
        ‖(x, 1)‖², and `sample_weight` means repetition. `partial_fit` always goes row by row.
    fit_intercept, max_iter, shuffle, verbose, random_state, early_stopping, validation_fraction, \
n_iter_no_change, class_weight, warm_start, keep, start, track_error, time_limit :
        As in `Perceptron`.
    tol : float or None, default=1e-4
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        `max_iter` epochs.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.

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
        parameters.one_of("error", self.error, _ALGORITHMS)

    def _algorithm(self) -> str:
        return _ALGORITHMS[self.error]

    def _stalled_ending(self) -> Ending:
        return Ending.LOSS_STALLED if self._is_hard() else Ending.SQUARED_ERROR_STALLED
