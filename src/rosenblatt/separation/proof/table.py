"""Checked rows and labels, read exactly.

A proof speaks about numbers, so nothing here may round: float32 and float64 stand for the rational
numbers they are, and integers beyond 2^53 never pass through a float. The checker stands on this
module, so it imports numpy and the standard library only; a scipy sparse matrix is known by its
attributes ``data``, ``indices`` and ``indptr``.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rosenblatt.types import Array, Floats, Ints

BLOCK_ENTRIES = 1 << 21
MAX_COPIED_NUMBERS = 1 << 28  # numbers
MANTISSA_BITS = 53
END_OF_ENTRIES = b"\xff" * 8


class Csr(NamedTuple):
    """Rows in compressed form: row i owns the entries ``indptr[i] : indptr[i + 1]``."""

    data: Array
    indices: Array
    indptr: Array
    shape: tuple[int, int]


class Entries(NamedTuple):
    """The nonzero entries of some rows: position in the list of rows, column, value."""

    row: Ints
    column: Ints
    value: Array


@dataclass(frozen=True, eq=False)
class Table:
    """n rows of d numbers with class codes; class k is written ``classes[k]`` in a proof."""

    X: Array | Csr
    codes: Ints
    classes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of values and labels in order, whatever storage holds them: docs/proof-format.md.

        Entries are (row, column, value); an integer that no float64 holds is written there as 0,
        and follows at the end with its place.
        """
        sizes = f"{self.n} {self.d} {len(self.classes)}"
        digest = hashlib.sha256(f"rosenblatt-data 2\n{sizes}\n".encode())
        for name in sorted(self.classes):
            text = name.encode(errors="surrogatepass")
            digest.update(len(text).to_bytes(8, "little") + text)
        digest.update(self._ranks().astype("<u8").tobytes())
        long_integers = []
        for rows in self.blocks():
            records, long = _records(self.entries(rows), int(rows[0]))
            digest.update(records)
            long_integers.append(long)
        digest.update(END_OF_ENTRIES + b"".join(long_integers))
        return digest.hexdigest()

    @cached_property
    def fingerprint_of_version_1(self) -> str:
        """The fingerprint that proof files of version 1 have."""
        digest = hashlib.sha256(repr((self.n, self.d, sorted(self.classes))).encode())
        digest.update(self._ranks().astype("<i4").tobytes())
        # a stream each for rows, columns, values, long integers: the cut into blocks must not show
        streams = [hashlib.sha256() for _ in range(4)]
        for rows in self.blocks():
            for stream, data in zip(streams, _bytes(self.entries(rows), int(rows[0])), strict=True):
                stream.update(data)
        for stream in streams:
            digest.update(stream.digest())
        return digest.hexdigest()

    def _ranks(self) -> Ints:
        """Place of every row's class among the sorted names: labels read as text sort otherwise."""
        names = sorted(self.classes)
        rank: Ints = np.array([names.index(name) for name in self.classes])
        return rank[self.codes]

    @property
    def values(self) -> Array:
        """The numbers as they are stored: all, or those that are not 0."""
        return self.X.data if isinstance(self.X, Csr) else self.X

    def may_copy(self, n_rows: int) -> bool:
        """Say whether a copy of so many rows is small enough: the table may be on disk."""
        return self.values.size * n_rows <= MAX_COPIED_NUMBERS * self.n

    def blocks(self) -> Iterator[Ints]:
        """Row numbers in runs small enough that a float64 copy of a run is small."""
        width = max(1, len(self.X.data) // self.n) if isinstance(self.X, Csr) else self.d
        step = max(1, BLOCK_ENTRIES // width)
        for start in range(0, self.n, step):
            yield np.arange(start, min(self.n, start + step))

    def only(self, columns: Ints) -> "Table":
        """Return the table with some of its columns."""
        if not isinstance(self.X, Csr):
            return Table(self.X[:, columns], self.codes, self.classes)
        place = np.full(self.d, -1)
        place[columns] = np.arange(len(columns))
        kept = place[self.X.indices] >= 0
        ends = np.append(0, np.cumsum(kept))[self.X.indptr]
        shape = (self.n, len(columns))
        X = Csr(self.X.data[kept], place[self.X.indices[kept]], ends, shape)
        return Table(X, self.codes, self.classes)

    def take(self, rows: Ints) -> "Table":
        """Return the table with some of its rows."""
        if not isinstance(self.X, Csr):
            return Table(self.X[rows], self.codes[rows], self.classes)
        row, column, value = _csr_entries(self.X, rows)
        ends = np.append(0, np.cumsum(np.bincount(row, minlength=len(rows))))
        return Table(Csr(value, column, ends, (len(rows), self.d)), self.codes[rows], self.classes)

    def entries(self, rows: Ints) -> Entries:
        """Nonzero entries of the given rows, by row, then column; repeated ones are summed."""
        if isinstance(self.X, Csr):
            return _tidy(_csr_entries(self.X, rows))
        block = self.X[_span(rows)]
        row, column = np.nonzero(block)
        return Entries(row, column, block[row, column])

    def products(self, rows: Ints, V: Floats) -> Floats:
        """Return X V for some rows, in floating point."""
        if isinstance(self.X, Csr):
            row, column, value = _csr_entries(self.X, rows)
            return _sums(row, floats(value), V[column], len(rows))
        with np.errstate(over="ignore", invalid="ignore"):
            out: Floats = floats(self.X[_span(rows)]) @ V
            return out

    def sizes(self, rows: Ints, V: Floats) -> Floats:
        """Return |X| |V| for some rows: the scale of the rounding errors in `products`."""
        if isinstance(self.X, Csr):
            row, column, value = _csr_entries(self.X, rows)
            return _sums(row, np.abs(floats(value)), np.abs(V[column]), len(rows))
        with np.errstate(over="ignore", invalid="ignore"):
            out: Floats = np.abs(floats(self.X[_span(rows)])) @ np.abs(V)
            return out

    def whole(self, rows: Ints) -> bool:
        """Say whether all entries of some rows are integers."""
        values = self.X.data if isinstance(self.X, Csr) else self.X[_span(rows)]
        return values.dtype.kind in "iu" or bool((values == np.rint(floats(values))).all())

    def lengths(self, rows: Ints, scale: Floats) -> Floats:
        """Euclidean length of some rows, each column multiplied by its scale first."""
        if isinstance(self.X, Csr):
            row, column, value = _csr_entries(self.X, rows)
            squares = np.bincount(row, (floats(value) * scale[column]) ** 2, len(rows))
            return np.sqrt(squares)
        block = floats(self.X[_span(rows)]) * scale
        length: Floats = np.sqrt(np.einsum("ij,ij->i", block, block))
        return length

    def column_tops(self) -> Floats:
        """Largest |x_ij| of every column."""
        top = np.zeros(self.d)
        for rows in self.blocks():
            if isinstance(self.X, Csr):
                _, column, value = _csr_entries(self.X, rows)
                np.maximum.at(top, column, np.abs(floats(value)))
            else:
                block = self.X[_span(rows)]
                most, least = floats(block.max(axis=0)), floats(block.min(axis=0))
                np.maximum(top, np.maximum(most, -least), out=top)
        return top

    def column_squares(self, scale: Floats) -> Floats:
        """Sum of (x_ij · scale_j)² over the rows, for every column."""
        total = np.zeros(self.d)
        for rows in self.blocks():
            if isinstance(self.X, Csr):
                _, column, value = _csr_entries(self.X, rows)
                total += np.bincount(column, (floats(value) * scale[column]) ** 2, self.d)
            else:
                block = floats(self.X[_span(rows)]) * scale
                total += np.einsum("ij,ij->j", block, block)
        return total


def floats(values: Array) -> Floats:
    """Nearest float64 of each value; infinite where an integer is beyond them."""
    if values.dtype.kind != "O":
        return values.astype(np.float64, copy=False)
    return np.array([_nearest(v) for v in values.ravel().tolist()]).reshape(values.shape)


def _nearest(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _span(rows: Ints) -> slice | Ints:
    """Give a slice where the rows are a run: a view instead of a copy."""
    run = len(rows) > 0 and rows[-1] - rows[0] + 1 == len(rows) and bool((np.diff(rows) == 1).all())
    return slice(int(rows[0]), int(rows[-1]) + 1) if run else rows


def _csr_entries(X: Csr, rows: Ints) -> Entries:
    start, stop = X.indptr[rows].astype(np.int64), X.indptr[rows + 1].astype(np.int64)
    length = stop - start
    row = np.repeat(np.arange(len(rows)), length)
    if isinstance(_span(rows), slice):
        run = slice(int(start[0]), int(stop[-1]))
        return Entries(row, X.indices[run], X.data[run])
    first = np.cumsum(length) - length
    place = np.arange(len(row)) - np.repeat(first - start, length)
    return Entries(row, X.indices[place], X.data[place])


def _tidy(entries: Entries) -> Entries:
    """Sort by row and column, drop zeros."""
    row, column, value = entries
    if not bool(((np.diff(row) > 0) | (np.diff(column) >= 0)).all()):  # rows are in order already
        order = np.lexsort((column, row))
        row, column, value = row[order], column[order], value[order]
    if not bool((value != 0).all()):
        kept = np.flatnonzero(value != 0)
        row, column, value = row[kept], column[kept], value[kept]
    return Entries(row, column.astype(np.int64), value)


def _sums(row: Ints, value: Floats, weight: Floats, n: int) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        columns = [np.bincount(row, value * w, n) for w in weight.T]
    return np.stack(columns, axis=1)


def _records(entries: Entries, first: int) -> tuple[bytes, bytes]:
    """Row, column and value of every entry in 24 bytes; the integers that no float64 holds."""
    row, column, value = entries
    records = np.empty((len(row), 3), dtype="<u8")
    records[:, 0], records[:, 1] = row + first, column
    number, long = np.array(floats(value), dtype="<f8"), b""
    if value.dtype.kind in "iuO" and bool((np.abs(number) >= 2.0**MANTISSA_BITS).any()):
        held = map(_holds, number.tolist(), value.tolist())
        lost = np.flatnonzero(~np.fromiter(held, dtype=bool, count=len(value)))
        number[lost] = 0.0
        long = b"".join(
            _long_integer(int(row[t]) + first, int(column[t]), int(value[t])) for t in lost
        )
    records[:, 2] = number.view("<u8")
    return records.tobytes(), long


def _long_integer(row: int, column: int, value: int) -> bytes:
    text = hex(value).encode()
    return b"".join(number.to_bytes(8, "little") for number in (row, column, len(text))) + text


def _bytes(entries: Entries, first: int) -> tuple[bytes, bytes, bytes, bytes]:
    """Rows, columns, values as float64, and whatever integers these cannot hold."""
    row, column, value = entries
    as_float, long = floats(value), b""
    if value.dtype.kind in "iuO" and bool((np.abs(as_float) > 2.0**MANTISSA_BITS).any()):
        pairs = zip(value.tolist(), as_float.tolist(), strict=True)
        long = b"".join(b"%x " % v for v, f in pairs if not _holds(f, v))
    place = (row + first).astype("<i8").tobytes(), column.astype("<i8").tobytes()
    return *place, as_float.astype("<f8").tobytes(), long


def _holds(number: float, value: int) -> bool:
    return abs(number) < float("inf") and int(number) == value


def integers(entries: Entries, d: int) -> tuple[Array, Ints]:
    """Return integers M and column exponents E with value = M · 2^E[column], exactly.

    M has machine integers where all of them fit, Python integers otherwise.
    """
    value = entries.value
    exponent = np.zeros(d, dtype=np.int64)
    if value.dtype.kind == "O":
        return value, exponent
    if value.dtype.kind in "iub":
        wide = value.dtype.kind == "u" and len(value) and int(value.max()) >= 1 << 63
        return value.astype(object) if wide else value.astype(np.int64), exponent
    whole, power = odd_parts(value.astype(np.float64))
    exponent[:] = np.iinfo(np.int64).max
    np.minimum.at(exponent, entries.column, power)
    exponent[exponent == np.iinfo(np.int64).max] = 0
    lift = power - exponent[entries.column]
    size = np.frexp(np.abs(whole).astype(np.float64))[1] + lift
    if len(size) == 0 or size.max() < 63:
        return whole << lift, exponent
    return bigs(m << k for m, k in zip(whole.tolist(), lift.tolist(), strict=True)), exponent


def odd_parts(values: Floats) -> tuple[Ints, Ints]:
    """Return odd integers M (or 0) and exponents E with values = M · 2^E, exactly."""
    fraction, power = np.frexp(values)
    whole = (fraction * 2.0**MANTISSA_BITS).astype(np.int64)
    low = whole & -whole  # the lowest set bit: shifting it out keeps the integers short
    shift = np.where(whole == 0, 0, np.frexp(low.astype(np.float64))[1].astype(np.int64) - 1)
    return whole >> shift, power.astype(np.int64) - MANTISSA_BITS + shift


def bigs(values: Iterable[int]) -> Array:
    """Python integers of any size in an array."""
    numbers = list(values)
    out = np.empty(len(numbers), dtype=object)
    out[:] = numbers
    return out
