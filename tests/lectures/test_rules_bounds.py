"""One data set, its mistake bounds in all places, and how they are told apart."""

import numpy as np
import pytest

from rosenblatt import Perceptron, builtin, separability
from rosenblatt.datasets import synthetic
from rosenblatt.lab.views.proof import explanation
from rosenblatt.plotting import TraceDisplay

NAMES = ["and", "separable", "4f10", "kennel"]


@pytest.mark.parametrize("name", NAMES)
def test_bounds_are_one_formula_of_margins_that_are_named(name: str) -> None:
    data = builtin(name)
    found, best = (separability(data.X, data.y, maximise=m) for m in (False, True))
    model = Perceptron(shuffle=False).fit(data.X, data.y)
    assert found.radius == best.radius
    assert model.mistakes_ <= best.mistake_bound <= found.mistake_bound
    assert best.mistake_bound <= model.mistake_bound_
    for margin, bound in (
        (found.margin, found.mistake_bound),
        (best.margin, best.mistake_bound),
        (model.margin_bounds_.lower, int(model.mistake_bound_)),
    ):
        assert bound == pytest.approx((best.radius / margin) ** 2, abs=1.001)
    assert "A larger margin may exist" in str(found)
    assert "A larger margin may exist" not in str(best)
    assert "The largest margin is in" in str(best)
    remark = TraceDisplay.from_estimator(model).remark
    assert remark.endswith(f"the margin of the last weights allows {int(model.mistake_bound_):,}")


def test_the_truth_of_the_built_in_clouds() -> None:
    X, y, truth = synthetic.separable()
    best = separability(X, y, maximise=True)
    assert truth.mistake_bound == best.mistake_bound == 255  # fewer than (R/γ)² = 256
    assert best.margin == pytest.approx(truth.margin, rel=1e-12)
    assert best.radius == pytest.approx(truth.radius, rel=1e-12)
    (gamma, first), (double, second) = best.bounds.values()
    assert (first, second) == (255, 255)
    assert double == 2 * gamma  # lecture 000 writes γ/2, and 4R²/γ²


def test_the_lab_says_which_margin_and_which_formula() -> None:
    two = builtin("separable")
    (margin, bound, *_) = explanation(separability(two.X, two.y, maximise=True), None)
    assert margin.startswith("Largest margin γ = 0.25, radius R = 4")
    assert "at most R²/γ² = 255 mistakes" in bound
    three = separability([[0.0, 1.0], [4.0, 0.0], [9.0, 2.0]], ["a", "b", "c"])
    (margin, bound, *_) = explanation(three, None)
    assert margin.startswith("Margin γ")
    assert "at most 2R²/γ² =" in bound


def test_rows_count_from_zero_and_where_they_do_not_it_is_said() -> None:
    xor = builtin("xor")
    proof = separability(xor.X, xor.y)
    assert "(from 0), largest weights first: 0, 1, 2, 3." in str(proof)
    (sentence,) = explanation(proof, None)
    assert "Samples count from 1 here, and from 0 in `separability(X, y).rows`" in sentence


def test_every_proof_has_one_of_the_flipped_labels_at_least() -> None:
    data = builtin("separable")
    rng = np.random.default_rng(0)
    for n in (1, 2, 5):
        flipped = rng.choice(len(data.y), n, replace=False)
        y = data.y.copy()
        y[flipped] *= -1
        assert set(flipped.tolist()) & set(separability(data.X, y).rows)
