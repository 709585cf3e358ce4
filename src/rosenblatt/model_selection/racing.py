"""Paired successive elimination of values of C: a race on the same held-out rows.

The scores of two fits on a held-out row are strongly correlated, so the mean of their differences
is known far better than either mean. A value is eliminated once it is unlikely to beat the leader
by a worthwhile amount; its other folds need not be fitted.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt.types import Floats

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
