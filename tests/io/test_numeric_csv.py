"""Numbers of delimited text as a matrix: exactly what csv and float() make of it, or nothing."""

import csv
import gzip
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.errors import SourceError
from rosenblatt.io import csv as delimited
from rosenblatt.io.chunks import Grid, Place, Table
from rosenblatt.io.csv import Delimited
from rosenblatt.io.csv_dialect import Layout
from rosenblatt.io.numeric_csv import grid_values, may_be_grid
from rosenblatt.io.options import Options
from rosenblatt.kernels.parse_float import COMPILED
from rosenblatt.types import Floats

digits = st.text("0123456789", min_size=1, max_size=25)
decimals = st.one_of(
    digits,
    st.builds("{}.{}".format, digits, digits),
    digits.map(".{}".format),
    digits.map("{}.".format),
    st.floats(0, 1e9).map("{:.6f}".format),
    st.floats(0, allow_infinity=False).map(repr),
    st.sampled_from(["0", "5e-324", "1e22", "1E+23", "9007199254740993", "8.5e-23", "2e-324"]),
)
numbers = st.builds("{}{}".format, st.sampled_from(["", "-", "+"]), decimals)
blanks = st.sampled_from(["", "", "", " ", "\t "])
cells = st.one_of(numbers, numbers, st.just("")).flatmap(
    lambda cell: st.builds("{}{}{}".format, blanks, st.just(cell), blanks)
)
strange = st.sampled_from(
    ['"1"', "NA", "nan", "inf", "-inf", "1,5", "0x1F", "1_0", "1e", "-", ".", "e5", "1 2", "1e999"]
)
ends = st.sampled_from(["\n", "\n", "\r\n"])


def layout_of(width: int, separator: str = ",") -> Layout:
    names = tuple(f"x{j}" for j in range(width))
    return Layout(separator, '"', header=False, decimal_comma=False, names=names)


def read(text: str, width: int, separator: str = ",") -> Floats | None:
    return grid_values(text.encode(), layout_of(width, separator), Options())


@st.composite
def tables(draw: st.DrawFn, separator: str = ",") -> tuple[int, str]:
    """The number of columns, and lines of so many cells."""
    width = draw(st.integers(2, 5))
    of_table = cells if separator != "\t" else cells.map(lambda cell: cell.replace("\t", " "))
    lines = draw(st.lists(st.lists(of_table, min_size=width, max_size=width), min_size=1))
    text = "".join(separator.join(line) + draw(ends) for line in lines)
    return width, text if draw(st.booleans()) else text.removesuffix("\n").removesuffix("\r")


def by_python(text: str, separator: str = ",") -> Floats:
    """The referee: a cell is what float() makes of it."""
    lines = csv.reader(StringIO(text), delimiter=separator)
    return np.array([[float(cell.strip() or "nan") for cell in line] for line in lines])


def same(one: Floats, other: Floats) -> bool:
    """Equal to the bit, but for the bits of NaN."""
    return np.array_equal(one, other, equal_nan=True) and bool(
        (np.signbit(one) == np.signbit(other))[~np.isnan(one)].all()
    )


def is_read_so(text: str, width: int, separator: str = ",") -> None:
    wanted, found = by_python(text, separator), read(text, width, separator)
    if np.isinf(wanted).any():
        assert found is None
    else:
        # many long numbers are left to others, who are quicker
        assert found is None or same(found, wanted)


@given(tables())
@example((2, "1,2"))
@example((2, "1,2\n3,\n"))
@example((2, ",\r\n-0, 5 \r\n"))
def test_cells_are_what_float_makes_of_them(table: tuple[int, str]) -> None:
    is_read_so(table[1], table[0])


@given(tables(";"))
def test_the_separator_may_be_another(table: tuple[int, str]) -> None:
    is_read_so(table[1], table[0], ";")


@given(tables("\t"))
def test_a_tab_that_separates_is_no_blank(table: tuple[int, str]) -> None:
    is_read_so(table[1], table[0], "\t")


@pytest.mark.skipif(not COMPILED, reason="without the compiler, float() reads long numbers")
@given(st.lists(st.tuples(st.integers(-(10**11), 10**11), st.integers(0, 10**6)), min_size=1))
def test_numbers_of_up_to_eighteen_digits_are_never_given_up(parts: list[tuple[int, int]]) -> None:
    text = "".join(f"{whole}.{fraction},{whole}e-9\n" for whole, fraction in parts)
    found = read(text, 2)
    assert found is not None
    assert same(found, by_python(text))


@given(tables(), strange, st.data())
def test_one_strange_cell_gives_the_whole_text_up(
    table: tuple[int, str], word: str, data: st.DataObject
) -> None:
    width, text = table
    lines = text.split("\n")
    line = data.draw(st.integers(0, len(lines) - 1 - text.endswith("\n")))
    row = lines[line].split(",")
    row[data.draw(st.integers(0, width - 1))] = word
    lines[line] = ",".join(row)
    assert read("\n".join(lines), width) is None


