"""Existence of the maximum likelihood estimate: complete and quasi-complete separation.

Along a direction that puts no row on the wrong side, and not all rows on the boundary, the logistic
likelihood grows without bound: the coefficients of that direction diverge. Such a direction puts
every row strictly on its side (*complete* separation), or leaves some on the boundary
(*quasi-complete*); if there is none, the classes overlap and there are best weights.

With more than two classes, the score of a row's own class is compared with those of all others
(Kesler).

The verdict is that of `separability`, exact. Only where it leaves open whether classes touch, for
the size of the data, the direction of the iterates is tried, in floats.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rosenblatt.data.training_data import matrix_of
from rosenblatt.kernels.rows import n_cols
from rosenblatt.linalg import multi_output
from rosenblatt.linalg.products import gram_diagonal
from rosenblatt.online.result import Ending
from rosenblatt.optim.duality_gap import DualityGap
from rosenblatt.optim.newton import margins_of
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.optim.solve import Limits, Step
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof import margins
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable
from rosenblatt.separation.search.kind import ranges
from rosenblatt.types import Array, Floats, Ints

STEPS_BEFORE_VERDICT = 10  # in which Newton's method converges if there is a maximum
DIRECTION_TOLERANCE = 1e-6  # of the largest: what is left in a direction of earlier iterates
MAX_NAMES = 5
MIN_VERDICT_SECONDS = 0.1  # that a verdict may take even when time is short


@dataclass(frozen=True)
class Separation:
    """How the classes are separated.

    `features` are those whose coefficients diverge (the number after the last is the intercept),
    `alone` those that separate the classes completely by themselves. `proved` is False where
    floats have decided, `all_features` where there may be other features besides.
    """

    kind: Literal["complete", "quasi-complete"]
    features: tuple[int, ...]
    alone: tuple[int, ...] = ()
    proved: bool = True
    all_features: bool = True

    def message(self, names: Sequence[str]) -> str:
        """The finding as a sentence or two, with the names of the features."""
        if self.kind == "complete":
            return (
                "The classes are separable (complete separation): the longer the weights of a"
                f" separating hyperplane, the higher the likelihood.{self._alone_message(names)}"
            )
        seems = "" if self.proved else ", it seems"
        these = "These coefficients diverge" if self.all_features else "At least these diverge"
        return (
            "Some hyperplane has no row on its wrong side, and not all rows lie on it"
            f"{seems} (quasi-complete separation). {these}: {listed(names, self.features)}."
        )

    def _alone_message(self, names: Sequence[str]) -> str:
        if not self.alone:
            return ""
        if len(self.alone) == 1:
            return f" This feature separates the classes alone: {listed(names, self.alone)}."
        return f" Each of these features separates the classes alone: {listed(names, self.alone)}."


def listed(names: Sequence[str], which: Sequence[int]) -> str:
    """Names of features, the first few of them."""
    known = [repr(names[j]) if j < len(names) else "the intercept" for j in which[:MAX_NAMES]]
    more = f" and {len(which) - MAX_NAMES} more" if len(which) > MAX_NAMES else ""
    return ", ".join(known) + more


def stop_if_separated(
    steps: Iterator[Step],
    objective: BinaryObjective | SoftmaxObjective,
    names: Sequence[str],
    limits: Limits,
) -> Iterator[Step]:
    """The steps of a solver, stopped where the classes turn out to be separated."""
    monitor = SeparationMonitor(objective, limits)
    for step in steps:
        found = monitor.examine(step)
        if found is None:
            yield step
            continue
        no_gap = DualityGap(step.bounds.primal, -np.inf)
        message = found.message(names)
        yield replace(step, bounds=no_gap, ending=Ending.SEPARATED, advice=message)
        return


class SeparationMonitor:
    """Examines the steps of a solver, and asks for a verdict if they do not converge."""

    def __init__(self, objective: BinaryObjective | SoftmaxObjective, limits: Limits) -> None:
        self._objective, self._limits = objective, limits
        self._weighted = np.flatnonzero(objective.sample_C > 0)
        self._before: Floats | None = None
        self._verdict: Proof | None = None

    def examine(self, step: Step) -> Separation | None:
        """The separation, if there is one and the step has shown signs of it."""
        direction = step.w if self._before is None else step.w - self._before
        self._before = step.w
        if (self._rival_probabilities(step.alpha) < 0.5).all():  # every margin is positive
            W = np.atleast_2d(step.w)
            W = W if self._objective.fit_intercept else np.ascontiguousarray(W[:, :-1])
            if margins.separates(read_table(*self._data()), W):
                return self._complete()
        lost = step.ending is not None and step.ending is not Ending.CERTIFIED
        return (
            self._separation_by_verdict(direction)
            if lost or step.number % STEPS_BEFORE_VERDICT == 0
            else None
        )

    def _rival_probabilities(self, alpha: Floats) -> Floats:
        """Probability that each row is given to the rivals of its own class."""
        alpha_of_rows, sample_C = alpha[self._weighted], self._objective.sample_C[self._weighted]
        if isinstance(self._objective, SoftmaxObjective):
            alpha_of_rows = alpha_of_rows[
                np.arange(len(sample_C)), self._objective.blocks.problem.codes[self._weighted]
            ]
        return np.asarray(alpha_of_rows / sample_C)

    def _separation_by_verdict(self, direction: Floats) -> Separation | None:
        if self._verdict is None:
            self._verdict = self._decide(*self._data())
        if isinstance(self._verdict, Separable):
            return self._complete()
        if not isinstance(self._verdict, Inseparable) or self._verdict.kind == "unknown":
            return self._separation_by_floats(direction)
        if self._verdict.touching is None:
            return None
        features = self._diverging_features(self._verdict.touching)
        return Separation(
            "quasi-complete", features, all_features=isinstance(self._objective, BinaryObjective)
        )

    def _decide(self, X: Any, y: Ints) -> Proof:
        left = self._limits.deadline - time.monotonic()
        limit = None if left == np.inf else max(left, MIN_VERDICT_SECONDS)
        return separability(X, y, fit_intercept=self._objective.fit_intercept, time_limit=limit)

    def _complete(self) -> Separation:
        everything = n_cols(self._objective.blocks.problem.rows) + self._objective.fit_intercept
        return Separation("complete", tuple(range(everything)), self._sufficient_features())

    def _diverging_features(self, W: Array) -> tuple[int, ...]:
        """Features of all such directions: of one, then of those of the rows it leaves behind."""
        features: set[int] = set()
        X, y = self._data()
        while True:
            features.update(np.flatnonzero(has_weight(W)).tolist())
            behind = margins.signs(read_table(X, y), W) == 0
            if behind.all():  # level with a rival each, ahead of another
                return tuple(sorted(features))
            X, y = X[behind], y[behind]
            verdict = self._decide(X, y) if len(np.unique(y)) == self._n_classes() else None
            if not isinstance(verdict, Inseparable) or verdict.touching is None:
                return tuple(sorted(features))
            W = verdict.touching

    def _sufficient_features(self) -> tuple[int, ...]:
        """Features on which a threshold separates the classes; it needs an intercept."""
        if not self._objective.fit_intercept:
            return ()
        low, high = ranges(read_table(*self._data()))
        order = np.argsort(low, axis=0)
        low, high = np.take_along_axis(low, order, 0), np.take_along_axis(high, order, 0)
        return tuple(np.flatnonzero((high[:-1] < low[1:]).all(axis=0)).tolist())

    def _separation_by_floats(self, direction: Floats) -> Separation | None:
        """Quasi-complete separation by the direction of the iterates, in floats."""
        blocks, weighted = self._objective.blocks, self._weighted
        changes = self._margin_changes(direction)[weighted]
        if changes.max() <= 0 or changes.min() < -DIRECTION_TOLERANCE * changes.max():
            return None
        largest = np.abs(np.atleast_2d(direction)).max(axis=0)
        sizes = largest * np.sqrt(gram_diagonal(blocks, weighted, np.ones(len(weighted))))
        features = tuple(np.flatnonzero(sizes > DIRECTION_TOLERANCE * sizes.max()).tolist())
        return Separation("quasi-complete", features, proved=False)

    def _margin_changes(self, direction: Floats) -> Floats:
        """How the margins of all rows change along a direction: against each rival."""
        if isinstance(self._objective, BinaryObjective):
            return margins_of(self._objective, direction, np.empty_like(self._objective.sample_C))
        scores = multi_output.scores(self._objective.blocks, np.ascontiguousarray(direction.T))
        own = self._objective.blocks.problem.codes
        return np.asarray(scores[np.arange(len(own)), own][:, None] - scores)

    def _n_classes(self) -> int:
        return 2 if isinstance(self._objective, BinaryObjective) else self._objective.n_classes

    def _data(self) -> tuple[Any, Ints]:
        """Rows of positive weight, with the codes of their classes, or 1 and 0 for signs."""
        problem, weighted = self._objective.blocks.problem, self._weighted
        taken = (
            problem if len(weighted) == len(self._objective.sample_C) else problem.take(weighted)
        )
        codes = (
            self._objective.signs > 0
            if isinstance(self._objective, BinaryObjective)
            else problem.codes
        )
        return matrix_of(taken.rows), codes[weighted].astype(np.int64)


def has_weight(W: Array) -> Array:
    """Whether a feature has weight in a direction; what all classes share counts for no_gap."""
    shared = W[0] if len(W) > 1 else np.zeros_like(W[0])
    return np.asarray((shared != W).any(axis=0))
