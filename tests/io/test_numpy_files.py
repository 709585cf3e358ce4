"""NPY and NPZ: what numpy and scipy saved comes back, in any chunks; nothing is unpickled."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from packing import PACKERS, packed
from scipy import sparse

from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import SourceError
from rosenblatt.io.numpy_files import NumpySource

LABELS = np.array(["dog", "cat", "dog", "eel", "cat", "dog", "dog"])


@pytest.fixture(name="X")
def rows_of_numbers(rng) -> np.ndarray:
    return rng.standard_normal((7, 3))


def npy(path: Path, array: np.ndarray) -> str:
    np.save(path, array)
    return str(path)


def npz(path: Path, save=np.savez, **arrays: np.ndarray) -> str:
    save(path, **arrays)
    return str(path)


def together(source: NumpySource):
    chunks = list(source)
    parts = [matrix_of(chunk.rows) for chunk in chunks]
    stack = sparse.vstack if sparse.issparse(parts[0]) else np.concatenate
    labels = [chunk.labels for chunk in chunks]
    return stack(parts), None if labels[0] is None else np.concatenate(labels)


@pytest.mark.parametrize("max_rows", [1, 3, None])
@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_has_its_labels_in_the_last_column(tmp_path, X, order, suffix, max_rows):
    npy(tmp_path / "t.npy", np.asarray(X, order=order))
    source = NumpySource((packed(tmp_path / "t.npy", suffix),), max_rows=max_rows)
    for _ in range(2):
        rows, labels = together(source)
        np.testing.assert_array_equal(rows, X[:, :2], strict=True)
        np.testing.assert_array_equal(labels, X[:, 2], strict=True)


@pytest.mark.parametrize(("target", "column"), [("0", 0), ("1", 1), ("-3", 0), (None, 2)])
def test_the_target_may_be_another_column(tmp_path, X, target, column):
    rows, labels = together(NumpySource((npy(tmp_path / "t.npy", X),), target))
    np.testing.assert_array_equal(rows, np.delete(X, column, 1))
    np.testing.assert_array_equal(labels, X[:, column])


def test_without_labels_every_column_is_a_feature(tmp_path, X):
    rows, labels = together(NumpySource((npy(tmp_path / "t.npy", X),), labelled=False))
    np.testing.assert_array_equal(rows, X)
    assert labels is None


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("names", [("X", "y"), ("x", "y"), ("data", "target")])
@pytest.mark.parametrize("max_rows", [2, None])
def test_npz_with_rows_and_labels(tmp_path, X, save, names, max_rows):
    file = npz(tmp_path / "t.npz", save, **dict(zip(names, (X, LABELS), strict=True)))
    rows, labels = together(NumpySource((file,), max_rows=max_rows))
    np.testing.assert_array_equal(rows, X, strict=True)
    np.testing.assert_array_equal(labels, LABELS, strict=True)


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_packed_npz(tmp_path, X, suffix):
    npz(tmp_path / "t.npz", X=X, y=LABELS)
    rows, labels = together(NumpySource((packed(tmp_path / "t.npz", suffix),)))
    np.testing.assert_array_equal(rows, X)
    assert labels.tolist() == LABELS.tolist()


def test_a_target_names_the_array_of_labels(tmp_path, X):
    file = npz(tmp_path / "t.npz", X=X, y=LABELS, tame=np.arange(7) % 2)
    assert together(NumpySource((file,), "tame"))[1].tolist() == [0, 1, 0, 1, 0, 1, 0]


def test_images_become_rows(tmp_path):
    images = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    rows, _ = together(NumpySource((npz(tmp_path / "t.npz", x=images, y=np.arange(2)),)))
    np.testing.assert_array_equal(rows, images.reshape(2, 12).astype(np.float32), strict=True)


@pytest.mark.parametrize(
    ("shape", "kind", "max_pixel_value"),
    [((2, 3, 4), "u1", 255.0), ((2, 12), "u1", None), ((2, 3, 4), "i4", None)],
)
def test_the_brightest_pixel_is_known_of_pictures_of_bytes(tmp_path, shape, kind, max_pixel_value):
    file = npz(tmp_path / "t.npz", x=np.zeros(shape, kind), y=np.arange(2))
    assert NumpySource((file,)).max_pixel_value == max_pixel_value


def test_one_array_in_an_npz_is_as_in_an_npy(tmp_path, X):
    np.savez(tmp_path / "t.npz", X)
    rows, labels = together(NumpySource((str(tmp_path / "t.npz"),)))
    np.testing.assert_array_equal(rows, X[:, :2])
    np.testing.assert_array_equal(labels, X[:, 2])


def test_rows_alone_have_no_labels(tmp_path, X):
    rows, labels = together(NumpySource((npz(tmp_path / "t.npz", X=X),)))
    np.testing.assert_array_equal(rows, X)
    assert labels is None


@pytest.mark.parametrize("name", ["X.npy", "X.npz", "X_train.npy.gz", "X-a.b.npz"])
def test_labels_in_a_file_beside(tmp_path, X, name):
    plain = tmp_path / name.removesuffix(".gz")
    save = npy if plain.suffix == ".npy" else lambda path, array: npz(path, a=array)
    save(plain, X)
    packed(plain, ".gz")
    npy(tmp_path / f"y{plain.stem[1:]}.npy", LABELS)
    rows, labels = together(NumpySource((str(tmp_path / name),)))
    np.testing.assert_array_equal(rows, X)
    assert labels.tolist() == LABELS.tolist()


def test_feature_names(tmp_path, X):
    file = npz(tmp_path / "t.npz", X=X, y=LABELS, feature_names=np.array(["a", "b", "c"]))
    assert NumpySource((file,)).feature_names == ("a", "b", "c")
    assert NumpySource((npz(tmp_path / "u.npz", X=X, y=LABELS),)).feature_names is None
    short = npz(tmp_path / "v.npz", X=X, feature_names=np.array(["a"]))
    with pytest.raises(SourceError, match=r"v\.npz has 3 features, but 1 feature_names"):
        assert NumpySource((short,)).feature_names


@pytest.mark.parametrize("kind", ["?", "i1", "u1", "i2", "u2", "f2", "f4", ">f4", ">i2"])
def test_small_numbers_become_float32_exactly(tmp_path, kind):
    X = np.arange(6).reshape(3, 2).astype(kind)
    rows, _ = together(NumpySource((npz(tmp_path / "t.npz", X=X, y=np.arange(3)),)))
    np.testing.assert_array_equal(rows, X.astype(np.float32), strict=True)


@pytest.mark.parametrize("kind", ["i4", "u4", "i8", "f8", ">f8", "longdouble"])
def test_large_numbers_become_float64(tmp_path, kind):
    X = (np.arange(6).reshape(3, 2) + 2**25 + 1).astype(kind)
    rows, _ = together(NumpySource((npz(tmp_path / "t.npz", X=X, y=np.arange(3)),)))
    np.testing.assert_array_equal(rows, X.astype(np.float64), strict=True)


@pytest.mark.parametrize("labels", [[1, -1], [True, False], ["é", "b"], [b"dog", b"cat"], [0.5, 2]])
def test_labels_come_as_stored(tmp_path, labels):
    file = npz(tmp_path / "t.npz", X=np.eye(2), y=np.array(labels))
    found = together(NumpySource((file,)))[1]
    as_text = [label.decode() if isinstance(label, bytes) else label for label in labels]
    assert found.tolist() == as_text
    column = npz(tmp_path / "u.npz", X=np.eye(2), y=np.array(labels)[:, None])
    assert together(NumpySource((column,)))[1].tolist() == as_text


@pytest.mark.parametrize("max_rows", [1, 4, None])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("container", ["array", "matrix"])
def test_sparse_rows(tmp_path, kind, container, max_rows):
    matrix = sparse.random_array((7, 5), density=0.4, rng=np.random.default_rng(0))
    stored = getattr(sparse, f"{kind}_{container}")(matrix)
    sparse.save_npz(tmp_path / "X.npz", stored)
    npy(tmp_path / "y.npy", LABELS)
    source = NumpySource((str(tmp_path / "X.npz"),), max_rows=max_rows)
    for _ in range(2):
        rows, labels = together(source)
        np.testing.assert_array_equal(rows.toarray(), matrix.toarray())
        assert labels.tolist() == LABELS.tolist()


def test_sparse_rows_with_labels_in_the_same_file(tmp_path):
    matrix = sparse.csr_array(np.eye(3, dtype=np.int8))
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    what = {"format": b"csr", "shape": matrix.shape}
    file = npz(tmp_path / "t.npz", **parts, **what, y=np.array(["a", "b", "c"]))
    rows, labels = together(NumpySource((file,)))
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows.toarray(), np.eye(3))
    assert labels.tolist() == ["a", "b", "c"]


def test_repeated_entries_of_a_sparse_row_are_added(tmp_path):
    parts = {"data": [1.0, 2.0, 4.0], "indices": [1, 0, 1], "indptr": [0, 3]}
    file = npz(tmp_path / "t.npz", **parts, format=b"csr", shape=(1, 2))
    (chunk,) = NumpySource((file,))
    assert chunk.rows.indices.tolist() == [0, 1]
    assert chunk.rows.data.tolist() == [2.0, 5.0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"indices": [1, 2]},
        {"indices": [-1, 0]},
        {"indptr": [0, 2, 1]},
        {"indptr": [0, 1, 9]},
        {"indptr": [-3, 1, 2]},
    ],
)
def test_sparse_rows_that_are_none(tmp_path, wrong):
    parts = {"data": [1.0, 2.0], "indices": [1, 0], "indptr": [0, 1, 2], **wrong}
    file = npz(tmp_path / "t.npz", **parts, format=b"csr", shape=(2, 2))
    words = r"t\.npz(, row 0 and after: the array indices of a| is not a) sparse matrix"
    with pytest.raises(SourceError, match=words):
        list(NumpySource((file,)))


def test_several_files(tmp_path, X):
    files = npy(tmp_path / "1.npy", X), npy(tmp_path / "2.npy", X[:2].astype(np.float32))
    source = NumpySource(files, max_rows=4)
    places = [chunk.place.at(1) for chunk in source]
    assert places == [f"{files[0]}, row 1", f"{files[0]}, row 5", f"{files[1]}, row 1"]
    rows, labels = together(source)
    assert rows.dtype == np.float64
    assert len(rows) == len(labels) == 9


def test_files_that_do_not_go_together(tmp_path, X):
    files = npy(tmp_path / "1.npy", X), npy(tmp_path / "2.npy", X[:, 1:])
    with pytest.raises(SourceError, match=r"2\.npy has 1 features, where .*1\.npy has 2"):
        list(NumpySource(files))
    files = npz(tmp_path / "1.npz", X=X, y=LABELS), npz(tmp_path / "2.npz", X=X)
    with pytest.raises(SourceError, match=r"2\.npz has no labels, while .*1\.npz has"):
        list(NumpySource(files))


def test_a_missing_label_is_named_with_its_row(tmp_path, X):
    X[5, 2] = np.nan
    with pytest.raises(SourceError, match=r"t\.npy, row 5: the label is missing \(NaN\)"):
        list(NumpySource((npy(tmp_path / "t.npy", X),), max_rows=4))


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('a pickle was loaded')",)


@pytest.mark.parametrize("name", ["t.npy", "t.npz", "labels.npz"])
def test_pickles_are_never_loaded(tmp_path, name):
    bomb = np.array([[Bomb(), Bomb()]])
    file = str(tmp_path / name)
    if name == "t.npy":
        np.save(file, bomb)
    elif name == "t.npz":
        np.savez(file, X=bomb, y=np.arange(1))
    else:
        np.savez(file, X=np.eye(1), y=bomb[0, :1])
    with pytest.raises(SourceError, match=r"holds Python objects .* which are never loaded"):
        list(NumpySource((file,)))


def test_a_pickle_called_npy(tmp_path):
    (tmp_path / "t.npy").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(SourceError, match=r"t\.npy cannot be read as arrays: .*magic"):
        list(NumpySource((str(tmp_path / "t.npy"),)))


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"a": np.eye(2), "b": np.eye(2)}, r"holds a, b\. Save the rows as X"),
        ({}, r"holds no arrays\. Save the rows as X"),
        ({"X": np.eye(2), "y": np.arange(3)}, r"has 2 rows, but labels of shape \(3,\)"),
        ({"X": np.eye(2), "y": np.eye(2)}, r"has 2 rows, but labels of shape \(2, 2\)"),
        ({"X": np.eye(2), "y": np.array(3)}, r"has 2 rows, but labels of shape \(\)"),
        ({"X": np.eye(2), "y": np.eye(2, dtype=complex)[0]}, "and type complex128"),
        ({"X": np.eye(2, dtype=complex)}, r"an array of complex128 of shape \(2, 2\)"),
        ({"X": np.array([["a", "b"]])}, r"an array of <U1 of shape \(1, 2\)"),
        ({"X": np.arange(3)}, r"an array of int64 of shape \(3,\)"),
        ({"X": np.array(3)}, r"an array of int64 of shape \(\)"),
        ({"a": np.eye(2)[:, :1]}, r"shape \(2, 1\), which has no column for the label"),
        ({"a": np.zeros((2, 2, 2))}, r"shape \(2, 2, 2\), which has no column for the label"),
        ({"X": np.zeros((3, 0))}, r"an array of float64 of shape \(3, 0\)"),
        ({"X": np.zeros((0, 3)), "y": np.zeros(0)}, "has no rows"),
        ({"X": np.eye(1), "y": np.array(3)}, r"has 1 rows, but labels of shape \(\)"),
    ],
)
def test_arrays_that_are_no_samples(tmp_path, arrays, words):
    with pytest.raises(SourceError, match=rf"t\.npz .*{words}"):
        list(NumpySource((npz(tmp_path / "t.npz", **arrays),)))


@pytest.mark.parametrize("target", ["weight", "3", "-4"])
def test_a_column_that_is_not_there(tmp_path, X, target):
    with pytest.raises(SourceError, match=rf"no column '{target}': .* the numbers 0 to 2"):
        list(NumpySource((npy(tmp_path / "t.npy", X),), target))


def test_an_array_that_is_not_there(tmp_path, X):
    file = npz(tmp_path / "t.npz", X=X, y=LABELS)
    with pytest.raises(SourceError, match=r"t\.npz has no array 'z' of labels; it has X, y\."):
        list(NumpySource((file,), "z"))


def test_files_cut_short(tmp_path, X):
    for path in (Path(npy(tmp_path / "t.npy", X)), Path(npz(tmp_path / "t.npz", X=X, y=LABELS))):
        whole = path.read_bytes()
        for length in range(0, len(whole) - 1, 13):
            path.write_bytes(whole[:length])
            with pytest.raises(SourceError, match=rf"{path.name} cannot be read as arrays"):
                list(NumpySource((str(path),)))


def test_damaged_headers(tmp_path, X):
    path = Path(npy(tmp_path / "t.npy", X))
    whole = path.read_bytes()
    for place in range(10, 70):
        path.write_bytes(whole[:place] + b"[" + whole[place + 1 :])
        with pytest.raises(SourceError, match=r"t\.npy cannot be read as arrays"):
            list(NumpySource((str(path),)))


def test_a_damaged_archive(tmp_path, X):
    path = Path(npz(tmp_path / "t.npz", np.savez_compressed, X=X, y=LABELS))
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("X.npy").header_offset + 60
    content = bytearray(path.read_bytes())
    content[start : start + 40] = bytes(40)
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"t\.npz (cannot be read as arrays|is damaged)"):
        list(NumpySource((str(path),)))
