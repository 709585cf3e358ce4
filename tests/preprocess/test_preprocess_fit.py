"""What one pass learns: scikit-learn's statistics, however the rows are cut; odd columns found."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from frames import Made, matrix, mixed, tables
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rosenblatt.csr import CSR
from rosenblatt.errors import SourceError
from rosenblatt.features.maps import feature_map
from rosenblatt.io.chunks import Matrix, Place
from rosenblatt.preprocess.column_encoders import CategoryColumn, NumberColumn
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import (
    BYTES_PER_COLUMN,
    MAX_CATEGORIES,
    fit_preprocessing,
    resolve_choices,
)
from rosenblatt.preprocess.statistics import DenseStatistics, NumberStatistics

CUTS = st.lists(st.integers(1, 59), max_size=8)


def kinds(learned) -> dict[str, str]:
    return {finding.column: finding.kind for finding in learned.left_out}


@given(st.integers(0, 10**6), CUTS)
def test_the_statistics_are_scikit_learns(seed, cuts):
    frame = mixed(np.random.default_rng(seed))
    learned = fit_preprocessing(tables(frame, cuts), None, Choices())
    age, size, town, sex, tame = learned.transformer.columns
    scaling = learned.transformer.scaling
    numbers = frame.select("age", "size", pl.col("tame").cast(float)).to_numpy()
    imputer = SimpleImputer().fit(numbers)
    scaler = StandardScaler().fit(numbers)
    np.testing.assert_allclose([age.fill, size.fill, tame.fill], imputer.statistics_, rtol=1e-12)
    np.testing.assert_allclose(scaling.shift[[0, 2]], scaler.mean_[:2], rtol=1e-12)
    np.testing.assert_allclose(1 / scaling.factor[[0, 2]], scaler.scale_[:2], rtol=1e-12)
    assert scaling.shift[3:].tolist() == [0.0] * (len(scaling.shift) - 3)
    assert scaling.factor[3:].tolist() == [1.0] * (len(scaling.shift) - 3)
    encoder = OneHotEncoder().fit(frame.select("town", "sex").to_pandas())
    assert list(sex.values) == list(encoder.categories_[1])
    assert list(town.values) == [v for v in encoder.categories_[0] if isinstance(v, str)]
    for column in learned.transformer.columns:
        assert column.indicator == (frame[column.name].null_count() > 0)
    assert learned.counts == dict(frame["kind"].value_counts().iter_rows())
    assert learned.classes == ("no", "yes")


@given(st.integers(0, 10**6), CUTS, st.sampled_from([1.0, 1e-9, 1e4]))
def test_a_matrix_is_standardised_as_scikit_learn_does(seed, cuts, shift):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(shift, 2, 60), np.full(60, 0.1), rng.integers(0, 3, 60)])
    ends = sorted({0, *cuts, 60})
    y = np.arange(60) % 2
    chunks = [Matrix(X[a:b], y[a:b], Place("made.npy")) for a, b in pairwise(ends)]
    scaling = fit_preprocessing(Made(chunks), None, Choices()).transformer.scaling
    scaler = StandardScaler().fit(X)
    np.testing.assert_allclose(scaling.shift, scaler.mean_, rtol=1e-12)
    np.testing.assert_allclose(1 / scaling.factor, scaler.scale_, rtol=1e-9)


def test_rounding_is_no_spread():
    """The mean of equal numbers may be off by the last bit; a factor of 1e17 would follow."""
    for value in (0.1, 1 / 3, 1e5 + 0.1, -7.3):
        for n in (3, 10, 1000, 12345):
            spread = DenseStatistics()
            for part in np.array_split(np.full((n, 1), value), 3):
                spread.add(part)
            assert spread.scaling(1).factor.tolist() == [1.0]


@pytest.mark.parametrize(
    ("X", "unit", "factor"),
    [
        ([[1, 0], [0, 1]], None, None),
        ([[3, 0], [1, 2]], True, [1, 0]),  # counts: what is in one row alone tells nothing
        ([[0.6, 0.8], [1, 0]], None, None),
        ([[-4, 0], [1, 0.5]], False, [0.25, 2]),
    ],
)
def test_sparse_rows_are_scaled_by_what_they_hold(X, unit, factor):
    dense = np.array(X, float)
    found = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(dense, axis=1))])
    source = matrix(CSR(dense[found], found[1], indptr, 2), ["a", "b"])
    scaling = fit_preprocessing(source, None, Choices()).transformer.scaling
    if unit is None:
        assert scaling is None
    else:
        assert scaling.unit_norm == unit
        assert scaling.factor.tolist() == factor


def table(n: int = 40, **columns) -> Made:
    return tables(pl.DataFrame({**columns, "y": ["p", "q"] * (n // 2)}))


def values(n: int = 40, seed: int = 1) -> list[float]:
    return np.random.default_rng(seed).normal(size=n).tolist()


def test_constant_columns_are_left_out():
    source = table(
        a=[3.0] * 40, b=values(), c=["x"] * 40, d=pl.Series([None] * 40, dtype=pl.Float64)
    )
    assert kinds(fit_preprocessing(source, None, Choices())) == dict.fromkeys("acd", "constant")


@pytest.mark.parametrize("large", [1.0, 1e15, 1e-200])
def test_a_column_of_two_near_values_is_not_constant(large):
    near = [large, np.nextafter(large, np.inf)] * 10 + [large] * 20
    learned = fit_preprocessing(table(a=near, b=values()), None, Choices())
    assert kinds(learned) == {}
    assert np.isfinite(learned.transformer.scaling.factor).all()


def test_a_constant_column_may_be_used():
    for column in ([3.0] * 40, pl.Series([None] * 40, dtype=pl.Float64)):
        learned = fit_preprocessing(table(a=column), None, Choices(use=frozenset("a")))
        assert learned.transformer.scaling.factor.tolist()[0] == 1.0


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (range(40), True),
        (range(1, 41), True),
        ([2 * k for k in range(40)], True),  # some of the rows of a larger table
        ([float(k) + 0.5 for k in range(40)], True),
        ([100 * k for k in range(40)], False),
        (sorted(values()), False),
        ([k // 2 for k in range(40)], False),  # sorted, but a number occurs twice
        (range(40, 0, -1), False),
        ([*range(39), 10**6], False),
        ([2000 + k % 20 for k in range(40)], False),  # years, over and over
    ],
)
@pytest.mark.parametrize("cuts", [(), (1, 2, 30)])
def test_a_column_that_counts_the_rows(column, found, cuts):
    frame = pl.DataFrame({"a": list(column), "b": values(), "y": ["p", "q"] * 20})
    assert ("a" in kinds(fit_preprocessing(tables(frame, cuts), None, Choices()))) == found
    assert kinds(fit_preprocessing(tables(frame, cuts), None, Choices(use=frozenset("a")))) in (
        {},
        {"a": "identifier"},
    )


def test_a_counting_column_is_found_among_some_of_the_rows(rng):
    frame = pl.DataFrame({"a": list(range(400)), "b": values(400), "y": ["p", "q"] * 200})
    for share in (0.67, 0.8, 0.9):
        some = frame.filter(pl.Series(rng.random(400) < share))
        assert kinds(fit_preprocessing(tables(some), None, Choices())) == {"a": "identifier"}


def test_few_rows_that_rise_are_data():
    frame = pl.DataFrame({"a": list(range(18)), "y": ["p", "q"] * 9})
    assert kinds(fit_preprocessing(tables(frame), None, Choices())) == {}


def test_leaks():
    alive = ["no", "yes"] * 20
    almost = [*alive[:-1], "no"]
    source = table(a=alive, b=almost, c=values(), d=[0, 1] * 20)
    assert kinds(fit_preprocessing(source, None, Choices())) == {"a": "leak", "d": "leak"}
    assert "alone determines 'y'" in str(fit_preprocessing(source, None, Choices()).left_out[0])
    kept = fit_preprocessing(source, None, Choices(use=frozenset("a")))
    assert [c.name for c in kept.transformer.columns] == ["a", "b", "c"]


@given(CUTS)
def test_a_leak_is_found_however_the_rows_are_cut(cuts):
    frame = pl.DataFrame({"a": ["u", "v", "w"] * 20, "c": values(60), "y": ["p", "q", "p"] * 20})
    assert kinds(fit_preprocessing(tables(frame, cuts), None, Choices())) == {"a": "leak"}


def test_a_good_column_of_few_rows_is_no_leak():
    frame = pl.DataFrame({"a": ["u", "v"] * 5, "y": ["p", "q"] * 5})
    assert kinds(fit_preprocessing(tables(frame), None, Choices())) == {}
    one_each = pl.DataFrame({"a": [f"w{k % 20}" for k in range(60)], "y": ["p", "q"] * 30})
    assert kinds(fit_preprocessing(tables(one_each), None, Choices())) == {}


def test_the_most_frequent_values_have_features_and_ties_fall_by_the_alphabet():
    words = [f"w{k:05d}" for k in range(MAX_CATEGORIES + 50)]
    frame = pl.DataFrame(
        {"a": [*words, *words, "w01049", "w01049"], "y": (["p", "q"] * len(words)) + ["p", "q"]}
    )
    (column,) = fit_preprocessing(
        tables(frame), None, Choices(category=frozenset("a"))
    ).transformer.columns
    assert column.values == (*words[: MAX_CATEGORIES - 1], "w01049")


def test_nothing_to_learn_from():
    with pytest.raises(
        SourceError, match=r"no column left to train on\. Left out 'a': it has the same"
    ):
        fit_preprocessing(table(a=[1.0] * 40), None, Choices())


def test_a_cell_too_large_to_be_squared_is_named():
    with pytest.raises(SourceError, match=r"line 4, column 'a': 1e\+200 is too large"):
        fit_preprocessing(table(a=[1.0, 2.0, 1e200] + [1.0] * 37), None, Choices())


def test_infinity_is_named():
    with pytest.raises(SourceError, match="line 4, column 'a': 'inf' is not finite"):
        fit_preprocessing(table(a=[1.0, 2.0, np.inf] + [1.0] * 37), None, Choices())


@pytest.mark.parametrize("cuts", [(), (20,), range(60)])
def test_joined_moments_are_exact_enough(cuts):
    cells = pl.Series("a", np.random.default_rng(2).normal(1e8, 1, 60))
    summary, start = NumberStatistics(["a"]), 0
    for end in (*cuts, 60):
        summary.add(cells[start:end].to_numpy()[None])
        start = end
    assert summary.mean == pytest.approx(cells.to_numpy().mean(), rel=1e-15)
    assert summary.deviation == pytest.approx(cells.to_numpy().std(), rel=1e-9)


def test_settled_choices_ask_no_more_questions():
    frame = pl.DataFrame(
        {
            "id": list(range(40)),
            "code": ["2020-01-01", "unknown"] * 20,
            "a": values(),
            "y": ["p", "q", "q", "p"] * 10,
        }
    )
    choices = Choices()
    learned = fit_preprocessing(tables(frame), None, choices)
    assert [type(c) for c in learned.transformer.columns] == [CategoryColumn, NumberColumn]
    fixed = resolve_choices(choices, learned)
    some = frame.filter(pl.col("code") != "unknown")  # dates and a constant, if it were asked
    again = fit_preprocessing(tables(some), "y", fixed)
    assert [c.name for c in again.transformer.columns] == ["code", "a"]
    assert [type(c) for c in again.transformer.columns] == [CategoryColumn, NumberColumn]


def one_wide_row(width):
    entry = np.ones(1), np.array([width - 1], np.int32), np.array([0, 1], np.int32)
    rows = [Matrix(CSR(*entry, width), np.array([label]), Place("wide.npz")) for label in (0, 1)]
    return Made(rows)


@pytest.mark.parametrize("scale", [False, True])
def test_rows_wider_than_the_memory_are_refused_first(scale, monkeypatch):
    memory_of = "rosenblatt.preprocess.fit.available_memory"
    monkeypatch.setattr(memory_of, lambda: 1000 * BYTES_PER_COLUMN)
    assert (
        fit_preprocessing(one_wide_row(1000), None, Choices(scale=scale)).transformer.n_features
        == 1000
    )
    with pytest.raises(SourceError, match=r"wide.npz has rows of 1,001 columns.*Hash"):
        fit_preprocessing(one_wide_row(1001), None, Choices(scale=scale))


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_entry_that_is_no_number_is_told_with_its_place(bad, scale):
    dense = np.arange(1.0, 9.0).reshape(4, 2)
    dense[2, 1] = bad
    sparse = CSR(dense.ravel(), np.tile([0, 1], 4), 2 * np.arange(5), 2)
    for rows in (dense, sparse):
        source = Made([Matrix(rows, np.array([0, 1, 0, 1]), Place("rows.npz"))])
        with pytest.raises(SourceError, match=r"rows.npz, row 2, column 1: .* not a finite number"):
            fit_preprocessing(source, None, Choices(scale=scale))


def test_hashed_rows_of_text_need_no_large_machine():
    assert 2**24 * BYTES_PER_COLUMN < 3 << 30


def test_the_limit_of_a_container_is_memory(tmp_path, monkeypatch):
    machine = feature_map.available_memory()
    limit, none = tmp_path / "memory.limit_in_bytes", tmp_path / "memory.max"
    none.write_text("max\n")
    monkeypatch.setattr(feature_map, "CGROUP_LIMITS", (str(none), str(limit)))
    assert feature_map.available_memory() >= machine
    limit.write_text("1048576\n")
    assert feature_map.available_memory() == 1 << 20
