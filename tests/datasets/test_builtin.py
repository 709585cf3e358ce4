import ast
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_iris

from rosenblatt import separability
from rosenblatt.datasets import glyphs, synthetic
from rosenblatt.datasets.builtin import NAMES, builtin, kennel
from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.types import Array, Floats, Ints

SOURCES = Path(synthetic.__file__).parent

TRUTH_TABLES = {
    "and": [0, 0, 0, 1],
    "or": [0, 1, 1, 1],
    "not": [1, 0],
    "nand": [1, 1, 1, 0],
    "nor": [1, 0, 0, 0],
    "xor": [0, 1, 1, 0],
    "majority": [0, 0, 0, 1, 0, 1, 1, 1],
}


INSEPARABLE = {"xor", "overlapping", "rings", "xor-clouds"}


def extended(X: Floats) -> Floats:
    return np.column_stack([X, np.ones(len(X))])


def a_line_separates(X: Floats, y: Array) -> bool:
    """Referee: is there a (w, b) with y(w·x + b) ≥ 1? HiGHS says 0 for yes, 2 for infeasible."""
    signs = np.where(y == np.unique(y)[-1], 1, -1)
    A = -signs[:, None] * extended(X)
    answer = linprog(np.zeros(A.shape[1]), A, -np.ones(len(A)), bounds=(None, None))
    assert answer.status in {0, 2}
    return bool(answer.status == 0)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_builds_rows_to_learn_from(name: str) -> None:
    data = builtin(name)
    n, d = data.X.shape
    assert data.name == name
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert np.isfinite(data.X).all()
    assert data.y.shape == (n,)
    assert data.y.dtype.kind in "iU"
    assert len(np.unique(data.y)) >= 2
    assert len(set(data.feature_names)) == d
    assert data.description.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_always_means_the_same_rows_and_never_shared_ones(name: str) -> None:
    once, again = builtin(name), builtin(name)
    np.testing.assert_array_equal(once.X, again.X)
    np.testing.assert_array_equal(once.y, again.y)
    assert not np.shares_memory(once.X, again.X)


@pytest.mark.parametrize("name", [name for name in NAMES if len(np.unique(builtin(name).y)) == 2])
def test_only_four_of_the_two_class_names_are_not_separable(name: str) -> None:
    data = builtin(name)
    assert a_line_separates(data.X, data.y) == (name not in INSEPARABLE)


def test_an_unknown_name_is_answered_with_the_closest_one_and_all() -> None:
    with pytest.raises(SourceError, match="Did you mean 'iris'") as caught:
        builtin("Irsi")
    assert all(name in str(caught.value) for name in NAMES)
    with pytest.raises(SourceError, match=r"called 'q'\. The names are"):
        builtin("q")


@pytest.mark.parametrize("module", ["builtin", "glyphs", "synthetic"])
def test_built_in_data_need_numpy_and_the_standard_library_only(module: str) -> None:
    tree = ast.parse((SOURCES / f"{module}.py").read_text(encoding="utf-8"))
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [
        a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names
    ]
    ours = {f"rosenblatt.{name}" for name in ("types", "errors", "datasets")}
    foreign = [name for name in imported if name.split(".")[0] not in sys.stdlib_module_names]
    assert set(foreign) <= {"numpy", "numpy.typing"} | ours


def test_dogs_vs_cats_are_the_lecture_s_three_animals_in_its_order() -> None:
    data = builtin("dogs-vs-cats")
    assert data.X.tolist() == [[1, 100], [40, 10], [0, 20]]
    assert data.y.tolist() == ["dog", "dog", "cat"]
    w = np.array([1.0, 0.0, -20.0])
    for x, kind in zip(extended(data.X), data.y, strict=True):
        sign = 1 if kind == "dog" else -1
        w += sign * x * (sign * (w @ x) <= 0)
    assert w.tolist() == [2, 80, -20]


def test_4f10_holds_the_lecture_s_points_and_its_first_pass() -> None:
    data = builtin("4f10")
    assert data.X[:4].tolist() == [[1, 0], [1, 1], [0.6, 0.6], [0.7, 0.4]]
    assert data.X[4:].tolist() == [[0, 0], [0, 1], [0.25, 1], [0.3, 0.4]]
    signed = data.y[:, None] * extended(data.X)
    w = np.array([0, 1, -0.5])
    mistakes = signed @ w <= 0
    assert np.flatnonzero(mistakes).tolist() == [0, 3, 5, 6]
    w = w + signed[mistakes].sum(axis=0)
    np.testing.assert_allclose(w, [1.45, -0.6, -0.5])
    assert (signed @ w > 0).all()


@pytest.mark.parametrize("name", TRUTH_TABLES)
def test_gates_list_their_rows_in_counting_order(name: str) -> None:
    data = builtin(name)
    inputs = data.X.shape[1]
    assert (data.X @ 2 ** np.arange(inputs)[::-1]).tolist() == list(range(2**inputs))
    assert data.y.tolist() == TRUTH_TABLES[name]


