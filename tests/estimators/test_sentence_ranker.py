"""The ranking perceptron: a textbook loop, Kesler's construct, the theorem, and sentences."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rosenblatt import Perceptron, SentenceRanker, builtin, corrupted, load, save
from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.features.maps.ngrams import counts
from rosenblatt.persist.file import load_model

SLIDE = [["cat sat on the mat", "cat sat the on mat", "cat cat on the mat"]]
NUMBERS = st.integers(0, 2**32 - 1)


def random_groups(seed: int, n: int, d: int, w: Any = None) -> tuple[list[Any], list[int]]:
    """Groups of integer rows; the best by the weights w, or any."""
    rng = np.random.default_rng(seed)
    sizes = [3, *rng.integers(1, 5, n - 1)]
    groups = [rng.integers(-3, 4, (size, d)).astype(float) for size in sizes]
    if w is None:
        return groups, [int(rng.integers(len(group))) for group in groups]
    return groups, [int(np.argmax(group @ w)) for group in groups]


def textbook(groups: list[Any], best: list[int], passes: int) -> tuple[Any, Any, list[int]]:
    """Last weights, their mean after each group, and the mistakes of each pass."""
    w = np.zeros(groups[0].shape[1])
    seen, mistakes = [], []
    for _ in range(passes):
        mistakes.append(0)
        for group, b in zip(groups, best, strict=True):
            others = [i for i in range(len(group)) if i != b]
            if others:
                r = max(others, key=lambda i: group[i] @ w)
                if group[b] @ w <= group[r] @ w:
                    w = w + group[b] - group[r]
                    mistakes[-1] += 1
            seen.append(w)
        if mistakes[-1] == 0:
            break
    return w, np.mean(seen, axis=0), mistakes


@given(NUMBERS, st.integers(1, 12), st.integers(1, 4), st.sampled_from(["dense", "sparse"]))
def test_it_is_the_textbook_loop(seed: int, n: int, d: int, storage: str) -> None:
    groups, best = random_groups(seed, n, d)
    last, mean, mistakes = textbook(groups, best, 7)
    stored = groups if storage == "dense" else [sparse.csr_array(group) for group in groups]
    settings: Any = {"max_iter": 7, "shuffle": False}
    model = SentenceRanker(keep="last", **settings).fit(stored, best)
    assert_array_equal(model.coef_, last)
    assert model.trace_.column("mistakes") == mistakes
    assert model.mistakes_ == sum(mistakes)
    assert model.outcome_.converged == (mistakes[-1] == 0)
    averaged = SentenceRanker(**settings).fit(stored, best)
    assert_allclose(averaged.coef_, mean, rtol=0, atol=1e-12)


def test_kesler_is_a_ranking_of_classes() -> None:
    iris = builtin("iris")
    x = np.column_stack([iris.X, np.ones(len(iris.X))])
    classes, codes = np.unique(iris.y, return_inverse=True)
    groups = [np.kron(np.eye(len(classes)), row) for row in x]
    ranker = SentenceRanker(keep="last", max_iter=20, shuffle=False).fit(groups, codes)
    kesler = Perceptron(max_iter=20, shuffle=False).fit(iris.X, iris.y)
    W = np.column_stack([kesler.coef_, kesler.intercept_])
    assert_allclose(ranker.coef_, W.ravel(), rtol=0, atol=1e-9)
    assert ranker.trace_.column("mistakes") == kesler.trace_.column("mistakes")


@given(NUMBERS, st.integers(1, 20), st.integers(1, 5), st.sampled_from([True, False]))
def test_the_theorem_bounds_the_mistakes(seed: int, n: int, d: int, shuffle: Any) -> None:
    w = np.random.default_rng(seed).normal(size=d)
    w /= np.linalg.norm(w)
    groups, best = random_groups(seed, n, d, w)
    together = [np.unique(group, axis=0) for group in groups]  # equals would tie for ever
    best = [int(np.argmax(group @ w)) for group in together]
    pairs = [
        (g, b, i) for g, b in zip(together, best, strict=True) for i in range(len(g)) if i != b
    ]
    differences = np.array([group[b] - group[i] for group, b, i in pairs]).reshape(-1, d)
    gamma = (differences @ w).min(initial=np.inf)
    radius = np.linalg.norm(differences, axis=1).max(initial=0.0)
    if not len(differences) or (radius / gamma) ** 2 > 1000:
        return
    model = SentenceRanker(max_iter=2000, shuffle=shuffle, random_state=1).fit(together, best)
    assert str(model.outcome_).startswith("Converged after")
    assert model.mistakes_ <= (radius / gamma) ** 2
    assert model.mistakes_ <= model.mistake_bound_
    lower, upper = model.margin_bounds_
    assert lower <= upper * (1 + 1e-12)
    assert gamma <= upper * (1 + 1e-12)
    last = SentenceRanker(keep="last", max_iter=2000, shuffle=shuffle, random_state=1)
    margins = differences @ last.fit(together, best).coef_
    assert lower == pytest.approx(margins.min() / np.linalg.norm(last.coef_))
    assert model.mistake_bound_ == pytest.approx((radius / lower) ** 2)


def test_a_tie_is_a_mistake() -> None:
    model = SentenceRanker(max_iter=3).fit([["the mat", "The mat!"]], [1])
    assert str(model.outcome_) == (
        "Stopped after 3 epochs, with 1 mistake in the last. Raise `max_iter`. If no weights rank"
        " all groups correctly, longer n-grams may help."
    )
    assert model.mistake_bound_ is None
    assert not model.coef_.any()


@pytest.mark.parametrize("vocabulary", [False, True])
def test_the_slide_of_the_lecture(vocabulary: Any) -> None:
    model = SentenceRanker(vocabulary=vocabulary, keep="last").fit(SLIDE, [0])
    # w = Φ(cat sat on the mat) − Φ(cat sat the on mat)
    wanted = {"sat on": 1.0, "on the": 1.0, "the mat": 1.0}
    assert model.weights_in(SLIDE[0][0]) == wanted
    everything = wanted | {"sat the": -1.0, "the on": -1.0, "on mat": -1.0}
    assert model.weights_in(SLIDE[0]) == everything
    assert model.score(SLIDE[0][0]) == 3.0
    assert model.score(SLIDE[0]).tolist() == [3.0, -3.0, 2.0]
    assert model.rank(SLIDE[0]) == [SLIDE[0][0], SLIDE[0][2], SLIDE[0][1]]
    assert model.choose([SLIDE[0], SLIDE[0][1:]]).tolist() == [0, 1]
    assert (model.mistakes_, model.n_iter_) == (1, 2)
    if vocabulary:
        assert model.n_features_in_ == len(model.vocabulary_) == 14
        assert model.vocabulary_[:4].tolist() == ["cat", "cat cat", "cat on", "cat sat"]


@pytest.mark.parametrize("unit", ["word", "character"])
def test_sentences_are_their_counts(unit: str) -> None:
    groups = [*SLIDE, ["a b", "b a", "b b a"]]
    settings: Any = {"sizes": (1, 3), "unit": unit, "n_features": 2**10, "shuffle": False}
    by_words = SentenceRanker(**settings).fit([pl.Series(group) for group in groups], [1, 2])
    tables = [
        matrix_of(counts(pl.Series(group), sizes=(1, 3), bits=10, unit=unit)) for group in groups
    ]
    by_rows = SentenceRanker(**settings).fit(tables, np.array([1, 2]))
    assert_array_equal(by_words.coef_, by_rows.coef_)
    assert_array_equal(by_rows.score(tables[0]), by_words.score(groups[0]))
    assert by_rows.rank(tables[1])[0] == 2
    assert clone(by_words).get_params() == by_words.get_params()


@pytest.mark.parametrize("settings", [{}, {"vocabulary": True, "unit": "character"}])
def test_it_comes_back_from_its_file(settings: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "ranker.rosenblatt"
    model = SentenceRanker((1, 3), **settings).fit(SLIDE, [0])
    save(model, path)
    again = load(path)
    assert again.get_params() == model.get_params()
    assert_array_equal(again.coef_, model.coef_)
    assert again.score(SLIDE[0]).tolist() == model.score(SLIDE[0]).tolist()
    assert again.weights_in("on the mat") == model.weights_in("on the mat")
    assert str(again.outcome_) == str(model.outcome_)
    assert again.trace_.as_dicts() == model.trace_.as_dicts()
    assert (b"sat" in path.read_bytes()) == bool(settings)
    with pytest.raises(ModelError, match="not a linear classifier of rows"):
        load_model(path)


def test_a_forged_file_is_refused(tmp_path: Path) -> None:
    model = SentenceRanker(vocabulary=True).fit(SLIDE, [0])
    words = model.vocabulary_
    for forged in (words[1:], np.array([1] * len(words), object)):
        model.vocabulary_ = forged
        save(model, tmp_path / "forged")
        with pytest.raises(ModelError, match="damaged model file"):
            load(tmp_path / "forged")


def test_real_sentences_win_over_spoilt_ones() -> None:
    subjects, verbs = ["the cat", "a dog", "my bird"], ["sat on", "ran to", "saw"]
    things = ["the mat", "a tree", "the old house", "my hat"]
    sentences = [f"{s} {v} {t}." for s in subjects for v in verbs for t in things]
    new = sentences[::5]
    model = SentenceRanker().fit_sentences([s for s in sentences if s not in new], 6)
    groups, best = corrupted(new, 3, random_state=5)
    assert model.outcome_.converged
    assert np.mean(model.choose(groups) == best) > 0.8  # a quarter by chance


@given(st.lists(st.text("ab .", max_size=12), max_size=6), st.integers(1, 5), st.integers(0, 9))
def test_spoilt_sentences_are_wrong(sentences: list[str], n_wrong: int, seed: int) -> None:
    real = [" ".join(s.split()) for s in sentences if len(s.split()) >= 3]
    if not real:
        with pytest.raises(DataError, match="No sentence has 3 words or more"):
            corrupted(sentences, n_wrong)
        return
    groups, best = corrupted(sentences, n_wrong, random_state=seed)
    assert [group[b] for group, b in zip(groups, best, strict=True)] == real
    assert (groups, best) == corrupted(sentences, n_wrong, random_state=seed)
    for group in groups:
        assert len(set(group)) == len(group) <= n_wrong + 1


def test_where_the_real_one_stands_tells_nothing() -> None:
    _, best = corrupted(["a b c d e f g h"] * 400, 3)
    assert (np.bincount(best, minlength=4) > 70).all()


BAD: dict[str, tuple[Any, Any, str]] = {
    "no group": ([], [], "must have two candidates; none of the 0"),
    "one candidate each": ([["a"], ["b"]], [0, 0], "must have two candidates; none of the 2"),
    "an empty group": ([["a"], []], [0, 0], r"candidates\[1\] is empty"),
    "a sentence for a group": (["a b"], [0], r"candidates\[0\] must be a list of sentences"),
    "no texts": ([["a", 3]], [0], "candidates must hold texts; got 3"),
    "too few places": ([["a", "b"], ["b"]], [0], "one whole number for each of the 2 groups"),
    "no whole numbers": ([["a", "b"]], [0.0], "one whole number for each of the 1 groups"),
    "no such place": ([["a"], ["a", "b"]], [0, 2], r"best\[1\] must be an index from 0 to 1"),
    "numbers for groups": (np.arange(3.0), [0] * 3, "or a table of features; got float64"),
    "rows for groups": (sparse.csr_array(np.eye(3)), [0] * 3, "or a table of features; got csr"),
    "numbers for texts": (np.eye(3), [0] * 3, "candidates must hold texts; got"),
    "texts beside tables": (
        [np.eye(2), ["a", "b"]],
        [0, 0],
        r"candidates\[1\] must be a table of 2",
    ),
    "tables beside texts": (
        [["a", "b"], np.eye(3)],
        [0, 0],
        r"candidates\[0\] must be a table of 3",
    ),
    # once: numpy spoke for itself
    "a number": (3, [0], "candidates must be a list of groups; got int"),
    "groups in a group": ([["a", ["b"]], ["c", "d"]], [0, 0], r"\[0\] must be a list of sentences"),
    "lists of places": ([["a", "b"], ["c", "d"]], [[0], [0, 1]], "best must hold one whole number"),
    "other widths": ([np.eye(2), np.eye(3)], [0, 0], r"\[1\] must be .* got shape \(3, 3\)"),
    "NaN": ([np.array([[1.0], [np.nan]])], [0], "contains NaN"),
    "not finite": ([np.array([[1.0], [np.inf]])], [0], "infinity"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_candidates_are_refused(kind: str) -> None:
    candidates, best, told = BAD[kind]
    model = SentenceRanker()
    with pytest.raises(DataError, match=told):
        model.fit(candidates, best)
    assert vars(model) == vars(SentenceRanker())


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"sizes": (2, 1)}, "sizes must be two integers"),
        ({"sizes": (1, 9)}, "to ≤ 8"),
        ({"sizes": 2}, "sizes must be two integers"),
        ({"unit": "letter"}, "unit must be one of 'word', 'character'"),
        ({"n_features": 1000}, "n_features must be a power of 2"),
        ({"n_features": 2**31}, "at most 2\\*\\*30"),
        ({"vocabulary": 1}, "vocabulary must be True or False"),
        ({"keep": "pocket"}, "keep must be one of"),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1"),
        ({"random_state": None}, "random_state must be an integer"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], told: str) -> None:
    model = SentenceRanker(**settings)
    for learn in (lambda: model.fit(SLIDE, [0]), lambda: model.fit_sentences(SLIDE[0])):
        with pytest.raises(ParameterError, match=told):
            learn()
    assert vars(model) == vars(SentenceRanker(**settings))


def test_only_groups_are_chosen_from_and_only_numbers_scored() -> None:
    # once: of each sentence of a list the first was chosen, and NaN ranked by its place
    model = SentenceRanker(n_features=1024).fit([["a b", "b a"]], [0])
    for wrong in (["a b", "b a"], [[], ["a"]], 3):
        with pytest.raises(DataError, match="candidates"):
            model.choose(wrong)
    with pytest.raises(DataError, match="NaN at row 0"):
        model.rank(np.full((2, 1024), np.nan))


def test_what_does_not_fit_is_told() -> None:
    with pytest.raises(NotFittedError, match="call `fit` first"):
        SentenceRanker().score("a")
    for vocabulary, told in ((False, "have 262,144 features; .* fitted to 2"), (True, "no words")):
        model = SentenceRanker(vocabulary=vocabulary).fit([np.eye(2)], [0])
        with pytest.raises(DataError, match=told):
            model.score("a")
    with pytest.raises(DataError, match="The vocabulary is empty"):
        SentenceRanker(vocabulary=True).fit([["!", "?"]], [0])
    with pytest.raises(ParameterError, match="n_wrong must be"):
        SentenceRanker().fit_sentences(["a b c"], 0)
    with pytest.raises(DataError, match="sentences must be a list"):
        SentenceRanker().fit_sentences("a b c")
