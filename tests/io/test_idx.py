"""IDX: what was written by hand in the format's own words comes back, with labels found by name."""

from pathlib import Path

import numpy as np
import pytest
from packing import PACKERS, packed

from rosenblatt.errors import SourceError
from rosenblatt.io.idx import TYPES, IdxSource

IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


def idx(path: Path, array: np.ndarray, stored: str = "u1") -> str:
    code = next(code for code, kind in TYPES.items() if kind == stored)
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    path.write_bytes(bytes([0, 0, code, array.ndim]) + sizes + array.astype(stored).tobytes())
    return str(path)


@pytest.fixture(name="images")
def some_images(rng) -> np.ndarray:
    return rng.integers(0, 256, (10, 4, 3))


@pytest.mark.parametrize("max_rows", [1, 3, None])
@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("labels_suffix", ["", ".gz"])
def test_images_with_their_labels(tmp_path, images, suffix, labels_suffix, max_rows):
    idx(tmp_path / IMAGES, images)
    idx(tmp_path / LABELS, np.arange(10))
    file = packed(tmp_path / IMAGES, suffix)
    if labels_suffix:
        packed(tmp_path / LABELS, labels_suffix)
        (tmp_path / LABELS).unlink()
    source = IdxSource((file,), max_rows=max_rows)
    for _ in range(2):
        chunks = list(source)
        rows = np.concatenate([chunk.rows for chunk in chunks])
        expected = images.reshape(10, 12).astype(np.float32)
        np.testing.assert_array_equal(rows, expected, strict=True)
        assert np.concatenate([chunk.labels for chunk in chunks]).tolist() == list(range(10))
        starts = range(0, 10, max_rows or 10)
        assert [chunk.place.at(0) for chunk in chunks] == [f"{file}, row {i}" for i in starts]


@pytest.mark.parametrize("stored", TYPES.values())
def test_every_type_of_number(tmp_path, stored):
    numbers = np.array([[[1, 2], [3, 100]]])
    idx(tmp_path / "images", numbers, stored)
    idx(tmp_path / "labels", np.array([7]), stored)
    (chunk,) = IdxSource((str(tmp_path / "images"),))
    exact = np.float32 if np.can_cast(stored, np.float32) else np.float64
    np.testing.assert_array_equal(chunk.rows, numbers.reshape(1, 4).astype(exact), strict=True)
    np.testing.assert_array_equal(chunk.labels, np.array([7], np.dtype(stored).newbyteorder("=")))
    assert chunk.labels.dtype.isnative


@pytest.mark.parametrize(
    ("images_name", "labels_name"),
    [
        ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
        ("train-images.idx3-ubyte", "train-labels.idx1-ubyte"),
        ("emnist-letters-train-images-idx3-ubyte", "emnist-letters-train-labels-idx1-ubyte"),
        ("my_images.idx", "my_labels.idx"),
    ],
)
def test_names_of_labels(tmp_path, images, images_name, labels_name):
    file = idx(tmp_path / images_name, images)
    assert next(iter(IdxSource((file,)))).labels is None
    idx(tmp_path / labels_name, np.arange(10))
    assert next(iter(IdxSource((file,)))).labels.tolist() == list(range(10))
    assert next(iter(IdxSource((file,), labelled=False))).labels is None


def test_a_glob_may_catch_the_labels_too(tmp_path, images):
    files = idx(tmp_path / IMAGES, images), idx(tmp_path / LABELS, np.arange(10))
    (chunk,) = IdxSource(files)
    assert len(chunk) == 10


def test_several_files(tmp_path, images):
    first, second = idx(tmp_path / "a-images", images), idx(tmp_path / "b-images", images[:3])
    assert [(chunk.place.file, len(chunk)) for chunk in IdxSource((first, second))] == [
        (first, 10),
        (second, 3),
    ]
    other = idx(tmp_path / "c-images", images[:, :2])
    with pytest.raises(SourceError, match=r"c-images has images of 2 × 3 .* where .*a-images"):
        list(IdxSource((first, other)))


def test_pixels_have_names(tmp_path, images):
    names = IdxSource((idx(tmp_path / IMAGES, images),)).feature_names
    assert len(names) == 12
    assert names[:4] == ("pixel_0_0", "pixel_0_1", "pixel_0_2", "pixel_1_0")


@pytest.mark.parametrize("stored", TYPES.values())
def test_the_brightest_pixel_is_known_of_bytes_alone(tmp_path, images, stored):
    source = IdxSource((idx(tmp_path / IMAGES, images, stored),))
    assert source.max_pixel_value == {"u1": 255.0, "i1": 127.0}.get(stored)


def test_digits(real_data):
    source = IdxSource((str(real_data / "mnist" / "t10k-images-idx3-ubyte.gz"),))
    chunks = list(source)
    assert sum(map(len, chunks)) == 10_000
    assert chunks[0].labels[:5].tolist() == [7, 2, 1, 0, 4]
    assert chunks[0].rows.max() == 255


@pytest.mark.parametrize(
    "content", [b"", b"\0", b"\0\0\x08", b"\0\0\x07\3", b"\0\0\x08\0", b"GIF89a"]
)
def test_other_files(tmp_path, content):
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(SourceError, match="t is not an IDX file: it begins with"):
        list(IdxSource((str(tmp_path / "t"),)))


def test_files_cut_short(tmp_path, images):
    file = tmp_path / IMAGES
    idx(file, images)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    with pytest.raises(SourceError, match="is truncated: it should hold 10 of 4 × 3 numbers"):
        list(IdxSource((str(file),)))
    with pytest.raises(SourceError, match="ends within the 4 from row 6 on"):
        list(IdxSource((str(file),), max_rows=6))
    file.write_bytes(whole[:9])
    with pytest.raises(SourceError, match=f"{IMAGES} is truncated within its header"):
        list(IdxSource((str(file),)))


def test_images_larger_than_any(tmp_path):
    (tmp_path / IMAGES).write_bytes(bytes([0, 0, 8, 3, 0, 0, 0, 1]) + b"\xff" * 8)
    with pytest.raises(
        SourceError, match=f"{IMAGES} claims to hold images of 4294967295 × 4294967295"
    ):
        list(IdxSource((str(tmp_path / IMAGES),)))


def test_a_file_that_goes_on(tmp_path, images):
    file = tmp_path / IMAGES
    idx(file, images)
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(SourceError, match="continues after the 10 of 4 × 3 numbers"):
        list(IdxSource((str(file),)))


def test_labels_that_do_not_go_with_the_images(tmp_path, images):
    file = idx(tmp_path / IMAGES, images)
    idx(tmp_path / LABELS, np.arange(9))
    with pytest.raises(SourceError, match=f"{LABELS} has 9 labels of 1 number, .* has 10 images"):
        list(IdxSource((file,)))
    idx(tmp_path / LABELS, np.eye(10))
    with pytest.raises(SourceError, match=f"{LABELS} has 10 labels of 10 numbers, but"):
        list(IdxSource((file,)))


def test_labels_in_place_of_images(tmp_path):
    with pytest.raises(
        SourceError, match=r"holds single numbers, as label files do\. Give the file of images"
    ):
        list(IdxSource((idx(tmp_path / LABELS, np.arange(9)),)))


def test_no_images(tmp_path):
    with pytest.raises(SourceError, match="has no rows"):
        list(IdxSource((idx(tmp_path / IMAGES, np.zeros((0, 2, 2))),)))


def test_a_missing_file(tmp_path):
    with pytest.raises(SourceError, match="no-images cannot be read: No such file"):
        list(IdxSource((str(tmp_path / "no-images"),)))
