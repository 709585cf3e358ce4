"""The epoch loops of online learning: one update after every sample.

For each sample (x, y) in the order of the epoch, with (x, 1) and the intercept inside w:

* two classes, or one class against the rest: m = y (w·x);       w ← w + τ y x
* Kesler's construct:                         m = w_y·x − w_r·x;  w_y ← w_y + τ x, w_r ← w_r − τ x

where r is the highest-scoring wrong class (ties to the lowest), and τ follows from the loss at m
(losses/margin_losses.py, online/algorithms.py). Rows are scored four at a time at the same weights;
once a row of the four has changed them, the others are scored again, so grouping changes no bit.

An epoch ends early at a row whose score is not finite, and returns its position in the order (−1:
none). So NaN and infinity in the data are found without another pass over them.
"""

import numpy as np

from rosenblatt.data.shuffle import SampleOrder
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import (
    FOUR,
    ONE,
    THREE,
    TWO,
    UINT,
    Four,
    Rows,
    apply_l1,
    can_screen,
    dot,
    dot4,
    dot4_float32,
    in_groups,
    n_cols,
    prefetch_item,
    prefetch_row,
    prefetch_start,
)
from rosenblatt.losses.margin_losses import flat_beyond
from rosenblatt.online.algorithms import learning_rate
from rosenblatt.online.pair_loop import (
    best_rival_score,
    error_bound,
    float32_products,
    norm_bounds,
    round_output,
    round_weights,
)
from rosenblatt.online.state import (
    L1_PENALTY,
    LAST_MISTAKE,
    LONGEST_RUN,
    LOSS,
    MISTAKES,
    ROWS,
    SCALE,
    UPDATES,
    OptimiserState,
)
from rosenblatt.online.update import (
    ALL_FINITE,
    Rule,
    Sample,
    add_row,
    balanced_weight,
    signed,
    update,
    update_all,
    update_squared_norm,
)
from rosenblatt.types import Array, Codes, Floats, Ints

# prefetch distances of a sparse row and of its entry in indptr, in samples
ROW_DISTANCE, INDPTR_DISTANCE = UINT(3), UINT(32)


@njit(cache=True, nogil=True)
def binary_epoch(
    data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState
) -> int:
    """Train one weight vector without a penalty; position of the first row not finite, or −1."""
    # records are unpacked once: passing a whole one on costs more than an update
    X, codes, weights, class_weights = data
    order, prefetch = sampling
    W, weighted_update_sum, pocket, _, counts, counters, sums = state
    w, weighted_update_sum_w = (
        W[0],
        weighted_update_sum[0] if len(weighted_update_sum) > 0 else W[0],
    )
    n_samples, safe = UINT(len(order)), flat_beyond(rule.loss)
    place = UINT(0)
    while place < n_samples:
        constant, seen = rule.constant * w[-1], ONE
        if in_groups(X) and safe < np.inf and place + FOUR <= n_samples:
            now = four(order, place)
            prefetch_item(codes, prefetch[place])
            products = dot4(X, now, w, four(prefetch, place))
            first, margin = first_with_loss(products, now, codes, constant, safe)
            if first == FOUR and not rule.balanced:
                place += FOUR
                continue
            seen = min(UINT(first) + ONE, FOUR)
        else:
            if prefetch[place] != order[place]:
                last = n_samples - ONE
                prefetch_row(X, prefetch[place])
                if order[min(place + ONE, last)] != order[place] + 1:  # not in file order
                    prefetch_start(X, prefetch[min(place + INDPTR_DISTANCE, last)])
                    prefetch_row(X, order[min(place + ROW_DISTANCE, last)])
                    prefetch_item(codes, prefetch[place])
            margin = signed(dot(X, order[place], w) + constant, codes[UINT(order[place])])
        if not np.isfinite(margin):
            return int(place + seen - ONE)
        if rule.balanced:
            for c in range(place, place + seen):
                counts[codes[order[c]]] += 1
        place += seen
        if margin > safe:
            continue
        i = order[place - ONE]
        n = counters[ROWS] + np.int64(place)
        weight = weights[i] * class_weights[codes[i]] * balanced_weight(rule, counts, codes[i], n)
        sample = Sample(codes[i], weight, n, update_squared_norm(X, i, rule))
        if not np.isfinite(sample.squared_norm):
            return int(place - ONE)
        amount, loss = update(margin, sample, rule)
        sums[LOSS] += loss
        if margin <= 0.0 and weight > 0.0 and count_mistakes(1, n, counters) and len(pocket) > 0:
            copy_into(pocket, W)
        if amount != 0.0:
            change = signed(amount, codes[i])
            add_row(X, i, change, rule.constant, w)
            if len(weighted_update_sum) > 0:
                add_row(X, i, (n - 1) * change, rule.constant, weighted_update_sum_w)
            counters[UPDATES] += 1
    counters[ROWS] += len(order)
    return ALL_FINITE


