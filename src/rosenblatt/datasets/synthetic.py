"""Problems whose truth is known: margin γ and radius R, Bayes error, or the map that helps.

==============  ============================================================  ============
generator       what is known                                                 record
==============  ============================================================  ============
`separable`     the largest margin γ, the radius R, and the weights           `Separation`
`overlapping`   the best possible weights, and the error that even they make  `Bayes`
`rings`, `xor`  no line separates the rows; after a given map, one does       `Lifted`
==============  ============================================================  ============

Labels are −1 and +1, as near to half and half as n allows, and the same seed gives the same rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, erfc, sqrt

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.types import Floats, Ints

MAX_SLACK_SHARE = 1e-6  # of a margin: what is added to it so that rounding cannot take it away


@dataclass(frozen=True, eq=False)
class Separation:
    """Unit ``weights`` of the vectors (x, 1), the largest possible ``margin`` γ, and the radius R.

    Novikoff's convention: y(w·x) ≥ γ, hence at most (R/γ)² mistakes. (Where the theorem is
    stated with y(w·x) ≥ γ/2, its γ is twice this one.)
    """

    weights: Floats
    margin: float
    radius: float

    @property
    def mistake_bound(self) -> int:
        """Mistakes a perceptron that starts from zero can make: fewer than R²/γ², by the slack."""
        return ceil((self.radius / self.margin) ** 2) - 1


@dataclass(frozen=True, eq=False)
class Bayes:
    """The ``weights`` of the true log odds w·x + b, and the ``error`` of the Bayes classifier."""

    weights: Floats
    error: float


@dataclass(frozen=True, eq=False)
class Lifted:
    """Rows that no line separates, a map of them, and ``weights`` that separate (map(x), 1)."""

    map: Callable[[Floats], Floats]
    weights: Floats


def separable(
    n: int = 200, d: int = 2, margin: float = 0.25, radius: float = 4.0, seed: int = 0
) -> tuple[Floats, Ints, Separation]:
    """Two clouds whose largest margin γ and radius R, both of the vectors (x, 1), are given.

    Both bounds hold exactly, not only to rounding, and both are reached up to rounding: one row
    has norm R, and the two rows nearest the plane lie opposite each other, so that a convex
    combination of y(x, 1) equals γw and no other weights can have a larger margin.
    """
    if n < 3 or d < 1:
        raise ParameterError(f"Separable clouds need n ≥ 3 and d ≥ 1; got n={n}, d={d}.")
    # room for the rounding of a dot product, so that the bounds hold in exact arithmetic
    slack = 16 * (d + 1) * float(np.finfo(np.float64).eps) * radius
    reach = sqrt(max(radius**2 - 1, 0)) - slack
    if not (radius > 1 and 0 < margin < reach - 4 * slack):
        raise ParameterError(
            "Separable clouds need 0 < margin < √(radius² − 1), because the vectors are (x, 1); "
            f"got margin={margin}, radius={radius}. Take a smaller margin or a larger radius."
        )
    if margin < slack / MAX_SLACK_SHARE:
        raise ParameterError(
            f"At radius={radius:g} and d={d}, float64 cannot place rows at a margin below"
            f" {slack / MAX_SLACK_SHARE:.1g}; got margin={margin}."
        )
    rng = np.random.default_rng(seed)
    widest = (reach - margin) / (1 + margin)
    if margin > 1:  # farther from the origin, another plane would have a larger margin of (x, 1)
        widest = min(widest, 1.9 / sqrt(margin**2 - 1))
    bias = rng.uniform(-0.5, 0.5) * widest
    length = sqrt(1 + bias**2)
    y = np.concatenate([[1, -1, 1], _signs(n - 3, rng)])
    along = _along(y, bias, (margin + slack) * length, reach, rng)
    across = _across(along, reach, d - 1, rng)
    across[:3] = 0
    normal = _direction(d, rng)
    X = _turn(np.column_stack([along, across]), normal)
    order = rng.permutation(n)
    return X[order], y[order], Separation(np.append(normal, bias) / length, margin, radius)


def overlapping(
    n: int = 200, d: int = 2, distance: float = 2.0, seed: int = 0
) -> tuple[Floats, Ints, Bayes]:
    """Two round Gaussian clouds of variance 1 whose means are ``distance`` apart.

    The log odds are linear, so a line is the best rule of all. Rows of such clouds are rarely
    separable unless n is near 2d or below it (Cover), or the distance is large.
    """
    if not (n >= 2 and d >= 1 and distance > 0):
        raise ParameterError(
            "Overlapping clouds need n ≥ 2, d ≥ 1 and distance > 0; "
            f"got n={n}, d={d}, distance={distance}."
        )
    rng = np.random.default_rng(seed)
    normal, centre = _direction(d, rng), rng.uniform(-1, 1, d)
    y = _signs(n, rng)
    X = rng.standard_normal((n, d)) + centre + np.outer(y, distance / 2 * normal)
    weights = distance * np.append(normal, -(normal @ centre))
    return X, y, Bayes(weights, erfc(distance / sqrt(8)) / 2)


def rings(n: int = 200, noise: float = 0.2, seed: int = 0) -> tuple[Floats, Ints, Lifted]:
    """Two rings: of radius 1 (label +1) inside of radius 2, both give or take ``noise``.

    The outer ring goes round at even angles, so that its convex hull holds the inner one: no
    line separates them, for certain, while x ↦ ‖x‖² does.
    """
    if not (n >= 10 and 0 <= noise <= 0.25):
        raise ParameterError(
            f"Rings need n ≥ 10 and 0 ≤ noise ≤ 1/4, or a line might separate them; "
            f"got n={n}, noise={noise}."
        )
    rng = np.random.default_rng(seed)
    y = _signs(n, rng)
    turns = rng.uniform(size=n)
    outer = y == -1
    turns[outer] = (np.arange(outer.sum()) + rng.uniform()) / outer.sum()
    lengths = np.where(outer, 2, 1) + rng.uniform(-noise, noise, n)
    angles = 2 * np.pi * turns
    X = lengths[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return X, y, Lifted(_squared_norm, np.array([-1.0, 1.5**2]))


def xor(n: int = 200, noise: float = 0.2, seed: int = 0) -> tuple[Floats, Ints, Lifted]:
    """Clouds at the corners of the unit square, +1 where the corner's two bits differ.

    With every coordinate within ``noise`` < 1/4 of its corner, the diagonals still cross: no line
    separates the rows, for certain, while (u, v) ↦ (u, v, uv) does.
    """
    if not (n >= 4 and 0 <= noise < 0.25):
        raise ParameterError(
            f"XOR clouds need n ≥ 4 and 0 ≤ noise < 1/4, or a line might separate them; "
            f"got n={n}, noise={noise}."
        )
    rng = np.random.default_rng(seed)
    corners = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])[rng.permutation(n) % 4]
    X = corners + rng.uniform(-noise, noise, (n, 2))
    y = np.where(corners[:, 0] != corners[:, 1], 1, -1)
    # −(u − 1/2)(v − 1/2), multiplied out
    return X, y, Lifted(_with_product, np.array([0.5, 0.5, -1.0, -0.25]))


def _squared_norm(X: Floats) -> Floats:
    squares: Floats = (X**2).sum(axis=1, keepdims=True)
    return squares


def _with_product(X: Floats) -> Floats:
    return np.column_stack([X, X[:, 0] * X[:, 1]])


def _signs(n: int, rng: np.random.Generator) -> Ints:
    return np.where(rng.permutation(n) % 2 == 0, -1, 1)


def _direction(d: int, rng: np.random.Generator) -> Floats:
    arrow = rng.standard_normal(d)
    return arrow / np.linalg.norm(arrow)


def _along(y: Ints, bias: float, near: float, reach: float, rng: np.random.Generator) -> Floats:
    """Heights a with near ≤ y(a + bias) and |a| ≤ reach, the first three at the ends of that."""
    share = rng.uniform(size=len(y))
    share[:3] = 0, 0, 1  # nearest of either class, and farthest
    return y * (near + share * (reach + y * bias - near)) - bias


def _across(along: Floats, reach: float, d: int, rng: np.random.Generator) -> Floats:
    """Points drawn evenly from the d-dimensional slices of a ball, cut at the heights ``along``."""
    arrows = rng.standard_normal((len(along), d))
    arrows /= np.linalg.norm(arrows, axis=1, keepdims=True)
    share = rng.uniform(size=len(along)) ** (1 / max(d, 1))
    return (share * np.sqrt(np.maximum(reach**2 - along**2, 0)))[:, None] * arrows


def _turn(X: Floats, direction: Floats) -> Floats:
    """Rows turned so that their first axis comes to lie along ``direction``; lengths are kept."""
    sign = np.copysign(1.0, direction[0])  # a Householder mirror with nothing to cancel
    mirror = direction.copy()
    mirror[0] += sign
    turned: Floats = sign * (np.outer(X @ mirror, 2 / (mirror @ mirror) * mirror) - X)
    return turned
