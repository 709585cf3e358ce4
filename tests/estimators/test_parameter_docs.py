"""Parameters are documented, with their defaults and in the same words where they are the same."""

import inspect
import re
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import pytest

import rosenblatt
from rosenblatt import features
from rosenblatt.registry import RULES

CLASSES = [
    *(getattr(rosenblatt, r.estimator) for r in RULES.values() if "logic" not in r.module),
    *(getattr(features, name) for name in features.__all__),
]
SIGNATURE = "a parameter that scikit-learn's signature has, and that changes little or nothing here"
STEPS = "the solver takes steps, not epochs, and stops by the duality gap"
GROUPS = "a sample is a group of candidates, not a row"
OWN = "another quantity, by the name that the literature or scikit-learn gives it"
EXCEPTIONS = {  # whose text is not that of the others, and why
    ("penalty", "LinearSVM"): SIGNATURE,
    ("penalty", "LogisticRegression"): SIGNATURE,
    ("l1_ratio", "LogisticRegression"): SIGNATURE,
    ("verbose", "LinearSVM"): SIGNATURE,
    ("verbose", "LogisticRegression"): SIGNATURE,
    ("multi_class", "LinearSVM"): SIGNATURE,
    ("multi_class", "LogisticRegression"): "the softmax, which no other estimator has",
    ("max_iter", "LinearSVM"): STEPS,
    ("max_iter", "LogisticRegression"): STEPS,
    ("tol", "LinearSVM"): STEPS,
    ("tol", "LogisticRegression"): STEPS,
    ("max_iter", "SentenceRanker"): GROUPS,
    ("shuffle", "SentenceRanker"): GROUPS,
    ("keep", "SentenceRanker"): GROUPS,
    ("random_state", "LinearSVM"): "there is no shuffle",
    ("random_state", "LogisticRegression"): "there is no shuffle",
    ("random_state", "AssociationUnits"): "there is no shuffle",
    ("random_state", "Radial"): "there is no shuffle",
    ("random_state", "RandomProducts"): "there is no shuffle",
    ("C", "PassiveAggressive"): OWN,
    ("intercept", "FixedWeightsClassifier"): OWN,
    ("loss", "PassiveAggressive"): OWN,
    ("loss", "GradientDescent"): OWN,
    ("solver", "LinearDiscriminant"): OWN,
    ("degree", "KernelPerceptron"): OWN,
    ("threshold", "AssociationUnits"): OWN,
}


class Documented(NamedTuple):
    kind: str
    text: str


def documented(cls: Any) -> dict[str, Documented]:
    """What the docstring of a class says of each parameter."""
    section = re.search(
        r"Parameters\n-+\n(.*?)\n\n\w+\n---", inspect.cleandoc(cls.__doc__), re.DOTALL
    )
    assert section is not None
    found = {}
    for entry in re.split(r"\n(?=\S)", section[1].replace("\n\n", "\n")):
        (names, _, kind), lines = entry.split("\n")[0].partition(" :"), entry.split("\n")[1:]
        text = " ".join(line.strip() for line in lines)
        for name in names.split(","):
            assert name.strip() not in found
            found[name.strip()] = Documented(kind.strip(), text)
    return found


@pytest.mark.parametrize("cls", CLASSES)
def test_every_parameter_is_documented_with_its_default(cls: Any) -> None:
    parameters, known = inspect.signature(cls).parameters, documented(cls)
    assert known.keys() == parameters.keys()
    for name, (kind, text) in known.items():
        if text == "As in `Perceptron`.":
            default = inspect.signature(rosenblatt.Perceptron).parameters[name].default
        else:
            default = eval(kind.partition("default=")[2], {"np": np})
        assert parameters[name].default == default, name
        assert type(parameters[name].default) is type(default), name


def test_a_parameter_means_the_same_in_the_same_words() -> None:
    """A text may go on with sentences of its own where there is more to say."""
    texts = defaultdict(dict)
    for cls in CLASSES:
        for name, (_, text) in documented(cls).items():
            if text != "As in `Perceptron`.":
                texts[name][cls.__name__] = text
    for name, by_class in texts.items():
        usual = {cls: text for cls, text in by_class.items() if (name, cls) not in EXCEPTIONS}
        assert len(set(map(first_sentence, usual.values()))) == 1, (name, usual)
        shared = first_sentence(next(iter(usual.values())))
        for cls in by_class.keys() - usual.keys():
            assert first_sentence(by_class[cls]) != shared, f"{name} of {cls} is no exception"


def first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".")


def test_exceptions_are_parameters() -> None:
    names = {(name, cls.__name__) for cls in CLASSES for name in inspect.signature(cls).parameters}
    assert EXCEPTIONS.keys() <= names
