"""`rosenblatt show`: what a model file says about itself."""

import json
from pathlib import Path

from commands import rosenblatt

from rosenblatt import Perceptron, builtin, save

KEYS = [
    "model",
    "rule",
    "classes",
    "features",
    "target",
    "columns",
    "scaled",
    "probabilities",
    "weights",
    "training",
]
SHOWN = """pets.model: perceptron, 6 features; classes cat, dog
Columns: weight (number), bark (number), colour (category)
Trained on pets.csv, 10 rows.
Converged: a pass without a mistake, after 4 passes.
Right on new rows: 80.00% (95 % interval 49.02% to 94.33%, by 5-fold cross-validation).
Weights are of the scaled features, so that they can be compared.
weights                   dog
weight                   2.02
bark                        2
weight is missing          -1
colour=grey                -1
colour=red                  0
colour is missing           0
bias                       -1
"""


def test_a_model_is_explained() -> None:
    assert rosenblatt("show", "pets.model") == (0, SHOWN, "")


def test_json_has_its_keys() -> None:
    told = json.loads(rosenblatt("show", "pets.model", "--json").out)
    assert list(told) == KEYS
    assert told["training"]["test"]["accuracy"] == 0.8
    assert told["target"] == "kind"


def test_a_model_saved_by_the_library_is_shown(folder: Path) -> None:
    data = builtin("and")
    save(Perceptron(shuffle=False).fit(data.X, data.y), folder / "and.model")
    said = rosenblatt("show", "and.model")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("and.model: perceptron, 2 features; classes 0, 1\n")
    assert rosenblatt("show", "and.model", "--json").code == 0
