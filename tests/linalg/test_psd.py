"""S⁺ of a symmetric matrix without negative directions, against exact and spectral referees."""

from typing import Any

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rosenblatt.linalg.psd import pivoted_cholesky
from rosenblatt.types import Floats


def some(seed: int, d: int, rank: int) -> Floats:
    """A well-scaled matrix of a known rank."""
    A = np.random.default_rng(seed).normal(size=(d, rank))
    A /= np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-300)
    return A @ A.T


@settings(max_examples=60)
@given(seed=st.integers(0, 2**20), d=st.integers(1, 12), data=st.data())
def test_any_rank_against_the_spectral_inverse(seed: int, d: int, data: Any) -> None:
    rank = data.draw(st.integers(0, d))
    S = some(seed, d, rank)
    B = np.random.default_rng(seed + 1).normal(size=(d, 3))  # not in the range of S
    factor = pivoted_cholesky(S)
    assert factor.rank == rank
    expected = np.linalg.pinv(S, hermitian=True, rcond=1e-11) @ B
    values = np.linalg.eigvalsh(S)[d - rank :]
    condition = values[-1] / values[0] if rank else 1.0
    size = np.abs(expected).max(initial=1e-300)
    np.testing.assert_allclose(factor.solve(B), expected, rtol=0, atol=1e-13 * condition * size)


def exact(S: Any, b: Any) -> tuple[int, Floats]:
    """Rank, and the shortest least-squares solution, both in rational arithmetic."""
    A = flint.fmpq_mat(len(S), len(S), [int(v) for v in S.ravel()])
    right = flint.fmpq_mat(len(b), 1, [int(v) for v in b])
    # S = F₁F₂: the pivot columns of S, and the rows of its reduced form that are not zero
    reduced, rank = A.rref()
    if not rank:
        return 0, np.zeros(len(S))
    rows = reduced.tolist()[:rank]
    pivots = [next(j for j, value in enumerate(row) if value != 0) for row in rows]
    F2 = flint.fmpq_mat(rows)
    F1 = flint.fmpq_mat([[row[j] for j in pivots] for row in A.tolist()])
    inner = (F1.transpose() * F1).inv() * F1.transpose() * right
    x = F2.transpose() * (F2 * F2.transpose()).inv() * inner
    return rank, np.array([float(v[0].p) / float(v[0].q) for v in x.tolist()])


@settings(max_examples=80)
@given(data=st.data(), d=st.integers(1, 5), rank=st.integers(1, 5))
def test_whole_numbers_against_exact_arithmetic(data: Any, d: int, rank: int) -> None:
    A = data.draw(hnp.arrays(np.int64, (d, rank), elements=st.integers(-3, 3)))
    b = data.draw(hnp.arrays(np.int64, d, elements=st.integers(-5, 5)))
    S = A @ A.T
    true_rank, x = exact(S, b)
    factor = pivoted_cholesky(S.astype(float))
    assert factor.rank == true_rank
    found = factor.solve(b[:, None].astype(float))[:, 0]
    np.testing.assert_allclose(found, x, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(x).max()))


@pytest.mark.parametrize("power", [-8, -4, 4, 8])
@pytest.mark.parametrize("rank", [3, 5])
def test_bad_scales_cost_no_rank_and_no_digit_where_it_is_full(power: int, rank: int) -> None:
    S, b = some(5, 5, rank), np.ones((5, 1))
    scales = 10.0 ** (power * np.linspace(0, 1, 5))
    factor = pivoted_cholesky(S * np.outer(scales, scales))
    assert factor.rank == rank
    inside = S @ b  # in the range, so that the solution does not depend on what is shortest
    x = factor.solve(scales[:, None] * inside)
    # what is shortest is measured in the original scales, where small features have fewer digits
    bound = 1e-12 if rank == 5 else 1e-14 * 10.0 ** abs(power)
    np.testing.assert_allclose(S @ (scales[:, None] * x), inside, rtol=bound)


@pytest.mark.parametrize("place", [0, 1])
def test_of_a_feature_and_its_small_copy_the_large_one_is_solved_for(place: int) -> None:
    # once: pivots were chosen among scaled columns by their order alone
    a = np.ones((2, 1))
    a[place] = 1e-10
    x = pivoted_cholesky(a @ a.T).solve(0.1 * a)
    np.testing.assert_allclose(x, 0.1 * a / (a.T @ a), rtol=0, atol=1e-16)


@pytest.mark.parametrize("d", [1, 4])
def test_zero(d: int) -> None:
    factor = pivoted_cholesky(np.zeros((d, d)))
    assert factor.rank == 0
    assert factor.solve(np.ones((d, 2))).tolist() == [[0.0, 0.0]] * d
    assert factor.whiten(np.ones((d, 2))).shape == (0, 2)


def test_one_by_one() -> None:
    factor = pivoted_cholesky(np.array([[4.0]]))
    assert factor.solve(np.array([[2.0]])).tolist() == [[0.5]]


def test_rows_of_zeros_stand_aside() -> None:
    S = np.diag([2.0, 0.0, 8.0])
    x = pivoted_cholesky(S).solve(np.array([[2.0], [5.0], [8.0]]))
    np.testing.assert_allclose(x[:, 0], [1, 0, 1], atol=1e-15)


def test_what_lies_in_the_null_directions_gives_exactly_nothing() -> None:
    # once: the rounding of the projection was divided by a small pivot and taken for a direction
    a = np.array([1.0, 1.0, 1.0]) / 3
    S = 1e-6 * (np.eye(3) - np.outer(a, a) / (a @ a))
    assert not pivoted_cholesky(S).solve(0.1 * np.ones((3, 1))).any()


@settings(max_examples=30)
@given(seed=st.integers(0, 2**20), d=st.integers(1, 9), data=st.data())
def test_whitened_coordinates_make_the_matrix_one(seed: int, d: int, data: Any) -> None:
    rank = data.draw(st.integers(1, d))
    S = some(seed, d, rank)
    factor = pivoted_cholesky(S)
    W = factor.directions(np.eye(factor.rank))
    # along the directions S is the identity, and w·b is u·whiten(b)
    values = np.linalg.eigvalsh(S)[d - rank :]
    slack = 1e-12 * values[-1] / values[0]
    np.testing.assert_allclose(W.T @ S @ W, np.eye(rank), atol=slack)
    b = S @ np.random.default_rng(seed).normal(size=(d, 2))
    np.testing.assert_allclose(W.T @ b, factor.whiten(b), atol=slack * np.abs(b).max())
