"""Choose C: a path of rising C on all rows, each fold of a cross-validation a short way off it.

A fold is left out by giving its rows no weight, so nothing is copied. Its weights start from those
of all rows at the same C, which are near. The path ends where the score has fallen for a while.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.problem import Problem
from rosenblatt.errors import DataError
from rosenblatt.estimators.contract import anew
from rosenblatt.solvers.score import scores_of

CS = tuple(10.0**power for power in np.arange(-4, 4.5, 0.5))
FOLDS = 5
PATIENCE = 4  # values of C with a worse score
WORTH = 1e-4  # of a score: less is no difference

WeightsAt = Callable[[Problem, float, Floats | None], Floats]
Marks = Callable[[Floats, Array], Array]  # of rows, by their scores and classes


class Choice(NamedTuple):
    """The C with the best score, the weights of all rows there, and what was tried."""

    C: float
    W: Floats | None
    results: dict[str, Any]


def choose(weights_at: WeightsAt, marks_of: Marks, problem: Problem, seed: int) -> Choice:
    """Find the C whose weights do best on rows left out, by the mean of their marks."""
    folds = folds_of(problem, seed)
    tried: list[float] = []
    scores: list[list[float]] = []
    W: Floats | None = None
    best, chosen, waited = -np.inf, Choice(CS[0], None, {}), 0
    for C in CS:
        W = weights_at(problem, C, W)
        scores.append([fold_score(weights_at, marks_of, problem, C, W, held) for held in folds])
        tried.append(C)
        mean = float(np.mean(scores[-1]))
        worth = WORTH * abs(mean)
        if mean > best + worth:
            best, chosen, waited = mean, Choice(C, W, {}), 0
        elif mean < best - worth:  # a level stretch may come before a rise
            waited += 1
        if waited == PATIENCE:
            break
    table = np.array(scores)
    results = {"C": np.array(tried), "scores": table, "mean_score": table.mean(axis=1)}
    return chosen._replace(results=results)


def folds_of(problem: Problem, seed: int) -> list[Array]:
    """Rows of each fold, every class in each by its share, of the rows that have weight."""
    live = np.flatnonzero(problem.weights * problem.class_weights[problem.codes])
    fewest = int(np.bincount(problem.codes[live], minlength=problem.n_classes).min())
    if fewest < 2:
        raise DataError(
            f'C="cv" leaves rows out in turn, so every class needs 2 rows; one has {fewest}. Give a'
            " number for C instead."
        )
    dealt = _dealt(problem.codes[live], min(FOLDS, fewest), np.random.RandomState(seed))
    return [live[dealt == fold] for fold in range(min(FOLDS, fewest))]


def _dealt(codes: Array, n_folds: int, rng: np.random.RandomState) -> Array:
    """Fold of each row: the rows are dealt out in turn, class after class, then mixed in each."""
    folds = np.empty(len(codes), np.intp)
    _, firsts = np.unique(codes, return_index=True)
    done = 0
    for code in codes[np.sort(firsts)]:
        rows = np.flatnonzero(codes == code)
        share = np.sort(np.arange(done, done + len(rows)) % n_folds)
        rng.shuffle(share)
        folds[rows] = share
        done += len(rows)
    return folds


def fold_score(
    weights_at: WeightsAt, marks_of: Marks, problem: Problem, C: float, W: Floats, held: Array
) -> float:
    """Mean mark of the rows held out, by weights that never saw them."""
    weights = np.array(problem.weights)
    weights[held] = 0.0
    W = weights_at(problem._replace(weights=weights), C, W)
    part = problem.take(held)
    by = part.weights * part.class_weights[part.codes]
    return float(np.average(marks_of(scores_of(part.rows, W), part.codes), weights=by))


def regularisation_path(
    estimator: Any, X: Any, y: Any, Cs: Any = CS, sample_weight: Any = None
) -> list[Any]:
    """Fit a certified estimator for each of several C, each from the weights of the one before.

    Parameters
    ----------
    estimator : LinearSVM or LogisticRegression
        The settings but for C; it is not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their labels.
    Cs : sequence of float, default: 1e-4 to 1e4 in steps of √10
        Values of C, best in rising order.
    sample_weight : array-like of shape (n_samples,), optional
        How many times each row counts.

    Returns
    -------
    list of estimators
        One a C, fitted.

    Examples
    --------
    >>> from rosenblatt import LinearSVM, builtin, regularisation_path
    >>> data = builtin("iris")
    >>> for model in regularisation_path(LinearSVM(), data.X, data.y, Cs=[0.01, 1, 100]):
    ...     print(model.C, round(model.score(data.X, data.y), 3))
    0.01 0.667
    1 0.96
    100 0.967
    """
    fitted: list[Any] = []
    for C in Cs:
        model = anew(estimator, C=C)
        if fitted:
            vars(model).update({k: v for k, v in vars(fitted[-1]).items() if k not in vars(model)})
        warm = model.get_params()["warm_start"]
        fitted.append(model.set_params(warm_start=True).fit(X, y, sample_weight))
        model.set_params(warm_start=warm)
    return fitted
