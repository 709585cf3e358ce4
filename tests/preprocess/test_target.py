"""Classes: which column, which labels, and what is none."""

from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Place, Table
from rosenblatt.preprocess.target import (
    UNKNOWN_CLASS,
    count_all_labels,
    count_labels,
    encode_labels,
    infer_target,
    sorted_classes,
)


def table(labels, **columns) -> Table:
    return Table(pl.DataFrame({**columns, "y": labels}), Place("f.csv", line=2))


def matrix(labels) -> Matrix:
    found = None if labels is None else np.asarray(labels)
    n = 2 if found is None else len(found)
    return Matrix(np.zeros((n, 1)), found, Place("f.npy", row=10))


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([2, 1, 2], (1, 2)),
        ([2.0, 1.0, 2.0], (1, 2)),
        ([True, False, True], (False, True)),
        ([" b", "a", "b "], ("a", "b")),
        ([Decimal(2), Decimal(1), Decimal(2)], (1, 2)),
    ],
)
def test_labels_of_a_table(labels, classes):
    chunk = table(labels)
    assert count_labels(chunk, "y") == {classes[0]: 1, classes[1]: 2}
    assert count_all_labels([chunk, chunk], "y") == {classes[0]: 2, classes[1]: 4}
    assert sorted_classes(count_labels(chunk, "y"), "f") == classes
    assert encode_labels(chunk, "y", classes).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([2, 1, 2], (1, 2)),
        ([1.0, -1.0, 1.0], (-1, 1)),
        (["b", "a", "b"], ("a", "b")),
        (np.array(["b", "a", "b"], object), ("a", "b")),
        (np.array([b"b", b"a", b"b"]), ("a", "b")),
        ([True, False, True], (False, True)),
        (np.array([200, 3, 200], np.uint8), (3, 200)),
    ],
)
def test_labels_of_a_matrix(labels, classes):
    chunk = matrix(labels)
    assert count_labels(chunk, None) == {classes[0]: 1, classes[1]: 2}
    assert sorted_classes(count_labels(chunk, None), "f") == classes
    assert encode_labels(chunk, None, classes).tolist() == [1, 0, 1]


@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=9, unique=True).map(sorted),
    st.lists(st.integers(-20, 20), min_size=1, max_size=20),
)
def test_codes_are_places(classes, labels):
    wanted = [classes.index(v) if v in classes else UNKNOWN_CLASS for v in labels]
    words = tuple(sorted(map(str, classes)))
    string_columns = [words.index(str(v)) if v in classes else UNKNOWN_CLASS for v in labels]
    for chunk, target in ((table(labels), "y"), (matrix(labels), None)):
        assert encode_labels(chunk, target, tuple(classes)).tolist() == wanted
        assert encode_labels(chunk, target, words).tolist() == string_columns
    strings = [str(v) for v in labels]
    for chunk, target in ((table(strings), "y"), (matrix(strings), None)):
        assert encode_labels(chunk, target, tuple(classes)).tolist() == wanted
        assert encode_labels(chunk, target, words).tolist() == string_columns


def test_words_where_truth_was_learned():
    assert encode_labels(table(["true", "false", "maybe"]), "y", (False, True)).tolist() == [
        1,
        0,
        UNKNOWN_CLASS,
    ]
    assert encode_labels(table([1, 0, 2]), "y", (False, True)).tolist() == [1, 0, UNKNOWN_CLASS]


@pytest.mark.parametrize(
    ("chunk", "target", "words"),
    [
        (table([1.0, 2.5]), "y", r"f\.csv, line 3, column 'y': 2\.5 is not a class"),
        (table([1.0, np.inf]), "y", "line 3, column 'y': inf is not a class"),
        (table([1.0, 1e300]), "y", r"line 3, column 'y': 1e\+300 is not a class"),
        (table(pl.Series([1, 2**63 + 9], dtype=pl.UInt64)), "y", "line 3, .* is not a class"),
        (table(["a", None]), "y", "line 3, column 'y': the label is missing"),
        (table(["a", "  "]), "y", "line 3, column 'y': the label is missing"),
        (table([1.0, np.nan]), "y", "line 3, column 'y': the label is missing"),
        (table([1, 2]), "z", "has no column 'z', which holds the classes"),
        (table([[1], [2]]), "y", r"List\(Int64\) cannot be a class"),
        (matrix([1.0, 2.5]), None, r"f\.npy, row 11: 2\.5 is not a class"),
        (matrix([1.0, np.nan]), None, "row 11: nan is not a class"),
        (matrix(None), None, "holds no labels"),
    ],
)
def test_what_is_no_class_is_named(chunk, target, words):
    with pytest.raises(SourceError, match=words):
        count_labels(chunk, target)
    with pytest.raises(SourceError, match=words):
        encode_labels(chunk, target, (1, 2))


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"a": 5}, "every row is of class 'a'"),
        ({}, "every row is of class None"),
        (dict.fromkeys(range(21), 1), "21 different labels in 21 rows are too many for classes"),
        (dict.fromkeys(range(200), 1) | {-1: 150}, "201 different labels in 350 rows"),
        ({1: 5, "a": 5}, "some labels are numbers, others are text"),
    ],
)
def test_no_classes(counts, words):
    with pytest.raises(SourceError, match=words):
        sorted_classes(counts, "f")


def test_many_classes_of_many_rows():
    assert len(sorted_classes(dict.fromkeys(range(500), 2), "f")) == 500
    assert len(sorted_classes(dict.fromkeys(range(20), 1), "f")) == 20


N = 60
FEW, MANY = ["p", "q"] * (N // 2), list(range(N))


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"a": FEW, "b": FEW}, "b"),
        ({"a": FEW, "b": MANY}, "a"),
        ({"a": MANY, "b": MANY}, "b"),
        ({"a": MANY, "b": FEW}, "b"),
        ({"a": FEW, "Label": FEW, "b": FEW}, "Label"),
        ({"y": FEW, "b": FEW}, "y"),
        ({"CLASS": MANY, "b": FEW}, "CLASS"),
    ],
)
def test_the_target_if_none_is_named(columns, target):
    chunk = Table(pl.DataFrame(columns), Place("f.csv", line=2))
    assert infer_target(chunk, None) == target
    assert infer_target(chunk, "b") == "b"


def test_a_target_that_is_not_there():
    with pytest.raises(SourceError, match=r"f\.csv has no column 'z'; its columns are a, y\."):
        infer_target(table([1, 2], a=[1, 2]), "z")
