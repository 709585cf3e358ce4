"""scikit-learn's callbacks: they hear of every digit of the gap, and may end a fit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from rosenblatt import LinearSVM, LogisticRegression, builtin, load, save
from rosenblatt.estimators import sklearn_interface
from rosenblatt.online.result import Ending

sklearn_callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has no callbacks")
IRIS = builtin("iris")


class Recorder:
    """A callback that keeps what it is told, and asks for the end after some tasks."""

    def __init__(self, end_after: float = np.inf) -> None:
        self.told: list[tuple[str, str, Any]] = []
        self._end_after = end_after

    def setup(self, estimator: Any, context: Any) -> None:
        del estimator
        self.told.append(("setup", context.task_name, None))

    def teardown(self, estimator: Any, context: Any) -> None:
        del estimator
        self.told.append(("teardown", context.task_name, None))

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        del estimator
        self.told.append(("begin", context.task_name, None))

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None, y: Any = None
    ) -> bool:
        del estimator
        self.told.append(("end", context.task_name, (fitted_estimator, y)))
        return len(self.ends("digit of the gap")) >= self._end_after

    def ends(self, name: str) -> list[Any]:
        return [given for when, task, given in self.told if (when, task) == ("end", name)]


@pytest.mark.parametrize("n", [100, 150], ids=["two classes", "softmax"])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_every_digit_of_the_gap_is_a_task(n: int, shift: float) -> None:
    recorder = Recorder()
    model = LogisticRegression(tol=1e-5).set_callbacks(recorder)
    model.fit(IRIS.X[-n:] + shift, IRIS.y[-n:])
    assert [told[:2] for told in recorder.told[:2]] == [("setup", "fit"), ("begin", "fit")]
    assert [told[:2] for told in recorder.told[-2:]] == [("end", "fit"), ("teardown", "fit")]
    digits = recorder.ends("digit of the gap")
    assert len(digits) == 5
    for fitted, y in [*digits, *recorder.ends("fit")]:
        assert fitted.score(IRIS.X[-n:] + shift, y) > 0.3
    np.testing.assert_array_equal(recorder.ends("fit")[0][0].coef_, model.coef_)
    plain = LogisticRegression(tol=1e-5).fit(IRIS.X[-n:] + shift, IRIS.y[-n:])
    np.testing.assert_array_equal(plain.coef_, model.coef_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_unit_has_its_digits(n_jobs: int) -> None:
    recorder = Recorder()
    LinearSVM(tol=1e-4, n_jobs=n_jobs).set_callbacks(recorder).fit(IRIS.X, IRIS.y)
    assert len(recorder.ends("digit of the gap")) == 3 * 4
    assert all(len(recorder.ends(f"unit {unit}")) == 1 for unit in range(3))
    assert len(recorder.ends("fit")) == 1


@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("n", [100, 150], ids=["two classes", "softmax"])
def test_a_callback_may_end_a_fit(n: int, C: float) -> None:
    X, y = IRIS.X[-n:, 1:2], IRIS.y[-n:]
    model = LogisticRegression(C=C, tol=1e-12).set_callbacks(Recorder(end_after=1)).fit(X, y)
    assert model.outcome_.ending is Ending.STOPPED_BY_CALLBACK
    assert str(model.outcome_).startswith("Stopped by a callback, after")
    assert 1e-12 < model.gap_ < 1
    best = LogisticRegression(C=C, tol=1e-12).fit(X, y)
    assert model.objective_ * (1 - model.gap_) <= best.objective_ <= model.objective_


def test_a_fit_that_fails_tears_callbacks_down() -> None:
    class Failing(Recorder):
        def on_fit_task_end(self, *_: Any) -> bool:
            raise RuntimeError("on purpose")

    recorder = Failing()
    model = LogisticRegression().set_callbacks(recorder)
    with pytest.raises(RuntimeError, match="on purpose"):
        model.fit(IRIS.X, IRIS.y)
    assert not hasattr(model, "coef_")
    assert recorder.told[-1][:2] == ("teardown", "fit")
    assert not [name for name in vars(model) if "ctx" in name or "teardown" in name]


def test_callbacks_are_cloned_but_not_saved(tmp_path: Path) -> None:
    recorder = Recorder()
    model = clone(LogisticRegression().set_callbacks(recorder)).fit(IRIS.X, IRIS.y)
    assert recorder.ends("fit")
    save(model, tmp_path / "model.rosenblatt")
    assert "_skl_callbacks" not in vars(load(tmp_path / "model.rosenblatt"))


def test_the_callbacks_of_scikit_learn() -> None:
    monitor = sklearn_callback.ScoringMonitor(scoring="accuracy")
    model = LogisticRegression().set_callbacks(monitor, sklearn_callback.ProgressBar())
    model.fit(IRIS.X, IRIS.y, sample_weight=np.ones(150))
    assert monitor.get_logs() is not None
    with pytest.raises(TypeError, match="FitCallback"):
        model.set_callbacks("no callback")


def test_an_older_scikit_learn_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hasattr(LogisticRegression(), "set_callbacks")
    monkeypatch.setattr(sklearn_interface, "is_supported", lambda: False)
    assert not hasattr(LogisticRegression(), "set_callbacks")
