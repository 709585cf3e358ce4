"""Labels that are written as codes stay as they are written."""

import json
from pathlib import Path

import pytest
from commands import ONLY_FIT, rosenblatt

from rosenblatt.pipeline.read_dataset import read

LARGE = ["9007199254740992", "9007199254740993", "12345678901234567890123"]


def write(name: str, labels: list[str], at: int = 2) -> None:
    """A table whose labels, in some column, take turns."""
    head = ["a", "b"]
    head.insert(at, "code")
    lines = [",".join(head)]
    for i in range(60):
        cells = [str(i % 7), str(i % 5)]
        cells.insert(at, labels[i % len(labels)])
        lines.append(",".join(cells))
    Path(name).write_text("\n".join(lines))


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("labels", [["01", "1", "2"], ["01234", "12345"], ["-01", "-1"], LARGE])
def test_codes_are_told_apart_and_given_back(labels: list[str], at: int) -> None:
    write("codes.csv", labels, at)
    chosen = ("--target", "code", *ONLY_FIT, "--max-iter", "20")
    found = json.loads(rosenblatt("fit", "codes.csv", *chosen, "-o", "m.model", "--json").out)
    assert found["class_counts"] == {label: 60 // len(labels) for label in sorted(labels)}
    _, *lines = rosenblatt("predict", "m.model", "codes.csv").out.splitlines()
    assert {line.split(",")[0] for line in lines} <= set(labels)
    judged = json.loads(rosenblatt("score", "m.model", "codes.csv", "--json").out)
    assert judged["accuracy"] == found["training_accuracy"]
    assert judged["n_unknown_class"] == 0
    assert set(read("codes.csv", "code").y.tolist()) == set(labels)


@pytest.mark.parametrize(
    "labels", [["0", "1"], ["-1", "1"], ["1.0", "2.0"], ["0", "123456789012345"]]
)
def test_other_numbers_are_numbers(labels: list[str]) -> None:
    write("numbers.csv", labels)
    assert read("numbers.csv").y.dtype.kind == "i"


def test_only_the_labels_are_codes() -> None:
    Path("cells.csv").write_text("a,y\n" + "01,0\n02,1\n01,1\n" * 10)
    data = read("cells.csv")
    assert data.X[:2].tolist() == [[1.0], [2.0]]
    assert data.y[:2].tolist() == [0, 1]


def test_a_proof_speaks_of_codes() -> None:
    write("codes.csv", ["01", "1"])
    words = ("codes.csv", "--target", "code")
    assert rosenblatt("separable", *words, "--proof", "proof.json").code == 1
    assert rosenblatt("verify", "proof.json", *words).code == 0
    assert rosenblatt("verify", "proof.json", "codes.csv").code == 0
