"""The interface of all feature maps, and their memory guard.

A map whose output would not fit into memory is refused before anything is allocated.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import numpy as np

from rosenblatt.csr import CSR, Rows, n_rows
from rosenblatt.errors import ParameterError
from rosenblatt.types import Array

MAX_FEATURES = 1 << 31  # feature indices have 32 bits
DEFAULT_MEMORY_BYTES = 1 << 34  # where the system does not report its memory
CGROUP_LIMITS = (  # of a container, in version 2 and in version 1
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


class FeatureMap(Protocol):
    """A function from rows of features to rows of other features."""

    @property
    def n_inputs(self) -> int:
        """Number of input features."""

    @property
    def n_outputs(self) -> int:
        """Number of output features."""

    def transform(self, rows: Rows) -> Rows:
        """Output features of some rows, float32 where these are, or can be without rounding."""

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names of the output features, from the names of the input features."""


def as_floats(values: Array) -> Array:
    """Values as floats: bytes as float32, which holds their products exactly."""
    if values.dtype in (np.float32, np.float64):
        return values
    return values.astype(np.float32 if values.dtype.itemsize == 1 else np.float64)


def canonical_csr(rows: CSR) -> CSR:
    """Sparse rows of floats with sorted indices and without duplicate entries."""
    from rosenblatt.data.training_data import matrix_of  # noqa: PLC0415 (loads scipy)

    matrix = matrix_of(rows._replace(data=as_floats(rows.data)))
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return CSR(matrix.data, matrix.indices, matrix.indptr, rows.n_cols)


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
    lengths_after = getattr(feature_map, "output_lengths", None)  # of products: not proportional
    if lengths_after is not None:
        entries = int(lengths_after(lengths).sum(dtype=np.float64))
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
