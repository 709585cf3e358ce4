"""Every estimator keeps scikit-learn's contract."""

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import (
    AROW,
    BatchPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
)

WEIGHT_IS_REPETITION = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)


def expected_failures(estimator: Any) -> dict[str, str]:
    if not isinstance(estimator, BatchPerceptron):
        return dict.fromkeys(WEIGHT_IS_REPETITION, "a weight scales the update of an online rule")
    if estimator.batch_size is not None:
        return dict.fromkeys(WEIGHT_IS_REPETITION, "a repeated row may fall into another batch")
    return {}


@parametrize_with_checks(
    [
        Perceptron(),
        Perceptron(keep="average", multi_class="ovr"),
        Perceptron(keep="pocket", learning_rate="1/n"),
        PassiveAggressive(),
        PassiveAggressive(loss="squared_hinge"),
        AROW(),
        AROW(covariance="diagonal", multi_class="ovr", max_iter=5),
        SecondOrderPerceptron(),
        BatchPerceptron(max_iter=100),
        BatchPerceptron(batch_size=16, max_iter=100),
    ],
    expected_failed_checks=expected_failures,
)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    "estimator",
    [Perceptron(), PassiveAggressive(), AROW(), SecondOrderPerceptron(), BatchPerceptron()],
)
def test_repr_shows_only_changed_settings(estimator: Any) -> None:
    assert repr(estimator) == f"{type(estimator).__name__}()"
