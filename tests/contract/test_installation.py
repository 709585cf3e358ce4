"""A read-only installation, used by somebody without a home directory: what a container is.

Root may write anywhere, so as root these tests are run as another user, who may still read and
search every folder, since the interpreter may stand in one that is root's own. Other users run them
as themselves, with a cache folder that cannot be made.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt

OTHER_USER = 61234  # has no entry in the list of users, so not even that tells of a home directory
PROCESSES_AT_ONCE = 4
FIT_SAVE_AND_LOAD = """
import os
import sys
import numpy as np
import sklearn.base  # sets variables of OpenMP
import rosenblatt
environment = dict(os.environ)
table = rosenblatt.builtin("dogs-vs-cats")
model = rosenblatt.Perceptron(max_iter=5).fit(table.X, table.y)
rosenblatt.save(model, sys.argv[1])
assert np.array_equal(rosenblatt.load(sys.argv[1]).predict(table.X), model.predict(table.X))
assert dict(os.environ) == environment and "NUMBA_CACHE_DIR" not in environment
print(rosenblatt.__file__, model.coef_.tolist())
"""
COMMAND = "from rosenblatt.__main__ import main; main()"
CACHE_FOLDER = """
from rosenblatt.linalg.scores import score_rows
print(score_rows._cache.cache_path)
"""


class Installation:
    """A copy of the package that nobody may write to, with folders to work in."""

    def __init__(self, folder: Path) -> None:
        root = os.geteuid() == 0
        self.user = OTHER_USER if root else os.geteuid()
        self.work, self.temporary = folder / "work", folder / "tmp"
        for path in (self.work, self.temporary):
            path.mkdir()
            path.chmod(0o1777)
        self.package = folder / "site" / "rosenblatt"
        source = Path(rosenblatt.__file__).parent
        shutil.copytree(source, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (self.package.parent, *self.package.parent.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        self.environment = {
            "PATH": os.defpath,
            "PYTHONPATH": str(self.package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(self.temporary),
        }
        self.prefix: list[str] = []
        if root:
            self.prefix = [
                "setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups",
                "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search",
            ]  # fmt: skip
        else:  # a home directory is known all the same
            self.environment["XDG_CACHE_HOME"] = "/nonexistent"

    @property
    def kernels(self) -> Path:
        """The private folder."""
        return self.temporary / f"rosenblatt-kernels-{self.user}"

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        """A Python of that user."""
        return subprocess.Popen(
            [*self.prefix, sys.executable, "-c", *words],
            cwd=self.work,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, **environment: str) -> str:
        """What a Python of that user printed, without a complaint."""
        return ended(self.start(*words, **environment))


def ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    return out


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    made = Installation(tmp_path)
    try:
        probe = made.start("import numpy")
    except FileNotFoundError:
        pytest.skip("as root these tests need setpriv")
    probe.communicate()
    if probe.returncode != 0:
        pytest.skip("another user cannot run this Python")
    return made


def test_four_processes_at_once_and_then_commands(installation: Installation) -> None:
    files = [f"{k}.model" for k in range(PROCESSES_AT_ONCE)]
    processes = [installation.start(FIT_SAVE_AND_LOAD, file) for file in files]
    (said,) = {ended(process) for process in processes}
    assert said.startswith(str(installation.package))
    fit = ("fit", "builtin:dogs-vs-cats", "-o", "m", "--rule", "perceptron", "--test", "none")
    assert "Perceptron" in installation.run(COMMAND, *fit, "--proof-seconds", "0")
    lines = installation.run(COMMAND, "predict", "m", "builtin:dogs-vs-cats").splitlines()
    assert len(lines) == 1 + len(rosenblatt.builtin("dogs-vs-cats").y)
    assert installation.kernels.stat().st_mode & 0o7777 == 0o700
    assert installation.kernels.stat().st_uid == installation.user
    assert list(installation.kernels.rglob("*.nbi"))
    assert {path.name for path in installation.work.iterdir()} == {*files, "m"}
    assert not list(installation.package.rglob("__pycache__"))


def test_without_a_safe_folder_kernels_are_kept_in_memory(installation: Installation) -> None:
    installation.kernels.mkdir()
    installation.kernels.chmod(0o777)  # and, as root, of another user
    installation.run(FIT_SAVE_AND_LOAD, "m")
    assert not list(installation.kernels.iterdir())
    assert [path.name for path in installation.work.iterdir()] == ["m"]


def test_the_folder_that_the_user_names_is_used(installation: Installation) -> None:
    named = installation.work / "named"
    found = installation.run(CACHE_FOLDER, NUMBA_CACHE_DIR=str(named)).strip()
    assert Path(found).parent == named
    assert not installation.kernels.exists()
