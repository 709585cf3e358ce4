"""A discriminative language model: weights of words and word pairs that rank sentences."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse

from rosenblatt.data.training_data import Blocks, unlabelled
from rosenblatt.data.validation import require_finite, rows_of
from rosenblatt.datasets.corruptions import corrupted
from rosenblatt.errors import DataError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.base import Estimator
from rosenblatt.estimators.fit_loop import Monitoring, run_solver
from rosenblatt.estimators.linear_base import unchanged_by_failure
from rosenblatt.estimators.parameters import check_text_settings, words_kept
from rosenblatt.estimators.replay import EpochRecorder, StepReplay
from rosenblatt.features.maps.spec import NgramSpec
from rosenblatt.features.maps.vocabulary import (
    Reader,
    Vocabulary,
    ngram_document_frequencies,
    texts_of,
)
from rosenblatt.kernels.rows import Rows, n_cols
from rosenblatt.linalg.scores import scores_of
from rosenblatt.online.ranking import RANKING, Groups, narrowest, ranking_epochs
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.online.stopping import max_epochs, no_mistake
from rosenblatt.trace.trace import MarginAndRadius, MarginBounds, Trace
from rosenblatt.types import Array, Floats, Ints


@dataclass(eq=False, repr=False)
class SentenceRanker(Estimator):
    """Discriminative language model: the score of a sentence is w·Φ of its words and word pairs.

    Each group of candidates has a best one. If it does not score higher than all others, w ← w +
    Φ(best) − Φ(highest of the others), until an epoch has no mistakes: the perceptron on
    differences. Ties are mistakes. Scores of different groups cannot be compared.

    Parameters
    ----------
    sizes : (int, int), default=(1, 2)
        Smallest and largest length of the n-grams, at most 8.
    unit : {"word", "character"}, default="word"
        What n-grams are made of; those of characters stay within a word.
    n_features : int, default=2**18
        Number of features that n-grams are hashed to, a power of 2.
    vocabulary : bool, default=False
        Whether every n-gram of the training texts has a feature of its own instead, in alphabetical
        order. Their words are then stored, in a saved model too.
    keep : {"average", "last"}, default="average"
        Which weights to keep: the mean over all groups visited, or the last.
    max_iter : int, default=100
        Maximum number of epochs (passes over the groups).
    shuffle : bool, default=True
        Whether to visit the groups in a new order in each epoch.
    random_state : int, default=0
        Seed of the shuffle. It also determines the wrong sentences in `fit_sentences`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,)
        Weights.
    vocabulary_ : ndarray of str
        What each feature stands for; only with `vocabulary=True`.
    n_features_in_ : int
        Number of features of a candidate.
    trace_ : Trace
        One record per epoch.
    outcome_ : Outcome
        How the run ended, as a sentence.
    mistakes_ : int
        Mistakes over all epochs.
    margin_bounds_ : MarginBounds
        lower ≤ γ* ≤ upper for the largest margin γ* of the differences.
    mistake_bound_ : float or None
        (R/γ)² with that lower bound and R the longest difference: the theorem's limit on
        `mistakes_`; None without convergence.
    n_iter_ : int
        Number of epochs.

    Examples
    --------
    >>> from rosenblatt import SentenceRanker
    >>> candidates = [["cat sat on the mat", "cat sat the on mat", "cat cat on the mat"]]
    >>> model = SentenceRanker().fit(candidates, best=[0])
    >>> model.rank(["the on mat", "on the mat"])
    ['on the mat', 'the on mat']
    >>> print(model.outcome_)
    Converged after 2 epochs, the last without a mistake.
    """

    sizes: tuple[int, int] = (1, 2)
    _: KW_ONLY
    unit: str = "word"
    n_features: int = 1 << 18
    vocabulary: bool = False
    keep: str = "average"
    max_iter: int = 100
    shuffle: bool = True
    random_state: int = 0

    coef_: Floats = field(init=False)
    vocabulary_: Array = field(init=False)
    n_features_in_: int = field(init=False)
    trace_: Trace = field(init=False)
    outcome_: Outcome = field(init=False)
    mistakes_: int = field(init=False)
    margin_bounds_: MarginBounds | None = field(init=False)
    mistake_bound_: float | None = field(init=False)
    n_iter_: int = field(init=False)

    def fit(self, candidates: Any, best: Any) -> Self:
        """Train epoch by epoch, until one has no mistakes or `max_iter` is reached.

        Parameters
        ----------
        candidates : sequence of groups
            Each a list of sentences; or an array or sparse matrix with one row per candidate.
        best : sequence of int
            Index of the best candidate in each group.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            groups = self._groups(candidates, best)
            self.n_features_in_ = n_cols(groups.rows)
            self._run_solver(groups)
        return self

    def replay(self, candidates: Any, best: Any) -> StepReplay:
        """Fit, and keep the weights after every epoch.

        Parameters
        ----------
        candidates, best :
            As in `fit`.

        Returns
        -------
        StepReplay
            Iterating yields arrays of shape (n_features,): zero at the start, then the last weights
            of each epoch. The ranker is fitted.
        """
        with unchanged_by_failure(self):
            self._check()
            groups = self._groups(candidates, best)
            self.n_features_in_ = n_cols(groups.rows)
            recorder = EpochRecorder()
            self._run_solver(groups, recorder)
        return recorder.replay()

    def fit_sentences(self, sentences: Sequence[str], n_wrong: int = 4) -> Self:
        """Learn to prefer real sentences to wrong ones made from them (see `corrupted`).

        Parameters
        ----------
        sentences : sequence of str
            Real sentences.
        n_wrong : int, default=4
            Number of wrong sentences for each.

        Returns
        -------
        self
        """
        self._check()
        real = texts_of(sentences, "sentences").drop_nulls().to_list()
        return self.fit(*corrupted(real, n_wrong, random_state=self.random_state))

    def score(self, sentences: Any) -> Any:
        """Score of a sentence, or of each of several.

        Parameters
        ----------
        sentences : str, sequence of str, array or sparse matrix
            A sentence, or several, or their features.

        Returns
        -------
        float or ndarray of shape (n_sentences,)
            The higher, the better, within a group of candidates.
        """
        self._require_fitted()
        if isinstance(sentences, str):
            return float(self._scores(self._counts([sentences]))[0])
        if not is_table(sentences):
            return self._scores(self._counts(sentences))
        rows = rows_of(sentences)
        require_finite(rows, "candidates")
        return self._scores(rows)

    def rank(self, candidates: Any) -> list[Any]:
        """Candidates sorted by score, the best first; ties keep their order.

        Parameters
        ----------
        candidates : sequence of str, array or sparse matrix
            Sentences, or a row of features each.

        Returns
        -------
        list
            The sentences; for rows of features, their indices.
        """
        order = np.argsort(-self.score(candidates), kind="stable").tolist()
        return order if is_table(candidates) else [list(candidates)[i] for i in order]

    def choose(self, candidates: Any) -> Ints:
        """Index of the highest-scoring candidate in each group; the first, if tied.

        Parameters
        ----------
        candidates : sequence of groups
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_groups,)
            The indices, to compare with `best`.
        """
        groups = groups_of(candidates)
        return np.array([int(np.argmax(self.score(group))) for group in groups], np.int64)

    def weights_in(self, sentences: Any) -> dict[str, float]:
        """Weights of the n-grams of some sentences, the largest first.

        Parameters
        ----------
        sentences : str or sequence of str
            Where to look for n-grams.

        Returns
        -------
        dict
            Weight by n-gram, without those of weight 0. Of n-grams that share a hashed feature, the
            most frequent one in the sentences is given.
        """
        self._require_fitted()
        texts = texts_of([sentences] if isinstance(sentences, str) else sentences, "sentences")
        features = np.unique(self._reader().counts(texts).indices)
        features = features[self.coef_[features] != 0]
        names = self._reader().names_in(texts, features)
        ranked = features[np.argsort(-np.abs(self.coef_[features]), kind="stable")].tolist()
        return {names[j][0]: float(self.coef_[j]) for j in ranked}

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are weights to score with."""
        return "coef_" in vars(self)

    def _check(self) -> None:
        check_text_settings(self.sizes, self.unit, self.n_features, self.vocabulary)
        parameters.one_of("keep", self.keep, ("average", "last"))
        parameters.whole("max_iter", self.max_iter, least=1)
        parameters.flag("shuffle", self.shuffle)
        parameters.whole("random_state", self.random_state, least=0)

    def _reader(self) -> Reader:
        sizes = (self.sizes[0], self.sizes[1])
        if self.vocabulary and "vocabulary_" not in vars(self):
            raise DataError("This SentenceRanker was fitted to rows of numbers: it has no words.")
        if self.vocabulary:
            return Vocabulary(self.vocabulary_, sizes, self.unit)
        return NgramSpec(sizes, self.unit, int(self.n_features).bit_length() - 1, "count")

    def _counts(self, sentences: Any) -> Rows:
        return self._reader().counts(texts_of(sentences, "candidates"))

    def _scores(self, rows: Rows) -> Floats:
        if n_cols(rows) != self.n_features_in_:
            raise DataError(
                f"The candidates have {n_cols(rows):,} features; this SentenceRanker was fitted to"
                f" {self.n_features_in_:,}."
            )
        return scores_of(rows, np.append(self.coef_, 0.0)[None])[:, 0]

    def _groups(self, candidates: Any, best: Any) -> Groups:
        """Rows of all groups one after the other, checked."""
        groups = groups_of(candidates)
        lengths = [int(np.shape(group)[0]) for group in groups]
        if max(lengths, default=0) < 2:
            raise DataError(
                "At least one group must have two candidates; none of the"
                f" {len(groups)} groups has."
            )
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        if any(is_table(group) for group in groups):
            rows = stacked(groups)
            require_finite(rows, "candidates")
            self.__dict__.pop("vocabulary_", None)
        else:
            rows = self._learned([sentence for group in groups for sentence in group])
        return Groups(rows, starts, starts[:-1] + places_of(best, np.diff(starts)))

    def _learned(self, sentences: list[str]) -> Rows:
        """Rows of sentences, by a vocabulary of their own where one is wanted."""
        if self.vocabulary:
            texts = texts_of(sentences, "candidates")
            sizes = (self.sizes[0], self.sizes[1])
            self.vocabulary_ = words_kept(ngram_document_frequencies(texts, sizes, self.unit), 1)
        return self._counts(sentences)

    def _run_solver(self, groups: Groups, recorder: EpochRecorder | None = None) -> None:
        seed = int(self.random_state) if self.shuffle else None
        monitoring = Monitoring(
            criteria=[no_mistake, max_epochs(self.max_iter, Ending.MAX_RANKING_EPOCHS_REACHED)],
            eta_if_bounded=1.0,
            geometry=lambda W: MarginAndRadius(*narrowest(groups, W[0])),
        )
        results = ranking_epochs(groups, keep=self.keep, seed=seed)
        if recorder is not None:
            start = np.zeros(n_cols(groups.rows))
            results = recorder.recorded(results, start, lambda W: np.asarray(W[0, :-1]))
        fit = run_solver(results, Blocks(unlabelled(groups.rows)), RANKING, monitoring)
        self.coef_, self.trace_, self.outcome_ = fit.W[0, :-1].copy(), fit.trace, fit.outcome
        self.mistakes_, self.n_iter_ = fit.mistakes, len(fit.trace)
        self.margin_bounds_, self.mistake_bound_ = fit.margin_bounds, fit.mistake_bound


def is_table(group: Any) -> bool:
    """Whether candidates are rows of numbers, not sentences."""
    return dimensions(group) == 2


def dimensions(group: Any) -> int | None:
    """How many dimensions candidates have; None for lists of which some are longer than others."""
    try:
        return int(np.ndim(group))
    except ValueError:
        return None


def groups_of(candidates: Any) -> list[Any]:
    """Groups of candidates, each a list of sentences or a table of features, none empty."""
    if isinstance(candidates, str) or not np.iterable(candidates):
        raise DataError(f"candidates must be a list of groups; got {type(candidates).__name__}.")
    groups = list(candidates)
    for place, group in enumerate(groups):
        check_group(group, place)
    return groups


def stacked(groups: list[Any]) -> Rows:
    """Tables of numbers one above the other."""
    width = next(np.shape(group)[1] for group in groups if is_table(group))
    for place, group in enumerate(groups):
        if not is_table(group) or np.shape(group)[1] != width:
            raise DataError(
                f"candidates[{place}] must be a table of {width} features, like the others; got"
                f" shape {np.shape(group)}."
            )
    if any(sparse.issparse(group) for group in groups):
        return rows_of(sparse.vstack([sparse.csr_array(group) for group in groups], "csr"))
    return rows_of(np.vstack(groups))


def check_group(group: Any, place: int) -> None:
    """Refuse what is no group, or has no candidate."""
    if not is_table(group) and (dimensions(group) != 1 or sparse.issparse(group)):
        raise DataError(
            f"candidates[{place}] must be a list of sentences or a table of features; got"
            f" {type(group).__name__}."
        )
    if np.shape(group)[0] == 0:
        raise DataError(f"candidates[{place}] is empty; every group needs a candidate.")


def places_of(best: Any, lengths: Ints) -> Ints:
    """The place of the best candidate in each group, checked."""
    try:
        places = np.asarray(best)
    except ValueError as error:
        raise DataError(f"best must hold one whole number for each group: {error}.") from error
    if places.shape != lengths.shape or places.dtype.kind not in "iu":
        raise DataError(
            f"best must hold one whole number for each of the {len(lengths)} groups; got"
            f" {places.dtype} of shape {places.shape}."
        )
    outside = np.flatnonzero((places < 0) | (places >= lengths))
    if len(outside):
        g = int(outside[0])
        raise DataError(
            f"best[{g}] must be an index from 0 to {lengths[g] - 1}, as candidates[{g}] has"
            f" {lengths[g]} candidates; got {places[g]}."
        )
    return places.astype(np.int64)
