"""Walk two rows at a time where mistakes are frequent: the bits of `walk_one`, without its branch.

A group of four rows that are scored together is scored again after each mistake, and a processor
that foresees "correct" is wrong at each one. So where many rows are mistakes, the perceptron takes
its short dense rows in pairs (data/futures.py), and counts without a branch too.
"""

import numpy as np

from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import CSR, ONE, TWO, UINT, fetch_item, fetch_row, learn_two, n_cols
from rosenblatt.data.visits import Visit
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.losses import PERCEPTRON
from rosenblatt.rules.steps import CLOSING_1, rate
from rosenblatt.solvers.correct import ALL_FINITE, Rule, move, signed
from rosenblatt.solvers.memory import (
    LAST_MISTAKE,
    LONGEST_RUN,
    LOSS,
    MISTAKES,
    ROWS,
    UPDATES,
    Memory,
)

MANY_MISTAKES = 0.25  # of the rows so far: from here on pairs are quicker,
SHORT_ROW = 64  # if rows have no more features than this
SOON = UINT(16)  # visits: a pair fills the processor, so that it never looks ahead by itself
LEAST_ROWS = 1024  # for fewer, no kernel is worth loading


def in_pairs(problem: Problem, visit: Visit, rule: Rule, memory: Memory) -> bool:
    """Whether the rows of a visit are taken quicker in pairs, and every step is known before."""
    if len(visit.order) < LEAST_ROWS or isinstance(problem.rows, CSR):
        return False
    if n_cols(problem.rows) > SHORT_ROW or len(memory.pocket) > 0 or rule.balanced:
        return False
    if rule.loss != PERCEPTRON or rule.step >= CLOSING_1 or rule.eta == 0.0:
        return False
    weighted = problem.weights.strides != (0,) or not problem.class_weights.all()
    many = memory.clock[MISTAKES] > MANY_MISTAKES * memory.clock[ROWS]
    return bool(many and not weighted)


@njit(cache=True, nogil=True)
def walk_pairs(problem: Problem, visit: Visit, rule: Rule, memory: Memory) -> int:
    """Learn from an even number of unweighted rows; give the place of one that is not finite."""
    X, codes, _, class_weights = problem
    order, fetch = visit
    W, late, _, _, _, clock, sums = memory
    w, late_w, loss = W[0], late[0] if len(late) > 0 else W[0], sums[LOSS]
    n, last, longest, mistakes = clock[ROWS], clock[LAST_MISTAKE], clock[LONGEST_RUN], 0
    n_visits = UINT(len(order))
    for place in range(UINT(0), n_visits, TWO):
        now = order[place], order[place + ONE]
        fetch_row(X, fetch[place])
        fetch_row(X, fetch[place + ONE])
        fetch_item(codes, fetch[place])
        if now[1] != now[0] + 1:  # not in file order
            soon = min(place + SOON, n_visits - TWO)
            fetch_row(X, order[soon])
            fetch_row(X, order[soon + ONE])
        own = codes[UINT(now[0])], codes[UINT(now[1])]
        signs = signed(1.0, own[0]), signed(1.0, own[1])
        weights = class_weights[UINT(own[0])], class_weights[UINT(own[1])]
        steps = (
            signs[0] * (rate(rule.step, rule.eta, n + 1) * weights[0]),
            signs[1] * (rate(rule.step, rule.eta, n + 2) * weights[1]),
        )
        margins = learn_two(X, now, signs, steps, rule.bias, w)
        if not (abs(margins[0]) < np.inf and abs(margins[1]) < np.inf):
            return int(place) + int(abs(margins[0]) < np.inf)
        for r in range(2):
            n += 1
            wrong = margins[r] <= 0.0
            loss += weights[r] * max(-margins[r], 0.0)
            longest = max(longest, n - 1 - last) if wrong else longest
            last = n if wrong else last
            mistakes += int(wrong)
            if len(late) > 0 and wrong:
                move(X, now[r], (n - 1) * steps[r], rule.bias, late_w)
    clock[ROWS], clock[LAST_MISTAKE], clock[LONGEST_RUN] = n, last, longest
    clock[MISTAKES] += mistakes
    clock[UPDATES] += mistakes
    sums[LOSS] = loss
    return ALL_FINITE
