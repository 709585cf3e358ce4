"""The dialect of delimited text, found out from its first lines."""

import csv
import io

import pytest

from rosenblatt.errors import SourceError
from rosenblatt.io.csv_dialect import MAX_SAMPLED_RECORDS, detect_dialect
from rosenblatt.io.files import Options

WORDS = [["dog", "1.5", "a, b; c"], ["cat", "2.25", "d | e"], ["fox", "-3.0", 'say "so"']]


def found(text: str, file: str = "t.csv", **options):
    return detect_dialect(file, text, Options(**options))


def written(records, **style) -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, **style).writerows(records)
    return stream.getvalue()


@pytest.mark.parametrize("separator", ",;|\t")
@pytest.mark.parametrize("style", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
def test_the_separator_is_found(separator, style):
    records = [["kind", "size", "note"], *WORDS]
    dialect = found(written(records, delimiter=separator, quoting=style))
    assert dialect.separator == separator
    assert dialect.names == ("kind", "size", "note")
    assert dialect.header
    assert not dialect.decimal_comma


def test_records_of_many_lines_do_not_hide_the_separator():
    record = ["x, y", "line\n" * 7 + "end", "3"]
    dialect = found(written([["a", "b", "c"], *[record] * MAX_SAMPLED_RECORDS], delimiter=";"))
    assert dialect.separator == ";"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n", True),
        ("1,2\n3,4\n", False),
        ("a,2019\n3,4\n", False),
        ("p,x,s\ne,x,s\np,y,s\n", False),
        ("name,kind\ntom,cat\nrex,dog\n", True),
        ("name,kind\ntom,kind\n", False),
        (",,\n1,2,3\n", False),
        (",b\n1,x\n", True),
        ("-1e3,b\n1,x\n", False),
        ("a,b", True),
        ("1,2", False),
        (",0,1", False),
        ("0,1,target", True),
        ("0,1,2,target\n5.1,3.5,1.4,0\n4.9,3.0,1.3,1\n", True),
        ("0,1,2,target\n5.1,3.5,1.4,setosa\n4.9,3.0,1.3,setosa\n", True),
        ("target,0,1\na,3.5,1.4\nb,3.0,1.3\n", True),
        ("0,1,Kind\n1,1,0\n0,1,1\n", True),
        (",0,1,target\n0,5.1,3.5,a\n1,4.9,3.0,b\n", True),
        (",0,1,2\n0,5.1,3.5,1\n1,4.9,3.0,0\n", True),
        ("town,2019,2020\nBonn,4,5\nKiel,4,?\n", False),
        ("rain,2019,2020,2021\n3,4,5,6\n2.5,4,?,7\n", True),
        ("900.5,900.0,899.5,protein\n1,2,3,11.5\n2,3,4,\n1,2,3,12\n", True),
        ("5.1,3.5,1.4,0.2,setosa\n4.9,3.0,1.4,0.2,setosa\n7.0,3.2,4.7,1.4,versicolor\n", False),
        ("1,2,3,setosa\n4,5,6,versicolor\n", False),
        ("0,1,2,setosa\n4,5,6,versicolor\n", False),
        ("0,1,2,y\n1,2,3,n\n3,2,1,y\n", False),
        ("5.1,?,1.4\n4.9,3.0,1.3\n4.9,3.0,1.3\n", False),
        ("1,NA,3\n4,3.0,1\n4,3.0,1\n", False),
        ("1,-,3\n4,3.0,1\n4,3.0,1\n", False),
        ("1,nan,inf\n4,3.0,1\n4,3.0,1\n", False),
        ("3,1,2,many\n5,3,1,0\n4,3,1,1\n", False),
        ("0,1,2,3\n5.1,3.5,1.4,0\n4.9,3.0,1.3,1\n", False),
        ("a,b\n1,2\na,b\n3,4\n", True),  # files with headers, one after another
        ("true,tom\nfalse,rex\n", False),
        ("2020-01-05,tom\n2021-03-07,rex\n", False),
        ("NA,?\n1,2\n3,4\n", False),
        ("?,tom\n1,rex\n2,bob\n", False),
        ("RI,NA,MG\n1.52,13.6,4.5\n1.51,13.9,3.6\n", True),
        ("town,2019-01-01,2019-02-01\n" + "Bonn,1,2\nKiel,3,4\n" * 5, True),
        ("tom,cat,unknown\nrex,cat,3\nbob,dog,4\n", False),
    ],
)
def test_whether_there_is_a_header(text, header):
    assert found(text).header is header
    assert found(text, header=True).header
    assert not found(text, header=False).header


