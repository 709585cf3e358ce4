"""Vocabularies against scikit-learn's CountVectorizer, with its tokens set to ours."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer

from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import DataError
from rosenblatt.features.maps import ngrams
from rosenblatt.features.maps.vocabulary import Vocabulary, ngram_document_frequencies, texts_of

WORD = r"[^\x00-/:-@[-^`{-\x7f\x80-\xbf\u2000-\u207f\u3000-\u303f]+"
TEXTS = st.lists(st.text("ab' é\u2019—。_7\n\xa0", max_size=40), min_size=1, max_size=8)
SIZES = st.sampled_from([(1, 1), (1, 2), (2, 3), (3, 5)])
UNITS = st.sampled_from(["word", "character"])


def peer(sizes: tuple[int, int], unit: str) -> CountVectorizer:
    if unit == "word":
        return CountVectorizer(token_pattern=WORD, ngram_range=sizes)
    return CountVectorizer(analyzer="char_wb", ngram_range=sizes)


@given(TEXTS, TEXTS, SIZES, UNITS, st.integers(1, 60))
@example(["To be, or not — to be!", "to  be"], ["Be not or", "to be\nto be"], (1, 2), "word", 9)
def test_counts_are_those_of_scikit_learn(
    learned: list[str], others: list[str], sizes: tuple[int, int], unit: str, block: int
) -> None:
    theirs = peer(sizes, unit)
    try:
        theirs.fit(learned)
    except ValueError:  # an empty vocabulary
        assert not ngram_document_frequencies(pl.Series(learned), sizes, unit)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "BLOCK_BYTES", block)
        found = ngram_document_frequencies(pl.Series(learned), sizes, unit)
        names = np.array(sorted(found), object)
        assert_array_equal(names, theirs.get_feature_names_out())
        present = (theirs.transform(learned) > 0).sum(axis=0)
        assert [found[name] for name in names] == np.asarray(present).ravel().tolist()
        rows = Vocabulary(names, sizes, unit).counts(pl.Series(others))
    assert_array_equal(matrix_of(rows).toarray(), theirs.transform(others).toarray())
    assert matrix_of(rows).has_canonical_format


def test_texts_of_chunks_add_up() -> None:
    texts = pl.Series(["a b a", None, "b c", ""])
    parts = ngram_document_frequencies(texts[:1], (1, 2), "word") + ngram_document_frequencies(
        texts[1:], (1, 2), "word"
    )
    assert parts == Counter({"b": 2, "a": 1, "c": 1, "a b": 1, "b a": 1, "b c": 1})
    assert parts == ngram_document_frequencies(texts, (1, 2), "word")
    assert ngram_document_frequencies(texts[:0], (1, 2), "word") == {}


@pytest.mark.parametrize(
    "texts",
    [
        ["a", None, "b c"],
        np.array(["a", None, "b c"], object),
        pd.Series(["a", None, "b c"]),
        pd.Series(["a", pd.NA, "b c"], dtype="string"),
        pl.Series(["a", None, "b c"]),
        ("a", float("nan"), "b c"),
        iter(["a", None, "b c"]),
    ],
)
def test_texts_come_in_many_forms(texts: object) -> None:
    assert texts_of(texts).to_list() == ["a", None, "b c"]
    assert texts_of(np.array(["a", "b c"])).to_list() == ["a", "b c"]


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ("one text", "X must be a list, an array or a series of texts; got one text."),
        (3, "X must be a list, an array or a series of texts; got int."),
        (["a", 3], "X must hold texts; got 3 of the type int at index 1."),
        ([["a"], ["b"]], r"X must be one column of texts; got the shape \(2, 1\)."),
        (pl.Series([1.5]), "X must hold texts; got 1.5 of the type float at index 0."),
    ],
)
def test_what_is_no_text_is_refused(texts: object, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        texts_of(texts)
