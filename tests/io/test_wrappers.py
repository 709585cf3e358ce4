"""Sources made of sources: rows that are kept, and some of the rows."""

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from rosenblatt.csr import CSR
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import CachedSource, Chunk, Matrix, Place, SelectedRows, Table, size_of


class Numbered:
    """Chunks of two rows, counted as they are read; one of them may be broken."""

    name = "numbered"

    def __init__(self, n: int, broken: int | None = None) -> None:
        self.n, self.broken, self.reads = n, broken, 0

    def __iter__(self) -> Iterator[Table]:
        for k in range(self.n):
            if k == self.broken:
                raise SourceError(f"chunk {k} is broken")
            self.reads += 1
            yield Table(pl.DataFrame({"a": [2 * k, 2 * k + 1]}), Place("f", line=2 * k + 2))


def numbers(source) -> list[int]:
    return [value for chunk in source for value in chunk.frame["a"]]


ALL = list(range(10))
CHUNK = size_of(next(iter(Numbered(1))))


def test_kept_chunks_are_read_once():
    behind = Numbered(5)
    source = CachedSource(behind)
    assert [numbers(source) for _ in range(3)] == [ALL] * 3
    assert behind.reads == 5
    assert source.name == "numbered"


@pytest.mark.parametrize("room", range(6))
@pytest.mark.parametrize("stop", range(1, 6))
def test_a_reading_that_is_broken_off_changes_nothing(room, stop):
    behind = Numbered(5)
    source = CachedSource(behind, max_bytes=room * CHUNK)
    for k, _ in enumerate(source, 1):
        if k == stop:
            break
    assert behind.reads == stop
    assert [numbers(source) for _ in range(3)] == [ALL] * 3
    if room == 5:
        assert behind.reads == 5


@pytest.mark.parametrize("room", range(6))
def test_readings_may_go_on_side_by_side(room):
    source = CachedSource(Numbered(5), max_bytes=room * CHUNK)
    first, second = iter(source), iter(source)
    found: tuple[list[Chunk], list[Chunk]] = ([], [])
    for turn in (0, 0, 1, 0, 1, 1, 1, 0, 0, 1):
        found[turn].append(next((first, second)[turn]))
    assert next(first, None) is None
    assert next(second, None) is None
    assert numbers(found[0]) == numbers(found[1]) == numbers(source) == ALL


def test_what_is_too_large_is_not_kept():
    source = CachedSource(Numbered(5), max_bytes=2 * CHUNK)
    numbers(source)
    assert source._cache == []


def test_an_error_comes_every_time():
    source = CachedSource(Numbered(5, broken=3))
    for _ in range(3):
        with pytest.raises(SourceError, match="chunk 3 is broken"):
            numbers(source)


@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_rows_are_chosen_by_number_whatever_the_chunks(chunks):
    frame = pl.DataFrame({"a": range(20)})
    parts = [frame[k * 20 // chunks : (k + 1) * 20 // chunks] for k in range(chunks)]
    starts = np.cumsum([0, *(len(part) for part in parts)])
    tables = [Table(p, Place("f", line=int(s) + 2)) for p, s in zip(parts, starts, strict=False)]
    chosen = SelectedRows(tables, lambda rows: rows % 3 == 1)
    assert numbers(chosen) == list(range(1, 20, 3))
    lines = [chunk.place.at(row) for chunk in chosen for row in range(len(chunk))]
    assert lines == [f"f, line {value + 2}" for value in range(1, 20, 3)]


def test_chosen_rows_of_a_matrix_keep_their_labels_and_places():
    rows = CSR(np.arange(1.0, 5), np.array([0, 2, 1, 0]), np.array([0, 2, 2, 4]), 3)
    chunk = Matrix(rows, np.array(["x", "y", "z"]), Place("f", row=10))
    (taken,) = SelectedRows([chunk], lambda rows: rows != 1)
    assert taken.labels.tolist() == ["x", "z"]
    assert taken.rows.indptr.tolist() == [0, 2, 4]
    assert taken.rows.data.tolist() == [1, 2, 3, 4]
    assert taken.place.at(1) == "f, row 12"


def test_chunks_without_a_chosen_row_are_passed_over():
    assert list(SelectedRows(Numbered(5), lambda rows: rows < 0)) == []
    assert len(list(SelectedRows(Numbered(5), lambda rows: rows == 9))) == 1
