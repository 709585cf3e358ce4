"""CsvSource text: what the csv module wrote comes back, whatever the pieces; trouble is named."""

import csv
import io
import re
from functools import partial
from itertools import pairwise
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from packing import PACKERS, packed

from rosenblatt.errors import SourceError
from rosenblatt.io import csv as delimited
from rosenblatt.io import files
from rosenblatt.io.csv import CsvSource
from rosenblatt.io.csv_dialect import last_record_end
from rosenblatt.io.files import MISSING, Options

TEXT = st.text("abcXYZ019 .,;|\t\n\"'äß€漢🐈-_:#", max_size=12)
NUMBERS = st.one_of(
    st.integers(-(10**15), 10**15).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e3, 1e3).map("{:.3f}".format),
    st.sampled_from(["", "NA", "?", "1e5", "1E+05", ".5", "5.", "+3", "-0", " 7", "8 ", "  "]),
)


def write(path: Path, content: str | bytes) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def source(path: Path, content: str | bytes, **options) -> CsvSource:
    return CsvSource((write(path, content),), Options(**options))


def rows(found: CsvSource) -> list[tuple]:
    return [row for chunk in found for row in chunk.frame.rows()]


def places(found: CsvSource) -> list[int]:
    return [
        int(chunk.place.at(row).rpartition(" ")[2]) for chunk in found for row in range(len(chunk))
    ]


@st.composite
def tables(draw):
    """A table as text, the cells that are in it, and the line where each row begins."""
    kinds = draw(st.lists(st.sampled_from(["number", "word"]), min_size=1, max_size=4))
    cells = st.tuples(*(NUMBERS if kind == "number" else TEXT for kind in kinds))
    records = draw(st.lists(cells, min_size=1, max_size=12))
    separator, ending = draw(st.sampled_from(",;|\t ")), draw(st.sampled_from(["\n", "\r\n"]))
    comma = separator != "," and draw(st.booleans())
    if comma:
        records = [
            tuple(
                c.replace(".", ",") if k == "number" else c for c, k in zip(r, kinds, strict=True)
            )
            for r in records
        ]
    style = csv.QUOTE_ALL if separator in "\t " else draw(st.sampled_from([0, csv.QUOTE_ALL]))
    text, lines = "", []
    for record in [tuple(f"{kind}{j}" for j, kind in enumerate(kinds)), *records]:
        if lines and draw(st.booleans()):
            text += draw(st.sampled_from([ending, 2 * ending]))
        lines.append(text.count("\n") + 1)
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter=separator, lineterminator=ending, quoting=style).writerow(
            record
        )
        text += stream.getvalue()
    if draw(st.booleans()):
        text = text.removesuffix(ending)
    wanted = [
        (line, tuple(_cell(c, k, comma=comma) for c, k in zip(record, kinds, strict=True)))
        for line, record in zip(lines[1:], records, strict=True)
        if len(kinds) > 1 or record[0].strip()
    ]
    words = frozenset(f"word{j}" for j, kind in enumerate(kinds) if kind == "word")
    options = Options(separator=separator, header=True, decimal_comma=comma, string_columns=words)
    return ("\ufeff" if draw(st.booleans()) else "") + text, options, wanted


def _cell(cell: str, kind: str, *, comma: bool) -> float | str | None:
    cell = cell.strip()
    if cell in MISSING:
        return None
    return cell if kind == "word" else float(cell.replace(",", ".") if comma else cell)


@given(tables(), st.sampled_from([7, 40, 1 << 20]))
def test_what_the_csv_module_wrote_comes_back(tmp_path_factory, table, size):
    text, options, wanted = table
    file = write(tmp_path_factory.getbasetemp() / "t.csv", text)
    with mock.patch.object(delimited, "pieces", partial(files.pieces, size=size)):
        found = CsvSource((file,), options)
        if not wanted:
            with pytest.raises(SourceError, match="no rows"):
                rows(found)
            return
        assert repr(rows(found)) == repr([row for _, row in wanted])  # by repr: -0.0 is not 0.0
        assert places(found) == [line for line, _ in wanted]


