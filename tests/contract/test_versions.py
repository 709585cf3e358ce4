"""What is tested is what is promised: versions of Python, and the lowest ones of dependencies."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / ".ci").exists():
    pytest.skip("tests run apart from the repository", allow_module_level=True)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RUN_TIME_EXTRAS = ("plot", "lab", "onnx")


def test_the_constraints_are_the_lower_bounds() -> None:
    wanted = list(PROJECT["dependencies"])
    for extra in RUN_TIME_EXTRAS:
        wanted += PROJECT["optional-dependencies"][extra]
    lines = (ROOT / ".ci/lowest.txt").read_text().splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert pinned == [requirement.replace(">=", "==") for requirement in wanted]


def test_all_extras_are_those_of_run_time() -> None:
    assert PROJECT["optional-dependencies"]["all"] == [f"rosenblatt[{','.join(RUN_TIME_EXTRAS)}]"]


@pytest.mark.parametrize("where", [".ci/versions", "README.md", "docs/installation.md"])
def test_the_same_versions_of_python_everywhere(where: str) -> None:
    classified = [
        name.rpartition(" ")[2]
        for name in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    assert PROJECT["requires-python"] == f">={classified[0]}"
    assert sorted(set(re.findall(r"\b3\.1\d\b", (ROOT / where).read_text()))) == classified
