"""A path of estimators, one for each of several values of C."""

from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.estimators.base import clone_with
from rosenblatt.model_selection.choose_c import CS


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
    if not hasattr(estimator, "C"):
        raise ParameterError(
            f"A path is a series of fits for several C, and {estimator!r} has no parameter C."
        )
    if not np.iterable(Cs) or isinstance(Cs, str):
        raise ParameterError(f"Cs must be a list of values of C; got {Cs!r}.")
    fitted: list[Any] = []
    for C in Cs:
        model = clone_with(estimator, C=C)
        if fitted:
            vars(model).update({k: v for k, v in vars(fitted[-1]).items() if k not in vars(model)})
        warm = model.get_params()["warm_start"]
        fitted.append(model.set_params(warm_start=True).fit(X, y, sample_weight))
        model.set_params(warm_start=warm)
    return fitted
