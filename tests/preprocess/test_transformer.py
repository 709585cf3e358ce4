"""A transformer: the same rows for any chunks, layout and after a round trip; damage is refused."""

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
from rosenblatt.preprocess.fit import fit_preprocessing
from rosenblatt.preprocess.transformer import ColumnTransformer, Scaling, transformer_from_dict


def texts(rng, n=60) -> pl.DataFrame:
    words = ["sun", "moon", "star", "sky", "sea"]
    return mixed(rng, n).with_columns(
        note=pl.Series([" ".join(rng.choice(words, 4)) for _ in range(n)])
    )


@pytest.fixture(params=["plain", "text"])
def learned(request, rng):
    frame = mixed(rng) if request.param == "plain" else texts(rng)
    choices = Choices(text=frozenset(["note"] if request.param == "text" else []))
    return frame, fit_preprocessing(tables(frame), "kind", choices).transformer


def as_matrix(rows) -> sparse.csr_array:
    if not isinstance(rows, CSR):
        return sparse.csr_array(rows)
    shape = (len(rows.indptr) - 1, rows.n_cols)
    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=shape)


def same(rows, others) -> bool:
    rows, others = as_matrix(rows), as_matrix(others)
    return rows.shape == others.shape and (rows != others).nnz == 0


def as_chunk(frame) -> Table:
    return Table(frame, Place("made.csv", line=2))


@pytest.mark.parametrize("cuts", [(), (1, 7, 59), range(60)])
def test_rows_do_not_depend_on_the_chunks(learned, cuts):
    frame, transformer = learned
    for rows_of in (transformer.transform, transformer.encode):
        whole = as_matrix(rows_of(as_chunk(frame)))
        parts = [as_matrix(rows_of(chunk)) for chunk in tables(frame, cuts)]
        assert same(sparse.vstack(parts), whole)
        assert whole.shape == (60, transformer.n_features)


def test_dense_and_sparse_rows_hold_the_same(learned):
    frame, transformer = learned
    if transformer.has_text:
        return
    other = replace(transformer, sparse=True)
    assert isinstance(other.transform(as_chunk(frame)), CSR)
    assert same(other.transform(as_chunk(frame)), transformer.transform(as_chunk(frame)))


def test_numbers_are_brought_to_mean_0_and_deviation_1(learned):
    frame, transformer = learned
    place = transformer.feature_names.index("size")
    size = as_matrix(transformer.transform(as_chunk(frame))).toarray()[:, place]
    assert abs(size.mean()) < 1e-12
    assert size.std() == pytest.approx(1)
    raw = transformer.encode(as_chunk(frame))
    np.testing.assert_array_equal(as_matrix(raw).toarray()[:, place], frame["size"])
    assert same(transformer.without_scaling().transform(as_chunk(frame)), raw)


def test_columns_are_found_by_name(learned):
    frame, transformer = learned
    mixed_up = frame.select(reversed(frame.columns)).with_columns(more=1)
    assert same(transformer.transform(as_chunk(mixed_up)), transformer.transform(as_chunk(frame)))
    with pytest.raises(SourceError, match=r"made\.csv lacks the columns 'age', 'sex', which the"):
        transformer.transform(as_chunk(frame.drop("age", "sex")))


def test_a_bad_cell_is_named_with_its_line(learned):
    frame, transformer = learned
    bad = frame.with_columns(age=pl.Series(["old"] * 60))
    with pytest.raises(
        SourceError, match=r"made\.csv, line 2, column 'age': 'old' is not a number"
    ):
        transformer.transform(as_chunk(bad))


def test_the_round_trip_gives_the_same_bits(learned):
    frame, transformer = learned
    plain, arrays = transformer.to_dict()
    again = transformer_from_dict(json.loads(json.dumps(plain)), arrays)
    assert again.feature_names == transformer.feature_names
    assert again.target == "kind"
    assert same(again.transform(as_chunk(frame)), transformer.transform(as_chunk(frame)))


