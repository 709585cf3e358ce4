"""`rosenblatt score`: the figures, and classes that the model does not know."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from commands import ONLY_FIT, PETS, rosenblatt
from sklearn import metrics

KEYS = [
    "source",
    "classes",
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
    "brier_score",
    "calibration",
]
SCORED = r"""pets.csv: 10 rows
accuracy           100.00 %, 95 % CI 72.2–100.0 %; majority-class baseline 50.00 %
balanced accuracy  100.00 %
F1 (macro)         1.0000
ROC AUC            1.0000
true \ predicted     cat     dog
cat                    5       0
dog                    0       5
"""


def test_a_score_is_told() -> None:
    assert rosenblatt("score", "pets.model", "pets.csv") == (0, SCORED, "")


def test_json_has_the_same_keys_always() -> None:
    for rule in ("perceptron", "logistic-regression"):
        rosenblatt("fit", "pets.csv", "-o", "m.model", "--rule", rule, *ONLY_FIT[2:])
        told = json.loads(rosenblatt("score", "m.model", "pets.csv", "--json").out)
        assert list(told) == KEYS
        assert (told["log_loss"] is None) == (rule == "perceptron")


@pytest.mark.parametrize("source", ["builtin:iris", "builtin:overlapping"])
def test_figures_are_those_of_scikit_learn(source: str) -> None:
    rosenblatt("fit", source, "-o", "m.model", "--rule", "logistic-regression", *ONLY_FIT[2:])
    told = json.loads(rosenblatt("score", "m.model", source, "--json").out)
    rosenblatt("predict", "m.model", source, "-o", "out.parquet")
    columns = pl.read_parquet("out.parquet")
    shares = columns.select(pl.col("^probability_.*$")).to_numpy()
    scores = columns.select(pl.col("^score.*$")).to_numpy()
    decided = np.array(told["classes"])[shares.argmax(axis=1)]
    true = _labels(source)
    assert told["accuracy"] == pytest.approx(metrics.accuracy_score(true, decided))
    assert told["balanced_accuracy"] == pytest.approx(
        metrics.balanced_accuracy_score(true, decided)
    )
    assert told["log_loss"] == pytest.approx(metrics.log_loss(true, shares))
    assert told["f1"] == pytest.approx(metrics.f1_score(true, decided, average="macro"))
    if len(told["classes"]) == 2:
        positive = told["positive"]
        assert positive == told["classes"][1]
        assert told["roc_auc"] == pytest.approx(
            metrics.roc_auc_score(true == positive, scores[:, 0])
        )
    else:
        wanted = metrics.roc_auc_score(true, shares, multi_class="ovr", average="macro")
        assert told["roc_auc"] == pytest.approx(wanted)
    assert told["confusion"] == metrics.confusion_matrix(true, decided).tolist()


def _labels(source: str) -> np.ndarray:
    from rosenblatt import builtin  # noqa: PLC0415

    return builtin(source.removeprefix("builtin:")).y.astype(str)


def test_rows_of_unknown_classes_are_wrong() -> None:
    Path("new.csv").write_text(PETS + "500,false,grey,horse\n")
    told = json.loads(rosenblatt("score", "pets.model", "new.csv", "--json").out)
    assert (told["n_rows"], told["n_unknown_class"]) == (11, 1)
    assert told["accuracy"] == pytest.approx(10 / 11)
    assert "1 row belongs to classes that the model was not trained on." in (
        rosenblatt("score", "pets.model", "new.csv").out
    )


def test_a_single_row_can_be_scored() -> None:
    Path("new.csv").write_text("weight,bark,colour,kind\n4,false,red,dog\n")
    told = json.loads(rosenblatt("score", "pets.model", "new.csv", "--json").out)
    assert (told["n_rows"], told["accuracy"], told["roc_auc"]) == (1, 0.0, None)


def test_classes_that_look_like_numbers_stay_words() -> None:
    rows = [f"{j % 2},{'01' if j % 2 else 'x'}" for j in range(12)]
    Path("codes.csv").write_text("\n".join(["a,kind", *rows]))
    assert rosenblatt("fit", "codes.csv", *ONLY_FIT, "-o", "codes.model").code == 0
    Path("new.csv").write_text("a,kind\n1,01\n1,01\n")
    told = json.loads(rosenblatt("score", "codes.model", "new.csv", "--json").out)
    assert (told["accuracy"], told["n_unknown_class"]) == (1.0, 0)


def test_a_table_is_scored_by_a_model_of_named_numbers() -> None:
    from rosenblatt import builtin  # noqa: PLC0415

    iris = builtin("iris")
    frame = pl.DataFrame({n: iris.X[:, j] for j, n in enumerate(iris.feature_names)})
    frame.select(frame.columns[::-1]).with_columns(species=iris.y).write_csv("iris.csv")
    assert rosenblatt("fit", "builtin:iris", *ONLY_FIT, "-o", "iris.model").code == 0
    ours = rosenblatt("predict", "iris.model", "builtin:iris").out
    assert rosenblatt("predict", "iris.model", "iris.csv").out == ours
