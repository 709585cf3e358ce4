"""The worked examples of the lectures as commands: a table, a start, one epoch."""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from rosenblatt.cli.main import main


def fitted(tmp_path: Path, table: str, *words: str) -> dict[str, Any]:
    """What `fit --json` prints of a table."""
    file = tmp_path / "table.csv"
    file.write_text(table)
    quickly = ("--test", "none", "--proof-seconds", "0", "--no-scale", "--json")
    with (
        patch.object(sys, "argv", ["rosenblatt", "fit", str(file), *words, *quickly]),
        redirect_stdout(StringIO()) as out,
        pytest.raises(SystemExit) as ending,
    ):
        main()
    assert not ending.value.code
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_dogs_and_cats_of_lecture_004(tmp_path: Path) -> None:
    table = "comes,pounds,kind\n1,100,dog\n40,10,dog\n0,20,cat\n"
    one = ("--rule", "perceptron", "--max-iter", "1", "--no-shuffle")
    start = ("--coef-init", "1,0", "--intercept-init=-20")
    found = fitted(tmp_path, table, *one, *start)
    assert found["weights"] == {"dog": {"pounds": 80, "comes": 2, "intercept": -20}}
    assert found["mistakes"] == [2]


def test_two_samples_of_lecture_001(tmp_path: Path) -> None:
    table = "x1,x2,y\n1,1,-1\n2,1,1\n"
    one = ("--rule", "perceptron", "--eta0", "0.1", "--max-iter", "1", "--no-shuffle")
    start = ("--coef-init", "0.2,0", "--intercept-init=-0.1")
    found = fitted(tmp_path, table, *one, *start, "--use", "all")  # x2 is constant
    assert found["weights"]["1"] == pytest.approx({"x1": 0.3, "x2": 0, "intercept": -0.1})


def test_the_batch_of_lecture_003(tmp_path: Path) -> None:
    rows = ["1,0,1", "1,1,1", ".6,.6,1", ".7,.4,1", "0,0,-1", "0,1,-1", ".25,1,-1", ".3,.4,-1"]
    table = "\n".join(["x1,x2,y", *rows])
    start = ("--coef-init", "0,1", "--intercept-init=-0.5")
    for rule in (
        ("--rule", "batch-perceptron"),
        ("--rule", "gradient-descent", "--loss", "perceptron", "--eta0", "1"),
    ):
        found = fitted(tmp_path, table, *rule, *start)
        expected = {"x1": 1.45, "x2": -0.6, "intercept": -0.5}
        assert found["weights"]["1"] == pytest.approx(expected)
        assert found["mistakes"] == [4, 0]


def test_three_classes_take_a_row_of_weights_each(tmp_path: Path) -> None:
    table = "x,kind\n0,a\n5,b\n10,c\n"
    start = ("--coef-init", "-2;0;2", "--intercept-init", "9,5,-11")
    found = fitted(tmp_path, table, "--rule", "perceptron", *start)
    assert found["mistakes"] == [0]
    assert {label: w["x"] for label, w in found["weights"].items()} == {"a": -2, "b": 0, "c": 2}
