"""Proofs that are right about rows which a forged encoding makes: `verify` refuses all of them.

Each forgery encodes the data by its own encoding, proves a verdict on those rows, and saves the
proof with that encoding. Nothing is wrong with such a file but that these are not the data's rows.
"""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import PETS, refusal, rosenblatt

from rosenblatt import separability
from rosenblatt.io.formats import open_source
from rosenblatt.pipeline.encoded_data import encode
from rosenblatt.preprocess.proof_encoding import SINCE_VERSION_2, transformer_in
from rosenblatt.preprocess.target import count_all_labels, sorted_classes

Encoding = dict[str, Any]
WORDS = ("bad", "good")
LINES = [f'{i % 7},"w{i % 5} is {WORDS[i % 2]}",{i % 2}' for i in range(30)]
NOTES = "\n".join(["size,note,liked", *LINES])
SOURCES = {
    "table": (PETS, ()),
    "maps": (PETS, ("--features", "products")),
    "pairs": (PETS, ("--features", "random-products:4")),
    "text": (NOTES, ("--text", "note")),
}


def honest(kind: str) -> Encoding:
    """The encoding of an honest proof."""
    text, options = SOURCES[kind]
    Path("data.csv").write_text(text)
    said = rosenblatt("separable", "data.csv", "--proof", "honest.json", *options)
    assert said.code in (0, 1), said.err
    assert rosenblatt("verify", "honest.json", "data.csv").code == 0
    encoding: Encoding = json.loads(Path("honest.json").read_text())["encoding"]
    return encoding


def forge(encoding: Encoding) -> None:
    """Prove a verdict on the rows that an encoding makes, in forged.json."""
    transformer, _ = transformer_in(encoding)
    source = open_source(["data.csv"])
    classes = sorted_classes(count_all_labels(source, transformer.target), "data.csv")
    encoded = encode(source, transformer, classes, transformer.transform)
    proof = separability(encoded.X, np.array(classes)[encoded.codes])
    replace(proof, encoding=encoding).save("forged.json")


def columns(encoding: Encoding) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = encoding["columns"]
    return found


def without_column(encoding: Encoding) -> None:
    columns(encoding).pop(1)
    encoding["n_encoded_features"] -= 1


def another_target(encoding: Encoding) -> None:
    kind = {"kind": "category", "name": "kind", "values": ["cat", "dog"], "indicator": False}
    encoding.update(target="bark", columns=[columns(encoding)[0], kind], n_encoded_features=4)


def unflagged(encoding: Encoding) -> None:
    columns(encoding)[0]["indicator"] = False
    encoding["n_encoded_features"] -= 1


def scaled(encoding: Encoding) -> None:
    zeros = {"type": "float64", "values": [0.0] * encoding["n_encoded_features"]}
    encoding.update(unit_norm=False, arrays={"shift": zeros, "factor": zeros})


def as_category(encoding: Encoding) -> None:
    columns(encoding)[1] = {
        "kind": "category",
        "name": "bark",
        "values": ["none", "of", "these"],
        "indicator": False,
    }
    encoding["n_encoded_features"] += 2


def other_pairs(encoding: Encoding) -> None:
    """Products of the first feature with itself alone, under the name of random ones."""
    assert encoding["arrays"]
    for array in encoding["arrays"].values():
        array["values"] = np.zeros_like(array["values"]).tolist()


