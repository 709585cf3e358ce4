"""Names of columns that polars takes for patterns are names as any other."""

import json
from pathlib import Path

import polars as pl
import pytest
from commands import ONLY_FIT, rosenblatt

from rosenblatt.io.formats import open_source

PLAIN = ("row", "size", "colour", "remark", "tame", "kind")
PATTERNS = (
    ("^row$", "size", "*", "^remark$", "^.*$", "^kind$"),
    ("row", "^row$", "^colour$", "colour", "^c.*$", "*"),
    ("^r.w$", "^s$", "^$", "*", "^[$", "kind"),
)
WRITERS = {
    "csv": pl.DataFrame.write_csv,
    "tsv": lambda frame, file: frame.write_csv(file, separator="\t"),
    "jsonl": pl.DataFrame.write_ndjson,
    "parquet": pl.DataFrame.write_parquet,
    "arrow": pl.DataFrame.write_ipc,
}
N_ROWS = 260  # more than are counted without a query of polars


def write(file: str, names: tuple[str, ...]) -> None:
    """A table of all kinds of columns, some cells missing, by the suffix of the file."""
    rows = range(N_ROWS)
    cells = (
        [i * i % 97 for i in rows],
        [None if i % 11 == 0 else (i * 37 % 101) / 8 for i in rows],
        [None if i % 13 == 0 else ("red", "grey", "brown")[i % 3] for i in rows],
        [f"the animal number {i} came {'early' if i % 4 else 'late'} to us" for i in rows],
        [i % 5 == 0 for i in rows],
        ["dog" if i * 37 % 101 > 40 + i % 3 else "cat" for i in rows],
    )
    frame = pl.DataFrame([pl.Series(name, own) for name, own in zip(names, cells, strict=True)])
    WRITERS[file.rpartition(".")[2]](frame, file)


def answers(file: str, names: tuple[str, ...]) -> list[object]:
    """What the commands say of a table, without the names of its columns."""
    write(file, names)
    options = ("--target", names[-1], "--max-iter", "3", *ONLY_FIT)
    fit = rosenblatt("fit", file, *options, "-o", "m.model", "--json")
    predicted = rosenblatt("predict", "m.model", file)
    score = rosenblatt("score", "m.model", file, "--json")
    decided = rosenblatt("separable", file, "--target", names[-1], "--json")
    shown = rosenblatt("show", "m.model", "--json")
    assert [said.err for said in (predicted, score, decided, shown)] == [""] * 4
    assert (fit.code, shown.code) == (0, 0)
    fitted = json.loads(fit.out)
    kept = ("n_rows", "n_features", "class_counts", "training_accuracy")
    accuracy = json.loads(score.out)["accuracy"]
    verdict = json.loads(decided.out).get("separable")
    n_columns = len(json.loads(shown.out).get("columns", ()))
    rows = [line.partition(",")[0] for line in predicted.out.splitlines()[1:]]
    return [[fitted[key] for key in kept], accuracy, decided.code, verdict, n_columns, rows]


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_names_of_columns_change_nothing(suffix: str) -> None:
    plain = answers(f"plain.{suffix}", PLAIN)
    for k, names in enumerate(PATTERNS):
        assert answers(f"patterns{k}.{suffix}", names) == plain


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_columns_in_another_order_come_in_that_of_the_first_file(suffix: str) -> None:
    first = pl.DataFrame({"u": [1, 2] * 10, "^u$": [3, 4] * 10, "*": ["a", "b"] * 10})
    WRITERS[suffix](first, f"1.{suffix}")
    WRITERS[suffix](pl.DataFrame(first.get_columns()[::-1]), f"2.{suffix}")
    chunks = [chunk.frame for chunk in open_source([f"1.{suffix}", f"2.{suffix}"])]
    assert [chunk.rows() for chunk in chunks] == [first.rows()] * 2


def test_a_bad_cell_is_told_with_its_column() -> None:
    for name in ("*", "^u$", "^.*$"):
        lines = [f"{name},kind"] + [f"{i},{'ab'[i % 2]}" for i in range(40)] + ["many,a"]
        Path("bad.csv").write_text("\n".join(lines))
        said = rosenblatt("fit", "bad.csv", *ONLY_FIT, "-o", "m.model")
        assert said.code == 2
        assert f"line 42, column {name!r}: 'many' is not a number" in said.err


@pytest.mark.parametrize("name", ["^u$", "^[$"])
def test_texts_that_look_like_values_of_json(name: str) -> None:
    rows = [{name: ("12", "true", "x")[i % 3], "kind": "ab"[i % 2]} for i in range(40)]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    frames = [chunk.frame.rows() for chunk in open_source(["t.jsonl"])]
    assert frames == [[tuple(row.values()) for row in rows]]
