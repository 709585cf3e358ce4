"""Arrays and a text in one safetensors file, read with hard limits.

The file is the length of its header (8 bytes, little endian), the header as JSON, and the bytes of
the arrays, one after the other. Reading memory-maps the file, copy on write.

A checksum detects damage: CRC-32 over the text, then for each array in the order of names over its
name, type and shape (as JSON, no blanks) and its bytes.
"""

import json
import mmap
import os
import re
import stat
import zlib
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.atomic_write import written_whole
from rosenblatt.errors import ModelError
from rosenblatt.types import Array

TEXT, CHECKSUM, METADATA = "rosenblatt", "crc32", "__metadata__"
MAX_HEADER_BYTES = 100_000_000  # the limit of safetensors itself
MAX_ARRAYS = 1 << 16
MAX_DIMENSIONS = 4
SURROGATE = re.compile(r"\\u[dD]|[\ud800-\udfff]")  # escaped or not, of a pair or alone
LENGTH = 8  # bytes of the header's length
TYPES: dict[str, type[np.generic]] = {
    "BOOL": np.bool_,
    "U8": np.uint8,
    "U16": np.uint16,
    "U32": np.uint32,
    "U64": np.uint64,
    "I8": np.int8,
    "I16": np.int16,
    "I32": np.int32,
    "I64": np.int64,
    "F32": np.float32,
    "F64": np.float64,
}
TYPE_NAMES = {np.dtype(kind): name for name, kind in TYPES.items()}
OTHER_FILES = {  # by their first bytes
    b"\x80": "is a pickle, which is never loaded: it could run any code. Save the model again with"
    " rosenblatt.save",
    b"{": "is JSON text, perhaps a proof (`rosenblatt verify` reads those), not a model",
    b"PK": "is a ZIP archive (NPZ, XLSX, …), not a model",
    b"\x1f\x8b": "is compressed with gzip. Decompress it first",
}


class Tensors(NamedTuple):
    """The text and the arrays of a file."""

    text: str
    arrays: dict[str, Array]


def write_tensors(path: str | Path, tensors: Tensors) -> None:
    """Write a file, whole or not at all."""
    from safetensors.numpy import save  # noqa: PLC0415 (not needed for reading)

    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.arrays.items()}
    for name, array in arrays.items():
        if array.dtype not in TYPE_NAMES:
            raise ModelError(f"A model file cannot store {name}: numbers of {array.dtype}.")
    metadata = {TEXT: tensors.text, CHECKSUM: checksum(Tensors(tensors.text, arrays))}
    blob = _with_sorted_metadata(save(arrays, metadata))
    if int.from_bytes(blob[:LENGTH], "little") > MAX_HEADER_BYTES:
        raise ModelError(
            f"The model has too many names for a model file: they take more than"
            f" {MAX_HEADER_BYTES:,} bytes."
        )
    try:
        with written_whole(path) as file:
            file.write(blob)
    except OSError as error:
        raise ModelError(f"{path} cannot be written: {error.strerror or error}.") from error


