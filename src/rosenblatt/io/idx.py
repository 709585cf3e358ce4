"""IDX files, the format of MNIST: images in one file, their labels in another.

A file begins with two zero bytes, the code of a type and the number of dimensions; then come the
dimensions as big-endian 32-bit integers, and the numbers themselves.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Place, non_empty
from rosenblatt.io.files import OPENERS, name_of, opened, suffixes_of
from rosenblatt.types import Array

TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
MAX_CHUNK_VALUES = 1 << 22  # some thousand images
MAX_IMAGE_VALUES = 1 << 28  # a larger image means a damaged header


class Header(NamedTuple):
    """Type of the numbers, number of items, and the shape of each."""

    stored: np.dtype[Any]
    n: int
    shape: tuple[int, ...]

    @property
    def kind(self) -> np.dtype[Any]:
        """The smallest float type that represents every number exactly."""
        return np.dtype(np.float32 if np.can_cast(self.stored, np.float32) else np.float64)


@dataclass(frozen=True)
class IdxSource:
    """Images of IDX files, one file after another, with their labels where these exist."""

    files: tuple[str, ...]
    labelled: bool = True
    max_rows: int | None = None

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    @cached_property
    def max_pixel_value(self) -> float | None:
        """The largest possible value of a pixel that is stored as a byte."""
        stored = _header_of(self._images[0]).stored
        return float(np.iinfo(stored).max) if stored.itemsize == 1 else None

    @cached_property
    def feature_names(self) -> tuple[str, ...] | None:
        """Name of every pixel, by its indices."""
        sides = [range(side) for side in _header_of(self._images[0]).shape]
        return tuple("_".join(["pixel", *map(str, place)]) for place in product(*sides))

    def __iter__(self) -> Iterator[Matrix]:
        """Read the chunks from the beginning."""
        return non_empty(self.name, self._chunks())

    @cached_property
    def _images(self) -> tuple[str, ...]:
        """Files that are not labels of others: a glob may match both."""
        labels = {_labels_file(file) for file in self.files}
        return tuple(file for file in self.files if file not in labels)

    def _chunks(self) -> Iterator[Matrix]:
        first = _header_of(self._images[0])
        for file in self._images:
            header = _header_of(file)
            if not header.shape:
                raise SourceError(
                    f"{file} holds single numbers, as label files do. Give the file of images."
                )
            if header.shape != first.shape:
                raise SourceError(
                    f"{file} has images of {_size(header.shape)}, where {self._images[0]} has"
                    f" {_size(first.shape)}. Files that are read together must have one size."
                )
            labels = _labels(file, header.n) if self.labelled else None
            step = self.max_rows or max(1, MAX_CHUNK_VALUES // max(1, prod(header.shape)))
            for start, rows in _blocks(file, step):
                part = None if labels is None else labels[start : start + len(rows)]
                yield Matrix(rows.astype(header.kind), part, Place(file, row=start))


def _blocks(file: str, step: int) -> Iterator[tuple[int, Array]]:
    """Blocks of flattened rows of a file, each with the index of its first row."""
    with opened(file) as stream:
        header = _header(file, stream)
        width = prod(header.shape)
        for start in range(0, header.n, step):
            n = min(step, header.n - start)
            content = stream.read(n * width * header.stored.itemsize)
            if len(content) < n * width * header.stored.itemsize:
                raise SourceError(
                    f"{file} is truncated: it should hold {header.n} of {_size(header.shape)},"
                    f" but ends within the {n} from row {start} on. Fetch it again."
                )
            yield start, np.frombuffer(content, header.stored).reshape(n, width)
        if stream.read(1):
            raise SourceError(
                f"{file} continues after the {header.n} of {_size(header.shape)} in its"
                " header. Is it damaged?"
            )


def _header_of(file: str) -> Header:
    with opened(file) as stream:
        return _header(file, stream)


def _header(file: str, stream: IO[bytes]) -> Header:
    zeros, code, dimensions = stream.read(2), stream.read(1), stream.read(1)
    if zeros != bytes(2) or not code or code[0] not in TYPES or dimensions in (b"", b"\0"):
        start = (zeros + code + dimensions).hex(" ") or "nothing"
        raise SourceError(
            f"{file} is not an IDX file: it begins with {start}, where two zero bytes, a type"
            " code and a number of dimensions were expected."
        )
    sizes = stream.read(4 * dimensions[0])
    if len(sizes) < 4 * dimensions[0]:
        raise SourceError(f"{file} is truncated within its header. Fetch it again.")
    n, *shape = np.frombuffer(sizes, ">u4").tolist()
    if prod(shape) > MAX_IMAGE_VALUES:
        raise SourceError(f"{file} claims to hold images of {_size(tuple(shape))}. Is it damaged?")
    return Header(np.dtype(TYPES[code[0]]), n, tuple(shape))


def _labels(file: str, n: int) -> Array | None:
    """Labels of n images, if there is a file of them."""
    labels_file = _labels_file(file)
    if labels_file is None:
        return None
    header = _header_of(labels_file)
    if header.shape or header.n != n:
        raise SourceError(
            f"{labels_file} has {header.n} labels of {_size(header.shape)}, but {file} has {n}"
            " images. Every image needs one number."
        )
    blocks = [block.reshape(-1) for _, block in _blocks(labels_file, MAX_CHUNK_VALUES)]
    return np.concatenate([*blocks, np.empty(0, header.stored)]).astype(
        header.stored.newbyteorder("=")
    )


def _labels_file(file: str) -> str | None:
    """The file of the labels of some images, by its name; compressed or not."""
    path = Path(file)
    plain = path.name.removesuffix(suffixes_of(file)[1])
    name = re.sub(r"idx\d", "idx1", plain.replace("images", "labels"))
    if name == path.name or "images" not in plain:
        return None
    found = (path.with_name(name + suffix) for suffix in ("", *OPENERS))
    return next((str(candidate) for candidate in found if candidate.exists()), None)


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) + " numbers" if shape else "1 number"
