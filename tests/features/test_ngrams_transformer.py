"""NGrams against scikit-learn's vectorizers, a dictionary, and itself in chunks."""

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from rosenblatt import LogisticRegression
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features import NGrams

WORD = r"[^\x00-/:-@[-^`{-\x7f\x80-\xbf\u2000-\u207f\u3000-\u303f]+"
TEXTS = st.lists(st.text("abc '—。\n", max_size=30), min_size=2, max_size=8)
ALL = st.sampled_from(["count", "binary", "tfidf"])
UNITS = st.sampled_from(["word", "character"])


def peer(weight: str, unit: str, fewest: int) -> CountVectorizer:
    words = {"token_pattern": WORD} if unit == "word" else {"analyzer": "char_wb"}
    settings: Any = {"ngram_range": (1, 2), "min_df": fewest, "dtype": np.float32, **words}
    if weight == "tfidf":
        return TfidfVectorizer(sublinear_tf=True, **settings)
    return CountVectorizer(binary=weight == "binary", **settings)


@given(TEXTS, TEXTS, ALL, UNITS, st.integers(1, 2))
def test_a_vocabulary_gives_what_scikit_learn_gives(
    learned: list[str], others: list[str], weight: str, unit: str, fewest: int
) -> None:
    ours = NGrams(vocabulary=True, weight=weight, unit=unit, min_count=fewest)
    theirs = peer(weight, unit, fewest)
    try:
        theirs.fit(learned)
    except ValueError:  # no words
        with pytest.raises(DataError, match="The vocabulary is empty"):
            ours.fit(learned)
        return
    ours.fit(learned)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert_array_equal(ours.vocabulary_, theirs.get_feature_names_out())
    rows = ours.transform(others)
    assert rows.dtype == np.float32
    assert_allclose(rows.toarray(), theirs.transform(others).toarray(), rtol=1e-5)
    if weight == "tfidf":
        assert_allclose(ours.idf_, theirs.idf_, rtol=1e-6)


@given(TEXTS, TEXTS, ALL, UNITS, st.integers(1, 2))
def test_hashes_give_what_a_dictionary_gives(
    learned: list[str], others: list[str], weight: str, unit: str, fewest: int
) -> None:
    hashed = NGrams(n_features=2**20, weight=weight, unit=unit, min_count=fewest).fit(learned)
    rows = hashed.transform(others)
    analyse = peer("count", unit, 1).build_analyzer()
    df = Counter(run for text in learned for run in set(analyse(text)))
    least = fewest if weight == "tfidf" or fewest > 1 else 0  # where nothing is learned, all count
    for i, text in enumerate(others):
        found = Counter(run for run in analyse(text) if df[run] >= least)
        entries = slice(rows.indptr[i], rows.indptr[i + 1])
        names = hashed.names_in([text], rows.indices[entries])
        values = rows.data[entries].tolist()
        told = {run: value for (run,), value in zip(names.values(), values, strict=True)}
        if weight == "count":
            assert told == found
        elif weight == "binary":
            assert told == dict.fromkeys(found, 1.0)
        else:
            idf = {run: 1 + np.log((1 + len(learned)) / (1 + df[run])) for run in found}
            wanted = {run: (1 + np.log(n)) * idf[run] for run, n in found.items()}
            length = np.sqrt(sum(value**2 for value in wanted.values()))
            assert told == pytest.approx({run: v / length for run, v in wanted.items()}, rel=1e-5)


@given(TEXTS, ALL, st.booleans(), st.integers(1, 2), st.integers(0, 8))
def test_chunks_give_what_the_whole_gives(
    texts: list[str], weight: str, vocabulary: Any, fewest: int, cut: int
) -> None:
    texts = [*texts, "a b", "b a b"]
    settings: Any = {"weight": weight, "vocabulary": vocabulary, "min_count": fewest}
    whole = NGrams(**settings, n_features=64).fit(texts)
    parts = NGrams(**settings, n_features=64).partial_fit(texts[:cut]).partial_fit(texts[cut:])
    assert parts.n_texts_ == whole.n_texts_ == len(texts)
    assert_array_equal(parts.get_feature_names_out(), whole.get_feature_names_out())
    assert_array_equal(parts.transform(texts).toarray(), whole.transform(texts).toarray())
    rows = [whole.transform([text]).toarray()[0] for text in texts]
    assert_array_equal(rows, whole.transform(texts).toarray())


def test_texts_in_any_form_give_the_same() -> None:
    texts = ["not good", None, "not bad, but good"]
    model = NGrams(n_features=2**8)
    wanted = model.fit_transform(texts).toarray()
    for form in (np.array(texts, object), pd.Series(texts), pl.Series(texts), tuple(texts)):
        assert_array_equal(model.fit(form).transform(form).toarray(), wanted)
    assert not wanted[1].any()


def test_it_works_in_a_pipeline_and_through_a_pickle() -> None:
    texts = [f"{word} film no {i}" for i in range(20) for word in ("good", "not good")]
    model = make_pipeline(NGrams(vocabulary=True, weight="tfidf"), LogisticRegression())
    model.fit(texts, [1, 0] * 20)
    assert model.score(texts, [1, 0] * 20) == 1.0
    weights = dict(zip(model[:-1].get_feature_names_out(), model[-1].coef_[0], strict=True))
    assert min(weights, key=weights.__getitem__) in {"not", "not good"}
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    assert clone(model[0]).get_params() == model[0].get_params()


def test_names_of_hashed_features() -> None:
    model = NGrams(n_features=2**4).fit(["a"])
    assert model.get_feature_names_out()[[0, 15]].tolist() == ["text#0", "text#15"]
    named = model.names_in(["b a", "a"], range(16))
    assert sorted(run for runs in named.values() for run in runs) == ["a", "b", "b a"]
    assert not hasattr(model, "vocabulary_")
    assert not hasattr(model, "idf_")
    with pytest.raises(DataError, match="features must be numbers from 0 to 15; got 16"):
        model.names_in(["a"], [16])
    words = NGrams(vocabulary=True).fit(["b a"])
    assert words.names_in(["a"], [0, 1]) == {0: ["a"], 1: []}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"sizes": (0, 1)}, "sizes must be two integers"),
        ({"unit": "char"}, "unit must be one of"),
        ({"n_features": 3}, "n_features must be a power of 2"),
        ({"weight": "idf"}, "weight must be one of"),
        ({"min_count": 0}, "min_count must be an integer of at least 1"),
        ({"vocabulary": ["a"]}, "vocabulary must be True or False"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], told: str) -> None:
    model = NGrams(**settings)
    with pytest.raises(ParameterError, match=told):
        model.fit(["a"])
    assert vars(model) == vars(NGrams(**settings))


def test_misuse_is_told_and_changes_nothing() -> None:
    with pytest.raises(NotFittedError, match="call `fit` first"):
        NGrams().transform(["a"])
    model = NGrams(n_features=8, weight="tfidf").fit(["a b"])
    before = model.transform(["a"]).toarray()
    for bad in ("a b", ["a", 1], [["a"]]):
        for learn in (model.fit, model.partial_fit):
            with pytest.raises(DataError, match="X must"):
                learn(bad)
    assert model.n_texts_ == 1
    assert_array_equal(model.transform(["a"]).toarray(), before)
    with pytest.raises(ParameterError, match="cannot change between the chunks"):
        model.set_params(n_features=16).partial_fit(["a"])
    assert model.fit(["a"]).n_texts_ == 1
