"""The equations of lecture 002, on data whose answers are exact."""

import numpy as np
from flint import fmpq, fmpq_mat

from rosenblatt import LMS, LeastSquares, Perceptron, builtin

POINTS = builtin("4f10")
START = {"coef_init": [0, 1], "intercept_init": -0.5}


def exact(values: np.ndarray) -> fmpq_mat:
    """A matrix of fractions; the points have two decimals."""
    entries = [fmpq(round(100 * float(value)), 100) for value in np.ravel(values)]
    return fmpq_mat(len(values), len(entries) // len(values), entries)


def test_the_two_equations_of_mmse_have_the_solution_of_the_extended_one() -> None:
    """Eq. 8 solved in fractions solves eq. 7, and is what `LeastSquares` finds."""
    X, y = exact(POINTS.X), exact(POINTS.y[:, None])
    extended = exact(np.column_stack([POINTS.X, np.ones(8)]))
    solution = (extended.transpose() * extended).solve(extended.transpose() * y)
    w, b = fmpq_mat(2, 1, [solution[0, 0], solution[1, 0]]), solution[2, 0]
    ones = fmpq_mat(8, 1, [1] * 8)
    assert (X.transpose() * X).solve(X.transpose() * (y - b * ones)) == w
    assert (ones.transpose() * (y - X * w))[0, 0] / 8 == b
    model = LeastSquares().fit(POINTS.X, POINTS.y)
    found = [*model.coef_[0], *model.intercept_]
    wanted = [float(int(v.p)) / float(int(v.q)) for v in (w[0, 0], w[1, 0], b)]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_an_update_adds_e_x_where_e_is_the_label_and_moves_the_response() -> None:
    """Eq. 4 and 5 on the kennel, whose numbers are whole: the response moves by ‖x‖² + 1."""
    kennel = builtin("kennel")
    rows = np.column_stack([kennel.X, np.ones(300)])
    signs = np.where(kennel.y == "dog", 1, -1)
    run = Perceptron(shuffle=False, max_iter=1).replay(kennel.X, kennel.y)
    mistakes = 0
    for place, (x, y) in enumerate(zip(rows, signs, strict=True)):
        seen = run.visit(1, place)
        before, after = (seen.before @ x)[0], (seen.after @ x)[0]
        e = y if y * before <= 0 else 0
        assert (seen.after[0] - seen.before[0]).tolist() == (e * x).tolist()
        assert after - before == e * (x @ x)
        mistakes += e != 0
    assert mistakes == 151


def test_a_batch_step_of_lms_is_half_of_the_gradient_of_the_squared_error() -> None:
    """Eq. 10 lacks a factor 2: XXᵀw − Xy is the gradient of ½ Σ e²."""
    X, y, w = np.column_stack([POINTS.X, np.ones(8)]), POINTS.y, np.array([0.0, 1.0, -0.5])

    def error(at: np.ndarray) -> float:
        return float(np.sum((y - X @ at) ** 2))

    rise = [(error(w + d) - error(w - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    model = LMS(eta0=0.1, batch_size=None, max_iter=1, tol=None).fit(POINTS.X, y, **START)
    step = np.array([*model.coef_[0], *model.intercept_]) - w
    np.testing.assert_allclose(-step / 0.1, np.array(rise) / 2, rtol=1e-7)
