"""The eye of the Mark I perceptron: 400 photocells in 20 rows, looking at an image of any size.

A photocell gives the mean brightness of its part of the image. Where its border cuts a pixel, the
pixel counts by the area inside. As the parts are rectangles, the means are taken down and across in
turn, each by a small matrix.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.images import image_shape, map_blocks
from rosenblatt.types import Array, Floats

PHOTOCELLS_PER_SIDE = 20


@dataclass(frozen=True)
class Photocells:
    """Brightness of 20 × 20 parts of an image, from 0 to 1; with a threshold, 0 or 1.

    Pixels of at least `white` give 1. A threshold of 0 is none.
    """

    image: tuple[int, int]
    white: float
    threshold: float

    def __post_init__(self) -> None:
        if min(self.image) < 1:
            raise ParameterError(f"image must be a height and a width; got {self.image}.")
        if not 0 < self.white < np.inf:
            raise ParameterError(f"white must be a number above 0; got {self.white!r}.")
        if not 0 <= self.threshold <= 1:
            raise ParameterError(f"threshold must be a number from 0 to 1; got {self.threshold!r}.")

    @property
    def n_inputs(self) -> int:
        """Number of pixels of an image."""
        return self.image[0] * self.image[1]

    @property
    def n_outputs(self) -> int:
        """Number of photocells."""
        return PHOTOCELLS_PER_SIDE * PHOTOCELLS_PER_SIDE

    def transform(self, rows: Rows) -> Rows:
        """Outputs of the photocells for each image, float32."""
        down, across = map(averaging_matrix, self.image)

        def measure(images: Array, out: Array) -> None:
            brightness = np.clip(images.astype(np.float64) / self.white, 0.0, 1.0)
            means = down @ brightness.reshape(-1, *self.image) @ across.T
            cells = means.reshape(len(images), self.n_outputs)
            out[:] = cells >= self.threshold if self.threshold else cells

        return map_blocks(measure, rows, self.n_outputs)

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "photocell_3_7": row and column, counted from 0."""
        del names
        places = product(range(PHOTOCELLS_PER_SIDE), repeat=2)
        return tuple(f"photocell_{i}_{j}" for i, j in places)


def averaging_matrix(n_pixels: int) -> Floats:
    """The matrix of the means of 20 equal parts of a line of pixels."""
    borders = np.arange(PHOTOCELLS_PER_SIDE + 1) * n_pixels / PHOTOCELLS_PER_SIDE
    pixels = np.arange(n_pixels + 1)
    last = np.minimum(borders[1:, None], pixels[1:])
    first = np.maximum(borders[:-1, None], pixels[:-1])
    return np.asarray(np.maximum(last - first, 0.0) * PHOTOCELLS_PER_SIDE / n_pixels)


def mark_i(
    rows: Rows,
    threshold: float = 0.0,
    *,
    white: float | None = None,
    shape: tuple[int, int] | None = None,
) -> Photocells:
    """Photocells for images; `white` is by default the brightest pixel of these."""
    image = image_shape(rows, shape)
    values = rows.data if isinstance(rows, CSR) else rows
    brightest = float(values.max(initial=0)) or 1.0
    return Photocells(image, brightest if white is None else white, threshold)
