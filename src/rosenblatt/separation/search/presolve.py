"""Presolve: smaller problems that decide for all rows.

Rows that one feature alone decides can be in no certificate, and the rest decide for all. Where no
row of a class has a negative value of some feature, and no row of another class a positive one, a
large enough weight of that feature puts all rows of the class that have it on the right side and
draws none to the wrong one. A word that only spam uses, a pixel that only eights reach: such rows
are free. Without them other features become one-sided, so this is done again, in rounds, until no
row is removed. Of 60,000 digits with 4,534 features 9,127 rows are removed, and 2,048 features
remain.

If a part of the data cannot be separated, the whole cannot. Two of many classes: a certificate for
them is one for Kesler's construct too, with each row held against the other class. Many tables of
many classes fail that way, and two classes are far less work than all.

Rows that use common features only: a certificate has to cancel every feature that its rows use, and
needs about as many rows as there are such features; solving for its weights exactly takes the cube
of that number. In sparse data many rows get by with far fewer features than there are, so a
certificate among them is smaller and quicker to find: 337 rows instead of 531 for MNIST's 8 against
the rest, the data on which the shares below were chosen. Where the proposed weights are wrong on
almost none of these rows it is not tried.
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
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.separation.search.working_set import (
    MAX_NEW_PAIRS,
    TimeLimitReached,
    attempt,
    decide,
)
from rosenblatt.types import Array, Floats, Ints

MIN_REMOVED_SHARE = 0.02  # of the rows; below it a copy of the rest does not pay
MAX_ROUNDS = 30
MARGIN_FACTOR = 1.01  # times the margin of the rest, for what rounding takes
ROW_SHARE = 0.2  # of the rows, those with the most common features
MIN_WRONG_SHARE = (
    0.01  # share of them that the proposed weights must get wrong to make a try worthwhile
)
MAX_FEATURE_SHARE = 0.8  # share of the features in use that they may use
LARGE_CORRAL = 400  # vectors; a certificate is likely here, so weights are looked for late
MIN_FEATURES = 200  # features in use; below, exact arithmetic is quick enough
MAX_CLASS_PAIRS = 2  # pairs of classes worth trying


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


def decide_narrow(space: Space, W: Floats, deadline: Deadline) -> Found | None:
    """Return a certificate among rows of common features, or None if there is none."""
    rows = narrow_rows(space.table) if space.table.n > MAX_NEW_PAIRS else None
    if rows is None or not space.table.may_copy(len(rows)):
        return None
    part = Space(space.table.take(rows), space.fit_intercept)
    slack, _ = part.worst(W)
    if np.mean(~(slack > 0)) < MIN_WRONG_SHARE:
        return None
    try:
        found = attempt(part, W, deadline, corral=LARGE_CORRAL)
    except TimeLimitReached as reached:
        raise reached.among(rows, reached.W) from None
    if found is None or found.pairs is None:
        return None
    return found._replace(pairs=found.pairs.among(rows))


def narrow_rows(table: Table) -> Ints | None:
    """Rows whose rarest feature is most common; None if they use almost all features too."""
    used = uses(table)
    if np.count_nonzero(used) < MIN_FEATURES:
        return None
    rank = np.empty(table.d, dtype=np.int64)
    rank[np.argsort(-used, kind="stable")] = np.arange(table.d)
    reach = rarest(table, rank)
    bar = np.quantile(reach, ROW_SHARE)
    if bar + 1 > MAX_FEATURE_SHARE * np.count_nonzero(used):
        return None
    return np.flatnonzero(reach <= bar)


def uses(table: Table) -> Ints:
    """In how many rows every feature is not 0."""
    if isinstance(table.X, Csr):
        return np.bincount(table.X.indices[table.X.data != 0], minlength=table.d)
    X = table.X
    return sum(
        (np.count_nonzero(X[rows[0] : rows[-1] + 1], axis=0) for rows in table.blocks()),
        np.zeros(table.d, dtype=np.int64),
    )


def rarest(table: Table, rank: Ints) -> Ints:
    """Largest rank among the features of every row; −1 for rows of zeros."""
    reach = np.full(table.n, -1, dtype=np.int64)
    if isinstance(table.X, Csr):
        row, column, _ = table.entries(np.arange(table.n))
        np.maximum.at(reach, row, rank[column])
        return reach
    order = np.argsort(-rank)  # the rarest feature first
    for rows in table.blocks():
        present = table.X[rows[0] : rows[-1] + 1][:, order] != 0
        first = present.argmax(axis=1)
        reach[rows] = np.where(present.any(axis=1), table.d - 1 - first, -1)
    return reach


def confused_classes(space: Space, W: Floats) -> list[tuple[int, int]]:
    """Pairs of classes that W confuses most, the worst first."""
    slack, rival = space.worst(W)
    K = len(space.table.classes)
    wrong = ~(slack > 0)
    counts = np.zeros((K, K), dtype=np.int64)
    np.add.at(counts, (space.table.codes[wrong], rival[wrong]), 1)
    counts = np.triu(counts + counts.T)
    order = np.argsort(-counts, axis=None)[:MAX_CLASS_PAIRS]
    return [divmod(int(t), K) for t in order if counts.flat[t] > 0]


def decide_two(space: Space, W: Floats, deadline: Deadline) -> Found | None:
    """Return a certificate from two confused classes, or None if those tried are separable."""
    if space.n_vectors == 1 or space.table.n <= MAX_NEW_PAIRS:
        return None
    for low, high in confused_classes(space, W):
        rows = np.flatnonzero(np.isin(space.table.codes, (low, high)))
        if not space.table.may_copy(len(rows)):
            continue
        part = Space(_part(space.table, rows, high), space.fit_intercept)
        V = W[[high]] - W[[low]]
        try:
            found = decide_narrow(part, V, deadline) or decide(part, V, deadline)
        except TimeLimitReached:
            raise TimeLimitReached(
                W, None
            ) from None  # what is known of two classes says nothing about all
        if found.pairs is not None:
            listed = rows[found.pairs.row]
            other = np.where(space.table.codes[listed] == low, high, low)
            return Found(None, Pairs(listed, other), found.weights)
    return None


def _part(table: Table, rows: Ints, high: int) -> Table:
    part = table.take(rows)
    return Table(part.X, (part.codes == high).astype(np.int64), ("0", "1"))
