"""The registry of rules, and the places that read it."""

from importlib import import_module

import pytest

import rosenblatt
from rosenblatt.lab.catalogue import LAB_RULES
from rosenblatt.registry import RULES, Rule

ONLY_IN_PYTHON = {
    "fixed-weights",
    "kernel-perceptron",
    "least-squares-regressor",
    "lms-regressor",
    "sentence-ranker",
    "threshold-unit",
    "threshold-network",
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_a_public_class_of_the_module_it_names(name: str) -> None:
    entry = RULES[name]
    found = getattr(import_module(f"rosenblatt.{entry.module}"), entry.estimator)
    assert getattr(rosenblatt, entry.estimator) is found
    assert entry.estimator in rosenblatt.__all__


def test_the_command_line_has_every_rule_that_learns_from_tables() -> None:
    assert set(Rule) - {Rule.AUTO} == set(RULES) - ONLY_IN_PYTHON
    assert set(LAB_RULES) == set(Rule) - {Rule.AUTO}