@pytest.mark.parametrize("far", [True, False])
@pytest.mark.parametrize(
    "line", ["", "  ", "1", "1,2,3", "1,2,", "1 2", "1;2", '"1",2', "1,2\r3,4", "1,2\x00", "1,2é"]
)
def test_a_line_that_is_not_so_gives_the_text_up(line: str, *, far: bool) -> None:
    after = 40 * "3,4\n" if far else "3,4\n"  # the last bytes are read in another way
    assert read(f"3,4\n{line}\n{after}", 2) is None
    assert read(f"3,4\n{after}{line}\n3,4", 2) is None


def test_an_empty_line_of_one_column_is_no_missing_cell() -> None:
    assert read("1\n\n2\n", 1) is None
    assert read("1\n2\n", 1) is not None


def test_many_long_numbers_are_left_to_others() -> None:
    long = "0.12345678901234567890123"
    few, many = f"{long},1\n" + 40 * "1,2\n", 40 * f"{long},1\n"
    found = read(few, 2)
    assert found is not None
    assert found[0, 0] == float(long)
    assert read(many, 2) is None


def test_empty_cells_are_missing_only_if_they_are_said_to_be() -> None:
    layout = layout_of(2)
    assert grid_values(b"1,\n", layout, Options(missing=("NA",))) is None
    assert grid_values(b"1,2\n", layout, Options(missing=("NA",))) is not None


@pytest.mark.parametrize(
    ("layout", "options"),
    [
        (layout_of(2), Options(missing=("", "-999"))),
        (layout_of(2), Options(as_words=frozenset({"x1"}))),
        (layout_of(2, "-"), Options()),
        (layout_of(2, "e"), Options()),
        (layout_of(2, " "), Options()),
        (Layout(";", '"', header=False, decimal_comma=True, names=("a", "b")), Options()),
    ],
)
def test_what_may_mean_something_else_is_not_read_here(layout: Layout, options: Options) -> None:
    assert may_be_grid(layout_of(2), Options())
    assert not may_be_grid(layout, options)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are read as large ones are."""
    monkeypatch.setattr(delimited, "WORTH_COMPILING", 1)


def written(folder: Path, text: str, name: str = "m.csv") -> Delimited:
    path = folder / name
    pack = gzip.compress if name.endswith("gz") else bytes
    path.write_bytes(pack(text.encode()))
    return Delimited((str(path),), Options())


def cut(source: Delimited, size: int, n_threads: int | None = None) -> Delimited:
    return replace(source, size=size, n_threads=n_threads)


def numbers_text(n: int = 200) -> str:
    rng = np.random.default_rng(3)
    rows = np.round(rng.normal(size=(n, 3)), 6)
    lines = [",".join(["" if v > 1.5 else repr(float(v)) for v in row]) for row in rows]
    return "a,b,c\n" + "\n".join(lines) + "\n"


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("name", ["m.csv", "m.csv.gz"])
@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_any_cut_and_any_number_of_threads_give_the_same_rows(
    tmp_path: Path, size: int, n_threads: int, name: str
) -> None:
    text = numbers_text()
    source = cut(written(tmp_path, text, name), size, n_threads)
    chunks = list(source)
    assert all(isinstance(chunk, Grid) for chunk in chunks)
    values = np.concatenate([chunk.values for chunk in chunks if isinstance(chunk, Grid)])
    assert same(values, by_python(text.partition("\n")[2]))
    line = 2
    for chunk in chunks:
        assert chunk.place.at(0) == f"{source.files[0]}, line {line}"
        line += len(chunk)


def test_a_small_file_does_without_the_compiler(tmp_path: Path) -> None:
    (chunk,) = written(tmp_path, numbers_text())
    assert not isinstance(chunk, Grid)


@pytest.mark.usefixtures("eager")
def test_a_piece_with_a_word_becomes_a_table_among_grids(tmp_path: Path) -> None:
    text = "a,b\n" + 50 * "1,2\n" + "3,NA\n" + 50 * '"4",5\n' + 50 * "6,7\n"
    chunks = list(cut(written(tmp_path, text), 64))
    assert {type(chunk) for chunk in chunks} == {Grid, Table}
    columns = np.concatenate([chunk.frame.to_numpy() for chunk in chunks])
    wanted = np.repeat([[1.0, 2], [3, np.nan], [4, 5], [6, 7]], [50, 1, 50, 50], axis=0)
    assert same(columns, wanted)


@pytest.mark.usefixtures("eager")
def test_a_bad_cell_is_named_as_in_small_files(tmp_path: Path) -> None:
    source = written(tmp_path, numbers_text() + "1,4o,2\n")
    with pytest.raises(SourceError, match="line 202, column 'b': '4o' is not a number"):
        list(source)


@pytest.mark.usefixtures("eager")
def test_a_column_of_words_makes_tables(tmp_path: Path) -> None:
    source = written(tmp_path, "a,b\n" + 50 * "1,yes\n")
    assert not any(isinstance(chunk, Grid) for chunk in source)


def test_rows_of_a_grid_are_taken_with_their_places() -> None:
    grid = Grid(("a", "b"), np.arange(6.0).reshape(3, 2), Place("m.csv", 10))
    part = grid.take(np.array([True, False, True]))
    assert part.values.tolist() == [[0, 1], [4, 5]]
    assert part.place.at(1) == "m.csv, line 12"
    assert part.frame.rows() == [(0.0, 1.0), (4.0, 5.0)]
    assert part.column("b").tolist() == [1, 5]
