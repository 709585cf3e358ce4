"""State: what a run shows after each pass. Outcome: the ways a run can end, in words."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from rosenblatt.arrays import Floats


class Ending(Enum):
    """Why a run ended. The value is the sentence, to be filled with its figures."""

    NO_MISTAKE = "Converged: a pass without a mistake, after {passes}."
    NO_CHANGE = "Converged: a pass in which no sample had a loss, after {passes}."
    PASSES_SPENT = (
        "Stopped after {passes} with {mistakes} left. The data may not be separable: run"
        " `rosenblatt separable` or `separability(X, y)` for a proof, raise `max_iter`, or keep"
        " better weights with `keep='average'` or `keep='pocket'`."
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
    STREAM = "Open: learning from a stream, {rows} so far with {mistakes} as they came."
    STREAM_STALLED = (
        "Open: after {rows} of a stream the accuracy on the validation rows no longer rises."
    )


@dataclass(frozen=True)
class Outcome:
    """How a run ended; `str(outcome)` is a sentence that says what to do."""

    ending: Ending
    passes: int
    rows: int
    mistakes: int

    @property
    def converged(self) -> bool:
        """Whether the rule came to rest by itself."""
        return self.ending in {Ending.NO_MISTAKE, Ending.NO_CHANGE}

    def __str__(self) -> str:
        return self.ending.value.format(
            passes=counted(self.passes, "pass", "passes"),
            rows=counted(self.rows, "row", "rows"),
            mistakes=counted(self.mistakes, "mistake", "mistakes"),
        )


@dataclass(frozen=True)
class State:
    """A run after a pass.

    `mistakes`, `changes` (updates of weights) and the mean `loss` are those of this pass, each row
    judged just before it was learned from; `all_mistakes` and `all_changes` are of the whole run.
    `last` gives the weights the pass ended with, `weights` those the run would keep now.
    `error` is the share of training rows that `weights` get wrong, where somebody measured it.
    """

    passes: int
    rows: int
    mistakes: int
    changes: int
    loss: float
    all_mistakes: int
    all_changes: int
    last: Callable[[], Floats]
    weights: Callable[[], Floats]
    error: float | None = None
    score: float | None = None
    ending: Ending | None = None


def counted(n: int, one: str, many: str) -> str:
    """A number with its noun: 1 row, 2 rows, 1,000 rows."""
    return f"{n:,} {one if n == 1 else many}"
