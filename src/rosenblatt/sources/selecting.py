"""Sources made of other sources: rows kept in memory, and some of the rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Thread

import numpy as np

from rosenblatt.arrays import Array, Ints
from rosenblatt.data.storage import CSR
from rosenblatt.sources.chunks import Chunk, Grid, Source, Table

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
    """A source whose chunks are kept as they are read, if they are not too large.

    A reading that was broken off goes on from what is kept.
    """

    def __init__(self, source: Source, most: int = MOST_KEPT) -> None:
        self.source, self.most = source, most
        self._kept: list[Chunk] = []
        self._size = 0
        self._rest: Iterator[Chunk] | None = iter(source)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        if self._size > self.most:
            yield from self.source
            return
        place = 0
        while place < len(self._kept) or self._read_on():
            yield self._kept[place]
            place += 1
            if self._size > self.most:  # from here on, nothing is kept
                rest, self._rest, self._kept = self._rest, None, []
                yield from rest or ()
                return

    def _read_on(self) -> bool:
        """Read one more chunk; tell whether there was one."""
        chunk = None if self._rest is None else next(self._rest, None)
        if chunk is None:
            self._rest = None
            return False
        self._kept.append(chunk)
        self._size += size_of(chunk)
        return True


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
    if isinstance(chunk, Grid):
        return int(chunk.values.nbytes)
    if isinstance(chunk, Table):
        return int(chunk.frame.estimated_size())
    rows = chunk.rows
    parts = (rows.data, rows.indices, rows.indptr) if isinstance(rows, CSR) else (rows,)
    return sum(int(part.nbytes) for part in parts)
