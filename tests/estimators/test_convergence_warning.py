"""A fit that ends before it has arrived warns as scikit-learn's do, and commands do not."""

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import (
    LMS,
    BatchPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    TanhPerceptron,
    builtin,
)
from rosenblatt.estimators.sklearn_interface import outcomes_alone

IRIS = builtin("iris")
XOR = ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(max_iter=1),
        LogisticRegression(multi_class="ovr", max_iter=1),
        LogisticRegression(C=np.inf, multi_class="ovr"),  # setosa is separable: no best weights
        LogisticRegression(time_limit=1e-9),
        LinearSVM(max_iter=1),
        PassiveAggressive(max_iter=2),
        Perceptron(tol=1e-3, max_iter=2),
        BatchPerceptron(tol=1e-3, max_iter=2),
        KernelPerceptron(tol=1e-3, max_iter=2),
        LMS(max_iter=2),
        LMS(eta0=1e3, tol=None),
        TanhPerceptron(time_limit=1e-9),
    ],
    ids=repr,
)
def test_an_end_that_is_none_warns_with_the_outcome(model: Any) -> None:
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(IRIS.X, IRIS.y)
    assert [str(warning.message) for warning in caught] == [str(model.outcome_)]
    assert caught[0].filename == __file__
    assert not model.outcome_.converged


def test_a_layer_warns_too() -> None:
    model = TanhPerceptron(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="Stopped after 1 epoch"):
        model.fit(IRIS.X / 10, np.eye(3)[np.arange(150) % 3])


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LinearSVM(),
        PassiveAggressive(),
        Perceptron(max_iter=3),  # so many passes, and no tol
        KernelPerceptron(max_iter=3),
    ],
    ids=repr,
)
def test_an_end_that_was_asked_for_does_not_warn(model: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(IRIS.X[:4], [0, 1, 1, 0])


def test_a_stream_never_warns() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PassiveAggressive().partial_fit(*XOR)


def test_a_warning_made_an_error_leaves_the_model_fitted() -> None:
    model = LogisticRegression(max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning):
            model.fit(IRIS.X, IRIS.y)
    assert model.predict(IRIS.X[:1]) == IRIS.y[:1]


def test_whoever_prints_outcomes_is_not_warned() -> None:
    with warnings.catch_warnings(), outcomes_alone():
        warnings.simplefilter("error")
        LogisticRegression(max_iter=1).fit(IRIS.X, IRIS.y)


def test_a_command_does_not_load_scikit_learn_to_warn() -> None:
    command = ["fit", "builtin:iris", "--max-iter", "1", "--rule", "logistic-regression"]
    code = (
        "import sys; from rosenblatt.__main__ import main\n"
        f"sys.argv = ['rosenblatt', *{command!r}, '--test', 'none', '--proof-seconds', '0']\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("False\n")
    assert "Stopped after 1 step" in done.stdout