@given(st.lists(st.lists(TEXT, min_size=2, max_size=2), min_size=1, max_size=8), st.integers(1, 60))
def test_pieces_are_whole_records(tmp_path_factory, records, size):
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(records)
    file = write(tmp_path_factory.getbasetemp() / "t.csv", stream.getvalue())
    pieces = list(files.pieces(file, size=size, last_end=partial(last_record_end, separators=",")))
    assert b"".join(piece.text for piece in pieces).decode() == stream.getvalue()
    parts = [csv.reader(io.StringIO(piece.text.decode(), newline="")) for piece in pieces]
    assert [record for part in parts for record in part] == records
    assert pieces[0].line == 1
    for piece, after in pairwise(pieces):
        assert after.line == piece.line + piece.text.count(b"\n")


@given(st.text(st.sampled_from('""rs,\n'), min_size=1, max_size=60), st.integers(1, 20))
@example('r,5"\nr,"s\n,s"\nr,s\n', 10)
@example('\ufeff"r,""s\n"",s"\nr,s\n', 10)
def test_pieces_are_whole_records_whatever_quotes_are_in_cells(tmp_path_factory, text, size):
    file = write(tmp_path_factory.getbasetemp() / "p.csv", text)
    pieces = list(files.pieces(file, size=size, last_end=partial(last_record_end, separators=",")))
    assert b"".join(piece.text for piece in pieces).decode() == text
    parts = [piece.text.removeprefix(files.BOM).decode() for piece in pieces]
    records = [record for part in parts for record in csv.reader(io.StringIO(part, newline=""))]
    assert records == list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_a_stray_quote_among_records_of_several_lines_is_text(tmp_path):
    record = 'x,"a line\nand another"\n'
    n = 2 * delimited.SAMPLE_BYTES // len(record)
    found = rows(source(tmp_path / "t.csv", 'a,b\nx,5" pipe\n' + record * n))
    assert found == [("x", '5" pipe')] + [("x", "a line\nand another")] * n


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files(tmp_path, suffix):
    write(tmp_path / "t.csv", "a,b\n1,x\n2,y\n")
    assert rows(CsvSource((packed(tmp_path / "t.csv", suffix),), Options())) == [
        (1.0, "x"),
        (2.0, "y"),
    ]


def test_a_source_is_read_anew_each_time(tmp_path):
    found = source(tmp_path / "t.csv", "a,b\n1,x\n2,y\n")
    assert rows(found) == rows(found) == [(1.0, "x"), (2.0, "y")]


def test_several_files_are_one_table(tmp_path):
    files = tuple(write(tmp_path / f"{n}.csv", f"a,b\n{n},x\n") for n in range(3))
    found = CsvSource(files, Options())
    assert rows(found) == [(0.0, "x"), (1.0, "x"), (2.0, "x")]
    assert [chunk.place.at(0) for chunk in found] == [f"{file}, line 2" for file in files]
    assert found.name == f"{files[0]} and 2 more"


def test_the_target_and_the_first_file_tell_what_a_header_is(tmp_path):
    texts = ("name,kind\ntom,cat\nrex,dog\n", "name,kind\nkind,kind\n")
    files = tuple(write(tmp_path / f"{n}.csv", text) for n, text in enumerate(texts))
    assert rows(CsvSource(files, Options())) == [("tom", "cat"), ("rex", "dog"), ("kind", "kind")]
    assert rows(CsvSource(files[1:], Options(), target="kind")) == [("kind", "kind")]
    assert len(rows(CsvSource(files[1:], Options()))) == 2


def test_a_file_with_other_columns_is_refused(tmp_path):
    files = (write(tmp_path / "a.csv", "a,b\n1,x\n"), write(tmp_path / "b.csv", "a,c\n1,x\n"))
    with pytest.raises(
        SourceError, match=r"b\.csv has different columns from .*: a, c instead of a, b"
    ):
        rows(CsvSource(files, Options()))