FORGERIES: dict[str, tuple[str, Callable[[Encoding], object], str]] = {
    "categories that do not occur": (
        "table",
        lambda e: columns(e)[2].update(values=["blue", "green"]),
        "the categories of 'colour' are not those",
    ),
    "one category less": (
        "table",
        lambda e: (columns(e)[2]["values"].pop(), e.update(n_encoded_features=5)),
        "the categories of 'colour' are not those",
    ),
    "another fill": (
        "table",
        lambda e: columns(e)[0].update(fill=1e6),
        "missing cells of 'weight' are filled with 1000000.0",
    ),
    "a fill that is off by rounding": (
        "table",
        lambda e: columns(e)[0].update(fill=float(np.nextafter(13.0, 14.0))),
        "missing cells of 'weight' are filled with",
    ),
    "an unused fill": (
        "table",
        lambda e: columns(e)[1].update(fill=0.5),
        "missing cells of 'bark'",
    ),
    "columns in another order": ("table", lambda e: columns(e).reverse(), "in this order"),
    "a column omitted": ("table", without_column, "it does not use the column 'bark'"),
    "missing cells not flagged": ("table", unflagged, "it does not flag missing cells of 'weight'"),
    "a number as a category": ("table", as_category, "the column 'bark' is a category in it"),
    "scale factors of zero": ("table", scaled, "scale factors"),
    "sparse rows": ("table", lambda e: e.update(sparse=True), "its field 'sparse'"),
    "a field of its own": ("table", lambda e: e.update(note="trust me"), "its field 'note'"),
    "maps removed": ("maps", lambda e: e.update(maps=[], arrays={}), "feature maps"),
    "maps added": (
        "table",
        lambda e: e.update(maps=(made := honest("maps"))["maps"], arrays=made["arrays"]),
        "feature maps",
    ),
    "maps called by another name": (
        "maps",
        lambda e: e["maps"][0].update(spec="poly:2"),
        "feature maps",
    ),
    "a map of other pairs": ("pairs", other_pairs, "feature maps"),
    "texts in fewer features": (
        "text",
        lambda e: (columns(e)[1].update(bits=1), e.update(n_encoded_features=3)),
        "the texts of 'note' are encoded differently",
    ),
    "texts by other runs": (
        "text",
        lambda e: columns(e)[1].update(sizes=[8, 8]),
        "the texts of 'note' are encoded differently",
    ),
    "texts by characters": (
        "text",
        lambda e: columns(e)[1].update(unit="character"),
        "the texts of 'note' are encoded differently",
    ),
    "a reason of its own": (
        "table",
        lambda e: e.update(left_out=[{"column": "name", "kind": "leak", "reason": "a leak"}]),
        "the columns left out",
    ),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_a_forged_encoding_is_refused(case: str) -> None:
    kind, change, reason = FORGERIES[case]
    encoding = deepcopy(honest(kind))
    change(encoding)
    honest(kind)  # its data, if the change was made from others
    forge(encoding)
    said = rosenblatt("verify", "forged.json", "data.csv")
    assert (said.code, said.err) == (1, "")
    assert said.out.startswith("The encoding in the proof is not the one that data.csv gives: ")
    assert reason in said.out


WITHOUT_A_CHOICE = set(FORGERIES) - {
    "a column omitted",  # which is then a question about the other columns, and told as such
    "maps removed",
    "maps added",
    "texts in fewer features",
    "texts by other runs",
    "texts by characters",
    "a reason of its own",
}


@pytest.mark.parametrize("case", sorted(WITHOUT_A_CHOICE))
def test_a_forged_encoding_of_before_is_refused(case: str) -> None:
    kind, change, _ = FORGERIES[case]
    encoding = deepcopy(honest(kind))
    change(encoding)
    for name in SINCE_VERSION_2:
        del encoding[name]
    forge(encoding)
    said = rosenblatt("verify", "forged.json", "data.csv")
    assert (said.code, said.err) == (1, "")
    assert said.out.startswith("The encoding in the proof is not the one that data.csv gives: ")


@pytest.mark.parametrize("name", ["choices", "left_out", "rounded"])
def test_an_encoding_of_before_with_a_later_field_is_refused(name: str) -> None:
    encoding = honest("table")
    for other in set(SINCE_VERSION_2) - {name}:
        del encoding[other]
    forge(encoding)
    said = rosenblatt("verify", "forged.json", "data.csv")
    assert said.code in (1, 2)
    assert name in said.out + said.err


def test_an_encoding_of_before_is_verified_and_tells_what_it_does_not_use() -> None:
    encoding = honest("table")
    for name in SINCE_VERSION_2:
        del encoding[name]
    forge(encoding)
    assert rosenblatt("verify", "forged.json", "data.csv").code == 0
    without_column(encoding)
    forge(encoding)
    said = rosenblatt("verify", "forged.json", "data.csv")
    assert said.code == 0
    assert said.out.endswith("Left out: 'bark' (not used by the proof).\n")


def test_another_target_is_refused_unless_it_is_asked_for() -> None:
    encoding = honest("table")
    another_target(encoding)
    forge(encoding)
    told = refusal("verify", "forged.json", "data.csv")
    assert told == (
        "The proof is about the target 'bark'; without --target it would be 'kind'. If 'bark' is"
        " meant, give --target bark."
    )
    rosenblatt("separable", "data.csv", "--target", "bark", "--proof", "bark.json")
    assert refusal("verify", "bark.json", "data.csv") == told
    said = rosenblatt("verify", "bark.json", "data.csv", "--target", "bark")
    assert said.code == 0
    assert "the 2 classes (false, true) of 'bark'" in said.out


@pytest.mark.parametrize("flag", ["drop", "use", "category", "text"])
def test_choices_of_columns_that_are_not_there_are_refused(flag: str) -> None:
    encoding = honest("table")
    encoding["choices"][flag] = ["ghost"]
    forge(encoding)
    said = rosenblatt("verify", "forged.json", "data.csv")
    assert said.code == 1
    assert said.out == "The proof names the column 'ghost', which data.csv does not have.\n"


def test_a_choice_that_is_not_told_is_refused() -> None:
    encoding = honest("table")
    encoding["choices"]["drop"] = ["bark"]
    without_column(encoding)
    forge(encoding)
    assert "left out" in rosenblatt("verify", "forged.json", "data.csv").out
    encoding["left_out"] = [{"column": "bark", "kind": "dropped", "reason": "by --drop"}]
    forge(encoding)
    said = rosenblatt("verify", "forged.json", "data.csv")  # which is what --drop bark proves
    assert said.code == 0
    assert said.out.endswith("Left out: 'bark' (by --drop).\n")


def test_the_user_says_how_the_file_is_read() -> None:
    Path("data.csv").write_text(PETS.replace("\n3,false", "\n-1,false"))
    said = rosenblatt("separable", "data.csv", "--missing=-1", "--proof", "proof.json")
    assert said.code in (0, 1)
    assert rosenblatt("verify", "proof.json", "data.csv", "--missing=-1").code == 0
    assert rosenblatt("verify", "proof.json", "data.csv").code == 1


def test_a_proof_without_an_encoding_is_about_the_rows_as_they_are() -> None:
    separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).save("xor.json")
    said = rosenblatt("verify", "xor.json", "builtin:xor")
    assert said.code == 0
    assert said.out == (
        "The proof holds: no linear classifier with an intercept separates the 2 classes (0, 1) in"
        " 4 rows with 2 features.\n"
    )


@pytest.mark.parametrize(
    "change", [{"n_encoded_features": 1}, {"n_encoded_features": 5}, {"feature_names": ["a", "b"]}]
)
def test_a_forged_encoding_of_sparse_rows_is_refused(change: Encoding) -> None:
    """Features beyond the number of an encoding would be left out in silence."""
    Path("data.svm").write_text("1 1:1 2:1\n0 1:1 2:2\n1 1:2 2:1\n0 1:2 2:2\n")
    assert rosenblatt("separable", "data.svm", "--proof", "honest.json").code == 0
    encoding = json.loads(Path("honest.json").read_text())["encoding"] | change
    transformer, _ = transformer_in(encoding)
    source = open_source(["data.svm"])
    encoded = encode(source, transformer, (0, 1), transformer.transform)
    replace(separability(encoded.X, encoded.codes), encoding=encoding).save("forged.json")
    assert rosenblatt("verify", "honest.json", "data.svm").code == 0
    said = rosenblatt("verify", "forged.json", "data.svm")
    assert (said.code, said.err) == (1, "")
    assert f"its field '{next(iter(change))}' is not what these data give" in said.out
