"""Score rows ahead on a second thread, correct in order: quicker where mistakes are rare.

While one thread walks through a span of rows, another looks for the first row of the next span that
has a loss at the present weights. If the walk changed nothing, the rows up to there were judged by
the very weights they would have met, and are passed over; if it changed anything, the look ahead is
thrown away. So the weights are the same, bit for bit, as those of one thread.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.problem import Problem, row_bytes
from rosenblatt.data.rows import (
    FOUR,
    ONE,
    UINT,
    Rows,
    clear4,
    dot,
    fetch_item,
    fetch_row,
    in_groups,
    n_cols,
)
from rosenblatt.data.visits import PART, Visit
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.losses import flat_beyond
from rosenblatt.solvers.correct import ALL_FINITE, Rule, signed, worst_margin
from rosenblatt.solvers.memory import ROWS, UPDATES, Memory
from rosenblatt.solvers.online import four, ones_of, score_four
from rosenblatt.solvers.walk import walk

SPAN_BYTES = 8 * 1024 * 1024  # much less is read sooner than a thread is told to
MOST_PARTS = 16


def part_for(rows: Rows) -> int:
    """How many rows of a plan are needed at once for some spans to fit in."""
    wanted = 4 * SPAN_BYTES // (max(1, row_bytes(rows)) * PART)
    return PART * max(1, min(MOST_PARTS, wanted))


class LookAhead:
    """Does what `walk` does, with a second thread that looks ahead while nothing changes."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._quiet = True  # whether the last span changed nothing, so that a look may pay

    def walk(self, problem: Problem, visit: Visit, rule: Rule, memory: Memory) -> int:
        """Visit rows once; give the place of a row that is not finite, or −1."""
        clock, n = memory.clock, len(visit.order)
        span = max(64, SPAN_BYTES // max(1, row_bytes(problem.rows)))
        place = 0
        while place < n:
            middle, stop = min(place + span, n), min(place + 2 * span, n)
            look = None
            if self._quiet and middle < stop:
                next_span = visit.part(middle, stop)
                kernel = first_loss_one if len(memory.W) == 1 else first_loss
                look = self._pool.submit(kernel, problem, next_span, rule, memory.W)
            before = clock[UPDATES]
            bad = walk(problem, visit.part(place, middle), rule, memory)
            correct_rows = 0 if look is None else look.result()
            if bad != ALL_FINITE:
                return place + bad
            self._quiet = bool(clock[UPDATES] == before)
            place = middle
            if self._quiet:  # the look was at the very weights these rows meet
                place += correct_rows
                clock[ROWS] += correct_rows
        return ALL_FINITE


@njit(cache=True, nogil=True)
def first_loss(problem: Problem, visit: Visit, rule: Rule, W: Floats) -> int:
    """Place of the first row that has a loss, or no finite score, at the weights W."""
    X, codes = problem.rows, problem.codes
    order, fetch = visit
    n_units, n_visits, d = len(W), len(order), n_cols(problem.rows)
    ahead, scores = np.empty((n_units, 4)), np.empty(n_units)
    for first in range(0, n_visits, 4):
        whole = first + 4 <= n_visits
        if whole:
            score_four(X, four(order, first), four(fetch, first), W, ahead)
        for b in range(min(4, n_visits - first)):
            i = order[first + b]
            for k in range(n_units):
                product = ahead[k, b] if whole else dot(X, i, W[k])
                scores[k] = product + rule.bias * W[k, d]
            if not flat_beyond(rule.loss) < worst_margin(scores, codes[i], rule) < np.inf:
                return first + b
    return n_visits


@njit(cache=True, nogil=True)
def first_loss_one(problem: Problem, visit: Visit, rule: Rule, W: Floats) -> int:
    """Do the same for a single unit, without a detour over arrays."""
    X, codes, _, _ = problem
    order, fetch = visit
    w, bias, safe = W[0], rule.bias * W[0, -1], flat_beyond(rule.loss)
    n_visits, place = UINT(len(order)), UINT(0)
    while in_groups(X) and place + FOUR <= n_visits:
        now = four(order, place)
        fetch_item(codes, fetch[place])
        levels, positive = (bias, safe), ones_of(now, codes)
        clear, _ = clear4(X, now, w, four(fetch, place), levels, positive)
        if clear < FOUR:
            return int(place + UINT(clear))
        place += FOUR  # not by what was counted: the next four are begun before that is known
    while place < n_visits:
        fetch_row(X, fetch[place])
        margin = signed(dot(X, order[place], w) + bias, codes[UINT(order[place])])
        if not safe < margin < np.inf:
            break
        place += ONE
    return int(place)
