"""Training and test error as the rows grow in number, or the models in capacity."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from rosenblatt.comparison.run import (
    LabelledData,
    Random,
    classes_in,
    estimator_name,
    fit_copy,
    generator_of,
    given_rows,
    labelled,
)
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.model_selection.split import split_order, stratified_order
from rosenblatt.pipeline.evaluate import IntervalEstimate, bootstrap_means, wilson
from rosenblatt.types import Array

N_SIZES = 8  # of a learning curve by default
MIN_ROWS_PER_CLASS = 10  # of its smallest size, about


@dataclass(frozen=True)
class CurvePoint:
    """Errors on the training rows and on the test rows."""

    value: Any
    n_rows: int
    training: IntervalEstimate
    test: IntervalEstimate


@dataclass(frozen=True)
class Curve:
    """Training and test errors at several values of a parameter, on the same test rows.

    The 95 % intervals are Wilson's, for so many independent rows. Where several models were
    averaged, the true ones are narrower. The errors of a `regression` are mean squared errors, with
    bootstrap intervals over the rows.
    """

    axis: str
    estimator: str
    n_test: int
    points: tuple[CurvePoint, ...]
    regression: bool = False

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
        values = [str(point.value) for point in self.points]
        width = max(len(word) for word in [*values, self.axis])
        measured = ", mean squared errors" if self.regression else ""
        lines = [
            f"{self.estimator}, {self.n_test:,} test rows{measured}",
            f"{self.axis:>{width}}  training error           test error",
        ]
        write = _number if self.regression else _share
        for word, point in zip(values, self.points, strict=True):
            training, test = write(point.training), write(point.test)
            lines.append(f"{word:>{width}}  {training:23}  {test}")
        return "\n".join(lines)


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    sizes: Sequence[int] | None = None,
    *,
    test: Any = 0.25,
    n_repeats: int = 5,
    random_state: Any = 0,
) -> Curve:
    """Training and test error of a classifier against the number of training rows.

    Once the two curves have met, more rows will not help; while they are far apart, they may.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Pipelines included; it is not changed.
    X : array-like, sparse matrix or data frame of n rows
        Whatever the estimator takes.
    y : array-like of shape (n,)
        Labels.
    sizes : sequence of int, optional
        Numbers of training rows; by default 8, from about ten per class to all training rows.
    test : float, default=0.25
        Share of the rows to hold out as the test set of every model.
    n_repeats : int, default=5
        Number of stratified orders of the training rows to average over. A training set is the
        first rows of an order, so larger training sets contain the smaller ones.
    random_state : int, RandomState or None, default=0
        Random seed of the split and the orders.

    Returns
    -------
    Curve
        Printed as a table; `rows()` returns plain data.

    Examples
    --------
    >>> from rosenblatt import LinearDiscriminant, builtin, learning_curve
    >>> data = builtin("overlapping")
    >>> print(learning_curve(LinearDiscriminant(), data.X, data.y, sizes=[5, 20, 150]))
    LinearDiscriminant, 50 test rows
    rows  training error           test error
       5   12.00 % (1.5–55.6 %)     33.20 % (21.8–47.0 %)
      20   14.00 % (4.7–34.9 %)     18.80 % (10.4–31.7 %)
     150   12.67 % (8.3–18.9 %)     14.00 % (7.0–26.2 %)
    """
    parameters.whole("n_repeats", n_repeats, least=1)
    if is_regressor(estimator):
        raise ParameterError(
            f"A learning curve takes stratified rows, so the estimator must be a classifier;"
            f" {type(estimator).__name__} is a regressor."
        )
    train, held_out, rng = _parts(estimator, X, y, test, random_state)
    wanted = _sizes(sizes, train.y)
    orders = [stratified_order(train.y, rng) for _ in range(n_repeats)]
    points = []
    for size in wanted:
        errors = [_errors(estimator, train.take(order[:size]), held_out) for order in orders]
        rates = [[float(wrong.mean()) for wrong in pair] for pair in errors]
        points.append(_point(size, size, np.mean(rates, axis=0), len(held_out)))
    return Curve("rows", estimator_name(estimator), len(held_out), tuple(points))


def capacity_curve(
    make_estimator: Callable[[Any], Any],
    X: Any,
    y: Any,
    values: Iterable[Any],
    *,
    axis: str = "capacity",
    test: Any = 0.25,
    random_state: Any = 0,
) -> Curve:
    """Training and test error of classifiers, or of regressors, against their capacity.

    Parameters
    ----------
    make_estimator : callable
        Returns an estimator for a value, such as a pipeline of a map of that degree and a rule.
    X : array-like, sparse matrix or data frame of n rows
        Whatever the estimators take.
    y : array-like of shape (n,)
        Labels, or values for regressors.
    values : iterable
        Degrees, numbers of random products, strengths of a penalty: arguments of make_estimator.
    axis : str, default="capacity"
        Name of the values.
    test : float or (X, y), default=0.25
        Share of the rows to hold out as the test set of every model; or the test rows are given.
    random_state : int, RandomState or None, default=0
        Random seed of the split.

    Returns
    -------
    Curve
        Printed as a table; `rows()` returns plain data.

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
    degree  training error           test error
         1   50.00 % (42.1–57.9 %)    46.00 % (33.0–59.6 %)
         2    0.00 % (0.0–2.5 %)       0.00 % (0.0–7.1 %)
    """
    values = list(values)
    if not values:
        raise ParameterError(
            "values must hold at least one argument of make_estimator; it is empty."
        )
    makers = [make_estimator(value) for value in values]
    train, held_out, rng = _parts(makers[0], X, y, test, random_state)
    regression = is_regressor(makers[0])
    points = []
    for value, made in zip(values, makers, strict=True):
        errors = _errors(made, train, held_out)
        if regression:
            means = [bootstrap_means(squares[:, None], rng)[0] for squares in errors]
            points.append(CurvePoint(value, len(train), *means))
        else:
            rates = np.array([wrong.mean() for wrong in errors])
            points.append(_point(value, len(train), rates, len(held_out)))
    name = estimator_name(makers[0])
    return Curve(axis, name, len(held_out), tuple(points), regression=regression)


def _parts(
    estimator: Any, X: Any, y: Any, test: Any, random_state: Any
) -> tuple[LabelledData, LabelledData, Random]:
    """Training rows, test rows, and the random generator."""
    rng = generator_of(random_state)
    data = labelled(X, y, estimator)
    if isinstance(test, tuple | list):
        return data, given_rows(test, estimator, data), rng
    parameters.number("test", test, above=0, most=1)
    regression = is_regressor(estimator)
    order = rng.permutation(len(data)) if regression else stratified_order(data.y, rng)
    train, tested = split_order(order, test)
    return data.take(train), data.take(tested), rng


def _sizes(given: Sequence[int] | None, y: Array) -> list[int]:
    least, most = len(classes_in(y)), len(y)
    if given is None:
        first = min(MIN_ROWS_PER_CLASS * least, most)
        return sorted(set(np.geomspace(first, most, N_SIZES).round().astype(int).tolist()))
    for size in given:
        parameters.whole("sizes", size, least=least)
        if size > most:
            raise DataError(f"{size:,} rows were requested, but only {most:,} can be trained on.")
    return [int(size) for size in given]


def _errors(estimator: Any, train: LabelledData, test: LabelledData) -> tuple[Array, Array]:
    """Whether each training and test row is misclassified; of a regressor the squared error."""
    model = fit_copy(estimator, train)
    predicted = [np.asarray(model.predict(part.X)) for part in (train, test)]
    if is_regressor(estimator):
        return (predicted[0] - train.y) ** 2, (predicted[1] - test.y) ** 2
    return predicted[0] != train.y, predicted[1] != test.y


def _point(value: Any, n_rows: int, errors: Array, n_test: int) -> CurvePoint:
    training, test = map(float, errors)
    return CurvePoint(
        value,
        n_rows,
        IntervalEstimate(training, *wilson(training, n_rows)),
        IntervalEstimate(test, *wilson(test, n_test)),
    )


def _named(name: str, measured: IntervalEstimate) -> dict[str, float]:
    return {name: measured.value, f"{name}_low": measured.low, f"{name}_high": measured.high}


def _number(measured: IntervalEstimate) -> str:
    return f"{measured.value:.4g} ({measured.low:.4g}–{measured.high:.4g})"


def _share(measured: IntervalEstimate) -> str:
    interval = f"{100 * measured.low:.1f}–{100 * measured.high:.1f} %"
    return f"{100 * measured.value:6.2f} % ({interval})"
