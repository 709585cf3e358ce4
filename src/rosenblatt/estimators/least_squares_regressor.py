"""Linear and polynomial regression in closed form: least squares to any targets."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

from rosenblatt.closed_form.row_factor import (
    RowFactor,
    factor_of,
    first_row,
    least_squares,
    no_rows,
)
from rosenblatt.data.training_data import Blocks, MultiOutputData, unlabelled
from rosenblatt.estimators import parameters
from rosenblatt.estimators.linear_base import unchanged_by_failure
from rosenblatt.estimators.regressor_base import LinearRegressor
from rosenblatt.kernels.rows import n_rows
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.types import Floats


@dataclass(eq=False, repr=False)
class LeastSquaresRegressor(LinearRegressor):
    """Least squares with real targets: minimises Σ (y − w·x − b)² + α‖w‖².

    After `Polynomial(D)` it is the polynomial regression α·Φ(x) of lecture 000. The rows are read
    once, for their triangular factor (QR), which is all that is needed. Sparse rows are factorised
    like dense ones.

    Parameters
    ----------
    alpha : float, default=0.0
        Strength of the penalty. It is the α of ridge regression; the intercept is not penalised.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_outputs, n_features)
        Weights; if the features are linearly dependent, the solution with the smallest norm.
    intercept_ : float or ndarray of shape (n_outputs,)
        Intercept of each output.
    rank_ : int
        Rank of the features; a feature that others explain up to 1e-12 of its length does not add
        to it.
    outcome_ : Outcome
        How the weights were found, as a sentence.

    Examples
    --------
    A cubic through four points:

    >>> from sklearn.pipeline import make_pipeline
    >>> from rosenblatt import LeastSquaresRegressor
    >>> from rosenblatt.features import Polynomial
    >>> x, y = [[0], [1], [2], [3]], [1, 0, 3, 16]
    >>> model = make_pipeline(Polynomial(3), LeastSquaresRegressor()).fit(x, y)
    >>> model[-1].coef_.round(6), round(model[-1].intercept_, 6)
    (array([-1., -1.,  1.]), 1.0)
    """

    _: KW_ONLY
    alpha: float = 0.0
    fit_intercept: bool = True
    n_jobs: int | None = None

    _factor: RowFactor = field(init=False)
    _n_rows: int = field(init=False)
    _rank: int = field(init=False)
    _outcome: Outcome = field(init=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve for the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: float32 and float64 in C order and CSR are used without a copy.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets: a number a row, or one for each output.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            data = self._regression_data(X, y, sample_weight)
            self._begin(data)
            self._add(data)
            self._solve()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from more rows; the result is that of `fit` on all rows so far, to rounding.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next rows of the stream.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            first = "_factor" not in vars(self)
            data = self._regression_data(X, y, sample_weight, first=first)
            if first:
                self._begin(data)
            self._add(data)
            self._W = None
        return self

    @property
    def outcome_(self) -> Outcome:
        """How the weights were found; `str` of it is a sentence."""
        self._weights()
        return self._outcome

    @property
    def rank_(self) -> int:
        """How many directions the features span."""
        self._weights()
        return self._rank

    def _check(self) -> None:
        parameters.number("alpha", self.alpha, least=0)
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.jobs("n_jobs", self.n_jobs)

    def _begin(self, data: MultiOutputData) -> None:
        """Begin with no rows."""
        self._factor = no_rows(first_row(data.rows), data.targets[0].copy())
        self._n_rows = 0

    def _add(self, data: MultiOutputData) -> None:
        """Add rows to the factor of those so far."""
        blocks = Blocks(unlabelled(data.rows)._replace(weights=data.weights), self._threads())
        self._factor = factor_of(blocks, data.targets, self._factor)
        self._n_rows += n_rows(data.rows)

    def _solve(self) -> None:
        found = least_squares(
            self._factor, alpha=float(self.alpha), fit_intercept=self.fit_intercept
        )
        width = self.n_features_in_
        ending = Ending.SOLVED if found.rank == width else Ending.SOLVED_SHORTEST
        self._W, self._rank = found.W, found.rank
        self._outcome = Outcome(ending, 1, self._n_rows, rank=found.rank, n_columns=width)

    def _weights(self) -> Floats:
        if vars(self).get("_W", ...) is None:  # the stream has moved on since they were wanted
            self._solve()
        return super()._weights()
