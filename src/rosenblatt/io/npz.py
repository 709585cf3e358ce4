"""Arrays and sparse matrices in NPY and NPZ files, validated before numpy or scipy uses them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from tokenize import TokenError
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from rosenblatt.atomic_write import temporary_file
from rosenblatt.csr import CSR
from rosenblatt.errors import SourceError
from rosenblatt.io.files import copy_to, opened, unpacked
from rosenblatt.types import Array

if TYPE_CHECKING:
    from scipy import sparse

ZIP = b"PK"
UNNAMED_ARRAY = "the array"  # name of what an NPY file holds
HEADER_ERRORS = (TokenError, SyntaxError, TypeError, OverflowError, MemoryError)  # if damaged
LAST_CODE_POINT = 0x10FFFF
FIRST_SURROGATE, LAST_SURROGATE = 0xD800, 0xDFFF


@dataclass(frozen=True)
class ArrayFile:
    """An NPY or NPZ file."""

    file: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        with opened(self.file) as stream:
            if stream.read(len(ZIP)) != ZIP:
                return (UNNAMED_ARRAY,)
        with unpacked(self.file) as path, _naming_file(self.file), ZipFile(path) as archive:
            return tuple(member.removesuffix(".npy") for member in archive.namelist())

    def __getitem__(self, name: str) -> Array:
        """A memory-mapped array."""
        with unpacked(self.file) as path, _naming_file(self.file):
            if name == UNNAMED_ARRAY:
                return _mapped(path)
            with (
                temporary_file() as spool,
                ZipFile(path) as archive,
                archive.open(f"{name}.npy") as packed,
            ):
                copy_to(spool, packed, self.file)
                return _mapped(spool.name)

    @property
    def is_sparse(self) -> bool:
        """Whether it was written by scipy's save_npz."""
        return {"format", "shape", "data"} <= set(self.names)


def _mapped(path: str) -> Array:
    array: Array = np.lib.format.open_memmap(path, mode="r")
    return array


@contextmanager
def _naming_file(file: str) -> Iterator[None]:
    """Raise errors of numpy and zipfile as errors about the file."""
    try:
        yield
    except (ValueError, KeyError, BadZipFile, RuntimeError, *HEADER_ERRORS) as error:
        if "Python objects" in str(error):
            raise SourceError(
                f"{file} holds Python objects (a pickle), which are never loaded, since they could"
                " run code. Save arrays of numbers, with labels as numbers or as text."
            ) from error
        reason = str(error).splitlines()[0].rstrip(".")
        raise SourceError(
            f"{file} cannot be read as arrays: {reason}. Is it a complete NPY or NPZ file?"
        ) from error


def texts_of(stored: Array, what: Callable[[int], str]) -> Array:
    """A one-dimensional array of texts; `what` names the place of an invalid one in its error."""
    if stored.dtype.kind == "S":
        return _decoded(stored, what)
    if stored.dtype.kind != "U":
        return stored.astype(str)
    native = np.array(stored, stored.dtype.newbyteorder("="))
    if native.dtype.itemsize and len(native):
        _check_characters(native.view(np.uint32).reshape(len(native), -1), what)
    return native


def _decoded(stored: Array, what: Callable[[int], str]) -> Array:
    try:
        return np.strings.decode(stored, "utf-8")
    except UnicodeDecodeError:
        row = next(row for row, text in enumerate(stored.tolist()) if not _is_utf8(text))
        raise SourceError(
            f"{what(row)} {bytes(stored[row])!r} is not UTF-8 text. Save texts as str, or encode"
            " them as UTF-8."
        ) from None


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_characters(codes: Array, what: Callable[[int], str]) -> None:
    bad = (codes > LAST_CODE_POINT) | ((codes >= FIRST_SURROGATE) & (codes <= LAST_SURROGATE))
    if bad.any():
        row, place = (int(at) for at in np.argwhere(bad)[0])
        raise SourceError(
            f"{what(row)} holds {codes[row, place]:#x} as a character, which is not in Unicode."
            " Is the file damaged?"
        )