def test_the_round_trip_of_a_matrix():
    source = matrix(np.array([[1.0, 2], [3, 5]]), ["a", "b"])
    for names in (None, ("u", "v")):
        transformer = replace(fit_preprocessing(source, None, Choices()).transformer, names=names)
        plain, arrays = transformer.to_dict()
        again = transformer_from_dict(json.loads(json.dumps(plain)), arrays)
        assert again.feature_names == (names or ("x1", "x2"))
        np.testing.assert_array_equal(again.transform(source.chunks[0]), [[-1, -1], [1, 1]])


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
    frame, transformer = learned
    plain, arrays = transformer.to_dict()
    plain = json.loads(json.dumps(plain))
    for path in leaves(plain):
        try:
            again = transformer_from_dict(damaged(plain, path, value), arrays)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        try:
            rows = again.transform(as_chunk(frame))
        except SourceError:  # another column is wanted
            continue
        assert as_matrix(rows).shape == (60, again.n_features) == (60, len(again.feature_names))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: p["columns"].reverse(), "its text columns are not the last"),
        (lambda p: p.update(sparse=False), "its text columns are not the last, or not sparse"),
        (lambda p: p["columns"].pop(), "do not add up to its features"),
        (lambda p: p["columns"][2]["values"].append("Ulm"), "has a value twice"),
        (lambda p: p["columns"][-1].update(bits=40), "to 40 bits"),
        (lambda p: p["columns"][-1].update(bits=10**9), "to 1000000000 bits"),
        (lambda p: p["columns"][-1].update(sizes=[2, 1]), "hashes 2 to 1 words"),
        (lambda p: p["columns"][0].update(kind="date"), "'date' is not a kind of column"),
        (lambda p: p.update(feature_names=["a"]), "does not name every feature"),
    ],
)
def test_damage_is_told(rng, change, words):
    choices = Choices(text=frozenset(["note"]))
    plain, arrays = fit_preprocessing(tables(texts(rng)), "kind", choices).transformer.to_dict()
    plain = json.loads(json.dumps(plain))
    change(plain)
    with pytest.raises(ValueError, match=words):
        transformer_from_dict(plain, arrays)


def test_damaged_arrays_are_told(learned):
    _, transformer = learned
    plain, arrays = transformer.to_dict()
    for name, bad in [("shift", np.zeros(2)), ("factor", np.full_like(arrays["factor"], np.nan))]:
        with pytest.raises(ValueError, match="its scaling is not"):
            transformer_from_dict(plain, {**arrays, name: bad})


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
        transformer = ColumnTransformer((), wanted, was_sparse, scaling)
        assert same(transformer.transform(chunk), (fitted - shift) * 2 if scaled else fitted)
    assert same(chunk.rows, X)


def test_a_dense_chunk_must_have_the_features_of_the_model():
    transformer = ColumnTransformer((), 3, sparse=False)
    with pytest.raises(SourceError, match="has 2 features per row; the model was trained on 3"):
        transformer.transform(matrix(np.zeros((2, 2))).chunks[0])


def test_tables_and_matrices_do_not_mix(learned):
    frame, transformer = learned
    with pytest.raises(SourceError, match=r"holds a matrix of numbers; .* columns with names"):
        transformer.transform(matrix(np.zeros((2, 2))).chunks[0])
    with pytest.raises(SourceError, match=r"holds columns with names; .* a matrix of numbers"):
        ColumnTransformer((), 3, sparse=False).transform(as_chunk(frame))


def test_the_rows_of_a_chunk_are_not_changed():
    chunk = matrix(np.array([[1.0, 2.0]])).chunks[0]
    ColumnTransformer((), 2, sparse=False, scaling=Scaling(np.ones(2), np.ones(2))).transform(chunk)
    assert chunk.rows.tolist() == [[1.0, 2.0]]
