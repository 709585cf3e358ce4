"""Paired successive elimination of values of C: a race on the same held-out rows.

The scores of two fits on a held-out row are strongly correlated, so the mean of their differences
is known far better than either mean. A value is eliminated once it is unlikely to beat the leader
by a worthwhile amount; its other folds need not be fitted.

Choose C along a path of rising C, with as few fits as the choice needs.

`choose` cross-validates. A fold is left out by giving its rows no weight, so nothing is copied. The
weights start from those of another fold at the same C, or else of the C below. Every tenfold C
comes first, on as many folds as are enough to compare by; the path ends where the score has fallen
twice or the weights hardly grow any more. Then come the values next to the best, and then the other
folds, but only for the values that are still in the race (`racing`).

`best_on_path` takes one loss for each C, such as that of a hold-out, and stops where it has risen
twice.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import DataError
from rosenblatt.linalg.scores import scores_of
from rosenblatt.model_selection.split import stratified_k_fold
from rosenblatt.optim.solve import Start
from rosenblatt.types import Array, Floats

N_STANDARD_ERRORS = 2.0  # of a difference, within which a value may still be better
MIN_RELATIVE_GAIN = 1e-3  # of the leader's score, that a value must still be able to gain
RELATIVE_TIE = 1e-4  # of the best score: a smaller difference is a tie, and the smaller value leads

Trial = Callable[[int, int], Floats]  # scores of the rows of a fold, by a fit without it


class Race:
    """Row scores of values, known by their index, on folds; `weights` are those of the rows."""

    def __init__(self, trial: Trial, weights: Sequence[Floats]) -> None:
        self._trial, self._weights = trial, weights
        self._row_scores: dict[int, list[Floats]] = {}

    def run(self, value: int, n_folds: int) -> None:
        """Try a value on the first `n_folds` folds, those done already excepted."""
        scores = self._row_scores.setdefault(value, [])
        scores.extend(self._trial(value, fold) for fold in range(len(scores), n_folds))

    @property
    def tried(self) -> list[int]:
        """All values tried, in rising order."""
        return sorted(self._row_scores)

    def scores(self, value: int) -> Floats:
        """The mean score of a value on each fold it was tried on."""
        pairs = zip(self._row_scores[value], self._weights, strict=False)
        return np.array([np.average(scores, weights=weights) for scores, weights in pairs])

    def leader(self, values: Sequence[int]) -> int:
        """The smallest of some values whose score ties with the best."""
        means = {value: float(self.scores(value).mean()) for value in sorted(values)}
        best = max(means.values())
        return next(v for v, mean in means.items() if mean >= best - RELATIVE_TIE * abs(best))

    def behind(self, value: int, leader: int) -> bool:
        """Whether the score of a value is worse than the leader's."""
        best = float(self.scores(leader).mean())
        return float(self.scores(value).mean()) < best - RELATIVE_TIE * abs(best)

    def candidates(self, values: Sequence[int]) -> list[int]:
        """The values that may still be better than their leader, and the leader itself."""
        leader = self.leader(values)
        return [v for v in values if v == leader or self._may_win(v, leader)]

    def _may_win(self, value: int, leader: int) -> bool:
        n_folds = min(len(self._row_scores[value]), len(self._row_scores[leader]))
        weights = np.concatenate(self._weights[:n_folds])
        own, best = (np.concatenate(self._row_scores[v][:n_folds]) for v in (value, leader))
        gains = own - best
        mean = float(np.average(gains, weights=weights))
        # while rows are few, equal scores prove little: the next row may differ as rows do
        prior = float(weights.max()) ** 2 * float(np.var(best))
        error = np.sqrt(np.sum((weights * (gains - mean)) ** 2) + prior) / weights.sum()
        worthwhile = MIN_RELATIVE_GAIN * abs(float(np.average(best, weights=weights)))
        return bool(mean + N_STANDARD_ERRORS * error > worthwhile)

    def table(self, leader: int, n_folds: int) -> dict[str, Any]:
        """Scores of all values tried, NaN on folds that were not needed, and their means.

        The mean of a value that was not tried on all folds is that of the leader plus their mean
        difference on the folds it was tried on.
        """
        scores = np.full((len(self._row_scores), n_folds), np.nan)
        means, best = np.empty(len(scores)), self.scores(leader)
        for row, value in enumerate(self.tried):
            known = self.scores(value)
            scores[row, : len(known)] = known
            means[row] = best.mean() + (known - best[: len(known)]).mean()
        return {"scores": scores, "mean_score": means}


