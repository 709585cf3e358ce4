"""A map may make more features than there is memory for: that is said before it is tried."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from rosenblatt.csr import CSR, Rows, n_rows
from rosenblatt.errors import ParameterError
from rosenblatt.maps.map import Map
from rosenblatt.maps.monomials import Monomials

MOST_FEATURES = 1 << 31  # beyond, an index of 32 bits does not reach
CGROUP_LIMITS = (  # of a container, in version 2 and in version 1
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


def memory() -> int:
    """Bytes of memory that this process may have: of the machine, or of its limits if lower."""
    return min(_physical_memory(), *_limits())


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not told by this system
        return 1 << 34


def _limits() -> Iterator[int]:
    """Limits on memory that the system tells: those of a container, and of the address space."""
    for file in CGROUP_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or the word "max"
            yield int(Path(file).read_text())
    with suppress(ImportError):  # not on Windows
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit  # noqa: PLC0415

        limit, _ = getrlimit(RLIMIT_AS)
        if limit != RLIM_INFINITY:
            yield limit
    yield sys.maxsize


def require_room(name: str, made: Map, rows: Rows) -> None:
    """Refuse a map that would make more of these rows than fits into memory."""
    entries, itemsize = _size(made, rows)
    size = entries * itemsize
    if size <= memory() and made.n_outputs < MOST_FEATURES:
        return
    raise ParameterError(
        f"{name} would make {made.n_outputs:,} features out of {made.n_inputs:,},"
        f" {told(size)} in all; there are {told(memory())} of memory. Take fewer columns, a smaller"
        " degree, or random-products:N."
    )


def _size(made: Map, rows: Rows) -> tuple[int, int]:
    """Entries that the map would make of the rows, and the bytes of one."""
    if not isinstance(rows, CSR):
        return n_rows(rows) * made.n_outputs, max(4, rows.dtype.itemsize)
    lengths = np.diff(rows.indptr)
    if isinstance(made, Monomials):
        entries = int(made.products_of(lengths).sum(dtype=np.float64))
    else:
        entries = int(lengths.sum()) + n_rows(rows) * abs(made.n_outputs - made.n_inputs)
    return entries, rows.data.itemsize + 8


def told(size: int) -> str:
    """A number of bytes in words."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size:,} bytes"
