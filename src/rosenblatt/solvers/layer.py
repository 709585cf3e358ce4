"""The layer f(W x + b) of lecture 000, trained towards a matrix of targets.

Every output is a unit of its own with the error e = t − f(s): w ← w + η e f′(s) x, row after row,
or summed over a batch (lecture 002, eq. 16). For targets at the ends of the range this is what the
other solvers do with the margin.
"""

import itertools
from collections.abc import Iterator

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Layer, row_bytes
from rosenblatt.data.rows import dot, n_cols, n_rows
from rosenblatt.data.visits import Shape, Visit, visits
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.outputs import value_and_pull
from rosenblatt.rules.steps import NORMALISED, Step, normalised, rate
from rosenblatt.solvers.batch import Gradient, batches, step_down
from rosenblatt.solvers.correct import ALL_FINITE, Rule, added_length, move
from rosenblatt.solvers.memory import LAST_MISTAKE, LOSS, MISTAKES, ROWS, UPDATES, Memory
from rosenblatt.solvers.passes import Size, in_passes
from rosenblatt.solvers.score import scores_of
from rosenblatt.solvers.state import State


def layer_passes(
    layer: Layer, rule: Rule, memory: Memory, *, batch_size: int | None, seed: int | None
) -> Iterator[State]:
    """Train a layer row by row (`batch_size` 1) or in batches: a State after each pass."""
    n, steps = n_rows(layer.rows), itertools.count(1)
    shape = Shape(n, n_cols(layer.rows), row_bytes(layer.rows))

    def row_by_row(number: int) -> None:
        for part in visits(shape, None if seed is None else (seed, number)):
            if walk_layer(layer, part, rule, memory) != ALL_FINITE:
                raise not_finite(layer.rows)

    def in_batches(number: int) -> None:
        for batch in batches(layer, batch_size, None if seed is None else (seed, number)):
            gradient = layer_gradient(batch, rule, memory.W)
            if not step_down(gradient, rule, memory, next(steps), n_rows(batch.rows)):
                raise not_finite(layer.rows)

    if batch_size == 1:
        return in_passes(row_by_row, Size(n, n), rule, memory)
    size = Size(n, float(layer.weights.sum()))
    return in_passes(in_batches, size, rule, memory)


def layer_error(layer: Layer, W: Floats) -> float:
    """Share of the outputs, by weight of their rows, that the weights W put on the wrong side."""
    directions, scores = layer.targets - layer.middle, scores_of(layer.rows, W)
    wrong = (directions != 0) & ((scores >= 0) != (directions > 0))
    return float(np.average(wrong.mean(axis=1), weights=layer.weights))


def layer_gradient(batch: Layer, rule: Rule, W: Floats) -> Gradient:
    """Sum of the corrections the rows of a batch ask for at the weights W, with the step 1."""
    total = np.zeros_like(W)
    whole_step = rule._replace(step=int(Step.CONSTANT), eta=1.0)
    mistakes, loss = sum_layer(batch, whole_step, W, total)
    length = layer_length(batch, rule) if rule.step == NORMALISED else 0.0
    return Gradient(total, mistakes, loss, length)


@njit(cache=True, nogil=True)
def walk_layer(layer: Layer, visit: Visit, rule: Rule, memory: Memory) -> int:
    """Visit rows once and correct every output after each; give the place of one not finite."""
    X, targets, weights, middle = layer
    order, _ = visit
    W, late, _, _, _, clock, sums = memory
    d = n_cols(X)
    for place in range(len(order)):
        i = order[place]
        n = clock[ROWS] + place + 1
        weight, length = weights[i], added_length(X, i, rule)
        for k in range(len(W)):
            score = dot(X, i, W[k]) + rule.bias * W[k, d]
            if not np.isfinite(score) or not np.isfinite(length):
                return place
            if weight == 0.0:
                continue
            value, pull = value_and_pull(rule.loss, targets[i, k], score)
            sums[LOSS] += weight * value
            if is_mistake(targets[i, k] - middle, score):
                clock[MISTAKES] += 1
                clock[LAST_MISTAKE] = n
            if rule.step == NORMALISED:
                amount = normalised(rule.eta * weight, -pull, length)
            else:
                amount = pull * rate(rule.step, rule.eta, n) * weight
            if amount != 0.0:
                move(X, i, amount, rule.bias, W[k])
                if len(late) > 0:
                    move(X, i, (n - 1) * amount, rule.bias, late[k])
                clock[UPDATES] += 1
    clock[ROWS] += len(order)
    return ALL_FINITE


@njit(cache=True, nogil=True)
def sum_layer(layer: Layer, rule: Rule, W: Floats, total: Floats) -> tuple[int, float]:
    """Add the corrections of all rows to `total`; give mistakes and loss (NaN: not finite)."""
    X, targets, weights, middle = layer
    d, mistakes, loss = n_cols(X), 0, 0.0
    for i in range(len(weights)):
        for k in range(len(W)):
            score = dot(X, i, W[k]) + rule.bias * W[k, d]
            if not np.isfinite(score):
                return mistakes, np.nan
            if weights[i] == 0.0:
                continue
            value, pull = value_and_pull(rule.loss, targets[i, k], score)
            loss += weights[i] * value
            mistakes += is_mistake(targets[i, k] - middle, score)
            if pull != 0.0:
                move(X, i, pull * weights[i], rule.bias, total[k])
    return mistakes, loss


@njit(cache=True, nogil=True)
def layer_length(layer: Layer, rule: Rule) -> float:
    """Sum of ‖(x, bias)‖² over the rows, by weight."""
    X, _, weights, _ = layer
    total = 0.0
    for i in range(len(weights)):
        total += weights[i] * added_length(X, i, rule)
    return total


@njit(cache=True, nogil=True, forceinline=True)
def is_mistake(direction: float, score: float) -> bool:
    """Whether a score does not lie where its target wants it; a target in the middle wants none."""
    return direction * score <= 0.0 and direction != 0.0
