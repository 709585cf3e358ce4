"""Correct after every batch: gradient descent on the perceptron criterion Σ max(0, −m).

The corrections of all samples of a batch are summed at the same weights and then made at once,
w ← w + η Σ y x over the mistakes (lecture 003: the batch is the whole set; lecture 001: B batches).
A sample of weight 2 counts like two samples.
"""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import dot, n_cols, n_rows
from rosenblatt.rules.steps import Step, rate
from rosenblatt.solvers.correct import Rule, Sample, correct_all, move
from rosenblatt.solvers.state import State


class Gradient(NamedTuple):
    """Sum of the corrections of some rows, with their mistakes and loss."""

    sum: Floats
    mistakes: int
    loss: float

    def __add__(self, other: "Gradient") -> "Gradient":  # type: ignore[override]
        """Gradient of both sets of rows."""
        return Gradient(
            self.sum + other.sum, self.mistakes + other.mistakes, self.loss + other.loss
        )


def batches(problem: Problem, batch_size: int | None, order: Ints | None) -> Iterator[Problem]:
    """Cut a problem into batches of some rows, in the given order (None: as they stand)."""
    n = n_rows(problem.rows)
    size = n if batch_size is None else batch_size
    for start in range(0, n, size):
        if order is None:
            yield problem.part(start, start + size)
        else:
            yield problem.take(order[start : start + size])


def batchwise(
    problem: Problem,
    rule: Rule,
    W: Floats,
    *,
    batch_size: int | None,
    seed: int | None,
    n_jobs: int,
) -> Iterator[State]:
    """Descend batch after batch, pass after pass, without an end: a State after each pass.

    A pass in which no row is a mistake changes nothing. W is worked on in place.
    """
    n, steps, all_mistakes, all_changes = n_rows(problem.rows), 0, 0, 0
    gradient_here = partial(gradient_of, rule=rule, W=W)  # W changes in place
    for passes in itertools.count(1):
        order = None
        if seed is not None and batch_size is not None:  # one whole batch has no order
            order = np.random.default_rng((seed, passes)).permutation(n)
        mistakes, loss, changes = 0, 0.0, 0
        for batch in batches(problem, batch_size, order):
            steps += 1
            gradient = Blocks(batch, n_jobs).total(gradient_here)
            if not np.isfinite(gradient.loss):
                raise not_finite(problem.rows)
            if gradient.mistakes:
                W += rate(rule.step, rule.eta, steps) * gradient.sum
                changes += 1
                if not np.isfinite(W).all():
                    raise not_finite(problem.rows)
            mistakes += gradient.mistakes
            loss += gradient.loss
        all_mistakes += mistakes
        all_changes += changes
        yield State(
            passes=passes,
            rows=n,
            mistakes=mistakes,
            changes=changes,
            loss=loss / n,
            all_mistakes=all_mistakes,
            all_changes=all_changes,
            last=W.copy,
            weights=W.copy,
        )


def gradient_of(block: Problem, rule: Rule, W: Floats) -> Gradient:
    """Sum of the corrections the rows of a block ask for at the weights W, with the step 1."""
    total = np.zeros_like(W)
    whole_step = rule._replace(step=int(Step.CONSTANT), eta=1.0)
    mistakes, loss = sum_corrections(block, whole_step, W, total)
    return Gradient(total, mistakes, loss)


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
        if row_mistakes > 0:
            for k in range(len(W)):
                if amounts[k] != 0.0:
                    move(X, i, amounts[k], rule.bias, total[k])
    return mistakes, loss
