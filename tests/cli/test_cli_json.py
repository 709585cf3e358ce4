"""The fields of `--json`: those of an evaluation everywhere, and all of them in the docs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from commands import ONLY_FIT, PETS, rosenblatt

EVALUATION = (
    "accuracy",
    "accuracy_interval",
    "baseline_accuracy",
    "balanced_accuracy",
    "roc_auc",
    "f1",
    "log_loss",
    "positive",
    "confusion",
    "n_rows",
    "n_unknown_class",
    "method",
)
ONLY_SCORE = ("source", "classes", "brier_score", "calibration")
PAGE = Path(__file__).parents[2] / "docs/command-line.md"
TABLES = {
    "score": "The fields of an evaluation",
    "fit": "| field of `fit",
    "question": "fields of `question`:",
}


def told(*words: object) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(rosenblatt(*words, "--json").out)
    return result


def documented(command: str) -> set[str]:
    """The names in the first column of a table of the docs."""
    if not PAGE.exists():
        pytest.skip("tests run apart from the repository")
    page = PAGE.read_text()
    page = page[page.index(TABLES[command]) :]
    table = re.search(r"^\|.*?\n\n", page, re.MULTILINE | re.DOTALL)
    assert table is not None
    cells = [line.split("|")[1] for line in table[0].splitlines()[2:] if line]
    return set(re.findall(r"`(\w+)`", " ".join(cells)))


@pytest.mark.parametrize("rule", ["perceptron", "logistic-regression", "linear-discriminant"])
@pytest.mark.parametrize("source", ["builtin:iris", "builtin:overlapping"])
def test_fit_and_score_tell_the_same_of_the_same_rows(source: str, rule: str) -> None:
    options = ("--rule", rule, "--proof-seconds", "0", "--test", source, "-o", "m.model")
    evaluation = told("fit", source, *options)["evaluation"]
    score = told("score", "m.model", source)
    assert tuple(evaluation) == EVALUATION
    assert set(score) == {*EVALUATION, *ONLY_SCORE}
    same = {name: score[name] for name in EVALUATION}
    assert evaluation.keys() == same.keys()
    for name, value in evaluation.items():
        assert value == (pytest.approx(same[name]) if isinstance(value, float) else same[name])
    assert (evaluation["log_loss"] is None) == (rule == "perceptron")


def test_every_field_of_fit_and_score_is_documented() -> None:
    fit = told("fit", "pets.csv", *ONLY_FIT, "-o", "m.model")
    assert documented("fit") == set(fit)
    score = told("score", "m.model", "pets.csv")
    assert documented("score") == set(score) - set(ONLY_SCORE)
    assert all(f"`{name}`" in PAGE.read_text() for name in ONLY_SCORE)


def test_every_field_of_a_question_is_documented() -> None:
    assert documented("question") == set(told("separable", "pets.csv")["question"])


def test_messages_name_options_and_not_parameters() -> None:
    Path("mixed.csv").write_text(PETS + "4,false,red,dog\n20,true,red,cat\n")
    options = ("--rule", "perceptron", "--max-iter", "2", "--proof-seconds", "0", "--test", "none")
    text = rosenblatt("fit", "mixed.csv", *options).out
    assert "raise --max-iter, or keep better weights with --keep average" in text
    assert "max_iter" not in text + json.dumps(told("fit", "mixed.csv", *options)["outcome"])
    refused = rosenblatt("fit", "mixed.csv", "--max-iter", "0", *options[:2])
    assert refused.err.startswith("Error: --max-iter must be an integer of at least 1; got 0.")