def test_iris_is_scikit_learn_s_iris() -> None:
    data, referee = builtin("iris"), load_iris()
    np.testing.assert_array_equal(data.X, referee.data)
    np.testing.assert_array_equal(data.y, referee.target_names[referee.target])
    assert [f"{name.replace('_', ' ')} (cm)" for name in data.feature_names] == list(
        referee.feature_names
    )


@pytest.mark.parametrize("species", ["setosa", "versicolor", "virginica"])
def test_of_two_species_of_iris_only_those_without_setosa_are_not_separable(species: str) -> None:
    data = builtin("iris")
    others = data.y != species
    assert a_line_separates(data.X[others], data.y[others]) == (species != "setosa")


@pytest.mark.parametrize("seed", range(5))
def test_the_kennel_keeps_to_the_lecture_s_rule_with_room_to_spare(seed: int) -> None:
    X, y = kennel(seed=seed)
    total = X.sum(axis=1)
    assert X.shape == (300, 2)
    assert total[y == "dog"].min() >= 42
    assert total[y == "cat"].max() <= 38
    assert (X.round() == X).all()
    assert X.min() >= 0
    assert X[:, 0].max() <= 40
    # neither feature is enough, as the lecture says
    for feature in X.T:
        assert not a_line_separates(feature[:, None], y)


def test_the_kennel_has_room_for_the_lecture_s_animals() -> None:
    with pytest.raises(ParameterError, match="three animals"):
        kennel(n=2)


