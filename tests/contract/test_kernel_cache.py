"""Where compiled kernels are kept: files that are run as code, and that processes write at once."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import caching

import rosenblatt
from rosenblatt.kernels.cache import KernelCache, KernelFiles, njit, private_folder
from rosenblatt.linalg.scores import score_rows

NOBODY = 65534
NAME = f"rosenblatt-kernels-{os.geteuid()}"


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_folder_is_private(parent: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        folder = private_folder(parent)
    finally:
        os.umask(before)
    assert folder == parent / NAME
    assert folder.stat().st_mode & 0o7777 == 0o700
    assert private_folder(parent) == folder  # the next process finds it


def make_open(parent: Path) -> None:
    (parent / NAME).mkdir()
    (parent / NAME).chmod(0o755)


def make_link(parent: Path) -> None:
    (parent / "elsewhere").mkdir(mode=0o700)
    (parent / NAME).symlink_to(parent / "elsewhere")


def make_file(parent: Path) -> None:
    (parent / NAME).touch(mode=0o700)


def make_replaceable(parent: Path) -> None:
    parent.chmod(0o777)


def make_absent(parent: Path) -> None:
    parent.rmdir()


def make_others(parent: Path) -> None:
    (parent / NAME).mkdir(mode=0o700)
    give_away(parent / NAME)


def make_inside_others(parent: Path) -> None:
    give_away(parent)


def give_away(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(folder, NOBODY, NOBODY)


@pytest.mark.parametrize(
    "make",
    [
        make_open, make_link, make_file, make_replaceable, make_absent, make_others,
        make_inside_others,
    ],
)  # fmt: skip
def test_a_folder_that_others_may_write_to_is_not_used(
    make: Callable[[Path], None], parent: Path
) -> None:
    make(parent)
    assert private_folder(parent) is None


def test_two_processes_that_save_at_once_never_mix_up_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both read the index while it is empty; the second saves all of its own amid the first."""
    first, second = (KernelFiles(str(tmp_path), "kernel", "stamp") for _ in range(2))
    for files in (first, second):
        monkeypatch.setattr(files, "_load_index", dict)
    save_data = first._save_data

    def save_late(name: str, data: Any) -> None:
        second.save("dense", "code for dense rows")
        save_data(name, data)

    monkeypatch.setattr(first, "_save_data", save_late)
    first.save("sparse", "code for sparse rows")
    after = KernelFiles(str(tmp_path), "kernel", "stamp")
    assert after.load("dense") in {None, "code for dense rows"}
    assert after.load("sparse") in {None, "code for sparse rows"}
    assert after.load("dense") or after.load("sparse")


def test_signatures_of_a_kernel_are_kept_side_by_side(tmp_path: Path) -> None:
    files = KernelFiles(str(tmp_path), "kernel", "stamp")
    for key in ("dense", "sparse"):
        files.save(key, f"code for {key} rows")
    assert [files.load(key) for key in ("dense", "sparse", "other")] == [
        "code for dense rows",
        "code for sparse rows",
        None,
    ]
    assert KernelFiles(str(tmp_path), "kernel", "edited").load("dense") is None


def test_an_index_of_types_that_are_gone_is_written_anew(tmp_path: Path) -> None:
    # once: after a named tuple of a kernel had been renamed, calling it raised AttributeError
    files = KernelFiles(str(tmp_path), "kernel", source_stamp=1)
    files.save("first", b"1")
    for index in tmp_path.glob("*.nbi"):
        index.write_bytes(b"cno_such_module\nGone\n.")
    files.save("second", b"2")
    assert files.load("second") == b"2"


@pytest.mark.parametrize("method", ["load_overload", "save_overload"])
def test_trouble_with_the_disk_is_no_trouble(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[str] = []

    def fail(*_: Any) -> None:
        failed.append(method)
        raise OSError(28, "No space left on device")

    for known in ("load_overload", "save_overload"):  # otherwise nothing is found, nor kept
        monkeypatch.setattr(caching.FunctionCache, known, lambda *_: None)
    monkeypatch.setattr(caching.FunctionCache, method, fail)
    add = njit(cache=True)(lambda a, b: a + b)
    assert isinstance(add._cache, KernelCache)  # type: ignore[attr-defined]
    assert add(np.float64(1), np.float64(2)) == 3.0
    assert failed == [method]


def test_every_kernel_is_kept_so() -> None:
    sources = Path(rosenblatt.__file__).parent.rglob("*.py")
    pattern = re.compile(r"^(from numba import .*\bn?jit\b|.*\bnumba\.n?jit\b)", re.MULTILINE)
    found = {path.name for path in sources if pattern.search(path.read_text("utf-8"))}
    assert found == {"cache.py"}
    assert isinstance(score_rows._cache, KernelCache)  # type: ignore[attr-defined]


def test_caches_of_other_packages_are_left_alone() -> None:
    for kind in (caching.CacheImpl, caching.CompileResultCacheImpl):
        homes = {known.__module__ for known in kind._locator_classes}
        assert homes == {"numba.core.caching"}
