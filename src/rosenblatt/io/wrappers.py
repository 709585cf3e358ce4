"""Sources that wrap another source: a cache, progress reports, a background task, chosen rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from threading import Thread

import numpy as np

from rosenblatt.csr import CSR
from rosenblatt.io.chunks import Chunk, Source, Table
from rosenblatt.types import Array, Ints

MAX_CACHED_BYTES = 1 << 28  # a larger source is read again


class _Wrapper:
    """Attributes of the wrapped source."""

    source: Source

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return self.source.name

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features of a matrix, if it has names."""
        names: tuple[str, ...] | None = getattr(self.source, "feature_names", None)
        return names

    @property
    def max_pixel_value(self) -> float | None:
        """The largest possible value of a pixel, where the rows are images."""
        value: float | None = getattr(self.source, "max_pixel_value", None)
        return value


class CachedSource(_Wrapper):
    """A source whose chunks are cached as they are read, unless they are too large.

    An interrupted iteration continues from the cache.
    """

    def __init__(self, source: Source, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self.source, self.max_bytes = source, max_bytes
        self._cache: list[Chunk] = []
        self._n_read, self._n_bytes = 0, 0  # chunks and bytes read so far
        self._rest: Iterator[Chunk] | None = None  # the chunks after them
        self._at_end = False

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        k = 0
        while k < len(self._cache) or self._cache_next():
            yield self._cache[k]
            k += 1
        if self._n_bytes > self.max_bytes:
            yield from self._uncached(k)

    @property
    def is_cached(self) -> bool:
        """Whether all chunks are cached, so that the wrapped source is not read again."""
        return self._at_end and self._n_bytes <= self.max_bytes

    def _cache_next(self) -> bool:
        """Cache one more chunk; whether there was one, within the limit."""
        if self._n_bytes > self.max_bytes:
            self._cache = []
        if self._n_bytes > self.max_bytes or self._at_end:
            return False
        rest = self._rest or islice(self.source, self._n_read, None)
        self._rest = None  # so that after an error the next iteration reads, and fails, again
        chunk = next(rest, None)
        if chunk is None:
            self._at_end = True
            return False
        self._rest = rest
        self._cache.append(chunk)
        self._n_read += 1
        self._n_bytes += size_of(chunk)
        return True

    def _uncached(self, k: int) -> Iterator[Chunk]:
        """Chunks from number k on, none of which is cached."""
        rest, self._rest = self._rest, None
        if rest is not None and k == self._n_read:
            return rest
        return islice(self.source, k, None)


@dataclass(frozen=True)
class ProgressSource(_Wrapper):
    """A source that reports how many rows have been read so far."""

    source: Source
    report: Callable[[int], None] = field(repr=False)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        rows = 0
        for chunk in self.source:
            rows += len(chunk)
            self.report(rows)
            yield chunk


@dataclass(frozen=True)
class BackgroundTaskSource(_Wrapper):
    """A source during whose iteration a task runs in another thread, unless it has one chunk."""

    source: Source
    task: Callable[[], object] = field(repr=False)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning; at the end, the task is done."""
        worker = Thread(target=self.task)
        for k, chunk in enumerate(self.source):
            if k == 1:  # errors in the first chunk come first
                worker.start()
            yield chunk
        if worker.ident is not None:
            worker.join()


@dataclass(frozen=True)
class SelectedRows(_Wrapper):
    """Rows of a source that a function of their 0-based indices chooses."""

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
    """Approximate bytes of a chunk in memory."""
    if isinstance(chunk, Table):
        return int(chunk.frame.estimated_size())
    rows = chunk.rows
    parts = (rows.data, rows.indices, rows.indptr) if isinstance(rows, CSR) else (rows,)
    return sum(int(part.nbytes) for part in parts)
