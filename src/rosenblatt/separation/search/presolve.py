"""Rows that one feature alone decides: they can be in no certificate, and the rest decide for all.

Where no row of a class has a negative value of some feature, and no row of another class a positive
one, a large enough weight of that feature puts all rows of the class that have it on the right side
and draws none to the wrong one. A word that only spam uses, a pixel that only eights reach: such
rows are free. Without them other features become one-sided, so this is done again, in rounds, until
no row is removed. Of 60,000 digits with 4,534 features 9,127 rows are removed, and 2,048 features
remain.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.separation.proof.margins import nearest
from rosenblatt.separation.proof.table import Csr, Table, floats
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.exact import Found
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.working_set import TimeLimitReached
from rosenblatt.types import Array, Floats, Ints

MIN_REMOVED_SHARE = 0.02  # of the rows; below it a copy of the rest does not pay
MAX_ROUNDS = 30
MARGIN_FACTOR = 1.01  # times the margin of the rest, for what rounding takes


class Round(NamedTuple):
    """Rows removed at once, and the signs of every class's one-sided features."""

    rows: Ints
    sign: Array


class Counts(NamedTuple):
    """How many rows of every class have a positive, and how many a negative value of a feature."""

    up: Ints
    down: Ints

    def one_sided(self) -> Array:
        """+1 where a class alone has positive values and no negative ones; −1 the reverse."""
        plus = (self.up > 0) & (self.down + _of_others(self.up) == 0)
        minus = (self.down > 0) & (self.up + _of_others(self.down) == 0)
        sign: Array = plus.astype(np.int8) - minus.astype(np.int8)
        return sign

    def without(self, other: "Counts") -> "Counts":
        """Return the counts when the rows of others are gone."""
        return Counts(self.up - other.up, self.down - other.down)


def _of_others(counts: Ints) -> Ints:
    """Sum over all classes but each one's own."""
    others: Ints = counts.sum(axis=0) - counts
    return others


@dataclass(frozen=True, eq=False)
class Rest:
    """The rows and features that remain, and the rounds in which the others were removed."""

    space: Space
    part: Space
    rows: Ints
    columns: Ints
    rounds: list[Round]

    def weights(self, W: Floats) -> Floats:
        """Return weights of all features as weights of those that remain."""
        return W[:, self.columns] if self.rounds else W

    def restored(self, found: Found) -> Found:
        """Say of all rows what was found of the rest."""
        if not self.rounds:
            return found
        if found.pairs is not None:
            return found._replace(pairs=found.pairs.among(self.rows))
        assert found.W is not None
        return found._replace(W=self._lifted(self._widened(found.W)))

    def time_limit_reached(self, reached: TimeLimitReached) -> TimeLimitReached:
        """Say of all rows what is known of the rest when time is up."""
        return reached.among(self.rows, self._widened(reached.W)) if self.rounds else reached

    def _widened(self, W: Array) -> Array:
        wide = np.zeros((self.space.n_vectors, self.space.width), dtype=W.dtype)
        wide[:, self.columns] = W
        return wide

    def _lifted(self, W: Array) -> Array:
        """Bring the removed rows to the margin of the rest by their features, the last round first.

        A round's features are one-sided among its own rows and all that remained after it, so they
        can do harm only to rows removed before, which come later here. Weights beyond floats are
        returned as infinite or nan: they separate nothing, and all rows are to be decided then.
        """
        V = nearest(W).copy()
        margin = self._margin(V)
        for rows, sign in reversed(self.rounds):
            for some in _in_blocks(self.space.table, rows):
                self._raise(V, some, sign, margin)
        if W.dtype != object or not np.isfinite(V).all():
            return V
        moved = [[Fraction(v) for v in row] for row in V - nearest(W)]
        lifted: Array = W + np.array(moved, dtype=object)
        return lifted

    def _margin(self, V: Floats) -> float:
        """Least slack of the rest over the length of its row."""
        if len(self.rows) == 0:
            return 1.0
        return max(float(self.space.worst(V)[0][self.rows].min()), np.finfo(float).tiny)

    def _raise(self, V: Floats, rows: Ints, sign: Array, margin: float) -> None:
        """Correct some rows as a perceptron does, but by their one-sided features alone.

        Such a correction does no harm to rows of the same round, so one is enough for each.
        """
        entries = self.space.table.entries(rows)
        ends = np.searchsorted(entries.row, np.arange(len(rows) + 1))
        for i, row in enumerate(rows.tolist()):
            own = self.space.table.codes[row]
            mine = slice(ends[i], ends[i + 1])
            columns, values = entries.column[mine], floats(entries.value[mine])
            short = MARGIN_FACTOR * margin * self.space.lengths[row] - self._slack(
                V, own, columns, values
            )
            if short > 0:
                lone = sign[own, columns] != 0
                k, side = (0, 2 * own - 1) if self.space.n_vectors == 1 else (own, 1)
                step = side * short / (values[lone] @ values[lone])
                V[k, columns[lone]] += step * values[lone]

    def _slack(self, V: Floats, own: int, columns: Ints, values: Floats) -> float:
        scores = V[:, columns] @ values + (V[:, -1] if self.space.fit_intercept else 0.0)
        if self.space.n_vectors == 1:
            return float((2 * own - 1) * scores[0])
        return float(scores[own] - np.delete(scores, own).max())


