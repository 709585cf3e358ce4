"""`rosenblatt separable` and `rosenblatt verify`: verdicts on tables, and proofs that are tampered
with."""

import gzip
import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from commands import PETS, refusal, rosenblatt

from rosenblatt import separability
from rosenblatt.separation.proof import reader as prooffile

MADE_FROM = (
    "encoded from: weight (number, missing cells imputed with 13 and flagged), bark (number),"
    " colour"
    " (category, 2 values, one more for missing)."
)
STATEMENT = (
    "linear classifier with an intercept separates the 2 classes (cat, dog) of 'kind' in 10 rows"
    f" with 6 features, {MADE_FROM}\n"
)
HOLDS = (0, f"The proof holds: a {STATEMENT}", "")
OVERLAP = PETS + "4,false,red,dog\n"
TOLD = f"""Separable: 10 rows × 6 features, 2 classes.
Margin γ = 0.112598, radius R = 30.05: a perceptron makes at most 71,224 mistakes.
A larger margin may exist, and would prove fewer mistakes.
Random labels would be separable with probability at most 0.91.
A {STATEMENT}"""
OTHER_DATA = "The data are not those of the proof: a value, a label or the order of the rows"
OTHER_CLASSES = "The proof is about the classes cat, dog;"
OTHER_ENCODING = "The encoding in the proof is not the one that "


def proved(table: str = PETS) -> dict[str, Any]:
    """A proof about a table, in proof.json."""
    Path("table.csv").write_text(table)
    said = rosenblatt("separable", "table.csv", "--proof", "proof.json")
    assert said.code in (0, 1), said.err
    fields: dict[str, Any] = json.loads(Path("proof.json").read_text())
    return fields


def refused(*words: str) -> str:
    """Why a proof is refused."""
    said = rosenblatt("verify", *words)
    assert (said.code, said.err) == (1, "")
    return said.out


def test_a_separable_table_is_proved() -> None:
    said = rosenblatt("separable", "pets.csv", "--proof", "proof.json")
    assert said == (0, TOLD, "")
    assert rosenblatt("verify", "proof.json", "pets.csv") == HOLDS


def test_a_table_that_is_not_separable_is_proved() -> None:
    fields = proved(OVERLAP)
    assert fields["answer"] == "inseparable"
    assert rosenblatt("separable", "table.csv").out.startswith(
        "Not separable: 11 rows × 6 features, 2 classes.\n"
        "Proved by 2 rows whose signed sum, with positive weights, is exactly 0."
        " Row numbers (from 0), largest weights first: 0, 10.\n"
    )
    said = rosenblatt("verify", "proof.json", "table.csv")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("The proof holds: no linear classifier with an intercept separates")


@pytest.mark.parametrize(
    ("source", "code", "keys"),
    [
        ("builtin:or", 0, ["margin", "radius", "mistake_bound"]),
        ("builtin:xor", 1, ["rows", "weights", "kind"]),
    ],
)
def test_json_has_its_keys(source: str, code: int, keys: list[str]) -> None:
    said = rosenblatt("separable", source, "--json", "--proof", "proof.json")
    assert (said.code, said.err) == (code, "")
    assert list(json.loads(said.out)) == ["verdict", "explanation", *keys, "question"]
    told = json.loads(rosenblatt("verify", "proof.json", source, "--json").out)
    assert list(told) == ["holds", "verdict", "columns", "explanation", "question"]
    wrong = rosenblatt("verify", "proof.json", "builtin:and", "--json")
    assert wrong.code == 1
    assert list(json.loads(wrong.out)) == ["holds", "explanation"]


def test_nothing_is_decided_in_no_time() -> None:
    lines = [f"{i * 37 % 1009},{i * 91 % 1013},{i % 2}" for i in range(3000)]
    Path("long.csv").write_text("\n".join(["a,b,y", *lines]))
    said = rosenblatt("separable", "long.csv", "--time-limit", "1e-9")
    assert said.code == 3
    assert said.out.startswith("Undecided: 3,000 rows")
    sentence = refusal("separable", "long.csv", "--time-limit", "1e-9", "--proof", "proof.json")
    assert (
        sentence
        == "Separability was not decided, so there is no proof to write. Raise --time-limit."
    )


def test_a_proof_holds_for_every_copy_of_the_table() -> None:
    proved()
    frame = pl.read_csv("pets.csv")
    frame.write_parquet("pets.parquet")
    frame.write_ndjson("pets.jsonl")
    Path("pets.csv.gz").write_bytes(gzip.compress(PETS.encode()))
    frame[:4].write_csv("part1.csv")
    frame[4:].write_csv("part2.csv")
    for names in (["pets.parquet"], ["pets.jsonl"], ["pets.csv.gz"], ["part?.csv"]):
        assert rosenblatt("verify", "proof.json", *names) == HOLDS
    assert rosenblatt("verify", "proof.json", "-", stdin=PETS.encode()) == HOLDS
    assert rosenblatt("verify", "proof.json", "pets.csv", "--target", "kind") == HOLDS


