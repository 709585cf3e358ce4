"""The numbers printed in the lectures, as the library computes them."""

import gzip
import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import (
    LMS,
    BatchPerceptron,
    PassiveAggressive,
    Perceptron,
    TanhPerceptron,
    builtin,
)
from rosenblatt.datasets import synthetic
from rosenblatt.online.result import Ending
from rosenblatt.types import Array, Floats

HAND_MADE = {"or": ([1, 1], -0.5), "and": ([1, 1], -1.5), "not": ([-1], 0.5)}
ONE_UNIT_LEARNS = ["and", "or", "nand", "nor", "not", "majority"]


def one_step(x: list[float], label: int, w: list[float], b: float, **settings: object) -> Floats:
    """Weights (w, b) after a perceptron has seen one row.

    A second row of the other class, of weight 0, is passed over: a fit needs two classes.
    """
    model = Perceptron(max_iter=1, shuffle=False, **settings).fit(
        [x, x], [label, -label], coef_init=w, intercept_init=b, sample_weight=[1, 0]
    )
    return np.append(model.coef_[0], model.intercept_)


@pytest.mark.parametrize("gate", HAND_MADE)
def test_000_hand_made_gates_decide_rightly_and_are_left_alone(gate: str) -> None:
    data = builtin(gate)
    w, b = HAND_MADE[gate]
    model = Perceptron(shuffle=False).fit(data.X, data.y, coef_init=w, intercept_init=b)
    assert model.predict(data.X).tolist() == data.y.tolist()
    assert model.coef_.tolist() == [w]
    assert model.intercept_.tolist() == [b]
    assert model.trace_.column("mistakes") == [0]


def test_000_a_gate_with_the_wrong_bias_is_not_left_alone() -> None:
    data = builtin("and")
    model = Perceptron(max_iter=1, shuffle=False)
    model.fit(data.X, data.y, coef_init=[1, 1], intercept_init=-0.5)
    assert model.mistakes_ > 0


@pytest.mark.parametrize("gate", ONE_UNIT_LEARNS)
@pytest.mark.parametrize("shuffle", [False, True])
def test_000_a_perceptron_learns_the_gates(gate: str, *, shuffle: bool) -> None:
    data = builtin(gate)
    model = Perceptron(shuffle=shuffle).fit(data.X, data.y)
    assert model.outcome_.ending is Ending.NO_MISTAKE
    assert model.predict(data.X).tolist() == data.y.tolist()
    assert (np.where(data.y == 1, 1, -1) * model.decision_function(data.X) > 0).all()


def test_000_a_perceptron_does_not_learn_xor_but_does_after_the_product() -> None:
    data = builtin("xor")
    model = Perceptron(max_iter=500).fit(data.X, data.y)
    assert model.outcome_.ending is Ending.MAX_EPOCHS_REACHED
    assert len(model.trace_) == 500
    assert min(model.trace_.column("mistakes")) > 0
    lifted = np.column_stack([data.X, data.X[:, 0] * data.X[:, 1]])
    assert Perceptron().fit(lifted, data.y).predict(lifted).tolist() == data.y.tolist()


def test_000_a_tie_is_a_mistake_in_training_and_class_1_in_deciding() -> None:
    X = np.array([[1.0, 2.0], [-1.0, 0.5]])
    model = Perceptron(max_iter=1, shuffle=False).fit(X, [1, 0], sample_weight=[1, 0])
    assert model.mistakes_ == 1  # s = 0 with y = +1: 001 would count it as correct
    assert model.coef_.tolist() == [[1, 2]]
    model.fit(X, [0, 1], sample_weight=[1, 0])
    assert model.mistakes_ == 1
    assert model.coef_.tolist() == [[-1, -2]]
    stream = Perceptron().partial_fit(X[:1], [0], classes=[0, 1])
    assert stream.coef_.tolist() == [[-1, -2]]
    on_the_line = [[2.0, -1.5]]  # −2 + 3 − 1 = 0
    assert stream.decision_function(on_the_line).tolist() == [0]
    assert stream.predict(on_the_line).tolist() == [1]


