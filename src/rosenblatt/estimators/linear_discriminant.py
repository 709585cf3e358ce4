"""Gaussian classes with a common covariance: linear discriminant analysis (lecture 000)."""

from typing import Any, Self

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import checks
from rosenblatt.estimators.closed_form import StreamingClosedForm
from rosenblatt.estimators.linear import unchanged_by_failure
from rosenblatt.solvers import covariance
from rosenblatt.solvers.discriminants import gaussian
from rosenblatt.solvers.moments import Moments
from rosenblatt.solvers.state import Ending, Outcome


class LinearDiscriminant(StreamingClosedForm):
    """Gaussian classes that share one covariance; the posterior is the logistic function of a line.

    For two classes w = Σ⁻¹(m₁ − m₀) and b = ½(m₀ᵀΣ⁻¹m₀ − m₁ᵀΣ⁻¹m₁) + log(π₁/π₀), and the posterior
    of the second is exactly σ(w·x + b) (lecture 000). Of more classes the scores are log posteriors
    up to what the classes share, and the posterior is their softmax.

    Parameters
    ----------
    priors : array-like of shape (n_classes,) or None, default=None
        Prior of each class, in the order of `classes_`; None takes their share of the rows.
    shrinkage : None, float, "auto" or "oas", default=None
        Moves the covariance towards a multiple of the unit matrix: by a share from 0 to 1, or by
        an estimate for each class: "auto" is Ledoit and Wolf's (it reads the rows twice, so
        `partial_fit` cannot have it), "oas" needs the moments only.
    n_jobs : int or None, default=None
        Threads that read blocks of rows; they change no bit of the result. −1 takes all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Biases.
    priors_ : ndarray of shape (n_classes,)
        Priors used.
    means_ : ndarray of shape (n_classes, n_features)
        Mean of each class.
    covariance_ : ndarray of shape (n_features, n_features)
        Covariance the classes share, shrunk as asked for.
    shrinkage_ : ndarray of shape (n_classes,)
        How much the covariance of each class was shrunk.
    rank_ : int
        How many directions the covariance spans; the others are left out.
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

    priors_: Floats
    covariance_: Floats
    shrinkage_: Floats
    rank_: int

    def __init__(
        self, *, priors: Any = None, shrinkage: Any = None, n_jobs: int | None = None
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate the Gaussians and solve for the line.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: float32 and float64 in C order and CSR are used without a copy.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            blocks = self._measure(X, y, sample_weight)
            self._solve(self._moments, blocks)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Posterior of each class: the logistic function of the score, or softmax of the scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to judge.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, a column a class of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of the posterior of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to judge.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities, a column a class of `classes_`.
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

    def _check(self) -> None:
        checks.jobs("n_jobs", self.n_jobs)
        if self.shrinkage is not None and not isinstance(self.shrinkage, str):
            checks.number("shrinkage", self.shrinkage, least=0, most=1)
        elif self.shrinkage is not None:
            checks.one_of("shrinkage", self.shrinkage, ("auto", "oas"))

    def _streams(self) -> bool:
        if self.shrinkage != "auto":
            return True
        raise AttributeError(
            "partial_fit needs shrinkage='oas', a number or None: 'auto' (Ledoit and Wolf) reads"
            " the rows twice, which a stream does not offer."
        )

    def _apart(self) -> bool:
        return self.priors is not None or isinstance(self.shrinkage, str)

    def _solve(self, moments: Moments, blocks: Blocks | None = None) -> None:
        priors = self._priors_of(moments)
        C, amounts = self._covariance(moments, priors, blocks)
        self._W, self.rank_ = gaussian(moments.means, C, priors)
        self.priors_, self.covariance_, self.shrinkage_ = priors, C, amounts
        width = self.n_features_in_
        ending = Ending.SOLVED if self.rank_ == width else Ending.SOLVED_PARTLY
        self._outcome = Outcome(ending, 1, self._n_rows, rank=self.rank_, width=width)

    def _covariance(
        self, moments: Moments, priors: Floats, blocks: Blocks | None
    ) -> tuple[Floats, Floats]:
        if self.shrinkage == "oas":
            return covariance.oas(moments, priors)
        if blocks is not None and self.shrinkage == "auto":
            return covariance.ledoit_wolf(moments, priors, blocks)
        amount = float(self.shrinkage or 0.0)
        C = covariance.shared(moments, priors)
        return covariance.shrunk(C, amount), np.full(len(priors), amount)

    def _priors_of(self, moments: Moments) -> Floats:
        if self.priors is None:
            return moments.counts / moments.total
        try:
            priors = np.asarray(self.priors, np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"priors must hold numbers: {error}.") from error
        n = len(moments.counts)
        if priors.shape != (n,) or not (priors > 0).all() or abs(priors.sum() - 1.0) > 1e-8:
            raise ParameterError(
                f"priors must be {n} positive numbers, one a class, that sum to 1;"
                f" got {self.priors!r}."
            )
        return priors
