"""Choice of the epoch loop for a rule."""

from typing import Any

from rosenblatt.data.shuffle import SampleOrder
from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import ParameterError
from rosenblatt.online.pair_loop import pairs_are_faster, two_sample_epoch
from rosenblatt.online.sample_loop import binary_epoch, multiclass_epoch
from rosenblatt.online.second_order import second_order_epoch
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.step_size import SECOND_ORDER
from rosenblatt.online.update import ALL_FINITE, Rule


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
