"""The proof of the convergence theorem with the numbers of a run, mistake by mistake.

Of unit weights w* with y (w*·x) ≥ γ for every vector x = (x, 1), and of rows with ‖x‖ ≤ R, each
mistake of a perceptron from w = 0 adds y x with y (w·x) ≤ 0. After k mistakes therefore

    w·w* ≥ kγ      and      ‖w‖² ≤ kR²,      so that      kγ ≤ w·w* ≤ ‖w‖ ≤ √k R

and k ≤ R²/γ². (Lecture 000 asks for y (w*·x) ≥ γ/2: its γ is twice this one, its bound 4R²/γ² the
same number.) With a learning rate η all weights are η times as long.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.labels import codes_of, labels_of
from rosenblatt.data.training_data import unlabelled
from rosenblatt.data.validation import rows_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.base import clone_with
from rosenblatt.estimators.linear_base import given_numbers
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.replay import Replay
from rosenblatt.estimators.sklearn_interface import outcomes_alone
from rosenblatt.kernels.rows import Rows, n_cols, n_rows
from rosenblatt.linalg.scores import scores_of
from rosenblatt.online.stopping import row_norms
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.verdict import Inseparable, Separable
from rosenblatt.types import Floats, Ints

SHOWN_FIRST, SHOWN_LAST = 12, 4  # mistakes of a long table
MIN_SCORE = 1e-290  # η R γ: below, products w·x underflow
PREMISES = {  # of the theorem: the parameters of a run that starts at zero and only adds η y x
    "penalty": None,
    "learning_rate": "constant",
    "class_weight": None,
    "start": "zero",
    "early_stopping": False,
}


@dataclass(frozen=True, eq=False, repr=False)
class ConvergenceTable:
    """A run of a perceptron beside the bounds of the convergence theorem, a line each mistake.

    ==================  ===========================================================================
    `mistake`           number k of the mistake, from 1
    `epoch`, `row`      when it was made, and at which row
    `projection`        w·w* after it
    `lower_bound`       kγ (times η), which the projection is never below
    `squared_norm`      ‖w‖² after it
    `upper_bound`       kR² (times η²), which the squared norm is never above
    `cosine`            w·w* / ‖w‖, at most 1
    ==================  ===========================================================================

    These are arrays. `solution` is w*, of length 1, with the intercept last; `margin` is γ and
    `radius` R, both of the vectors (x, 1), or of x where the model has no intercept.
    """

    mistake: Ints
    epoch: Ints
    row: Ints
    projection: Floats
    lower_bound: Floats
    squared_norm: Floats
    upper_bound: Floats
    cosine: Floats
    solution: Floats
    margin: float
    radius: float

    @property
    def mistake_bound(self) -> int:
        """⌊R²/γ²⌋: no run from zero makes more mistakes."""
        return int((Fraction(self.radius) / Fraction(self.margin)) ** 2)

    def rows(self) -> list[dict[str, Any]]:
        """The lines as plain data, a dictionary each: to plot, or to make a frame of."""
        columns = [getattr(self, name).tolist() for name in _COLUMNS]
        return [dict(zip(_COLUMNS, line, strict=True)) for line in zip(*columns, strict=True)]

    def __len__(self) -> int:
        """Number of mistakes."""
        return len(self.mistake)

    def __repr__(self) -> str:
        return f"ConvergenceTable({len(self)} mistakes; at most {self.mistake_bound:,})"

    def __str__(self) -> str:
        sentence = (
            f"{len(self):,} mistakes; with γ = {self.margin:.6g} and R = {self.radius:.6g} at most"
            f" ⌊R²/γ²⌋ = {self.mistake_bound:,}."
        )
        lines = [[*_HEADINGS], *map(_cells, self.rows())]
        if len(lines) - 1 > SHOWN_FIRST + SHOWN_LAST:
            lines[SHOWN_FIRST + 1 : -SHOWN_LAST] = [["…"] * len(_HEADINGS)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join([sentence, *("  ".join(map(str.rjust, line, widths)) for line in lines)])


_COLUMNS = (
    "mistake",
    "epoch",
    "row",
    "projection",
    "lower_bound",
    "squared_norm",
    "upper_bound",
    "cosine",
)
_HEADINGS = ("k", "epoch", "row", "w·w*", "≥ kγ", "|w|²", "≤ kR²", "cosine")


def _cells(line: dict[str, Any]) -> list[str]:
    return [f"{v:.4g}" if isinstance(v, float) else str(v) for v in line.values()]


def convergence_table(model: Perceptron, X: Any, y: Any, solution: Any = None) -> ConvergenceTable:
    """Every mistake of a perceptron trained from w = 0, with the bounds of the theorem's proof.

    Parameters
    ----------
    model : Perceptron
        Its parameters define the run. It need not be fitted, and is not changed; if it is fitted,
        it must have been fitted by the same run.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows of two separable classes.
    y : array-like of shape (n_samples,)
        Their labels.
    solution : Separable or array-like of shape (n_features + 1,), optional
        The weights w* of the proof, with the intercept last if the model has one, of any length; or
        the record of `separability(X, y)`. By default those with the largest margin.

    Returns
    -------
    ConvergenceTable
        Columns as arrays; printed as a table. `rows()` returns plain data.

    Examples
    --------
    >>> from rosenblatt import Perceptron, builtin, convergence_table
    >>> gate = builtin("or")
    >>> print(convergence_table(Perceptron(shuffle=False), gate.X, gate.y))
    9 mistakes; with γ = 0.333333 and R = 1.73205 at most ⌊R²/γ²⌋ = 27.
    k  epoch  row    w·w*    ≥ kγ  |w|²  ≤ kR²  cosine
    1      1    0  0.3333  0.3333     1      3  0.3333
    2      1    1  0.6667  0.6667     1      6  0.6667
    3      1    2       1       1     3      9  0.5774
    4      2    0   1.333   1.333     2     12  0.9428
    5      3    0   1.667   1.667     3     15  0.9623
    6      3    1       2       2     5     18  0.8944
    7      4    0   2.333   2.333     6     21  0.9526
    8      4    2   2.667   2.667     8     24  0.9428
    9      5    0       3       3     9     27       1
    """
    _check(model)
    rows = rows_of(X)
    with outcomes_alone():  # a run that is cut short has a table all the same
        fitted = clone_with(model, verbose=0)
        run = fitted.replay(X, y)
    _check_run(model, fitted)
    if solution is None:
        solution = separability(X, y, fit_intercept=bool(fitted.fit_intercept), maximise=True)
    if isinstance(solution, Inseparable):
        raise DataError(
            "The classes are not separable, so there is no w* and no bound. The proof is"
            f" {len(solution.rows)} rows whose signed sum is 0: see `separability(X, y)`."
        )
    if isinstance(solution, Separable):
        known = _proved(solution, X, y, fitted)
    else:
        positive = codes_of(labels_of(y, n_rows(rows)), fitted.classes_) == 1
        signs: Floats = np.where(positive, 1.0, -1.0)
        known = _measured(given_numbers("solution", solution), rows, signs, fitted)
    if run.rule.eta * known.radius * known.margin < MIN_SCORE:
        raise DataError(
            "The rows are so short, or eta0 is so small, that float64 loses the scores w·x, and the"
            " run is not that of the theorem. Scale X."
        )
    return _table(run, known)


class _Known(NamedTuple):
    """Weights w* of length 1 with the intercept last, a lower bound of their margin, and R."""

    weights: Floats
    margin: float
    radius: float


def _proved(solution: Separable, X: Any, y: Any, fitted: Perceptron) -> _Known:
    """A solution with the margin and radius of its proof, which must be of these rows."""
    if solution.fit_intercept != bool(fitted.fit_intercept):
        raise ParameterError(
            f"The model has fit_intercept={fitted.fit_intercept}, the solution"
            f" fit_intercept={solution.fit_intercept}: they must be the same."
        )
    solution.verify(X, y)
    if solution.mistake_bound is None:
        raise DataError("The margin or the radius of these rows is beyond float64. Scale them.")
    weights = np.append(solution.coef, solution.intercept)
    return _Known(_unit(weights), solution.margin, solution.radius)


def _measured(given: Floats, rows: Rows, signs: Floats, fitted: Perceptron) -> _Known:
    """Given weights, with their margin and the radius, rounding taken off and added."""
    constant, d = float(fitted.fit_intercept), n_cols(rows)
    wanted = d + int(constant)
    if given.shape != (wanted,) or not given.any():
        raise DataError(
            f"solution must hold {wanted} numbers, not all 0: the weights of {d} features"
            f"{', and the intercept last' * int(constant)}. Got {given.tolist()}."
        )
    weights = _unit(np.append(given, np.zeros(d + 1 - wanted)))
    radius = float(np.sqrt(row_norms(unlabelled(rows), constant).largest))
    rounding = 4 * (d + 4) * float(np.finfo(np.float64).eps)
    margins = signs * scores_of(rows, weights[None])[:, 0] - rounding * radius
    if not margins.min() > 0:
        worst = int(margins.argmin())
        raise DataError(
            f"solution must separate the classes; row {worst} has the margin {margins[worst]:.4g}."
            " `separability(X, y)` finds weights that do."
        )
    return _Known(weights, float(margins.min()), (1 + rounding) * radius)


def _unit(weights: Floats) -> Floats:
    """Weights of length 1, also where their squares would overflow."""
    scaled = weights / np.abs(weights).max()
    return np.asarray(scaled / np.linalg.norm(scaled))


def _check(model: Any) -> None:
    """Refuse what the theorem does not speak of."""
    if not isinstance(model, Perceptron):
        raise ParameterError(
            f"The theorem is about the perceptron; got {type(model).__name__}. Give a Perceptron."
        )
    for name, wanted in PREMISES.items():
        if getattr(model, name) != wanted:
            raise ParameterError(
                f"The theorem needs {name}={wanted!r}, since its proof adds η y x to w = 0 at each"
                f" mistake; got {getattr(model, name)!r}."
            )


def _check_run(model: Perceptron, fitted: Perceptron) -> None:
    """Refuse more than two classes, and a model that was trained otherwise."""
    n_classes = len(fitted.classes_)
    if n_classes != 2:
        raise DataError(
            f"The table is for two classes; y holds {n_classes}. Take one class against the rest,"
            " such as y == y[0]."
        )
    if model.__sklearn_is_fitted__() and not (
        np.array_equal(model.coef_, fitted.coef_)
        and np.array_equal(model.intercept_, fitted.intercept_)
    ):
        raise DataError(
            "The weights of this model are not those of its run from w = 0 over these rows: it"
            " started elsewhere, or was trained on other rows. Give an unfitted model."
        )


def _table(run: Replay, known: _Known) -> ConvergenceTable:
    """The mistakes of a run beside their bounds."""
    made = list(_mistakes(run))
    W = np.array([mistake.weights for mistake in made])
    k, eta = np.arange(1, len(made) + 1), run.rule.eta
    projection, squared_norm = W @ known.weights, np.einsum("kj,kj->k", W, W)
    return ConvergenceTable(
        mistake=k,
        epoch=np.array([mistake.epoch for mistake in made]),
        row=np.array([mistake.row for mistake in made]),
        projection=projection,
        lower_bound=np.asarray(k * (eta * known.margin)),
        squared_norm=squared_norm,
        upper_bound=np.asarray(k * (eta * known.radius) ** 2),
        cosine=_cosines(W, known.weights),
        solution=known.weights,
        margin=known.margin,
        radius=known.radius,
    )


def _cosines(W: Floats, solution: Floats) -> Floats:
    """Cosine between each row and the solution, also where its square would underflow."""
    scaled = W / np.abs(W).max(axis=1, keepdims=True)
    return np.asarray(scaled @ solution / np.linalg.norm(scaled, axis=1))


class _Mistake(NamedTuple):
    epoch: int
    row: int
    weights: Floats


def _mistakes(run: Replay) -> Iterator[_Mistake]:
    """Every mistake of a run, with the weights after it."""
    before = run.start()[0]
    for epoch in range(1, run.n_epochs + 1):
        order = run.order(epoch)
        for place, after in enumerate(run.path(epoch)):
            if not np.array_equal(after[0], before):
                yield _Mistake(epoch, int(order[place]), after[0])
            before = after[0]
