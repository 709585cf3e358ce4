"""Bias-variance decomposition, by models of many resamples of the same rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from rosenblatt.comparison.error_decomposition import (
    ModelOutputs,
    OutputEncoder,
    RunningMoments,
    SquaredRows,
    ZeroOneRows,
    outputs_of,
)
from rosenblatt.comparison.run import (
    LabelledData,
    Random,
    estimator_name,
    fit_copy,
    generator_of,
    given_rows,
    labelled,
    thread_count,
)
from rosenblatt.errors import DataError
from rosenblatt.estimators import parameters
from rosenblatt.model_selection.split import split_order, stratified_order
from rosenblatt.parallel import in_order
from rosenblatt.pipeline.evaluate import IntervalEstimate, bootstrap_means
from rosenblatt.types import Array, Ints

MAX_DRAWS = 100  # until a resample has two classes


@dataclass(frozen=True, eq=False)
class SquaredLoss:
    """E(Y − y)² = bias² + variance, over rows; `rows` has the same numbers row by row.

    The noise of the labels is part of the bias: with one label per row, it cannot be distinguished.
    `bias` is squared, and corrected for the finite number of models, so that on single rows it can
    come out below 0.
    """

    rows: SquaredRows
    error: IntervalEstimate
    bias: IntervalEstimate
    variance: IntervalEstimate


@dataclass(frozen=True, eq=False)
class ZeroOneLoss:
    """error = bias + unbiased − corrected, over rows; `rows` has the same numbers row by row.

    `bias` is the share of rows whose main prediction (majority vote) is wrong, `variance` the share
    of predictions that differ from it: `unbiased` on rows where it is right, `biased` on the
    others. `corrected` predictions differ from a wrong main prediction, and are right: for two
    classes all `biased` ones, for more at most as many. These are plain shares of the models at
    hand: with few of them, a close main prediction is uncertain.
    """

    rows: ZeroOneRows
    error: IntervalEstimate
    bias: IntervalEstimate
    variance: IntervalEstimate
    unbiased: IntervalEstimate
    biased: IntervalEstimate
    corrected: IntervalEstimate


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """The bias-variance decomposition of an estimator.

    `outputs` says what was squared: probabilities (0 to 1), decisions (−1 or +1, of more classes 0
    or 1 for each) or values. `zero_one` is None for a regressor. `rows` are the numbers of the
    evaluated rows: those of X, or of the given test rows. The 95 % intervals are bootstrap
    intervals over these rows; the models are taken as they are.
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
                f"{self.estimator}: {self.n_resamples} models, each trained on"
                f" {METHODS[self.method].words}, evaluated on {len(self.rows):,} rows that they"
                " were not trained on."
            ),
            (
                f"Squared error of the {self.outputs} {_number(parts.error)} = bias²"
                f" {_number(parts.bias)} + variance {_number(parts.variance)}."
            ),
        ]
        if self.zero_one is not None:
            lines.append(_zero_one_text(self.zero_one))
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
    """Decompose the error of an estimator: E(Y − y)² = bias² + variance.

    Clones of the estimator are trained on resamples of the rows, and evaluated on rows that they
    were not trained on. Bias is the error of their mean prediction, variance their spread around
    it. The right features lower the first more than they raise the second.

    Parameters
    ----------
    estimator : scikit-learn estimator
        A classifier or a regressor, pipelines included; it is not changed.
    X : array-like, sparse matrix or data frame of n rows
        Whatever the estimator takes.
    y : array-like of shape (n,)
        Labels, or values for a regressor.
    test : None, float or (X, y), default=None
        Evaluation rows: None evaluates each model on its out-of-bag rows; a number is the share of
        rows held out for all models; or give the test rows.
    n_resamples : int, default=50
        Number of models.
    method : {"bootstrap", "subsample"}, default="bootstrap"
        As many rows as there are, with replacement; or half of the rows, without. Halves vary about
        as much as independent samples of full size, but have the bias of half the rows.
    random_state : int, RandomState or None, default=0
        Random seed of the resamples.
    n_jobs : int or None, default=None
        Number of models trained at the same time, in threads; −1 is all cores. The result is the
        same.

    Returns
    -------
    BiasVariance
        `squared` and, for classifiers, `zero_one`: the error and its parts, with intervals, and for
        each row.

    Notes
    -----
    Three things are counted as bias, because a single sample cannot distinguish them: the bias
    itself, the noise of each label, and the sampling error of the data, which all resamples share
    and which is about as large as the variance. The error is that of models of resamples, slightly
    above that of a model of all rows.

    For the 0–1 loss, error = bias + unbiased variance − corrected; see `ZeroOneLoss`.

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
    parameters.whole("n_resamples", n_resamples, least=2)
    parameters.one_of("method", method, METHODS)
    parameters.jobs("n_jobs", n_jobs)
    rng = generator_of(random_state)
    train, apart, numbers = _split(labelled(X, y, estimator), test, estimator, rng)
    outputs = outputs_of(estimator, train)
    draws = _draws(train.y, n_resamples, METHODS[method].draw, rng, outputs)
    tested = train if apart is None else apart
    tally, votes = RunningMoments(outputs.targets(tested.y)), outputs.votes(tested.y)
    predict = partial(_predicted, estimator, train, apart, outputs)
    for rows, made in in_order(predict, draws, thread_count(n_jobs)):
        tally.add(rows, made.values)
        if votes is not None:
            votes.add(rows, made.predicted)
    rows = _evaluated_rows(tally.counts)
    return BiasVariance(
        estimator=estimator_name(estimator),
        method=method,
        n_resamples=n_resamples,
        outputs=outputs.kind,
        squared=_squared(tally.parts(rows), rng),
        zero_one=None if votes is None else _zero_one(votes.parts(rows), rng),
        rows=numbers[rows],
    )


class _Method(NamedTuple):
    words: str
    draw: Callable[[int, Random], Ints]


METHODS = {
    "bootstrap": _Method("a bootstrap sample of the rows", lambda n, rng: rng.randint(n, size=n)),
    "subsample": _Method("half of the rows", lambda n, rng: rng.permutation(n)[: n // 2]),
}


class _Split(NamedTuple):
    """Rows to resample; test rows of every model, if held out; the numbers of the test rows."""

    train: LabelledData
    test: LabelledData | None
    numbers: Ints


def _split(data: LabelledData, test: Any, estimator: Any, rng: Random) -> _Split:
    everyone = np.arange(len(data))
    if test is None:
        return _Split(data, None, everyone)
    if isinstance(test, tuple | list):
        given = given_rows(test, estimator, data)
        return _Split(data, given, np.arange(len(given)))
    parameters.number("test", test, above=0, most=1)
    order = rng.permutation(everyone) if is_regressor(estimator) else stratified_order(data.y, rng)
    train, apart = split_order(order, float(test))
    return _Split(data.take(train), data.take(apart), apart)


def _draws(
    y: Array,
    n_resamples: int,
    draw: Callable[[int, Random], Ints],
    rng: Random,
    outputs: OutputEncoder,
) -> Iterator[Ints]:
    """Row numbers of each resample; a draw of one class only, or of every row, is repeated."""
    for _ in range(n_resamples):
        tries = (draw(len(y), rng) for _ in range(MAX_DRAWS))
        good = (r for r in tries if outputs.can_be_fitted(y[r]) and len(np.unique(r)) < len(y))
        drawn = next(good, None)
        if drawn is None:
            raise DataError(
                f"Each of {MAX_DRAWS} resamples of {len(y)} rows held one class only, or every row."
                " Give more rows of the rarest class."
            )
        yield drawn


def _predicted(
    estimator: Any,
    train: LabelledData,
    test: LabelledData | None,
    outputs: OutputEncoder,
    drawn: Ints,
) -> tuple[Ints, ModelOutputs]:
    """The outputs of a model of a resample for its test rows, and which rows these are."""
    model = fit_copy(estimator, train.take(drawn))
    if test is not None:
        return np.arange(len(test)), outputs.of(model, test.X)
    left_out = np.ones(len(train), bool)
    left_out[drawn] = False
    rows = np.flatnonzero(left_out)
    return rows, outputs.of(model, train.take(rows).X)


def _evaluated_rows(counts: Ints) -> Ints:
    rows = np.flatnonzero(counts > 1)
    if not len(rows):
        raise DataError(
            "No row was out of bag for two models, so the variance cannot be estimated. Raise"
            " n_resamples, or hold out rows with `test`."
        )
    return rows


def _squared(rows: SquaredRows, rng: Random) -> SquaredLoss:
    return SquaredLoss(rows, *bootstrap_means(np.column_stack(rows), rng))


def _zero_one(rows: ZeroOneRows, rng: Random) -> ZeroOneLoss:
    return ZeroOneLoss(rows, *bootstrap_means(np.column_stack(rows), rng))


def _number(measured: IntervalEstimate) -> str:
    return f"{measured.value:.4g} ({measured.low:.4g} to {measured.high:.4g})"


def _share(measured: IntervalEstimate) -> str:
    return f"{100 * measured.value:.2f} % ({100 * measured.low:.2f}–{100 * measured.high:.2f} %)"


def _zero_one_text(parts: ZeroOneLoss) -> str:
    return (
        f"0–1 loss {_share(parts.error)} = bias {_share(parts.bias)} + unbiased variance"
        f" {_share(parts.unbiased)} − corrected {_share(parts.corrected)}."
    )


def _advice(parts: SquaredLoss) -> str:
    if parts.variance.value > parts.bias.value:
        return (
            "Variance is the larger part: more rows, a stronger penalty or fewer features may help."
        )
    return (
        "Bias, which includes label noise, is the larger part: more informative features or a"
        " weaker penalty may help."
    )
