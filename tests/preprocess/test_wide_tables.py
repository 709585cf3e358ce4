"""Tables of many columns and few rows: the work for a column is no query of its own."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rosenblatt.io.formats import open_source
from rosenblatt.pipeline.read_dataset import read_rows
from rosenblatt.preprocess.column_types import Choices

WORDS = ("red", "green", "blue")
WRITERS = {
    "csv": lambda frame, path: frame.write_csv(path),
    "jsonl": lambda frame, path: frame.write_ndjson(path),
    "parquet": lambda frame, path: frame.write_parquet(path),
}


def table(n_columns: int) -> pl.DataFrame:
    """Numbers with a gap, categories and booleans by turns, and a target."""
    makers = (
        lambda k: [0.5, None, 2.5 + k, 3.5, -1.0, 7.0],
        lambda k: [WORDS[(k + row) % 3] for row in range(6)],
        lambda k: [(k + row) % 2 == 0 for row in range(6)],
    )
    columns = {f"c{k}": makers[k % 3](k) for k in range(n_columns)}
    return pl.DataFrame({**columns, "kind": ["cat", "dog"] * 3})


class Queries:
    """How often polars is asked about a frame: each of its queries begins by making it lazy."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.n = 0
        lazy = pl.DataFrame.lazy

        def counted(frame: pl.DataFrame) -> pl.LazyFrame:
            self.n += 1
            return lazy(frame)

        monkeypatch.setattr(pl.DataFrame, "lazy", counted)

    def of(self, file: Path) -> int:
        """Queries that it takes to learn the columns of a file, and to encode it by them."""
        self.n = 0
        source = open_source([str(file)])
        data, *_ = read_rows(source, "kind", Choices())
        again, *_ = read_rows(open_source([str(file)]), "kind", Choices())
        np.testing.assert_array_equal(again.X, data.X)
        assert self.n > 0
        return self.n


@pytest.mark.parametrize("suffix", WRITERS)
def test_twice_the_columns_take_no_more_queries(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / f"{n}.{suffix}" for n in (300, 600)]
    for n, file in zip((300, 600), files, strict=True):
        WRITERS[suffix](table(n), file)
    queries = Queries(monkeypatch)
    assert queries.of(files[1]) == queries.of(files[0])


@pytest.mark.parametrize("suffix", WRITERS)
def test_columns_keep_their_order(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"wide.{suffix}"
    WRITERS[suffix](table(300), file)
    (chunk,) = open_source([str(file)])
    assert tuple(chunk.names) == tuple(table(300).columns)
    _, transformer, _ = read_rows(open_source([str(file)]), None, Choices())
    assert transformer.target == "kind"


def test_keys_come_in_the_order_in_which_they_are_first_seen(tmp_path: Path) -> None:
    rows = [{"a": 1}, {"b": 1, "a": 2}, {"z": 1}, {"c": 1, "y": 2}]
    file = tmp_path / "keys.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (chunk,) = open_source([str(file)])
    assert tuple(chunk.names) == ("a", "b", "z", "c", "y")
