"""`rosenblatt fit`: what it prints and keeps, whatever the table came in."""

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard
from commands import ONLY_FIT, PETS, QUICKLY, refusal, rosenblatt

import rosenblatt as library
from rosenblatt.pipeline.read_dataset import read
from rosenblatt.registry import Rule

KEYS = [
    "source",
    "n_rows",
    "n_features",
    "n_encoded_features",
    "target",
    "class_counts",
    "columns",
    "feature_maps",
    "left_out",
    "rule",
    "estimator",
    "parameters",
    "C",
    "outcome",
    "converged",
    "n_iter",
    "mistakes",
    "objective",
    "duality_gap",
    "training_accuracy",
    "evaluation",
    "not_evaluated",
    "weights",
    "rows_on_disk",
    "separability",
    "separability_of_mapped_features",
    "model",
    "report",
]
EVALUATION_KEYS = [
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
]
PETS_FITTED = r"""pets.csv: 10 rows, 6 features; kind: cat 5, dog 5
Columns: weight (number, 2 features), bark (number), colour (category, 3 features)
Perceptron; mistakes in each epoch (pass): 2, 2, 1, 0
Converged after 4 epochs, the last without a mistake.
Accuracy (5-fold CV): 80.00 %, 95 % CI 49.0–94.3 %; majority-class baseline 50.00 %.
Training accuracy: 100.00 %.
true \ predicted     cat     dog
cat                    3       2
dog                    0       5
weights                   dog
weight                   2.02
bark                        2
weight is missing          -1
colour=grey                -1
colour=red                  0
colour is missing           0
intercept                  -1
Model saved to new.model.
"""
CLOSED_FORMS = (Rule.LEAST_SQUARES, Rule.FISHER_DISCRIMINANT, Rule.LINEAR_DISCRIMINANT)


