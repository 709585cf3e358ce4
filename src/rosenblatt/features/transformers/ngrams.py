"""n-grams of words or of characters of texts."""

from collections import Counter
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.base import Estimator, TransformerMixin
from rosenblatt.estimators.linear_base import unchanged_by_failure
from rosenblatt.estimators.parameters import check_text_settings, words_kept
from rosenblatt.features.maps.spec import WEIGHTS, NgramSpec
from rosenblatt.features.maps.vocabulary import (
    Reader,
    Vocabulary,
    document_frequencies,
    inverse_frequencies,
    ngram_document_frequencies,
    texts_of,
    weighted,
)
from rosenblatt.kernels.rows import CSR
from rosenblatt.types import Array, Floats, Ints

STATE = {"n_texts_", "_settings", "_term_counts", "_hash_counts", "_cached_vectorizer"}


@dataclass(eq=False, repr=False)
class NGrams(TransformerMixin, Estimator):
    """Counts of n-grams of words or characters in texts, as sparse rows.

    Letters are lower-cased. A word is a run of letters, digits and underscores, and everything else
    separates words. n-grams of characters stay within a word and the blanks around it, as in
    scikit-learn's `analyzer="char_wb"`.

    Parameters
    ----------
    sizes : (int, int), default=(1, 2)
        Smallest and largest length of the n-grams, at most 8.
    unit : {"word", "character"}, default="word"
        What n-grams are made of; those of characters stay within a word.
    n_features : int, default=2**18
        Number of features that n-grams are hashed to, a power of 2. Nothing is stored for them.
    vocabulary : bool, default=False
        Whether every n-gram of the training texts has a feature of its own instead, in alphabetical
        order.
    weight : {"count", "binary", "tfidf"}, default="count"
        Value of an n-gram that occurs tf times in a text, and in df of n texts: tf, or 1, or (1 +
        log tf) (1 + log((1 + n)/(1 + df))) with rows of norm 1, where n-grams that occur in none of
        the n texts are left out.
    min_count : int, default=1
        n-grams, or hashed features, that occur in fewer texts are left out.

    Attributes
    ----------
    vocabulary_ : ndarray of str
        The n-gram of each feature; only with `vocabulary=True`.
    idf_ : ndarray of float
        1 + log((1 + n)/(1 + df)) of each feature, 0 if it is left out; only with `weight="tfidf"`.
    n_texts_ : int
        Number of texts seen in `fit`.

    Examples
    --------
    >>> from rosenblatt.features import NGrams
    >>> texts = ["not good", "good, not bad"]
    >>> model = NGrams(vocabulary=True).fit(texts)
    >>> list(model.get_feature_names_out())
    ['bad', 'good', 'good not', 'not', 'not bad', 'not good']
    >>> model.transform(["Not good. Not good!"]).toarray()
    array([[0., 2., 1., 2., 0., 2.]], dtype=float32)
    >>> hashed = NGrams(n_features=2**10).fit(texts)
    >>> hashed.names_in(texts, hashed.transform(["Good!"]).indices)
    {562: ['good']}
    """

    sizes: tuple[int, int] = (1, 2)
    _: KW_ONLY
    unit: str = "word"
    n_features: int = 1 << 18
    vocabulary: bool = False
    weight: str = "count"
    min_count: int = 1

    n_texts_: int = field(init=False)
    _settings: tuple[Any, ...] = field(init=False)  # that cannot change between chunks
    _term_counts: Counter[str] = field(init=False)  # number of texts that each n-gram occurs in
    _hash_counts: Ints = field(init=False)  # the same of each hashed feature
    _cached_vectorizer: "_Vectorizer | None" = field(init=False)  # built of them when it is needed

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the n-grams and their document frequencies, if needed.

        Parameters
        ----------
        X : list, array or series of str
            Texts; a missing one (None, NaN) has no words.
        y : ignored
            For pipelines.

        Returns
        -------
        self
        """
        del y
        with unchanged_by_failure(self):
            for name in STATE & set(vars(self)):
                delattr(self, name)
            self.partial_fit(X)
            self._vectorizer()  # raises an error if the vocabulary is empty
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from more texts: chunks give the same result as all texts at once.

        Parameters
        ----------
        X : list, array or series of str
            Texts; a missing one (None, NaN) has no words.
        y : ignored
            For pipelines.

        Returns
        -------
        self
        """
        del y
        with unchanged_by_failure(self):
            self._check()
            texts = texts_of(X)
            self.n_texts_ = vars(self).get("n_texts_", 0) + len(texts)
            self._cached_vectorizer = None
            if self.vocabulary:
                counts = ngram_document_frequencies(texts, self._sizes, self.unit)
                counts.update(vars(self).get("_term_counts", {}))
                self._term_counts = counts
            elif self._counts_texts:
                frequencies = document_frequencies(self._grams.counts(texts))
                self._hash_counts = vars(self).get("_hash_counts", 0) + frequencies
        return self

    def transform(self, X: Any) -> Any:
        """Rows of features.

        Parameters
        ----------
        X : list, array or series of str
            Texts; a missing one (None, NaN) has no words.

        Returns
        -------
        csr_array of shape (n_texts, n_features)
            Values in float32, sorted by feature.
        """
        reader, idf = self._vectorizer()
        rows = reader.counts(texts_of(X))
        if self.weight == "tfidf" and idf is not None:
            return matrix_of(weighted(rows, idf))
        if self.weight == "binary":
            rows = rows._replace(data=np.ones_like(rows.data))
        return matrix_of(rows if idf is None else _select_features(rows, idf > 0))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the features: the n-grams of a vocabulary, or text#0, text#1, … if hashed.

        Parameters
        ----------
        input_features : ignored
            For pipelines.

        Returns
        -------
        ndarray of str
            One a feature.
        """
        del input_features
        reader, _ = self._vectorizer()
        if isinstance(reader, Vocabulary):
            return reader.names
        return np.array([f"text#{j}" for j in range(reader.n_features)], object)

    def names_in(self, texts: Any, features: Any) -> dict[int, list[str]]:
        """n-grams of some texts that belong to each of some features, the most frequent first.

        Parameters
        ----------
        texts : list, array or series of str
            Texts to search.
        features : sequence of int
            Indices of features.

        Returns
        -------
        dict
            n-grams by feature; an empty list if none was found.
        """
        reader, _ = self._vectorizer()
        wanted = np.unique(np.asarray(features, np.int64))
        outside = wanted[(wanted < 0) | (wanted >= reader.n_features)]
        if len(outside):
            raise DataError(
                f"features must be numbers from 0 to {reader.n_features - 1}; got {outside[0]}."
            )
        return reader.names_in(texts_of(texts, "texts"), wanted)

    @property
    def vocabulary_(self) -> Array:
        """The n-gram of each feature."""
        reader, _ = self._vectorizer()
        if not isinstance(reader, Vocabulary):
            raise AttributeError("There is no vocabulary: set vocabulary=True to keep the words.")
        return reader.names

    @property
    def idf_(self) -> Floats:
        """Inverse document frequency of each feature."""
        _, idf = self._vectorizer()
        if self.weight != "tfidf" or idf is None:
            raise AttributeError(f"idf_ needs weight='tfidf'; got weight={self.weight!r}.")
        return idf

    def __sklearn_is_fitted__(self) -> bool:
        """Whether it has seen texts."""
        return "n_texts_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Tags: the input is texts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _check(self) -> None:
        check_text_settings(self.sizes, self.unit, self.n_features, self.vocabulary)
        parameters.one_of("weight", self.weight, WEIGHTS)
        parameters.whole("min_count", self.min_count, least=1)
        settings = (*self._sizes, self.unit, self.n_features, self.vocabulary, self._counts_texts)
        before, self._settings = vars(self).get("_settings", settings), settings
        if before != settings:
            raise ParameterError(
                "Settings cannot change between the chunks of a `partial_fit`. Use a new NGrams."
            )

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.sizes[0], self.sizes[1]

    @property
    def _grams(self) -> NgramSpec:
        return NgramSpec(self._sizes, self.unit, int(self.n_features).bit_length() - 1, "count")

    @property
    def _counts_texts(self) -> bool:
        """Whether document frequencies are needed."""
        return bool(self.weight == "tfidf" or self.min_count > 1)

    def _vectorizer(self) -> "_Vectorizer":
        """The vectorizer of all texts seen so far."""
        self._require_fitted()
        if self._cached_vectorizer is None:
            self._cached_vectorizer = self._build_vectorizer()
        return self._cached_vectorizer

    def _build_vectorizer(self) -> "_Vectorizer":
        reader: Reader = self._grams
        if self.vocabulary:
            kept = words_kept(self._term_counts, self.min_count)
            reader = Vocabulary(kept, self._sizes, self.unit)
        if not self._counts_texts:
            return _Vectorizer(reader, None)
        if isinstance(reader, Vocabulary):
            frequencies = np.array([self._term_counts[name] for name in reader.names], np.int64)
        else:
            frequencies = self._hash_counts
        return _Vectorizer(reader, inverse_frequencies(frequencies, self.n_texts_, self.min_count))


class _Vectorizer(NamedTuple):
    """Counts n-grams, and inverse document frequencies (0: left out) if they are needed."""

    reader: Reader
    idf: Floats | None


def _select_features(rows: CSR, selected: Array) -> CSR:
    """Rows with the entries of some features only."""
    kept = selected[rows.indices]
    indptr = np.concatenate([[0], np.cumsum(kept)])[rows.indptr].astype(rows.indptr.dtype)
    return CSR(rows.data[kept], rows.indices[kept], indptr, rows.n_cols)
