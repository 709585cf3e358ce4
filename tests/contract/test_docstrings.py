"""Examples in docstrings give what they say, in the package as it is installed."""

import doctest
import pkgutil
import sys
from importlib import import_module

import pytest

import rosenblatt

MODULES = [m.name for m in pkgutil.walk_packages(rosenblatt.__path__, "rosenblatt.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(import_module(name), optionflags=flags).failed == 0
    if "matplotlib.pyplot" in sys.modules:  # which warns of many open figures
        sys.modules["matplotlib.pyplot"].close("all")


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for name in MODULES for test in finder.find(import_module(name)) if test.examples]
    assert len(found) > 5
