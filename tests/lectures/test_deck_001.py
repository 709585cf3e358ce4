"""Lecture 001, what its slides state and other tests do not measure."""

from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import LogisticRegression, Perceptron, builtin, convergence_table

FOUR_POINTS = ((1, 1, -1), (2, 1, 1), (Fraction(3, 2), Fraction(1, 2), 1), (2, 2, -1))
START = (Fraction(1, 5), Fraction(0), Fraction(-1, 10))
ETA = Fraction(1, 10)


def updates(rows: tuple, start: tuple) -> list[tuple[Fraction, ...]]:
    """Weights (w1, w2, w0) after each update until an epoch has none, in exact arithmetic."""
    w, made = list(start), []
    while True:
        before = len(made)
        for x1, x2, y in rows:
            if y * (w[0] * x1 + w[1] * x2 + w[2]) <= 0:
                w = [w[0] + ETA * y * x1, w[1] + ETA * y * x2, w[2] + ETA * y]
                made.append(tuple(w))
        if len(made) == before:
            return made


def test_the_worked_example_to_its_end() -> None:
    expected = updates(FOUR_POINTS, START)
    tenths = [[float(10 * value) for value in weights] for weights in expected[:2]]
    assert tenths == [[1, -1, -2], [3, 0, -1]]  # the two updates of the slides
    third, fourth = FOUR_POINTS[2:]
    s3, s4 = (Fraction(3, 10) * x1 - Fraction(1, 10) for x1, _, _ in (third, fourth))
    assert third[2] * s3 > 0  # "3rd point: correctly classified"
    assert fourth[2] * s4 < 0  # "4th point: incorrect, update"

    model = Perceptron(eta0=0.1, shuffle=False)
    rows = np.array(FOUR_POINTS, dtype=float)
    run = model.replay(rows[:, :2], rows[:, 2], coef_init=[0.2, 0], intercept_init=-0.1)
    visits = [run.visit(e, k) for e in range(1, run.n_epochs + 1) for k in range(run.n_rows)]
    made = [visit.after[0] for visit in visits if visit.mistake]
    np.testing.assert_allclose(made, np.array(expected, dtype=float), atol=1e-12)
    assert len(made) == 8
    assert model.outcome_.converged


@pytest.mark.parametrize("y", [1, -1])
def test_both_signs_of_the_rule(y: int) -> None:
    """∂L/∂w is −x for y = 1 and s < 0, and x for y = −1 and s > 0; w₀ has x₀ = 1."""
    model = Perceptron(eta0=0.5, max_iter=1, shuffle=False)
    run = model.replay([[2, 1], [0, 0]], [y, -y], coef_init=[-y, 0], intercept_init=0)
    step = run.visit(1, 0)
    assert (step.after - step.before).tolist() == [[y * 1.0, y * 0.5, y * 0.5]]


def test_the_probability_is_one_half_on_the_line() -> None:
    data = builtin("overlapping")
    model = LogisticRegression().fit(data.X, data.y)
    (w1, w2), (b,) = model.coef_[0], model.intercept_
    x1 = np.linspace(-9, 9, 19)
    line = np.column_stack([x1, -(w1 * x1 + b) / w2])
    np.testing.assert_allclose(model.predict_proba(line), 0.5)


def test_the_bound_needs_the_square_of_gamma() -> None:
    data = builtin("4f10")
    rows = np.column_stack([data.X, np.ones(8)]) / 16  # a power of 2: no mistake is another one
    table = convergence_table(Perceptron(shuffle=False, fit_intercept=False), rows, data.y)
    of_the_slide = table.radius**2 / table.margin
    assert of_the_slide < len(table) <= of_the_slide / table.margin
