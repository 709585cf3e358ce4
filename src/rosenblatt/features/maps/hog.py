"""Histograms of oriented gradients: which edges there are, and where, not how bright.

An image is cut into cells, and each has a histogram of the orientations of its gradients, weighted
by their magnitude. Blocks of neighbouring cells are then normalised, so that illumination and
contrast do not matter; a cell is repeated in every block it belongs to (Dalal and Triggs, 2005).
The definition is that of scikit-image's `hog`, with two additions: `signed` distinguishes an edge
from dark to bright from its opposite, and `soft` interpolates the vote of a pixel between the
nearest orientations and cells, so that a small shift or turn of an image is a small change of its
features.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.csr import Rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features.maps.images import image_shape, map_blocks
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.features.maps.hog_kernel import Layout, VotePlaces

NORMS = ("L1", "L1-sqrt", "L2", "L2-Hys")
MAX_ORIENTATIONS = 180


@dataclass(frozen=True)
class Histograms:
    """Histograms of gradient orientations in the cells of an image, block by block."""

    image: tuple[int, int]
    cell: tuple[int, int]
    block: tuple[int, int]
    orientations: int
    norm: str
    root: bool
    signed: bool
    soft: bool

    def __post_init__(self) -> None:
        if min(*self.image, *self.cell, *self.block) < 1:
            raise ParameterError(
                "Images, cells and blocks have a height and a width of at least 1; got images of"
                f" {_size(self.image)} pixels, cells of {_size(self.cell)} pixels and blocks of"
                f" {_size(self.block)} cells."
            )
        if min(self.blocks) < 1:
            raise ParameterError(
                f"Images of {_size(self.image)} pixels are too small for a block of"
                f" {_size(self.block)} cells of {_size(self.cell)} pixels. Take smaller cells, or"
                " fewer of them in a block."
            )
        if not 1 <= self.orientations <= MAX_ORIENTATIONS:
            raise ParameterError(
                f"orientations must be an integer from 1 to {MAX_ORIENTATIONS}; got"
                f" {self.orientations!r}."
            )
        if self.norm not in NORMS:
            raise ParameterError(f"norm must be one of {', '.join(NORMS)}; got {self.norm!r}.")

    @property
    def n_inputs(self) -> int:
        """Number of pixels of an image."""
        return self.image[0] * self.image[1]

    @property
    def n_outputs(self) -> int:
        """Number of output features."""
        return prod(self.blocks) * prod(self.block) * self.bins

    @property
    def cells(self) -> tuple[int, int]:
        """Number of cells, down and across."""
        return self.image[0] // self.cell[0], self.image[1] // self.cell[1]

    @property
    def blocks(self) -> tuple[int, int]:
        """Number of blocks, down and across."""
        return self.cells[0] - self.block[0] + 1, self.cells[1] - self.block[1] + 1

    @property
    def bins(self) -> int:
        """Number of bins of a cell's histogram: one an orientation, two if signed."""
        return self.orientations * (2 if self.signed else 1)

    def transform(self, rows: Rows) -> Rows:
        """The normalised blocks of each image, float32."""
        from rosenblatt.features.maps.hog_kernel import hog_features  # noqa: PLC0415 (loads numba)

        def describe(images: Array, out: Array) -> None:
            layout = self._layout(single=images.dtype == np.float32)
            hog_features(self._pixels(images), layout, self._vote_places, out)

        return map_blocks(describe, rows, self.n_outputs)

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "cell 2,3 at 30° in block 1,3", cells and blocks counted from 0.

        The angle is that of the gradient at the centre of its bin, clockwise from the right. The
        edge is perpendicular to it.
        """
        del names
        step = 180 / self.orientations
        places = product(range(self.block[0]), range(self.block[1]), range(self.bins))
        in_block = [(row, column, f"{(k + 0.5) * step:g}°") for row, column, k in places]
        return tuple(
            f"cell {down + row},{across + column} at {angle} in block {down},{across}"
            for down, across in product(*map(range, self.blocks))
            for row, column, angle in in_block
        )

    def cell_histograms(self, features: Array) -> Floats:
        """The histogram of each cell of an image, down × across × bins: the mean over its blocks.

        `features` are those of one image. With several cells in a block, a cell has been normalised
        once in each block that it belongs to.
        """
        blocks = np.asarray(features, np.float64).reshape(*self.blocks, *self.block, self.bins)
        totals, counts = np.zeros((*self.cells, self.bins)), np.zeros((*self.cells, 1))
        for row, column in product(*map(range, self.block)):
            down, across = (
                slice(first, first + n) for first, n in zip((row, column), self.blocks, strict=True)
            )
            totals[down, across] += blocks[:, :, row, column]
            counts[down, across] += 1
        return np.asarray(totals / counts)

    def bin_angles(self) -> Floats:
        """The angle of the gradient at the centre of each bin in radians, clockwise from the right.

        The edge is perpendicular to it.
        """
        return np.deg2rad((np.arange(self.bins) + 0.5) * 180 / self.orientations)

    def _pixels(self, images: Array) -> Floats:
        """Pixels, or their square roots taken in the precision of the input, as float64."""
        if not self.root:
            return np.ascontiguousarray(images, np.float64)
        if images.min(initial=0) < 0:
            raise DataError(
                "A pixel is negative and has no square root. Switch the root off, or shift the"
                " pixels to 0 or more."
            )
        return np.sqrt(images, dtype=np.result_type(images, np.float32)).astype(np.float64)

    def _layout(self, *, single: bool) -> "Layout":
        from rosenblatt.features.maps.hog_kernel import Layout  # noqa: PLC0415 (loads numba)

        sizes = (self.image[1], *self.cells, *self.block, self.bins, self.orientations)
        return Layout(*sizes, 1 / prod(self.cell), NORMS.index(self.norm), self.soft, single)

    @cached_property
    def _vote_places(self) -> "VotePlaces":
        from rosenblatt.features.maps.hog_kernel import (  # noqa: PLC0415 (loads numba)
            AFTER,
            BEFORE,
            VotePlaces,
        )

        (row, below), (column, right) = map(self._cells_and_shares, self.image, self.cell)
        cell = (row[:, None] + BEFORE) * (self.cells[1] + BEFORE + AFTER) + column + BEFORE
        return VotePlaces(
            np.ravel(cell) * self.bins,
            np.repeat(below, len(right)),
            np.tile(right, len(below)),
            *_directions(np.arange(1.0, self.orientations) * (180 / self.orientations)),
        )

    def _cells_and_shares(self, n_pixels: int, size: int) -> tuple[Ints, Floats]:
        """For the pixels of a line the cell they vote for, and the weight of the next cell.

        A soft vote goes to the two cells whose centres are nearest.
        """
        place = (np.arange(n_pixels) + 0.5) / size - (0.5 if self.soft else 0.0)
        first = np.floor(place).astype(np.int64)
        return first, place - first


def _directions(angles: Floats) -> tuple[Floats, Floats]:
    """Cosines and sines of angles in degrees, exactly equal on the diagonals.

    Only on diagonals and verticals can an integer gradient lie on a boundary between orientations;
    it then belongs to the next one.
    """
    near = np.deg2rad(angles % 90)
    cosines = np.cos(near)
    sines = np.where(angles % 90 == 45, cosines, np.sin(near))
    return np.where(angles < 90, cosines, -sines), np.where(angles < 90, sines, cosines)


def _size(sides: tuple[int, int]) -> str:
    return f"{sides[0]} × {sides[1]}"


def hog(
    rows: Rows,
    cell: tuple[int, int] = (8, 8),
    *,
    block: tuple[int, int] = (2, 2),
    orientations: int = 9,
    norm: str = "L2-Hys",
    root: bool = False,
    signed: bool = False,
    soft: bool = False,
    shape: tuple[int, int] | None = None,
) -> Histograms:
    """Histograms of images, which are square if no shape is given."""
    image = image_shape(rows, shape)
    return Histograms(image, cell, block, orientations, norm, root, signed, soft)
