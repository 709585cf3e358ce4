"""Correct after every sample: the perceptron's walk through the rows, and its relatives.

For each row (x, y) in the order of the visit, with (x, 1) and the bias inside w:

* one unit, or one a class against the rest:  m = y (w·x);       w ← w + τ y x
* Kesler's construct:                         m = w_y·x − w_r·x;  w_y ← w_y + τ x, w_r ← w_r − τ x

where r is the highest-scoring wrong class (ties to the lowest), and τ follows from the loss at m
(rules/losses.py, rules/steps.py). Rows are scored four at a time against the same weights; once a
row of the four has changed them, the rest are scored again, so grouping changes no bit.

A walk ends early at a row whose score is not a finite number, and gives its place in the order
(−1: none): that is how NaN and infinity in the data are found without another pass over it.
"""

import numpy as np

from rosenblatt.arrays import Array, Codes, Floats, Ints
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import (
    FOUR,
    ONE,
    THREE,
    TWO,
    UINT,
    Four,
    Rows,
    clear4,
    dot,
    dot4,
    fetch_item,
    fetch_row,
    fetch_start,
    in_groups,
    n_cols,
    rough_dot4,
    screens,
    truncate,
)
from rosenblatt.data.visits import Visit
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.losses import flat_beyond
from rosenblatt.rules.steps import rate
from rosenblatt.solvers.correct import (
    ALL_FINITE,
    Rule,
    Sample,
    added_length,
    balance,
    correct,
    correct_all,
    move,
    signed,
)
from rosenblatt.solvers.memory import (
    LAST_MISTAKE,
    LONGEST_RUN,
    LOSS,
    MISTAKES,
    OWED,
    ROWS,
    SCALE,
    UPDATES,
    Memory,
)
from rosenblatt.solvers.screen import best_other, cast_shadow, doubt, follow, lengths_of, rough_four

SOON, FAR = UINT(3), UINT(32)  # visits ahead at which the parts of a sparse row are asked for


@njit(cache=True, nogil=True)
def walk_one(problem: Problem, visit: Visit, rule: Rule, memory: Memory) -> int:
    """Walk with a single unit and no penalty: the perceptron as the lectures write it."""
    # records are unpacked once: handing a whole one on costs more than an update
    X, codes, weights, class_weights = problem
    order, fetch = visit
    W, late, pocket, _, counts, clock, sums = memory
    w, late_w = W[0], late[0] if len(late) > 0 else W[0]
    n_visits, safe = UINT(len(order)), flat_beyond(rule.loss)
    place = UINT(0)
    while place < n_visits:
        bias, seen = rule.bias * w[-1], ONE
        if in_groups(X) and safe < np.inf and place + FOUR <= n_visits:
            now = four(order, place)
            fetch_item(codes, fetch[place])
            levels, positive = (bias, safe), ones_of(now, codes)
            clear, score = clear4(X, now, w, four(fetch, place), levels, positive)
            if clear == FOUR and not rule.balanced:
                place += FOUR
                continue
            seen = min(UINT(clear) + ONE, FOUR)
            margin = signed(score, codes[UINT(order[place + seen - ONE])])
        else:
            if fetch[place] != order[place]:
                last = n_visits - ONE
                fetch_row(X, fetch[place])
                if order[min(place + ONE, last)] != order[place] + 1:  # not in file order
                    fetch_start(X, fetch[min(place + FAR, last)])
                    fetch_row(X, order[min(place + SOON, last)])
                    fetch_item(codes, fetch[place])
            margin = signed(dot(X, order[place], w) + bias, codes[UINT(order[place])])
        if not np.isfinite(margin):
            return int(place + seen - ONE)
        if rule.balanced:
            for c in range(place, place + seen):
                counts[codes[order[c]]] += 1
        place += seen
        if margin > safe:
            continue
        i = order[place - ONE]
        n = clock[ROWS] + np.int64(place)
        weight = weights[i] * class_weights[codes[i]] * balance(rule, counts, codes[i], n)
        sample = Sample(codes[i], weight, n, added_length(X, i, rule))
        if not np.isfinite(sample.length):
            return int(place - ONE)
        amount, loss = correct(margin, sample, rule)
        sums[LOSS] += loss
        if margin <= 0.0 and weight > 0.0 and book_mistakes(1, n, clock) and len(pocket) > 0:
            copy_into(pocket, W)
        if amount != 0.0:
            change = signed(amount, codes[i])
            move(X, i, change, rule.bias, w)
            if len(late) > 0:
                move(X, i, (n - 1) * change, rule.bias, late_w)
            clock[UPDATES] += 1
    clock[ROWS] += len(order)
    return ALL_FINITE