def test_trouble_in_a_later_file_names_that_file(tmp_path):
    good = write(tmp_path / "a.csv", "a,b\n" + "1,x\n" * 20)
    bad = write(tmp_path / "b.csv", "a,b\n1,x\n4o,x\n")
    with pytest.raises(SourceError, match=rf"^{re.escape(bad)}, line 3, column 'a': '4o' is not a"):
        rows(CsvSource((good, bad), Options()))


@pytest.mark.parametrize(
    "word", ["1_000", "0x1", "1d5", "1 000", "1e", "e5", "--1", "+-1", "٣", "1.2.3", "4o", "1,5"]
)
@pytest.mark.parametrize("blank", ["", " "])
def test_what_is_no_number_is_named(tmp_path, word, blank):
    text = "a;b\n" + "1;x\n" * 15 + f"{blank}{word};x\n" + "1;x\n" * 5
    with pytest.raises(SourceError, match="line 17, column 'a': ") as error:
        rows(source(tmp_path / "t.csv", text, separator=";", decimal_comma=False))
    assert f"{word!r} is not a number" in str(error.value)
    assert "--category a" in str(error.value)


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("a,b,c\n1,2,x\n3,4\n5,6,z\n", "line 3: 2 cells where 3 were expected: '3,4'"),
        ("a,b,c\n1,2,x\n3,4,y,u\n5,6,z\n", "line 3: 4 cells where 3 were expected: '3,4,y,u'"),
        ("a,b,c\n1,2,x\n\n3,4,y,\n", "line 4: 4 cells where 3 were expected: '3,4,y,'"),
        ("a,b,c\n1,2,\n3,\n", "line 3: 2 cells where 3 were expected: '3,'"),
        ('a,b\n1,"x\ny"\n2\n', "line 4: 1 cells where 2 were expected: '2'"),
        ('a,b\n1,u\n2,"xy\n3,y\n4,z\n', "line 3: a cell begins with a quote that is never closed"),
        (
            'a,b\n1,u\n2,"xy\n3,y\n4,"z"\n5,v\n',
            "line 3: a cell begins with a quote, and the next one, in line 5, does not close it",
        ),
        ("a,b\r1,x\r2,y\r", "a carriage return within a line"),
        ("a,b\n1,x\n2,y\rz\n", "a carriage return within a line"),
        ("a,b,a\n1,x,2\n", "line 1: two columns are called 'a'"),
        ("x2,\n1,2\n", "line 1: two columns are called 'x2'"),
        ("a,b\n", "has a header but no rows"),
        ("a,b", "has a header but no rows"),
        ("a,b\n\n \n", "has a header but no rows"),
        ("\n\n", "is empty"),
        (b"a,b\n1,x\n2,sk\xe9\n", r"line 3: not UTF-8 text \(b'\\xe9'\)"),
        (b"a,b\n1,x\n2,\0\n", "is not a text table: it holds zero bytes"),
        ("a,b\n1,x\n".encode("utf-16"), "is UTF-16 text; convert it to UTF-8 first"),
    ],
)
def test_trouble_is_told_with_its_place(tmp_path, text, trouble):
    with pytest.raises(SourceError, match=trouble) as error:
        rows(source(tmp_path / "t.csv", text))
    assert str(error.value).startswith(str(tmp_path / "t.csv"))


def test_trouble_far_down_has_its_line(tmp_path):
    good = 'a,b\n1,"x\ny"\n' + "2,z\n" * 5000
    for bad, trouble in [("3\n", "1 cells"), ("u,x\n", "'u' is not a number"), ('4,"u', "a quote")]:
        with (
            mock.patch.object(delimited, "pieces", partial(files.pieces, size=256)),
            pytest.raises(SourceError, match=f"line 5004.*{trouble}"),
        ):
            rows(source(tmp_path / "t.csv", good + bad))


