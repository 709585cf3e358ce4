"""The eye of the Mark I perceptron: 400 photocells in 20 rows, before an image of any size.

A photocell takes the mean brightness of its part of the image. Where its border cuts a pixel, the
pixel counts by the area inside. As the parts are rectangles, the means are taken down and across in
turn, each by a small matrix.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.errors import ParameterError
from rosenblatt.maps.images import in_parts, shape_of
from rosenblatt.types import Array, Floats

SIDE = 20


@dataclass(frozen=True)
class Photocells:
    """Brightness of 20 × 20 parts of an image, from 0 to 1; with a threshold, 0 or 1.

    What is at least as bright as `white` gives 1. A threshold of 0 is none.
    """

    image: tuple[int, int]
    white: float
    threshold: float

    def __post_init__(self) -> None:
        if min(self.image) < 1:
            raise ParameterError(f"An image has a height and a width; got {self.image}.")
        if not 0 < self.white < np.inf:
            raise ParameterError(f"white must be a number above 0; got {self.white!r}.")
        if not 0 <= self.threshold <= 1:
            raise ParameterError(f"threshold must be a number from 0 to 1; got {self.threshold!r}.")

    @property
    def n_inputs(self) -> int:
        """How many pixels an image has."""
        return self.image[0] * self.image[1]

    @property
    def n_outputs(self) -> int:
        """How many photocells there are."""
        return SIDE * SIDE

    def rows(self, rows: Rows) -> Rows:
        """What the photocells give for each image, float32."""
        down, across = map(overlaps, self.image)

        def looked_at(images: Array, out: Array) -> None:
            light = np.clip(images.astype(np.float64) / self.white, 0.0, 1.0)
            seen = down @ light.reshape(-1, *self.image) @ across.T
            cells = seen.reshape(len(images), self.n_outputs)
            out[:] = cells >= self.threshold if self.threshold else cells

        return in_parts(looked_at, rows, self.n_outputs)

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "photocell_3_7": row and column, counted from 0."""
        del names
        return tuple(f"photocell_{i}_{j}" for i, j in product(range(SIDE), repeat=2))


def overlaps(n_pixels: int) -> Floats:
    """The share of each pixel of a line in each of its 20 parts: a matrix of means."""
    borders = np.arange(SIDE + 1) * n_pixels / SIDE
    pixels = np.arange(n_pixels + 1)
    last = np.minimum(borders[1:, None], pixels[1:])
    first = np.maximum(borders[:-1, None], pixels[:-1])
    return np.asarray(np.maximum(last - first, 0.0) * SIDE / n_pixels)


def mark_i(
    rows: Rows,
    threshold: float = 0.0,
    *,
    white: float | None = None,
    shape: tuple[int, int] | None = None,
) -> Photocells:
    """Photocells before images; white is the brightest pixel of these unless it is told."""
    image = shape_of(rows, shape)
    values = rows.data if isinstance(rows, CSR) else rows
    brightest = float(values.max(initial=0)) or 1.0
    return Photocells(image, brightest if white is None else white, threshold)