def rest_of(space: Space, deadline: Deadline) -> Rest:
    """Free what can be removed; where that is almost nothing, everything remains."""
    table = space.table
    if table.values.dtype.kind == "O":  # integers beyond floats fit no kernel
        return everything(space)
    remain = np.ones(table.n, dtype=bool)
    rounds: list[Round] = []
    counts = counted(table, table.blocks())
    while len(rounds) < MAX_ROUNDS and not deadline.passed():
        removed = _round(table, remain, counts.one_sided())
        if len(removed.rows) == 0:
            break
        rounds.append(removed)
        remain[removed.rows] = False
        counts = counts.without(counted(table, _in_blocks(table, removed.rows)))
        deadline.report("one-sided features", len(rounds), int(remain.sum()))
    used = np.flatnonzero((counts.up + counts.down).sum(axis=0))
    used = used if len(used) else np.arange(1)  # a table has a column
    if not _worthwhile(table, remain):
        return everything(space)
    rows = np.flatnonzero(remain)
    part = Space(table.take(rows).only(used), space.fit_intercept)
    columns = np.append(used, table.d) if space.fit_intercept else used
    return Rest(space, part, rows, columns, rounds)


def everything(space: Space) -> Rest:
    """Free nothing; the rows, which may be very many, are not numbered then."""
    return Rest(space, space, np.zeros(0, np.int64), np.arange(space.width), [])


def _worthwhile(table: Table, remain: Array) -> bool:
    left = int(np.count_nonzero(remain))
    return left <= (1 - MIN_REMOVED_SHARE) * table.n and table.may_copy(left)


def _round(table: Table, remain: Array, sign: Array) -> Round:
    """Find the remaining rows that a one-sided feature of their class lifts."""
    removed = [np.zeros(0, np.int64)]
    for rows in table.blocks() if sign.any() else ():
        scores = table.products(rows, sign.T.astype(float))
        lift = scores[np.arange(len(rows)), table.codes[rows]]
        removed.append(rows[remain[rows] & (lift > 0)])
    return Round(np.concatenate(removed), sign)


def _in_blocks(table: Table, rows: Ints) -> list[Ints]:
    return np.array_split(rows, max(1, len(rows) * table.d >> 21))


def counted(table: Table, blocks: Iterable[Ints]) -> Counts:
    """Count the signs of every feature in blocks of rows, class by class."""
    K, d = len(table.classes), table.d
    up, down = np.zeros((K, d), np.int64), np.zeros((K, d), np.int64)
    for rows in blocks:
        codes = table.codes[rows]
        if isinstance(table.X, Csr):
            row, column, value = table.entries(rows)
            place = codes[row] * d + column
            up += np.bincount(place[value > 0], minlength=K * d).reshape(K, d)
            down += np.bincount(place[value < 0], minlength=K * d).reshape(K, d)
            continue
        block = table.X[rows]
        for code in np.unique(codes):
            up[code] += np.count_nonzero(block[codes == code] > 0, axis=0)
            down[code] += np.count_nonzero(block[codes == code] < 0, axis=0)
    return Counts(up, down)
