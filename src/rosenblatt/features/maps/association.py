"""Association units: the random layer of Rosenblatt's perceptron, before the one that learns.

Each unit is connected to a few points of the retina, drawn at random; half of the connections are
excitatory, half inhibitory. It fires, 1, where the excitatory inputs less the inhibitory ones reach
its threshold. The sum is taken in one order for dense and sparse rows, so that both give the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rosenblatt.csr import Rows, n_cols, n_rows, rows_take
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.images import IMAGES_PER_BLOCK, dense_part, map_blocks
from rosenblatt.types import Array, Floats, Ints


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
            raise ValueError("thresholds must hold one number a row of points")
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
