"""Gaussian classes with a common covariance: linear discriminant analysis (lecture 000)."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from rosenblatt.closed_form import covariance
from rosenblatt.closed_form.discriminants import directions_between, gaussian
from rosenblatt.closed_form.moments import Moments
from rosenblatt.data.training_data import Blocks
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from rosenblatt.estimators.closed_form_base import StreamingClosedForm
from rosenblatt.linalg.psd import pivoted_cholesky
from rosenblatt.linalg.scores import scores_of
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.types import Floats


@dataclass(eq=False, repr=False)
class LinearDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, StreamingClosedForm):
    """Gaussian classes with a common covariance: a linear score with an exact posterior.

    For two classes w = Σ⁻¹(m₁ − m₀) and b = ½(m₀ᵀΣ⁻¹m₀ − m₁ᵀΣ⁻¹m₁) + log(π₁/π₀), and the posterior
    of the second is exactly σ(w·x + b) (lecture 000). For more classes, the scores are log
    posteriors up to a common term, and the posterior is their softmax. `transform` projects rows on
    the directions in which the class means are farthest apart, relative to the scatter within the
    classes.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        As in scikit-learn: "svd" weights the covariances of the classes by their numbers of rows,
        the others by `priors`, which is the same unless `priors` are given. All use the same
        factorisation, and all support `shrinkage`.
    shrinkage : None, float, "auto" or "oas", default=None
        Shrinks the covariance towards a multiple of the identity matrix, by a number from 0 to 1 or
        by an estimate for each class: "auto" is Ledoit and Wolf's (which reads the rows twice, so
        `partial_fit` does not support it), "oas" needs only the moments.
    priors : array-like of shape (n_classes,) or None, default=None
        Prior of each class, in the order of `classes_`; None uses the class frequencies.
    n_components : int or None, default=None
        Number of directions, at most n_classes − 1; None is all of them. It is also at most
        n_features, and does not affect predictions.
    store_covariance : bool, default=False
        Accepted for scikit-learn's signature: `covariance_` is always available.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; for more than two classes and "svd", minus their prior-weighted average, which does
        not affect predictions.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    priors_ : ndarray of shape (n_classes,)
        Priors used.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    covariance_ : ndarray of shape (n_features, n_features)
        Common covariance of the classes, after shrinkage.
    shrinkage_ : ndarray of shape (n_classes,)
        How much the covariance of each class was shrunk.
    rank_ : int
        Rank of the covariance; directions outside its range are left out.
    xbar_ : ndarray of shape (n_features,)
        Mean of the class means, weighted by the priors: the origin of `transform`.
    scalings_ : ndarray of shape (n_features, n_components)
        Directions on which rows are projected, the best first; along each, the within-class
        variance is 1.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the scatter between the classes that each direction explains.
    outcome_ : Outcome
        How the weights were found, as a sentence.

    Examples
    --------
    >>> from rosenblatt import LinearDiscriminant, builtin
    >>> data = builtin("iris")
    >>> model = LinearDiscriminant().fit(data.X, data.y)
    >>> model.predict_proba(data.X[70:71]).round(3)
    array([[0.   , 0.249, 0.751]])
    >>> print(model.outcome_)
    Solved in closed form from 150 rows.
    """

    solver: str = "svd"
    shrinkage: Any = None
    priors: Any = None
    n_components: int | None = None
    store_covariance: bool = False
    _: KW_ONLY
    n_jobs: int | None = None

    _common: Floats = field(init=False)
    _priors: Floats = field(init=False)
    _covariance: Floats = field(init=False)
    _shrinkage: Floats = field(init=False)

    _scalings: Floats = field(init=False)
    _ratios: Floats = field(init=False)

    def transform(self, X: Any) -> Floats:
        """Project rows on the directions that separate the class means best.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to project.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Projections, the best direction first; a data frame if requested by `set_output`.
        """
        directions = np.ascontiguousarray(self.scalings_.T)
        # one product per direction: the bits of a matrix product depend on how many there are
        intercepts = [-np.dot(self.xbar_, direction) for direction in directions]
        W = np.column_stack([directions, intercepts])
        return self._scored(X, lambda rows: scores_of(rows, W))

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def predict_proba(self, X: Any) -> Floats:
        """Posterior of each class: the logistic function of the score, or softmax of the scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to classify.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, one column per class of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of the posterior of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to classify.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities, one column per class of `classes_`.
        """
        scores = self._scores(X)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        best = scores.max(axis=1, keepdims=True)
        return np.asarray(scores - best - np.log(np.exp(scores - best).sum(axis=1, keepdims=True)))

    @property
    def means_(self) -> Floats:
        """Mean of each class."""
        self._weights()
        return self._moments.means

    def decision_function(self, X: Any) -> Floats:
        """Score w·x + b of each row: one number per row for two classes, else one per class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to score.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Log odds of `classes_[1]`, or log posteriors up to a common term.
        """
        W = self._shown_weights()
        scores = self._scored(X, lambda rows: scores_of(rows, W))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @property
    def priors_(self) -> Floats:
        """Prior of each class."""
        self._weights()
        return self._priors

    @property
    def covariance_(self) -> Floats:
        """Common covariance of the classes, after shrinkage."""
        self._weights()
        return self._covariance

    @property
    def xbar_(self) -> Floats:
        """Mean of the class means, weighted by the priors."""
        return np.asarray(self.priors_ @ self.means_)

    @property
    def scalings_(self) -> Floats:
        """Directions on which rows are projected, one per column, the best first."""
        self._weights()
        return self._scalings[:, : self.n_components]

    @property
    def explained_variance_ratio_(self) -> Floats:
        """Share of the scatter between the classes that each direction explains."""
        self._weights()
        return self._ratios[: self.n_components]

    @property
    def shrinkage_(self) -> Floats:
        """How much the covariance of each class was shrunk."""
        self._weights()
        return self._shrinkage

    def _zero_is_first(self) -> bool:
        return True

    def _shown_weights(self) -> Floats:
        """Weights as published; predictions use them without the part common to all classes."""
        return self._weights() + self._common

    def _take_weights(self, W: Floats) -> None:
        super()._take_weights(W)
        self._common = np.zeros(W.shape[1])

    def _check(self) -> None:
        parameters.one_of("solver", self.solver, ("svd", "lsqr", "eigen"))
        parameters.whole("n_components", self.n_components, least=1, optional=True)
        parameters.flag("store_covariance", self.store_covariance)
        parameters.jobs("n_jobs", self.n_jobs)
        if self.shrinkage is not None and not isinstance(self.shrinkage, str):
            parameters.number("shrinkage", self.shrinkage, least=0, most=1)
        elif self.shrinkage is not None:
            parameters.one_of("shrinkage", self.shrinkage, ("auto", "oas"))

    def _streams(self) -> bool:
        if self.shrinkage != "auto":
            return True
        raise AttributeError(
            "partial_fit needs shrinkage='oas', a number or None: 'auto' (Ledoit and Wolf) reads"
            " the rows twice, which is impossible in a stream."
        )

    def _apart(self) -> str | None:
        if self.priors is not None and self.solver != "svd":
            return "priors"
        return "shrinkage" if isinstance(self.shrinkage, str) else None

    def _solve(self, moments: Moments, blocks: Blocks | None) -> None:
        self._check_components(len(moments.counts) - 1)
        priors = self._priors_of(moments)
        by_rows = self.solver == "svd"
        shares = moments.counts / moments.total if by_rows else priors
        C, amounts = self._covariance_of(moments, shares, blocks)
        factor = pivoted_cholesky(C)
        W, common, rank = gaussian(moments, factor, priors)
        directions = directions_between(moments, factor, priors)
        self._scalings, self._ratios = directions.directions, directions.ratios
        width = self.n_features_in_
        ending = Ending.SOLVED if rank == width else Ending.SOLVED_PARTLY
        self._W, self._rank = W, rank
        self._common = np.zeros_like(common) if by_rows else common
        self._priors, self._covariance, self._shrinkage = priors, C, amounts
        self._outcome = Outcome(ending, 1, self._n_rows, rank=rank, n_columns=width)

    def _check_components(self, most: int) -> None:
        most = min(most, self.n_features_in_)
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"n_components cannot be larger than min(n_features, n_classes - 1), here {most};"
                f" got {self.n_components}."
            )

    def _covariance_of(
        self, moments: Moments, shares: Floats, blocks: Blocks | None
    ) -> tuple[Floats, Floats]:
        if self.shrinkage == "oas":
            return covariance.oas(moments, shares)
        if blocks is not None and self.shrinkage == "auto":
            return covariance.ledoit_wolf(moments, shares, blocks)
        amount = float(self.shrinkage or 0.0)
        C = covariance.shared(moments, shares)
        return covariance.shrunk(C, amount), np.full(len(shares), amount)

    def _priors_of(self, moments: Moments) -> Floats:
        if self.priors is None:
            return moments.counts / moments.total
        try:
            priors = np.asarray(self.priors, np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ParameterError(f"priors must hold numbers: {error}.") from error
        n = len(moments.counts)
        if priors.shape != (n,) or not (priors > 0).all() or abs(priors.sum() - 1.0) > 1e-8:
            raise ParameterError(
                f"priors must be {n} positive numbers, one per class, that sum to 1;"
                f" got {self.priors!r}."
            )
        return priors