CS = tuple(10.0**power for power in np.arange(-4, 4.5, 0.5))
SAMPLE_CS = CS[4:]  # from 0.01: a sample is used for many rows, which need no smaller C
N_FOLDS = 5
STRIDE = 2  # of the values of C that come first
ENOUGH_ROWS = 500  # held out, to compare values of C by
PATIENCE = 2  # consecutive values of C with a worse score
MAX_NORM_GROWTH = 1.1  # of the weights from one C to the next, where larger ones change little

Starts = list[Start]  # one for each binary problem
FitAt = Callable[[TrainingData, float, Starts | None], Starts]
RowScores = Callable[[Floats, Array], Floats]  # of decision values and class codes


class Choice(NamedTuple):
    """The C with the best score, the weights to start its fit from, and all results."""

    C: float
    start: Starts
    results: dict[str, Any]


def choose(fit_at: FitAt, row_scores: RowScores, problem: TrainingData, seed: int) -> Choice:
    """The C with the best cross-validated score: the weighted mean of `row_scores`."""
    folds = weighted_folds(problem, seed)
    sample_C = problem.weights * problem.class_weights[problem.codes]
    ends: dict[int, Starts] = {}

    def trial(value: int, fold: int) -> Floats:
        start = ends[max(v for v in ends if v <= value)] if ends else None
        ends[value] = fit_at(without(problem, folds[fold]), CS[value], start)
        held = problem.take(folds[fold])
        return row_scores(scores_of(held.rows, weights_of(ends[value])), held.codes)

    race = Race(trial, [sample_C[fold] for fold in folds])
    enough = min(len(folds), -(-ENOUGH_ROWS // min(map(len, folds))))
    left = race.candidates(first_round(race, ends, enough))
    for n_folds in range(enough + 1, len(folds) + 1):
        for value in left:
            race.run(value, n_folds)
        left = race.candidates(left)
    best = race.leader(left)
    results = {"C": np.array(CS)[race.tried], **race.table(best, len(folds))}
    return Choice(CS[best], ends[best], results)


def first_round(race: Race, ends: dict[int, Starts], n_folds: int) -> list[int]:
    """Try every second value up to where larger ones cannot help, then those next to the best."""
    last_norm, n_worse = 0.0, 0
    for value in range(0, len(CS), STRIDE):
        race.run(value, n_folds)
        leader = race.leader(race.tried)
        n_worse = n_worse + 1 if race.behind(value, leader) else 0
        norm = float(np.linalg.norm(weights_of(ends[value])[:, :-1]))
        settled = value > leader and norm <= MAX_NORM_GROWTH * last_norm
        if n_worse == PATIENCE or settled:
            break
        last_norm = norm
    for value in (leader - 1, leader + 1):
        if 0 <= value < len(CS):
            race.run(value, n_folds)
    return race.tried


def best_on_path(loss_of: Callable[[float], float], values: Sequence[float], best: float) -> float:
    """The C of least loss, tried in order until PATIENCE values did no better; `best` if none."""
    least, n_worse = np.inf, 0
    for C in values:
        loss = loss_of(C)
        if loss < least:
            best, least, n_worse = C, loss, 0
        else:
            n_worse += 1
        if n_worse == PATIENCE:
            break
    return best


def weights_of(starts: Starts) -> Floats:
    """The weights of all binary problems, a row each."""
    return np.vstack([start.w for start in starts])


def weighted_folds(problem: TrainingData, seed: int) -> list[Array]:
    """The rows of each stratified fold, out of the rows that have weight."""
    live = np.flatnonzero(problem.weights * problem.class_weights[problem.codes])
    fewest = int(np.unique(problem.codes[live], return_counts=True)[1].min())
    if fewest < 2:
        raise DataError(
            f'C="cv" leaves rows out in turn, so every class needs 2 rows; one has {fewest}. Give a'
            " number for C instead."
        )
    n_folds = min(N_FOLDS, fewest)
    folds = stratified_k_fold(problem.codes[live], n_folds, seed)
    return [live[folds == fold] for fold in range(n_folds)]


def without(problem: TrainingData, held: Array) -> TrainingData:
    """The problem with some rows left out: they have no weight."""
    weights = np.array(problem.weights)
    weights[held] = 0.0
    return problem._replace(weights=weights)
