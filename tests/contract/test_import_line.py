"""scikit-learn's own tests with the import line changed: those that fail are listed, with reasons.

A new failure is noticed, and so is a listed test that passes by now.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn
from import_line import CHANGES
from known_failures import BY_CHANCE, KNOWN_FAILURES, VERSION

HERE = Path(__file__).parent
FEWEST_OF_OURS = 6  # the fewest, those of Perceptron


@pytest.mark.skipif(
    sklearn.__version__ != VERSION,
    reason=f"the list is of scikit-learn {VERSION}, which has its own tests",
)
@pytest.mark.parametrize("file", CHANGES)
def test_every_failure_has_its_reason(file: str, tmp_path: Path) -> None:
    outcomes = outcomes_of(file, tmp_path)
    assert sum(outcome != "skipped" for outcome in outcomes.values()) >= FEWEST_OF_OURS
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    listed = {name for names in KNOWN_FAILURES[file].values() for name in names}
    known = {name for name in outcomes if not listed.isdisjoint({name, function_of(name)})}
    known = {name for name in known if outcomes[name] != "skipped"}
    judged = {name for name in outcomes if function_of(name) not in BY_CHANCE}
    assert sorted(failed & judged - known) == [], "fail, and are not on the list"
    assert sorted(known - failed) == [], "are on the list, and pass"
    here = {*outcomes, *map(function_of, outcomes)}
    assert sorted(listed - here) == [], "are on the list, and are no tests of scikit-learn"


def function_of(name: str) -> str:
    """Name of a test without its parameters."""
    return name.partition("[")[0]


def outcomes_of(file: str, folder: Path) -> dict[str, str]:
    """Run a test file of scikit-learn with our class in it: what became of each test."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    found = folder / "outcomes.json"
    command = (
        *(sys.executable, "-m", "pytest", "-c", str(folder / "pytest.ini"), "--rootdir", "/"),
        *("-p", "import_line", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", "--tb=no"),
        *(f"--outcomes={found}", "--pyargs", file),
    )
    environment = {**os.environ, "PYTHONPATH": str(HERE), "SKLEARN_TESTS_GLOBAL_RANDOM_SEED": "42"}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, cwd=folder
    )
    assert found.exists(), done.stdout + done.stderr
    outcomes: dict[str, str] = json.loads(found.read_text())
    return {name.partition("::")[2]: outcome for name, outcome in outcomes.items()}
