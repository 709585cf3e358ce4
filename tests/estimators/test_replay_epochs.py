"""A run played again has the weights that it had."""

import numpy as np
import pytest

from rosenblatt import (
    LMS,
    BatchPerceptron,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    builtin,
)
from rosenblatt.estimators.replay import _chosen, replay


@pytest.mark.parametrize("name", ["kennel", "iris"])
@pytest.mark.parametrize("rule", [Perceptron(max_iter=30), LinearSVM(), LMS(eta0=1e-6)])
def test_the_last_frame_is_the_fitted_rule(rule: object, name: str) -> None:
    data = builtin(name)
    model = rule.fit(data.X, data.y)
    frames = replay(model, data.X, data.y, most=5)
    assert frames[-1].coef.tolist() == model.coef_.tolist()
    assert frames[-1].n_iter == model.n_iter_
    assert len(frames) <= 1 + 5
    assert not frames[0].coef.any()
    assert frames[0].n_iter == 0


def test_the_frames_of_the_lecture() -> None:
    """Lecture 003: (0, 1, −0.5), then (1.45, −0.6, −0.5) after the only pass with mistakes."""
    data = builtin("4f10")
    start = {"coef_init": [[0, 1]], "intercept_init": [-0.5]}
    model = BatchPerceptron(eta0=0.5).fit(data.X, data.y, **start)
    frames = replay(model, data.X, data.y, **start)
    assert [frame.n_iter for frame in frames] == list(range(model.n_iter_ + 1))
    assert (frames[0].coef.tolist(), frames[0].intercept.tolist()) == ([[0, 1]], [-0.5])
    assert replay(model, data.X, data.y) == []  # from 0 it is another run


def test_norms_of_the_frames_are_those_of_the_trace() -> None:
    """The trace of the one run is the referee of the many."""
    data = builtin("kennel")
    model = Perceptron(shuffle=True, random_state=3).fit(data.X, data.y)
    for frame in replay(model, data.X, data.y)[1:]:
        norm = np.linalg.norm([*frame.coef.ravel(), *frame.intercept])
        assert norm == pytest.approx(model.trace_[frame.n_iter - 1].norm)


def test_a_run_that_time_has_ended_is_played_without_a_clock() -> None:
    data = builtin("iris")
    model = Perceptron(max_iter=4).fit(data.X, data.y)
    model.set_params(time_limit=1e-9)  # as if the four had taken that long
    assert [frame.n_iter for frame in replay(model, data.X, data.y)] == [0, 1, 2, 3, 4]


def test_a_chosen_price_is_kept() -> None:
    data = builtin("iris")
    model = LogisticRegression(C="cv").fit(data.X, data.y)
    frames = replay(model, data.X, data.y, most=3)
    same = LogisticRegression(C=model.C_).fit(data.X, data.y)
    assert frames[-1].coef.tolist() == same.coef_.tolist()


def test_what_cannot_be_repeated_has_no_frames() -> None:
    data = builtin("kennel")
    shuffled = Perceptron(random_state=None, max_iter=3).fit(data.X, data.y)
    assert replay(shuffled, data.X, data.y) == []
    assert replay(LeastSquares().fit(data.X, data.y), data.X, data.y) == []
    assert replay(Perceptron().fit(data.X, data.y), data.X, data.y, work=2) == []


@pytest.mark.parametrize(
    ("passes", "most", "work", "chosen"),
    [
        (3, 24, np.inf, [1, 2, 3]),
        (1, 1, np.inf, [1]),
        (100, 4, np.inf, [1, 2, 3, 100]),
        (1000, 13, np.inf, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 46, 215, 1000]),
        (100, 24, 109, [1, 2, 3, 100]),
        (100, 24, 99, []),
    ],
)
def test_which_passes_are_played(passes: int, most: int, work: float, chosen: list) -> None:
    assert list(_chosen(passes, most, work)) == chosen
