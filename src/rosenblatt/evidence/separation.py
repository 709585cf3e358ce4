"""The separation doctor: when the likelihood has no maximum, it says so, and why.

Along a direction that puts no row on the wrong side, and not all rows on the boundary, the logistic
likelihood grows for ever: the weights of that direction run to infinity. Such a direction puts
every row strictly on its side (*complete* separation), or leaves some on the boundary
(*quasi-complete*); if there is none, the classes overlap and there are best weights.

The verdict is that of `separability`, exact. Only where it leaves open whether classes touch, for
the size of the data, the direction of the run itself is tried, in floats.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rosenblatt.arrays import Array, Floats, Ints
from rosenblatt.data.problem import matrix_of
from rosenblatt.data.rows import n_cols
from rosenblatt.evidence.proof import margins
from rosenblatt.evidence.proof.door import read_table
from rosenblatt.evidence.proof.verdict import Inseparable, Proof, Separable
from rosenblatt.evidence.search.kind import ranges
from rosenblatt.evidence.separability import separability
from rosenblatt.solvers.certificate import Bounds
from rosenblatt.solvers.certified import Limits, Step
from rosenblatt.solvers.newton import margins_of
from rosenblatt.solvers.products import squared
from rosenblatt.solvers.responses import Task
from rosenblatt.solvers.state import Ending

PATIENCE = 10  # steps in which Newton's method arrives where there is something to arrive at
ROUNDING = 1e-6  # of the largest: what a direction of the run has not yet forgotten
MOST_NAMES = 5
SHORTEST = 0.1  # seconds that a question may take when time is short


@dataclass(frozen=True)
class Separation:
    """How the classes are separated.

    `features` are those whose weights run to infinity (the number behind the last is the bias's),
    `alone` those that separate the classes completely by themselves. `proved` is False where
    floats have decided.
    """

    kind: Literal["complete", "quasi-complete"]
    features: tuple[int, ...]
    alone: tuple[int, ...] = ()
    proved: bool = True

    def told(self, names: Sequence[str]) -> str:
        """The finding as a sentence or two, with the names of the features."""
        if self.kind == "complete":
            alone = f" Alone sufficient: {listed(names, self.alone)}." if self.alone else ""
            return (
                "The classes are separable (complete separation): the longer the weights of a line"
                f" between them, the likelier the labels.{alone}"
            )
        seems, growing = "" if self.proved else ", it seems", listed(names, self.features)
        return (
            f"No row is on the wrong side of some line, and not all are on it{seems}"
            f" (quasi-complete separation). Without end grow the weights of: {growing}."
        )


def listed(names: Sequence[str], which: Sequence[int]) -> str:
    """Names of features, the first few of them."""
    known = [repr(names[j]) if j < len(names) else "the bias" for j in which[:MOST_NAMES]]
    more = f" and {len(which) - MOST_NAMES} more" if len(which) > MOST_NAMES else ""
    return ", ".join(known) + more


def watched(
    steps: Iterator[Step], task: Task, names: Sequence[str], limits: Limits
) -> Iterator[Step]:
    """Steps of a climb, ended where the classes turn out to be separated."""
    doctor = Doctor(task, limits)
    for step in steps:
        found = doctor.look(step)
        if found is None:
            yield step
            continue
        nothing = Bounds(step.bounds.objective, -np.inf)
        told = found.told(names)
        yield replace(step, bounds=nothing, ending=Ending.SEPARATED, advice=told)
        return


class Doctor:
    """Looks at every step of a climb, and asks for a verdict when it does not arrive."""

    def __init__(self, task: Task, limits: Limits) -> None:
        self._task, self._limits = task, limits
        self._live = np.flatnonzero(task.costs > 0)
        self._before: Floats | None = None
        self._verdict: Proof | None = None

    def look(self, step: Step) -> Separation | None:
        """The separation, if there is one and the step has shown signs of it."""
        direction = step.w if self._before is None else step.w - self._before
        self._before = step.w
        costs = self._task.costs
        if (2.0 * step.alpha < costs)[self._live].all():  # every margin is positive
            W = step.w[None] if self._task.bias else step.w[None, :-1]
            if margins.separates(read_table(*self._data()), W):
                return self._complete()
        lost = step.ending is not None and step.ending is not Ending.CERTIFIED
        return self._ask(direction) if lost or step.number % PATIENCE == 0 else None

    def _ask(self, direction: Floats) -> Separation | None:
        if self._verdict is None:
            self._verdict = self._decide(*self._data())
        if isinstance(self._verdict, Separable):
            return self._complete()
        if not isinstance(self._verdict, Inseparable) or self._verdict.kind == "unknown":
            return self._by_floats(direction)
        if self._verdict.touching is None:
            return None
        return Separation("quasi-complete", self._running(self._verdict.touching))

    def _decide(self, X: Any, y: Ints) -> Proof:
        left = self._limits.deadline - time.monotonic()
        limit = None if left == np.inf else max(left, SHORTEST)
        return separability(X, y, fit_intercept=self._task.bias, time_limit=limit)

    def _complete(self) -> Separation:
        everything = n_cols(self._task.blocks.problem.rows) + self._task.bias
        return Separation("complete", tuple(range(everything)), self._alone())

    def _running(self, W: Array) -> tuple[int, ...]:
        """Features of all such directions: of one, then of those of the rows it leaves behind."""
        features: set[int] = set()
        X, y = self._data()
        while True:
            features.update(np.flatnonzero(margins.nearest(W)[0]).tolist())
            behind = margins.signs(read_table(X, y), W) == 0
            X, y = X[behind], y[behind]
            verdict = self._decide(X, y) if len(np.unique(y)) == 2 else None
            if not isinstance(verdict, Inseparable) or verdict.touching is None:
                return tuple(sorted(features))
            W = verdict.touching

    def _alone(self) -> tuple[int, ...]:
        """Features on which a threshold separates the classes; it needs a bias."""
        if not self._task.bias:
            return ()
        low, high = ranges(read_table(*self._data()))
        return tuple(np.flatnonzero((high[0] < low[1]) | (high[1] < low[0])).tolist())

    def _by_floats(self, direction: Floats) -> Separation | None:
        """Quasi-complete separation by the direction of the run, to what is left of its past."""
        blocks, live = self._task.blocks, self._live
        moves = margins_of(self._task, direction, np.empty_like(self._task.costs))[live]
        if moves.max() <= 0 or moves.min() < -ROUNDING * moves.max():
            return None
        sizes = np.abs(direction) * np.sqrt(squared(blocks, live, np.ones(len(live))))
        features = tuple(np.flatnonzero(sizes > ROUNDING * sizes.max()).tolist())
        return Separation("quasi-complete", features, proved=False)

    def _data(self) -> tuple[Any, Ints]:
        """Rows that cost something, with 1 for the sign +1 and 0 for −1."""
        problem, live = self._task.blocks.problem, self._live
        taken = problem if len(live) == len(self._task.costs) else problem.take(live)
        return matrix_of(taken.rows), (self._task.signs[live] > 0).astype(np.int64)