@pytest.mark.parametrize(
    ("line", "trouble"),
    [
        ('1,"u""', "line 3: a cell begins with a quote that is never closed"),
        ('1,"u""\n', "line 3: a cell begins with a quote that is never closed"),
        ("1,u,", "line 3: 3 cells where 2 were expected: '1,u,'"),
    ],
)
def test_trouble_in_the_last_line_is_told_after_the_sample(tmp_path, line, trouble):
    with (
        mock.patch.object(delimited, "SAMPLE_BYTES", len("2,u\n")),
        pytest.raises(SourceError, match=trouble),
    ):
        rows(source(tmp_path / "t.csv", "a,b\n2,u\n" + line))


def test_a_cell_may_be_very_long(tmp_path):
    text = "x" * 300_000
    assert rows(source(tmp_path / "t.csv", f'a,b\n1,{text}\n2,"{text}\n,{text}"\n')) == [
        (1.0, text),
        (2.0, f"{text}\n,{text}"),
    ]


def test_the_sample_for_types_ends_between_records(tmp_path):
    record = '1,"' + "a line\n" * 10 + '"\n'
    n = 2 * delimited.SAMPLE_BYTES // len(record)
    found = rows(source(tmp_path / "t.csv", "a,b\n" + record * n))
    assert found == [(1.0, ("a line\n" * 10).strip())] * n


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("suffix", PACKERS)
def test_the_last_line_tells_types_and_codes_ended_or_not(tmp_path, suffix, end):
    def found(text: str) -> CsvSource:
        write(tmp_path / "t.csv", text + end)
        return CsvSource((packed(tmp_path / "t.csv", suffix),), Options(for_training=True))

    codes = found("x,y\n" + "1,1\n2,2\n" * 10 + "0.5,01")
    assert codes.options.string_columns == {"y"}
    assert rows(codes)[-2:] == [(2.0, "2"), (0.5, "01")]
    assert rows(found("n0\tn1\nNA\tNA\nNA\tred")) == [(None, None), (None, "red")]
    assert rows(found('n0,n1\na,2.5\na,q"')) == [("a", "2.5"), ("a", 'q"')]


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ('5" pipe', '5" pipe'),
        ('x"y"', 'x"y"'),
        ('"x"y', "xy"),
        ('"x"y"', 'xy"'),
        ('""x""', 'x""'),
        ('"x"",y"', 'x",y'),
        ('"x""y"', 'x"y'),
        ('"NA"', None),
        ('""', None),
        (" NA ", None),
        (" x ", "x"),
        ("None", None),
        ("x\u2028y", "x\u2028y"),
    ],
)
def test_quotes_and_blanks_as_the_csv_module_reads_them(tmp_path, cell, read):
    text = f"a,b\n1,u\n2,{cell}\n3,v\n"
    for careful in (text, text + "\n4,w"):  # blank lines take the slow way
        assert rows(source(tmp_path / "t.csv", careful))[:3] == [
            (1.0, "u"),
            (2.0, read),
            (3.0, "v"),
        ]


@given(
    cells=st.lists(st.text(st.sampled_from('""r ,'), max_size=6), min_size=2, max_size=4),
    end=st.sampled_from(["\n", "\r\n"]),
    ended=st.booleans(),
)
@example(cells=["w", '""r""'], end="\n", ended=True)
@example(cells=["w", "r,"], end="\n", ended=False)
def test_polars_reads_cells_as_the_csv_module_does(tmp_path_factory, cells, end, ended):
    first = f"r,r{end}"
    text = f"a,b{end}{first}" + end.join(f"r,{cell}" for cell in cells) + end * ended
    file = write(tmp_path_factory.getbasetemp() / "q.csv", text)

    def told(found: CsvSource) -> list[tuple] | str:
        try:
            return rows(found)
        except SourceError as error:
            return str(error)

    options = Options(separator=",", header=True)
    with mock.patch.object(delimited, "SAMPLE_BYTES", len(first)):
        with mock.patch.object(delimited, "_parsed", return_value=None):
            carefully = told(CsvSource((file,), options))
        assert told(CsvSource((file,), options)) == carefully


