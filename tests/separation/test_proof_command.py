"""`python -m rosenblatt.proof check`: exit codes, files, and that it needs no numpy."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.proof import checker
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.reader import load_proof

X = [[0, 0], [0, 1], [1, 0], [1, 1]]
XOR = [0, 1, 1, 0]
VECTORS = Path(__file__).with_name("vectors")


def run(*words):
    return subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, check=False
    )


@pytest.fixture
def files(tmp_path):
    separability(X, XOR).save(tmp_path / "proof.json")
    np.save(tmp_path / "X.npy", np.array(X))
    np.save(tmp_path / "y.npy", np.array(XOR))
    return [tmp_path / name for name in ("proof.json", "X.npy", "y.npy")]


def test_the_command_says_what_is_proved(files):
    said = run("-m", "rosenblatt.proof", "check", *files)
    claims = "answer 'inseparable', classes ['0', '1'], n_rows 4, n_features 2, fit_intercept True"
    assert said.returncode == 0
    assert said.stdout.startswith("The proof holds: ")
    assert f"{claims}, fingerprint" in said.stdout
    assert said.stdout.endswith(", kind 'overlap'.\n")
    np.save(files[2], np.array([0, 1, 1, 1]))
    said = run("-m", "rosenblatt.proof", "check", *files)
    assert said.returncode == 1
    assert said.stdout == "The proof does not hold: The data are not those of the proof.\n"
    said = run("-m", "rosenblatt.proof", "check", files[0])
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("Cannot be checked: Usage")


def test_a_copy_of_the_file_needs_nothing_else(files, tmp_path):
    copy = shutil.copy(checker.__file__, tmp_path / "alone.py")
    said = run("-I", "-S", copy, *files)  # without the installed packages
    assert said.returncode == 0
    assert said.stdout.startswith("The proof holds")


def test_numpy_is_not_loaded():
    code = "import sys, rosenblatt.proof.__main__; print('numpy' in sys.modules)"
    assert run("-c", code).stdout == "False\n"


LABELS = [
    np.array(XOR, dtype=bool),
    np.array(XOR, dtype=float),
    np.array(XOR, dtype=np.uint8),
    np.array(XOR).astype(str),
    np.array(XOR, dtype=">i4"),
    np.array(["no", "yes", "yes", "no"]),
    np.array(["ä", "日本語", "日本語", "ä"]),
    np.array([0.5, -1.5, -1.5, 0.5]),
]
STORAGES = [
    np.asarray,
    lambda rows: np.asfortranarray(rows, dtype=np.float32),
    lambda rows: np.asarray(rows, dtype=">f8"),
    lambda rows: np.asarray(rows, dtype=np.float16),
    lambda rows: np.asarray(rows, dtype=bool),
    sparse.csr_array,
    lambda rows: sparse.csr_matrix(np.asarray(rows, dtype=np.float32)),
]


@pytest.mark.parametrize("y", LABELS, ids=lambda y: str(y.dtype))
@pytest.mark.parametrize("storage", STORAGES)
def test_storage_does_not_matter(y, storage, tmp_path):
    rows = storage(X)
    separability(np.array(X), y).save(tmp_path / "proof.json")
    if sparse.issparse(rows):
        sparse.save_npz(tmp_path / "X", rows)
    else:
        np.save(tmp_path / "X.npy", rows)
    np.save(tmp_path / "y.npy", y)
    name = "X.npz" if sparse.issparse(rows) else "X.npy"
    assert checker.main([str(tmp_path / part) for part in ("proof.json", name, "y.npy")]) == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X", np.array([[0, None], [0, 1]], dtype=object)),
        ("X", np.array([[1.0, np.inf]] * 4)),
        ("X", np.zeros((4, 0))),
        ("X", np.zeros(4)),
        ("X", np.zeros((4, 2), dtype=complex)),
        ("X", np.array([["a", "b"]] * 4)),
        ("y", np.array([0, 1, 1])),
        ("y", np.array(XOR, dtype=object)),
    ],
)
def test_what_is_no_table_is_bad_input(files, name, value):
    np.save(files[1 if name == "X" else 2], value, allow_pickle=True)
    assert checker.main([str(file) for file in files]) == 2


@pytest.mark.parametrize("part", range(3))
def test_devices_and_folders_are_no_files(part, files, tmp_path):
    (tmp_path / "zero").symlink_to("/dev/zero")
    for path in (tmp_path / "zero", tmp_path):
        names = [path if t == part else file for t, file in enumerate(files)]
        assert checker.main([str(name) for name in names]) == 2


@pytest.mark.parametrize("cut", [0, 5, 60, -1])
def test_damaged_files_are_bad_input(files, cut):
    files[1].write_bytes(files[1].read_bytes()[:cut])
    assert checker.main([str(file) for file in files]) == 2


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.json")), ids=lambda path: path.stem)
def test_vectors_are_judged_as_their_names_say(path):
    name = path.stem.split("-")[1]
    rows, labels = VECTORS / f"{name}.X.npy", VECTORS / f"{name}.y.npy"
    good = path.stem.startswith("good")
    assert (checker.main([str(path), str(rows), str(labels)]) == 0) == good
    try:
        held = load_proof(path).verify(np.load(rows), np.load(labels))
    except ValueError:
        held = False
    assert held == good


def test_there_are_vectors():
    names = [path.stem for path in VECTORS.glob("*.json")]
    assert sum(name.startswith("good") for name in names) >= 6
    assert sum(name.startswith("forged") for name in names) >= 12
