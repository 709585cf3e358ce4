"""Iterate a solver until a stop rule speaks, and measure on the way.

A solver is a generator of States without an end. The functions here wrap one and give another:

=============================  =================================================================
``until(states, stops)``       ends at the first state a stop rule names an ending for
``measuring(states, error)``   fills in the training error of the weights kept
``scoring(states, judge)``     fills in the score on validation rows
``pocketing(states, error)``   keeps the weights with the smallest training error so far
=============================  =================================================================
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.solvers.state import Ending, State

Stop = Callable[[State], Ending | None]


def until(states: Iterable[State], stops: Iterable[Stop]) -> Iterator[State]:
    """Give every state up to the first one that a stop rule ends, which names its ending."""
    rules = list(stops)
    for state in states:
        endings = [ending for rule in rules if (ending := rule(state)) is not None]
        if endings:
            yield replace(state, ending=endings[0])
            return
        yield state


def measuring(states: Iterable[State], error: Callable[[Any], float]) -> Iterator[State]:
    """Fill in the training error of the kept weights after each pass."""
    for state in states:
        yield replace(state, error=error(state.weights()))


def scoring(states: Iterable[State], judge: Callable[[Any], float]) -> Iterator[State]:
    """Fill in the score of the kept weights on validation rows."""
    for state in states:
        yield replace(state, score=judge(state.weights()))


def pocketing(states: Iterable[State], error: Callable[[Any], float]) -> Iterator[State]:
    """Keep the weights with the smallest training error so far.

    After each pass two are tried: the last, and those that lived through the longest run of
    correct rows (Gallant 1990 checks at every new longest run; here once a pass).
    """
    pocket: Any = None
    least = np.inf
    for state in states:
        for candidate in (state.last(), state.weights()):
            if (found := error(candidate)) < least:
                pocket, least = candidate, found
        yield replace(state, weights=partial(_same, pocket), error=float(least))


def _same(weights: Any) -> Any:
    return weights


def no_mistake(state: State) -> Ending | None:
    """End at the first pass without a mistake, as the convergence theorem promises."""
    return Ending.NO_MISTAKE if state.mistakes == 0 else None


def no_change(state: State) -> Ending | None:
    """End at the first pass that has no mistake and changes nothing."""
    return Ending.NO_CHANGE if state.changes == 0 and state.mistakes == 0 else None


def one_pass(state: State) -> Ending | None:  # noqa: ARG001
    """End after one pass, as a rule that needs no more is asked to."""
    return Ending.ONE_PASS


def passes_spent(max_iter: int, ending: Ending | None = None) -> Stop:
    """End after max_iter passes, by the mistakes of the last or with a given ending."""

    def spent(state: State) -> Ending | None:
        if state.passes < max_iter:
            return None
        if ending is not None:
            return ending
        return Ending.PASSES_SPENT if state.mistakes else Ending.STILL_CLOSING

    return spent


def time_spent(seconds: float | None) -> Stop:
    """End after the pass in which a time has run out that begins now; None is all the time."""
    deadline = np.inf if seconds is None else time.monotonic() + seconds
    return lambda _: Ending.LATE if time.monotonic() > deadline else None


@dataclass
class Stalled:
    """End when a figure has not improved by tol for `patience` passes in a row."""

    figure: Callable[[Any], float]  # of a state, to be minimised
    tol: float
    patience: int
    ending: Ending
    _best: float = np.inf
    _waited: int = 0

    def __call__(self, state: Any) -> Ending | None:
        """Look at one more state."""
        value = self.figure(state)
        self._waited = 0 if value < self._best - self.tol else self._waited + 1
        self._best = min(self._best, value)
        return self.ending if self._waited >= self.patience else None