def test_blank_lines_are_no_rows_of_a_single_column(tmp_path):
    assert rows(source(tmp_path / "t.csv", "a\nx\n\n  \ny\n")) == [("x",), ("y",)]
    assert rows(source(tmp_path / "t.csv", "a\n1\n\n2\n")) == [(1.0,), (2.0,)]


def test_blank_lines_before_the_header(tmp_path):
    found = source(tmp_path / "t.csv", "\n \r\n\na,b\n1,x\n2,y\n")
    assert found.dialect.names == ("a", "b")
    assert rows(found) == [(1.0, "x"), (2.0, "y")]
    assert places(found) == [5, 6]


def test_types_hold_for_all_pieces(tmp_path):
    text = "n,w,t,e\n" + "1,2x,True,\n" * 30 + "2,3,FALSE,\n" * 30
    with mock.patch.object(delimited, "pieces", partial(files.pieces, size=100)):
        found = source(tmp_path / "t.csv", text)
        kinds = {tuple(chunk.frame.dtypes) for chunk in found}
    assert kinds == {(pl.Float64, pl.String, pl.Boolean, pl.Float64)}
    assert rows(found)[-1] == (2.0, "3", False, None)


def test_a_word_among_booleans_is_named(tmp_path):
    text = "a,b\n" + "true,1\n" * 5 + "yes,1\n"
    with (
        mock.patch.object(delimited, "SAMPLE_BYTES", 20),
        pytest.raises(SourceError, match="'yes' is not true or false"),
    ):
        rows(source(tmp_path / "t.csv", text))


def test_columns_of_numbers_may_be_read_as_strings(tmp_path):
    found = source(tmp_path / "t.csv", "a,b\n01,1\n1.0,2\n", string_columns=frozenset("a"))
    assert rows(found) == [("01", 1.0), ("1.0", 2.0)]


def test_own_words_for_missing_cells(tmp_path):
    found = source(tmp_path / "t.csv", "a,b\n-999,x\n2,n/k\n3,y\n", missing=("-999", "n/k"))
    assert rows(found) == [(None, "x"), (2.0, None), (3.0, "y")]


def test_quotes_of_a_tsv_far_down_are_quotes(tmp_path):
    rest = 'x\t"a\tb"\ny\t"c\nd"\nz\t"say ""so"""\nu\t5" pipe\n'
    text = "n\tt\n" + "w\tword\n" * (delimited.SAMPLE_BYTES // 6) + rest
    assert rows(source(tmp_path / "t.tsv", text, separator="\t"))[-4:] == [
        ("x", "a\tb"),
        ("y", "c\nd"),
        ("z", 'say "so"'),
        ("u", '5" pipe'),
    ]


@pytest.mark.parametrize(
    ("rest", "trouble"),
    [
        ('x\t"a\nz\tc\n', "a cell begins with a quote that is never closed"),
        ('x\t"a\nz\t"c"\n', "a cell begins with a quote, and the next one, in line {}, does not"),
    ],
)
def test_a_stray_quote_of_a_tsv_far_down_is_told(tmp_path, rest, trouble):
    n = delimited.SAMPLE_BYTES // 6
    text = "n\tt\n" + "w\tword\n" * n + rest
    with pytest.raises(SourceError, match=f"line {n + 2}: {trouble.format(n + 3)}"):
        rows(source(tmp_path / "t.tsv", text, separator="\t"))


def test_stray_quotes_of_a_tsv_lose_no_rows(tmp_path):
    found = source(tmp_path / "t.tsv", 'n\tt\n1\t"a\n2\tb\n3\t"c"\n4\t"d" e\n', separator="\t")
    assert rows(found) == [(1.0, '"a'), (2.0, "b"), (3.0, '"c"'), (4.0, '"d" e')]


@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_stray_quote_in_a_header_is_text(tmp_path, separator):
    text = '5" pipe,kind\n1,a\n2,b\n'.replace(",", separator)
    found = source(tmp_path / "t.csv", text)
    assert found.dialect.names == ('5" pipe', "kind")
    assert rows(found) == [(1.0, "a"), (2.0, "b")]
