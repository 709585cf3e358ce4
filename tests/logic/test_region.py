"""The solution region: exact rays, a centre strictly inside, empty where nothing separates."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from rosenblatt.errors import DataError
from rosenblatt.logic.solution_region import SolutionRegion, solution_region
from rosenblatt.separation.decide import separability
from rosenblatt.types import Floats

LECTURE_X = [[1, 0], [1, 1], [0.6, 0.6], [0.7, 0.4], [0, 0], [0, 1], [0.25, 1], [0.3, 0.4]]
LECTURE_Y = [1, 1, 1, 1, 2, 2, 2, 2]
SIZES = [(1, True), (2, False), (2, True), (3, False)]  # features, bias


def dot(z: Any, w: Any) -> Fraction:
    return sum((Fraction(a) * Fraction(b) for a, b in zip(z, w, strict=True)), Fraction(0))


def spherical(region: SolutionRegion, rng: np.random.Generator, count: int) -> Floats:
    w = rng.normal(size=(count, region.n_weights))
    return w / np.linalg.norm(w, axis=1, keepdims=True)


@st.composite
def problems(
    draw: st.DrawFn, *, extreme: bool = False
) -> tuple[list[list[float]], list[int], bool]:
    near, far = [0.1, 0.5, -1.7, 1e-3, 1e2], [0.1, 1e-9, -1e9, 1e30]
    d, bias = draw(st.sampled_from(SIZES))
    n = draw(st.integers(2, 9))
    value = st.one_of(st.integers(-3, 3), st.sampled_from(far if extreme else near))
    X = draw(st.lists(st.lists(value, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len({*y}) == 2))
    return [[float(v) for v in row] for row in X], y, bias


@given(problems())
def test_the_region_is_empty_exactly_where_nothing_separates(problem: Any) -> None:
    X, y, bias = problem
    region = solution_region(X, y, fit_intercept=bias)
    verdict = separability(X, y, fit_intercept=bias)
    assert region.empty == (verdict.answer == "inseparable")
    if verdict.answer == "separable":
        assert region.contains(verdict.W[0])


@given(problems())
def test_the_centre_is_inside_and_the_rays_are_on_the_boundary(problem: Any) -> None:
    X, y, bias = problem
    region = solution_region(X, y, fit_intercept=bias)
    if region.empty:
        assert (region.rays.shape, region.faces, region.radius) == ((0, region.n_weights), (), 0.0)
        return
    assert region.centre is not None
    assert region.contains(region.centre)
    assert region.radius > 0
    assert np.linalg.norm(region.centre) == pytest.approx(1)
    for ray in region.exact_rays:
        scores = [dot(z, ray) for z in region.constraints]
        assert min(scores) == 0
        tight = [z for z, score in zip(region.constraints, scores, strict=True) if score == 0]
        assert np.linalg.matrix_rank(np.array([np.array(z, float) for z in tight])) >= 1
        assert not region.contains(ray)


@given(problems())
def test_faces_lie_on_the_box_and_in_the_closed_region(problem: Any) -> None:
    X, y, bias = problem
    region = solution_region(X, y, fit_intercept=bias)
    for face in region.faces:
        assert np.abs(face).max(axis=1) == pytest.approx(1)
        for z in region.constraints:
            unit = np.array([float(v) for v in z])
            assert (face @ (unit / np.linalg.norm(unit)) >= -1e-9).all()


@given(problems(), st.integers(0, 2**32 - 1))
def test_no_point_of_the_sphere_is_deeper_inside_than_the_centre(problem: Any, seed: int) -> None:
    X, y, bias = problem
    region = solution_region(X, y, fit_intercept=bias)
    if region.empty:
        return
    Z = np.array([[float(v) for v in z] for z in region.constraints])
    U = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    points = spherical(region, np.random.default_rng(seed), 200)
    assert (points @ U.T).min(axis=1).max() <= region.radius + 1e-9


def test_the_rays_generate_the_region(rng: np.random.Generator) -> None:
    region = solution_region(LECTURE_X, LECTURE_Y)
    assert len(region.rays) == len(region.bounding)
    for _ in range(50):
        mix = rng.integers(1, 9, len(region.exact_rays)).tolist()
        columns = zip(*region.exact_rays, strict=True)
        w = [sum(a * b for a, b in zip(mix, column, strict=True)) for column in columns]
        assert region.contains([Fraction(v, 10**16) for v in w])


def test_003_the_lectures_solution_lies_in_the_region() -> None:
    # class 1 of the lecture is the positive one; here that is the label sorted last
    region = solution_region(LECTURE_X, [-label for label in LECTURE_Y])
    assert region.contains([1.45, -0.6, -0.5])
    assert not region.contains([0, 1, -0.5])
    assert region.bounding == (2, 3, 4, 6, 7)
    assert region.radius == pytest.approx(0.114026, abs=1e-6)


def test_the_centre_agrees_with_a_general_optimiser() -> None:
    region = solution_region(LECTURE_X, LECTURE_Y)
    U = np.array([[float(v) for v in z] for z in region.constraints])
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    constraints = {"type": "ineq", "fun": lambda w: U @ w - 1, "jac": lambda _: U}
    start = region.rays.sum(axis=0) * 100
    found = minimize(lambda w: w @ w, start, jac=lambda w: 2 * w, constraints=constraints)
    assert region.centre == pytest.approx(found.x / np.linalg.norm(found.x), abs=1e-5)
    assert region.radius == pytest.approx(1 / np.linalg.norm(found.x), rel=1e-5)


def test_two_weights_make_a_polygon_around_the_origin() -> None:
    region = solution_region([[2, 1], [1, 2]], [1, 1], fit_intercept=False)
    assert region.exact_rays == ((2, -1), (-1, 2))
    assert region.polygon.tolist() == [[0, 0], [1, -0.5], [1, 1], [-0.5, 1]]
    assert region.bounding == (0, 1)
    assert region.radius == pytest.approx(3 / np.sqrt(10))


def test_one_feature_and_a_bias_are_two_weights() -> None:
    region = solution_region([[0], [1]], ["low", "up"])
    assert region.exact_rays == ((1, -1), (1, 0))
    assert region.contains([2, -1])
    assert not region.contains([1, 0])


def test_one_constraint_leaves_a_half_plane_or_a_half_space() -> None:
    plane = solution_region([[2, 1]], [1], fit_intercept=False)
    assert plane.exact_rays == ((1, -2), (-1, 2))
    assert plane.centre == pytest.approx(np.array([2, 1]) / np.sqrt(5))
    space = solution_region([[2, 1]], [0])
    assert space.exact_rays == ()
    assert space.bounding == (0,)
    assert space.radius == pytest.approx(1)
    assert space.centre == pytest.approx(-np.array([2, 1, 1]) / np.sqrt(6))


def test_a_wedge_has_the_two_directions_of_its_edge() -> None:
    region = solution_region([[2, 1], [1, 1]], [0, 1])
    assert sorted(region.exact_rays) == [(0, -1, 1), (0, 1, -1)]


def test_xor_and_touching_classes_leave_nothing() -> None:
    xor = solution_region([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    touching = solution_region([[0], [1], [1]], [0, 0, 1])
    assert xor.empty
    assert touching.empty
    assert touching.polygon.shape == (0, 2)
    assert not xor.contains([1, 1, 1])


def test_a_row_of_zeros_without_a_bias_cannot_be_separated() -> None:
    assert solution_region([[0, 0], [1, 1]], [0, 1], fit_intercept=False).empty


@given(problems(extreme=True))
def test_regions_narrower_than_floats_are_found(problem: Any) -> None:
    X, y, bias = problem
    region = solution_region(X, y, fit_intercept=bias)
    assert region.empty == (separability(X, y, fit_intercept=bias).answer == "inseparable")
    if region.inside is not None:
        assert region.contains(region.inside)
        assert region.radius >= 0


def test_integers_beyond_floats_stay_exact() -> None:
    large = 2**60
    region = solution_region(
        [[large, large + 1], [large + 1, large + 2]], [0, 1], fit_intercept=False
    )
    assert set(region.exact_rays) == {(large + 1, -large), (large + 2, -large - 1)}
    assert region.contains(region.inside)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1, 2, 3]], [1], "2 or 3 weights; 3 features with an intercept make 4"),
        ([[1, 2], [2, 1], [0, 0]], [0, 1, 2], "two classes; y holds 3"),
        ([[1, 2], [2, 1]], ["a", "a"], "at least two classes"),
        ([[1, 2], [2, 1]], [1], "one label for each"),
        ([[1, np.nan], [2, 1]], [0, 1], "finite"),
        (sparse.csr_array([[1.0, 2.0], [2.0, 1.0]]), [0, 1], "dense"),
    ],
)
def test_what_has_no_region_is_refused(X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        solution_region(X, y)


def test_questions_of_the_wrong_size_are_refused() -> None:
    region = solution_region(LECTURE_X, LECTURE_Y)
    with pytest.raises(DataError, match="3 weights; got 2"):
        region.contains([1, 2])
    with pytest.raises(DataError, match="two weights is a polygon"):
        _ = region.polygon
