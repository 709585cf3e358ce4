"""What every map of images does, and what histograms of gradients do with a changed image."""

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.csr import CSR
from rosenblatt.features.maps.feature_map import FeatureMap
from rosenblatt.features.maps.hog import hog
from rosenblatt.features.maps.images import IMAGES_PER_BLOCK
from rosenblatt.features.maps.spec import parse_map_spec
from rosenblatt.types import Array

RECIPES = [
    "hog:4",
    "hog:4x6,block=1x2,orientations=5,norm=L1-sqrt",
    "hog:3,soft=true,signed=true,norm=L2",
    "mark-i",
    "mark-i:0.4,white=200",
    "association-units:30",
    "association-units:30,threshold=10,connections=3",
]
SHAPE = (16, 20)


@pytest.fixture
def images(rng: np.random.Generator) -> Array:
    """Images of bytes, more than a part of them, half of their pixels black."""
    values = rng.integers(1, 256, (IMAGES_PER_BLOCK + 40, *SHAPE)) * (
        rng.random((IMAGES_PER_BLOCK + 40, *SHAPE)) < 0.5
    )
    return values.reshape(len(values), -1).astype(np.uint8)


@pytest.fixture(params=RECIPES)
def made(request: pytest.FixtureRequest, images: Array) -> FeatureMap:
    colon = "" if request.param.startswith("association") else "shape=16x20"
    joined = ("," if ":" in request.param else ":") if colon else ""
    return parse_map_spec(request.param + joined + colon).fit(images).map


def sparse_rows(X: Array, index: type = np.int32) -> CSR:
    matrix = sparse.csr_array(X)
    places = (matrix.indices.astype(index), matrix.indptr.astype(index))
    return CSR(matrix.data, *places, X.shape[1])


def test_a_batch_is_its_images_one_by_one(made: FeatureMap, images: Array) -> None:
    whole = made.transform(images)
    for i in (0, 1, IMAGES_PER_BLOCK - 1, IMAGES_PER_BLOCK, len(images) - 1):
        np.testing.assert_array_equal(made.transform(images[i : i + 1])[0], whole[i])


def test_all_storages_give_the_same_bits(made: FeatureMap, images: Array) -> None:
    wanted = made.transform(images)
    for rows in (
        images.astype(np.float32),
        images.astype(np.float64),
        np.asfortranarray(images),
        sparse_rows(images.astype(np.float32)),
        sparse_rows(images.astype(np.float64), np.int64),
    ):
        np.testing.assert_array_equal(made.transform(rows), wanted)


def test_features_are_float32_and_all_have_a_name(made: FeatureMap, images: Array) -> None:
    found = made.transform(images)
    assert found.dtype == np.float32
    names = made.feature_names([f"x{j}" for j in range(made.n_inputs)])
    assert found.shape == (len(images), made.n_outputs) == (len(images), len(names))
    assert np.isfinite(found).all()
    assert found.min() >= 0
    assert found.max() <= 1


def test_no_images_make_no_features(made: FeatureMap, images: Array) -> None:
    assert made.transform(images[:0]).shape == (0, made.n_outputs)


# --- histograms of gradients --------------------------------------------------------------------

HOW = pytest.mark.parametrize("soft", [False, True])
SIGNS = pytest.mark.parametrize("signed", [False, True])


def cells_of(images: Array, *, soft: bool, signed: bool = False, orientations: int = 8) -> Array:
    """Histograms of cells of 4 × 4 pixels, one by one: image, row, column, bin."""
    flat = images.reshape(len(images), -1)
    shape = (images.shape[1], images.shape[2])
    made = hog(
        flat, (4, 4), block=(1, 1), orientations=orientations, norm="L2", shape=shape, soft=soft,
        signed=signed,
    )  # fmt: skip
    return made.transform(flat).reshape(len(images), *made.cells, -1)


@HOW
def test_a_shift_by_whole_cells_moves_the_cells(*, soft: bool, rng: np.random.Generator) -> None:
    image = np.zeros((1, 32, 40))
    image[0, 8:20, 8:24] = rng.integers(0, 9, (12, 16))
    moved = np.roll(image, (4, 8), axis=(1, 2))
    wanted = np.roll(cells_of(image, soft=soft), (1, 2), axis=(1, 2))
    assert wanted.any()
    np.testing.assert_array_equal(cells_of(moved, soft=soft), wanted)


@HOW
@SIGNS
def test_a_quarter_turn_turns_cells_and_angles(
    *, soft: bool, signed: bool, rng: np.random.Generator
) -> None:
    image = rng.integers(0, 5, (1, 16, 20))
    turned = np.rot90(image, axes=(1, 2))
    cells = cells_of(image, soft=soft, signed=signed)
    wanted = np.roll(np.rot90(cells, axes=(1, 2)), -4, axis=3)  # to the left: angles fall by 90°
    np.testing.assert_allclose(cells_of(turned, soft=soft, signed=signed), wanted, atol=1e-6)


@HOW
def test_the_negative_has_the_same_edges_with_opposite_signs(
    *, soft: bool, rng: np.random.Generator
) -> None:
    image = rng.integers(0, 5, (1, 16, 20))
    same, other = cells_of(image, soft=soft), cells_of(9 - image, soft=soft)
    np.testing.assert_allclose(same, other, atol=1e-6)
    signed = cells_of(image, soft=soft, signed=True)
    turned = cells_of(9 - image, soft=soft, signed=True)
    np.testing.assert_allclose(np.roll(signed, 8, axis=3), turned, atol=1e-6)


@pytest.mark.parametrize("norm", ["L1", "L1-sqrt", "L2", "L2-Hys"])
def test_light_and_contrast_do_not_matter(norm: str, rng: np.random.Generator) -> None:
    images = rng.integers(0, 100, (5, 256)).astype(np.float64)
    made = hog(images, (4, 4), norm=norm)
    np.testing.assert_allclose(made.transform(2 * images + 30), made.transform(images), atol=1e-5)


def test_an_image_without_edges_has_no_features() -> None:
    images = np.full((1, 256), 7.0)
    assert not hog(images, (4, 4)).transform(images).any()
