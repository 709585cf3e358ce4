"""Sources made of other sources: rows kept in memory, and some of the rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from threading import Thread

import numpy as np

from rosenblatt.csr import CSR
from rosenblatt.io.chunks import Chunk, Source, Table
from rosenblatt.types import Array, Ints

MOST_KEPT = 1 << 28  # bytes: what is larger is read again


class _Behind:
    """What is said of the source behind."""

    source: Source

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return self.source.name

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features of a matrix, where it has names."""
        names: tuple[str, ...] | None = getattr(self.source, "feature_names", None)
        return names

    @property
    def brightest(self) -> float | None:
        """The largest value a pixel can have, where the rows are pictures."""
        value: float | None = getattr(self.source, "brightest", None)
        return value


class Remembered(_Behind):
    """A source whose chunks are kept as they are read, unless they are too large.

    A reading that was broken off goes on from what is kept.
    """

    def __init__(self, source: Source, most: int = MOST_KEPT) -> None:
        self.source, self.most = source, most
        self._kept: list[Chunk] = []
        self._read, self._size = 0, 0  # chunks and bytes that were read
        self._rest: Iterator[Chunk] | None = None  # what follows them
        self._whole = False

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        place = 0
        while place < len(self._kept) or self._read_on():
            yield self._kept[place]
            place += 1
        if self._size > self.most:
            yield from self._not_kept(place)

    @property
    def whole(self) -> bool:
        """Whether all chunks are kept, so that the source behind is read no more."""
        return self._whole and self._size <= self.most

    def _read_on(self) -> bool:
        """Keep one more chunk; tell whether there was one, and room for it."""
        if self._size > self.most:
            self._kept = []
        if self._size > self.most or self._whole:
            return False
        rest = self._rest or islice(self.source, self._read, None)
        self._rest = None  # which it remains if reading fails: then it fails again
        chunk = next(rest, None)
        if chunk is None:
            self._whole = True
            return False
        self._rest = rest
        self._kept.append(chunk)
        self._read += 1
        self._size += size_of(chunk)
        return True

    def _not_kept(self, place: int) -> Iterator[Chunk]:
        """Chunks from a place on, of which none is kept."""
        rest, self._rest = self._rest, None
        if rest is not None and place == self._read:
            return rest
        return islice(self.source, place, None)


@dataclass(frozen=True)
class Watched(_Behind):
    """A source that tells how many rows have been read so far."""

    source: Source
    told: Callable[[int], None] = field(repr=False)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        rows = 0
        for chunk in self.source:
            rows += len(chunk)
            self.told(rows)
            yield chunk


@dataclass(frozen=True)
class Accompanied(_Behind):
    """A source during whose reading, unless it is short, something else is done as well."""

    source: Source
    work: Callable[[], object] = field(repr=False)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning; at the end, the work is done."""
        worker = Thread(target=self.work)
        for k, chunk in enumerate(self.source):
            if k == 1:  # what is wrong with the first chunk has been told
                worker.start()
            yield chunk
        if worker.ident is not None:
            worker.join()


@dataclass(frozen=True)
class Selected(_Behind):
    """Rows of a source that a rule of their numbers, counted from 0, chooses."""

    source: Source
    chosen: Callable[[Ints], Array] = field(repr=False)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        first = 0
        for chunk in self.source:
            mask = self.chosen(np.arange(first, first + len(chunk)))
            first += len(chunk)
            if mask.any():
                yield chunk if mask.all() else chunk.take(mask)


def size_of(chunk: Chunk) -> int:
    """How many bytes a chunk takes, about."""
    if isinstance(chunk, Table):
        return int(chunk.frame.estimated_size())
    rows = chunk.rows
    parts = (rows.data, rows.indices, rows.indptr) if isinstance(rows, CSR) else (rows,)
    return sum(int(part.nbytes) for part in parts)
