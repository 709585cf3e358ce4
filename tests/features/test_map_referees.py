"""Maps beside scikit-learn's, beside loops of a textbook, and beside their own names."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt.data.training_data import matrix_of
from rosenblatt.data.validation import rows_of
from rosenblatt.features.maps.spec import parse_map_spec

POWERS = {"": 1, "²": 2, "³": 3, "⁴": 4}
small = st.integers(1, 5).flatmap(
    lambda d: arrays(
        np.float64, st.tuples(st.integers(1, 6), st.just(d)), elements=st.integers(-4, 4).map(float)
    )
)


def transformed(spec: str, X: np.ndarray) -> np.ndarray:
    return np.asarray(parse_map_spec(spec).fit(X).map.transform(X))


def value_of(name: str, row: np.ndarray) -> float:
    """What a name such as "x0² × x2" says about a row."""
    product = 1.0
    for factor in name.split(" × "):
        feature, power = re.fullmatch(r"x(\d+)(.?)", factor).groups()  # type: ignore[union-attr]
        product *= row[int(feature)] ** POWERS[power]
    return product


@pytest.mark.parametrize("spec", ["products", "products:3", "poly:4", "poly:3,full=true"])
@given(X=small)
def test_a_name_tells_how_its_feature_is_made(spec: str, X: np.ndarray) -> None:
    fitted = parse_map_spec(spec).fit(X)
    names = fitted.map.feature_names([f"x{j}" for j in range(X.shape[1])])
    expected = [[value_of(name, row) for name in names] for row in X]
    np.testing.assert_array_equal(fitted.map.transform(X), expected)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["products:{}", "poly:{},full=true"])
@given(X=small)
def test_products_are_those_of_scikit_learn(degree: int, kind: str, X: np.ndarray) -> None:
    different = kind.startswith("products")
    referee = PolynomialFeatures(degree, interaction_only=different, include_bias=False)
    spec = kind.format(degree)
    made = transformed(spec, X)
    np.testing.assert_array_equal(made, referee.fit_transform(X))
    rows = rows_of(sparse.csr_array(X))
    np.testing.assert_array_equal(
        matrix_of(parse_map_spec(spec).fit(rows).map.transform(rows)).toarray(), made
    )


def test_random_products_are_products_of_different_pairs() -> None:
    X = np.random.default_rng(0).standard_normal((10, 8))
    fitted = parse_map_spec("random-products:28").fit(X)  # all there are
    made = fitted.map.transform(X)
    pairs = {(i, j): X[:, i] * X[:, j] for i, j in combinations(range(8), 2)}
    names = fitted.map.feature_names([str(j) for j in range(8)])[8:]
    for k, name in enumerate(names):
        i, j = map(int, name.split(" × "))
        np.testing.assert_array_equal(made[:, 8 + k], pairs.pop((i, j)))
    assert not pairs


def test_more_random_products_begin_with_the_same() -> None:
    X = np.random.default_rng(0).standard_normal((10, 50))
    few, many = (transformed(f"random-products:{n}", X) for n in (10, 900))
    np.testing.assert_array_equal(few, many[:, :60])
    other = transformed("random-products:10,seed=1", X)
    assert (other != few).any()


def test_distances_are_those_of_a_loop() -> None:
    X = np.random.default_rng(0).standard_normal((40, 3))
    made = transformed("radial", X)
    middle = X.mean(axis=0)
    np.testing.assert_allclose(made[:, 3], [np.linalg.norm(x - middle) for x in X], rtol=1e-14)
    groups = parse_map_spec("radial:5").fit(X).map
    centres = groups.centres  # type: ignore[attr-defined]
    for k in range(5):
        nearest = [np.argmin([np.linalg.norm(x - c) for c in centres]) == k for x in X]
        np.testing.assert_allclose(X[nearest].mean(axis=0), centres[k], atol=1e-12)


def test_waves_and_landmarks_are_those_of_scikit_learn() -> None:
    X = np.random.default_rng(0).standard_normal((60, 5))
    gamma = 1 / (5 * X.var())
    waves = RBFSampler(gamma=gamma, n_components=30, random_state=0).fit_transform(X)
    np.testing.assert_allclose(transformed("fourier:30", X), waves, atol=1e-13)
    near = Nystroem(gamma=gamma, n_components=20, random_state=0).fit_transform(X)
    np.testing.assert_allclose(transformed("nystroem:20", X), near, atol=1e-9)
