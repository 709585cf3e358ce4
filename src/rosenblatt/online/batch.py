"""Mini-batch gradient descent: one update a batch, by the gradient of the sum of its losses.

The gradients of all samples of a batch are taken at the same weights: for the perceptron criterion
w ← w + η Σ y x over the mistakes (lecture 003: the batch is the whole set; lecture 001: B batches),
for an output f = tanh(w·x) w ← w + η Σ e (1 − f²) x (lecture 002, eq. 16). A normalised step
divides η by Σ ‖x‖² over the batch. A sample of weight 2 counts as two samples.
"""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import MultiOutputData, TrainingData
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import dot, n_cols, n_rows
from rosenblatt.online.algorithms import NORMALISED, Step, learning_rate
from rosenblatt.online.epochs import EpochSize, epoch_results
from rosenblatt.online.result import EpochResult
from rosenblatt.online.state import LAST_MISTAKE, LOSS, MISTAKES, ROWS, UPDATES, OptimiserState
from rosenblatt.online.stopping import squared_norms
from rosenblatt.online.update import Rule, Sample, add_row, update_all
from rosenblatt.types import Floats


class Gradient(NamedTuple):
    """Negative gradient summed over some rows, with their mistakes, loss and Σ ‖x‖².

    Σ ‖x‖² is computed for normalised steps only.
    """

    sum: Floats
    mistakes: int
    loss: float
    squared_norm: float

    def __add__(self, other: "Gradient") -> "Gradient":  # type: ignore[override]
        """Gradient of both sets of rows."""
        return Gradient(
            self.sum + other.sum,
            self.mistakes + other.mistakes,
            self.loss + other.loss,
            self.squared_norm + other.squared_norm,
        )


T = TypeVar("T", TrainingData, MultiOutputData)


def batches(samples: T, batch_size: int | None, shuffle_key: tuple[int, int] | None) -> Iterator[T]:
    """Batches of the samples, in file order or shuffled by a key (seed, epoch)."""
    n = n_rows(samples.rows)
    size = n if batch_size is None else batch_size
    if shuffle_key is None or batch_size is None:  # the order does not matter
        for start in range(0, n, size):
            yield samples.part(start, start + size)
        return
    order = np.random.default_rng(shuffle_key).permutation(n)
    for start in range(0, n, size):
        yield samples.take(order[start : start + size])


def batch_epochs(
    data: TrainingData,
    rule: Rule,
    state: OptimiserState,
    *,
    batch_size: int | None,
    seed: int | None,
    n_jobs: int,
) -> Iterator[EpochResult]:
    """Results of mini-batch gradient descent, one an epoch, endless.

    An epoch in which no row has a loss changes nothing. `state` is updated in place; its average
    is over the weights after each batch, weighted by the rows of the batch.
    """
    n, steps = n_rows(data.rows), itertools.count(1)
    gradient_here = partial(gradient_of, rule=rule, W=state.W)  # W changes in place

    def one_epoch(number: int) -> None:
        for batch in batches(data, batch_size, None if seed is None else (seed, number)):
            gradient = Blocks(batch, n_jobs).total(gradient_here)
            if not step_down(gradient, rule, state, next(steps), n_rows(batch.rows)):
                raise not_finite(data.rows)

    weight = float((data.weights * data.class_weights[data.codes]).sum())
    return epoch_results(one_epoch, EpochSize(n, weight or 1.0), rule, state)


def step_down(gradient: Gradient, rule: Rule, state: OptimiserState, n: int, rows: int) -> bool:
    """Take the n-th gradient step of a run; return whether everything stays finite."""
    counters = state.counters
    if not np.isfinite(gradient.loss + gradient.squared_norm):
        return False
    if gradient.mistakes or gradient.loss > 0.0:
        eta = learning_rate(rule.step, rule.eta, n)
        if rule.step == NORMALISED:
            eta /= gradient.squared_norm or 1.0  # rows of zeros change nothing
        change_by(state, eta, gradient.sum)
    counters[ROWS] += rows
    if gradient.mistakes:
        counters[MISTAKES] += gradient.mistakes
        counters[LAST_MISTAKE] = counters[ROWS]
    state.sums[LOSS] += gradient.loss
    return state.is_finite()


def change_by(state: OptimiserState, eta: float, direction: Floats) -> None:
    """Add η times a direction to the weights; an overflow is found later, without a warning."""
    with np.errstate(over="ignore", invalid="ignore"):
        change = eta * direction
        state.W[...] += change
        if len(state.weighted_update_sum):
            state.weighted_update_sum[...] += state.counters[ROWS] * change
    state.counters[UPDATES] += 1


def gradient_of(block: TrainingData, rule: Rule, W: Floats) -> Gradient:
    """Negative gradient of the loss summed over a block, at the weights W."""
    total = np.zeros_like(W)
    whole_step = rule._replace(step=int(Step.CONSTANT), eta=1.0)
    mistakes, loss = sum_gradients(block, whole_step, W, total)
    squared_norm = squared_norms(block, rule.constant)[1] if rule.step == NORMALISED else 0.0
    return Gradient(total, mistakes, loss, squared_norm)


@njit(cache=True, nogil=True)
def sum_gradients(data: TrainingData, rule: Rule, W: Floats, total: Floats) -> tuple[int, float]:
    """Mistakes and loss of all rows; their negative gradient is added to `total`.

    The loss is NaN where the score of a row is not a finite number.
    """
    X, codes, weights, class_weights = data
    d, mistakes, loss = n_cols(X), 0, 0.0
    scores, amounts = np.empty(len(W)), np.empty(len(W))
    for i in range(len(codes)):
        for k in range(len(W)):
            scores[k] = dot(X, i, W[k]) + rule.constant * W[k, d]
        if not np.isfinite(scores[0]):
            return mistakes, np.nan
        sample = Sample(codes[i], weights[i] * class_weights[codes[i]], 1, 0.0)
        row_mistakes, row_loss = update_all(scores, sample, rule, amounts)
        mistakes += row_mistakes
        loss += row_loss
        for k in range(len(W)):
            if amounts[k] != 0.0:
                add_row(X, i, amounts[k], rule.constant, total[k])
    return mistakes, loss
