"""Choose C: by cross-validation along a path of rising C, with as few fits as the choice needs.

A fold is left out by giving its rows no weight, so nothing is copied. Its weights start from those
of another fold at the same C, or else of the C below. Every tenfold C comes first, on as many folds
as are enough to judge by; the path ends where the score has fallen for a while or the weights have
come to rest. Then come the values beside the best, and then the other folds, but only for those
that are still in the race.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import DataError
from rosenblatt.linalg.scores import scores_of
from rosenblatt.model_selection.racing import Race
from rosenblatt.optim.solve import Start
from rosenblatt.types import Array, Floats

CS = tuple(10.0**power for power in np.arange(-4, 4.5, 0.5))
FOLDS = 5
STRIDE = 2  # values of C to the next that comes first
ENOUGH = 500  # rows left out, to judge by
PATIENCE = 2  # values with a worse score, one after the other
AT_REST = 1.1  # times longer weights, or less, at the next C: they will not grow much any more

Starts = list[Start]  # one a unit
FitAt = Callable[[TrainingData, float, Starts | None], Starts]
Marks = Callable[[Floats, Array], Floats]  # of rows, by their scores and classes


class Choice(NamedTuple):
    """The C with the best score, where to begin with it, and what was tried."""

    C: float
    start: Starts
    results: dict[str, Any]


def choose(fit_at: FitAt, marks_of: Marks, problem: TrainingData, seed: int) -> Choice:
    """Find the C whose weights do best on rows left out, by the mean of their marks."""
    folds = folds_of(problem, seed)
    prices = problem.weights * problem.class_weights[problem.codes]
    ends: dict[int, Starts] = {}

    def trial(value: int, fold: int) -> Floats:
        start = ends[max(v for v in ends if v <= value)] if ends else None
        ends[value] = fit_at(without(problem, folds[fold]), CS[value], start)
        held = problem.take(folds[fold])
        return marks_of(scores_of(held.rows, weights_of(ends[value])), held.codes)

    race = Race(trial, [prices[fold] for fold in folds])
    enough = min(len(folds), -(-ENOUGH // min(map(len, folds))))
    left = race.left(first_round(race, ends, enough))
    for n_folds in range(enough + 1, len(folds) + 1):
        for value in left:
            race.run(value, n_folds)
        left = race.left(left)
    best = race.leader(left)
    results = {"C": np.array(CS)[race.tried], **race.table(best, len(folds))}
    return Choice(CS[best], ends[best], results)


def first_round(race: Race, ends: dict[int, Starts], n_folds: int) -> list[int]:
    """Try every second value up to where more cannot help, then those beside the best."""
    before, waited = 0.0, 0
    for value in range(0, len(CS), STRIDE):
        race.run(value, n_folds)
        leader = race.leader(race.tried)
        waited = waited + 1 if race.behind(value, leader) else 0
        length = float(np.linalg.norm(weights_of(ends[value])[:, :-1]))
        at_rest = value > leader and length <= AT_REST * before
        if waited == PATIENCE or at_rest:
            break
        before = length
    for value in (leader - 1, leader + 1):
        if 0 <= value < len(CS):
            race.run(value, n_folds)
    return race.tried


def weights_of(starts: Starts) -> Floats:
    """Weights of all units."""
    return np.vstack([unit.w for unit in starts])


def folds_of(problem: TrainingData, seed: int) -> list[Array]:
    """Rows of each fold, every class in each by its share, of the rows that have weight."""
    live = np.flatnonzero(problem.weights * problem.class_weights[problem.codes])
    fewest = int(np.unique(problem.codes[live], return_counts=True)[1].min())
    if fewest < 2:
        raise DataError(
            f'C="cv" leaves rows out in turn, so every class needs 2 rows; one has {fewest}. Give a'
            " number for C instead."
        )
    dealt = _dealt(problem.codes[live], min(FOLDS, fewest), np.random.RandomState(seed))
    return [live[dealt == fold] for fold in range(min(FOLDS, fewest))]


def _dealt(codes: Array, n_folds: int, rng: np.random.RandomState) -> Array:
    """Fold of each row: the rows are dealt out in turn, class after class, then mixed in each."""
    folds = np.empty(len(codes), np.intp)
    _, firsts = np.unique(codes, return_index=True)
    done = 0
    for code in codes[np.sort(firsts)]:
        rows = np.flatnonzero(codes == code)
        share = np.sort(np.arange(done, done + len(rows)) % n_folds)
        rng.shuffle(share)
        folds[rows] = share
        done += len(rows)
    return folds


def without(problem: TrainingData, held: Array) -> TrainingData:
    """The problem with some rows left out: they have no weight."""
    weights = np.array(problem.weights)
    weights[held] = 0.0
    return problem._replace(weights=weights)
