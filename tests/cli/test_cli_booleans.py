"""True and false are the same in every format and spelling: as labels, categories and numbers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from commands import ONLY_FIT, rosenblatt

N = 40
SPELLINGS: dict[str, Callable[[bool], Any]] = {
    "true": lambda it: str(it).lower(),
    "True": str,
    "TRUE": lambda it: str(it).upper(),
    "boolean": bool,
}
WRITERS: dict[str, Callable[[pl.DataFrame, str], Any]] = {
    "csv": pl.DataFrame.write_csv,
    "tsv": lambda frame, name: frame.write_csv(name, separator="\t"),
    "jsonl": pl.DataFrame.write_ndjson,
    "parquet": pl.DataFrame.write_parquet,
    "arrow": pl.DataFrame.write_ipc,
}
FILES = [f"{spelling}.{suffix}" for spelling in SPELLINGS for suffix in WRITERS]


@pytest.fixture(autouse=True)
def _files(rng: np.random.Generator) -> None:
    """The same rows in every format and spelling."""
    size = rng.normal(size=N)
    tame = rng.random(N) < 0.5
    loved = size + tame + 0.3 * rng.normal(size=N) > 0.5
    for name in FILES:
        spelling, suffix = name.split(".")
        said = SPELLINGS[spelling]
        columns = {"size": size, "tame": [said(it) for it in tame.tolist()]}
        frame = pl.DataFrame({**columns, "loved": [said(it) for it in loved.tolist()]})
        WRITERS[suffix](frame, name)


@pytest.mark.parametrize("kind", [(), ("--category", "tame")])
@pytest.mark.parametrize("trained", ["True.csv", "boolean.jsonl", "TRUE.jsonl", "boolean.parquet"])
def test_a_model_of_one_file_scores_all_others(trained: str, kind: tuple[str, ...]) -> None:
    said = rosenblatt("fit", trained, *ONLY_FIT, *kind, "--json", "-o", "m.model")
    found = json.loads(said.out)
    assert list(found["class_counts"]) == ["false", "true"]
    wanted = rosenblatt("predict", "m.model", trained).out
    assert wanted.splitlines()[1].split(",")[0] in {"false", "true"}
    for name in FILES:
        judged = json.loads(rosenblatt("score", "m.model", name, "--json").out)
        assert judged["accuracy"] == found["training_accuracy"], name
        assert rosenblatt("predict", "m.model", name).out == wanted


def test_words_among_others_are_written_so_too() -> None:
    for name, said in (("one.csv", "True"), ("two.csv", "TRUE")):
        rows = [f"{i % 7},{said if i % 3 == 0 else 'maybe'}" for i in range(30)]
        Path(name).write_text("\n".join(["a,y", *rows]))
    found = json.loads(rosenblatt("fit", "one.csv", *ONLY_FIT, "--json", "-o", "m.model").out)
    assert list(found["class_counts"]) == ["maybe", "true"]
    judged = json.loads(rosenblatt("score", "m.model", "two.csv", "--json").out)
    assert judged["accuracy"] == found["training_accuracy"]
    assert judged["n_unknown_class"] == 0


def test_many_classes_name_their_columns_so() -> None:
    rows = [f"{i % 7},{('true', 'false', 'x')[i % 3]}" for i in range(30)]
    Path("many.csv").write_text("\n".join(["a,y", *rows]))
    rosenblatt("fit", "many.csv", *ONLY_FIT, "-o", "m.model")
    header = rosenblatt("predict", "m.model", "many.csv").out.partition("\n")[0]
    assert header == "prediction,score_false,score_true,score_x"
