"""Choice of the epoch loop for a rule.

Online training in epochs: an endless generator with an `EpochResult` after each.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.shuffle import SampleOrder, Shape, sample_orders
from rosenblatt.data.training_data import TrainingData, row_bytes
from rosenblatt.data.validation import not_finite
from rosenblatt.errors import ParameterError, TooLargeError
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.losses.margin_losses import NEVER_FLAT
from rosenblatt.online.algorithms import SECOND_ORDER
from rosenblatt.online.pair_loop import pairs_are_faster, two_sample_epoch
from rosenblatt.online.result import EpochResult
from rosenblatt.online.sample_loop import binary_epoch, multiclass_epoch
from rosenblatt.online.second_order import second_order_epoch
from rosenblatt.online.state import LOSS, MISTAKES, UPDATES, OptimiserState
from rosenblatt.online.update import ALL_FINITE, Rule


def run_epoch(data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState) -> int:
    """Train on each sample of an order once; position of the first not finite, or −1."""
    if rule.step == SECOND_ORDER:
        return _call(second_order_epoch, data, sampling, rule, state)
    if rule.l1 > 0 and not len(state.aux):
        raise ParameterError(
            "An l1 penalty cannot be added to a stream that began without one. Use a new estimator."
        )
    if rule.l1 == rule.l2 == 0:
        state.apply_penalties()
    if len(state.W) > 1 or rule.l1 > 0 or rule.l2 > 0:
        return _call(multiclass_epoch, data, sampling, rule, state)
    if pairs_are_faster(data, sampling, rule, state):
        even = len(sampling.order) // 2 * 2
        bad = _call(two_sample_epoch, data, sampling.part(0, even), rule, state)
        if bad != ALL_FINITE or even == len(sampling.order):
            return bad
        sampling = sampling.part(even, even + 1)
    return _call(binary_epoch, data, sampling, rule, state)


def _call(
    kernel: Any, data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState
) -> int:
    # numba looks up the class of a named tuple at each call, which takes longer than a short row
    return int(kernel(tuple(data), tuple(sampling), rule, tuple(state)))


def run_epochs(
    data: TrainingData, rule: Rule, state: OptimiserState, *, seed: int | None
) -> Iterator[EpochResult]:
    """Results of training sample by sample, one an epoch, endless.

    A `seed` shuffles every epoch, None keeps the file order. `state` is updated in place.
    """

    def one_epoch(number: int) -> None:
        fit_one_epoch(data, rule, state, None if seed is None else (seed, number))

    n = n_rows(data.rows)
    return epoch_results(one_epoch, EpochSize(n, n), rule, state)


class EpochSize(NamedTuple):
    """Number of rows of an epoch, and the total weight that the mean loss is divided by."""

    rows: int
    weight: float


def epoch_results(
    one_epoch: Callable[[int], None], size: EpochSize, rule: Rule, state: OptimiserState
) -> Iterator[EpochResult]:
    """A result after each epoch; `one_epoch(number)` trains on all rows once.

    Where the steps of a rule may diverge, an epoch that overflows is undone, and its loss is ∞.
    """
    counters, sums = state.counters, state.sums
    for epoch in itertools.count(1):
        before, sums[LOSS] = counters.copy(), 0.0
        if rule.loss < NEVER_FLAT:
            one_epoch(epoch)
        else:
            before_epoch = state.copy()
            if not stays_finite(one_epoch, epoch, state):
                counts = counters[[MISTAKES, UPDATES]]
                state.restore(before_epoch)
                counters[[MISTAKES, UPDATES]], sums[LOSS] = counts, np.inf
        yield EpochResult(
            epoch=epoch,
            rows=size.rows,
            mistakes=int(counters[MISTAKES] - before[MISTAKES]),
            updates=int(counters[UPDATES] - before[UPDATES]),
            loss=float(sums[LOSS]) / size.weight,
            all_mistakes=int(counters[MISTAKES]),
            all_updates=int(counters[UPDATES]),
            last=state.last,
            weights=state.kept,
        )


def stays_finite(one_epoch: Callable[[int], None], number: int, state: OptimiserState) -> bool:
    """Run one more epoch; return whether weights and loss are finite after it."""
    try:
        one_epoch(number)
    except TooLargeError:
        return False
    return bool(np.isfinite(state.sums[LOSS])) and state.is_finite()


def fit_one_epoch(
    data: TrainingData,
    rule: Rule,
    state: OptimiserState,
    shuffle_key: tuple[int, int] | None = None,
) -> None:
    """Train on every sample once, in file order or shuffled by a key (seed, epoch)."""
    rows = data.rows
    shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
    orders = sample_orders(shape, shuffle_key)
    if any(run_epoch(data, part, rule, state) != ALL_FINITE for part in orders):
        raise not_finite(rows)
    if not state.is_finite():
        raise TooLargeError(
            "The weights grew beyond float64. Scale the columns of X, or take smaller steps."
        )