CHANGES: dict[str, tuple[str, str, str]] = {
    "a number": ("20,true", "21,true", OTHER_ENCODING),
    "a missing number": ("\n,false", "\n13,false", OTHER_ENCODING),
    "a boolean": ("20,true", "20,false", OTHER_ENCODING),
    "a category": ("20,true,red", "20,true,grey", OTHER_DATA),
    "a new category": ("20,true,red", "20,true,blue", OTHER_ENCODING),
    "a label": ("20,true,red,dog", "20,true,red,cat", OTHER_DATA),
    "two rows": (
        "4,false,red,cat\n5,false,grey,cat",
        "5,false,grey,cat\n4,false,red,cat",
        OTHER_DATA,
    ),
    "a new label": (
        "20,true,red,dog",
        "20,true,red,cow",
        OTHER_CLASSES,
    ),
    "a row less": ("20,true,red,dog\n", "", OTHER_ENCODING),
    "a row of the mean": ("9,true,red,dog\n", "9,true,red,dog\n13,true,red,dog\n", OTHER_ENCODING),
    "two names of columns": ("weight,bark", "bark,weight", OTHER_ENCODING),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_data_are_refused(change: str) -> None:
    before, after, reason = CHANGES[change]
    assert PETS.count(before) == 1
    proved()
    Path("changed.csv").write_text(PETS.replace(before, after))
    assert refused("proof.json", "changed.csv").startswith(reason)


Change = Callable[[dict[str, Any]], object]
DAMAGED = "The encoding in the proof file is damaged: "
ENCODINGS: dict[str, tuple[Change, str]] = {
    "column gone": (lambda e: e["columns"].pop(), DAMAGED),
    "columns turned": (lambda e: e["columns"].reverse(), OTHER_ENCODING),
    "another column": (lambda e: e["columns"][1].update(name="colour"), DAMAGED),
    "other values": (lambda e: e["columns"][2]["values"].reverse(), OTHER_ENCODING),
    "value twice": (lambda e: e["columns"][2].update(values=["red", "red"]), DAMAGED),
    "unknown kind": (lambda e: e["columns"][0].update(kind="pickle"), DAMAGED),
    "another fill": (lambda e: e["columns"][0].update(fill=1.0), OTHER_ENCODING),
    "fill of words": (lambda e: e["columns"][0].update(fill="x"), DAMAGED),
    "another width": (lambda e: e.update(n_encoded_features=5), DAMAGED),
    "nothing": (lambda e: e.clear(), DAMAGED),
    "no table": (lambda e: e.update(columns=7), DAMAGED),
    "no column": (lambda e: e["columns"].__setitem__(0, 7), DAMAGED),
    "unknown version": (lambda e: e.update(version=3), DAMAGED),
    "true version": (lambda e: e.update(version=True), DAMAGED),
    "no choices": (lambda e: e.pop("choices"), DAMAGED),
    "choices of numbers": (lambda e: e["choices"].update(drop=7), DAMAGED),
    "unknown features": (lambda e: e["choices"].update(features=["magic"]), DAMAGED),
    "scaling": (lambda e: e.update(unit_norm=True), DAMAGED),
    "endless hash": (
        lambda e: e["columns"].__setitem__(
            2, {"kind": "text", "name": "colour", "sizes": [1, 2], "bits": 10**9}
        ),
        DAMAGED,
    ),
}


@pytest.mark.parametrize("change", ENCODINGS)
def test_another_encoding_is_refused(change: str) -> None:
    tamper, reason = ENCODINGS[change]
    fields = proved()
    tamper(fields["encoding"])
    Path("tampered.json").write_text(json.dumps(fields))
    if reason is DAMAGED:  # which is no proof, and so no wrong one either
        assert refusal("verify", "tampered.json", "pets.csv").startswith(reason)
    else:
        assert refused("tampered.json", "pets.csv").startswith(reason)


def test_an_encoding_of_endless_width_is_damaged() -> None:
    fields = proved()
    fields["encoding"]["n_encoded_features"] = "width"
    Path("tampered.json").write_text(json.dumps(fields).replace('"width"', "1e999"))
    assert refusal("verify", "tampered.json", "pets.csv").startswith(DAMAGED)


def test_other_weights_are_refused() -> None:
    fields = proved(OVERLAP)
    fields["pairs"][0][2] = "0x3"
    Path("tampered.json").write_text(json.dumps(fields))
    assert "0" in refused("tampered.json", "table.csv")


NO_JSON = "proof.json is not a proof: a proof is JSON, and begins with {."
NESTED = "proof.json is not a proof: its JSON is nested too deeply."
NO_PROOFS = {
    "nothing": ("", "proof.json is empty, not a proof."),
    "blanks": (" " * 70_000, NO_JSON),
    "another object": ("{}", "This is not a proof file"),
    "a list": ("[1, 2]", NO_JSON),
    "zeros": ("\0" * 70_000, NO_JSON),
    "a table": (PETS, NO_JSON),
    "no UTF-8": (b'{"format": "\xff"}', "proof.json is not JSON text: 'utf-8' codec"),
    "UTF-16": ("{}".encode("utf-16"), NO_JSON),
    "cut short": ('{"format": ', "proof.json is not JSON text: Expecting value"),
    "not a number": ('{"format": NaN}', "A proof cannot contain NaN."),
    "a long number": ('{"n_rows": ' + "9" * 5000 + "}", "proof.json is not JSON text: Exceeds"),
    "deep lists": ('{"format": ' + "[" * 200_000 + "]" * 200_000 + "}", NESTED),
    "deep objects": ('{"format": ' * 100_000 + "1" + "}" * 100_000, NESTED),
    "another version": (
        '{"format": "rosenblatt-proof", "version": 99}',
        "This proof file has version 99",
    ),
    "another answer": (
        '{"format": "rosenblatt-proof", "version": 1, "answer": ["\\ud800"]}',
        '"answer" must be one of separable, inseparable, undecided; got',
    ),
}


@pytest.mark.parametrize("case", NO_PROOFS)
def test_what_is_no_proof_is_bad_input_and_no_wrong_proof(case: str) -> None:
    text, reason = NO_PROOFS[case]
    Path("proof.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert refusal("verify", "proof.json", "pets.csv").startswith(reason)


def test_a_proof_lacks_a_field() -> None:
    fields = proved()
    del fields["margin"]
    Path("tampered.json").write_text(json.dumps(fields))
    told = refusal("verify", "tampered.json", "pets.csv")
    assert told == 'The proof file lacks the field "margin".'


def test_a_proof_may_come_through_a_pipe_but_from_no_device() -> None:
    proved()
    os.mkfifo("pipe")
    text = Path("proof.json").read_bytes()
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(text))
    writer.start()
    assert rosenblatt("verify", "pipe", "pets.csv").code == 0
    writer.join()
    assert refusal("verify", ".", "pets.csv").startswith(". is a folder.")
    assert refusal("verify", "missing", "pets.csv").startswith("missing does not exist.")
    told = refusal("verify", "/dev/zero", "pets.csv")
    assert told == "/dev/zero is neither a regular file nor a pipe."
    assert refusal("verify", "", "pets.csv").startswith("A file without a name does not exist.")


def test_no_more_is_read_than_a_proof_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prooffile, "MAX_BYTES", 100_000)
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)  # lets the writer begin
    writer = subprocess.Popen(["sh", "-c", "(printf '{'; exec yes ,) > pipe"])
    told = refusal("verify", "pipe", "pets.csv")
    os.close(reader)  # which ends the endless writer
    assert told == "pipe is larger than 100000 bytes: too large for a proof."
    assert writer.wait(60) != 0


