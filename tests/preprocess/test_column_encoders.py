"""Columns as features: as scikit-learn's imputer and encoder have them; bad cells are named."""

from datetime import date
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from frames import mixed
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from rosenblatt.errors import BadCellError
from rosenblatt.io.chunks import Place, Table
from rosenblatt.preprocess.column_encoders import (
    CategoryColumn,
    NumberColumn,
    dense_rows,
    numbers_of,
    sparse_rows,
    words_of,
)

TOWNS = ("Bonn", "Jena", "Ulm")
COLUMNS = (
    NumberColumn("age", 40.0, indicator=True),
    CategoryColumn("town", TOWNS, indicator=True),
    NumberColumn("size", 0.0, indicator=False),
    CategoryColumn("sex", ("f", "m"), indicator=False),
)


def chunk(frame: pl.DataFrame) -> Table:
    return Table(frame, Place("made.csv", line=2))


def written_out(rows) -> np.ndarray:
    dense = np.zeros((len(rows.indptr) - 1, rows.n_cols))
    for i in range(len(dense)):
        for entry in range(rows.indptr[i], rows.indptr[i + 1]):
            dense[i, rows.indices[entry]] += rows.data[entry]
    return dense


@given(st.integers(0, 10**6))
def test_rows_are_those_of_scikit_learn(seed):
    frame = mixed(np.random.default_rng(seed))
    found = dense_rows(COLUMNS, chunk(frame))
    imputer = SimpleImputer(strategy="constant", fill_value=40.0, add_indicator=True)
    ages = imputer.fit_transform(frame.select("age").to_numpy())
    np.testing.assert_array_equal(
        found[:, :2], ages if ages.shape[1] == 2 else np.c_[ages, 0 * ages]
    )
    encoder = OneHotEncoder(categories=[[*TOWNS, None]], handle_unknown="ignore")
    towns = encoder.fit_transform(frame["town"].to_numpy().reshape(-1, 1).astype(object))
    np.testing.assert_array_equal(found[:, 2:6], towns.toarray())
    np.testing.assert_array_equal(found[:, 6], frame["size"])
    np.testing.assert_array_equal(
        found[:, 7:], frame.select(f=pl.col("sex") == "f", m=pl.col("sex") == "m")
    )
    sparse = sparse_rows(COLUMNS, chunk(frame), weighted=True)
    np.testing.assert_array_equal(written_out(sparse), found)
    for i in range(len(found)):
        assert (np.diff(sparse.indices[sparse.indptr[i] : sparse.indptr[i + 1]]) > 0).all()


def test_names_of_features():
    names = [name for column in COLUMNS for name in column.features]
    assert names == [
        "age", "age is missing", "town=Bonn", "town=Jena", "town=Ulm", "town is missing",
        "size", "sex=f", "sex=m",
    ]  # fmt: skip


def test_unseen_and_missing_values():
    cells = pl.Series("town", ["Rom", " Ulm ", "", None, "ulm"])
    frame = pl.DataFrame([cells])
    assert dense_rows(COLUMNS[1:2], chunk(frame)).tolist() == [
        [0, 0, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
    ]
    without = [CategoryColumn("town", TOWNS, indicator=False)]
    assert dense_rows(without, chunk(frame))[2:4].tolist() == [[0, 0, 0]] * 2
    assert dense_rows([CategoryColumn("town", (), indicator=True)], chunk(frame))[
        :, 0
    ].tolist() == [
        0,
        0,
        1,
        1,
        0,
    ]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (pl.Series([1, None], dtype=pl.UInt8), [1, np.nan]),
        (pl.Series([0.1, np.nan], dtype=pl.Float32), [float(np.float32(0.1)), np.nan]),
        (pl.Series([True, None, False]), [1, np.nan, 0]),
        (pl.Series([" 1e3", "", " ", None, "-.5"]), [1000, np.nan, np.nan, np.nan, -0.5]),
        (pl.Series(["7", "8"], dtype=pl.Categorical), [7, 8]),
        (pl.Series([None, None]), [np.nan, np.nan]),
        (pl.Series([Decimal("1.25")]), [1.25]),
    ],
)
def test_cells_as_numbers(cells, values):
    found = numbers_of([cells])[0]
    assert found.dtype == np.float64
    assert found.flags.writeable
    np.testing.assert_array_equal(found, np.array(values, float))


@pytest.mark.parametrize(
    ("cells", "row", "words"),
    [
        (["1", "two"], 1, "'two' is not a number"),
        ([1.0, 2.0, -np.inf], 2, "'-inf' is not finite"),
        (["1", None, "1e999"], 2, "'1e999' is not finite"),
        ([None, date(2020, 1, 2)], 1, "'2020-01-02' is not a number"),
        ([[1], [2]], 0, r"cells of List\(Int64\) are neither numbers nor strings"),
        ([b"1"], 0, "cells of Binary are neither"),
    ],
)
def test_what_is_no_number_is_refused_with_its_row(cells, row, words):
    with pytest.raises(BadCellError, match=words) as error:
        numbers_of([pl.Series("a", cells)])
    assert (error.value.row, error.value.column) == (row, "a")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([" x ", "", None, " "], ["x", None, None, None]),
        ([12, None], ["12", None]),
        ([12.0, 1.5, -3.0], ["12", "1.5", "-3"]),
        ([True, False], ["true", "false"]),
        ([date(2020, 1, 2)], ["2020-01-02"]),
    ],
)
def test_cells_as_words(cells, words):
    assert words_of([pl.Series("a", cells)])[0].to_list() == words


def test_the_chunk_itself_is_not_changed():
    frame = pl.DataFrame({"age": [1.0, None]})
    dense_rows(COLUMNS[:1], chunk(frame))
    dense_rows(
        [NumberColumn("age", 5.0, indicator=False)],
        chunk(frame.select(pl.col("age").fill_null(2.0))),
    )
    assert frame["age"].to_list() == [1.0, None]
