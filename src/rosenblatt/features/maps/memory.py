"""Memory guard: a map whose output would not fit is refused before anything is allocated."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from rosenblatt.csr import CSR, Rows, n_rows
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.feature_map import FeatureMap
from rosenblatt.features.maps.polynomial import Monomials

MAX_FEATURES = 1 << 31  # feature indices have 32 bits
DEFAULT_MEMORY_BYTES = 1 << 34  # where the system does not report its memory
CGROUP_LIMITS = (  # of a container, in version 2 and in version 1
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


def available_memory() -> int:
    """Bytes of memory that this process may use: physical memory, or a lower limit."""
    return min(_physical_memory(), *_memory_limits())


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return DEFAULT_MEMORY_BYTES


def _memory_limits() -> Iterator[int]:
    """Limits of the container and of the address space, in bytes."""
    for file in CGROUP_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or the word "max"
            yield int(Path(file).read_text())
    with suppress(ImportError):  # not on Windows
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit  # noqa: PLC0415

        limit, _ = getrlimit(RLIMIT_AS)
        if limit != RLIM_INFINITY:
            yield limit
    yield sys.maxsize


def require_memory(name: str, feature_map: FeatureMap, rows: Rows) -> None:
    """Raise an error if the output of a map for these rows does not fit into memory."""
    entries, itemsize = _output_size(feature_map, rows)
    size = entries * itemsize
    if size <= available_memory() and feature_map.n_outputs < MAX_FEATURES:
        return
    raise ParameterError(
        f"{name} would make {feature_map.n_outputs:,} features out of {feature_map.n_inputs:,},"
        f" {format_bytes(size)} in all; {format_bytes(available_memory())} of memory is available."
        " Use fewer columns, a smaller degree, or random-products:N."
    )


def _output_size(feature_map: FeatureMap, rows: Rows) -> tuple[int, int]:
    """Number of entries of the output, and the bytes of one."""
    if not isinstance(rows, CSR):
        return n_rows(rows) * feature_map.n_outputs, max(4, rows.dtype.itemsize)
    lengths = np.diff(rows.indptr)
    if isinstance(feature_map, Monomials):
        entries = int(feature_map.output_lengths(lengths).sum(dtype=np.float64))
    else:
        added = abs(feature_map.n_outputs - feature_map.n_inputs)
        entries = int(lengths.sum()) + n_rows(rows) * added
    return entries, rows.data.itemsize + 8


def format_bytes(size: int) -> str:
    """A number of bytes in GB, MB or bytes, for messages."""
    for unit, name in ((1 << 30, "GB"), (1 << 20, "MB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size:,} bytes"
