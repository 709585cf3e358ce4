"""Hashed words against ten lines of plain Python, characters and weights against scikit-learn."""

import os
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from rosenblatt.data.training_data import matrix_of, rows_part
from rosenblatt.features.maps import ngrams
from rosenblatt.features.maps.ngrams import counts, names_of
from rosenblatt.features.maps.vocabulary import document_frequencies, inverse_frequencies, weighted
from rosenblatt.kernels.rows import CSR

GAPS = r"[\x00-/:-@[-^`{-\x7f\x80-\xbf\u2000-\u207f\u3000-\u303f]+"
MODULUS = 1 << 64
WORDS = st.text("ab' é\u2019—。_7ßΣ\n\x1c\xa0\U0001f600", max_size=40)
TEXTS = st.lists(st.none() | st.text(max_size=30) | WORDS, max_size=8)
PLAIN = """
import polars as pl
from rosenblatt.features.maps.ngrams import counts, names_of
from rosenblatt.features.maps.vocabulary import document_frequencies, inverse_frequencies, weighted
texts = pl.Series(["To be — or not to be…", None, "café"])
rows = counts(texts, bits=10)
print(*rows)
print(weighted(rows, inverse_frequencies(document_frequencies(rows), 3)).data.tolist())
print(names_of(texts, rows.indices[:2], bits=10))
print(counts(texts, sizes=(3, 4), unit="character").indices.tolist())
"""
UNITS = st.sampled_from(["word", "character"])
SIZES = st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 4)])


def strings(texts: list[str | None]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String)


def textbook_hash(run: list[str]) -> int:
    """FNV-1a of each word, Horner's rule over the words, the finaliser of MurmurHash3."""
    total = 0
    for word in run:
        h = 0xCBF29CE484222325
        for byte in word.encode():
            h = (h ^ byte) * 0x100000001B3 % MODULUS
        total = (total * 0x9E3779B97F4A7C15 + h) % MODULUS
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        total = (total ^ total >> 33) * factor % MODULUS
    return total ^ total >> 33


def textbook_runs(text: str | None, sizes: tuple[int, int], unit: str = "word") -> list[list[str]]:
    lower = strings([text]).str.to_lowercase().item() or ""  # Unicode's tables differ by version
    if unit == "character":
        peer = CountVectorizer(analyzer="char_wb", ngram_range=sizes, lowercase=False)
        return [list(run) for run in peer.build_analyzer()(lower)]
    found = [word for word in re.split(GAPS, lower) if word]
    lengths = range(sizes[0], sizes[1] + 1)
    return [found[i : i + n] for n in lengths for i in range(len(found) - n + 1)]


def textbook(
    text: str | None, sizes: tuple[int, int], bits: int, unit: str = "word"
) -> dict[int, int]:
    return Counter(textbook_hash(run) >> (64 - bits) for run in textbook_runs(text, sizes, unit))


def row(rows: CSR, i: int) -> dict[int, int]:
    span = slice(rows.indptr[i], rows.indptr[i + 1])
    return dict(zip(rows.indices[span].tolist(), rows.data[span].tolist(), strict=True))


def assert_same(first: CSR, second: CSR) -> None:
    for one, other in zip(first, second, strict=True):
        assert_array_equal(one, other)


@given(TEXTS, SIZES, st.integers(1, 24), UNITS)
@example(["don't “stop” now…", None, "", "naïve café — 7_up\u3000日本。"], (1, 2), 18, "word")
@example(
    ["don't “stop” now…", " ", "a I", "naïve café — 7_up\u3000日本。"], (3, 5), 18, "character"
)
def test_counts_are_those_of_the_textbook(
    texts: list[str | None], sizes: tuple[int, int], bits: int, unit: str
) -> None:
    rows = counts(strings(texts), sizes=sizes, bits=bits, unit=unit)
    assert (rows.data.dtype, rows.indices.dtype) == (np.float32, rows.indptr.dtype)
    assert (len(rows.indptr) - 1, rows.n_cols) == (len(texts), 1 << bits)
    for i, text in enumerate(texts):
        assert row(rows, i) == textbook(text, sizes, bits, unit)
        assert (np.diff(rows.indices[rows.indptr[i] : rows.indptr[i + 1]]) > 0).all()


def test_words_as_a_reader_sees_them() -> None:
    texts = strings(["Don't STOP: it's naïve… “really”, 7_up!"])
    single = [" ".join(run) for run in textbook_runs(texts[0], (1, 1))]
    assert single == ["don", "t", "stop", "it", "s", "naïve", "really", "7_up"]
    found = counts(texts, sizes=(1, 1))
    assert names_of(texts, found.indices, sizes=(1, 1)) == {
        textbook_hash([word]) >> 46: [word] for word in single
    }


