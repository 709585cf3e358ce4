"""Fit a layer of outputs to a matrix of targets: what an estimator does besides labels."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.training_data import MultiOutputData, TrainingData
from rosenblatt.data.validation import label_pair, scaled_targets, targets_of, weights_of
from rosenblatt.errors import DataError
from rosenblatt.estimators.fit_loop import start_weights
from rosenblatt.kernels.rows import Rows, n_rows
from rosenblatt.losses.activation import target_range
from rosenblatt.losses.margin_losses import PERCEPTRON
from rosenblatt.online.update import Rule
from rosenblatt.types import Array, Floats


class Given(NamedTuple):
    """A layer to be trained, and the two labels its targets stand for (None: real targets)."""

    layer: MultiOutputData
    pair: Array | None


def given_layer(rows: Rows, Y: Any, sample_weight: Any, rule: Rule) -> Given:
    """Check a matrix of targets and bring it into the range of the outputs."""
    table = targets_of(Y, n_rows(rows))
    pair = label_pair(table)
    if pair is None and rule.loss == PERCEPTRON:
        raise DataError(
            "activation='hard' learns labels: a matrix of 0 and 1, or of -1 and 1; y holds other"
            " numbers. Use activation='tanh' or 'logistic' for real targets."
        )
    least, most = target_range(rule.loss)
    targets = scaled_targets(table, pair, least, most)
    middle = (least + most) / 2
    return Given(
        MultiOutputData(rows, targets, weights_of(sample_weight, n_rows(rows)), middle), pair
    )


def as_training_data(layer: MultiOutputData, output: int = 0) -> TrainingData:
    """The rows with the side of one output's targets as their class."""
    codes = (layer.targets[:, output] > layer.middle).astype(np.int8)
    return TrainingData(layer.rows, codes, layer.weights, np.ones(2))


def layer_start(layer: MultiOutputData, start: str, seed: int) -> Floats:
    """Weights to start from: zero, random, or the mean of the rows each output should fire at."""
    n_outputs = layer.targets.shape[1]
    if start != "means":
        return start_weights(as_training_data(layer), n_outputs, start, seed)
    units = [start_weights(as_training_data(layer, k), 1, start, seed) for k in range(n_outputs)]
    return np.concatenate(units)


def layer_zero_loss(layer: MultiOutputData, *, by_weight: bool) -> float:
    """Loss of zero weights, whose outputs are in the middle: its mean by weight, or over rows."""
    losses = 0.5 * ((layer.targets - layer.middle) ** 2).sum(axis=1)
    return float(
        np.average(losses, weights=layer.weights) if by_weight else np.mean(layer.weights * losses)
    )
