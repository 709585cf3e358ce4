"""A pytest plugin: scikit-learn's own test files with the import line changed.

While a test file of scikit-learn is imported, our class stands where theirs is looked for; nothing
else of scikit-learn is touched, and no file is copied. Tests that use no such class are left out.
`--outcomes FILE` writes what became of each test.
"""

import inspect
import json
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

import rosenblatt


class Change(NamedTuple):
    """An import line: where scikit-learn has a class, what it is called, and what stands for it."""

    module: str
    name: str
    ours: type


CHANGES = {  # by test file
    "sklearn.linear_model.tests.test_logistic": Change(
        "sklearn.linear_model", "LogisticRegression", rosenblatt.LogisticRegression
    ),
    "sklearn.linear_model.tests.test_perceptron": Change(
        "sklearn.linear_model", "Perceptron", rosenblatt.Perceptron
    ),
    "sklearn.svm.tests.test_svm": Change("sklearn.svm", "LinearSVC", rosenblatt.LinearSVM),
    "sklearn.linear_model.tests.test_passive_aggressive": Change(
        "sklearn.linear_model", "PassiveAggressiveClassifier", rosenblatt.PassiveAggressive
    ),
    "sklearn.tests.test_discriminant_analysis": Change(
        "sklearn.discriminant_analysis",
        "LinearDiscriminantAnalysis",
        rosenblatt.LinearDiscriminant,
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", type=Path, help="write the outcome of each test to this file")


def pytest_configure(config: pytest.Config) -> None:
    for file, change in CHANGES.items():
        import_changed(file, change)
    config.pluginmanager.register(Outcomes(config.getoption("outcomes")))


def import_changed(file: str, change: Change) -> None:
    """Import a test file that finds our class where it looks for scikit-learn's."""
    home = import_module(change.module)
    with patch.object(home, change.name, change.ours):
        tests = import_module(file)
        changed = ModuleType(change.module)
        vars(changed).update(vars(home))
    for name, value in list(vars(tests).items()):
        if value is home:  # `svm.LinearSVC` in the body of a test
            setattr(tests, name, changed)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept = [item for item in items if uses_ours(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def uses_ours(item: Any) -> bool:
    """Whether a test makes one of our estimators: by name, or as one of its parameters."""
    change = CHANGES[item.module.__name__]
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    name = re.compile(rf"\b{change.name}\b")
    return name.search(inspect.getsource(item.function)) is not None or any(
        value is change.ours or isinstance(value, change.ours) for value in given
    )


class Outcomes:
    """What became of each test, kept by name and written at the end."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            file, _, name = report.nodeid.partition("::")
            self._outcomes[f"{Path(file).stem}::{name}"] = report.outcome

    def pytest_sessionfinish(self) -> None:
        if self._path is not None:
            self._path.write_text(json.dumps(self._outcomes, indent=1))
