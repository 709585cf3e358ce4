"""The photocells of the Mark I: means of areas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.images import PHOTOCELLS_PER_SIDE as SIDE
from rosenblatt.features.maps.images import Photocells, mark_i


@given(st.tuples(st.integers(1, 50), st.integers(1, 50)))
def test_means_are_those_of_an_image_with_pixels_cut_small(shape: tuple[int, int]) -> None:
    image = np.random.default_rng(0).random(shape)
    small = np.kron(image, np.ones((SIDE, SIDE)))
    wanted = small.reshape(SIDE, shape[0], SIDE, shape[1]).mean(axis=(1, 3))
    found = Photocells(shape, 1.0, 0.0).transform(image.reshape(1, -1))
    np.testing.assert_allclose(found.reshape(SIDE, SIDE), wanted, atol=1e-6)


def test_as_many_pixels_as_photocells_stay_what_they_are(rng: np.random.Generator) -> None:
    images = rng.integers(0, 256, (3, 400)).astype(np.uint8)
    found = mark_i(images, white=255.0).transform(images)
    np.testing.assert_array_equal(found, (images / 255).astype(np.float32))


def test_white_is_the_brightest_pixel_and_what_is_brighter_is_white() -> None:
    images = np.array([[0.0, 2.0, 4.0, 1.0]])
    made = mark_i(images)
    assert made.white == 4.0
    assert made.transform(images * 2).max() == 1.0
    assert made.transform(-images).max() == 0.0
    assert mark_i(np.zeros((1, 4))).white == 1.0


def test_a_threshold_makes_photocells_0_or_1() -> None:
    images = np.array([[0.0, 0.5, 0.7, 1.0]])
    found = mark_i(images, 0.5).transform(images).reshape(2, 10, 2, 10)
    assert found[:, 0, :, 0].tolist() == [[0, 1], [1, 1]]
    assert set(np.unique(found)) == {0, 1}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"threshold": 1.5}, "threshold must be"),
        ({"white": 0.0}, "white must be"),
        ({"shape": (3, 3)}, "these have 4"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        mark_i(np.ones((1, 4)), **settings)