def test_a_proof_speaks_of_its_own_target_and_kind_of_rows() -> None:
    proved()
    told = refusal("verify", "proof.json", "pets.csv", "--target", "colour")
    assert told == "The proof is about the target 'kind', not 'colour'."
    rosenblatt("separable", "builtin:xor", "--proof", "xor.json")
    assert refusal("verify", "xor.json", "pets.csv").startswith("pets.csv has columns with names")
    assert refusal("verify", "proof.json", "builtin:xor").startswith("builtin:xor has its own")


def test_true_and_false_are_the_same_words_in_every_format() -> None:
    table = PETS.replace("dog", "true").replace("cat", "false")
    fields = proved(table)
    assert fields["classes"] == ["false", "true"]
    frame = pl.read_csv("table.csv")
    frame.write_ndjson("table.jsonl")
    frame.with_columns(pl.col("kind").cast(pl.String)).write_parquet("words.parquet")
    for name in ("table.jsonl", "words.parquet"):
        assert rosenblatt("verify", "proof.json", name).code == 0
    X, y = np.array([[0.0], [1.0]]), np.array([False, True])
    np.savez("rows.npz", X=X, y=y)
    separability(X, y).save("array.json")  # of arrays, they are 0 and 1 as in Python
    assert rosenblatt("verify", "array.json", "rows.npz").code == 0


def test_text_is_counted_in_a_proof() -> None:
    lines = [f'"word{i % 5} is {["bad", "good"][i % 2]} here",{i % 2}' for i in range(30)]
    Path("text.csv").write_text("\n".join(["note,liked", *lines]))
    assert rosenblatt("separable", "text.csv", "--text", "note", "--proof", "proof.json").code == 0
    assert rosenblatt("verify", "proof.json", "text.csv").out == (
        "The proof holds: a linear classifier with an intercept separates the 2 classes (0, 1) of"
        " 'liked' in 30 rows with 262,144 features, encoded from: note (text, hashed n-grams of"
        " 1 to 2 words, counted).\n"
    )
    Path("text.csv").write_text("\n".join(["note,liked", *lines]).replace("word3", "word33", 1))
    assert refused("proof.json", "text.csv").startswith(OTHER_DATA)