@njit(cache=True, nogil=True, forceinline=True)
def ones_of(rows: Four, codes: Codes) -> int:
    """A bit for each of four rows of two classes: whether it is of the second."""
    ones = int(codes[UINT(rows[0])]) | int(codes[UINT(rows[1])]) << 1
    return ones | int(codes[UINT(rows[2])]) << 2 | int(codes[UINT(rows[3])]) << 3


@njit(cache=True, nogil=True)
def walk_many(problem: Problem, visit: Visit, rule: Rule, memory: Memory) -> int:
    """Walk with any number of units, all classes in one pass, penalties included."""
    X, codes, weights, class_weights = problem
    order, fetch = visit
    W, late, pocket, paid, counts, clock, sums = memory
    n_units, d, n_visits = len(W), n_cols(X), len(order)
    ahead, lengths = np.empty((n_units, 4)), np.empty(4)
    scores, amounts = np.empty(n_units), np.empty(n_units)
    stale = np.empty(n_units, np.bool_)
    penalised = rule.l1 > 0.0 or rule.l2 > 0.0
    screening = screens(X) and rule.kesler and not penalised
    in_fours = rule.l1 == 0.0 and flat_beyond(rule.loss) < np.inf
    shadow = cast_shadow(W if screening else W[:0])
    for first in range(0, n_visits, 4):
        whole = first + 4 <= n_visits and in_fours
        mark(stale, screening or not whole)
        if whole and screening:
            rough_four(X, four(order, first), four(fetch, first), shadow.W, ahead)
            lengths[0], lengths[1], lengths[2], lengths[3] = lengths_of(X, four(order, first))
        elif whole:
            score_four(X, four(order, first), four(fetch, first), W, ahead)
        for b in range(min(4, n_visits - first)):
            i = order[first + b]
            own, bar = codes[i], -np.inf
            if rule.l1 > 0.0:
                for k in range(n_units):
                    truncate(X, i, W[k], (sums[OWED], paid[k]))
            if whole and screening:
                other = best_other(ahead, b, own, W, rule.bias)
                margin = ahead[own, b] + rule.bias * W[own, d] - other
                error = doubt(lengths[b], d, shadow.lengths)
                if flat_beyond(rule.loss) + error < margin < np.inf:
                    if rule.balanced:
                        counts[own] += 1
                    continue
                bar = other - error
            for k in range(n_units):
                if k != own and ahead[k, b] + rule.bias * W[k, d] < bar:
                    scores[k] = -np.inf  # surely no rival
                    continue
                product = dot(X, i, W[k]) if stale[k] else ahead[k, b]
                scores[k] = sums[SCALE] * product + rule.bias * W[k, d]
            if not np.isfinite(scores[own if rule.kesler else 0]):
                return first + b
            if rule.balanced:
                counts[codes[i]] += 1
            n = clock[ROWS] + first + b + 1
            weight = weights[i] * class_weights[codes[i]] * balance(rule, counts, codes[i], n)
            sample = Sample(codes[i], weight, n, added_length(X, i, rule))
            if not np.isfinite(sample.length):
                return first + b
            mistakes, loss = correct_all(scores, sample, rule, amounts)
            sums[LOSS] += loss
            if mistakes > 0 and book_mistakes(mistakes, n, clock) and len(pocket) > 0:
                copy_into(pocket, W)
            if penalised:
                decay(rate(rule.step, rule.eta, sample.n), rule, W, paid, sums)
                mark(stale, True)  # noqa: FBT003
            for k in range(n_units):
                if amounts[k] != 0.0:
                    move(X, i, amounts[k] / sums[SCALE], rule.bias * sums[SCALE], W[k])
                    if len(late) > 0:
                        move(X, i, (sample.n - 1) * amounts[k], rule.bias, late[k])
                    clock[UPDATES] += 1
                    stale[k] = True
                    if whole and screening:
                        follow(W, k, shadow)
                        now = four(order, first)
                        ahead[k, 0], ahead[k, 1], ahead[k, 2], ahead[k, 3] = rough_dot4(
                            X, now, shadow.W[k], None
                        )
    clock[ROWS] += n_visits
    return ALL_FINITE


