"""Laws that every feature map obeys, whatever it makes."""

import json

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.csr import CSR, Rows, n_cols, rows_part
from rosenblatt.data.training_data import matrix_of
from rosenblatt.data.validation import rows_of
from rosenblatt.features.maps.spec import (
    FIT_FUNCTIONS,
    FittedMap,
    map_from_dict,
    map_to_dict,
    parse_map_spec,
)
from rosenblatt.pipeline.encoded_data import EncodedData, fit_maps
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.proof_encoding import encoding_of, transformer_in
from rosenblatt.preprocess.transformer import ColumnTransformer

SPECS = {  # and the number of input features
    "products": 5,
    "products:3": 4,
    "products:1": 3,
    "poly": 4,
    "poly:5": 3,
    "poly:3,full=true": 4,
    "random-products:7": 6,
    "random-products:0": 6,
    "radial": 3,
    "radial:4": 3,
    "fourier:20": 4,
    "fourier:5,gamma=0.3,seed=2": 4,
    "nystroem:6": 4,
    "hog:2": 36,
    "hog:2x3,block=1,soft=true,shape=4x9": 36,
    "mark-i": 9,
    "mark-i:0.5,white=2,shape=2x3": 6,
    "association-units:12,connections=4": 9,
}
ROUNDED = {"radial", "fourier", "nystroem"}  # their sums depend on the order of the terms
N = 30


