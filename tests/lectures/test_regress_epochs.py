"""Lecture 000: errors of every epoch, as its MNIST tables have them, and of random products."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    AROW,
    LMS,
    BatchPerceptron,
    GradientDescent,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    TanhPerceptron,
    builtin,
    capacity_curve,
    read,
)
from rosenblatt.datasets import synthetic
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features import RandomProducts
from rosenblatt.online.result import Ending
from rosenblatt.types import Array, Floats

RULES = [
    Perceptron(),
    Perceptron(keep="average"),
    Perceptron(keep="pocket", multi_class="ovr"),
    BatchPerceptron(),
    BatchPerceptron(batch_size=16),
    LMS(eta0=0.001),
    TanhPerceptron(eta0=0.02),
    GradientDescent(loss="logistic", eta0=0.01),
    GradientDescent(loss="hinge", batch_size=16, learning_rate="1/n"),
    PassiveAggressive(),
    AROW(),
    SecondOrderPerceptron(),
]
COLUMNS = ("epoch", "mistakes", "training_error", "validation_error")


def rows_of(seed: int) -> tuple[Floats, Array]:
    return synthetic.overlapping(n=150, d=3, seed=seed)[:2]


def test_the_table_of_mnist_zeros_and_ones(real_data: Path) -> None:
    train, test = (
        read(f"{real_data}/mnist/{part}-images-idx3-ubyte.gz") for part in ("train", "t10k")
    )
    old, new = train.y <= 1, test.y <= 1
    model = Perceptron(shuffle=False, track_error=True)
    model.fit(train.X[old] / 255, train.y[old], X_val=test.X[new] / 255, y_val=test.y[new])
    assert model.trace_.column("mistakes") == [48, 23, 20, 9, 11, 6, 0]
    assert model.trace_[-1].validation_error == 1 / 2115  # 0.05 %
    table = model.trace_.table(*COLUMNS).splitlines()
    assert table[0].split() == list(COLUMNS)
    assert table[1].split() == ["1", "48", "0.13", "%", "0.19", "%"]
    assert table[7].split() == ["7", "0", "0.00", "%", "0.05", "%"]


def lecture_loop(X: Floats, y: Array, tests: list[tuple[Floats, Array]]) -> list[tuple[Any, ...]]:
    """The lecture's `train_perceptron`, with its slip (`==` for `+=`) put right."""
    w, lines = np.zeros(X.shape[1]), []
    while not lines or lines[-1][1]:
        changes = 0
        for x, sign in zip(X, y, strict=True):
            if sign * (w @ x) <= 0:
                w = w + sign * x
                changes += 1
        errors = [float(np.mean(np.where(Z @ w >= 0, 1, -1) != z)) for Z, z in tests]
        lines.append((len(lines) + 1, changes, *errors))
    return lines


def test_the_table_is_that_of_the_lectures_loop() -> None:
    data = builtin("separable", margin=0.02, n_samples=400)
    X, y, X_val, y_val = data.X[:200], data.y[:200], data.X[200:], data.y[200:]
    model = Perceptron(shuffle=False, track_error=True).fit(X, y, X_val=X_val, y_val=y_val)
    ones = np.ones(200)
    both = [(np.column_stack([X, ones]), y), (np.column_stack([X_val, ones]), y_val)]
    lines = lecture_loop(*both[0], both)
    columns = [model.trace_.column(name) for name in COLUMNS]
    assert list(zip(*columns, strict=True)) == lines
    assert len(lines) > 2


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_validation_rows_measure_and_do_not_stop(rule: Any, n_classes: int) -> None:
    (X, y), (X_val, y_val) = rows_of(0), rows_of(1)
    if n_classes == 3:
        y, y_val = (
            np.where(rows[:, 0] > 0.5, 2, labels) for rows, labels in ((X, y), (X_val, y_val))
        )
    model = clone(rule).set_params(max_iter=12, tol=None).fit(X, y, X_val=X_val, y_val=y_val)
    blind = clone(rule).set_params(max_iter=12, tol=None).fit(X, y)
    assert model.coef_.tolist() == blind.coef_.tolist()
    assert model.trace_.column("loss") == blind.trace_.column("loss")
    assert blind.trace_.column("validation_error") == [None] * blind.n_iter_
    for epoch in (1, 5, model.n_iter_):
        cut = clone(rule).set_params(max_iter=epoch, tol=None).fit(X, y)
        wrong = float(np.mean(cut.predict(X_val) != y_val))
        assert model.trace_[epoch - 1].validation_error == pytest.approx(wrong, abs=1e-15)


def test_early_stopping_is_asked_for_apart() -> None:
    (X, y), (X_val, y_val) = rows_of(0), rows_of(1)
    apart = {"X_val": X_val, "y_val": y_val}
    stopped = Perceptron(early_stopping=True, max_iter=200).fit(X, y, **apart)
    assert stopped.outcome_.ending is Ending.SCORE_STALLED
    assert stopped.n_iter_ < 200
    assert Perceptron(max_iter=200).fit(X, y, **apart).n_iter_ == 200


def test_a_layer_is_measured_in_its_outputs() -> None:
    X, y = rows_of(0)
    Y = np.column_stack([y > 0, X[:, 0] > 0]).astype(int)
    model = TanhPerceptron(eta0=0.1, max_iter=5, tol=None)
    model.fit(X[:100], Y[:100], X_val=X[100:], y_val=Y[100:])
    wrong = np.mean(model.predict(X[100:]) != Y[100:])
    assert model.trace_[-1].validation_error == pytest.approx(wrong, abs=1e-15)
    for bad in (Y[100:] + 1, Y[100:, :1], Y[:9]):
        with pytest.raises(DataError):
            clone(model).fit(X[:100], Y[:100], X_val=X[100:], y_val=bad)
    with pytest.raises(ParameterError, match="y_val"):
        clone(model).fit(X, Y, X_val=X)


def test_bad_validation_labels_are_named() -> None:
    X, y = rows_of(0)
    for bad, words in ((y + 1, "of the 2 classes"), (y[:3], "3 labels"), (["a"] * 150, "'a'")):
        with pytest.raises(DataError, match=f"y_val.*{words}"):
            BatchPerceptron().fit(X, y, X_val=X, y_val=bad)


def test_a_table_has_the_columns_that_are_known() -> None:
    X, y = rows_of(0)
    trace = Perceptron(max_iter=2).fit(X, y).trace_
    first, *lines = trace.table().splitlines()
    assert first.split() == ["epoch", "mistakes", "updates", "loss", "norm", "margin_upper"]
    assert len(lines) == 2
    assert trace.table("training_error").split() == ["training_error", "–", "–"]
    with pytest.raises(ParameterError, match=r"accuracy.*mistakes"):
        trace.table("accuracy")


def test_products_of_pixels_tell_eights_apart(real_data: Path) -> None:
    """Lecture 000: 8 against the rest, by a perceptron with products of random pairs of pixels."""
    folder = real_data / "mnist"
    train, test = (read(f"{folder}/{part}-images-idx3-ubyte.gz") for part in ("train", "t10k"))

    def eights(n: int) -> Any:
        return make_pipeline(RandomProducts(n), Perceptron(max_iter=20))

    X, y, given = train.X[:5000] / 255, train.y[:5000] == 8, (test.X / 255, test.y == 8)
    curve = capacity_curve(eights, X, y, [0, 1000, 3000], test=given, axis="products")
    errors = [row["test_error"] for row in curve.rows()]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 0.08
    assert errors[2] < 0.035
