"""Parquet and Arrow: what polars and pandas wrote comes back, whole and typed, in chunks."""

import datetime as dt
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from packing import PACKERS, packed

from rosenblatt.errors import SourceError
from rosenblatt.io.parquet import ColumnarSource

KINDS = ("Parquet", "Arrow")


def table(n: int = 1000) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": pl.Series([None if i % 7 == 0 else i % 90 for i in range(n)], dtype=pl.Int8),
            "weight": [i / 8 for i in range(n)],
            "tame": [i % 3 == 0 for i in range(n)],
            "kind": ["dog" if i % 2 else "cat" for i in range(n)],
            "born": [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(n)],
        }
    ).with_columns(pl.col("kind").cast(pl.Categorical).alias("kind_again"))


def write(frame: pl.DataFrame, path: Path, kind: str, **how) -> str:
    (frame.write_parquet if kind == "Parquet" else frame.write_ipc)(path, **how)
    return str(path)


def together(source: ColumnarSource) -> pl.DataFrame:
    return pl.concat([chunk.frame for chunk in source])


@pytest.mark.parametrize("max_rows", [1, 37, 1000, 5000])
@pytest.mark.parametrize("kind", KINDS)
def test_every_chunk_size_gives_the_table_again_and_again(tmp_path, kind, max_rows):
    frame = table(300)
    source = ColumnarSource((write(frame, tmp_path / "t", kind),), kind, max_rows)
    for _ in range(2):
        assert together(source).equals(frame)
        assert all(len(chunk) <= max_rows for chunk in source)
        assert all(chunk.frame.schema == frame.schema for chunk in source)


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("kind", KINDS)
def test_packed_files(tmp_path, kind, suffix):
    write(table(), tmp_path / "t", kind)
    assert together(ColumnarSource((packed(tmp_path / "t", suffix),), kind)).equals(table())


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_arrow_with_compressed_buffers(tmp_path, compression):
    file = write(table(), tmp_path / "t.arrow", "Arrow", compression=compression)
    assert together(ColumnarSource((file,), "Arrow")).equals(table())


def test_files_that_pandas_wrote(tmp_path):
    frame = pd.DataFrame({"age": [1.5, None, 3.0], "kind": ["dog", "cat", None]})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    for name, kind in (("t.parquet", "Parquet"), ("t.feather", "Arrow")):
        found = together(ColumnarSource((str(tmp_path / name),), kind))
        assert found["age"].to_list() == [1.5, None, 3.0]
        assert found["kind"].to_list() == ["dog", "cat", None]


def test_row_groups_come_in_several_chunks(tmp_path):
    frame = pl.DataFrame({"x": range(400_000), "y": [0, 1] * 200_000})
    file = write(frame, tmp_path / "t.parquet", "Parquet", row_group_size=100_000)
    chunks = list(ColumnarSource((file,), "Parquet"))
    assert len(chunks) > 4
    assert max(map(len, chunks)) < 100_000
    for chunk in chunks:
        assert chunk.frame["x"][0] == chunk.place.row
        assert chunk.place.at(2) == f"{file}, row {chunk.frame['x'][0] + 2}"


def test_a_wide_table_has_short_chunks(tmp_path):
    frame = pl.DataFrame({f"x{j}": [float(j)] * 5000 for j in range(1024)})
    file = write(frame, tmp_path / "t.arrow", "Arrow")
    assert max(map(len, ColumnarSource((file,), "Arrow"))) == 4096


@pytest.mark.parametrize("kind", KINDS)
def test_several_files_one_after_another(tmp_path, kind):
    first = write(table(10), tmp_path / "1", kind)
    second = write(table(5).select(reversed(table().columns)), tmp_path / "2", kind)
    source = ColumnarSource((first, second), kind)
    assert together(source).equals(pl.concat([table(10), table(5)]))
    assert [chunk.place.file for chunk in source] == [first, second]
    assert source.name == f"{first} and 1 more"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.drop("age"), "has no column 'age', which"),
        (lambda t: t.with_columns(extra=1), "has a column 'extra', which"),
        (lambda t: t.cast({"age": pl.Float64}), "column 'age': Float64, where .* has Int8"),
    ],
)
def test_files_with_other_columns(tmp_path, change, words):
    files = write(table(), tmp_path / "1", "Arrow"), write(change(table()), tmp_path / "2", "Arrow")
    with pytest.raises(SourceError, match=words):
        list(ColumnarSource(files, "Arrow"))


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows(tmp_path, kind):
    file = write(table().clear(), tmp_path / "t", kind)
    with pytest.raises(SourceError, match="t has no rows"):
        list(ColumnarSource((file,), kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", [b"", b"age,kind\n3,dog\n" * 50, bytes(100)])
def test_files_of_another_kind(tmp_path, kind, content):
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(
        SourceError, match=f"t cannot be read as {kind}: .* Is it a complete {kind} file"
    ):
        list(ColumnarSource((str(tmp_path / "t"),), kind))


def test_an_arrow_stream(tmp_path):
    table().write_ipc_stream(tmp_path / "t.arrow")
    with pytest.raises(
        SourceError, match=r"t\.arrow is an Arrow stream\. Write it as an Arrow file"
    ):
        list(ColumnarSource((str(tmp_path / "t.arrow"),), "Arrow"))


@pytest.mark.parametrize("kind", KINDS)
def test_files_cut_short(tmp_path, kind):
    path = tmp_path / "t"
    write(table(), path, kind)
    whole = path.read_bytes()
    for length in range(1, len(whole), len(whole) // 20):
        path.write_bytes(whole[:length])
        with pytest.raises(SourceError, match=f"t cannot be read as {kind}"):
            list(ColumnarSource((str(path),), kind))


def test_a_missing_file(tmp_path):
    with pytest.raises(SourceError, match=r"no\.parquet cannot be read: No such file"):
        list(ColumnarSource((str(tmp_path / "no.parquet"),), "Parquet"))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_polars_leaves_out_are_told(tmp_path, kind, monkeypatch):
    file = write(table(10), tmp_path / "t", kind)
    monkeypatch.setattr("rosenblatt.io.parquet._rows_by_metadata", lambda _: 12)
    with pytest.raises(SourceError, match="it claims 12 rows, of which 10 can be read"):
        list(ColumnarSource((file,), kind))
