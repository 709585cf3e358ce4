"""What errors are made of: bias and variance, by models of many resamples of the same rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from rosenblatt.arrays import Array, Ints
from rosenblatt.errors import DataError
from rosenblatt.estimators import checks
from rosenblatt.sources.threads import in_order
from rosenblatt.studies.decomposing import SquaredRows, Tally, ZeroOneRows
from rosenblatt.studies.intervals import Measured, means_of
from rosenblatt.studies.models import called, fitted_to, n_threads
from rosenblatt.studies.outputs import Made, Outputs, outputs_of
from rosenblatt.studies.rows import Labelled, Random, dealt, generator_of, labelled, set_apart

MOST_TRIES = 100  # to draw rows of two classes


@dataclass(frozen=True, eq=False)
class SquaredLoss:
    """E(Y − y)² = bias² + variance, over rows; `rows` has the same numbers row by row.

    The noise of a label is inside the bias: of one label a row, nobody can tell how far it is from
    its own mean. `bias` is squared, and corrected for the finite number of models, so that on
    single rows it can come out below 0.
    """

    rows: SquaredRows
    error: Measured
    bias: Measured
    variance: Measured


@dataclass(frozen=True, eq=False)
class ZeroOneLoss:
    """error = bias + unbiased − mended, over rows; `rows` has the same numbers row by row.

    `bias` is the share of rows whose main vote is wrong, `variance` the share of decisions off the
    main vote, of which `unbiased` are on rows where that is right and `biased` on the others.
    `mended` decisions are off a main vote that is wrong, and right: for two classes all `biased`
    ones, for more at most as many. These are plain shares of the models at hand: with few of them,
    the main vote is uncertain where it is close.
    """

    rows: ZeroOneRows
    error: Measured
    bias: Measured
    variance: Measured
    unbiased: Measured
    biased: Measured
    mended: Measured


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """What the errors of an estimator are made of.

    `outputs` says what was squared: probabilities (0 to 1), decisions (−1 or +1, of more classes 0
    or 1 for each) or values. `zero_one` is None for a regressor. `rows` are the numbers of the
    rows that judged: those of X, or of the test rows that were given. Intervals of 95 % come from
    drawing these rows anew; the models are taken as they are.
    """

    estimator: str
    method: str
    n_resamples: int
    outputs: str
    squared: SquaredLoss
    zero_one: ZeroOneLoss | None
    rows: Ints

    def __str__(self) -> str:
        parts = self.squared
        lines = [
            (
                f"{self.estimator}: {self.n_resamples} models, each of"
                f" {METHODS[self.method].words}, judged by {len(self.rows):,} rows that they had"
                " not seen."
            ),
            (
                f"Squared error of the {self.outputs} {_number(parts.error)} = bias²"
                f" {_number(parts.bias)} + variance {_number(parts.variance)}."
            ),
        ]
        if self.zero_one is not None:
            lines.append(_decisions_told(self.zero_one))
        return "\n".join([*lines, _advice(parts)])


def bias_variance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    test: Any = None,
    n_resamples: int = 50,
    method: str = "bootstrap",
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Take the errors of an estimator apart: E(Y − y)² = bias² + variance.

    Copies of the estimator learn from resamples of the rows, and rows that they have not learned
    from judge them. Bias is how far the models are off together; variance, how far they are from
    each other. The right features lower the first more than they raise the second.

    Parameters
    ----------
    estimator : scikit-learn estimator
        A classifier or a regressor, pipelines included; it is not changed.
    X : array-like, sparse matrix or frame of n rows
        Whatever the estimator takes.
    y : array-like of shape (n,)
        Labels, or values for a regressor.
    test : None, float or (X, y), default=None
        Which rows judge: None lets each row judge the models whose resample left it out; a number
        sets that share of the rows apart, to judge every model; or they are given.
    n_resamples : int, default=50
        How many models.
    method : {"bootstrap", "subsample"}, default="bootstrap"
        As many rows as there are, with repetition; or one half of them, each once. Halves vary
        about as much as independent samples of all rows do, but have the bias of half the rows.
    random_state : int, RandomState or None, default=0
        Draws the rows.
    n_jobs : int or None, default=None
        Models trained at once, by threads; −1 for all cores. The result is the same.

    Returns
    -------
    BiasVariance
        `squared` and, for classifiers, `zero_one`: each the error and its parts, with intervals,
        and row by row.

    Notes
    -----
    Three things are counted as bias, because one sample cannot tell them apart from it: the bias
    proper; the noise of each label; and the luck of the sample, which all resamples share, about
    as much again as the variance. The error is that of models of resamples, a little above that of
    the model of all rows.

    For the 0–1 loss, error = bias + unbiased variance − mended; see `ZeroOneLoss`.

    References
    ----------
    P. Domingos, "A unified bias-variance decomposition and its applications", ICML 2000.

    Examples
    --------
    >>> from rosenblatt import LinearDiscriminant, bias_variance, builtin
    >>> data = builtin("rings")  # no line will do: all models are off, and off alike
    >>> found = bias_variance(LinearDiscriminant(), data.X, data.y, n_resamples=20)
    >>> round(found.squared.bias.value, 2), round(found.squared.variance.value, 2)
    (0.26, 0.0)
    """
    checks.whole("n_resamples", n_resamples, least=2)
    checks.one_of("method", method, METHODS)
    checks.jobs("n_jobs", n_jobs)
    rng = generator_of(random_state)
    train, apart, numbers = _split(labelled(X, y, estimator), test, estimator, rng)
    outputs = outputs_of(estimator, train)
    draws = _draws(train.y, n_resamples, METHODS[method].draw, rng, outputs)
    judges = train if apart is None else apart
    tally, votes = Tally(outputs.targets(judges.y)), outputs.votes(judges.y)
    judge = partial(_judged, estimator, train, apart, outputs)
    for rows, made in in_order(judge, draws, n_threads(n_jobs)):
        tally.add(rows, made.values)
        if votes is not None:
            votes.add(rows, made.decided)
    rows = _judging(tally.counts)
    return BiasVariance(
        estimator=called(estimator),
        method=method,
        n_resamples=n_resamples,
        outputs=outputs.called,
        squared=_squared(tally.parts(rows), rng),
        zero_one=None if votes is None else _zero_one(votes.parts(rows), rng),
        rows=numbers[rows],
    )