def dense(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Small integers, half of them zero: products of a few are exact in float32 too."""
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, (n, d)) * (rng.random((n, d)) < 0.5).astype(np.float64)


def values(rows: Rows) -> np.ndarray:
    made = matrix_of(rows)
    return made.toarray() if isinstance(rows, CSR) else made


def agree(spec: str, one: np.ndarray, other: np.ndarray) -> None:
    if spec.split(":", maxsplit=1)[0] in ROUNDED:
        exact = np.finfo(one.dtype).eps if one.dtype == other.dtype else np.finfo(np.float32).eps
        np.testing.assert_allclose(one, other, rtol=0, atol=100 * exact * max(1, np.abs(one).max()))
    else:
        np.testing.assert_array_equal(one, other)


@pytest.fixture(params=SPECS)
def spec(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def X(spec: str) -> np.ndarray:  # noqa: N802 (a matrix)
    return dense(N, SPECS[spec])


@pytest.fixture
def fitted(spec: str, X: np.ndarray) -> FittedMap:
    return parse_map_spec(spec).fit(X)


def test_every_learner_is_tried() -> None:
    assert {spec.split(":", maxsplit=1)[0] for spec in SPECS} == set(FIT_FUNCTIONS)


def test_it_makes_as_many_features_as_it_says(fitted: FittedMap, X: np.ndarray) -> None:
    assert n_cols(X) == fitted.map.n_inputs
    assert n_cols(fitted.map.transform(X)) == fitted.map.n_outputs


def test_every_feature_has_a_name_of_its_own(fitted: FittedMap) -> None:
    names = fitted.map.feature_names([f"x{j}" for j in range(fitted.map.n_inputs)])
    assert len(names) == len(set(names)) == fitted.map.n_outputs


def test_sparse_rows_become_the_same_features(spec: str, fitted: FittedMap, X: np.ndarray) -> None:
    made = fitted.map.transform(rows_of(sparse.csr_array(X)))
    agree(spec, values(made), fitted.map.transform(X))


def test_a_part_of_sparse_rows_is_taken_by_itself(
    spec: str, fitted: FittedMap, X: np.ndarray
) -> None:
    rows = rows_of(sparse.csr_array(X))
    agree(spec, values(fitted.map.transform(rows_part(rows, 7, 20))), fitted.map.transform(X[7:20]))


def test_entries_may_stand_in_any_order_and_twice(
    spec: str, fitted: FittedMap, X: np.ndarray
) -> None:
    backwards = CSR(
        np.tile(X[:, ::-1] / 2, 2).ravel(),
        np.tile(np.arange(X.shape[1])[::-1], 2 * len(X)),
        np.arange(len(X) + 1) * 2 * X.shape[1],
        X.shape[1],
    )
    agree(spec, values(fitted.map.transform(backwards)), fitted.map.transform(X))


def test_rows_are_mapped_independently_of_each_other(
    spec: str, fitted: FittedMap, X: np.ndarray
) -> None:
    one_by_one = np.concatenate([fitted.map.transform(row[None]) for row in X])
    agree(spec, one_by_one, fitted.map.transform(X))


def test_blocks_give_the_bits_of_the_whole(
    spec: str, X: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = EncodedData(X, np.zeros(N, np.int8), on_disk=False)
    transformer = ColumnTransformer((), X.shape[1], sparse=False)
    whole, prepared = fit_maps(encoded, transformer, [parse_map_spec(spec)])
    monkeypatch.setattr("rosenblatt.pipeline.encoded_data.BLOCK_ENTRIES", 3 * prepared.n_features)
    parts, _ = fit_maps(encoded, transformer, [parse_map_spec(spec)])
    agree(spec, whole.rows, parts.rows)


def test_float32_stays_float32(spec: str, fitted: FittedMap, X: np.ndarray) -> None:
    made = fitted.map.transform(X.astype(np.float32))
    assert made.dtype == np.float32
    agree(spec, made, fitted.map.transform(X))


def test_bytes_are_numbers(spec: str, fitted: FittedMap, X: np.ndarray) -> None:
    counts = np.abs(X).astype(np.uint8)
    agree(spec, fitted.map.transform(counts), fitted.map.transform(counts.astype(np.float32)))


def test_it_is_learned_alike_from_sparse_rows(spec: str, fitted: FittedMap, X: np.ndarray) -> None:
    again = parse_map_spec(spec).fit(rows_of(sparse.csr_array(X)))
    agree(spec, again.map.transform(X), fitted.map.transform(X))


def test_what_was_learned_survives_as_plain_data(fitted: FittedMap, X: np.ndarray) -> None:
    plain, arrays = map_to_dict(fitted)
    again = map_from_dict(json.loads(json.dumps(plain)), arrays)
    assert again.spec == fitted.spec
    np.testing.assert_array_equal(again.map.transform(X), fitted.map.transform(X))


def test_what_was_learned_survives_in_a_proof_file(fitted: FittedMap, X: np.ndarray) -> None:
    transformer = ColumnTransformer((), fitted.map.n_inputs, sparse=False, maps=(fitted,))
    encoding = encoding_of(transformer, Choices(), (), (), {})
    again, _ = transformer_in(json.loads(json.dumps(encoding)))
    np.testing.assert_array_equal(again.maps[0].map.transform(X), fitted.map.transform(X))
    assert again.feature_names == transformer.feature_names


def test_a_map_with_a_damaged_field_is_refused(fitted: FittedMap) -> None:
    plain, arrays = map_to_dict(fitted)
    for name in (set(plain) | set(arrays)) - {"spec"}:
        with pytest.raises((ValueError, KeyError)):
            map_from_dict({k: v for k, v in plain.items() if k != name}, _without(arrays, name))
        if name != "kind":
            with pytest.raises((ValueError, TypeError)):
                map_from_dict({**plain, name: "damage"}, _without(arrays, name))
    with pytest.raises(ValueError, match="a missing or an unknown field"):
        map_from_dict({**plain, "more": 1}, arrays)
    with pytest.raises(ValueError, match="not a kind of map"):
        map_from_dict({**plain, "kind": "os.system"}, arrays)


def test_an_array_with_a_hole_is_refused(fitted: FittedMap) -> None:
    plain, arrays = map_to_dict(fitted)
    for name, array in arrays.items():
        if array.dtype == np.float64:
            with pytest.raises(ValueError, match="is invalid"):
                map_from_dict(plain, {**arrays, name: np.full_like(array, np.nan)})


def _without(arrays: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    return {key: array for key, array in arrays.items() if key != name}
