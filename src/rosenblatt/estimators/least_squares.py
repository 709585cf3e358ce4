"""Least squared error in closed form (MMSE), as lecture 002 derives it."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from rosenblatt.closed_form.discriminants import mmse
from rosenblatt.closed_form.moments import Moments
from rosenblatt.data.training_data import Blocks
from rosenblatt.data.validation import class_weights_of
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.closed_form_base import StreamingClosedForm
from rosenblatt.online.result import Ending, Outcome


@dataclass(eq=False, repr=False)
class LeastSquares(StreamingClosedForm):
    """Least squares with targets ±1, in closed form: minimises Σ (y − w·x − b)² + α‖w‖².

    This is the MMSE solution (XXᵀ)⁻¹Xy of lecture 002, to which LMS tends. With more than two
    classes, there is one unit per class, with target +1 for its own rows and −1 for the others. One
    pass over the rows gives the moments of the classes, which are all that is needed.

    Parameters
    ----------
    alpha : float, default=0.0
        Strength of the penalty. It is the α of ridge regression; the intercept is not penalised.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; if the features are linearly dependent, the solution with the smallest norm.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    rank_ : int
        Rank of the features; a feature of which others explain all but some 1e-14 of the variance
        does not add to it.
    outcome_ : Outcome
        How the weights were found, as a sentence.

    Examples
    --------
    >>> from rosenblatt import LeastSquares, builtin
    >>> data = builtin("4f10")
    >>> model = LeastSquares().fit(data.X, data.y)
    >>> model.score(data.X, data.y)
    1.0
    >>> print(model.outcome_)
    Solved in closed form from 8 rows.
    """

    _: KW_ONLY
    alpha: float = 0.0
    fit_intercept: bool = True
    class_weight: Any = None
    n_jobs: int | None = None

    def _check(self) -> None:
        parameters.number("alpha", self.alpha, least=0)
        parameters.flag("fit_intercept", self.fit_intercept)
        parameters.class_weight("class_weight", self.class_weight)
        parameters.jobs("n_jobs", self.n_jobs)

    def _apart(self) -> str | None:
        return None if self.class_weight is None else "class_weight"

    def _solve(self, moments: Moments, blocks: Blocks | None) -> None:  # noqa: ARG002
        if self.class_weight is not None:
            weights = class_weights_of(self.class_weight, self.classes_, lambda: moments.counts)
            if not (weights * moments.counts).any():
                raise ParameterError(
                    f"class_weight is zero for all classes: {self.class_weight!r}."
                )
            moments = moments.weighted(weights)
        W, rank, _ = mmse(moments, alpha=float(self.alpha), fit_intercept=self.fit_intercept)
        width = self.n_features_in_
        ending = Ending.SOLVED if rank == width else Ending.SOLVED_SHORTEST
        self._W, self._rank = W, rank
        self._outcome = Outcome(ending, 1, self._n_rows, rank=rank, n_columns=width)