def test_001_two_steps_with_a_learning_rate_of_a_tenth() -> None:
    # (1, 1) of class −1 scores 0.2 − 0.1 > 0: a mistake
    first = one_step([1, 1], -1, [0.2, 0.0], -0.1, eta0=0.1)
    assert first.tolist() == [0.2 - 0.1, 0.0 - 0.1, -0.1 - 0.1]
    np.testing.assert_allclose(first, [0.1, -0.1, -0.2], rtol=1e-15)
    # (2, 1) of class +1 scores 0.2 − 0.1 − 0.2 < 0: a mistake
    second = one_step([2, 1], +1, first[:2].tolist(), first[2], eta0=0.1)
    np.testing.assert_allclose(second, [0.3, 0.0, -0.1], rtol=1e-15, atol=1e-17)
    # and both in one pass
    model = Perceptron(eta0=0.1, max_iter=1, shuffle=False)
    model.fit([[1, 1], [2, 1]], [-1, 1], coef_init=[0.2, 0.0], intercept_init=-0.1)
    assert np.append(model.coef_[0], model.intercept_).tolist() == second.tolist()
    assert model.mistakes_ == 2
    # Loss max(0, −s y): 0.1 at the first row and, to rounding, 0.1 at the second
    assert model.trace_[0].loss == pytest.approx((0.1 + 0.1) / 2, rel=1e-14)


def test_001_and_by_a_perceptron_in_file_order() -> None:
    data = builtin("and")
    model = Perceptron(shuffle=False, eta0=0.1).fit(data.X, data.y)
    assert model.outcome_.converged
    assert model.predict(data.X).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("batch_size", [1, 3, 4, 8])
def test_001_the_criterion_in_batches_comes_to_rest_too(batch_size: int) -> None:
    data = builtin("4f10")
    model = BatchPerceptron(batch_size=batch_size).fit(data.X, data.y)
    assert model.outcome_.ending is Ending.NO_MISTAKE
    assert (data.y * model.decision_function(data.X) > 0).all()


def test_002_batches_of_one_row_in_file_order_are_the_online_rule() -> None:
    data = builtin("4f10")
    online = Perceptron(shuffle=False).fit(data.X, data.y)
    batch = BatchPerceptron(batch_size=1, shuffle=False).fit(data.X, data.y)
    np.testing.assert_array_equal(online.coef_, batch.coef_)
    assert online.trace_.column("mistakes") == batch.trace_.column("mistakes")


def test_002_one_step_of_lms_is_mu_times_the_error_times_x() -> None:
    # eq. 12 at w = (0.2, 0), b = −0.1: (2, 1) of class +1 scores 0.3, so e = 0.7
    step = {"coef_init": [0.2, 0.0], "intercept_init": -0.1, "sample_weight": [1, 0]}
    settings = {"eta0": 0.1, "max_iter": 1, "shuffle": False}
    model = LMS(**settings).fit([[2, 1], [2, 1]], [1, -1], **step)
    w = np.append(model.coef_[0], model.intercept_)
    np.testing.assert_allclose(w, [0.2 + 0.14, 0.07, -0.1 + 0.07], rtol=1e-14)
    # the same row of class −1: e = −1 − 0.3; it is changed also where it is right
    model = LMS(**settings).fit([[2, 1], [2, 1]], [-1, 1], **step)
    w = np.append(model.coef_[0], model.intercept_)
    np.testing.assert_allclose(w, [0.2 - 0.26, -0.13, -0.1 - 0.13], rtol=1e-14)


def test_002_lms_with_the_hard_error_is_the_perceptron() -> None:
    for name in ("4f10", "kennel", "xor"):
        data = builtin(name)
        perceptron = Perceptron(max_iter=20).fit(data.X, data.y)
        hard = LMS(error="hard", eta0=1, max_iter=20, tol=None).fit(data.X, data.y)
        assert hard.coef_.tolist() == perceptron.coef_.tolist()
        assert hard.intercept_.tolist() == perceptron.intercept_.tolist()
        assert hard.trace_.column("mistakes") == perceptron.trace_.column("mistakes")


