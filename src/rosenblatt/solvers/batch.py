"""Correct after every batch: gradient descent on the sum of a loss over the batch.

The corrections of all samples of a batch are summed at the same weights and then made at once: for
the perceptron criterion w ← w + η Σ y x over the mistakes (lecture 003: the batch is the whole set;
lecture 001: B batches), for an output f = tanh(w·x) w ← w + η Σ e (1 − f²) x (lecture 002, eq. 16).
A normalised step divides η by Σ ‖x‖² over the batch. A sample of weight 2 counts like two samples.
"""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Layer, Problem
from rosenblatt.data.rows import dot, n_cols, n_rows
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.steps import NORMALISED, Step, rate
from rosenblatt.solvers.correct import Rule, Sample, correct_all, move
from rosenblatt.solvers.divergence import measure_lengths
from rosenblatt.solvers.memory import LAST_MISTAKE, LOSS, MISTAKES, ROWS, UPDATES, Memory
from rosenblatt.solvers.passes import Size, in_passes
from rosenblatt.solvers.state import State


class Gradient(NamedTuple):
    """Sum of the corrections of some rows, with their mistakes, loss and summed length.

    The length is measured only where a step is normalised by it.
    """

    sum: Floats
    mistakes: int
    loss: float
    length: float

    def __add__(self, other: "Gradient") -> "Gradient":  # type: ignore[override]
        """Gradient of both sets of rows."""
        return Gradient(
            self.sum + other.sum,
            self.mistakes + other.mistakes,
            self.loss + other.loss,
            self.length + other.length,
        )


T = TypeVar("T", Problem, Layer)


def batches(samples: T, batch_size: int | None, shuffle_key: tuple[int, int] | None) -> Iterator[T]:
    """Cut samples into batches: as they stand, or in an order drawn by a key (seed, pass)."""
    n = n_rows(samples.rows)
    size = n if batch_size is None else batch_size
    if shuffle_key is None or batch_size is None:  # one whole batch has no order
        for start in range(0, n, size):
            yield samples.part(start, start + size)
        return
    order = np.random.default_rng(shuffle_key).permutation(n)
    for start in range(0, n, size):
        yield samples.take(order[start : start + size])


def batchwise(
    problem: Problem,
    rule: Rule,
    memory: Memory,
    *,
    batch_size: int | None,
    seed: int | None,
    n_jobs: int,
) -> Iterator[State]:
    """Descend batch after batch, pass after pass, without an end: a State after each pass.

    A pass in which no row has a loss changes nothing. The memory is worked on in place; its average
    is over the weights after each batch, each as often as the batch has rows.
    """
    n, steps = n_rows(problem.rows), itertools.count(1)
    gradient_here = partial(gradient_of, rule=rule, W=memory.W)  # W changes in place

    def once(number: int) -> None:
        for batch in batches(problem, batch_size, None if seed is None else (seed, number)):
            gradient = Blocks(batch, n_jobs).total(gradient_here)
            if not step_down(gradient, rule, memory, next(steps), n_rows(batch.rows)):
                raise not_finite(problem.rows)

    weight = float((problem.weights * problem.class_weights[problem.codes]).sum())
    return in_passes(once, Size(n, weight or 1.0), rule, memory)


def step_down(gradient: Gradient, rule: Rule, memory: Memory, n: int, rows: int) -> bool:
    """Make the n-th step of a run, down the gradient of some rows; tell if all stays finite."""
    clock = memory.clock
    if not np.isfinite(gradient.loss + gradient.length):
        return False
    if gradient.mistakes or gradient.loss > 0.0:
        eta = rate(rule.step, rule.eta, n)
        if rule.step == NORMALISED:
            eta /= gradient.length or 1.0  # rows that are all zero ask for nothing
        change_by(memory, eta, gradient.sum)
    clock[ROWS] += rows
    if gradient.mistakes:
        clock[MISTAKES] += gradient.mistakes
        clock[LAST_MISTAKE] = clock[ROWS]
    memory.sums[LOSS] += gradient.loss
    return memory.is_finite()


def change_by(memory: Memory, eta: float, direction: Floats) -> None:
    """Move the weights by η in a direction; overflow shows in them, and needs no warning."""
    with np.errstate(over="ignore", invalid="ignore"):
        change = eta * direction
        memory.W[...] += change
        if len(memory.late):
            memory.late[...] += memory.clock[ROWS] * change
    memory.clock[UPDATES] += 1


def gradient_of(block: Problem, rule: Rule, W: Floats) -> Gradient:
    """Sum of the corrections the rows of a block ask for at the weights W, with the step 1."""
    total = np.zeros_like(W)
    whole_step = rule._replace(step=int(Step.CONSTANT), eta=1.0)
    mistakes, loss = sum_corrections(block, whole_step, W, total)
    length = measure_lengths(block, rule.bias)[1] if rule.step == NORMALISED else 0.0
    return Gradient(total, mistakes, loss, length)


@njit(cache=True, nogil=True)
def sum_corrections(problem: Problem, rule: Rule, W: Floats, total: Floats) -> tuple[int, float]:
    """Add the corrections of all rows to `total`; give mistakes and loss.

    The loss is NaN where the score of a row is not a finite number.
    """
    X, codes, weights, class_weights = problem
    d, mistakes, loss = n_cols(X), 0, 0.0
    scores, amounts = np.empty(len(W)), np.empty(len(W))
    for i in range(len(codes)):
        for k in range(len(W)):
            scores[k] = dot(X, i, W[k]) + rule.bias * W[k, d]
        if not np.isfinite(scores[0]):
            return mistakes, np.nan
        sample = Sample(codes[i], weights[i] * class_weights[codes[i]], 1, 0.0)
        row_mistakes, row_loss = correct_all(scores, sample, rule, amounts)
        mistakes += row_mistakes
        loss += row_loss
        for k in range(len(W)):
            if amounts[k] != 0.0:
                move(X, i, amounts[k], rule.bias, total[k])
    return mistakes, loss
