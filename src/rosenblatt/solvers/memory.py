"""What a run carries from row to row: the weights, and the few numbers beside them.

A `Memory` is all that has to be kept to go on later with the same bits.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Floats, Ints

# places in Memory.clock
ROWS, MISTAKES, UPDATES, LAST_MISTAKE, LONGEST_RUN = range(5)
# places in Memory.sums
LOSS, SCALE, OWED = range(3)

LOST = 2.0**105  # half the square of an error of 2⁵³, where the next number is 2 away


class Memory(NamedTuple):
    """The state of an online run.

    ==========  ==================================================================================
    `W`         weights (w, b), a row a unit; their features count `sums[SCALE]` times, less what
                they owe
    `late`      Σ (n − 1) Δ over the changes Δ made at row n: the average of the weights after each
                of N rows is W − late / N (no rows where no average is kept)
    `pocket`    weights of the longest run of correct rows (no rows where no pocket is kept)
    `beside`    what the rule keeps beside the weights, the same number of rows for each unit: what
                each has paid of the l1 penalty, or roots of a covariance (no rows for nothing)
    `counts`    how many rows of each class came
    `clock`     rows seen, mistakes, updates, row of the last mistake, longest run of correct rows
    `sums`      loss of the rows as they came, scale of the weights, l1 penalty owed so far (in
                units of `W`)
    ==========  ==================================================================================
    """

    W: Floats
    late: Floats
    pocket: Floats
    beside: Floats
    counts: Ints
    clock: Ints
    sums: Floats

    @classmethod
    def starting_at(cls, W: Floats, n_classes: int, *, keep: str, l1: bool) -> "Memory":
        """Memory of a run that starts at the weights W (which it takes over)."""
        nothing = np.zeros((0, W.shape[1]))
        return cls(
            W=W,
            late=np.zeros_like(W) if keep == "average" else nothing,
            pocket=W.copy() if keep == "pocket" else nothing,
            beside=np.zeros_like(W) if l1 else nothing,
            counts=np.zeros(n_classes, np.int64),
            clock=np.zeros(5, np.int64),
            sums=np.array([0.0, 1.0, 0.0]),
        )

    def copy(self) -> "Memory":
        """The same state in arrays of its own."""
        return Memory._make(part.copy() for part in self)

    def anew(self, n_units: int, n_classes: int) -> "Memory":
        """Memory of a run that keeps as much, from zero and over so many classes."""
        W = np.zeros((n_units, self.W.shape[1]))
        return Memory.starting_at(W, n_classes, keep=self.keep, l1=len(self.beside) > 0)

    def moved_into(self, fresh: "Memory", places: Array) -> "Memory":
        """What was learned so far, in the fresh memory of more classes: the old at their places."""
        if not len(fresh.beside):
            self.settle()
        for old, new in zip(self[:4], fresh[:4], strict=True):
            if len(old) and len(new) and len(places) > 1:  # one class alone teaches nothing
                height = len(new) // len(fresh.W)  # rows a unit
                units = new.reshape(len(fresh.W), height, new.shape[1])
                of_each = old.reshape(len(self.W), *units.shape[1:])
                units[places] = [-of_each[0], of_each[0]] if len(of_each) == 1 else of_each
        fresh.counts[places] = self.counts
        beside = fresh.beside if len(self.beside) else self.beside
        return fresh._replace(beside=beside, clock=self.clock, sums=self.sums)

    @property
    def keep(self) -> str:
        """Which weights the run was begun to keep."""
        return "average" if len(self.late) else "pocket" if len(self.pocket) else "last"

    def is_finite(self) -> bool:
        """Whether all weights are numbers one can go on with."""
        parts = (self.W, self.late, self.pocket)
        return all(bool(np.isfinite(part).all()) for part in parts if len(part))

    def ran_away(self) -> bool:
        """Whether a stream has errors so large that a target ±1 is beyond their digits."""
        return not (self.sums[LOSS] < LOST and self.is_finite())

    def put_back(self, earlier: "Memory") -> None:
        """Go back to an earlier state."""
        for part, before in zip(self, earlier, strict=True):
            part[...] = before

    def go_on_from(self, W: Floats) -> None:
        """Take weights for the last and for the average so far, with no loss behind them."""
        self.W[...] = W
        self.late[...] = 0.0
        self.sums[LOSS] = 0.0

    def last(self) -> Floats:
        """Weights after the last row."""
        W = self.W.copy()
        w, owed, scale = W[:, :-1], self.sums[OWED], self.sums[SCALE]
        if owed > 0.0:  # each weight pays what it still owes, as `pay` has it in data/rows.py
            paid = self.beside[:, :-1]
            below = np.minimum(0.0, w + (owed - paid))
            w[...] = np.where(w > 0.0, np.maximum(0.0, w - (owed + paid)), below)
        if scale != 1.0:
            w *= scale
        return W

    def settle(self) -> None:
        """Bring the weights up to date with their penalties, before they go on without."""
        if self.sums[SCALE] != 1.0 or self.sums[OWED] > 0.0:
            self.W[...] = self.last()
            self.beside[...] = 0.0
            self.sums[SCALE], self.sums[OWED] = 1.0, 0.0

    def average(self) -> Floats:
        """Mean of the weights after each row."""
        return np.subtract(self.W, self.late / max(1, int(self.clock[ROWS])))

    def longest_lived(self) -> Floats:
        """Weights of the longest run of correct rows, the current one included."""
        run = self.clock[ROWS] - self.clock[LAST_MISTAKE]
        return (self.W if run > self.clock[LONGEST_RUN] else self.pocket).copy()

    def kept(self) -> Floats:
        """The weights the run was begun to keep."""
        if self.keep == "average":
            return self.average()
        return self.longest_lived() if self.keep == "pocket" else self.last()

    def keep_in_pocket(self, W: Floats) -> None:
        """Pocket some weights; only a longer run of correct rows than any before replaces them."""
        clock = self.clock
        clock[LONGEST_RUN] = max(clock[LONGEST_RUN], clock[ROWS] - clock[LAST_MISTAKE])
        clock[LAST_MISTAKE] = clock[ROWS]
        self.pocket[:] = W
