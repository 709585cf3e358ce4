"""Files of every format version load for ever, and give the answers recorded with them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rosenblatt import LogisticRegression, builtin, load
from rosenblatt.persist.file import VERSION, load_model
from rosenblatt.persist.model import Model
from rosenblatt.persist.safetensors_file import read_tensors

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = range(1, VERSION + 1)
ROUNDING = 1e-13  # of scores around 10, by whatever order of summation


def recorded(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text())


@pytest.mark.parametrize("version", VERSIONS)
def test_iris(version: int) -> None:
    X, wanted = builtin("iris").X[::10], recorded(f"iris-{version}")
    path = GOLDEN / f"iris-{version}.rosenblatt"
    assert json.loads(read_tensors(path).text)["version"] == version
    model = load(path)
    assert isinstance(model, LogisticRegression)
    for each in (model, load_model(path)):
        assert each.predict(X).tolist() == wanted["predict"]
        np.testing.assert_allclose(
            each.decision_function(X), wanted["decision_function"], rtol=0, atol=ROUNDING
        )
    assert str(model.outcome_).startswith("Certified: the objective is within")
    assert model.gap_ <= 1e-6
    assert model.C == 1.0


@pytest.mark.parametrize("version", VERSIONS)
def test_a_table_with_a_category(version: int) -> None:
    wanted = recorded(f"table-{version}")
    frame = pl.DataFrame(wanted["rows"])
    model = load(GOLDEN / f"table-{version}.rosenblatt")
    assert isinstance(model, Model)
    assert model.predict(frame).tolist() == wanted["predict"]
    for method in ("decision_function", "predict_proba"):
        np.testing.assert_allclose(
            getattr(model, method)(frame), wanted[method], rtol=0, atol=ROUNDING
        )
    assert model.feature_names == (
        "age",
        "age is missing",
        "town=Bonn",
        "town=Ulm",
        "town is missing",
        "member",
    )
    assert model.summary["rows"] == 8
    assert model.transformer.target == "bought"
