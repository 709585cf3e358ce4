"""Rows that one feature alone decides: they can be in no certificate, and the rest decide for all.

Where no row of a class has a negative value of some feature, and no row of another class a positive
one, a large enough weight of that feature puts all rows of the class that have it on the right side
and draws none to the wrong one. A word that only spam uses, a pixel that only eights reach: such
rows are free. Without them other features become one-sided, so this is done again, in rounds, until
no row is freed. Of 60,000 digits with 4,534 features 9,127 rows are freed, and 2,048 features
remain.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Floats, Ints
from rosenblatt.evidence.proof.margins import Hull, nearest
from rosenblatt.evidence.proof.table import Csr, Table
from rosenblatt.evidence.search.exact import Found
from rosenblatt.evidence.search.pairs import Pairs, Space
from rosenblatt.evidence.search.workingset import Late, Watch

WORTH = 0.02  # share of the rows to be freed, below which a copy of the rest does not pay
MOST_ENTRIES = 1 << 28  # numbers that a copy may have
MOST_ROUNDS = 30
SMALL = 1e-3  # for rows that need no weight at all


class Round(NamedTuple):
    """Rows freed at once, the signs of every class's one-sided features, what 1 lifts each row."""

    rows: Ints
    sign: Array
    lift: Floats


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
    """The rows and features that remain, and the rounds in which the others were freed."""

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
            return found._replace(pairs=Pairs(self.rows[found.pairs.row], found.pairs.rival))
        assert found.W is not None
        return found._replace(W=self._lifted(self._widened(found.W)))

    def late(self, late: Late) -> Late:
        """Say of all rows what is known of the rest when time is up."""
        if not self.rounds:
            return late
        hull = late.hull and Hull(tuple(self.rows[list(late.hull.rows)].tolist()), *late.hull[1:])
        return Late(self._widened(late.W), hull)

    def _widened(self, W: Array) -> Array:
        wide = np.zeros((self.space.units, self.space.width), dtype=W.dtype)
        wide[:, self.columns] = W
        return wide

    def _lifted(self, W: Array) -> Array:
        """Weigh the one-sided features until the freed rows are right, the last round first.

        A round's features are one-sided among its own rows and all that remained after it, so they
        can do harm only to rows freed before, which come later here.
        """
        for rows, sign, lift in reversed(self.rounds):
            slack, _ = self.space.worst(nearest(W))
            needs = -(slack * self.space.lengths)[rows] / lift
            size = max(2 * float(needs.max()), float(np.abs(needs).mean()), SMALL)
            move = np.zeros(W.shape, dtype=W.dtype)
            move[:, : sign.shape[1]] = self._directions(sign)
            W = W + (move * Fraction(size) if W.dtype == object else move * size)
        return W

    def _directions(self, sign: Array) -> Array:
        """Where the weights move: of two classes, what draws to one pushes from the other."""
        return np.sign(sign[[1]] - sign[[0]]) if self.space.units == 1 else sign


def rest_of(space: Space, watch: Watch) -> Rest:
    """Free what can be freed; where that is almost nothing, everything remains."""
    table = space.table
    if _values(table).dtype.kind == "O":  # integers beyond floats fit no kernel
        return everything(space)
    remain = np.ones(table.n, dtype=bool)
    rounds: list[Round] = []
    counts = counted(table, np.arange(table.n))
    while len(rounds) < MOST_ROUNDS and not watch.late():
        freed = _round(table, remain, counts.one_sided())
        if len(freed.rows) == 0:
            break
        rounds.append(freed)
        remain[freed.rows] = False
        counts = counts.without(counted(table, freed.rows))
        watch.tell("one-sided features", len(rounds), int(remain.sum()))
    used = np.flatnonzero((counts.up + counts.down).sum(axis=0))
    used = used if len(used) else np.arange(1)  # a table has a column
    if not _worthwhile(table, remain):
        return everything(space)
    rows = np.flatnonzero(remain)
    part = Space(table.take(rows).only(used), space.bias)
    columns = np.append(used, table.d) if space.bias else used
    return Rest(space, part, rows, columns, rounds)


def everything(space: Space) -> Rest:
    """Free nothing."""
    return Rest(space, space, np.arange(space.table.n), np.arange(space.width), [])


def _values(table: Table) -> Array:
    return table.X.data if isinstance(table.X, Csr) else table.X


def _worthwhile(table: Table, remain: Array) -> bool:
    size = 0 if isinstance(table.X, Csr) else int(remain.sum()) * table.d
    return float(np.mean(~remain)) >= WORTH and size <= MOST_ENTRIES


def _round(table: Table, remain: Array, sign: Array) -> Round:
    """Find the remaining rows that a one-sided feature of their class lifts."""
    lift = np.zeros(table.n)
    for rows in table.blocks() if sign.any() else ():
        scores = table.products(rows, sign.T.astype(float))
        lift[rows] = scores[np.arange(len(rows)), table.codes[rows]]
    rows = np.flatnonzero(remain & (lift > 0))
    return Round(rows, sign, lift[rows])


def counted(table: Table, rows: Ints) -> Counts:
    """Count the signs of every feature among some rows, class by class."""
    K, d = len(table.classes), table.d
    up, down = np.zeros((K, d), np.int64), np.zeros((K, d), np.int64)
    if isinstance(table.X, Csr):
        row, column, value = table.entries(rows)
        place = table.codes[rows][row] * d + column
        up += np.bincount(place[value > 0], minlength=K * d).reshape(K, d)
        down += np.bincount(place[value < 0], minlength=K * d).reshape(K, d)
        return Counts(up, down)
    for some in np.array_split(rows, max(1, len(rows) * d >> 21)):
        block, codes = table.X[some], table.codes[some]
        for code in np.unique(codes):
            up[code] += np.count_nonzero(block[codes == code] > 0, axis=0)
            down[code] += np.count_nonzero(block[codes == code] < 0, axis=0)
    return Counts(up, down)
