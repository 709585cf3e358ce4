"""A run visited row by row is the run that `fit` makes, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from rosenblatt import (
    AROW,
    LMS,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    TanhPerceptron,
    builtin,
)
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.replay import StateHistory

ONLINE = [AROW, LMS, PassiveAggressive, Perceptron, SecondOrderPerceptron, TanhPerceptron]


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("estimator", ONLINE)
def test_last_row_of_each_pass_has_the_weights_of_a_shorter_run(
    estimator: type, *, shuffle: bool
) -> None:
    data = builtin("iris")
    order = {"shuffle": shuffle, "random_state": 7}
    run = estimator(**order, max_iter=3).replay(data.X, data.y)
    for passes in range(1, run.n_epochs + 1):
        shorter = estimator(**order, max_iter=passes).fit(data.X, data.y)
        seen = run.visit(passes, run.n_rows - 1).after
        assert np.array_equal(seen[:, :-1], shorter.coef_)
        assert np.array_equal(seen[:, -1], shorter.intercept_)


def test_rows_of_lecture_001() -> None:
    X, y = np.array([[1.0, 1.0], [2.0, 1.0]]), np.array([-1, 1])
    model = Perceptron(eta0=0.1, shuffle=False, max_iter=1)
    run = model.replay(X, y, coef_init=[0.2, 0.0], intercept_init=-0.1)
    first, second = run.visit(1, 0), run.visit(1, 1)
    assert first.before == pytest.approx(np.array([[0.2, 0.0, -0.1]]))
    assert first.after == pytest.approx(np.array([[0.1, -0.1, -0.2]]))
    assert second.after == pytest.approx(np.array([[0.3, 0.0, -0.1]]))
    assert (first.mistake, first.changed) == (True, True)


@pytest.mark.parametrize("keep", ["last", "average"])
def test_visits_follow_a_textbook_loop(keep: str) -> None:
    data = builtin("overlapping")
    signs = np.where(data.y == 1, 1.0, -1.0)
    run = Perceptron(shuffle=False, max_iter=2, keep=keep).replay(data.X, data.y)
    w, total, seen = np.zeros(3), np.zeros(3), 0
    path = [W[0] for passes in (1, 2) for W in run.path(passes)]
    for step in range(2 * run.n_rows):
        passes, row = divmod(step, run.n_rows)
        x = np.append(data.X[row], 1.0)
        wrong = signs[row] * (w @ x) <= 0
        w = w + signs[row] * x if wrong else w
        total, seen = total + w, seen + 1
        assert path[step] == pytest.approx(w)
        if step % 37 == 0:
            visit = run.visit(passes + 1, row)
            assert (visit.mistake, visit.changed) == (wrong, wrong)
            assert visit.after[0] == pytest.approx(w)
            assert visit.kept[0] == pytest.approx(total / seen if keep == "average" else w)


@pytest.mark.parametrize("n", [200, 3000])  # one permutation, and a shuffle by strips
def test_a_shuffled_pass_visits_every_row_once_in_another_order(n: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 2)), rng.integers(0, 2, n)
    run = Perceptron(max_iter=3, random_state=0).replay(X, y)
    orders = [run.order(passes).tolist() for passes in (1, 2)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(n))
    for place in (0, 1, n - 1):
        seen = run.visit(2, place)
        row = orders[1][place]
        x, sign = np.append(X[row], 1.0), 2 * y[row] - 1
        assert seen.row == row
        assert seen.mistake == (sign * (seen.before[0] @ x) <= 0)
        assert seen.after[0] == pytest.approx(seen.before[0] + seen.mistake * sign * x)


def test_few_memories_give_the_same_visits_as_many() -> None:
    data = builtin("overlapping")
    model = Perceptron(max_iter=40, keep="average", random_state=0)
    run = model.replay(data.X, data.y)
    few = StateHistory(max_bytes=5 * sum(part.nbytes for part in run.history.kept[0]))
    for state in run.history.kept:
        few.add(state)
    thin = replace(run, history=few)
    assert (thin.n_epochs, few.stride, len(few.kept) <= 5) == (run.n_epochs, 16, True)
    for passes in (1, 2, 16, 17, 31, 40):
        for mine, theirs in zip(thin.visit(passes, 99), run.visit(passes, 99), strict=True):
            assert np.array_equal(mine, theirs)
    assert np.array_equal(thin.ends()[0], run.ends()[0])
    assert np.array_equal(thin.ends()[-1], run.ends()[-1])


def test_what_cannot_be_visited_is_refused() -> None:
    data = builtin("4f10")
    with pytest.raises(ParameterError, match="early_stopping=False"):
        Perceptron(early_stopping=True).replay(data.X, data.y)
    model = Perceptron(shuffle=False)
    run = model.replay(data.X, data.y)
    assert (model.predict(data.X) == data.y).all()
    for passes, row in ((0, 0), (run.n_epochs + 1, 0), (1, 8), (1, -1)):
        with pytest.raises(ParameterError, match="there is no step"):
            run.visit(passes, row)