def test_002_one_step_of_the_batch_rule_through_tanh() -> None:
    # eq. 16: w + μ Σ e (1 − f²) x and b + μ Σ e (1 − f²), at the weights before the step
    data, w, b, mu = builtin("4f10"), np.array([0.4, -0.3]), 0.1, 0.05
    f = np.tanh(data.X @ w + b)
    pull = (data.y - f) * (1 - f**2)
    model = TanhPerceptron(eta0=mu, batch_size=None, max_iter=1)
    model.fit(data.X, data.y, coef_init=w, intercept_init=b)
    np.testing.assert_allclose(model.coef_[0], w + mu * pull @ data.X, rtol=1e-14)
    np.testing.assert_allclose(model.intercept_, b + mu * pull.sum(), rtol=1e-14)
    assert model.trace_[0].loss == pytest.approx(np.mean((data.y - f) ** 2) / 2, rel=1e-14)


def test_000_a_layer_is_sigma_of_w_x_plus_b() -> None:
    inputs = builtin("or").X
    both = np.array([[0, 0], [1, 0], [1, 0], [1, 1]])  # or, and
    model = TanhPerceptron(eta0=0.5).fit(inputs, both)
    scores = inputs @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.outputs(inputs), np.tanh(scores), rtol=1e-14)
    assert model.predict(inputs).tolist() == both.tolist()


def test_003_the_batch_perceptron_makes_four_mistakes_then_none() -> None:
    data = builtin("4f10")
    start = {"coef_init": [0, 1], "intercept_init": -0.5}
    model = BatchPerceptron().fit(data.X, data.y, **start)
    assert model.trace_.column("mistakes") == [4, 0]
    assert model.outcome_.ending is Ending.NO_MISTAKE
    np.testing.assert_allclose(model.coef_, [[1.45, -0.6]], rtol=1e-15)
    assert model.intercept_.tolist() == [-0.5]


def test_003_the_four_mistakes_are_1_and_4_of_one_class_and_2_and_3_of_the_other() -> None:
    data = builtin("4f10")
    moved = []
    for row in range(8):
        model = BatchPerceptron(max_iter=1)
        alone = np.arange(8) == row
        model.fit(data.X, data.y, coef_init=[0, 1], intercept_init=-0.5, sample_weight=alone)
        if model.mistakes_:
            moved.append(row)
            change = np.append(model.coef_[0], model.intercept_) - [0, 1, -0.5]
            np.testing.assert_allclose(change, data.y[row] * np.append(data.X[row], 1), atol=1e-15)
    assert moved == [0, 3, 5, 6]


def test_003_the_loss_of_the_first_pass_is_the_perceptron_criterion() -> None:
    data = builtin("4f10")
    start = np.array([0, 1, -0.5])
    margins = data.y * (np.column_stack([data.X, np.ones(8)]) @ start)
    model = BatchPerceptron().fit(data.X, data.y, coef_init=start[:2], intercept_init=start[2])
    criterion = -margins[margins <= 0].sum()
    assert model.trace_[0].loss == pytest.approx(criterion / 8, rel=1e-14)
    assert model.trace_[1].loss == 0


def test_003_kesler_has_k_times_d_plus_1_weights_that_sum_to_zero() -> None:
    data = builtin("iris")
    model = Perceptron(max_iter=20).fit(data.X, data.y)
    assert model.coef_.size + model.intercept_.size == 3 * (4 + 1)
    # every update adds x to one class and takes it from another: the classes sum to zero
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-9)
    assert model.intercept_.sum() == 0


