"""The numbers of handout 7 of 4F10, as the library computes them."""

from itertools import product

import numpy as np

from rosenblatt import (
    BatchPerceptron,
    FisherDiscriminant,
    LogisticRegression,
    SentenceRanker,
    ThresholdNetwork,
    builtin,
    from_weights,
    gates,
    solution_region,
)

POINTS = builtin("4f10")
START = {"coef_init": [0, 1], "intercept_init": -0.5}
BEFORE = [-0.5, 0.5, 0.1, -0.1, -0.5, 0.5, 0.5, -0.1]  # z of class 1, then of class 2
AFTER = [0.95, 0.35, 0.01, 0.275, -0.5, -1.1, -0.7375, -0.305]


def test_the_tables_of_z_before_and_after_the_step() -> None:
    given = from_weights([0, 1], -0.5, classes=[-1, 1])
    np.testing.assert_allclose(given.decision_function(POINTS.X), BEFORE, atol=1e-12)
    assert given.predict(POINTS.X).tolist() == [-1, 1, 1, -1, -1, 1, 1, -1]
    model = BatchPerceptron().fit(POINTS.X, POINTS.y, **START)
    np.testing.assert_allclose(model.decision_function(POINTS.X), AFTER, atol=1e-12)
    assert model.predict(POINTS.X).tolist() == [1] * 4 + [-1] * 4


def test_the_step_is_the_sum_of_four_normalised_samples() -> None:
    run = BatchPerceptron().replay(POINTS.X, POINTS.y, **START)
    step = run.visit(1, 0)
    assert step.mistakes == (0, 3, 5, 6)
    normalised = POINTS.y[:, None] * np.column_stack([POINTS.X, np.ones(8)])
    total = normalised[[0, 3, 5, 6]].sum(axis=0)
    np.testing.assert_allclose(step.after[0], np.array([0, 1, -0.5]) + total)
    np.testing.assert_allclose([weights[0] for weights in run][1:], [[1.45, -0.6, -0.5]] * 2)


def test_fishers_means_scatter_weights_and_bias() -> None:
    model = FisherDiscriminant().fit(POINTS.X, POINTS.y)
    np.testing.assert_allclose(model.means_, [[0.1375, 0.6], [0.825, 0.5]])  # class 2 is first
    np.testing.assert_allclose(model.within_scatter_, [[0.2044, 0.03], [0.03, 1.24]], atol=5e-5)
    np.testing.assert_allclose(model.coef_, [[3.3878, -0.1626]], atol=5e-5)
    np.testing.assert_allclose(model.intercept_, [-1.4432], atol=5e-5)


def test_the_solution_region_of_four_samples_is_between_two_of_their_lines() -> None:
    X, y = np.array([[2, 1], [1, 3], [-1, 0.5], [-1.5, -2]]), np.array([1, 1, -1, -1])
    region = solution_region(X, y, fit_intercept=False)
    for degrees in range(0, 360, 5):
        w = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
        assert region.contains(w) == bool((y * (X @ w) > 0).all()), degrees


def test_logistic_regression_may_misclassify_separable_samples() -> None:
    """The second difference of the slide; the samples are separable, and the penalty is strong."""
    model = LogisticRegression(C=0.01).fit(POINTS.X, POINTS.y)
    assert model.score(POINTS.X, POINTS.y) < 1


def test_xor_is_and_of_or_and_nand() -> None:
    xor = ThresholdNetwork((gates.OR, gates.NAND), gates.AND)
    for u, v in product((0, 1), repeat=2):
        assert xor(u, v) == (u ^ v) == gates.AND(gates.OR(u, v), gates.NAND(u, v))
    assert gates.NOR.truth_table() == (1, 0, 0, 0)


def test_the_features_of_a_sentence_are_its_words_and_pairs() -> None:
    right, wrong = "cat sat on the mat", "mat the on sat cat"
    model = SentenceRanker(keep="last").fit([[right, wrong]], best=[0])
    pairs = {"cat sat", "sat on", "on the", "the mat"}
    assert model.weights_in(right) == dict.fromkeys(
        pairs, 1.0
    )  # the words are the same, and cancel
    assert model.score(right) == 4
    assert model.score(wrong) == -4
