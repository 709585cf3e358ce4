"""A single-layer network f(W x + b) with several outputs, trained on a matrix of targets.

Every output has weights of its own and the error e = t − f(s): w ← w + η e f′(s) x, row by row, or
summed over a batch (lecture 002, eq. 16). For targets at the ends of the range this is what the
other solvers do with the margin.
"""

import itertools
from collections.abc import Iterator

import numpy as np

from rosenblatt.data.shuffle import SampleOrder, Shape, sample_orders
from rosenblatt.data.training_data import MultiOutputData, row_bytes
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import dot, n_cols, n_rows
from rosenblatt.linalg.scores import scores_of
from rosenblatt.losses.margin_losses import value_and_negative_gradient
from rosenblatt.online.algorithms import NORMALISED, Step, learning_rate, normalised_step
from rosenblatt.online.epochs import EpochSize, Gradient, batches, epoch_results, step_down
from rosenblatt.online.result import EpochResult
from rosenblatt.online.state import LAST_MISTAKE, LOSS, MISTAKES, ROWS, UPDATES, OptimiserState
from rosenblatt.online.update import ALL_FINITE, Rule, add_row, update_squared_norm
from rosenblatt.types import Floats


def multi_output_epochs(
    layer: MultiOutputData,
    rule: Rule,
    state: OptimiserState,
    *,
    batch_size: int | None,
    seed: int | None,
) -> Iterator[EpochResult]:
    """Results of training sample by sample (`batch_size` 1) or in batches, one an epoch."""
    n, steps = n_rows(layer.rows), itertools.count(1)
    shape = Shape(n, n_cols(layer.rows), row_bytes(layer.rows))

    def row_by_row(number: int) -> None:
        for part in sample_orders(shape, None if seed is None else (seed, number)):
            if multi_output_epoch(layer, part, rule, state) != ALL_FINITE:
                raise not_finite(layer.rows)

    def in_batches(number: int) -> None:
        for batch in batches(layer, batch_size, None if seed is None else (seed, number)):
            gradient = multi_output_gradient(batch, rule, state.W)
            if not step_down(gradient, rule, state, next(steps), n_rows(batch.rows)):
                raise not_finite(layer.rows)

    if batch_size == 1:
        return epoch_results(row_by_row, EpochSize(n, n), rule, state)
    size = EpochSize(n, float(layer.weights.sum()))
    return epoch_results(in_batches, size, rule, state)


def multi_output_error(layer: MultiOutputData, W: Floats) -> float:
    """Weighted share of outputs on the wrong side of the middle, at the weights W."""
    directions, scores = layer.targets - layer.middle, scores_of(layer.rows, W)
    wrong = (directions != 0) & ((scores >= 0) != (directions > 0))
    return float(np.average(wrong.mean(axis=1), weights=layer.weights))


def multi_output_gradient(batch: MultiOutputData, rule: Rule, W: Floats) -> Gradient:
    """Negative gradient of the squared error summed over a batch, at the weights W."""
    total = np.zeros_like(W)
    whole_step = rule._replace(step=int(Step.CONSTANT), eta=1.0)
    mistakes, loss = sum_output_gradients(batch, whole_step, W, total)
    squared_norm = sum_of_squared_norms(batch, rule) if rule.step == NORMALISED else 0.0
    return Gradient(total, mistakes, loss, squared_norm)


@njit(cache=True, nogil=True)
def multi_output_epoch(
    layer: MultiOutputData, sampling: SampleOrder, rule: Rule, state: OptimiserState
) -> int:
    """Update every output after each sample; the position of one that is not finite, or −1."""
    X, targets, weights, middle = layer
    order, _ = sampling
    W, weighted_update_sum, _, _, _, counters, sums = state
    d = n_cols(X)
    for place in range(len(order)):
        i = order[place]
        n = counters[ROWS] + place + 1
        weight, squared_norm = weights[i], update_squared_norm(X, i, rule)
        for k in range(len(W)):
            score = dot(X, i, W[k]) + rule.constant * W[k, d]
            if not np.isfinite(score) or not np.isfinite(squared_norm):
                return place
            if weight == 0.0:
                continue
            value, negative_gradient = value_and_negative_gradient(rule.loss, targets[i, k], score)
            sums[LOSS] += weight * value
            if is_mistake(targets[i, k] - middle, score):
                counters[MISTAKES] += 1
                counters[LAST_MISTAKE] = n
            if rule.step == NORMALISED:
                amount = normalised_step(rule.eta * weight, -negative_gradient, squared_norm)
            else:
                amount = negative_gradient * learning_rate(rule.step, rule.eta, n) * weight
            if amount != 0.0:
                add_row(X, i, amount, rule.constant, W[k])
                if len(weighted_update_sum) > 0:
                    add_row(X, i, (n - 1) * amount, rule.constant, weighted_update_sum[k])
                counters[UPDATES] += 1
    counters[ROWS] += len(order)
    return ALL_FINITE


@njit(cache=True, nogil=True)
def sum_output_gradients(
    layer: MultiOutputData, rule: Rule, W: Floats, total: Floats
) -> tuple[int, float]:
    """Mistakes and loss of all rows (NaN: not finite); their gradient is added to `total`."""
    X, targets, weights, middle = layer
    d, mistakes, loss = n_cols(X), 0, 0.0
    for i in range(len(weights)):
        for k in range(len(W)):
            score = dot(X, i, W[k]) + rule.constant * W[k, d]
            if not np.isfinite(score):
                return mistakes, np.nan
            if weights[i] == 0.0:
                continue
            value, negative_gradient = value_and_negative_gradient(rule.loss, targets[i, k], score)
            loss += weights[i] * value
            mistakes += is_mistake(targets[i, k] - middle, score)
            if negative_gradient != 0.0:
                add_row(X, i, negative_gradient * weights[i], rule.constant, total[k])
    return mistakes, loss


@njit(cache=True, nogil=True)
def sum_of_squared_norms(layer: MultiOutputData, rule: Rule) -> float:
    """Weighted sum of ‖(x, constant)‖² over the rows."""
    X, _, weights, _ = layer
    total = 0.0
    for i in range(len(weights)):
        total += weights[i] * update_squared_norm(X, i, rule)
    return total


@njit(cache=True, nogil=True, forceinline=True)
def is_mistake(direction: float, score: float) -> bool:
    """Whether a score is on the wrong side; a target in the middle has no wrong side."""
    return direction * score <= 0.0 and direction != 0.0