@njit(cache=True, nogil=True, forceinline=True)
def score_four(X: Rows, now: Four, later: Four, W: Floats, ahead: Floats) -> None:
    """Products of four rows with every unit."""
    ahead[0, 0], ahead[0, 1], ahead[0, 2], ahead[0, 3] = dot4(X, now, W[0], later)
    for k in range(1, len(W)):
        ahead[k, 0], ahead[k, 1], ahead[k, 2], ahead[k, 3] = dot4(X, now, W[k], None)


@njit(cache=True, nogil=True, forceinline=True)
def book_mistakes(mistakes: int, n: int, clock: Ints) -> bool:
    """Count mistakes at the n-th row; tell whether it ended the longest run of correct rows."""
    run = n - 1 - clock[LAST_MISTAKE]
    clock[LAST_MISTAKE] = n
    clock[MISTAKES] += mistakes
    if run <= clock[LONGEST_RUN]:
        return False
    clock[LONGEST_RUN] = run
    return True


@njit(cache=True, nogil=True, forceinline=True)
def decay(eta: float, rule: Rule, W: Floats, paid: Floats, sums: Floats) -> None:
    """Shrink all weights but the bias by the l2 penalty of one row, at the cost of one number.

    The l1 penalty of the row is only noted as owed: each weight pays before its feature is scored
    again (Tsuruoka, Tsujii and Ananiadou 2009), or else when the weights are asked for. What is
    owed shrinks with the weights, so that it does not matter when it is paid.
    """
    sums[SCALE] *= max(0.0, 1.0 - eta * rule.l2)
    if sums[SCALE] < 1e-9:  # before the scale runs out of digits, move it into the weights
        shrink(W, sums[SCALE])
        shrink(paid, sums[SCALE])
        sums[OWED] *= sums[SCALE]
        sums[SCALE] = 1.0
    sums[OWED] += eta * rule.l1 / sums[SCALE]


@njit(cache=True, nogil=True)
def shrink(W: Floats, scale: float) -> None:
    """Multiply all weights but the bias."""
    for k in range(len(W)):
        for j in range(W.shape[1] - 1):
            W[k, j] *= scale


# plain loops: an array expression takes longer to compile than the whole walk around it


@njit(cache=True, nogil=True)
def copy_into(target: Floats, W: Floats) -> None:
    """Copy weights."""
    for k in range(len(W)):
        for j in range(W.shape[1]):
            target[k, j] = W[k, j]


@njit(cache=True, nogil=True, forceinline=True)
def mark(flags: Array, value: bool) -> None:  # noqa: FBT001
    """Set all flags."""
    for k in range(len(flags)):
        flags[k] = value


@njit(cache=True, nogil=True, forceinline=True)
def four(rows: Ints, first: int) -> Four:
    """Four consecutive entries of an order."""
    place = UINT(first)
    return rows[place], rows[place + ONE], rows[place + TWO], rows[place + THREE]
