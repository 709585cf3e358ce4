"""State of an online optimiser: the weights, and all else that carries over between samples.

A run that is resumed from an `OptimiserState` gives the same bits as one without a break.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.types import Array, Floats, Ints

# indices into OptimiserState.counters
ROWS, MISTAKES, UPDATES, LAST_MISTAKE, LONGEST_RUN = range(5)
# indices into OptimiserState.sums
LOSS, SCALE, L1_PENALTY = range(3)

MAX_STREAM_LOSS = 2.0**105  # half the square of an error of 2⁵³, where the next number is 2 away


class OptimiserState(NamedTuple):
    """The state of an online run.

    =====================  =======================================================================
    `W`                    weights (w, b), one row per output; those of features to be multiplied
                           by `sums[SCALE]`, after the pending l1 penalty is applied
    `weighted_update_sum`  Σ (n − 1) Δ over the updates Δ made at sample n: the average of the
                           weights after each of N samples is W − weighted_update_sum / N (no rows
                           where no average is kept)
    `pocket`               weights of the longest run of correct samples (no rows where not kept)
    `aux`                  auxiliary array of the rule, equally many rows for each output: the l1
                           penalty applied to each weight, or covariance roots (or no rows)
    `counts`               samples of each class so far
    `counters`             samples, mistakes, updates, sample of the last mistake, longest run of
                           correct samples
    `sums`                 loss of the samples as they came, scale of the weights, cumulative l1
                           penalty (in units of `W`)
    =====================  =======================================================================
    """

    W: Floats
    weighted_update_sum: Floats
    pocket: Floats
    aux: Floats
    counts: Ints
    counters: Ints
    sums: Floats

    @classmethod
    def from_weights(cls, W: Floats, n_classes: int, *, keep: str, l1: bool) -> "OptimiserState":
        """State of a run that starts at the weights W, whose array it uses."""
        nothing = np.zeros((0, W.shape[1]))
        return cls(
            W=W,
            weighted_update_sum=np.zeros_like(W) if keep == "average" else nothing,
            pocket=W.copy() if keep == "pocket" else nothing,
            aux=np.zeros_like(W) if l1 else nothing,
            counts=np.zeros(n_classes, np.int64),
            counters=np.zeros(5, np.int64),
            sums=np.array([0.0, 1.0, 0.0]),
        )

    def copy(self) -> "OptimiserState":
        """The same state in arrays of its own."""
        return OptimiserState._make(part.copy() for part in self)

    def zeros(self, n_outputs: int, n_classes: int) -> "OptimiserState":
        """State of a run of the same kind that starts at zero weights."""
        W = np.zeros((n_outputs, self.W.shape[1]))
        return OptimiserState.from_weights(W, n_classes, keep=self.keep, l1=len(self.aux) > 0)

    def copied_into(self, fresh: "OptimiserState", places: Array) -> "OptimiserState":
        """A fresh state of more classes, with this one copied to the places of its classes."""
        if not len(fresh.aux):
            self.apply_penalties()
        for old, new in zip(self[:4], fresh[:4], strict=True):
            if len(old) and len(new) and len(places) > 1:  # weights of a single class are all zero
                height = len(new) // len(fresh.W)  # rows an output
                outputs = new.reshape(len(fresh.W), height, new.shape[1])
                of_each = old.reshape(len(self.W), *outputs.shape[1:])
                outputs[places] = [-of_each[0], of_each[0]] if len(of_each) == 1 else of_each
        fresh.counts[places] = self.counts
        aux = fresh.aux if len(self.aux) else self.aux
        return fresh._replace(aux=aux, counters=self.counters, sums=self.sums)

    @property
    def keep(self) -> str:
        """Weights that the run keeps: "average", "pocket" or "last"."""
        if len(self.weighted_update_sum):
            return "average"
        return "pocket" if len(self.pocket) else "last"

    def is_finite(self) -> bool:
        """Whether all weights are finite."""
        parts = (self.W, self.weighted_update_sum, self.pocket)
        return all(bool(np.isfinite(part).all()) for part in parts if len(part))

    def has_diverged(self) -> bool:
        """Whether weights are not finite, or errors so large that ±1 is lost to rounding."""
        return not (self.sums[LOSS] < MAX_STREAM_LOSS and self.is_finite())

    def restore(self, earlier: "OptimiserState") -> None:
        """Go back to an earlier state."""
        for part, before in zip(self, earlier, strict=True):
            part[...] = before

    def restart_from(self, W: Floats) -> None:
        """Set the last and the average weights to W, and the loss to zero."""
        self.W[...] = W
        self.weighted_update_sum[...] = 0.0
        self.sums[LOSS] = 0.0

    def last(self) -> Floats:
        """Weights after the last sample, penalties applied."""
        W = self.W.copy()
        w, penalty, scale = W[:, :-1], self.sums[L1_PENALTY], self.sums[SCALE]
        if penalty > 0.0:  # as `apply_cumulative_l1` of kernels/rows.py has it
            applied = self.aux[:, :-1]
            below = np.minimum(0.0, w + (penalty - applied))
            w[...] = np.where(w > 0.0, np.maximum(0.0, w - (penalty + applied)), below)
        if scale != 1.0:
            w *= scale
        return W

    def apply_penalties(self) -> None:
        """Apply the pending penalties to the weights, before a run goes on without penalties."""
        if self.sums[SCALE] != 1.0 or self.sums[L1_PENALTY] > 0.0:
            self.W[...] = self.last()
            self.aux[...] = 0.0
            self.sums[SCALE], self.sums[L1_PENALTY] = 1.0, 0.0

    def average(self) -> Floats:
        """Average of the weights after each sample."""
        return np.subtract(self.W, self.weighted_update_sum / max(1, int(self.counters[ROWS])))

    def pocket_weights(self) -> Floats:
        """Weights of the longest run of correct samples, the current run included."""
        run = self.counters[ROWS] - self.counters[LAST_MISTAKE]
        return (self.W if run > self.counters[LONGEST_RUN] else self.pocket).copy()

    def kept(self) -> Floats:
        """Weights chosen by `keep`."""
        if self.keep == "average":
            return self.average()
        return self.pocket_weights() if self.keep == "pocket" else self.last()

    def keep_in_pocket(self, W: Floats) -> None:
        """Put W into the pocket; only a longer run of correct samples replaces it."""
        counters = self.counters
        counters[LONGEST_RUN] = max(counters[LONGEST_RUN], counters[ROWS] - counters[LAST_MISTAKE])
        counters[LAST_MISTAKE] = counters[ROWS]
        self.pocket[:] = W
