"""Verdicts say what was asked: columns used and left out, encoding, maps, intercept, target."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import refusal, rosenblatt
from scipy.sparse import load_npz

from rosenblatt import load_proof

HEAD = "id,income,paid,fixed,all,approved"


def loans(rows: int = 60) -> None:
    """A table whose column `paid` gives the target, and that others do not separate."""
    lines = [
        f"A{i:03d},{i * 37 % 11},{'ny'[i % 2]},7,{'pq'[i % 3 // 2]},{['no', 'yes'][i % 2]}"
        for i in range(rows)
    ]
    Path("loans.csv").write_text("\n".join([HEAD, *lines]))


def told(*words: object) -> dict[str, Any]:
    said = rosenblatt(*words, "--json")
    assert said.code in (0, 1, 3), said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_the_first_line_names_what_is_left_out_and_what_the_verdict_is_with_it() -> None:
    loans()
    said = rosenblatt("separable", "loans.csv", "--drop", "id")
    assert said.code == 1
    first, second, *_, last = said.out.splitlines()
    assert first == (
        "Left out: 'paid' (it alone determines 'approved', and new rows may not have it),"
        " 'fixed' (it has the same value in every row), 'id' (by --drop)."
        " With 'paid', 'fixed' (--use all), the classes are separable."
    )
    assert second.startswith("Not separable: 60 rows × 3 features")
    assert last == (
        "No linear classifier with an intercept separates the 2 classes (no, yes) of 'approved' in"
        " 60 rows with 3 features, encoded from: income (number), all (category, 2 values)."
    )


def test_columns_left_out_may_change_nothing() -> None:
    loans()
    unchanged = told("separable", "loans.csv", "--drop", "id", "--drop", "paid")["question"]
    assert unchanged["verdict_with_left_out"] == "inseparable"
    assert unchanged["effect_of_left_out"] == "With 'fixed' (--use all), the verdict is the same."
    nothing = told("separable", "loans.csv", "--use", "all")["question"]
    assert (nothing["left_out"], nothing["verdict_with_left_out"]) == ([], None)


def test_a_constant_matters_without_an_intercept() -> None:
    lines = [f"{i},1,{'no' if i < 30 else 'yes'}" for i in range(10, 50)]
    Path("steps.csv").write_text("\n".join(["a,one,y", *lines]))
    said = told("separable", "steps.csv", "--use", "a", "--no-intercept")
    assert said["verdict"] == "inseparable"
    assert said["question"]["fit_intercept"] is False
    assert said["question"]["verdict_with_left_out"] == "separable"
    assert "classifier without an intercept" in said["question"]["statement"]


def test_whether_columns_change_the_verdict_may_be_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loans()
    monkeypatch.setattr("rosenblatt.pipeline.question.prove_in_time", lambda *_, **__: None)
    question = told("separable", "loans.csv")["question"]
    assert question["verdict_with_left_out"] == "not known"
    assert question["effect_of_left_out"] == (
        "Whether 'id', 'paid', 'fixed' would change the verdict is not known (--use all keeps"
        " them)."
    )


def test_use_all_takes_every_column_in() -> None:
    loans()
    for command in (("separable",), ("fit", "--test", "none")):
        found = told(*command, "loans.csv", "--use", "all")
        question = found["question"] if "question" in found else found["separability"]["question"]
        assert question["left_out"] == []
        names = [column["name"] for column in question["columns"]]
        assert names == ["id", "income", "paid", "fixed", "all"]


def test_a_column_called_all_is_reached() -> None:
    Path("loans.csv").write_text(
        "\n".join(["id,income,all,y", *(f"A{i},{i % 7},5,{i % 2}" for i in range(60))])
    )
    found = told("separable", "loans.csv", "--use", "all", "--drop", "id")["question"]
    assert [column["name"] for column in found["columns"]] == ["income", "all"]
    found = told("separable", "loans.csv", "--use", "all", "--drop", "all")["question"]
    assert [column["name"] for column in found["columns"]] == ["id", "income"]


def test_fit_says_the_same_as_separable() -> None:
    loans()
    words = ("loans.csv", "--drop", "id")
    fitted = told("fit", *words, "--test", "none")["separability"]
    assert fitted == told("separable", *words)
    text = rosenblatt("fit", *words, "--test", "none").out
    assert "\nWith 'paid', 'fixed' (--use all), the classes are separable.\n" in text


def test_a_proof_and_verify_state_the_whole_question() -> None:
    loans()
    words = ("--features", "products", "--no-intercept", "--drop", "id", "--category", "income")
    asked = told("separable", "loans.csv", *words, "--proof", "proof.json")["question"]
    encoding = json.loads(Path("proof.json").read_text())["encoding"]
    assert encoding["version"] == 2
    assert encoding["left_out"] == asked["left_out"]
    assert encoding["choices"] == {
        "drop": ["id"],
        "use": [],
        "use_all": False,
        "category": ["income"],
        "text": [],
        "features": ["products"],
    }
    checked = told("verify", "proof.json", "loans.csv")["question"]
    unlooked = {"verdict_with_left_out": None, "effect_of_left_out": ""}
    assert checked == asked | unlooked
    assert checked["feature_maps"] == [
        {"feature_map": "products", "n_features": checked["n_features"]}
    ]
    assert "without an intercept" in checked["statement"]
    assert (
        "mapped by products in float64 from 13 features, encoded from: income (category, 11"
        in (checked["statement"])
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_the_matrix_that_is_written_is_what_the_proof_is_about(*, sparse: bool) -> None:
    lines = [f"w{i % 5} is {('bad', 'good')[i % 2]},{i % 2}" for i in range(30)]
    Path("text.csv").write_text("\n".join(["note,liked", *lines]))
    source = ("text.csv", "--text", "note") if sparse else ("pets.csv",)
    said = rosenblatt("separable", *source, "--proof", "p.json", "--write-matrix", "out")
    assert (said.code, said.err) == (0, "")
    X: Any = load_npz("out.X.npz") if sparse else np.load("out.X.npy")
    y = np.load("out.y.npy", allow_pickle=False)
    assert load_proof("p.json").verify(X, y)
    assert sorted(path.name for path in Path.cwd().glob("out*")) == [
        "out.X.npz" if sparse else "out.X.npy",
        "out.y.npy",
    ]


def test_a_matrix_that_cannot_be_written_is_refused() -> None:
    assert refusal("separable", "pets.csv", "--write-matrix", "no/such/m") == (
        "no/such/m.X.npy cannot be written: there is no folder no/such."
    )
    Path("there.y.npy").mkdir()
    assert refusal("separable", "pets.csv", "--write-matrix", "there").startswith(
        "there.y.npy is a folder"
    )
    for prefix in ("", "some/", "."):
        told = refusal("separable", "pets.csv", "--write-matrix", prefix)
        assert told == f"--write-matrix must be a prefix of file names; got {prefix!r}."
    Path("pets.csv").rename("pets.y.npy")
    sentence = refusal("separable", "pets.y.npy", "--format", "delimited", "--write-matrix", "pets")
    assert sentence.startswith("pets.y.npy is an input and would be overwritten")


def test_classes_that_touch_are_told_by_the_rows_on_the_boundary() -> None:
    said = told("separable", "builtin:iris")
    assert (said["kind"], said["tied"]) == ("touching", 100)
    assert "but 100 of 150 rows lie exactly on the boundary" in said["explanation"]
    fitted = told("fit", "builtin:iris", "--test", "none")["separability"]
    assert fitted["tied"] == 100
    assert "tied" not in told("separable", "builtin:xor")
