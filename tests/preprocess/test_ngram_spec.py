"""How texts are read: written, checked, and kept in a transformer."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from frames import tables

from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.features.maps.ngrams import counts
from rosenblatt.features.maps.spec import NgramSpec, features_of, parse_map_spec, parse_ngram_spec
from rosenblatt.preprocess.column_encoders import TextColumn
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import fit_preprocessing
from rosenblatt.preprocess.transformer import transformer_from_dict

NOTES = ["to be or not to be", "that is the question", "not to be", "the question to be"] * 6
FRAME = pl.DataFrame({"note": NOTES, "kind": [0, 1, 0, 1] * 6})


@pytest.mark.parametrize(
    ("written", "grams"),
    [
        ("ngrams", NgramSpec()),
        ("ngrams:1-2", NgramSpec()),
        ("ngrams:2", NgramSpec((2, 2))),
        ("ngrams:3-5,unit=character", NgramSpec((3, 5), "character")),
        ("ngrams:1-3,bits=20,weight=binary", NgramSpec((1, 3), "word", 20, "binary")),
        ("ngrams:weight=count", NgramSpec(weight="count")),
    ],
)
def test_it_is_read_as_it_is_written(written: str, grams: NgramSpec) -> None:
    assert parse_ngram_spec(written) == grams
    assert parse_ngram_spec(grams.spec) == grams


@pytest.mark.parametrize(
    ("written", "trouble"),
    [
        ("ngrams:x", "sizes must be one number, or two such as 1-2; got 'x'."),
        ("ngrams:1-x", "sizes must be one number, or two such as 1-2; got '1-x'."),
        ("ngrams:0-2", "sizes must be from 1 to 8, the smaller first; got 0 to 2."),
        ("ngrams:3-2", "sizes must be from 1 to 8, the smaller first; got 3 to 2."),
        ("ngrams:1-9", "sizes must be from 1 to 8, the smaller first; got 1 to 9."),
        ("ngrams:1,unit=letter", "unit must be one of word, character; got 'letter'."),
        ("ngrams:1,weight=idf", "weight must be one of tfidf, count, binary; got 'idf'."),
        ("ngrams:1,bits=31", "bits must be from 1 to 30; got 31."),
        ("ngrams:1,bits=many", "bits must be an integer; got 'many'."),
        ("ngrams:1,n=3", "'n=3' is not a setting of ngrams, which has sizes, unit, bits, weight."),
    ],
)
def test_slips_are_told(written: str, trouble: str) -> None:
    with pytest.raises(ParameterError) as raised:
        parse_ngram_spec(written)
    assert str(raised.value) == f"{written}: {trouble}"


def test_maps_may_follow() -> None:
    assert features_of(["poly:2", "ngrams:1"]) == (NgramSpec((1, 1)), (parse_map_spec("poly:2"),))
    assert features_of([]) == (None, ())
    with pytest.raises(
        ParameterError, match="n-gram specification is allowed; got ngrams:1 and ngrams:2"
    ):
        features_of(["ngrams:1", "ngrams:2"])
    with pytest.raises(ParameterError, match="Did you mean 'ngrams'"):
        features_of(["ngram:1"])
    with pytest.raises(ParameterError, match="ngrams:2 maps texts; only maps of features"):
        parse_map_spec("ngrams:2")


@pytest.mark.parametrize("weight", ["tfidf", "count", "binary"])
@pytest.mark.parametrize("unit", ["word", "character"])
def test_a_preparation_reads_so_and_comes_back(unit: str, weight: str) -> None:
    grams = NgramSpec((2, 3), unit, 9, weight)
    transformer = fit_preprocessing(tables(FRAME, (5,)), "kind", Choices(grams=grams)).transformer
    (column,) = transformer.columns
    assert isinstance(column, TextColumn)
    assert column.grams == grams
    assert (column.idf is not None) == (weight == "tfidf")
    (chunk,) = tables(FRAME)
    wanted = matrix_of(counts(FRAME["note"], sizes=(2, 3), bits=9, unit=unit)).toarray()
    once = weight == "binary"
    raw = matrix_of(transformer.encode(chunk)).toarray()
    np.testing.assert_array_equal(raw, np.minimum(wanted, 1) if once else wanted)
    rows = matrix_of(transformer.transform(chunk)).toarray()
    if weight == "tfidf":
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-6)
    else:
        np.testing.assert_array_equal(rows, raw)
    plain, arrays = transformer.to_dict()
    again = transformer_from_dict(json.loads(json.dumps(plain)), arrays)
    assert again.columns[0].grams == grams
    np.testing.assert_array_equal(matrix_of(again.transform(chunk)).toarray(), rows)


def test_a_forged_specification_is_refused() -> None:
    transformer = fit_preprocessing(
        tables(FRAME), "kind", Choices(text=frozenset(["note"]))
    ).transformer
    plain, arrays = transformer.to_dict()
    assert transformer_from_dict(plain, arrays).columns[0].grams == NgramSpec()
    for name, value, told in (
        ("unit", "letter", "hashes 1 to 2 letters"),
        ("weight", "heaviness", "with heaviness"),
        ("sizes", [2, 1], "hashes 2 to 1 words"),
    ):
        forged = plain | {"columns": [plain["columns"][0] | {name: value}]}
        with pytest.raises(ValueError, match=told):
            transformer_from_dict(forged, arrays)


def test_the_only_column_of_words_is_the_text() -> None:
    short = FRAME.with_columns(note=pl.Series(["yes", "yes", "no"] * 8), size=pl.int_range(24))
    choices = Choices(grams=NgramSpec((1, 2), "character", 8))
    learned = fit_preprocessing(tables(short), "kind", replace(choices, use=frozenset(["size"])))
    assert [column.name for column in learned.transformer.columns] == ["size", "note"]
    assert isinstance(learned.transformer.columns[1], TextColumn)
    told = "--features ngrams:1-2,unit=character,bits=8: no column of .* Name one with --text"
    two = short.with_columns(other=pl.Series(["a", "b"] * 12))
    for frame in (two, short.drop("note")):
        with pytest.raises(SourceError, match=told):
            fit_preprocessing(tables(frame), "kind", choices)