@njit(cache=True, nogil=True, forceinline=True)
def first_with_loss(
    products: tuple[float, ...], rows: Four, codes: Codes, constant: float, safe: float
) -> tuple[int, float]:
    """Index and margin of the first of four rows with a loss, or with a margin not finite.

    Above the margin `safe` there is no loss. If no row has one: 4, and the margin of the last.
    """
    margin = 0.0
    for r in range(4):
        margin = signed(products[r] + constant, codes[UINT(rows[r])])
        if not safe < margin < np.inf:
            return r, margin
    return 4, margin


@njit(cache=True, nogil=True)
def multiclass_epoch(
    data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState
) -> int:
    """Train any number of weight vectors, with penalties; see `binary_epoch`."""
    X, codes, weights, class_weights = data
    order, prefetch = sampling
    W, weighted_update_sum, pocket, l1_applied, counts, counters, sums = state
    n_outputs, d, n_samples = len(W), n_cols(X), len(order)
    products, row_norms = np.empty((n_outputs, 4)), np.empty(4)
    scores, amounts = np.empty(n_outputs), np.empty(n_outputs)
    stale = np.empty(n_outputs, np.bool_)
    penalised = rule.l1 > 0.0 or rule.l2 > 0.0
    screening = can_screen(X) and rule.kesler and not penalised
    in_fours = rule.l1 == 0.0 and flat_beyond(rule.loss) < np.inf
    W_float32 = round_weights(W if screening else W[:0])
    for first in range(0, n_samples, 4):
        whole = first + 4 <= n_samples and in_fours
        set_all(stale, screening or not whole)
        if whole and screening:
            float32_products(X, four(order, first), four(prefetch, first), W_float32.W, products)
            row_norms[0], row_norms[1], row_norms[2], row_norms[3] = norm_bounds(
                X, four(order, first)
            )
        elif whole:
            score_four(X, four(order, first), four(prefetch, first), W, products)
        for b in range(min(4, n_samples - first)):
            i = order[first + b]
            own, rival_bound = codes[i], -np.inf
            if rule.l1 > 0.0:
                for k in range(n_outputs):
                    apply_l1(X, i, W[k], (sums[L1_PENALTY], l1_applied[k]))
            if whole and screening:
                other = best_rival_score(products, b, own, W, rule.constant)
                margin = products[own, b] + rule.constant * W[own, d] - other
                error = error_bound(row_norms[b], d, W_float32.norms)
                if flat_beyond(rule.loss) + error < margin < np.inf:
                    if rule.balanced:
                        counts[own] += 1
                    continue
                rival_bound = other - error
            for k in range(n_outputs):
                if k != own and products[k, b] + rule.constant * W[k, d] < rival_bound:
                    scores[k] = -np.inf  # certainly not the strongest rival
                    continue
                product = dot(X, i, W[k]) if stale[k] else products[k, b]
                scores[k] = sums[SCALE] * product + rule.constant * W[k, d]
            if not np.isfinite(scores[own if rule.kesler else 0]):
                return first + b
            if rule.balanced:
                counts[codes[i]] += 1
            n = counters[ROWS] + first + b + 1
            weight = (
                weights[i] * class_weights[codes[i]] * balanced_weight(rule, counts, codes[i], n)
            )
            sample = Sample(codes[i], weight, n, update_squared_norm(X, i, rule))
            if not np.isfinite(sample.squared_norm):
                return first + b
            mistakes, loss = update_all(scores, sample, rule, amounts)
            sums[LOSS] += loss
            if mistakes > 0 and count_mistakes(mistakes, n, counters) and len(pocket) > 0:
                copy_into(pocket, W)
            if penalised:
                decay(learning_rate(rule.step, rule.eta, sample.n), rule, W, l1_applied, sums)
                set_all(stale, True)  # noqa: FBT003
            for k in range(n_outputs):
                if amounts[k] != 0.0:
                    add_row(X, i, amounts[k] / sums[SCALE], rule.constant * sums[SCALE], W[k])
                    if len(weighted_update_sum) > 0:
                        add_row(
                            X, i, (sample.n - 1) * amounts[k], rule.constant, weighted_update_sum[k]
                        )
                    counters[UPDATES] += 1
                    stale[k] = True
                    if whole and screening:
                        round_output(W, k, W_float32)
                        now = four(order, first)
                        products[k, 0], products[k, 1], products[k, 2], products[k, 3] = (
                            dot4_float32(X, now, W_float32.W[k], None)
                        )
    counters[ROWS] += n_samples
    return ALL_FINITE


