"""ZᵀZ by tiles and by BLAS: every width and length, exact on whole numbers."""

from typing import Any

import numpy as np
import pytest

from rosenblatt.kernels import gram
from rosenblatt.linalg.products import add_gram_by_blas

WIDTHS = [8 * tile for tile in range(1, gram.MAX_TILED_COLUMNS // 8 + 1)]


def whole(n: int, width: int) -> Any:
    return np.random.default_rng(n + width).integers(-9, 10, (n, width)).astype(float)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 300])
def test_tiles_add_the_gram_matrix_to_the_lower_triangle(n: int, width: int) -> None:
    Z, before = whole(n, width), whole(width, width)
    G = before.copy()
    gram.add_gram(Z, Z.shape[1], G)
    np.testing.assert_array_equal(np.tril(G), np.tril(before + Z.T @ Z))


@pytest.mark.parametrize("width", [8, 24, 128])
def test_tiles_write_nowhere_else(width: int) -> None:
    room = np.full((3, width, width), 7.0)
    gram.add_gram(whole(40, width), width, room[1])
    assert (room[[0, 2]] == 7).all()


@pytest.mark.parametrize("width", [1, 2, 7, 129, 200])
@pytest.mark.parametrize("n", [1, 5, 256])
def test_blas_adds_the_gram_matrix_to_the_lower_triangle(n: int, width: int) -> None:
    Z, before = whole(n, width), whole(width, width)
    G = before.copy()
    add_gram_by_blas(Z, G)
    np.testing.assert_array_equal(np.tril(G), np.tril(before + Z.T @ Z))
    np.testing.assert_array_equal(np.triu(G, 1), np.triu(before, 1))


def test_widths_are_padded_to_whole_tiles_where_tiles_are_used() -> None:
    assert [gram.padded(d) for d in (1, 7, 8, 9, 120, 121, 128)] == [8, 8, 8, 16, 120, 128, 128]
    assert [gram.padded(d) for d in (129, 130, 1000)] == [129, 130, 1000]


def test_not_a_number_comes_through() -> None:
    Z = whole(40, 16)
    Z[3, 5] = np.nan
    G = np.zeros((16, 16))
    gram.add_gram(Z, Z.shape[1], G)
    bad = np.isnan(np.tril(G))
    assert bad[5, :6].all()
    assert bad[5:, 5].all()
    assert bad.sum() == 16
