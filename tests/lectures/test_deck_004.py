"""The numbers and claims of lecture 22 of CS440, as the library computes them."""

import numpy as np
import pytest

from rosenblatt import (
    GradientDescent,
    Perceptron,
    TanhPerceptron,
    builtin,
    from_weights,
    separability,
)
from rosenblatt.plotting import FunctionDisplay

PETS = builtin("dogs-vs-cats")
KENNEL = builtin("kennel")


def test_the_three_ideas_and_their_exceptions() -> None:
    """A Maltese is too light, a Presa Canario too wild; half of both is right on all animals."""
    by_weight = from_weights([0, 1], -20, classes=["cat", "dog"])
    by_calls = from_weights([1, 0], -20, classes=["cat", "dog"])
    by_both = from_weights([0.5, 0.5], -20, classes=["cat", "dog"])
    assert by_weight.predict([[40, 10]]).tolist() == ["cat"]
    assert by_calls.predict([[1, 100]]).tolist() == ["cat"]
    assert by_both.decision_function(PETS.X).tolist() == [30.5, 5, -10]
    assert by_both.score(KENNEL.X, KENNEL.y) == 1
    assert max(by_weight.score(KENNEL.X, KENNEL.y), by_calls.score(KENNEL.X, KENNEL.y)) < 0.9


def test_or_and_and_as_the_slide_writes_them() -> None:
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert from_weights([1, 1], -0.5).predict(corners).tolist() == [0, 1, 1, 1]
    assert from_weights([1, 1], -1.5).predict(corners).tolist() == [0, 0, 0, 1]
    assert separability(corners, [0, 1, 1, 0]).answer == "inseparable"


@pytest.mark.parametrize("eta", [1.0, 0.25, 8.0])
def test_it_converges_with_any_learning_rate(eta: float) -> None:
    model = Perceptron(eta0=eta, shuffle=False).fit(KENNEL.X, KENNEL.y)
    one = Perceptron(shuffle=False).fit(KENNEL.X, KENNEL.y)
    assert model.outcome_.converged
    assert np.array_equal(model.coef_, eta * one.coef_)


def test_a_rate_of_1_over_n_errs_less_and_varies_less_on_overlapping_classes() -> None:
    data = builtin("overlapping")

    def errors(**settings: object) -> list[float]:
        rules = [Perceptron(max_iter=50, random_state=seed, **settings) for seed in range(10)]
        return [1 - rule.fit(data.X, data.y).score(data.X, data.y) for rule in rules]

    constant, decaying = errors(), errors(learning_rate="1/n")
    assert np.mean(decaying) < np.mean(constant) - 0.03
    assert np.std(decaying) < np.std(constant) / 2


def test_the_gradient_of_a_quarter_of_the_squared_error_through_tanh() -> None:
    points, w = builtin("4f10"), np.array([0.0, 1.0, -0.5])
    X, y = np.column_stack([points.X, np.ones(8)]), points.y

    def loss(at: np.ndarray) -> float:
        e = np.exp(-2 * X @ at)
        return float(np.sum((y - (1 - e) / (1 + e)) ** 2) / 4)  # tanh as on the slide

    rise = [(loss(w + d) - loss(w - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    rule = GradientDescent(loss="tanh", eta0=0.5, max_iter=1, tol=None)  # η = 1 of the slide
    rule.fit(points.X, y, coef_init=w[:2], intercept_init=w[2])
    np.testing.assert_allclose(w - [*rule.coef_[0], *rule.intercept_], rise, rtol=1e-7)


def test_nearest_mean_is_the_largest_score_with_half_the_square_as_intercept() -> None:
    iris = builtin("iris")
    labels = np.unique(iris.y)
    means = np.array([iris.X[iris.y == label].mean(axis=0) for label in labels])
    cells = from_weights(means, -(means**2).sum(axis=1) / 2, classes=labels)
    distances = ((iris.X[:, None] - means) ** 2).sum(axis=2)
    assert cells.predict(iris.X).tolist() == labels[distances.argmin(axis=1)].tolist()


def test_the_mean_of_the_positive_class_is_a_start_of_every_rule() -> None:
    data = builtin("separable")
    mean = np.append(data.X[data.y == 1].mean(axis=0), 1)
    wrong = np.sum(data.y * (np.column_stack([data.X, np.ones(200)]) @ mean) <= 0)
    for rule in (Perceptron, TanhPerceptron, GradientDescent):
        first = rule(start="means", max_iter=1, shuffle=False).fit(data.X, data.y).trace_[0]
        assert first.mistakes == wrong == 0


def test_the_derivative_of_tanh_is_one_minus_its_square() -> None:
    tanh = FunctionDisplay.from_activations("tanh").curves[0]
    np.testing.assert_allclose(tanh.derivatives, 1 - tanh.values**2, atol=1e-15)
