"""Learning and capacity curves: the same test rows for all, nested rows, honest intervals."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    LeastSquaresRegressor,
    LinearDiscriminant,
    LinearSVM,
    builtin,
    capacity_curve,
    learning_curve,
)
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features import Polynomial

CLOUDS, IRIS, RINGS = builtin("overlapping"), builtin("iris"), builtin("rings")


class Witness(ClassifierMixin, BaseEstimator):
    """Decides for the class of the first row, and remembers what it was shown."""

    seen: list = []  # noqa: RUF012 (what learns are copies)

    def fit(self, X, y):
        self.seen.append((X[:, 0], None))
        self.classes_, self.first_ = np.unique(y), y[0]
        return self

    def predict(self, X):
        self.seen.append((X[:, 0], self.first_))
        return np.full(len(X), self.first_)


def test_rows_are_nested_and_test_rows_the_same():
    X = np.arange(150.0)[:, None]
    Witness.seen.clear()
    curve = learning_curve(Witness(), X, IRIS.y, [3, 30, 90], test=0.2, n_repeats=2)
    heard = [rows for rows, _ in Witness.seen]
    learned, judged = heard[0::3], heard[2::3]
    assert [len(rows) for rows in learned] == [3, 3, 30, 30, 90, 90]
    assert all(np.array_equal(rows, judged[0]) for rows in judged)
    for small, middle, large in (learned[0::2], learned[1::2]):
        assert set(small) < set(middle) < set(large)
        for rows in (small, middle, large):
            assert not set(rows) & set(judged[0])
            counts = np.unique(IRIS.y[rows.astype(int)], return_counts=True)[1]
            assert len(counts) == 3
            assert np.ptp(counts) <= 2
    assert set(learned[0]) != set(learned[1])  # two orders
    assert curve.n_test == len(judged[0]) == 30


def test_errors_and_intervals_are_those_of_the_rows():
    Witness.seen.clear()
    X = np.arange(200.0)[:, None]
    (point,) = learning_curve(Witness(), X, CLOUDS.y, [60], n_repeats=1).points
    (_, training, test) = Witness.seen
    for measured, (rows, predicted) in ((point.training, training), (point.test, test)):
        wrong = int(np.sum(CLOUDS.y[rows.astype(int)] != predicted))
        assert measured.value == wrong / len(rows)
        interval = binomtest(wrong, len(rows)).proportion_ci(method="wilson")
        assert measured[1:] == pytest.approx(tuple(interval))


def test_more_rows_help_and_the_curves_meet():
    curve = learning_curve(LinearDiscriminant(), CLOUDS.X, CLOUDS.y, n_repeats=10)
    sizes = [point.value for point in curve.points]
    assert (sizes[0], sizes[-1], len(sizes)) == (20, 150, 8)
    first, last = curve.points[0], curve.points[-1]
    assert first.test.value > last.test.value
    assert abs(last.test.value - last.training.value) < 0.05


def test_capacity():
    """One neighbour knows its own row by heart; all of them know nothing."""
    curve = capacity_curve(
        KNeighborsClassifier, CLOUDS.X, CLOUDS.y, [1, 15, 100], test=0.5, axis="k"
    )
    one, some, all_of_them = curve.points
    assert one.training.value == 0.0
    assert one.test.value > some.test.value
    assert all_of_them.training.value == 0.5
    assert {point.n_rows for point in curve.points} == {100}


def test_a_degree_of_two_is_enough_for_rings():
    def powers(degree):
        return make_pipeline(Polynomial(degree), LinearSVM(C=100.0))

    curve = capacity_curve(powers, RINGS.X, RINGS.y, [1, 2], axis="degree")
    line, conic = curve.points
    assert line.test.low > 0.2
    assert conic.training.value == conic.test.value == 0.0
    told = str(curve).splitlines()
    assert told[0] == "Polynomial → LinearSVM, 50 test rows"
    assert told[-1] == "     2    0.00 % (0.0–2.5 %)       0.00 % (0.0–7.1 %)"
    assert curve.rows()[1] == {
        "degree": 2,
        "n_rows": 150,
        "training_error": 0.0,
        "training_error_low": 0.0,
        "training_error_high": conic.training.high,
        "test_error": 0.0,
        "test_error_low": 0.0,
        "test_error_high": conic.test.high,
    }


def test_rows_that_are_given_are_the_test_rows():
    halves = slice(0, None, 2), slice(1, None, 2)
    (X, y), test = ((CLOUDS.X[half], CLOUDS.y[half]) for half in halves)
    (point,) = capacity_curve(KNeighborsClassifier, X, y, [5], test=test).points
    model = KNeighborsClassifier(5).fit(X, y)
    assert point.n_rows == 100
    assert point.training.value == pytest.approx(1 - model.score(X, y))
    assert point.test.value == pytest.approx(1 - model.score(*test))
    (least, most) = learning_curve(KNeighborsClassifier(1), X, y, [10, 100], test=test).points
    assert most.test.value == pytest.approx(1 - KNeighborsClassifier(1).fit(X, y).score(*test))
    assert least.n_rows == 10


def test_regressors_are_measured_in_squared_errors():
    """More powers always fit the training rows better; the test rows see the noise."""
    x, new = np.linspace(0, 1, 12)[:, None], np.linspace(0.02, 0.98, 200)[:, None]
    rng = np.random.default_rng(1)
    y, truth = np.sin(6 * x[:, 0]) + rng.normal(size=12) / 5, np.sin(6 * new[:, 0])

    def powers(degree):
        return make_pipeline(Polynomial(degree), LeastSquaresRegressor())

    curve = capacity_curve(powers, x, y, [1, 3, 11], axis="degree", test=(new, truth))
    line, cubic, all_of_them = curve.points
    fitted = powers(3).fit(x, y)
    for measured, rows, values in ((cubic.training, x, y), (cubic.test, new, truth)):
        wanted = mean_squared_error(values, fitted.predict(rows))
        assert measured.value == pytest.approx(wanted, rel=1e-12)
        assert measured.low < wanted < measured.high
    assert line.training.value > cubic.training.value > all_of_them.training.value
    assert all_of_them.training.value < 1e-12
    assert line.test.value > cubic.test.value
    assert all_of_them.test.value > 10 * cubic.test.value
    assert "squared" in str(curve).splitlines()[0]
    assert curve.rows()[1]["test_error"] == cubic.test.value
    (held_out,) = capacity_curve(powers, x, y, [2], test=0.25).points
    assert held_out.n_rows == 9


def test_refusals():
    X, y = IRIS.X, IRIS.y
    with pytest.raises(ParameterError, match="must be a classifier; Ridge is a regressor"):
        learning_curve(Ridge(), X, y)
    with pytest.raises(ParameterError, match="sizes must be an integer of at least 3; got 2"):
        learning_curve(Witness(), X, y, [2])
    with pytest.raises(DataError, match="200 rows were requested, but only 112"):
        learning_curve(Witness(), X, y, [200])
    with pytest.raises(ParameterError, match="n_repeats must be an integer of at least 1"):
        learning_curve(Witness(), X, y, n_repeats=0)
    with pytest.raises(ParameterError, match="test must be a finite number above 0"):
        learning_curve(Witness(), X, y, test=0)
    with pytest.raises(ParameterError, match="3 items"):
        capacity_curve(KNeighborsClassifier, X, y, [1], test=(X, y, y))
    with pytest.raises(DataError, match="149"):
        capacity_curve(KNeighborsClassifier, X, y, [1], test=(X, y[1:]))
    with pytest.raises(DataError, match="of another kind"):
        capacity_curve(KNeighborsClassifier, X, y, [1], test=(X, np.arange(150) % 3))
    with pytest.raises(DataError, match="one value for each"):
        capacity_curve(Ridge, X, X, [1.0])
    with pytest.raises(
        ParameterError, match="values must hold at least one argument of make_estimator"
    ):
        capacity_curve(KNeighborsClassifier, X, y, [])