@given(
    n=st.integers(3, 30),
    d=st.integers(1, 12),
    radius=st.floats(1.001, 1e6),
    share=st.floats(1e-3, 0.99),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_separable_clouds_keep_margin_and_radius_in_exact_arithmetic(
    n: int, d: int, radius: float, share: float, seed: int
) -> None:
    margin = share * (radius**2 - 1) ** 0.5
    X, y, truth = synthetic.separable(n, d, margin, radius, seed)
    w = [Fraction(value) for value in truth.weights.tolist()]
    for x, sign in zip(extended(X).tolist(), y.tolist(), strict=True):
        exact = [Fraction(value) for value in x]
        score = sign * sum(a * b for a, b in zip(w, exact, strict=True))
        assert score > 0
        assert score**2 >= Fraction(truth.margin) ** 2 * sum(a * a for a in w)
        assert sum(a * a for a in exact) <= Fraction(truth.radius) ** 2


@given(d=st.integers(1, 12), share=st.floats(1e-3, 0.99), seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_separable_clouds_reach_their_margin_and_radius(d: int, share: float, seed: int) -> None:
    X, y, truth = synthetic.separable(20, d, share * 15**0.5, 4.0, seed)
    signed = y[:, None] * extended(X)
    scores = signed @ truth.weights
    assert np.linalg.norm(truth.weights) == pytest.approx(1, rel=1e-15)
    assert scores.min() == pytest.approx(truth.margin, rel=1e-9)
    assert np.linalg.norm(signed, axis=1).max() == pytest.approx(4, rel=1e-12)
    # γ is the largest margin of all: a convex combination of the signed rows has length γ
    plus, minus = (signed[np.where(y == sign, scores, np.inf).argmin()] for sign in (1, -1))
    part = (1 + truth.margin * truth.weights[-1]) / 2
    assert np.linalg.norm(part * plus + (1 - part) * minus) == pytest.approx(truth.margin, rel=1e-9)


@pytest.mark.parametrize(("margin", "radius"), [(0.01, 3.0), (0.25, 4.0), (5.0, 100.0)])
def test_separable_data_have_the_margin_and_radius_asked_for(margin: float, radius: float) -> None:
    how = {"n_samples": 60, "n_features": 4, "random_state": 5}
    data = builtin("separable", margin=margin, radius=radius, **how)
    assert data.X.shape == (60, 4)
    assert len(data.feature_names) == 4
    found = separability(data.X, data.y, maximise=True)
    assert found.margin == pytest.approx(margin, rel=1e-5)
    assert found.upper == pytest.approx(margin, rel=1e-5)
    assert found.radius == pytest.approx(radius, rel=1e-9)
    again = builtin("separable", margin=margin, radius=radius, **how)
    assert again.X.tolist() == data.X.tolist()


def test_a_perceptron_on_separable_clouds_stays_within_the_bound() -> None:
    X, y, truth = synthetic.separable()
    w, mistakes, clean = np.zeros(3), 0, False
    while not clean:
        clean = True
        for x in y[:, None] * extended(X):
            if w @ x <= 0:
                w, mistakes, clean = w + x, mistakes + 1, False
    assert truth.mistake_bound == 255  # fewer than (R/γ)² = 256
    assert 0 < mistakes <= truth.mistake_bound


@pytest.mark.parametrize("d", [1, 2, 5])
def test_overlapping_clouds_have_the_bayes_error_they_claim(d: int) -> None:
    n = 40_000
    X, y, truth = synthetic.overlapping(n, d, distance=2.0, seed=1)
    errors = np.mean(y * (extended(X) @ truth.weights) <= 0)
    assert truth.error == pytest.approx(0.158655253931457)
    assert errors == pytest.approx(truth.error, abs=4 * (0.16 * 0.84 / n) ** 0.5)
    means = X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)
    np.testing.assert_allclose(means, truth.weights[:-1], atol=0.05)


@pytest.mark.parametrize("generator", [synthetic.rings, synthetic.xor])
@pytest.mark.parametrize("n", [10, 11, 57])
@pytest.mark.parametrize("noise", [0.0, 0.24])
@pytest.mark.parametrize("seed", range(4))
def test_no_line_separates_rings_and_xor_but_after_the_map_one_does(
    generator: Callable[[int, float, int], tuple[Floats, Ints, synthetic.Lifted]],
    n: int,
    noise: float,
    seed: int,
) -> None:
    X, y, truth = generator(n, noise, seed)
    assert X.shape == (n, 2)
    assert abs(y.sum()) <= 2
    assert not a_line_separates(X, y)
    assert (y * (extended(truth.map(X)) @ truth.weights) > 0).all()


@pytest.mark.parametrize(
    "impossible",
    [
        lambda: synthetic.separable(n=2),
        lambda: synthetic.separable(d=0),
        lambda: synthetic.separable(margin=0.0),
        lambda: synthetic.separable(margin=1.0, radius=1.4),
        lambda: synthetic.separable(radius=float("inf")),
        lambda: synthetic.separable(radius=float("nan")),
        lambda: synthetic.separable(radius=-4.0),
        lambda: synthetic.separable(margin=float("nan")),
        lambda: synthetic.separable(margin=15**0.5, radius=4.0),
        lambda: synthetic.overlapping(n=1),
        lambda: synthetic.overlapping(distance=0.0),
        lambda: synthetic.rings(noise=0.3),
        lambda: synthetic.xor(noise=0.25),
    ],
)
def test_impossible_truths_are_refused(impossible: Callable[[], object]) -> None:
    with pytest.raises(ParameterError, match="need"):
        impossible()


def test_mark_i_pictures_are_cells_of_light_and_dark() -> None:
    data = builtin("mark-i")
    assert data.X.shape == (520, 400)
    assert set(np.unique(data.X)) == {0, 1}
    assert "".join(np.unique(data.y)) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert np.unique(data.y, return_counts=True)[1].tolist() == [20] * 26
    assert data.feature_names[0] == "cell_0_0"
    assert data.feature_names[21] == "cell_1_1"
    assert crc32(data.X.astype(np.uint8).tobytes()) == 0xC1A9788A  # they stay as they are
    digits = builtin("mark-i-digits")
    assert digits.X.shape == (200, 400)
    assert "".join(digits.y[:10]) == "0123456789"


def test_a_plain_pen_draws_letters_as_one_would() -> None:
    straight = {glyph: glyphs.draw(glyph) for glyph in glyphs.STROKES}
    for letter in "AHIMOTUVWXY08":
        np.testing.assert_array_equal(straight[letter], straight[letter][:, ::-1])
    for letter in "HINOSXZ08":
        np.testing.assert_array_equal(straight[letter], straight[letter][::-1, ::-1])
    np.testing.assert_array_equal(straight["6"], straight["9"][::-1, ::-1])
    assert len({cells.tobytes() for cells in straight.values()}) == 35  # O is 0
    assert all(cells[[0, -1]].sum() + cells[:, [0, -1]].sum() == 0 for cells in straight.values())


@pytest.mark.parametrize("strokes", [glyphs.LETTERS, glyphs.DIGITS], ids=["letters", "digits"])
def test_glyphs_of_one_pen_differ_in_many_cells(strokes: dict[str, str]) -> None:
    for one, other in combinations(map(glyphs.draw, strokes), 2):
        assert np.abs(one - other).sum() >= 10


def test_every_letter_stays_on_the_cells_and_away_from_the_others() -> None:
    X, y = glyphs.pictures(glyphs.LETTERS, n=260, noise=0.0, seed=3)
    means = np.array([X[y == letter].mean(axis=0) for letter in np.unique(y)])
    nearest = np.unique(y)[((X[:, None] - means) ** 2).sum(axis=-1).argmin(axis=1)]
    assert np.mean(nearest == y) > 0.9
    assert X.sum(axis=1).min() >= 20


def test_noise_turns_over_its_share_of_cells() -> None:
    clean, _ = glyphs.pictures("AB", n=100, noise=0.0)
    noisy, _ = glyphs.pictures("AB", n=100, noise=0.05)
    assert np.mean(clean != noisy) == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"radius": 1e6, "margin": 1e-12}, "float64"),
        ({"margin": 1e-300}, "float64"),
        ({"gamma": 0.1}, "gamma"),
        ({"margin": "wide"}, "margin must be a number"),
        ({"n_samples": 20.5}, "n_samples must be an integer"),
        ({"random_state": -1}, "random_state"),
        ({"n_features": 0}, "d=0"),
    ],
)
def test_impossible_parameters_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        builtin("separable", **given)
    with pytest.raises(ParameterError, match=r"iris.*none"):
        builtin("iris", **given)