def _with_sorted_metadata(blob: bytes) -> bytes:
    """The same file with sorted metadata, whose order safetensors leaves open."""
    stop = LENGTH + int.from_bytes(blob[:LENGTH], "little")
    header = json.loads(blob[LENGTH:stop])
    header[METADATA] = dict(sorted(header[METADATA].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % LENGTH)  # so that the arrays stay aligned
    return len(text).to_bytes(LENGTH, "little") + text + blob[stop:]


def read_tensors(path: str | Path) -> Tensors:
    """Read and validate a file."""
    blob = _mapped(path)
    header, start = _header(path, blob)
    metadata = header.pop(METADATA, None)
    if not isinstance(metadata, dict) or not isinstance(metadata.get(TEXT), str):
        raise ModelError(f"{path} is a safetensors file, but not one of rosenblatt's models.")
    if len(header) > MAX_ARRAYS:
        raise ModelError(f"{path} is not a model file: it lists {len(header):,} arrays.")
    spans = {name: _span(path, name, entry) for name, entry in header.items()}
    _check_cover(path, spans, len(blob) - start)
    arrays = {name: _array(path, blob, start, span) for name, span in spans.items()}
    tensors = Tensors(metadata[TEXT], arrays)
    if metadata.get(CHECKSUM) != checksum(tensors):
        raise ModelError(
            f"{path} was damaged or changed after it was written: its checksum differs. Fetch it"
            " again, or save the model again."
        )
    return tensors


def checksum(tensors: Tensors) -> str:
    """CRC-32 of text and arrays, as eight hexadecimal digits."""
    crc = zlib.crc32(tensors.text.encode())
    for name in sorted(tensors.arrays):
        array = tensors.arrays[name]
        about = [name, TYPE_NAMES[array.dtype], list(array.shape)]
        crc = zlib.crc32(json.dumps(about, separators=(",", ":")).encode(), crc)
        crc = zlib.crc32(array.reshape(-1).view(np.uint8).data, crc)
    return f"{crc:08x}"


def parsed(text: str | bytes) -> Any:
    """Parse JSON; duplicate keys, NaN, infinity and lone surrogates are a ValueError."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique)
        if SURROGATE.search(text if isinstance(text, str) else text.decode()):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("it holds a lone surrogate, which is not text") from error
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return value


class _Span(NamedTuple):
    """Position, type and shape of an array."""

    start: int
    stop: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


def _mapped(path: str | Path) -> mmap.mmap:
    try:
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise ModelError(f"{path} is a device or a pipe. Give the file of a model.")
            if found.st_size == 0:
                raise ModelError(f"{path} is empty, not a model file.")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from error


def _header(path: str | Path, blob: mmap.mmap) -> tuple[dict[str, Any], int]:
    """The header, and where the arrays begin."""
    if blob[LENGTH : LENGTH + 1] != b"{":
        for magic, what in OTHER_FILES.items():
            if blob[:LENGTH].startswith(magic):
                raise ModelError(f"{path} {what}.")
        raise ModelError(f"{path} is not a model file. `rosenblatt fit` and save() write them.")
    stop = LENGTH + int.from_bytes(blob[:LENGTH], "little")
    if stop - LENGTH > MAX_HEADER_BYTES:
        raise ModelError(
            f"{path} is not a model file: its header would take {stop - LENGTH:,} bytes."
        )
    if stop > len(blob):
        raise ModelError(f"{path} is truncated: it ends within its header. Fetch it again.")
    try:
        header = parsed(blob[LENGTH:stop])
    except ValueError as error:
        raise ModelError(f"{path} has a damaged header: {error}.") from error
    if not isinstance(header, dict):
        raise ModelError(f"{path} has a damaged header: it is not an object.")
    return header, stop


def _span(path: str | Path, name: str, entry: Any) -> _Span:
    try:
        (start, stop), shape = entry["data_offsets"], tuple(entry["shape"])
        dtype = np.dtype(TYPES[entry["dtype"]])
        whole = all(type(n) is int and n >= 0 for n in (start, stop, *shape))
        if (
            set(entry) != {"dtype", "shape", "data_offsets"}
            or len(shape) > MAX_DIMENSIONS
            or not whole
        ):
            raise ValueError
        if prod(shape) * dtype.itemsize != stop - start:
            raise ValueError
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} has a damaged header at the array {name!r}.") from error
    return _Span(start, stop, dtype, shape)


def _check_cover(path: str | Path, spans: Mapping[str, _Span], size: int) -> None:
    """Refuse arrays that overlap, leave gaps, or end elsewhere than the file."""
    end = 0
    for span in sorted(spans.values(), key=lambda span: span[:2]):
        if span.start != end:
            raise ModelError(f"{path} has a damaged header: its arrays overlap or leave gaps.")
        end = span.stop
    if end != size:
        what = "is truncated" if end > size else "is too long"
        raise ModelError(
            f"{path} {what}: its arrays take {end:,} bytes, but {size:,} are there. Fetch it again."
        )


def _array(path: str | Path, blob: mmap.mmap, start: int, span: _Span) -> Array:
    if span.start == span.stop:
        flat: Array = np.empty(0, span.dtype)
    else:
        flat = np.frombuffer(blob, span.dtype, prod(span.shape), start + span.start)
    try:
        array = flat.reshape(span.shape)
    except ValueError as error:  # empty, but too large along some axis
        raise ModelError(f"{path} has a damaged header: {span.shape} is not a shape.") from error
    return np.require(array, requirements="A")  # kernels need aligned numbers


def _refuse(name: str) -> Any:
    raise ValueError(f"it holds {name}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("it has a key twice")
    return table
