"""Association units: wired by hand, and at random."""

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.csr import CSR
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.images import Association, association_units


def test_units_wired_by_hand() -> None:
    units = Association(3, np.array([[0, 1, 2], [2, 0, 1]]), np.array([1.0, 2.0]))
    rows = np.array([[1, 0, 0], [1, 1, 1], [1, 0, 1], [0, 0, 2.0]])
    assert units.transform(rows).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert units.feature_names("abc") == ("a + b − c ≥ 1", "c + a − b ≥ 2")


def test_sums_by_a_textbook_loop(rng: np.random.Generator) -> None:
    X = rng.normal(size=(600, 12))
    units = association_units(X, 50, connections=5)
    wanted = np.zeros((600, 50))
    for u, (a, b, c, d, e) in enumerate(units.points):
        wanted[:, u] = X[:, a] + X[:, b] + X[:, c] - X[:, d] - X[:, e] >= units.thresholds[u]
    np.testing.assert_array_equal(units.transform(X), wanted)
    assert 0.3 < wanted.mean() < 0.7


def test_sparse_fractions_make_the_same_units_and_fire_the_same(rng: np.random.Generator) -> None:
    X = rng.random((300, 40)) * (rng.random((300, 40)) < 0.3)
    matrix = sparse.csr_array(X)
    rows = CSR(matrix.data, matrix.indices, matrix.indptr, 40)
    dense, thin = association_units(X, 700), association_units(rows, 700)
    np.testing.assert_array_equal(dense.thresholds, thin.thresholds)
    np.testing.assert_array_equal(dense.transform(X), thin.transform(rows))


def test_every_unit_fires_at_some_row_it_learned_from(rng: np.random.Generator) -> None:
    X = rng.random((30, 20))
    assert association_units(X, 400).transform(X).any(axis=0).all()


def test_more_units_begin_with_the_same_ones(rng: np.random.Generator) -> None:
    X = rng.random((100, 20))
    few, many = association_units(X, 10), association_units(X, 300)
    np.testing.assert_array_equal(few.points, many.points[:10])
    np.testing.assert_array_equal(few.thresholds, many.thresholds[:10])
    assert (association_units(X, 10, seed=1).points != few.points).any()


def test_a_unit_is_wired_to_different_points() -> None:
    points = association_units(np.zeros((1, 12)), 100, connections=12, threshold=1.0).points
    assert (np.sort(points, axis=1) == np.arange(12)).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"n": 0}, "n must be"), ({"connections": 0}, "from 1 to 3"), ({"connections": 4}, "1 to 3")],
)
def test_what_cannot_be_is_refused(settings: dict[str, int], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        association_units(np.ones((2, 3)), **settings)


@pytest.mark.parametrize(
    ("points", "thresholds"), [([[0, 3]], [1.0]), ([[0, -1]], [1.0]), ([[0, 1]], [1.0, 2.0])]
)
def test_damaged_wiring_is_refused(points: list[list[int]], thresholds: list[float]) -> None:
    with pytest.raises(ValueError, match="points"):
        Association(3, np.array(points), np.array(thresholds))