@njit(cache=True, nogil=True, forceinline=True)
def score_four(X: Rows, now: Four, later: Four, W: Floats, products: Floats) -> None:
    """Write the products of four rows with every weight vector."""
    products[0, 0], products[0, 1], products[0, 2], products[0, 3] = dot4(X, now, W[0], later)
    for k in range(1, len(W)):
        products[k, 0], products[k, 1], products[k, 2], products[k, 3] = dot4(X, now, W[k], None)


@njit(cache=True, nogil=True, forceinline=True)
def count_mistakes(mistakes: int, n: int, counters: Ints) -> bool:
    """Count mistakes at the n-th sample; return whether they end the longest correct run."""
    run = n - 1 - counters[LAST_MISTAKE]
    counters[LAST_MISTAKE] = n
    counters[MISTAKES] += mistakes
    if run <= counters[LONGEST_RUN]:
        return False
    counters[LONGEST_RUN] = run
    return True


@njit(cache=True, nogil=True, forceinline=True)
def decay(eta: float, rule: Rule, W: Floats, l1_applied: Floats, sums: Floats) -> None:
    """Apply the penalties of one sample: l2 as weight decay, by a scale of all feature weights.

    The l1 penalty is cumulative (Tsuruoka, Tsujii and Ananiadou 2009): it is applied to a weight
    before its feature is scored again, or when the weights are read. The pending penalty is scaled
    with the weights, so that it does not matter when it is applied.
    """
    sums[SCALE] *= max(0.0, 1.0 - eta * rule.l2)
    if sums[SCALE] < 1e-9:  # before the scale underflows, move it into the weights
        shrink(W, sums[SCALE])
        shrink(l1_applied, sums[SCALE])
        sums[L1_PENALTY] *= sums[SCALE]
        sums[SCALE] = 1.0
    sums[L1_PENALTY] += eta * rule.l1 / sums[SCALE]


@njit(cache=True, nogil=True)
def shrink(W: Floats, scale: float) -> None:
    """Multiply all weights except the intercepts."""
    for k in range(len(W)):
        for j in range(W.shape[1] - 1):
            W[k, j] *= scale


# plain loops: an array expression takes longer to compile than the whole epoch loop


@njit(cache=True, nogil=True)
def copy_into(target: Floats, W: Floats) -> None:
    """Copy weights."""
    for k in range(len(W)):
        for j in range(W.shape[1]):
            target[k, j] = W[k, j]


@njit(cache=True, nogil=True, forceinline=True)
def set_all(flags: Array, value: bool) -> None:  # noqa: FBT001
    """Set all flags."""
    for k in range(len(flags)):
        flags[k] = value


@njit(cache=True, nogil=True, forceinline=True)
def four(rows: Ints, first: int) -> Four:
    """Four consecutive entries of an order."""
    place = UINT(first)
    return rows[place], rows[place + ONE], rows[place + TWO], rows[place + THREE]
