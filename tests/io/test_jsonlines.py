"""JSON lines: what Python's json and pandas wrote comes back; the first wrong line is named."""

import json
import re
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packing import PACKERS, packed

from rosenblatt.errors import SourceError
from rosenblatt.io.jsonlines import JsonLinesSource

ROWS = [
    {"age": 1, "weight": 2, "tame": True, "kind": "dog"},
    {"age": 2, "weight": 2.5, "tame": None, "kind": "Katze 🐈"},
    {"age": None, "kind": "12", "note": 'late\nand quoted "so"'},
    {"kind": None, "tame": False, "weight": -1e-3},
]
TYPES = {
    "age": pl.Int64,
    "weight": pl.Float64,
    "tame": pl.Boolean,
    "kind": pl.String,
    "note": pl.String,
}


def write(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def together(source: JsonLinesSource) -> pl.DataFrame:
    return pl.concat([chunk.frame for chunk in source])


@pytest.mark.parametrize("piece", [1, 60, 100, 1 << 20])
def test_every_piece_size_gives_the_same_rows_and_types(tmp_path, piece):
    source = JsonLinesSource((write(tmp_path / "t.jsonl", lines(ROWS)),), piece)
    for _ in range(2):
        found = together(source)
        assert dict(found.schema) == TYPES
        assert found.rows(named=True) == [{key: row.get(key) for key in TYPES} for row in ROWS]


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "number": st.none() | st.integers(-(2**53), 2**53) | st.floats(-1e300, 1e300),
                "text": st.none() | st.text(st.characters(exclude_categories=["Cs"])),
                "truth": st.none() | st.booleans(),
            },
        ),
        min_size=1,
    ).filter(any),
    st.integers(1, 200),
)
def test_what_json_writes_comes_back(tmp_path_factory, rows, piece):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    found = together(JsonLinesSource((write(path, lines(rows)),), piece)).rows(named=True)
    assert found == [{key: row.get(key) for key in found[0]} for row in rows]
    assert {key for row in rows for key in row} == set(found[0])


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files(tmp_path, suffix):
    write(tmp_path / "t.jsonl", lines(ROWS))
    source = JsonLinesSource((packed(tmp_path / "t.jsonl", suffix),))
    assert dict(together(source).schema) == TYPES


def test_a_file_that_pandas_wrote(tmp_path):
    frame = pd.DataFrame({"age": [1.5, None], "kind": ["dog", "cat"]})
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    found = together(JsonLinesSource((str(tmp_path / "t.jsonl"),)))
    assert found.to_dict(as_series=False) == {"age": [1.5, None], "kind": ["dog", "cat"]}


def test_several_files_share_their_types(tmp_path):
    first = write(tmp_path / "1.jsonl", '{"age": 1}\n{"age": 2}')
    second = write(tmp_path / "2.jsonl", '{"age": 2.5, "kind": "dog"}\n')
    chunks = list(JsonLinesSource((first, second)))
    places = [chunk.place.at(row) for chunk in chunks for row in range(len(chunk))]
    assert places == [f"{first}, line 1", f"{first}, line 2", f"{second}, line 1"]
    assert all(dict(c.frame.schema) == {"age": pl.Float64, "kind": pl.String} for c in chunks)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_places_are_lines_even_where_some_are_blank(tmp_path, end):
    text = end.join(["", '{"x": 2}', '{"x": 3}', "", "  ", '{"x": 6}', ""])
    for chunk in JsonLinesSource((write(tmp_path / "t.jsonl", text),)):
        for row, value in enumerate(chunk.frame["x"]):
            assert chunk.place.at(row).endswith(f"line {value}")


def test_numbers_too_long_for_an_integer(tmp_path):
    text = '{"x": 123456789012345678901}\n{"x": 1e2}\n{"x": 3}\n'
    for piece in (1, 1 << 20):
        found = together(JsonLinesSource((write(tmp_path / "t.jsonl", text),), piece))
        assert found["x"].to_list() == [123456789012345678901.0, 100.0, 3.0]


def test_a_byte_order_mark_is_passed_over(tmp_path):
    source = JsonLinesSource((write(tmp_path / "t.jsonl", b'\xef\xbb\xbf{"x": 1}\n'),))
    assert together(source).columns == ["x"]


