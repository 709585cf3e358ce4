"""Training in epochs: an endless generator with an `EpochResult` after each.

Online rules update after each sample, by the fastest loop that a rule allows. Mini-batch gradient
descent makes one update per batch, by the gradient of the sum of its losses, all taken at the same
weights: for the perceptron criterion w ← w + η Σ y x over the mistakes (lecture 003: the batch is
the whole set; lecture 001: B batches), for an output f = tanh(w·x) w ← w + η Σ e (1 − f²) x
(lecture 002, eq. 16). A normalised step divides η by Σ ‖x‖² over the batch. A sample of weight 2
counts as two samples.
"""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rosenblatt.data.shuffle import SampleOrder, Shape, sample_orders
from rosenblatt.data.training_data import Blocks, MultiOutputData, TrainingData, row_bytes
from rosenblatt.data.validation import not_finite
from rosenblatt.errors import DataError, ParameterError, TooLargeError
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, dot, n_cols, n_rows
from rosenblatt.losses.margin_losses import may_diverge
from rosenblatt.online.algorithms import NORMALISED, SECOND_ORDER, Step, learning_rate
from rosenblatt.online.pair_loop import pairs_are_faster, two_sample_epoch
from rosenblatt.online.result import EpochResult
from rosenblatt.online.sample_loop import binary_epoch, multiclass_epoch
from rosenblatt.online.second_order import second_order_epoch
from rosenblatt.online.state import LAST_MISTAKE, LOSS, MISTAKES, ROWS, UPDATES, OptimiserState
from rosenblatt.online.stopping import squared_norms
from rosenblatt.online.update import ALL_FINITE, Rule, Sample, add_row, update_all
from rosenblatt.types import Floats, Ints


def run_epoch(data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState) -> int:
    """Train on each sample of an order once; position of the first not finite, or −1."""
    if rule.step == SECOND_ORDER:
        return _call(second_order_epoch, data, sampling, rule, state)
    if rule.l1 > 0 and not len(state.aux):
        raise ParameterError(
            "An l1 penalty cannot be added to a stream that began without one. Use a new estimator."
        )
    if rule.l1 == rule.l2 == 0:
        state.apply_penalties()
    if len(state.W) > 1 or rule.l1 > 0 or rule.l2 > 0:
        return _call(multiclass_epoch, data, sampling, rule, state)
    if pairs_are_faster(data, sampling, rule, state):
        even = len(sampling.order) // 2 * 2
        bad = _call(two_sample_epoch, data, sampling.part(0, even), rule, state)
        if bad != ALL_FINITE or even == len(sampling.order):
            return bad
        sampling = sampling.part(even, even + 1)
    return _call(binary_epoch, data, sampling, rule, state)


def _call(
    kernel: Any, data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState
) -> int:
    # numba looks up the class of a named tuple at each call, which takes longer than a short row
    return int(kernel(tuple(data), tuple(sampling), rule, tuple(state)))


def run_epochs(
    data: TrainingData, rule: Rule, state: OptimiserState, *, seed: int | None
) -> Iterator[EpochResult]:
    """Results of training sample by sample, one an epoch, endless.

    A `seed` shuffles every epoch, None keeps the file order. `state` is updated in place.
    """

    def one_epoch(number: int) -> None:
        fit_one_epoch(data, rule, state, None if seed is None else (seed, number))

    n = n_rows(data.rows)
    return epoch_results(one_epoch, EpochSize(n, n), rule, state)


class EpochSize(NamedTuple):
    """Number of rows of an epoch, and the total weight that the mean loss is divided by."""

    rows: int
    weight: float


def epoch_results(
    one_epoch: Callable[[int], None], size: EpochSize, rule: Rule, state: OptimiserState
) -> Iterator[EpochResult]:
    """A result after each epoch; `one_epoch(number)` trains on all rows once.

    Where the steps of a rule may diverge, an epoch that overflows is undone, and its loss is ∞.
    """
    counters, sums = state.counters, state.sums
    for epoch in itertools.count(1):
        before, sums[LOSS] = counters.copy(), 0.0
        if not may_diverge(rule.loss):
            one_epoch(epoch)
        else:
            before_epoch = state.copy()
            if not stays_finite(one_epoch, epoch, state):
                counts = counters[[MISTAKES, UPDATES]]
                state.restore(before_epoch)
                counters[[MISTAKES, UPDATES]], sums[LOSS] = counts, np.inf
        yield EpochResult(
            epoch=epoch,
            rows=size.rows,
            mistakes=int(counters[MISTAKES] - before[MISTAKES]),
            updates=int(counters[UPDATES] - before[UPDATES]),
            loss=float(sums[LOSS]) / size.weight,
            all_mistakes=int(counters[MISTAKES]),
            all_updates=int(counters[UPDATES]),
            last=state.last,
            weights=state.kept,
        )


def stays_finite(one_epoch: Callable[[int], None], number: int, state: OptimiserState) -> bool:
    """Run one more epoch; return whether weights and loss are finite after it."""
    try:
        one_epoch(number)
    except TooLargeError:
        return False
    return bool(np.isfinite(state.sums[LOSS])) and state.is_finite()


def fit_one_epoch(
    data: TrainingData,
    rule: Rule,
    state: OptimiserState,
    shuffle_key: tuple[int, int] | None = None,
) -> None:
    """Train on every sample once, in file order or shuffled by a key (seed, epoch)."""
    rows = data.rows
    shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
    orders = sample_orders(shape, shuffle_key)
    if any(run_epoch(data, part, rule, state) != ALL_FINITE for part in orders):
        raise _beyond(rows)
    if not state.is_finite():
        raise TooLargeError(
            "The weights overflow float64. Scale the columns of X, or take smaller steps."
        )


def _beyond(rows: Rows) -> DataError:
    """What is wrong with training rows whose scores are not finite: a value, or a scale."""
    error = not_finite(rows)
    if not isinstance(error, TooLargeError):
        return error
    return TooLargeError(
        "The scores overflow float64: the values of X, or the steps, are too large. Scale the"
        " columns of X, or take smaller steps."
    )


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
    size, order = batch_size or n, batch_order(n, batch_size, shuffle_key)
    for start in range(0, n, size):
        stop = start + size
        yield samples.part(start, stop) if order is None else samples.take(order[start:stop])


def batch_order(n: int, batch_size: int | None, shuffle_key: tuple[int, int] | None) -> Ints | None:
    """The rows of an epoch in the order in which batches are cut from them; None: file order."""
    if shuffle_key is None or batch_size is None:  # of the whole set the order does not matter
        return None
    return np.random.default_rng(shuffle_key).permutation(n)


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

    def one_epoch(number: int) -> None:
        for batch in batches(data, batch_size, None if seed is None else (seed, number)):
            if not batch_step(Blocks(batch, n_jobs), rule, state, next(steps)):
                raise _beyond(data.rows)

    weight = float((data.weights * data.class_weights[data.codes]).sum())
    return epoch_results(one_epoch, EpochSize(n, weight or 1.0), rule, state)


def batch_step(batch: Blocks, rule: Rule, state: OptimiserState, n: int) -> bool:
    """Take the n-th step of a run, down the loss of a batch; whether everything stays finite."""
    gradient = batch.total(partial(gradient_of, rule=rule, W=state.W))
    return step_down(gradient, rule, state, n, n_rows(batch.problem.rows))


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
