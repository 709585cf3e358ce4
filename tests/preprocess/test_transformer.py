"""A preparation: the same rows for any chunks, layout and after a round trip; damage is refused."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from frames import matrix, mixed, tables
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.csr import CSR
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Place, Table
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import learn
from rosenblatt.preprocess.scaling import Scaling
from rosenblatt.preprocess.transformer import Preparation, preparation_of


def texts(rng, n=60) -> pl.DataFrame:
    words = ["sun", "moon", "star", "sky", "sea"]
    return mixed(rng, n).with_columns(
        note=pl.Series([" ".join(rng.choice(words, 4)) for _ in range(n)])
    )


@pytest.fixture(params=["plain", "text"])
def learned(request, rng):
    frame = mixed(rng) if request.param == "plain" else texts(rng)
    choices = Choices(text=frozenset(["note"] if request.param == "text" else []))
    return frame, learn(tables(frame), "kind", choices).preparation


def as_matrix(rows) -> sparse.csr_array:
    if not isinstance(rows, CSR):
        return sparse.csr_array(rows)
    shape = (len(rows.indptr) - 1, rows.n_cols)
    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=shape)


def same(rows, others) -> bool:
    rows, others = as_matrix(rows), as_matrix(others)
    return rows.shape == others.shape and (rows != others).nnz == 0


def chunk_of(frame) -> Table:
    return Table(frame, Place("made.csv", line=2))


@pytest.mark.parametrize("cuts", [(), (1, 7, 59), range(60)])
def test_rows_do_not_depend_on_the_chunks(learned, cuts):
    frame, preparation = learned
    for rows_of in (preparation.rows, preparation.raw):
        whole = as_matrix(rows_of(chunk_of(frame)))
        parts = [as_matrix(rows_of(chunk)) for chunk in tables(frame, cuts)]
        assert same(sparse.vstack(parts), whole)
        assert whole.shape == (60, preparation.n_features)


def test_dense_and_sparse_rows_hold_the_same(learned):
    frame, preparation = learned
    if preparation.has_text:
        return
    other = replace(preparation, sparse=True)
    assert isinstance(other.rows(chunk_of(frame)), CSR)
    assert same(other.rows(chunk_of(frame)), preparation.rows(chunk_of(frame)))


def test_numbers_are_brought_to_mean_0_and_deviation_1(learned):
    frame, preparation = learned
    place = preparation.feature_names.index("size")
    size = as_matrix(preparation.rows(chunk_of(frame))).toarray()[:, place]
    assert abs(size.mean()) < 1e-12
    assert size.std() == pytest.approx(1)
    raw = preparation.raw(chunk_of(frame))
    np.testing.assert_array_equal(as_matrix(raw).toarray()[:, place], frame["size"])
    assert same(preparation.exact().rows(chunk_of(frame)), raw)


def test_columns_are_found_by_name(learned):
    frame, preparation = learned
    mixed_up = frame.select(reversed(frame.columns)).with_columns(more=1)
    assert same(preparation.rows(chunk_of(mixed_up)), preparation.rows(chunk_of(frame)))
    with pytest.raises(SourceError, match=r"made\.csv lacks the columns 'age', 'sex', which the"):
        preparation.rows(chunk_of(frame.drop("age", "sex")))


def test_a_bad_cell_is_named_with_its_line(learned):
    frame, preparation = learned
    bad = frame.with_columns(age=pl.Series(["old"] * 60))
    with pytest.raises(
        SourceError, match=r"made\.csv, line 2, column 'age': 'old' is not a number"
    ):
        preparation.rows(chunk_of(bad))


def test_the_round_trip_gives_the_same_bits(learned):
    frame, preparation = learned
    plain, arrays = preparation.to_plain()
    again = preparation_of(json.loads(json.dumps(plain)), arrays)
    assert again.feature_names == preparation.feature_names
    assert again.target == "kind"
    assert same(again.rows(chunk_of(frame)), preparation.rows(chunk_of(frame)))


def test_the_round_trip_of_a_matrix():
    source = matrix(np.array([[1.0, 2], [3, 5]]), ["a", "b"])
    for names in (None, ("u", "v")):
        preparation = replace(learn(source, None, Choices()).preparation, names=names)
        plain, arrays = preparation.to_plain()
        again = preparation_of(json.loads(json.dumps(plain)), arrays)
        assert again.feature_names == (names or ("x1", "x2"))
        np.testing.assert_array_equal(again.rows(source.chunks[0]), [[-1, -1], [1, 1]])


def leaves(value, path=()):
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        yield from leaves(item, (*path, key))


def damaged(plain, path, value):
    if not path:
        return value
    copy = dict(plain) if isinstance(plain, dict) else list(plain)
    copy[path[0]] = damaged(copy[path[0]], path[1:], value)
    return copy


@pytest.mark.parametrize("value", [None, "x", -1, 3, 10**6, 1.5, [], {}, True])
def test_damage_is_refused_or_does_no_harm(learned, value):
    """What is not refused must still make rows as wide as the features it names."""
    frame, preparation = learned
    plain, arrays = preparation.to_plain()
    plain = json.loads(json.dumps(plain))
    for path in leaves(plain):
        try:
            again = preparation_of(damaged(plain, path, value), arrays)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        try:
            rows = again.rows(chunk_of(frame))
        except SourceError:  # another column is wanted
            continue
        assert as_matrix(rows).shape == (60, again.n_features) == (60, len(again.feature_names))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p["columns"].reverse(), "text are not the last"),
        (lambda p: p.update(sparse=False), "text are not the last, or not sparse"),
        (lambda p: p["columns"].pop(), "do not make up its features"),
        (lambda p: p["columns"][2]["values"].append("Ulm"), "has a value twice"),
        (lambda p: p["columns"][-1].update(bits=40), "to 40 bits"),
        (lambda p: p["columns"][-1].update(bits=10**9), "to 1000000000 bits"),
        (lambda p: p["columns"][-1].update(sizes=[2, 1]), "hashes 2 to 1 words"),
        (lambda p: p["columns"][0].update(kind="date"), "'date' is no kind of column"),
        (lambda p: p.update(names=["a"]), "does not name every feature"),
    ],
)
def test_damage_is_told(rng, change, words):
    choices = Choices(text=frozenset(["note"]))
    plain, arrays = learn(tables(texts(rng)), "kind", choices).preparation.to_plain()
    plain = json.loads(json.dumps(plain))
    change(plain)
    with pytest.raises(ValueError, match=words):
        preparation_of(plain, arrays)


def test_damaged_arrays_are_told(learned):
    _, preparation = learned
    plain, arrays = preparation.to_plain()
    for name, bad in [("shift", np.zeros(2)), ("factor", np.full_like(arrays["factor"], np.nan))]:
        with pytest.raises(ValueError, match="its scaling is not"):
            preparation_of(plain, {**arrays, name: bad})


@given(st.integers(1, 6), st.integers(0, 6), st.booleans())
def test_a_sparse_chunk_has_the_features_of_the_model(wanted, width, scaled):
    rng = np.random.default_rng(width)
    X = rng.normal(size=(5, width)) * (rng.random((5, width)) < 0.5)
    rows = sparse.csr_array(X)
    (chunk,) = matrix(CSR(rows.data, rows.indices, rows.indptr, width))
    fitted = np.zeros((5, wanted))
    fitted[:, : min(width, wanted)] = X[:, :wanted]
    for was_sparse in (False, True):
        shift = np.zeros(wanted) if was_sparse else np.arange(1.0, wanted + 1)
        scaling = Scaling(shift, np.full(wanted, 2.0)) if scaled else None
        preparation = Preparation((), wanted, was_sparse, scaling)
        assert same(preparation.rows(chunk), (fitted - shift) * 2 if scaled else fitted)
    assert same(chunk.rows, X)


def test_a_dense_chunk_must_have_the_features_of_the_model():
    preparation = Preparation((), 3, sparse=False)
    with pytest.raises(SourceError, match="has 2 features a row; the model was trained on 3"):
        preparation.rows(matrix(np.zeros((2, 2))).chunks[0])


def test_tables_and_matrices_do_not_mix(learned):
    frame, preparation = learned
    with pytest.raises(SourceError, match=r"holds a matrix of numbers; .* columns with names"):
        preparation.rows(matrix(np.zeros((2, 2))).chunks[0])
    with pytest.raises(SourceError, match=r"holds columns with names; .* a matrix of numbers"):
        Preparation((), 3, sparse=False).rows(chunk_of(frame))


def test_the_rows_of_a_chunk_are_not_changed():
    chunk = matrix(np.array([[1.0, 2.0]])).chunks[0]
    Preparation((), 2, sparse=False, scaling=Scaling(np.ones(2), np.ones(2))).rows(chunk)
    assert chunk.rows.tolist() == [[1.0, 2.0]]
