"""Fisher's discriminant, with the intercept of lecture 003 if the classes do not overlap."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from rosenblatt.closed_form.discriminants import (
    between_means,
    equal_error,
    fisher_directions,
    fisher_line,
    midway,
    nearest_mean,
)
from rosenblatt.closed_form.moments import Moments
from rosenblatt.data.training_data import Blocks
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from rosenblatt.estimators.closed_form_base import ClosedFormClassifier
from rosenblatt.estimators.linear_base import given_numbers
from rosenblatt.linalg.scores import scores_of
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.types import Floats


@dataclass(eq=False, repr=False)
class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClosedFormClassifier):
    """Fisher's discriminant: directions that separate the class means, relative to the scatter.

    For two classes, w = S_w⁻¹(μ₁ − μ₀) with the scatter S_w within the classes; if the projected
    classes do not overlap, the boundary is midway between the two closest projected rows (lecture
    003). For more classes, the directions have the largest ratio of the scatter between the classes
    to that within them, and a row is assigned to the nearest projected class mean. `transform`
    projects rows on the directions.

    Parameters
    ----------
    intercept : {"auto", "means", "equal-error"}, default="auto"
        The threshold for two classes: "auto" is midway between the closest projected rows if the
        projected classes do not overlap, else midway between the projected means; "means" is always
        the latter; "equal-error" is where both classes have the same error rate (stores one number
        per row).
    n_components : int or None, default=None
        Number of directions, at most n_classes − 1; None is all of them. With more than two
        classes, predictions use only these.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; for two classes Fisher's direction itself.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    scalings_ : ndarray of shape (n_features, n_components)
        Directions on which rows are projected, the best first.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the scatter ratio that each direction explains.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    within_scatter_ : ndarray of shape (n_features, n_features)
        S_w = Σ (x − μ)(x − μ)ᵀ, every row about the mean of its class.
    between_scatter_ : ndarray of shape (n_features, n_features)
        Of two classes S_b = (μ₁ − μ₀)(μ₁ − μ₀)ᵀ, as lecture 003 has it; of more
        Σ n_k (μ_k − μ)(μ_k − μ)ᵀ about the mean μ of all rows.
    rank_ : int
        Rank of the within-class scatter; directions outside its range are left out.
    outcome_ : Outcome
        How the weights were found, as a sentence.

    Examples
    --------
    >>> from rosenblatt import FisherDiscriminant, builtin
    >>> data = builtin("4f10")
    >>> model = FisherDiscriminant().fit(data.X, data.y)
    >>> model.coef_.round(4), model.intercept_.round(4)
    (array([[ 3.3878, -0.1626]]), array([-1.4432]))
    """

    _: KW_ONLY
    intercept: str = "auto"
    n_components: int | None = None
    n_jobs: int | None = None

    scalings_: Floats = field(init=False)
    explained_variance_ratio_: Floats = field(init=False)
    means_: Floats = field(init=False)
    rank_: int = field(init=False)
    outcome_: Outcome = field(init=False)

    @property
    def within_scatter_(self) -> Floats:
        """Scatter S_w within the classes."""
        return self._known_moments().pooled()

    @property
    def between_scatter_(self) -> Floats:
        """Scatter S_b between the means of the classes."""
        spread = between_means(self._known_moments())
        return np.asarray(spread.T @ spread)

    def criterion(self, w: Any) -> float:
        """Fisher's criterion wᵀ S_b w / wᵀ S_w w of a direction.

        It is largest at `coef_`, of more than two classes at the first of `scalings_`. Lecture 003
        minimises its negative, E(w).

        Parameters
        ----------
        w : array-like of shape (n_features,)
            A direction. Its length makes no difference.

        Returns
        -------
        float
            Infinite where the means differ along w and the classes do not scatter.
        """
        moments = self._known_moments()
        direction = np.ravel(given_numbers("w", w))
        if direction.shape != (self.n_features_in_,) or not direction.any():
            raise DataError(
                f"w must hold {self.n_features_in_} numbers, not all 0; got {direction.tolist()}."
            )
        direction /= np.abs(direction).max()
        between = float(np.sum((between_means(moments) @ direction) ** 2))
        within = float(direction @ moments.pooled() @ direction)
        if within > 0:
            return between / within
        if between > 0:
            return np.inf
        raise DataError("All rows have the same projection on w: there is nothing to compare.")

    def transform(self, X: Any) -> Floats:
        """Project rows on the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to project.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Projections, the best direction first.
        """
        self._weights()
        directions = np.column_stack([self.scalings_.T, np.zeros(self._n_features_out)])
        return self._scored(X, lambda rows: scores_of(rows, directions))

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def _known_moments(self) -> Moments:
        self._require_fitted()
        if "_moments" not in vars(self):
            raise AttributeError("Weights set by hand have no scatter: fit the estimator first.")
        return self._moments

    def _solve(self, moments: Moments, blocks: Blocks | None) -> None:
        self._check_components()
        if len(self.classes_) == 2:
            self._solve_two(moments, blocks)
        else:
            self._solve_more(moments)
        self.means_ = moments.means

    def _solve_two(self, moments: Moments, blocks: Blocks | None) -> None:
        self._W, self.rank_, by_gaps = fisher_line(moments)
        w = self._W[0, :-1]
        find = {"auto": midway, "equal-error": equal_error}.get(self.intercept)
        cut = find(blocks, w) if find and blocks else None
        if cut is not None:
            self._W[0, -1] = -cut
        self.scalings_, self.explained_variance_ratio_ = w[:, None], np.ones(1)
        self.outcome_ = self._ending(by_gaps=by_gaps)

    def _solve_more(self, moments: Moments) -> None:
        found = fisher_directions(moments)
        kept = slice(self.n_components)
        self.scalings_, self.rank_ = found.directions[:, kept], found.rank
        self.explained_variance_ratio_ = found.ratios[kept]
        self._W = nearest_mean(moments, self.scalings_)
        self.outcome_ = self._ending(by_gaps=found.by_gaps)

    def _ending(self, *, by_gaps: bool) -> Outcome:
        width = self.n_features_in_
        ending = Ending.SOLVED if self.rank_ == width else Ending.SOLVED_PARTLY
        if by_gaps:
            ending = Ending.SOLVED_BY_GAPS
        if not self._weights()[:, :-1].any():
            ending = Ending.NO_DIRECTION
        return Outcome(ending, 1, self._n_rows, rank=self.rank_, n_columns=width)

    def _check(self) -> None:
        parameters.one_of("intercept", self.intercept, ("auto", "means", "equal-error"))
        parameters.whole("n_components", self.n_components, least=1, optional=True)
        parameters.jobs("n_jobs", self.n_jobs)

    def _check_components(self) -> None:
        most = len(self.classes_) - 1
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"n_components must be at most {most}, one less than the {most + 1} classes;"
                f" got {self.n_components}."
            )
