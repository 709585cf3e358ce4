"""Splits of the rows: hold-outs by row number and seed alone, stratified folds, stratified orders.

A hold-out by row number needs no second copy of a file that is read in chunks.
"""

from collections.abc import Callable

import numpy as np

from rosenblatt.data.labels import classes_of
from rosenblatt.errors import DataError
from rosenblatt.types import Array, Ints

TEST_SHARE = 0.2
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # of SplitMix64
STEP = np.uint64(0x9E3779B97F4A7C15)


def held_out(seed: int, share: float = TEST_SHARE) -> Callable[[Ints], Array]:
    """A predicate of row numbers that holds for a random share of them: the hold-out."""
    limit = np.uint64(int(share * 2.0**64))

    def chosen(rows: Ints) -> Array:
        return _hash(rows, seed) < limit

    return chosen


def kept(chosen: Callable[[Ints], Array]) -> Callable[[Ints], Array]:
    """The predicate of the other rows."""
    return lambda rows: ~chosen(rows)


def folds_of(codes: Ints, n_folds: int, seed: int) -> Ints:
    """The fold of each row, stratified: every class is dealt out over the folds in random order."""
    folds = np.empty(len(codes), np.int64)
    order = np.argsort(_hash(np.arange(len(codes)), seed), kind="stable")
    by_class = order[np.argsort(codes[order], kind="stable")]
    folds[by_class] = np.arange(len(codes)) % n_folds
    return folds


def stratified_k_fold(codes: Array, n_folds: int, seed: int) -> Array:
    """The fold of each row, as scikit-learn's `StratifiedKFold` with `shuffle` has it."""
    rng, folds = np.random.RandomState(seed), np.empty(len(codes), np.intp)
    _, firsts = np.unique(codes, return_index=True)
    done = 0
    for code in codes[np.sort(firsts)]:
        rows = np.flatnonzero(codes == code)
        dealt = np.sort(np.arange(done, done + len(rows)) % n_folds)
        rng.shuffle(dealt)
        folds[rows] = dealt
        done += len(rows)
    return folds


def stratified_order(codes: Array, rng: np.random.RandomState) -> Ints:
    """A stratified order of the rows: every part of it has the classes by their shares.

    One row of each class comes first of all.
    """
    places = np.empty(len(codes))
    for code in classes_of(codes):
        own = rng.permutation(np.flatnonzero(codes == code))
        places[own] = (np.arange(len(own)) + rng.uniform()) / len(own)
        places[own[0]] = -1.0
    return np.argsort(places, kind="stable")


def split_order(order: Ints, test_share: float) -> tuple[Ints, Ints]:
    """Training and test rows: the first and the last of an order."""
    n_train = len(order) - round(test_share * len(order))
    if not 0 < n_train < len(order):
        raise DataError(
            f"A test share of {test_share:g} of {len(order)} rows leaves no rows for training or"
            " none for the test. Choose another share, or give more rows."
        )
    return order[:n_train], order[n_train:]


def _hash(rows: Ints, seed: int) -> Array:
    """A pseudo-random number for each row, by SplitMix64."""
    start = np.uint64((seed * 1_000_003 + 1) % 2**64)
    z = (rows.astype(np.uint64) + start) * STEP
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))
