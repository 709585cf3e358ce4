"""Runs of words, or of characters, of texts."""

from collections import Counter
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.linear_base import unchanged_by_failure
from rosenblatt.estimators.text_params import check_text_settings, words_kept
from rosenblatt.kernels.rows import CSR
from rosenblatt.preprocess.ngram_spec import WEIGHTS, Grams
from rosenblatt.preprocess.text_columns import texts_of
from rosenblatt.preprocess.tfidf import document_frequencies, inverse_frequencies, weighted
from rosenblatt.preprocess.vectorizers import Reader, Vocabulary, texts_with_runs
from rosenblatt.types import Array, Floats, Ints


class NGrams(TransformerMixin, BaseEstimator):
    """Texts to sparse rows: how often words, or runs of words or of characters, occur.

    Letters are lower-cased. A word is a run of letters, digits and underscores, and everything else
    stands between words. Runs of characters stay within a word and the blanks around it, as in
    scikit-learn's `analyzer="char_wb"`.

    Parameters
    ----------
    sizes : (int, int), default=(1, 2)
        How many words, or characters, a run has, from and to: at most 8.
    unit : {"word", "character"}, default="word"
        What runs are made of.
    n_features : int, default=2**18
        Features that runs are hashed to, a power of 2. Nothing is stored for it.
    vocabulary : bool, default=False
        Whether every run that was learned has a feature of its own instead, in alphabetical order.
    weight : {"count", "binary", "tfidf"}, default="count"
        What a run weighs that occurs tf times in a text, and in df of n texts: tf, or 1, or
        (1 + log tf) (1 + log((1 + n)/(1 + df))) with rows of length 1, where what is in none of the
        n texts is left out.
    min_count : int, default=1
        Runs, or hashed features, that occur in fewer texts are left out.

    Attributes
    ----------
    vocabulary_ : ndarray of str
        What each feature stands for; with `vocabulary=True` only.
    idf_ : ndarray of float
        1 + log((1 + n)/(1 + df)) of each feature, 0 if it is left out; with `weight="tfidf"` only.
    n_texts_ : int
        How many texts were learned from.

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

    n_texts_: int
    _settings: tuple[Any, ...]  # that cannot change between chunks
    _runs: Counter[str]  # in how many texts each occurs
    _hashes: Ints  # the same of each hashed feature
    _ready: "_Ready | None"  # made of them when it is wanted

    def __init__(
        self,
        sizes: tuple[int, int] = (1, 2),
        *,
        unit: str = "word",
        n_features: int = 1 << 18,
        vocabulary: bool = False,
        weight: str = "count",
        min_count: int = 1,
    ) -> None:
        self.sizes = sizes
        self.unit = unit
        self.n_features = n_features
        self.vocabulary = vocabulary
        self.weight = weight
        self.min_count = min_count

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn which runs there are, and in how many texts, as far as that is wanted.

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
            for name in ("n_texts_", "_settings", "_runs", "_hashes", "_ready"):
                if name in vars(self):
                    delattr(self, name)
            self.partial_fit(X)
            self._made()  # a vocabulary without words is refused
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from more texts: chunks give what the whole gives.

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
            self._ready = None
            if self.vocabulary:
                runs = texts_with_runs(texts, self._sizes, self.unit)
                runs.update(vars(self).get("_runs", {}))
                self._runs = runs
            elif self._counts_texts:
                hashes = document_frequencies(self._grams.counts(texts))
                self._hashes = vars(self).get("_hashes", 0) + hashes
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
            Weights in float32, features in rising order.
        """
        reader, idf = self._made()
        rows = reader.counts(texts_of(X))
        if self.weight == "tfidf" and idf is not None:
            return matrix_of(weighted(rows, idf))
        if self.weight == "binary":
            rows = rows._replace(data=np.ones_like(rows.data))
        return matrix_of(rows if idf is None else _with(rows, idf > 0))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the features: the runs of a vocabulary, or text#0, text#1, … of hashes.

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
        reader, _ = self._made()
        if isinstance(reader, Vocabulary):
            return reader.names
        return np.array([f"text#{j}" for j in range(reader.n_features)], object)

    def names_in(self, texts: Any, features: Any) -> dict[int, list[str]]:
        """Runs of some texts that have each of some features, the most frequent first.

        Parameters
        ----------
        texts : list, array or series of str
            Where to look for them.
        features : sequence of int
            Numbers of features.

        Returns
        -------
        dict
            Runs by feature; an empty list where none was found.
        """
        reader, _ = self._made()
        wanted = np.unique(np.asarray(features, np.int64))
        outside = wanted[(wanted < 0) | (wanted >= reader.n_features)]
        if len(outside):
            raise DataError(
                f"features must be numbers from 0 to {reader.n_features - 1}; got {outside[0]}."
            )
        return reader.names_in(texts_of(texts, "texts"), wanted)

    @property
    def vocabulary_(self) -> Array:
        """What each feature stands for."""
        reader, _ = self._made()
        if not isinstance(reader, Vocabulary):
            raise AttributeError("There is no vocabulary: set vocabulary=True to keep the words.")
        return reader.names

    @property
    def idf_(self) -> Floats:
        """How much each feature tells."""
        _, idf = self._made()
        if self.weight != "tfidf" or idf is None:
            raise AttributeError(f"idf_ goes with weight='tfidf'; got weight={self.weight!r}.")
        return idf

    def __sklearn_is_fitted__(self) -> bool:
        """Whether texts were learned from."""
        return "n_texts_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that texts are wanted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _check(self) -> None:
        check_text_settings(self.sizes, self.unit, self.n_features, self.vocabulary)
        parameter_checks.one_of("weight", self.weight, WEIGHTS)
        parameter_checks.whole("min_count", self.min_count, least=1)
        settings = (*self._sizes, self.unit, self.n_features, self.vocabulary, self._counts_texts)
        before, self._settings = vars(self).get("_settings", settings), settings
        if before != settings:
            raise ParameterError(
                "Settings cannot change between the chunks of a `partial_fit`. Use a new NGrams."
            )

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("This NGrams instance is not fitted yet: call `fit` first.")

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.sizes[0], self.sizes[1]

    @property
    def _grams(self) -> Grams:
        return Grams(self._sizes, self.unit, int(self.n_features).bit_length() - 1, "count")

    @property
    def _counts_texts(self) -> bool:
        """Whether it matters in how many texts a run occurs."""
        return bool(self.weight == "tfidf" or self.min_count > 1)

    def _made(self) -> "_Ready":
        """What reads texts, of all that was learned so far."""
        self._require_fitted()
        if self._ready is None:
            self._ready = self._make()
        return self._ready

    def _make(self) -> "_Ready":
        reader: Reader = self._grams
        if self.vocabulary:
            reader = Vocabulary(words_kept(self._runs, self.min_count), self._sizes, self.unit)
        if not self._counts_texts:
            return _Ready(reader, None)
        if isinstance(reader, Vocabulary):
            frequencies = np.array([self._runs[name] for name in reader.names], np.int64)
        else:
            frequencies = self._hashes
        return _Ready(reader, inverse_frequencies(frequencies, self.n_texts_, self.min_count))


class _Ready(NamedTuple):
    """What reads texts, and how much each feature tells (0: left out), where that matters."""

    reader: Reader
    idf: Floats | None


def _with(rows: CSR, wanted: Array) -> CSR:
    """Rows with some of their features."""
    kept = wanted[rows.indices]
    ends = np.concatenate([[0], np.cumsum(kept)])[rows.indptr].astype(rows.indptr.dtype)
    return CSR(rows.data[kept], rows.indices[kept], ends, rows.n_cols)
