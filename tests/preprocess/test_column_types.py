"""What a column is taken for."""

from datetime import date

import polars as pl
import pytest

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Place, Table
from rosenblatt.preprocess.column_types import Choices, Kind, infer_kinds

N = 40


def kind(cells, **choices) -> Kind:
    frame = pl.DataFrame({"a": cells, "y": [0] * len(cells)})
    chosen = Choices(**{name: frozenset(value) for name, value in choices.items()})
    return infer_kinds(Table(frame, Place("f.csv", line=2)), "y", chosen)["a"]


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (list(range(N)), Kind.NUMBER),
        ([True, None] * (N // 2), Kind.NUMBER),
        (pl.Series([None] * N, dtype=pl.Float64), Kind.NUMBER),
        (pl.Series([None] * N, dtype=pl.String), Kind.CATEGORY),
        (["red", "green"] * (N // 2), Kind.CATEGORY),
        ([f"name{k}" for k in range(N)], Kind.IDENTIFIER),
        ([f"name{k}" for k in range(19)], Kind.CATEGORY),  # too few to tell
        ([f"name{k // 2}" for k in range(N)], Kind.CATEGORY),
        ([f"{k} is such a number" for k in range(N)], Kind.TEXT),
        (["the same few words", "again and again, really"] * (N // 2), Kind.CATEGORY),
        ([f"Smith, Mr. J{k}" for k in range(N)], Kind.TEXT),
        ([f"John Smith{k}" for k in range(N)], Kind.IDENTIFIER),
        ([f"{k}{unit}" for k in range(N // 4) for unit in ("kg", "g", "kg", "g")], Kind.CATEGORY),
        (pl.Series(["u", "v"] * (N // 2), dtype=pl.Categorical), Kind.CATEGORY),
        (["1", "2", "x", "12-3"] * (N // 4), Kind.CATEGORY),
        (["2020-01-01", "never"] * (N // 2), Kind.CATEGORY),
    ],
)
def test_by_the_cells(cells, wanted):
    assert kind(cells) is wanted


@pytest.mark.parametrize(
    "cells",
    [
        [date(2020, 1, 1), None],
        ["2020-01-01", "2021-12-31", None],
        ["2020/1/1", "2020.01.01"],
        ["31.12.2020", "1-1-2021"],
        ["2020-01-01T12:30:00", "2020-01-01 12:30"],
        ["12/31/2020 23:59"],
    ],
)
def test_dates_are_refused_with_advice(cells):
    with pytest.raises(SourceError, match=r"f\.csv, column 'a' holds dates .* --drop a"):
        kind(cells)
    assert kind(cells, category="a") is Kind.CATEGORY


def test_lists_are_refused_with_advice():
    with pytest.raises(SourceError, match=r"its cells are lists or objects.*--drop a"):
        kind([[1], [2]])


def test_the_user_has_the_last_word():
    words = [f"name{k}" for k in range(N)]
    assert kind(words, use="a") is Kind.CATEGORY
    assert kind(words, category="a") is Kind.CATEGORY
    assert kind(words, text="a") is Kind.TEXT
    assert kind([1, 2], category="a") is Kind.CATEGORY
    with pytest.raises(KeyError):
        kind(words, drop="a")


@pytest.mark.parametrize("flag", ["drop", "use", "category", "text"])
def test_a_name_that_is_no_column(flag):
    with pytest.raises(SourceError, match=rf"--{flag} b: f\.csv has no such column; it has a, y"):
        kind([1, 2], **{flag: "b"})