def told(*words: object, stdin: bytes = b"") -> dict[str, Any]:
    """What a command tells as JSON, which knows neither NaN nor Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    said = rosenblatt(*words, "--json", stdin=stdin)
    assert said.code == 0, said.err
    assert said.err == ""
    found: dict[str, Any] = json.loads(said.out, parse_constant=refuse)
    return found


def test_a_fit_is_told_and_kept(folder: Path) -> None:
    said = rosenblatt("fit", "pets.csv", "-o", "new.model", *QUICKLY, "--no-shuffle")
    assert said == (0, PETS_FITTED, "")
    assert sorted(path.name for path in folder.iterdir()) == ["new.model", "pets.csv", "pets.model"]


def test_the_same_command_writes_the_same_bytes() -> None:
    before = Path("pets.model").read_bytes()
    rosenblatt("fit", "pets.csv", "-o", "pets.model", *QUICKLY, "--no-shuffle")
    assert Path("pets.model").read_bytes() == before


def test_fit_explains_a_separable_set() -> None:
    said = rosenblatt("fit", "builtin:and", "--rule", "perceptron", "--no-shuffle")
    lines = said.out.splitlines()
    assert said.code == 0
    assert lines[0] == "builtin:and: 4 rows, 2 features; 0 3, 1 1"
    assert lines[2] == "Converged after 2 epochs, the last without a mistake."
    assert lines[4].startswith("Not evaluated: cross-validation needs 3 rows of each class")
    assert "Separable: 4 rows × 2 features, 2 classes." in lines
    assert lines[-1] == "Model not saved; use -o MODEL."


@pytest.mark.parametrize("more", [(), ("--test", "none"), ("--test", "pets.csv")])
def test_json_has_the_same_keys_always(more: tuple[str, ...]) -> None:
    found = told("fit", "pets.csv", *QUICKLY, *more)
    assert list(found) == KEYS
    assert list(found["weights"]) == ["dog"]
    assert list(found["weights"]["dog"])[-1] == "intercept"
    if more == ("--test", "none"):
        assert found["evaluation"] is None
        assert found["not_evaluated"] == "No rows were set aside for an evaluation."
    else:
        assert list(found["evaluation"]) == EVALUATION_KEYS
        assert found["evaluation"]["n_rows"] == 10


def test_json_is_json_where_c_is_infinite() -> None:
    chosen = ("--rule", "logistic-regression", "--C", "inf")
    found = told("fit", "pets.csv", *chosen, *ONLY_FIT[2:])
    assert found["C"] == found["parameters"]["C"] == "inf"


def test_the_default_rule_chooses_c_and_proves() -> None:
    found = told("fit", "pets.csv")
    assert found["rule"] == "logistic-regression"
    assert found["C"] > 0
    assert found["duality_gap"] <= 1e-4
    assert found["separability"]["verdict"] == "separable"


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("source", ["builtin:iris", "pets.csv"])
def test_every_rule_from_fit_to_show(rule: Rule, source: str) -> None:
    chosen = ("--rule", rule, "--proof-seconds", "0")
    found = told("fit", source, "-o", "rule.model", *chosen)
    assert found["estimator"] == rule.estimator
    assert list(found) == KEYS
    lines = rosenblatt("predict", "rule.model", source).out.splitlines()
    assert len(lines) == found["n_rows"] + 1
    judged = told("score", "rule.model", source)
    assert judged["accuracy"] == pytest.approx(found["training_accuracy"])
    shown = told("show", "rule.model")
    for unit, weights in found["weights"].items():  # a discriminant is kept without a shared part
        assert shown["weights"][unit] == pytest.approx(weights, rel=1e-12, abs=1e-12)
    assert shown["training"]["evaluation"] == found["evaluation"]


@pytest.mark.parametrize("rule", Rule)
def test_time_runs_out_for_every_rule(rule: Rule) -> None:
    chosen = ("--rule", rule, "--time-limit", "1e-9", *ONLY_FIT[2:])
    found = told("fit", "builtin:overlapping", *chosen)
    if rule in CLOSED_FORMS:
        assert found["outcome"].startswith("Solved in closed form")
    elif rule in {Rule.AROW, Rule.SECOND_ORDER_PERCEPTRON}:
        assert found["outcome"].startswith("Done: one epoch (pass) over")  # which is all they make
    else:
        assert found["n_iter"] == 1
        one_step = ("Stopped at the time limit, after 1 ", "Certified")  # where one was enough
        assert found["outcome"].startswith(one_step)


def test_text_becomes_words_but_never_stays_in_the_model() -> None:
    nouns, kinds = ("apples", "trains", "rivers", "books"), ("good", "bad")
    lines = [f'"the {nouns[i % 4]} {i % 7} were {kinds[i % 2]}",{i % 2}' for i in range(40)]
    Path("text.csv").write_text("\n".join(["note,liked", *lines]))
    chosen = ("--text", "note", "-o", "text.model")
    found = told("fit", "text.csv", *chosen, "--rule", "logistic-regression", *ONLY_FIT[2:])
    assert [column["kind"] for column in found["columns"]] == ["text"]
    assert found["training_accuracy"] == 1.0
    assert {'note: "good"', 'note: "bad"'} <= set(found["weights"]["1"])
    assert b"apples" not in Path("text.model").read_bytes()
    assert "prediction,score,probability_0,probability_1" in (
        rosenblatt("predict", "text.model", "text.csv").out
    )
    for rule in CLOSED_FORMS:
        assert "too many for a closed form" in refusal("fit", "text.csv", "--rule", rule, *chosen)


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "pets.csv.gz": gzip.compress,
    "pets.csv.bz2": bz2.compress,
    "pets.csv.zst": zstandard.compress,
}
WRITTEN: dict[str, Callable[[pl.DataFrame, str], Any]] = {
    "pets.parquet": pl.DataFrame.write_parquet,
    "pets.arrow": pl.DataFrame.write_ipc,
    "pets.jsonl": pl.DataFrame.write_ndjson,
}


@pytest.mark.parametrize("name", [*PACKED, *WRITTEN])
def test_the_same_weights_from_every_format(name: str) -> None:
    if name in PACKED:
        Path(name).write_bytes(PACKED[name](PETS.encode()))
    else:
        WRITTEN[name](pl.read_csv("pets.csv"), name)
    ours, theirs = told("fit", "pets.csv", *QUICKLY), told("fit", name, *QUICKLY)
    assert theirs["weights"] == ours["weights"]
    assert theirs["evaluation"] == ours["evaluation"]


def parts_of(table: str, *cuts: int) -> list[str]:
    """Files that hold the lines of a table up to each cut, all with its header."""
    head, *lines = table.splitlines(keepends=True)
    names = []
    for first, last in zip((0, *cuts), (*cuts, len(lines)), strict=True):
        names.append(f"part{first:03}.csv")
        Path(names[-1]).write_text(head + "".join(lines[first:last]))
    return names


def test_several_files_are_one_table() -> None:
    whole = told("fit", "pets.csv", *QUICKLY)
    parts = parts_of(PETS, 3, 4)
    for names in (parts, ["part*.csv"]):
        found = told("fit", *names, *QUICKLY)
        assert found["weights"] == whole["weights"]
        assert found["source"] == " ".join(names)


def test_standard_input_is_a_file() -> None:
    whole = told("fit", "pets.csv", *QUICKLY)
    for packed in (PETS.encode(), gzip.compress(PETS.encode())):
        assert told("fit", "-", *QUICKLY, stdin=packed)["weights"] == whole["weights"]


ONLINE = {
    Rule.PERCEPTRON: library.Perceptron,
    Rule.PASSIVE_AGGRESSIVE: library.PassiveAggressive,
    Rule.LMS: library.LMS,
}


@pytest.mark.parametrize("rule", ONLINE)
def test_a_shuffled_fit_from_a_file_is_that_in_memory(rule: Rule, rng: np.random.Generator) -> None:
    numbers = rng.normal(size=(120, 3))
    classes = np.where(numbers.sum(axis=1) + rng.normal(size=120) > 0, "up", "down")
    frame = pl.DataFrame(numbers, schema=["a", "b", "c"]).with_columns(way=pl.Series(classes))
    frame.write_csv("rows.csv")
    chosen = ("--rule", rule, "--max-iter", "7", "--no-scale", "--random-state", "3")
    found = told("fit", "rows.csv", *chosen, *ONLY_FIT[2:])
    data = read("rows.csv")
    model = ONLINE[rule](max_iter=7, random_state=3).fit(data.X, data.y)
    weights = found["weights"]["up"]
    assert [weights[name] for name in data.feature_names] == model.coef_[0].tolist()
    assert weights["intercept"] == model.intercept_[0]
    assert found["parameters"]["shuffle"]


def test_a_class_of_one_row_is_learned_but_not_judged() -> None:
    Path("rare.csv").write_text(PETS + "500,false,grey,horse\n")
    found = told("fit", "rare.csv", "--proof-seconds", "0")
    assert found["class_counts"] == {"cat": 5, "dog": 5, "horse": 1}
    assert found["C"] == 1.0
    assert found["evaluation"] is None
    assert found["not_evaluated"] == (
        "Not evaluated: cross-validation needs 3 rows of each class, and the class 'horse' has 1."
    )


def test_columns_that_tell_nothing_or_too_much_are_left_out_unless_used() -> None:
    lines = [f"{i},N{i},{i % 7},same,{'ab'[i % 2]},{'uv'[i % 2]}" for i in range(60)]
    Path("odd.csv").write_text("\n".join(["id,name,a,constant,leak,y", *lines]))
    found = told("fit", "odd.csv", *ONLY_FIT)
    kinds = {left["column"]: left["kind"] for left in found["left_out"]}
    assert kinds == {
        "id": "identifier",
        "name": "identifier",
        "constant": "constant",
        "leak": "leak",
    }
    taken = told("fit", "odd.csv", *ONLY_FIT, "--use", "leak", "--use", "constant")
    assert [left["column"] for left in taken["left_out"]] == ["id", "name"]
    assert {c["name"] for c in taken["columns"]} == {"a", "constant", "leak"}
    assert taken["training_accuracy"] == 1.0


def test_a_constant_column_of_numbers_can_be_used() -> None:
    Path("same.csv").write_text("a,b,y\n1,5,u\n2,5,v\n1,5,u\n3,5,v\n")
    weights = told("fit", "same.csv", *ONLY_FIT, "--use", "b")["weights"]["v"]
    assert weights["b"] == 0.0


NAMES = ["a b", "x=y", 'q"t', "été", "intercept", "score", "a, b", "a is missing", " "]


def test_columns_may_have_any_name() -> None:
    columns = {name: [(i * (3 + k)) % 13 for i in range(60)] for k, name in enumerate(NAMES)}
    labels = ["yes" if i % 7 > 3 else "no" for i in range(60)]
    pl.DataFrame({**columns, "kind": labels}).write_csv("names.csv")
    found = told("fit", "names.csv", *ONLY_FIT, "-o", "names.model")
    names = [column["name"] for column in found["columns"]]
    assert names == [*NAMES[:-1], "x9"]
    weights = found["weights"]["yes"]
    assert set(weights) == {*names, "intercept (2)"}
    assert list(weights)[-1] == "intercept"
    assert told("show", "names.model")["weights"] == found["weights"]
    used = told("fit", "names.csv", *ONLY_FIT, "--drop", "x=y", "--category", "a, b")
    assert "x=y" not in used["weights"]["yes"]
    assert "a, b=3" in used["weights"]["yes"]


def test_names_and_labels_neither_break_lines_nor_command_the_terminal() -> None:
    words, labels = ("b", "w" * 3000, "w" * 3000), ("re\x1b[31md", "n\no")
    rows = [f'{i % 7},{words[i % 3]},{i % 5},"{labels[i % 2]}"' for i in range(30)]
    Path("odd.csv").write_text("\n".join(['"a\nb",word,bell\x07,y', *rows]))
    said = rosenblatt("fit", "odd.csv", *ONLY_FIT, "--max-iter", "3", "-o", "odd.model")
    shown = rosenblatt("show", "odd.model")
    assert (said.code, shown.code) == (0, 0)
    assert said.out.startswith("odd.csv: 30 rows, 4 features; y: n o 15, re\ufffd[31md 15\n")
    for out in (said.out, shown.out):
        assert f"\nword={'w' * 54}… " in out
        assert "\na b  " in out
        assert "\nbell\ufffd  " in out
        assert not set(out) & {"\x1b", "\x07"}
        assert max(map(len, out.splitlines())) < 300


def test_two_features_of_one_name_keep_both_weights() -> None:
    lines = [f"{i % 7 if i % 5 else ''},{i % 3},{'uv'[i % 2]}" for i in range(30)]
    Path("twins.csv").write_text("\n".join(["a,a is missing,y", *lines]))
    found = told("fit", "twins.csv", *ONLY_FIT)
    names = {"a", "a is missing", "a is missing (2)", "intercept"}
    assert set(found["weights"]["v"]) == names


def test_the_seed_draws_the_folds() -> None:
    command = ("fit", "builtin:overlapping", *QUICKLY, "--max-iter", "9", "--seed")
    first, again, other = (told(*command, seed)["evaluation"] for seed in (1, 1, 2**32 - 1))
    assert first == again
    assert other["confusion"] != first["confusion"]


def test_a_test_source_judges() -> None:
    Path("new.csv").write_text("colour,kind,weight,bark\nred,cat,4,false\ngreen,cow,500,true\n")
    found = told("fit", "pets.csv", *QUICKLY, "--test", "new.csv")["evaluation"]
    assert found["method"] == "test set"
    assert (found["n_rows"], found["n_unknown_class"]) == (2, 1)
    assert found["accuracy"] == 0.5
