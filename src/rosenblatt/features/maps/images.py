"""Rows that are images: pixels in reading order, one image a row."""

from collections.abc import Callable
from math import isqrt

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows, rows_part
from rosenblatt.errors import ParameterError
from rosenblatt.parallel import in_order, processors
from rosenblatt.types import Array

IMAGES_PER_BLOCK = 256  # that a thread works on at a time


def image_shape(rows: Rows, shape: tuple[int, int] | None) -> tuple[int, int]:
    """Height and width of the images in some rows; square if `shape` is None."""
    n_pixels = n_cols(rows)
    height, width = (isqrt(n_pixels),) * 2 if shape is None else shape
    if height * width == n_pixels and min(height, width) > 0:
        return height, width
    if shape is None:
        raise ParameterError(
            f"Rows of {n_pixels:,} features are not square images. Give the height and the width of"
            " an image, such as 28x20."
        )
    raise ParameterError(
        f"Images of {height} × {width} pixels are rows of {height * width:,} features; these have"
        f" {n_pixels:,}."
    )


def map_blocks(function: Callable[[Array, Array], None], rows: Rows, n_outputs: int) -> Array:
    """What `function` writes for each block of images, float32, computed on all processors."""
    out = np.empty((n_rows(rows), n_outputs), np.float32)

    def work_on(start: int) -> None:
        stop = start + IMAGES_PER_BLOCK
        function(dense_part(rows, start, stop), out[start:stop])

    starts = range(0, len(out), IMAGES_PER_BLOCK)
    for _ in in_order(work_on, starts, min(processors(), max(1, len(starts)))):
        pass
    return out


def dense_part(rows: Rows, start: int, stop: int) -> Array:
    """Rows start … stop, dense."""
    part = rows_part(rows, start, stop)
    if not isinstance(part, CSR):
        return part
    from rosenblatt.data.training_data import matrix_of  # noqa: PLC0415 (loads scipy)

    return np.asarray(matrix_of(part).toarray())