OBJECT = "Every line must hold one object"
BAD = {
    "cut": ('{"x": 1}\n{"x":\n', "line 2: '{\"x\":' is not JSON. " + OBJECT),
    "two on a line": ('{"x": 1} {"x": 2}\n', 'line 1: \'{"x": 1} {"x": 2}\' is not JSON.'),
    "csv": ("x,y\n1,2\n", "line 1: 'x,y' is not JSON. " + OBJECT),
    "array": ('[{"x": 1}]\n', "line 1: '[{\"x\": 1}]' is not an object. " + OBJECT),
    "number": ('{"x": 1}\n\n7\n', "line 3: '7' is not an object. " + OBJECT),
    "indented": ('{\n  "x": 1\n}\n', "line 1: '{' is not JSON. " + OBJECT),
    "long": ('{"x": "' + "a" * 200, 'line 1: \'{"x": "' + "a" * 53 + "…' is not JSON."),
    "NaN": ('{"x": 1}\n{"x": NaN}\n', "line 2: NaN is not JSON. Write null"),
    "huge": ('{"x": 1e400}\n', "line 1, key 'x': the number is too large for float64"),
    "junk": (b"\x00\xff\xfe\x81junk", "line 1: "),
    "not UTF-8": (b'{"x": "\xff"}\n', 'line 1: \'{"x": "�"}\' is not JSON.'),
    "long text in numbers": (
        '{"x": 1}\n{"x": "' + "é" * 100 + '"}\n',
        "line 2, key 'x': \"" + "é" * 59 + "… is text, where",
    ),
    "deep": ("[" * 100_000 + "\n", "line 1: '" + "[" * 60 + "…' is not JSON."),
    "twice": ('{"x": 1, "x": "a"}\n', "line 1: the key 'x' occurs twice."),
    "list": ('{"x": 1, "z": [1, 2]}\n', "line 1, key 'z': '[1, 2]' is nested."),
    "object": ('{"x": {"z": 1}}\n', "line 1, key 'x': '{\"z\": 1}' is nested."),
    "list as text": ('{"x": "a"}\n{"x": ["b"]}\n', "line 2, key 'x': '[\"b\"]' is nested."),
    "text in numbers": (
        '{"x": 1}\n{}\n{"x": "n/a"}\n',
        "line 3, key 'x': \"n/a\" is text, where earlier lines have a number.",
    ),
    "number in texts": (
        '{"x": "a"}\n{"x": 2}\n',
        "line 2, key 'x': 2 is a number, where earlier lines have text.",
    ),
    "truth in texts": (
        '{"x": "a"}\n{"x": true}\n',
        "line 2, key 'x': true is true or false, where earlier lines have text.",
    ),
    "truth in numbers": (
        '{"x": 0}\n{"x": true}\n',
        "line 2, key 'x': true is true or false, where earlier lines have a number.",
    ),
}


@pytest.mark.parametrize("piece", [1, 1 << 20])
@pytest.mark.parametrize(("text", "words"), BAD.values(), ids=BAD)
def test_the_first_wrong_line_is_named(tmp_path, text, words, piece):
    source = JsonLinesSource((write(tmp_path / "t.jsonl", text),), piece)
    with pytest.raises(SourceError, match=re.escape(f"t.jsonl, {words}")):
        list(source)


def test_a_clash_between_files_names_the_later_one(tmp_path):
    first = write(tmp_path / "1.jsonl", '{"x": 1}\n')
    second = write(tmp_path / "2.jsonl", '{"x": null}\n{"x": "one"}\n')
    with pytest.raises(SourceError, match=r"2\.jsonl, line 2, key 'x': \"one\" is text"):
        list(JsonLinesSource((first, second)))


@pytest.mark.parametrize("text", ["", "\n \n", "{}\n{}\n"])
def test_no_rows(tmp_path, text):
    with pytest.raises(SourceError, match=r"t\.jsonl has no rows"):
        list(JsonLinesSource((write(tmp_path / "t.jsonl", text),)))


def test_a_missing_file(tmp_path):
    with pytest.raises(SourceError, match=r"no\.jsonl cannot be read: No such file"):
        list(JsonLinesSource((str(tmp_path / "no.jsonl"),)))


def test_a_packed_file_cut_short(tmp_path):
    write(tmp_path / "t.jsonl", lines(ROWS * 100))
    file = Path(packed(tmp_path / "t.jsonl", ".gz"))
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(SourceError, match=r"t\.jsonl\.gz is damaged"):
        list(JsonLinesSource((str(file),)))
