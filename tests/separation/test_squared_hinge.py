"""Weights by the squared hinge: found where rows are barely separable, never where they are not."""

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import separability
from rosenblatt.separation.proof.table import Csr, Table
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.search import squared_hinge
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.squared_hinge import separate
from rosenblatt.separation.search.working_set import quiet


def near_a_plane(n, d, margin, *, entries=5):
    """Sparse rows, moved within their own features to one or two margins from a plane."""
    rng = np.random.default_rng(0)
    columns = np.argsort(rng.random((n, 40)), axis=1)[:, :entries] + rng.integers(0, d - 40, (n, 1))
    values, w = rng.standard_normal((n, entries)), rng.standard_normal(d)[columns]
    y = rng.integers(0, 2, n)
    side = np.where(y == 1, margin, -margin) * (1 + rng.random(n))
    values += ((side - (values * w).sum(axis=1)) / (w * w).sum(axis=1))[:, None] * w
    ends = np.arange(0, entries * n + 1, entries)
    return sparse.csr_array((values.ravel(), columns.ravel(), ends), shape=(n, d)), y


def found(X, y, *, fit_intercept=True, deadline=None):
    space = Space(read_table(X, y), fit_intercept)
    with quiet():
        return space, separate(space, deadline or Deadline())


@pytest.mark.parametrize("margin", [1e-3, 1e-6, 1e-9])
def test_rows_next_to_a_plane_are_separated_exactly(margin):
    for X in (near_a_plane(600, 150, margin), near_a_plane(300, 50, margin, entries=40)):
        space, W = found(*X)
        assert W is not None
        assert space.separated_by(W)


def test_classes_are_separated_by_kesler_s_construct():
    rng = np.random.default_rng(0)
    X, V = rng.standard_normal((400, 6)), rng.standard_normal((4, 6))
    space, W = found(X, (X @ V.T).argmax(axis=1), fit_intercept=False)
    assert W.shape == (4, 6)
    assert space.separated_by(W)


def test_nothing_is_found_where_nothing_separates():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (300, 5))
    assert found(X, rng.integers(0, 2, 300))[1] is None
    assert found(X, rng.integers(0, 3, 300))[1] is None
    assert found([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])[1] is None  # the classes touch


def test_it_gives_up_when_time_is_over_or_rows_are_too_many(monkeypatch):
    X, y = near_a_plane(600, 150, 1e-9)
    assert found(X, y, deadline=Deadline(1e-9))[1] is None
    monkeypatch.setattr(squared_hinge, "MAX_ENTRIES", 600)
    monkeypatch.setattr(Space, "vectors", None)  # no copy is made
    assert found(X, y)[1] is None


def test_sparse_rows_of_thousands_of_features_are_decided():
    X, y = near_a_plane(20_000, 5000, 1e-9)
    stages = []
    proof = separability(X, y, time_limit=60, progress=lambda step: stages.append(step.stage))
    assert proof.answer == "separable"
    assert proof.margin < 1e-9
    assert "squared hinge" in stages


def test_entries_are_sorted_and_without_zeros_however_they_are_stored():
    data, columns = np.array([1.0, 0.0, 3.0, 4.0, 5.0]), np.array([2, 1, 0, 0, 1])
    table = Table(Csr(data, columns, np.array([0, 3, 5]), (2, 3)), np.array([0, 1]), ("0", "1"))
    row, column, value = table.entries(np.array([0, 1]))
    assert (row.tolist(), column.tolist()) == ([0, 0, 1, 1], [0, 2, 0, 1])
    assert value.tolist() == [3.0, 1.0, 4.0, 5.0]
    ordered = table.entries(np.array([1]))
    assert ordered.column.tolist() == [0, 1]


def test_vectors_are_not_written_where_the_time_does_not_allow_it(monkeypatch):
    monkeypatch.setattr(squared_hinge, "_vectors", lambda _: pytest.fail("too late"))
    assert found(*near_a_plane(600, 150, 1e-3), deadline=Deadline(1e-4))[1] is None
