"""Images as rows, and the Mark I perceptron: 400 photocells and their association units."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import isqrt

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows, rows_part, rows_take
from rosenblatt.errors import ParameterError
from rosenblatt.parallel import in_order, processors
from rosenblatt.types import Array, Floats, Ints

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


@dataclass(frozen=True, eq=False)
class Association:
    """Units that fire where excitatory less inhibitory inputs reach a threshold.

    `points` are the input features of each unit, the excitatory ones first.
    """

    n_inputs: int
    points: Ints
    thresholds: Floats

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.thresholds.shape != self.points.shape[:1]:
            raise ValueError("thresholds must hold one number per row of points")
        if self.points.size and not 0 <= self.points.min() <= self.points.max() < self.n_inputs:
            raise ValueError("points has an index outside the features")

    @property
    def n_outputs(self) -> int:
        """Number of units."""
        return len(self.points)

    def transform(self, rows: Rows) -> Rows:
        """1 where a unit fires for a row, else 0; float32."""

        def fire(images: Array, out: Array) -> None:
            out[:] = net_inputs(images, self.points) >= self.thresholds

        return map_blocks(fire, rows, self.n_outputs)

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "x3 + x5 − x0 − x9 ≥ 0.5"."""
        units = zip(self.points.tolist(), self.thresholds, strict=True)
        return tuple(_name([names[j] for j in points], threshold) for points, threshold in units)


def net_inputs(images: Array, points: Ints) -> Floats:
    """Excitatory less inhibitory inputs of each unit, for each row."""
    pixels = np.ascontiguousarray(images.T, np.float64)
    total = np.zeros((len(points), len(images)))
    excitatory = n_excitatory(points.shape[1])
    for point in points.T[:excitatory]:
        total += pixels[point]
    for point in points.T[excitatory:]:
        total -= pixels[point]
    return total.T


def n_excitatory(n_points: int) -> int:
    """Number of a unit's connections that are excitatory: half of them, or one more."""
    return n_points - n_points // 2


def _name(points: Sequence[str], threshold: float) -> str:
    excitatory = n_excitatory(len(points))
    inhibitory = "".join(f" − {name}" for name in points[excitatory:])
    return f"{' + '.join(points[:excitatory])}{inhibitory} ≥ {threshold:.4g}"


def association_units(
    rows: Rows,
    n: int = 1000,
    *,
    connections: int = 10,
    threshold: float | None = None,
    seed: int = 0,
) -> Association:
    """Randomly connected units; a larger n begins with the same ones.

    By default the threshold of a unit is its net input for a random row: then it fires for some
    rows and not for others, whatever the scale of the features.
    """
    d = n_cols(rows)
    if n < 1:
        raise ParameterError(f"n must be a number of units of at least 1; got {n!r}.")
    if not 1 <= connections <= d:
        raise ParameterError(
            f"connections must be a number from 1 to {d:,}, as many as there are features; got"
            f" {connections!r}."
        )
    point_rng, row_rng = np.random.default_rng(seed).spawn(2)
    points = np.array([point_rng.choice(d, connections, replace=False) for _ in range(n)], np.int64)
    if threshold is not None:
        return Association(d, points, np.full(n, float(threshold)))
    chosen = row_rng.integers(0, n_rows(rows), n)
    return Association(d, points, _inputs_at(rows, chosen, points))


def _inputs_at(rows: Rows, chosen: Ints, points: Ints) -> Floats:
    """Net input of each unit for the row chosen for it."""
    inputs = np.empty(len(points))
    for start in range(0, len(points), IMAGES_PER_BLOCK):
        part = slice(start, start + IMAGES_PER_BLOCK)
        images = dense_part(rows_take(rows, chosen[part]), 0, IMAGES_PER_BLOCK)
        inputs[part] = np.diagonal(net_inputs(images, points[part]))
    return inputs
