"""Look-ahead: a second thread scores the next samples while the first learns from these.

While one thread learns from a span of samples, another looks for the first sample of the next span
that has a loss at the present weights. If the first span changed nothing, the samples up to there
were scored by the weights they would have met, and are skipped; if it changed anything, the look
ahead is discarded. So the weights are the same, bit for bit, as those of one thread. It pays where
mistakes are rare.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rosenblatt.data.shuffle import ORDER_ROWS, SampleOrder
from rosenblatt.data.training_data import TrainingData, row_bytes
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import (
    FOUR,
    ONE,
    UINT,
    Rows,
    clear4,
    dot,
    in_groups,
    n_cols,
    prefetch_item,
    prefetch_row,
)
from rosenblatt.losses.margin_losses import flat_beyond
from rosenblatt.online.dispatch import run_epoch
from rosenblatt.online.sample_loop import four, positive_bits, score_four
from rosenblatt.online.state import ROWS, UPDATES, OptimiserState
from rosenblatt.online.update import ALL_FINITE, Rule, signed, worst_margin
from rosenblatt.types import Floats

SPAN_BYTES = 8 * 1024 * 1024  # much less is read before another thread has started
MAX_PLAN_PARTS = 16


def plan_rows(rows: Rows) -> int:
    """How many rows an order has to hold for some spans to fit in."""
    wanted = 4 * SPAN_BYTES // (max(1, row_bytes(rows)) * ORDER_ROWS)
    return ORDER_ROWS * max(1, min(MAX_PLAN_PARTS, wanted))


class LookAhead:
    """Runs epochs like `run_epoch`, with a second thread that looks ahead while nothing changes."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._quiet = True  # whether the last span changed nothing, so that looking ahead may pay

    def run_epoch(
        self, data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState
    ) -> int:
        """Learn from each sample once; the position of one that is not finite, or −1."""
        counters, n = state.counters, len(sampling.order)
        span = max(64, SPAN_BYTES // max(1, row_bytes(data.rows)))
        place = 0
        while place < n:
            middle, stop = min(place + span, n), min(place + 2 * span, n)
            look = None
            if self._quiet and middle < stop:
                next_span = sampling.part(middle, stop)
                kernel = first_loss_one if len(state.W) == 1 else first_loss
                look = self._pool.submit(kernel, data, next_span, rule, state.W)
            before = counters[UPDATES]
            bad = run_epoch(data, sampling.part(place, middle), rule, state)
            correct_rows = 0 if look is None else look.result()
            if bad != ALL_FINITE:
                return place + bad
            self._quiet = bool(counters[UPDATES] == before)
            place = middle
            if self._quiet:  # the look was at the very weights these rows meet
                place += correct_rows
                counters[ROWS] += correct_rows
        return ALL_FINITE


@njit(cache=True, nogil=True)
def first_loss(data: TrainingData, sampling: SampleOrder, rule: Rule, W: Floats) -> int:
    """Position of the first sample that has a loss, or no finite score, at the weights W."""
    X, codes = data.rows, data.codes
    order, prefetch = sampling
    n_units, n_samples, d = len(W), len(order), n_cols(data.rows)
    products, scores = np.empty((n_units, 4)), np.empty(n_units)
    for first in range(0, n_samples, 4):
        whole = first + 4 <= n_samples
        if whole:
            score_four(X, four(order, first), four(prefetch, first), W, products)
        for b in range(min(4, n_samples - first)):
            i = order[first + b]
            for k in range(n_units):
                product = products[k, b] if whole else dot(X, i, W[k])
                scores[k] = product + rule.bias * W[k, d]
            if not flat_beyond(rule.loss) < worst_margin(scores, codes[i], rule) < np.inf:
                return first + b
    return n_samples


@njit(cache=True, nogil=True)
def first_loss_one(data: TrainingData, sampling: SampleOrder, rule: Rule, W: Floats) -> int:
    """The same for a single unit, without arrays of scores."""
    X, codes, _, _ = data
    order, prefetch = sampling
    w, bias, safe = W[0], rule.bias * W[0, -1], flat_beyond(rule.loss)
    n_samples, place = UINT(len(order)), UINT(0)
    while in_groups(X) and place + FOUR <= n_samples:
        now = four(order, place)
        prefetch_item(codes, prefetch[place])
        levels, positive = (bias, safe), positive_bits(now, codes)
        clear, _ = clear4(X, now, w, four(prefetch, place), levels, positive)
        if clear < FOUR:
            return int(place + UINT(clear))
        place += FOUR  # not by what was counted: the next four are begun before that is known
    while place < n_samples:
        prefetch_row(X, prefetch[place])
        margin = signed(dot(X, order[place], w) + bias, codes[UINT(order[place])])
        if not safe < margin < np.inf:
            break
        place += ONE
    return int(place)