class _Method(NamedTuple):
    words: str
    draw: Callable[[int, Random], Ints]


METHODS = {
    "bootstrap": _Method("a bootstrap of the rows", lambda n, rng: rng.randint(n, size=n)),
    "subsample": _Method("half of the rows", lambda n, rng: rng.permutation(n)[: n // 2]),
}


class _Split(NamedTuple):
    """Rows to draw from; those that judge every model, if such are set apart; who judges."""

    train: Labelled
    test: Labelled | None
    numbers: Ints


def _split(data: Labelled, test: Any, estimator: Any, rng: Random) -> _Split:
    everyone = np.arange(len(data))
    if test is None:
        return _Split(data, None, everyone)
    if isinstance(test, tuple):
        given = labelled(test[0], test[1], estimator)
        return _Split(data, given, np.arange(len(given)))
    checks.number("test", test, above=0, most=1)
    order = rng.permutation(everyone) if is_regressor(estimator) else dealt(data.y, rng)
    train, apart = set_apart(order, float(test))
    return _Split(data.take(train), data.take(apart), apart)


def _draws(
    y: Array, n_resamples: int, draw: Callable[[int, Random], Ints], rng: Random, outputs: Outputs
) -> Iterator[Ints]:
    """Numbers of the rows of each resample; what holds one class, or every row, is drawn again."""
    for _ in range(n_resamples):
        tries = (draw(len(y), rng) for _ in range(MOST_TRIES))
        good = (r for r in tries if outputs.can_be_learned(y[r]) and len(np.unique(r)) < len(y))
        drawn = next(good, None)
        if drawn is None:
            raise DataError(
                f"{MOST_TRIES} draws of {len(y)} rows held one class only, or every row. Give more"
                " rows of the rarest class."
            )
        yield drawn


def _judged(
    estimator: Any, train: Labelled, test: Labelled | None, outputs: Outputs, drawn: Ints
) -> tuple[Ints, Made]:
    """What a model of a resample puts out for the rows that judge it, and which these are."""
    model = fitted_to(estimator, train.take(drawn))
    if test is not None:
        return np.arange(len(test)), outputs.of(model, test.X)
    left_out = np.ones(len(train), bool)
    left_out[drawn] = False
    rows = np.flatnonzero(left_out)
    return rows, outputs.of(model, train.take(rows).X)


def _judging(counts: Ints) -> Ints:
    rows = np.flatnonzero(counts > 1)
    if not len(rows):
        raise DataError(
            "No row was left out of two resamples, so none can tell the variance. Raise"
            " n_resamples, or set rows apart with `test`."
        )
    return rows


def _squared(rows: SquaredRows, rng: Random) -> SquaredLoss:
    return SquaredLoss(rows, *means_of(np.column_stack(rows), rng))


def _zero_one(rows: ZeroOneRows, rng: Random) -> ZeroOneLoss:
    return ZeroOneLoss(rows, *means_of(np.column_stack(rows), rng))


def _number(measured: Measured) -> str:
    return f"{measured.value:.4g} ({measured.low:.4g} to {measured.high:.4g})"


def _share(measured: Measured) -> str:
    return f"{measured.value:.2%} ({measured.low:.2%} to {measured.high:.2%})"


def _decisions_told(parts: ZeroOneLoss) -> str:
    return (
        f"Wrong decisions {_share(parts.error)} = main vote wrong {_share(parts.bias)} + off a main"
        f" vote that is right {_share(parts.unbiased)} − right against it {_share(parts.mended)}."
    )


def _advice(parts: SquaredLoss) -> str:
    if parts.variance.value > parts.bias.value:
        return (
            "Variance is the larger part: more rows, a stronger penalty or fewer features may help."
        )
    return (
        "Bias is the larger part, the noise of the labels included: features that say more, or a"
        " weaker penalty, may help."
    )
