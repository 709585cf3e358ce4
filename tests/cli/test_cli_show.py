"""`rosenblatt show`: what a model file says about itself."""

import json
from pathlib import Path

import polars as pl
import pytest
from commands import ONLY_FIT, refusal, rosenblatt

from rosenblatt import Perceptron, builtin, load, named_weights, save
from rosenblatt.errors import ModelError, SourceError

KEYS = [
    "model",
    "rule",
    "classes",
    "n_features",
    "target",
    "columns",
    "feature_maps",
    "scaled",
    "has_probabilities",
    "weights",
    "training",
]
SHOWN = """pets.model: perceptron, 6 features; classes cat, dog
Columns: weight (number), bark (number), colour (category)
Trained on pets.csv, 10 rows.
Converged after 4 epochs, the last without a mistake.
Accuracy (5-fold CV): 80.00 %, 95 % CI 49.0–94.3 %.
The weights are those of the scaled features, so their sizes can be compared.
weights                   dog
weight                   2.02
bark                        2
weight is missing          -1
colour=grey                -1
colour=red                  0
colour is missing           0
intercept                  -1
"""


def test_a_model_is_explained() -> None:
    assert rosenblatt("show", "pets.model") == (0, SHOWN, "")


def test_json_has_its_keys() -> None:
    told = json.loads(rosenblatt("show", "pets.model", "--json").out)
    assert list(told) == KEYS
    assert told["training"]["evaluation"]["accuracy"] == 0.8
    assert told["target"] == "kind"


def test_a_model_saved_by_the_library_is_shown(folder: Path) -> None:
    data = builtin("and")
    save(Perceptron(shuffle=False).fit(data.X, data.y), folder / "and.model")
    said = rosenblatt("show", "and.model")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("and.model: perceptron, 2 features; classes 0, 1\n")
    assert rosenblatt("show", "and.model", "--json").code == 0


def test_hashed_words_are_named_by_texts_on_request(folder: Path) -> None:
    notes = [f"number {i} was {word}" for word in ("good", "not good") for i in range(20)]
    frame = pl.DataFrame({"note": notes, "liked": [1] * 20 + [0] * 20})
    frame.write_csv("notes.csv")
    fit = rosenblatt("fit", "notes.csv", "--text", "note", *ONLY_FIT, "-o", "notes.model")
    assert fit.code == 0, fit.err
    plain = json.loads(rosenblatt("show", "notes.model", "--json").out)["weights"]["1"]
    assert all(name.startswith("note#") for name in list(plain)[:3])
    said = rosenblatt("show", "notes.model", "--names", "notes.csv", "--json")
    named = json.loads(said.out)["weights"]["1"]
    assert list(named.values()) == list(plain.values())
    assert {'note: "not good"', 'note: "was good"', 'note: "not"'} <= set(named)
    assert b"good" not in (folder / "notes.model").read_bytes()
    assert named_weights(load("notes.model"), frame)["1"] == named
    few = named_weights(load("notes.model"), pl.DataFrame({"note": ["Not!"]}))["1"]
    assert [name for name in few if "#" not in name] == ['note: "not"', "intercept"]


def test_names_need_texts() -> None:
    assert refusal("show", "pets.model", "--names", "pets.csv") == (
        "The model has no text column: all its weights have names."
    )
    notes = pl.DataFrame({"note": [f"so {i}" for i in range(20)], "kind": [0, 1] * 10})
    notes.write_csv("notes.csv")
    rosenblatt("fit", "notes.csv", "--text", "note", *ONLY_FIT, "-o", "notes.model")
    wanted = "has no column 'note' to take the names of n-grams from."
    assert refusal("show", "notes.model", "--names", "pets.csv") == f"pets.csv {wanted}"
    with pytest.raises(SourceError, match=wanted):
        named_weights(load("notes.model"), [[1.0]])
    with pytest.raises(ModelError, match="no text column"):
        named_weights(load("pets.model"), pl.DataFrame({"note": ["a"]}))
