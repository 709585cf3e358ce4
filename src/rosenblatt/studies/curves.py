"""Training and test error as the rows grow in number, or the models in capacity."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from rosenblatt.arrays import Array
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import checks
from rosenblatt.fitting.assessing import wilson
from rosenblatt.studies.intervals import Measured
from rosenblatt.studies.models import called, fitted_to
from rosenblatt.studies.rows import (
    Labelled,
    Random,
    classes_in,
    dealt,
    generator_of,
    labelled,
    set_apart,
)

STEPS = 8  # of a learning curve, where its sizes are not given
SMALLEST = 10  # rows a class, about, of its first step


@dataclass(frozen=True)
class CurvePoint:
    """Share of rows that are decided wrong, among those learned from and among the test rows."""

    value: Any
    n_rows: int
    training: Measured
    test: Measured


@dataclass(frozen=True)
class Curve:
    """Errors at several values of something; the test rows are the same for all.

    Intervals of 95 % are Wilson's, for as many independent rows as there are. Where several models
    were averaged, the true ones are narrower.
    """

    axis: str
    estimator: str
    n_test: int
    points: tuple[CurvePoint, ...]

    def rows(self) -> list[dict[str, Any]]:
        """The points as plain data, a dictionary each: to plot, or to make a frame of."""
        return [
            {
                self.axis: point.value,
                "n_rows": point.n_rows,
                **_named("training_error", point.training),
                **_named("test_error", point.test),
            }
            for point in self.points
        ]

    def __str__(self) -> str:
        told = [str(point.value) for point in self.points]
        width = max(len(word) for word in [*told, self.axis])
        lines = [
            f"{self.estimator}, {self.n_test:,} test rows",
            f"{self.axis:>{width}}  training error             test error",
        ]
        for word, point in zip(told, self.points, strict=True):
            training, test = _share(point.training), _share(point.test)
            lines.append(f"{word:>{width}}  {training:25}  {test}")
        return "\n".join(lines)


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    sizes: Sequence[int] | None = None,
    *,
    test: float = 0.25,
    n_repeats: int = 5,
    random_state: Any = 0,
) -> Curve:
    """Training and test error of a classifier against the number of rows it learns from.

    Where the two curves meet, more rows will not help; where they are far apart, they will.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Pipelines included; it is not changed.
    X : array-like, sparse matrix or frame of n rows
        Whatever the estimator takes.
    y : array-like of shape (n,)
        Labels.
    sizes : sequence of int, optional
        Numbers of rows; by default 8 from about ten a class to all that are not test rows.
    test : float, default=0.25
        Share of the rows that is set apart, to judge every model.
    n_repeats : int, default=5
        Orders of the other rows that are averaged over. In each, a size takes the first rows, so
        that a larger one has all rows of a smaller one, and classes by their shares.
    random_state : int, RandomState or None, default=0
        Draws the test rows and the orders.

    Returns
    -------
    Curve
        Printed as a table; `rows()` gives plain data.

    Examples
    --------
    >>> from rosenblatt import LinearDiscriminant, builtin, learning_curve
    >>> data = builtin("overlapping")
    >>> print(learning_curve(LinearDiscriminant(), data.X, data.y, sizes=[5, 20, 150]))
    LinearDiscriminant, 50 test rows
    rows  training error             test error
       5   12.00% (1.47% to 55.55%)   33.20% (21.76% to 47.03%)
      20   14.00% (4.71% to 34.89%)   18.80% (10.35% to 31.70%)
     150   12.67% (8.26% to 18.94%)   14.00% (6.95% to 26.19%)
    """
    checks.whole("n_repeats", n_repeats, least=1)
    train, judges, rng = _parts(estimator, X, y, test, random_state)
    wanted = _sizes(sizes, train.y)
    orders = [dealt(train.y, rng) for _ in range(n_repeats)]
    points = []
    for size in wanted:
        errors = [_errors(estimator, train.take(order[:size]), judges) for order in orders]
        points.append(_point(size, size, np.mean(errors, axis=0), len(judges)))
    return Curve("rows", called(estimator), len(judges), tuple(points))


def capacity_curve(
    make_estimator: Callable[[Any], Any],
    X: Any,
    y: Any,
    values: Iterable[Any],
    *,
    axis: str = "capacity",
    test: float = 0.25,
    random_state: Any = 0,
) -> Curve:
    """Training and test error of classifiers against their capacity.

    Parameters
    ----------
    make_estimator : callable
        Makes a classifier for a value, such as a pipeline of a map of that degree and a rule.
    X : array-like, sparse matrix or frame of n rows
        Whatever the estimators take.
    y : array-like of shape (n,)
        Labels.
    values : iterable
        Degrees, numbers of random products, prices of a penalty: whatever is made something of.
    axis : str, default="capacity"
        How the values are called.
    test : float, default=0.25
        Share of the rows that is set apart, to judge every model.
    random_state : int, RandomState or None, default=0
        Draws the test rows.

    Returns
    -------
    Curve
        Printed as a table; `rows()` gives plain data.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from rosenblatt import LinearDiscriminant, builtin, capacity_curve
    >>> from rosenblatt.features import Polynomial
    >>> def powers(degree):
    ...     return make_pipeline(Polynomial(degree), LinearDiscriminant())
    >>> data = builtin("rings")
    >>> print(capacity_curve(powers, data.X, data.y, [1, 2], axis="degree"))
    Polynomial → LinearDiscriminant, 50 test rows
    degree  training error             test error
         1   50.00% (42.10% to 57.90%)   46.00% (32.97% to 59.60%)
         2    0.00% (0.00% to 2.50%)     0.00% (0.00% to 7.13%)
    """
    values = list(values)
    if not values:
        raise ParameterError("values must hold something to make an estimator of; it is empty.")
    makers = [make_estimator(value) for value in values]
    train, judges, _ = _parts(makers[0], X, y, test, random_state)
    points = [
        _point(value, len(train), np.array(_errors(made, train, judges)), len(judges))
        for value, made in zip(values, makers, strict=True)
    ]
    return Curve(axis, called(makers[0]), len(judges), tuple(points))


def _parts(
    estimator: Any, X: Any, y: Any, test: float, random_state: Any
) -> tuple[Labelled, Labelled, Random]:
    """Rows to learn from, rows that judge, and what draws."""
    if is_regressor(estimator):
        raise ParameterError(
            f"A curve counts wrong decisions, and {type(estimator).__name__} decides nothing: give"
            " a classifier."
        )
    checks.number("test", test, above=0, most=1)
    rng = generator_of(random_state)
    data = labelled(X, y, estimator)
    train, judges = set_apart(dealt(data.y, rng), test)
    return data.take(train), data.take(judges), rng


def _sizes(given: Sequence[int] | None, y: Array) -> list[int]:
    least, most = len(classes_in(y)), len(y)
    if given is None:
        first = min(SMALLEST * least, most)
        return sorted(set(np.geomspace(first, most, STEPS).round().astype(int).tolist()))
    for size in given:
        checks.whole("sizes", size, least=least)
        if size > most:
            raise DataError(f"{size:,} rows were asked for; {most:,} are left to learn from.")
    return [int(size) for size in given]


def _errors(estimator: Any, train: Labelled, test: Labelled) -> tuple[float, float]:
    model = fitted_to(estimator, train)
    wrong = [float(np.mean(np.asarray(model.predict(part.X)) != part.y)) for part in (train, test)]
    return wrong[0], wrong[1]


def _point(value: Any, n_rows: int, errors: Array, n_test: int) -> CurvePoint:
    training, test = map(float, errors)
    return CurvePoint(
        value,
        n_rows,
        Measured(training, *wilson(training, n_rows)),
        Measured(test, *wilson(test, n_test)),
    )


def _named(name: str, measured: Measured) -> dict[str, float]:
    return {name: measured.value, f"{name}_low": measured.low, f"{name}_high": measured.high}


def _share(measured: Measured) -> str:
    return f"{measured.value:7.2%} ({measured.low:.2%} to {measured.high:.2%})"