def test_003_kesler_ends_when_all_k_minus_1_inequalities_of_every_sample_hold() -> None:
    corners = np.array([[4.0, 0.0], [-2.0, 3.0], [-2.0, -3.0], [0.0, 0.0]])
    X, y = np.repeat(corners, 3, axis=0), np.repeat(["a", "b", "c", "o"], 3)
    X += np.tile([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]], (4, 1))
    model = Perceptron().fit(X, y)
    assert model.outcome_.ending is Ending.NO_MISTAKE
    scores = model.decision_function(X)
    own = np.searchsorted(model.classes_, y)
    others = np.array([np.delete(row, k) for row, k in zip(scores, own, strict=True)])
    assert others.shape == (12, 3)
    assert (scores[np.arange(12), own][:, None] - others > 0).all()


def test_004_dogs_and_cats_step_by_step() -> None:
    data = builtin("dogs-vs-cats")
    signs = np.where(data.y == "dog", 1, -1)
    w = np.array([1.0, 0.0, -20.0])
    seen = []
    for x, sign in zip(data.X.tolist(), signs.tolist(), strict=True):
        w = one_step(x, sign, w[:2].tolist(), w[2])
        seen.append(w.tolist())
    assert seen == [[2, 100, -19], [2, 100, -19], [2, 80, -20]]
    model = Perceptron(max_iter=1, shuffle=False)
    model.fit(data.X, data.y, coef_init=[1, 0], intercept_init=-20)
    assert model.coef_.tolist() == [[2, 80]]
    assert model.intercept_.tolist() == [-20]
    assert model.mistakes_ == 2


def test_004_with_a_learning_rate_of_1_over_n_the_third_animal_moves_a_third() -> None:
    data = builtin("dogs-vs-cats")
    model = Perceptron(max_iter=1, shuffle=False, learning_rate="1/n")
    model.fit(data.X, data.y, coef_init=[1, 0], intercept_init=-20)
    # η = 1 at the Presa Canario, none at the Maltese, 1/3 at the Maine Coon (0, 20)
    np.testing.assert_allclose(model.coef_, [[2, 100 - 20 / 3]], rtol=1e-15)
    np.testing.assert_allclose(model.intercept_, [-19 - 1 / 3], rtol=1e-15)


@pytest.mark.parametrize("label", [-1, 1])
def test_004_one_step_through_tanh_with_twice_our_learning_rate(label: int) -> None:
    # 004 descends ¼(y − y*)², we descend ½: its η ((y − y*)/2) (1 − y*²) x has twice our η
    x, w, eta = np.array([0.5, -1.0, 1.0]), np.array([0.3, 0.2, -0.4]), 0.8
    output = np.tanh(w @ x)
    wanted = w + eta * ((label - output) / 2) * (1 - output**2) * x
    model = TanhPerceptron(eta0=eta / 2, max_iter=1, shuffle=False)
    model.fit([x[:2], x[:2]], [label, -label], w[:2], w[2], sample_weight=[1, 0])
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_), wanted, rtol=1e-14)


def test_004_tanh_changes_also_where_the_sign_is_right() -> None:
    # the slide says "if y = y* do nothing", which a soft output never is
    model = TanhPerceptron(max_iter=1, shuffle=False)
    model.fit([[1.0], [-1.0]], [1, -1], coef_init=[2.0])
    assert model.mistakes_ == 0
    assert model.coef_[0, 0] > 2.0


def test_004_class_means_are_a_start_and_are_kept_where_they_are_right() -> None:
    X = np.array([[2.0, 0.0], [4.0, 2.0], [-3.0, -1.0], [-5.0, -1.0]])
    model = Perceptron(start="means", shuffle=False).fit(X, [1, 1, 0, 0])
    assert model.coef_.tolist() == [[3, 1]]  # the mean of the class +1
    assert model.intercept_.tolist() == [1]
    assert model.trace_.column("mistakes") == [0]
    three = Perceptron(start="means", max_iter=1).fit(X, [0, 1, 2, 2], sample_weight=[1, 1, 1, 3])
    means = np.array([[2, 0, 1], [4, 2, 1], [-4.5, -1, 1]])
    changes = np.column_stack([three.coef_, three.intercept_]) - means
    assert three.mistakes_ > 0
    np.testing.assert_allclose(changes.sum(axis=0), 0, atol=1e-12)