MAX_SPARSE_COLUMNS = 2**31 - 1  # column indices are int32
MAX_CONVERTED_BYTES = 1 << 32  # of the CSR matrix that another format is converted to
NUMBER_KINDS = "biuf"  # of data, as numpy abbreviates them

Arrays = Mapping[str, Array]


def checked_rows(file: str, arrays: Callable[[str], Array]) -> CSR:
    """The rows of a sparse matrix, given its arrays by name."""
    kind = _format(file, np.atleast_1d(arrays("format")))
    shape = _shape(file, arrays("shape"))
    parts = {name: arrays(name) for name in ARRAYS_OF[kind]}
    _require(file, parts["data"].dtype.kind in NUMBER_KINDS, f"its data are {parts['data'].dtype}")
    for name in ARRAYS_OF[kind][1:]:
        _require(file, parts[name].ndim == 1, f"{name} has the shape {parts[name].shape}")
        _require(file, parts[name].dtype.kind in "iu", f"{name} is of type {parts[name].dtype}")
    if kind == "csr":
        _require_flat(file, parts)
        _check_compressed(file, parts, shape[0])
        return CSR(parts["data"], parts["indices"], parts["indptr"], shape[1])
    CHECKS[kind](file, parts, shape)
    _check_memory(file, parts["data"], shape[0])
    matrix = _converted(kind, parts, shape)
    return CSR(matrix.data, matrix.indices, matrix.indptr, shape[1])


def check_indices(where: str, name: str, indices: Array, stop: int) -> None:
    """Refuse indices below 0 or not below a limit."""
    unsigned = indices.view(indices.dtype.str.replace("i", "u"))  # negative ones become very large
    if len(indices) and int(unsigned.max()) >= stop:
        bad = int(indices[unsigned.argmax()])
        raise SourceError(
            f"{where}: the array {name} of a sparse matrix holds {bad}, where indices from 0 to"
            f" below {stop} were expected. {SAVE_AGAIN}"
        )


def _format(file: str, stored: Array) -> str:
    name = str(texts_of(stored, lambda _: f"{file}: the format")[0]) if stored.shape == (1,) else ""
    known = ", ".join(ARRAYS_OF)
    _require(file, name in ARRAYS_OF, f"its format is {name!r}, where one of {known} was expected")
    return name


def _shape(file: str, stored: Array) -> tuple[int, int]:
    whole = stored.dtype.kind in "iu" and stored.shape == (2,)
    _require(file, whole, f"its shape is an array of {stored.dtype} of shape {stored.shape}")
    n, width = (int(side) for side in stored)
    _require(file, n >= 0 and 0 < width <= MAX_SPARSE_COLUMNS, f"its shape is {n} × {width}")
    return n, width


def _check_compressed(file: str, parts: Arrays, n: int) -> None:
    """Check indptr for n rows (columns, rows of blocks)."""
    indptr, entries = parts["indptr"], len(parts["indices"])
    _require(file, len(indptr) == n + 1, f"indptr has {len(indptr)} numbers, not {n + 1}")
    _require(file, bool((indptr[1:] >= indptr[:-1]).all()), "indptr decreases")
    first, last = int(indptr[0]), int(indptr[-1])
    _require(file, first == 0, f"indptr begins with {first}, not with 0")
    _require(file, last <= entries, f"indptr ends with {last}, but there are {entries} indices")
    same = parts["data"].shape[:1] == (entries,)
    _require(file, same, f"there are {entries} indices, but data of {parts['data'].shape}")


def _check_csc(file: str, parts: Arrays, shape: tuple[int, int]) -> None:
    _require_flat(file, parts)
    _check_compressed(file, parts, shape[1])
    check_indices(file, "indices", parts["indices"], shape[0])