def test_a_very_long_text_is_one_row() -> None:
    long = "to be or not to be, " * 200_000
    rows = counts(strings([None, long, "a"]))
    once = textbook("to be or not to be", (1, 2), 18)
    again = textbook_hash(["be", "to"]) >> 46
    wanted = {feature: 200_000 * n for feature, n in once.items()} | {again: 199_999}
    assert row(rows, 1) == wanted
    assert row(rows, 0) == {}
    assert row(rows, 2) == textbook("a", (1, 2), 18)


@given(TEXTS, st.integers(1, 40), st.integers(1, 3))
def test_neither_blocks_nor_threads_change_a_bit(
    texts: list[str | None], block: int, threads: int
) -> None:
    series = strings(texts)
    whole = counts(series)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "BLOCK_BYTES", block)
        patch.setattr(os, "cpu_count", lambda: threads)
        assert_same(counts(series), whole)
        wanted = whole.indices[:3]
        in_blocks = names_of(series, wanted)
    assert in_blocks == names_of(series, wanted)


@given(TEXTS, st.integers(0, 8))
def test_chunks_of_a_table_have_the_rows_of_the_whole(texts: list[str | None], cut: int) -> None:
    series = strings(texts)
    whole = counts(series)
    parts = [counts(series[:cut]), counts(series[cut:])]
    rows = [row(part, i) for part in parts for i in range(len(part.indptr) - 1)]
    assert rows == [row(whole, i) for i in range(len(texts))]
    frequencies = document_frequencies(parts[0]) + document_frequencies(parts[1])
    assert_array_equal(frequencies, document_frequencies(whole))


@given(TEXTS.filter(len), st.sampled_from([1, 2, 3]))
def test_weights_are_those_of_scikit_learn(texts: list[str | None], fewest: int) -> None:
    rows = counts(strings(texts), bits=8)
    frequencies = document_frequencies(rows)
    idf = inverse_frequencies(frequencies, len(texts), fewest)
    kept = frequencies >= fewest
    assert_array_equal(idf > 0, kept)
    if not kept.any():
        return
    matrix = matrix_of(rows)[:, kept]  # as scikit-learn's CountVectorizer(min_df=…) leaves them
    peer = TfidfTransformer(sublinear_tf=True).fit(matrix)
    assert_allclose(idf[kept], peer.idf_, rtol=1e-6)  # theirs are float32
    ours = matrix_of(weighted(rows, idf))
    assert_allclose(ours.toarray()[:, kept], peer.transform(matrix).toarray(), rtol=2e-6)
    assert ours.nnz == matrix.nnz


def test_part_of_the_rows_is_weighed_as_in_the_whole() -> None:
    rows = counts(strings(["a b a", "b c", None, "c c c d"]), bits=6)
    part = rows_part(rows, 1, 4)
    assert isinstance(part, CSR)
    dense = matrix_of(rows).toarray()
    assert_array_equal(document_frequencies(part), (dense[1:] > 0).sum(axis=0))
    idf = inverse_frequencies(document_frequencies(rows), 4)
    whole = matrix_of(weighted(rows, idf)).toarray()
    assert_array_equal(matrix_of(weighted(part, idf)).toarray(), whole[1:])
    assert whole[1:].any()


def test_document_frequencies_count_texts_not_words() -> None:
    rows = counts(strings(["a a b", "a", None]), sizes=(1, 1), bits=12)
    features = [textbook_hash([word]) >> 52 for word in "ab"]
    assert document_frequencies(rows)[features].tolist() == [2, 1]
    assert document_frequencies(rows).sum() == 3


@given(TEXTS, SIZES, UNITS)
def test_names_are_the_runs_that_have_the_feature(
    texts: list[str | None], sizes: tuple[int, int], unit: str
) -> None:
    bits = 4  # so that many share a feature
    times: dict[int, Counter[str]] = {feature: Counter() for feature in (0, 3, 9)}
    between = "" if unit == "character" else " "
    for run in (run for text in texts for run in textbook_runs(text, sizes, unit)):
        feature = textbook_hash(run) >> (64 - bits)
        if feature in times:
            times[feature][between.join(run)] += 1
    wanted = {f: sorted(names, key=lambda n: (-names[n], n)) for f, names in times.items()}
    found = names_of(strings(texts), np.array([0, 3, 9]), sizes=sizes, bits=bits, unit=unit)
    assert found == wanted


def test_kernels_run_as_plain_python_with_the_same_result() -> None:
    outputs = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PLAIN],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 4