def test_004_a_random_start_is_not_zero_and_the_end_is_right_all_the_same() -> None:
    data = builtin("kennel")
    ends = [
        Perceptron(start="random", random_state=seed, shuffle=False, max_iter=100_000).fit(
            data.X, data.y
        )
        for seed in range(2)
    ]
    assert ends[0].coef_.tolist() != ends[1].coef_.tolist()
    for model in ends:
        assert model.predict(data.X).tolist() == data.y.tolist()
        assert model.margin_bounds_ is None  # the theorem starts at zero


def test_004_many_classes_are_decided_by_the_best_score() -> None:
    data = builtin("iris")
    model = Perceptron(max_iter=50).fit(data.X, data.y)
    best = model.decision_function(data.X).argmax(axis=1)
    assert model.predict(data.X).tolist() == model.classes_[best].tolist()


@pytest.mark.parametrize("eta", [1.0, 0.1, 8.0])
def test_000_mistakes_stay_within_the_bound_in_both_conventions(eta: float) -> None:
    X, y, truth = synthetic.separable(n=300, d=5, margin=0.3, radius=3.0, seed=4)
    model = Perceptron(eta0=eta, shuffle=False).fit(X, y)
    ours = Fraction(truth.radius) ** 2 / Fraction(truth.margin) ** 2
    gamma = 2 * Fraction(truth.margin)  # lecture 000: y(x·w*) ≥ γ/2
    assert 4 * Fraction(truth.radius) ** 2 / gamma**2 == ours
    assert 0 < model.mistakes_ <= int(ours)
    assert model.mistakes_ == sum(model.trace_.column("mistakes"))
    assert model.mistake_bound_ is not None
    assert model.mistakes_ <= int(ours) <= model.mistake_bound_ * (1 + 1e-9)


def test_bounds_need_their_premises() -> None:
    X, y, _ = synthetic.separable()
    with_premises = Perceptron().fit(X, y)
    assert with_premises.margin_bounds_ is not None
    without = [
        Perceptron(learning_rate="1/n", max_iter=3).fit(X, y),
        Perceptron(max_iter=3).fit(X, y, intercept_init=1.0),
        Perceptron(max_iter=3, class_weight={1: 2.0}).fit(X, y),
        Perceptron(max_iter=3).fit(X, y, sample_weight=1.0 + np.arange(len(y)) % 2),
        Perceptron(max_iter=3, penalty="l2").fit(X, y),
        Perceptron(max_iter=3, start="random").fit(X, y),
        PassiveAggressive(max_iter=3).fit(X, y),
    ]
    assert [model.margin_bounds_ for model in without] == [None] * len(without)
    assert [model.mistake_bound_ for model in without] == [None] * len(without)


def read_idx(path: Path) -> Array:
    """Read an IDX file: two zeros, the type (8: bytes), the dimensions, their sizes, the bytes."""
    with gzip.open(path) as file:
        _, kind, dimensions = struct.unpack(">HBB", file.read(4))
        assert kind == 8
        shape = struct.unpack(f">{dimensions}I", file.read(4 * dimensions))
        return np.frombuffer(file.read(), np.uint8).reshape(shape)


def zeros_and_ones(folder: Path, part: str) -> tuple[Floats, Array]:
    digits = read_idx(folder / f"{part}-labels-idx1-ubyte.gz")
    chosen = digits <= 1
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz")[chosen]
    return images.reshape(len(images), -1) / 255.0, digits[chosen]


def test_000_mnist_0_against_1_in_file_order(real_data: Path) -> None:
    X, y = zeros_and_ones(real_data / "mnist", "train")
    X_test, y_test = zeros_and_ones(real_data / "mnist", "t10k")
    assert X.dtype == np.float64
    model = Perceptron(shuffle=False).fit(X, y)
    assert model.trace_.column("mistakes") == [48, 23, 20, 9, 11, 6, 0]
    errors = int(np.sum(model.predict(X_test) != y_test))
    assert f"{errors / len(y_test):.2%}" == "0.05%"
    assert errors == 1
