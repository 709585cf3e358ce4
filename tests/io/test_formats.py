"""Which reader is chosen: by the format asked for, by the suffix, by how a file begins."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from packing import PACKERS, packed

from rosenblatt.data.training_data import matrix_of
from rosenblatt.datasets.builtin import NAMES, builtin
from rosenblatt.errors import SourceError
from rosenblatt.io import files
from rosenblatt.io.files import Options
from rosenblatt.io.formats import FORMATS, SNIFFED_BYTES, BuiltinSource, format_of, open_source
from rosenblatt.io.idx import IdxSource
from rosenblatt.io.jsonlines import JsonLinesSource
from rosenblatt.io.numpy_files import NumpySource
from rosenblatt.io.parquet import ColumnarSource

TABLE = pl.DataFrame({"age": [1, 2], "kind": ["dog", "cat"]})


def written(write, *arguments) -> bytes:
    stream = io.BytesIO()
    write(stream, *arguments)
    return stream.getvalue()


CONTENTS = {
    "parquet": written(TABLE.write_parquet),
    "arrow": written(TABLE.write_ipc),
    "jsonl": written(TABLE.write_ndjson),
    "npy": written(np.save, np.eye(3)),
    "npz": written(np.savez, np.eye(3)),
    "idx": bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4]),
    "svmlight": b"+1 1:0.5 7:2\n-1\n+1 3:1e-3 # comment\n",
    "csv": b"age,kind\n1,dog\n2,cat\n",
}
READERS = {
    "parquet": ColumnarSource,
    "arrow": ColumnarSource,
    "jsonl": JsonLinesSource,
    "npy": NumpySource,
    "npz": NumpySource,
    "idx": IdxSource,
}


def write(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def name_of_format(file: str) -> str:
    return format_of(file, Options()).name


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("kind", CONTENTS)
def test_content_decides_where_the_name_says_nothing(tmp_path, kind, suffix):
    for name in ("t", "a9a.t", "sonar.data"):
        write(tmp_path / name, CONTENTS[kind])
        assert name_of_format(packed(tmp_path / name, suffix)) == kind


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize(
    ("kind", "suffix"), [(kind.name, suffix) for kind in FORMATS for suffix in kind.suffixes]
)
def test_the_suffix_decides_before_the_content(tmp_path, kind, suffix, packing):
    write(tmp_path / f"t{suffix}", b"anything")
    assert name_of_format(packed(tmp_path / f"t{suffix}", packing)) == kind
    assert name_of_format(write(tmp_path / f"T{suffix.upper()}", b"anything")) == kind


def test_the_format_asked_for_decides_before_all(tmp_path):
    file = write(tmp_path / "t.csv", CONTENTS["parquet"])
    source = open_source([file], Options(format="parquet"))
    assert [chunk.frame.rows() for chunk in source] == [TABLE.rows()]


def test_every_suffix_belongs_to_one_format():
    suffixes = [suffix for kind in FORMATS for suffix in kind.suffixes]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize("kind", READERS)
def test_the_reader_is_opened(tmp_path, kind):
    source = open_source([write(tmp_path / "t", CONTENTS[kind])])
    assert isinstance(source, READERS[kind])
    assert sum(map(len, source)) == {"npy": 3, "npz": 3}.get(kind, 2)


@pytest.mark.parametrize(
    "text",
    [
        b"1 2:3\n",
        b"# comment\n\n1 2:3\n",
        b"1:2 3:4\n",
        b"3 qid:1 1:0.5\n",
        b"0 1:1\n" * SNIFFED_BYTES,
        b"1 " + b"1:1 " * SNIFFED_BYTES,
        b"\xef\xbb\xbf1 2:3\n",
    ],
)
def test_svmlight(tmp_path, text):
    assert name_of_format(write(tmp_path / "t", text)) == "svmlight"


@pytest.mark.parametrize(
    "text",
    [
        b"0.1,0.2,M\n",
        b"1\n2\n3\n",
        b"2020-01-01 12:30\n",
        b"time\n12:30\n",
        b"dog 1:2\n",
        b"1 2:3\n1 2 3\n",
        b"PKs,count\n",
        b"\n\n",
        b"a;b\n1;2\n",
    ],
)
def test_delimited_text(tmp_path, text):
    assert name_of_format(write(tmp_path / "t", text)) == "csv"


def test_a_glob_is_one_source(tmp_path):
    for name in ("b", "a"):
        write(tmp_path / f"{name}.jsonl", f'{{"name": "{name}"}}\n'.encode())
    source = open_source([str(tmp_path / "*.jsonl")])
    assert [chunk.frame["name"][0] for chunk in source] == ["a", "b"]


def test_standard_input(monkeypatch):
    class Input:
        buffer = io.BytesIO(CONTENTS["parquet"])

    files._spooled_input.cache_clear()
    monkeypatch.setattr("sys.stdin", Input)
    source = open_source(["-"])
    for _ in range(2):
        assert [chunk.frame.rows() for chunk in source] == [TABLE.rows()]
    files._spooled_input.cache_clear()


@pytest.mark.parametrize("name", NAMES)
def test_built_in_data(name):
    source = open_source([f"builtin:{name}"])
    data = builtin(name)
    assert isinstance(source, BuiltinSource)
    assert source.name == f"builtin:{name}"
    assert source.feature_names == data.feature_names
    for _ in range(2):
        (chunk,) = source
        np.testing.assert_array_equal(chunk.rows, data.X)
        np.testing.assert_array_equal(chunk.labels, data.y)
    (chunk,) = open_source([f"builtin:{name}"], labelled=False)
    assert chunk.labels is None


def test_target_and_labels_reach_the_reader_of_arrays(tmp_path):
    file = write(tmp_path / "t.npy", written(np.save, np.arange(6).reshape(2, 3)))
    (chunk,) = open_source([file], target="0")
    assert chunk.labels.tolist() == [0, 3]
    (chunk,) = open_source([file], labelled=False)
    assert chunk.labels is None
    assert chunk.rows.shape == (2, 3)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["builtin:irsi"], "no built-in data called 'irsi'. Did you mean 'iris'?"),
        (
            ["builtin:iris", "builtin:xor"],
            "A built-in dataset cannot be combined with other sources; got builtin:iris",
        ),
        (["no.csv"], "no.csv does not exist"),
        (["no*.csv"], r"no\*.csv matches no file"),
        (["."], "is a directory. Name its files"),
        ([], "No file given"),
    ],
)
def test_names_that_mean_nothing(names, words):
    with pytest.raises(SourceError, match=words.replace("?", r"\?")):
        open_source(names)


def test_an_empty_file(tmp_path):
    for name in ("t", "t.csv", "t.parquet", "t.npy"):
        with pytest.raises(SourceError, match=f"{name} is empty"):
            open_source([write(tmp_path / name, b"")])


def test_files_of_two_formats(tmp_path):
    files = [write(tmp_path / f"t.{kind}", CONTENTS[kind]) for kind in ("parquet", "jsonl")]
    with pytest.raises(SourceError, match=r"t\.parquet is parquet, but .*t\.jsonl is jsonl"):
        open_source(files)


def test_an_unknown_format(tmp_path):
    file = write(tmp_path / "t", b"x")
    with pytest.raises(SourceError, match=r"no format 'parket'\. Did you mean 'parquet'\?"):
        open_source([file], Options(format="parket"))


@pytest.mark.parametrize("name", ["builtin:iris", "t.idx", "t.svm"])
def test_a_target_where_labels_have_their_own_place(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for kind in ("idx", "svmlight"):
        write(tmp_path / f"t.{kind[:3]}", CONTENTS[kind])
    with pytest.raises(SourceError, match=f"{name} has its own labels; leave out the target 'x'"):
        open_source([name], target="x")


def test_no_reader_is_loaded_before_it_is_needed():
    code = (
        "import sys; from rosenblatt.io import formats;"
        "print([m for m in ('polars', 'numba', 'sklearn', 'zstandard') if m in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "text", ["1 1:2 3:1\n-1 2:5\n", "1:2 3:1\n2:5\n", "# rows\n\n1:2 3:1\n2:5\n"]
)
def test_svmlight_rows_that_need_no_label_may_have_one(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text(text)
    chunks = list(open_source([str(file)], labelled=False))
    widths = [row.sum() for chunk in chunks for row in matrix_of(chunk.rows).toarray()]
    assert [w for w in widths if w] == [3.0, 5.0]


@pytest.mark.parametrize("name", ["a.xlsx", "a.xls", "a.ODS"])
def test_a_spreadsheet_gets_advice(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04 and more")
    with pytest.raises(SourceError, match=r"is a spreadsheet\. Save it as CSV or Parquet"):
        open_source([str(tmp_path / name)])
