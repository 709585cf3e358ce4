"""Stopping criteria, and measurements after each epoch.

A solver is an endless generator of `EpochResult`. The functions here wrap one:

========================================  ======================================================
``until(results, stops)``                 ends at the first result that meets a criterion
``with_training_error(results, error)``   adds the training error of the weights kept
``with_validation_score(results, score)`` adds the score on validation rows
``keep_best(results, error)``             keeps the weights with the smallest training error
========================================  ======================================================
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.online.result import Ending, EpochResult

Stop = Callable[[EpochResult], Ending | None]


def until(results: Iterable[EpochResult], stops: Iterable[Stop]) -> Iterator[EpochResult]:
    """Results up to the first that meets a stopping criterion, with its ending."""
    rules = list(stops)
    for result in results:
        endings = [ending for rule in rules if (ending := rule(result)) is not None]
        if endings:
            yield replace(result, ending=endings[0])
            return
        yield result


def with_training_error(
    results: Iterable[EpochResult], error: Callable[[Any], float]
) -> Iterator[EpochResult]:
    """Results with the training error of the kept weights."""
    for result in results:
        yield replace(result, error=error(result.weights()))


def with_validation_score(
    results: Iterable[EpochResult], score: Callable[[Any], float]
) -> Iterator[EpochResult]:
    """Results with the score of the kept weights on validation rows."""
    for result in results:
        yield replace(result, score=score(result.weights()))


def keep_best(
    results: Iterable[EpochResult], error: Callable[[Any], float]
) -> Iterator[EpochResult]:
    """Results that keep the weights with the smallest training error so far (pocket algorithm).

    After each epoch two candidates are evaluated: the last weights, and those of the longest run of
    correct rows (Gallant 1990 checks at every new longest run; here once an epoch).
    """
    pocket: Any = None
    least = np.inf
    for result in results:
        for candidate in (result.last(), result.weights()):
            if (found := error(candidate)) < least:
                pocket, least = candidate, found
        yield replace(result, weights=partial(_same, pocket), error=float(least))


def _same(weights: Any) -> Any:
    return weights


def no_mistake(result: EpochResult) -> Ending | None:
    """Stop at the first epoch without a mistake (the convergence theorem)."""
    return Ending.NO_MISTAKE if result.mistakes == 0 else None


def no_change(result: EpochResult) -> Ending | None:
    """Stop at the first epoch without a mistake and without an update."""
    return Ending.NO_CHANGE if result.changes == 0 and result.mistakes == 0 else None


def after_one_epoch(result: EpochResult) -> Ending | None:  # noqa: ARG001
    """Stop after one epoch."""
    return Ending.ONE_EPOCH


def max_epochs(max_iter: int, ending: Ending | None = None) -> Stop:
    """Stop after max_iter epochs, with a given ending or one by the mistakes of the last epoch."""

    def spent(result: EpochResult) -> Ending | None:
        if result.passes < max_iter:
            return None
        if ending is not None:
            return ending
        return Ending.MAX_EPOCHS_REACHED if result.mistakes else Ending.LOSS_REMAINS

    return spent


def max_seconds(seconds: float | None) -> Stop:
    """Stop after the epoch in which a time limit, counted from now, is reached; None: never."""
    deadline = np.inf if seconds is None else time.monotonic() + seconds
    return lambda _: Ending.EPOCH_TIME_LIMIT_REACHED if time.monotonic() > deadline else None


@dataclass
class Stalled:
    """Stop when a figure has not improved by tol for `patience` epochs in a row."""

    figure: Callable[[Any], float]  # of a result, to be minimised
    tol: float
    patience: int
    ending: Ending
    _best: float = np.inf
    _waited: int = 0

    def __call__(self, result: Any) -> Ending | None:
        """The ending, once the figure has stalled."""
        value = self.figure(result)
        self._waited = 0 if value < self._best - self.tol else self._waited + 1
        self._best = min(self._best, value)
        return self.ending if self._waited >= self.patience else None
