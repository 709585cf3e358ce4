"""Moments of rows in parts: numpy's to rounding, and the same bits for all parts."""

import numpy as np
import pytest

from rosenblatt.preprocess.statistics import BLOCK_ROWS, COLUMNS_AT_A_TIME, Moments, Total


def moments(*parts: np.ndarray) -> Total:
    found = Moments()
    for part in parts:
        found.add(part)
    return found.total()


@pytest.mark.parametrize(
    "n", [1, 7, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS + 5, 20 * BLOCK_ROWS]
)
@pytest.mark.parametrize("width", [1, 3, COLUMNS_AT_A_TIME + 1])
def test_moments_are_those_of_numpy(n: int, width: int, rng: np.random.Generator) -> None:
    rows = 1e3 + rng.normal(size=(n, width)) * np.arange(1, width + 1)
    total = moments(rows)
    assert total.n == n
    np.testing.assert_allclose(total.mean, rows.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(total.squares / n, rows.var(axis=0), rtol=1e-9, atol=1e-20)


def test_parts_do_not_matter(rng: np.random.Generator) -> None:
    rows = rng.normal(size=(5 * BLOCK_ROWS + 77, 3))
    whole = moments(rows)
    for _ in range(20):
        cuts = np.sort(rng.integers(0, len(rows), rng.integers(1, 12)))
        parted = moments(*np.split(rows, cuts))
        assert parted.n == whole.n
        np.testing.assert_array_equal(parted.mean, whole.mean)
        np.testing.assert_array_equal(parted.squares, whole.squares)


def test_a_total_may_be_asked_for_at_any_time(rng: np.random.Generator) -> None:
    rows = rng.normal(size=(2 * BLOCK_ROWS, 2))
    found = Moments()
    for part in np.split(rows, 32):
        found.add(part)
        found.total()
    np.testing.assert_array_equal(found.total().mean, moments(rows).mean)


def test_squares_beyond_float64_are_not_finite_and_warn_of_nothing() -> None:
    assert not np.isfinite(moments(np.array([[1e300], [-1e300]])).squares).any()