NAMES = ["size", "colour", "note", "kind"]
TABLE = [
    [str(i % 7), ["red", "grey", "blue"][i % 3], f"seen {i * 37 % 50}", ["cat", "dog"][i % 2]]
    for i in range(60)
]


@pytest.mark.parametrize("width", [2, 3, 4])
@pytest.mark.parametrize("n", [12, 60])
def test_a_name_that_is_a_cell_of_its_column_hides_no_header(width, n):
    rows = [row[:width] for row in TABLE[:n]]
    for column in range(width):
        for i in range(0, n, 5):
            cells = [*rows[:i], put(rows[i], column, NAMES[column]), *rows[i + 1 :]]
            assert found(written([NAMES[:width], *cells])).header, (column, i)
    assert not found(written(rows)).header


def put(row, column, cell):
    return [*row[:column], cell, *row[column + 1 :]]


def test_a_row_of_words_is_no_header_whichever_it_is():
    rows = [[["p", "e"][i % 2], "xbsfk"[i % 5], "yn"[i % 3 // 2]] for i in range(60)]
    assert not any(found(written([row, *rows])).header for row in rows)


def test_known_names_make_a_header():
    text = "name,kind\ntom,kind\nrex,name\n"
    assert not found(text).header
    dialect = detect_dialect("t.csv", text, Options(), names=["kind"])
    assert dialect.names == ("name", "kind")
    assert not detect_dialect("t.csv", text, Options(), names=["x2"]).header
    assert not detect_dialect("t.csv", text, Options(header=False), names=["kind"]).header


def test_names():
    assert found("a , b\n1,2\n").names == ("a", "b")
    assert found("1,2\n3,4\n").names == ("x1", "x2")
    assert found("a,,\n1,2,3\n").names == ("a", "x2", "x3")
    assert found('"a, b","c ""d"""\n1,2\n').names == ("a, b", 'c "d"')


@pytest.mark.parametrize(
    ("text", "comma"),
    [
        ("a;b\n1,5;x\n2,25;y\n", True),
        ("a;b\n1.5;x\n2,25;y\n", False),
        ("a;b\n1;x\n2;y\n", False),
        ("a;b\n1;x,y\n2;y\n", False),
        ("a\tb\n,5\tx\n-0,5\ty\n", True),
        ('a,b\n"1,5",x\n"2,5",y\n', False),
    ],
)
def test_a_decimal_comma(text, comma):
    assert found(text).decimal_comma is comma


@pytest.mark.parametrize(
    "text",
    [
        'label\ttext\nham\t"so he said\nspam\t5" pipe\n',
        'label\ttext\nham\t"so he said\nspam\tor not"\n',
        'label\ttext\nham\t"hello"\nspam\t"so" he said\n',
        'label\ttext\tn\nham\t"so he said\t1\nspam\tno\t2\n',
        "label\ttext\n" + "ham\thello\n" * MAX_SAMPLED_RECORDS + 'ham\t"so" he said\n',
    ],
)
def test_stray_quotes_in_a_tsv_are_letters(text):
    assert found(text, "t.tsv").quote is None


@pytest.mark.parametrize(
    "text",
    [
        written([["a", "b"], ["1", "x\ty"]], delimiter="\t"),
        written([["a", "b"], ["1", "x\ny"]], delimiter="\t"),
        written([["a", "b"], ["1", 'say "so"']], delimiter="\t"),
        written([["a", "b"], ["1", "x"], ["2", "y z"]], delimiter="\t", quoting=csv.QUOTE_ALL),
        'a\tb\n1\t"x"\n2\t5" pipe\n',
        '"a"\t"b"\n1\t"x"\n',
        "a\tb\n1\tx\n",  # there may be quotes further down
        'a\n"x\ny"\n',
        'a\tb\n1\t"x\n',  # where the sample ends
    ],
)
def test_quotes_around_cells_of_a_tsv_are_quotes(text):
    assert found(text, "t.tsv", separator="\t").quote == '"'


def test_a_single_column():
    assert found("a\n1\n2\n").names == ("a",)
    assert found("a\n1\n2\n", "t.tsv").separator == "\t"


@pytest.mark.parametrize("separator", ["::", "", "§", '"', "\n"])
def test_what_cannot_separate(separator):
    with pytest.raises(SourceError, match="is not a separator: give one ASCII character"):
        found("a,b\n1,2\n", separator=separator)


def test_an_empty_head():
    with pytest.raises(SourceError, match=r"t\.csv is empty"):
        found("\n \n")
