"""Association units: the random layer of Rosenblatt's perceptron, before the one that learns.

Each unit is wired to a few points of the retina, drawn at random: half of them excite it, half
inhibit it. It fires, 1, where the sum of the ones less the sum of the others reaches its threshold.
A sum is added up in one order for dense and sparse rows alike, so that both decide the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rosenblatt.csr import Rows, n_cols, n_rows, rows_take
from rosenblatt.errors import ParameterError
from rosenblatt.maps.images import PART, dense_part, in_parts
from rosenblatt.types import Array, Floats, Ints


@dataclass(frozen=True, eq=False)
class Association:
    """Units that fire where what excites them exceeds what inhibits them by a threshold.

    `points` are the features each unit is wired to, the exciting ones first.
    """

    n_inputs: int
    points: Ints
    thresholds: Floats

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.thresholds.shape != self.points.shape[:1]:
            raise ValueError("there is not one threshold for each unit")
        if self.points.size and not 0 <= self.points.min() <= self.points.max() < self.n_inputs:
            raise ValueError("a unit is wired to no feature")

    @property
    def n_outputs(self) -> int:
        """How many units there are."""
        return len(self.points)

    def rows(self, rows: Rows) -> Rows:
        """1 where a unit fires for a row, else 0; float32."""

        def fired(retinas: Array, out: Array) -> None:
            out[:] = sums(retinas, self.points) >= self.thresholds

        return in_parts(fired, rows, self.n_outputs)

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "x3 + x5 − x0 − x9 ≥ 0.5"."""
        wired = zip(self.points.tolist(), self.thresholds, strict=True)
        return tuple(_name([names[j] for j in points], limit) for points, limit in wired)


def sums(retinas: Array, points: Ints) -> Floats:
    """What excites each unit less what inhibits it, for each row."""
    light = np.ascontiguousarray(retinas.T, np.float64)
    found = np.zeros((len(points), len(retinas)))
    exciting = n_exciting(points.shape[1])
    for point in points.T[:exciting]:
        found += light[point]
    for point in points.T[exciting:]:
        found -= light[point]
    return found.T


def n_exciting(n_points: int) -> int:
    """How many of a unit's points excite it: half of them, or one more."""
    return n_points - n_points // 2


def _name(points: Sequence[str], limit: float) -> str:
    exciting = n_exciting(len(points))
    inhibiting = "".join(f" − {name}" for name in points[exciting:])
    return f"{' + '.join(points[:exciting])}{inhibiting} ≥ {limit:.4g}"


def association_units(
    rows: Rows,
    n: int = 1000,
    *,
    connections: int = 10,
    threshold: float | None = None,
    seed: int = 0,
) -> Association:
    """Units wired at random; more of them begin with the same ones.

    The threshold of a unit is what it receives from a row taken at random, unless it is told: then
    some rows are above it and some below, whatever the units of the features are.
    """
    d = n_cols(rows)
    if n < 1:
        raise ParameterError(f"n must be a number of units of at least 1; got {n!r}.")
    if not 1 <= connections <= d:
        raise ParameterError(
            f"connections must be a number from 1 to {d:,}, as many as there are features; got"
            f" {connections!r}."
        )
    wiring, lots = np.random.default_rng(seed).spawn(2)
    points = np.array([wiring.choice(d, connections, replace=False) for _ in range(n)], np.int64)
    if threshold is not None:
        return Association(d, points, np.full(n, float(threshold)))
    chosen = lots.integers(0, n_rows(rows), n)
    return Association(d, points, _received(rows, chosen, points))


def _received(rows: Rows, chosen: Ints, points: Ints) -> Floats:
    """What each unit receives from the row chosen for it."""
    found = np.empty(len(points))
    for start in range(0, len(points), PART):
        part = slice(start, start + PART)
        some = rows_take(rows, chosen[part])
        found[part] = np.diagonal(sums(dense_part(some, 0, PART), points[part]))
    return found