def _check_coo(file: str, parts: Arrays, shape: tuple[int, int]) -> None:
    _require_flat(file, parts)
    for name, stop in zip(("row", "col"), shape, strict=True):
        n = len(parts[name])
        _require(file, n == len(parts["data"]), f"{name} has {n} numbers, not one per entry")
        check_indices(file, name, parts[name], stop)


def _check_bsr(file: str, parts: Arrays, shape: tuple[int, int]) -> None:
    blocks = parts["data"].shape[1:]
    sound = len(blocks) == 2 and min(blocks) > 0
    divides = sound and not any(side % block for side, block in zip(shape, blocks, strict=True))
    _require(file, divides, f"blocks of {blocks} do not divide its shape {shape}")
    _check_compressed(file, parts, shape[0] // blocks[0])
    check_indices(file, "indices", parts["indices"], shape[1] // blocks[1])


def _check_dia(file: str, parts: Arrays, _: tuple[int, int]) -> None:
    data, offsets = parts["data"], parts["offsets"]
    one_each = data.ndim == 2 and len(data) == len(offsets)
    _require(file, one_each, f"there are {len(offsets)} offsets for data of {data.shape}")
    _require(file, len(np.unique(offsets)) == len(offsets), "an offset occurs twice")


def _check_memory(file: str, data: Array, n: int) -> None:
    needed = 16 * data.size + 8 * (n + 1)  # a value and an index per entry, an offset per row
    if needed > MAX_CONVERTED_BYTES:
        raise SourceError(
            f"{file} holds a sparse matrix that is not in CSR format and would take"
            f" {needed / 1e9:,.1f} GB in it; at most {MAX_CONVERTED_BYTES / 1e9:.1f} GB"
            " are converted. Save it as CSR: scipy.sparse.save_npz(file, matrix.tocsr())."
        )


def _require_flat(file: str, parts: Arrays) -> None:
    _require(file, parts["data"].ndim == 1, f"its data are of shape {parts['data'].shape}")


def _require(file: str, condition: bool, problem: str) -> None:  # noqa: FBT001 (an assertion)
    if not condition:
        raise SourceError(f"{file} is not a sparse matrix: {problem}. {SAVE_AGAIN}")


def float_type(stored: np.dtype[Any]) -> np.dtype[Any]:
    """float32 if it represents every number of the stored type exactly, else float64."""
    return np.dtype(np.float32 if np.can_cast(stored, np.float32) else np.float64)


def _converted(kind: str, parts: Arrays, shape: tuple[int, int]) -> "sparse.csr_array[Any]":
    """A validated matrix as CSR; duplicate entries are added as floats, which do not overflow."""
    from scipy import sparse  # noqa: PLC0415 (slow to import)

    data = np.ascontiguousarray(parts["data"], float_type(parts["data"].dtype))
    is_short = kind != "dia" and max(*shape, data.size) <= np.iinfo(np.int32).max
    index_type = np.dtype(np.int32 if is_short else np.int64)
    others: list[Array] = [
        np.ascontiguousarray(parts[name], index_type) for name in ARRAYS_OF[kind][1:]
    ]
    if kind == "coo":
        return sparse.coo_array((data, tuple(others)), shape).tocsr()
    if kind == "dia":
        inside = (others[0] > -shape[0]) & (
            others[0] < shape[1]
        )  # other diagonals are outside the matrix
        return sparse.dia_array((data[inside], others[0][inside]), shape).tocsr()
    indices, indptr = others
    if kind == "csc":
        return sparse.csc_array((data, indices, indptr), shape).tocsr()
    return sparse.bsr_array((data, indices, indptr), shape).tocsr()


SAVE_AGAIN = "Save it again, with scipy.sparse.save_npz."
ARRAYS_OF = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
CHECKS = {"csc": _check_csc, "coo": _check_coo, "bsr": _check_bsr, "dia": _check_dia}
