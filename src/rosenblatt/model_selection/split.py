"""Which rows judge a model: by their numbers and a seed alone, so that files need no copy."""

from collections.abc import Callable

import numpy as np

from rosenblatt.types import Array, Ints

TEST_SHARE = 0.2
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # of SplitMix64
STEP = np.uint64(0x9E3779B97F4A7C15)


def held_out(seed: int, share: float = TEST_SHARE) -> Callable[[Ints], Array]:
    """A rule that holds out a share of the rows, each by its number."""
    limit = np.uint64(int(share * 2.0**64))

    def chosen(rows: Ints) -> Array:
        return _mixed(rows, seed) < limit

    return chosen


def kept(chosen: Callable[[Ints], Array]) -> Callable[[Ints], Array]:
    """The rule that chooses the other rows."""
    return lambda rows: ~chosen(rows)


def folds_of(codes: Ints, n_folds: int, seed: int) -> Ints:
    """Fold of each row: those of a class are dealt out in turn, in an order drawn by the seed."""
    folds = np.empty(len(codes), np.int64)
    order = np.argsort(_mixed(np.arange(len(codes)), seed), kind="stable")
    by_class = order[np.argsort(codes[order], kind="stable")]
    folds[by_class] = np.arange(len(codes)) % n_folds
    return folds


def _mixed(rows: Ints, seed: int) -> Array:
    """A number without a pattern for each row."""
    start = np.uint64((seed * 1_000_003 + 1) % 2**64)
    z = (rows.astype(np.uint64) + start) * STEP
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))
