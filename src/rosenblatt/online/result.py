"""EpochResult: a run after an epoch. Ending and Outcome: why it stopped, in a sentence."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

MIN_GAP = float(np.finfo(np.float64).eps)  # smaller and negative gaps are shown as this


class Ending(Enum):
    """Why a run ended. The value is a template of the sentence."""

    NO_MISTAKE = "Converged after {epochs}, the last without a mistake."
    NO_CHANGE = "Converged after {epochs}, the last without a loss on any row."
    MAX_EPOCHS_REACHED = (
        "Stopped after {epochs}, with {mistakes} in the last. The data may not be separable: run"
        " `rosenblatt separable` or `separability(X, y)` for a proof, raise `max_iter`, or keep"
        " better weights with `keep='average'` or `keep='pocket'`."
    )
    MAX_RANKING_EPOCHS_REACHED = (
        "Stopped after {epochs}, with {mistakes} in the last. Raise `max_iter`. If no weights rank"
        " all groups correctly, longer n-grams may help."
    )
    ONE_EPOCH = (
        "Done: one epoch (pass) over {rows}, with {mistakes}. Raise `max_iter` to train for more"
        " epochs."
    )
    LOSS_REMAINS = (
        "Stopped after {epochs}, the last without a mistake but with a loss above 0: raise"
        " `max_iter`, or set `tol`."
    )
    LOSS_STALLED = (
        "Stopped after {epochs}: the loss no longer fell by `tol`. {mistakes} in the last epoch;"
        " with `tol=None` training continues until an epoch has none."
    )
    SCORE_STALLED = (
        "Stopped after {epochs}: the accuracy on the validation rows no longer rose by `tol`."
        " {mistakes} in the last epoch."
    )
    CERTIFIED = "Certified: the objective is within {gap} of the optimum, after {steps}."
    CONVERGED = (
        "Converged: the objective is within about {gap} of the optimum, after {steps}."
        " Without a penalty (`C=inf`) this is an estimate, not a certificate."
    )
    MAX_STEPS_REACHED = (
        "Stopped after {steps}: the objective may be {gap} above the optimum. Raise `max_iter` to"
        " come closer."
    )
    TIME_LIMIT_REACHED = (
        "Stopped at the time limit, after {steps}: the objective may be {gap} above the optimum."
        " Raise `time_limit` to come closer."
    )
    STOPPED_BY_CALLBACK = (
        "Stopped by a callback, after {steps}: the objective may be {gap} above the optimum."
    )
    EPOCH_TIME_LIMIT_REACHED = (
        "Stopped at the time limit, after {epochs}, with {mistakes} in the last. Raise `time_limit`"
        " to train longer."
    )
    AT_ROUNDING = (
        "Stopped after {steps}: the objective is within {gap} of the optimum, and the last steps"
        " came no closer to it. Raise `tol`, standardise the columns, or try another `solver`."
    )
    FAR_FROM_ZERO = (
        "Stopped after {steps}: the objective is within {gap} of the optimum. The columns lie so"
        " far from zero that float64 cannot represent a finer intercept: subtract their means, as"
        " StandardScaler does, to come closer."
    )
    SEPARATED = (
        "The maximum likelihood estimate does not exist (found after {steps}). {advice} With a"
        " finite `C` there is an optimum (maximum a posteriori). The weights are those of the last"
        " step."
    )
    SOLVED = "Solved in closed form from {rows}."
    SOLVED_SHORTEST = (
        "Solved in closed form from {rows}. The features have rank {rank} of {n_columns}, so the"
        " solution is not unique; these weights have the smallest norm. `alpha` above 0 makes it"
        " unique."
    )
    SOLVED_PARTLY = (
        "Solved in closed form from {rows}. The within-class scatter has rank {rank} of"
        " {n_columns}; directions outside its range were left out."
    )
    SOLVED_BY_GAPS = (
        "Solved in closed form from {rows}. No class scatters along the differences of the means,"
        " so these differences are the directions."
    )
    NO_DIRECTION = (
        "Solved in closed form from {rows}, but the classes have the same mean, so no direction"
        " discriminates them. Other features may, such as products of features."
    )
    SQUARED_ERROR_STALLED = (
        "Stopped after {epochs}: the squared error no longer fell by `tol`. {mistakes} in the last"
        " epoch. A smaller `tol` or `eta0` comes closer to the least squares solution, which"
        " `LeastSquares` gives in closed form."
    )
    OUTPUT_ERROR_STALLED = (
        "Stopped after {epochs}: the squared error no longer fell by `tol`. {mistakes} in the last"
        " epoch. A smaller `tol` or `eta0`, or another `start`, may lead lower: this loss is not"
        " convex."
    )
    DESCENT_STALLED = (
        "Stopped after {epochs}: the loss no longer fell by `tol`. {mistakes} in the last epoch. A"
        " smaller `tol` or `eta0` may lead lower."
    )
    MAX_DESCENT_EPOCHS_REACHED = (
        "Stopped after {epochs}, the most that `max_iter` allows. {mistakes} in the last epoch."
        " Raise `max_iter` to train longer, or set `tol` to stop where the loss levels off."
    )
    REGRESSION_STALLED = (
        "Stopped after {epochs}: the squared error no longer fell by `tol`. A smaller `tol` or"
        " `eta0` comes closer to the least squares solution, which `LeastSquaresRegressor` gives in"
        " closed form."
    )
    MAX_REGRESSION_EPOCHS_REACHED = (
        "Stopped after {epochs}, the most that `max_iter` allows. Raise `max_iter` to train longer,"
        " or set `tol` to stop where the squared error levels off."
    )
    DIVERGED = (
        "Diverged after {epochs}: the loss grew beyond that of the start. {advice} The weights are"
        " those from before it grew."
    )
    OVERSHOT = (
        "Stopped after {epochs}: the steps overshoot, and the loss is above that of the start."
        " {advice} {mistakes} in the last epoch."
    )
    SATURATED = (
        "Stopped after {epochs} with saturated outputs: steps hardly change them, and the loss is"
        " above that of zero weights. {advice} {mistakes} in the last epoch."
    )
    SET = "Weights set by hand, not trained."
    STREAM = "In progress: training on a stream, {rows} so far, with {mistakes}."
    REGRESSION_STREAM = "In progress: training on a stream, {rows} so far."
    STREAM_STALLED = (
        "In progress: after {rows} of a stream, the accuracy on the validation rows no longer"
        " rises."
    )
    STREAM_DIVERGED = (
        "In progress: the last chunk was skipped, because its updates diverged. {advice} The"
        " weights are those after the {rows} before it."
    )

    @classmethod
    def _missing_(cls, value: object) -> "Ending | None":
        return cls.__members__.get(value) if isinstance(value, str) else None

    def __reduce__(self) -> tuple[type["Ending"], tuple[str]]:
        """Pickle by name (skops files, too), so that a sentence may be reworded."""
        return Ending, (self.name,)

    def __reduce_ex__(self, _protocol: object) -> tuple[type["Ending"], tuple[str]]:
        return self.__reduce__()

    @property
    def is_converged(self) -> bool:
        """Whether the run converged."""
        return self in {
            Ending.NO_MISTAKE,
            Ending.NO_CHANGE,
            Ending.CERTIFIED,
            Ending.CONVERGED,
            Ending.SOLVED,
            Ending.SOLVED_SHORTEST,
            Ending.SOLVED_PARTLY,
            Ending.SOLVED_BY_GAPS,
        }


@dataclass(frozen=True)
class Outcome:
    """How a run ended; `str(outcome)` is a sentence that also says what to do next."""

    ending: Ending
    n_iter: int
    rows: int
    mistakes: int = 0
    advice: str = ""
    rank: int = 0
    n_columns: int = 0
    gap: float = np.inf

    @property
    def converged(self) -> bool:
        """Whether the run converged."""
        return self.ending.is_converged

    def __str__(self) -> str:
        return self.ending.value.format(
            epochs=counted(self.n_iter, "epoch", "epochs"),
            rows=counted(self.rows, "row", "rows"),
            mistakes=counted(self.mistakes, "mistake", "mistakes"),
            rank=self.rank,
            n_columns=self.n_columns,
            advice=self.advice,
            steps=counted(self.n_iter, "step", "steps"),
            gap=_relative(self.gap),
        )

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class EpochResult:
    """A run after an epoch (pass); `epoch` is the number of epochs so far.

    `mistakes`, `updates` (of the weights) and the mean `loss` are those of this epoch, each row
    scored just before its update; `all_mistakes` and `all_updates` are those of the whole run.
    `last` returns the weights at the end of the epoch, `weights` those the run would keep now.
    `advice` is a recommendation for the settings that completes the sentence of the ending.
    `error` is the training error of `weights` and `validation_error` that on validation rows, if
    they were measured; `norm` is ‖w‖, where the weights themselves are not known.
    """

    epoch: int
    rows: int
    mistakes: int
    updates: int
    loss: float
    all_mistakes: int
    all_updates: int
    last: Callable[[], Any]
    weights: Callable[[], Any]
    error: float | None = None
    validation_error: float | None = None
    norm: float | None = None
    ending: Ending | None = None
    advice: str = ""


def counted(n: int, one: str, many: str) -> str:
    """A number with its noun: 1 row, 2 rows, 1,000 rows."""
    return f"{n:,} {one if n == 1 else many}"


def _relative(gap: float) -> str:
    return f"{max(gap, MIN_GAP):.1e} (relative)" if gap < np.inf else "an unknown amount"
