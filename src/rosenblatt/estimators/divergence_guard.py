"""How the divergence of a run is detected, for training data and for layers."""

from collections.abc import Callable
from functools import partial

import numpy as np

from rosenblatt.data.training_data import Blocks, MultiOutputData, TrainingData
from rosenblatt.kernels.rows import Rows, n_rows
from rosenblatt.linalg.scores import scores_of
from rosenblatt.losses.margin_losses import PERCEPTRON, relative_derivatives
from rosenblatt.online.algorithms import CONSTANT, INVERSE
from rosenblatt.online.epochs import gradient_of
from rosenblatt.online.multi_output import multi_output_gradient
from rosenblatt.online.stopping import DivergenceGuard, zero_loss
from rosenblatt.online.update import Rule
from rosenblatt.types import Floats


def guard_of(
    blocks: Blocks, rule: Rule, W: Floats, batch_size: int | None, advice: Callable[[], str]
) -> DivergenceGuard | None:
    """The guard of a run from the weights W; None for the perceptron, any η will do."""
    if rule.loss == PERCEPTRON:
        return None
    data, at_once = blocks.problem, rule._replace(step=CONSTANT)
    weight = _total_weight(data) if batch_size != 1 else n_rows(data.rows)

    def loss_of(W: Floats) -> float:
        return blocks.total(partial(gradient_of, rule=at_once, W=W)).loss / weight

    return DivergenceGuard(
        loss=rule.loss,
        start=W,
        zero_loss=zero_loss(data, rule, len(W), by_weight=batch_size != 1),
        loss_of=loss_of,
        derivative_of=_derivative_of(rule.loss, data.rows),
        advice=advice,
        by_whole_set=batch_size is None,
        steps_shrink=rule.step == INVERSE,
    )


def layer_guard(
    layer: MultiOutputData,
    rule: Rule,
    W: Floats,
    batch_size: int | None,
    advice: Callable[[], str],
) -> DivergenceGuard | None:
    """The guard of a layer that is trained from the weights W, likewise."""
    if rule.loss == PERCEPTRON:
        return None
    at_once = rule._replace(step=CONSTANT)
    weight = float(layer.weights.sum()) if batch_size != 1 else n_rows(layer.rows)
    losses = 0.5 * ((layer.targets - layer.middle) ** 2).sum(axis=1)
    return DivergenceGuard(
        loss=rule.loss,
        start=W,
        zero_loss=float(layer.weights @ losses) / weight,
        loss_of=lambda W: multi_output_gradient(layer, at_once, W).loss / weight,
        derivative_of=_derivative_of(rule.loss, layer.rows),
        advice=advice,
        by_whole_set=batch_size is None,
        steps_shrink=rule.step == INVERSE,
    )


def _total_weight(data: TrainingData) -> float:
    return float((data.weights * data.class_weights[data.codes]).sum())


def _derivative_of(loss: int, rows: Rows) -> Callable[[Floats], float]:
    return lambda W: float(np.mean(relative_derivatives(loss, scores_of(rows, W))))
