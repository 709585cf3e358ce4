"""`rosenblatt predict`: every format says the same, and columns are found by name."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from commands import ONLY_FIT, PETS, rosenblatt

import rosenblatt as library
from rosenblatt.pipeline.read_dataset import read

PREDICTED = """prediction,score
cat,-2.933417085427136
cat,-3.7185929648241207
cat,-3.148241206030151
cat,-2.5037688442211055
cat,-3.0
dog,2.5037688442211055
dog,3.6520100502512562
dog,0.14070351758793964
dog,0.5778894472361813
dog,1.42964824120603
"""


def test_predictions_go_to_standard_output() -> None:
    said = rosenblatt("predict", "pets.model", "pets.csv")
    assert (said.code, said.err) == (0, "")
    ours, wanted = (pl.read_csv(text.encode()) for text in (said.out, PREDICTED))
    assert ours["prediction"].to_list() == wanted["prediction"].to_list()
    np.testing.assert_allclose(ours["score"], wanted["score"], rtol=1e-14)


@pytest.mark.parametrize("rule", ["logistic-regression", "perceptron"])
@pytest.mark.parametrize("source", ["pets.csv", "builtin:iris"])
def test_every_format_says_the_same(rule: str, source: str) -> None:
    rosenblatt("fit", source, "-o", "m.model", "--rule", rule, *ONLY_FIT[2:])
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        assert rosenblatt("predict", "m.model", source, "-o", name) == (0, "", "")
    columns = pl.read_parquet("out.parquet")
    assert columns.equals(pl.read_csv("out.csv"))
    assert columns.equals(pl.read_ndjson("out.jsonl"))
    assert Path("out.csv").read_text() == rosenblatt("predict", "m.model", source).out
    lines = rosenblatt("predict", "m.model", source, "--to", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == columns.to_dicts()
    probabilities = columns.select(pl.col("^probability_.*$"))
    if rule == "perceptron":
        assert probabilities.width == 0
    else:
        shares = probabilities.to_numpy()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
        names = np.array(columns.columns[-shares.shape[1] :])
        decided = [name.removeprefix("probability_") for name in names[shares.argmax(axis=1)]]
        assert decided == columns["prediction"].to_list()


def test_predictions_are_those_of_the_estimator() -> None:
    chosen = ("--rule", "logistic-regression", "--no-scale", *ONLY_FIT[2:])
    rosenblatt("fit", "pets.csv", "-o", "m.model", *chosen)
    rosenblatt("predict", "m.model", "pets.csv", "-o", "out.parquet")
    told, data = pl.read_parquet("out.parquet"), read("pets.csv")
    model = library.LogisticRegression().fit(data.X, data.y)
    assert told["prediction"].to_list() == model.predict(data.X).tolist()
    np.testing.assert_allclose(told["score"], model.decision_function(data.X), rtol=1e-12)
    shares = told.select("probability_cat", "probability_dog").to_numpy()
    np.testing.assert_allclose(shares, model.predict_proba(data.X), rtol=1e-12)


@pytest.mark.parametrize(
    ("columns", "changed"),
    [
        (["weight", "bark", "colour"], {}),  # no labels
        (["kind", "colour", "bark", "weight"], {}),
        (["weight", "bark", "colour", "kind"], {"kind": pl.lit("horse")}),  # none of its business
        (["new", "weight", "bark", "colour"], {"new": pl.lit("2024-01-01")}),
    ],
)
def test_columns_are_found_by_name(columns: list[str], changed: dict[str, pl.Expr]) -> None:
    pl.read_csv("pets.csv").with_columns(**changed).select(columns).write_csv("other.csv")
    wanted = rosenblatt("predict", "pets.model", "pets.csv").out
    assert rosenblatt("predict", "pets.model", "other.csv") == (0, wanted, "")


def scores_of(table: str) -> list[float]:
    Path("new.csv").write_text(table)
    told = rosenblatt("predict", "pets.model", "new.csv")
    assert told.code == 0, told.err
    scores: list[float] = pl.read_csv(told.out.encode())["score"].to_list()
    return scores


def test_an_unseen_category_sets_no_feature() -> None:
    red, mauve, number = scores_of("weight,bark,colour\n4,false,red\n4,false,mauve\n4,false,7\n")
    assert mauve == number
    assert mauve == pytest.approx(red, abs=1e-12)  # whose own weight is 0


def test_missing_cells_are_filled_as_in_training() -> None:
    empty, word, given = scores_of("weight,bark,colour\n,true,red\nNA,true,red\n13,true,red\n")
    assert empty == word
    assert empty == pytest.approx(given - 1)  # 13 is the mean, and the indicator weighs -1


LABELS = [
    (["prediction", "score"], pl.String),
    (["other", "prediction", "score"], pl.String),
    (["-1", "1"], pl.Int64),
    (["1", "2", "10"], pl.Int64),
    (["false", "true"], pl.Boolean),
    (["a b", "c"], pl.String),
    (['x"y', "yes,no"], pl.String),
    (["ß", "é"], pl.String),
    (["1", "b"], pl.String),
]


@pytest.mark.parametrize(("labels", "kind"), LABELS)
def test_labels_may_be_anything(labels: list[str], kind: type[pl.DataType]) -> None:
    rows = {"a": [i % 7 for i in range(30)], "b": [i % 5 for i in range(30)]}
    given = [labels[i % len(labels)] for i in range(30)]
    pl.DataFrame({**rows, "target": given}).write_csv("labels.csv")
    rosenblatt("fit", "labels.csv", "-o", "m.model", *ONLY_FIT, "--max-iter", "20")
    assert rosenblatt("predict", "m.model", "labels.csv", "-o", "out.parquet").code == 0
    decided = pl.read_parquet("out.parquet")
    assert decided["prediction"].dtype == kind
    assert set(decided["prediction"].cast(pl.String)) <= set(labels)
    assert len(set(decided.columns)) == (2 if len(labels) == 2 else 1 + len(labels))
    judged = json.loads(rosenblatt("score", "m.model", "labels.csv", "--json").out)
    right = np.mean(decided["prediction"].cast(pl.String).to_numpy() == np.array(given))
    assert judged["accuracy"] == pytest.approx(right)


def test_a_source_may_come_through_standard_input() -> None:
    wanted = rosenblatt("predict", "pets.model", "pets.csv").out
    assert rosenblatt("predict", "pets.model", "-", stdin=PETS.encode()).out == wanted
    twice = rosenblatt("predict", "pets.model", "pets.csv", "pets.csv").out
    assert twice == wanted + wanted.partition("\n")[2]
