"""State: what a run shows after each pass. Outcome: the ways a run can end, in words."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

ROUNDING = float(np.finfo(np.float64).eps)  # a gap below it, or below zero, is that much


class Ending(Enum):
    """Why a run ended. The value is the sentence, to be filled with its figures."""

    NO_MISTAKE = "Converged: a pass without a mistake, after {passes}."
    NO_CHANGE = "Converged: a pass in which no sample had a loss, after {passes}."
    PASSES_SPENT = (
        "Stopped after {passes} with {mistakes} left. The data may not be separable: run"
        " `rosenblatt separable` or `separability(X, y)` for a proof, raise `max_iter`, or keep"
        " better weights with `keep='average'` or `keep='pocket'`."
    )
    RANKING_SPENT = (
        "Stopped after {passes} with {mistakes} in the last. Raise `max_iter`; or it may be that no"
        " weights rank all groups rightly, while those of longer runs of words do."
    )
    ONE_PASS = (
        "Done: one pass over {rows}, {mistakes} as they came. A higher `max_iter` goes over them"
        " again."
    )
    STILL_CLOSING = (
        "Stopped after {passes}, the last without a mistake, but with losses still to be closed:"
        " raise `max_iter`, or set `tol`."
    )
    LOSS_STALLED = (
        "Stopped after {passes}: the loss no longer fell by `tol`. {mistakes} in the last pass;"
        " with `tol=None` the rule goes on until a pass has none."
    )
    SCORE_STALLED = (
        "Stopped after {passes}: the accuracy on the validation rows no longer rose by `tol`."
        " {mistakes} in the last pass."
    )
    CERTIFIED = "Certified: the objective is within {gap} of the best possible, after {steps}."
    CONVERGED = (
        "Converged: the objective is within about {gap} of the best possible, after {steps}."
        " Without a penalty (`C=inf`) float64 does not prove it."
    )
    STEPS_SPENT = (
        "Stopped after {steps}: the objective may be {gap} above the best possible. Raise"
        " `max_iter` to come nearer."
    )
    TIME_SPENT = (
        "Stopped when the time was up, after {steps}: the objective may be {gap} above the best"
        " possible. Raise `time_limit` to come nearer."
    )
    STOPPED_BY_CALLBACK = (
        "Stopped by a callback, after {steps}: the objective may be {gap} above the best possible."
    )
    LATE = (
        "Stopped when the time was up, after {passes} with {mistakes} in the last. Raise"
        " `time_limit` to go on."
    )
    AT_ROUNDING = (
        "Stopped after {steps}: the objective is within {gap} of the best possible, and the last"
        " steps came no nearer. A larger `tol` says when that is enough; columns of similar scale"
        " help, and so may another `solver`."
    )
    FAR_FROM_ZERO = (
        "Stopped after {steps}: the objective is within {gap} of the best possible. The columns lie"
        " so far from zero that float64 holds no finer intercept: subtract their means, as"
        " StandardScaler does, to come nearer."
    )
    SEPARATED = (
        "No weights are the best, as was seen after {steps}. {advice} A finite `C` has a best"
        " (maximum a posteriori); the weights kept are those reached."
    )
    SOLVED = "Solved in closed form from {rows}."
    SOLVED_SHORTEST = (
        "Solved in closed form from {rows}. The features span only {rank} of {width} directions, so"
        " other weights do as well; these are the shortest. `alpha` above 0 makes the answer one."
    )
    SOLVED_PARTLY = (
        "Solved in closed form from {rows}. Within the classes the features vary in only {rank} of"
        " {width} directions; the others were left out."
    )
    SOLVED_BY_GAPS = (
        "Solved in closed form from {rows}. No class scatters along the gaps between the means, so"
        " these gaps are the directions."
    )
    NO_DIRECTION = (
        "Solved in closed form from {rows}, in vain: the classes have the same mean, so no"
        " direction tells them apart. Other features may (see products of features)."
    )
    SQUARES_LEVELLED = (
        "Stopped after {passes}: the squared error no longer fell by `tol`. {mistakes} in the last"
        " pass. A smaller `tol` or `eta0` comes nearer to the least squares, which `LeastSquares`"
        " gives in closed form."
    )
    OUTPUTS_LEVELLED = (
        "Stopped after {passes}: the squared error no longer fell by `tol`. {mistakes} in the last"
        " pass. A smaller `tol` or `eta0`, or another `start`, may lead lower: this loss is not"
        " convex."
    )
    DESCENT_SPENT = (
        "Stopped after {passes}, all that `max_iter` allows. {mistakes} in the last pass. Raise"
        " `max_iter` to go on, or set `tol` to stop where the loss levels off."
    )
    DIVERGED = (
        "Diverged after {passes}: the loss rose above that of zero weights. {advice} The weights"
        " kept are those from before it rose."
    )
    SET = "Set by hand: nothing is known of these weights but what they decide."
    STREAM = "Open: learning from a stream, {rows} so far with {mistakes} as they came."
    STREAM_STALLED = (
        "Open: after {rows} of a stream the accuracy on the validation rows no longer rises."
    )
    STREAM_DIVERGED = (
        "Open: the last chunk was left out, because its steps grew without bound. {advice} The"
        " weights are those of the {rows} before it."
    )

    @classmethod
    def _missing_(cls, value: object) -> "Ending | None":
        return cls.__members__.get(value) if isinstance(value, str) else None

    def __reduce__(self) -> tuple[type["Ending"], tuple[str]]:
        """Pickles, and files of skops, hold the name: a sentence may be reworded."""
        return Ending, (self.name,)

    def __reduce_ex__(self, _protocol: object) -> tuple[type["Ending"], tuple[str]]:
        return self.__reduce__()

    @property
    def at_rest(self) -> bool:
        """Whether the rule came to rest by itself."""
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
    """How a run ended; `str(outcome)` is a sentence that says what to do."""

    ending: Ending
    passes: int
    rows: int
    mistakes: int = 0
    advice: str = ""
    rank: int = 0
    width: int = 0
    gap: float = np.inf

    @property
    def converged(self) -> bool:
        """Whether the rule came to rest by itself."""
        return self.ending.at_rest

    def __str__(self) -> str:
        return self.ending.value.format(
            passes=counted(self.passes, "pass", "passes"),
            rows=counted(self.rows, "row", "rows"),
            mistakes=counted(self.mistakes, "mistake", "mistakes"),
            rank=self.rank,
            width=self.width,
            advice=self.advice,
            steps=counted(self.passes, "step", "steps"),
            gap=f"{max(self.gap, ROUNDING):.1e}" if self.gap < np.inf else "any distance",
        )


@dataclass(frozen=True)
class State:
    """A run after a pass.

    `mistakes`, `changes` (updates of weights) and the mean `loss` are those of this pass, each row
    judged just before it was learned from; `all_mistakes` and `all_changes` are of the whole run.
    `last` gives the weights the pass ended with, `weights` those the run would keep now.
    `advice` says what the settings should be where the ending alone does not know.
    `error` is the share of training rows that `weights` get wrong, where somebody measured it;
    `norm` is |w|, where the weights themselves are not known.
    """

    passes: int
    rows: int
    mistakes: int
    changes: int
    loss: float
    all_mistakes: int
    all_changes: int
    last: Callable[[], Any]
    weights: Callable[[], Any]
    error: float | None = None
    score: float | None = None
    norm: float | None = None
    ending: Ending | None = None
    advice: str = ""


def counted(n: int, one: str, many: str) -> str:
    """A number with its noun: 1 row, 2 rows, 1,000 rows."""
    return f"{n:,} {one if n == 1 else many}"
