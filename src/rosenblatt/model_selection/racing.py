"""Values of C in a race: their marks on the same rows left out, compared row by row.

Two fits that never saw a row meet it with much the same luck, so the mean of the differences of
their marks is known far better than either mean. A value is out of the race once it is unlikely to
be better than the leader by what is worth having; then its other folds need not be fitted.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt.types import Floats

SURE = 2.0  # standard errors
WORTH = 1e-3  # of the leader's score: what a value must still hope to gain by
LEVEL = 1e-4  # of the best score: less is no difference, and the smaller value leads

Trial = Callable[[int, int], Floats]  # marks of the rows of a fold, by a fit without it


class Race:
    """Marks of values, known by their number, on folds; `weights` are those of the folds' rows."""

    def __init__(self, trial: Trial, weights: Sequence[Floats]) -> None:
        self._trial, self._weights = trial, weights
        self._marks: dict[int, list[Floats]] = {}

    def run(self, value: int, n_folds: int) -> None:
        """Try a value on the folds up to a number, as far as it was not."""
        marks = self._marks.setdefault(value, [])
        marks.extend(self._trial(value, fold) for fold in range(len(marks), n_folds))

    @property
    def tried(self) -> list[int]:
        """All values tried, in rising order."""
        return sorted(self._marks)

    def scores(self, value: int) -> Floats:
        """Mean mark of a value on each fold it was tried on."""
        pairs = zip(self._marks[value], self._weights, strict=False)
        return np.array([np.average(marks, weights=weights) for marks, weights in pairs])

    def leader(self, values: Sequence[int]) -> int:
        """Smallest of some values whose score is level with the best."""
        means = {value: float(self.scores(value).mean()) for value in sorted(values)}
        best = max(means.values())
        return next(v for v, mean in means.items() if mean >= best - LEVEL * abs(best))

    def behind(self, value: int, leader: int) -> bool:
        """Whether the score of a value is worse than the leader's."""
        best = float(self.scores(leader).mean())
        return float(self.scores(value).mean()) < best - LEVEL * abs(best)

    def left(self, values: Sequence[int]) -> list[int]:
        """Values that may well be better than their leader, and the leader itself."""
        leader = self.leader(values)
        return [v for v in values if v == leader or self._has_hope(v, leader)]

    def _has_hope(self, value: int, leader: int) -> bool:
        n_folds = min(len(self._marks[value]), len(self._marks[leader]))
        weights = np.concatenate(self._weights[:n_folds])
        theirs, best = (np.concatenate(self._marks[v][:n_folds]) for v in (value, leader))
        ahead = theirs - best
        mean = float(np.average(ahead, weights=weights))
        # rows that all agree prove little while they are few: one more may differ as rows do
        doubt = float(weights.max()) ** 2 * float(np.var(best))
        error = np.sqrt(np.sum((weights * (ahead - mean)) ** 2) + doubt) / weights.sum()
        worth = WORTH * abs(float(np.average(best, weights=weights)))
        return bool(mean + SURE * error > worth)

    def table(self, leader: int, n_folds: int) -> dict[str, Any]:
        """Scores of all values tried, NaN where a fold was spared, and their means.

        The mean of a value that was not tried on all folds is that of the leader, less what it fell
        behind on those it was tried on.
        """
        scores = np.full((len(self._marks), n_folds), np.nan)
        means, best = np.empty(len(scores)), self.scores(leader)
        for row, value in enumerate(self.tried):
            known = self.scores(value)
            scores[row, : len(known)] = known
            means[row] = best.mean() + (known - best[: len(known)]).mean()
        return {"scores": scores, "mean_score": means}
