"""Polyhedral cones in two and three dimensions, in exact integers.

The cone of all w with z·w ≥ 0 for some vectors z is intersected with the surface of the box
[−1, 1]^d by clipping its sides with one z after the other. Only directions matter to a cone, so a
corner is represented by an integer multiple of itself, and the new corner between p, where z·p > 0,
and q, where z·q < 0, is

    (z·p) q − (z·q) p,

which lies on z·w = 0 between both. There is no division and no rounding. The corners generate the
cone.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm

import numpy as np

from rosenblatt.types import Floats

Vector = tuple[int, ...]


def box_sides(d: int) -> list[list[Vector]]:
    """The sides of the square or of the cube [−1, 1]^d, each with its corners in order."""
    outline = [(-1,), (1,)] if d == 2 else [(-1, -1), (-1, 1), (1, 1), (1, -1)]
    return [
        [(*corner[:axis], side, *corner[axis:]) for corner in outline]
        for axis, side in product(range(d), (-1, 1))
    ]


def clip(corners: list[Vector], constraints: Iterable[Vector]) -> list[Vector]:
    """The corners of the part of a side where z·w ≥ 0 for all constraints z."""
    for z in constraints:
        kept: list[Vector] = []
        for p, q in zip(corners, corners[1:] + corners[:1], strict=True):
            at_p, at_q = dot(z, p), dot(z, q)
            if at_p >= 0:
                kept.append(p)
            if at_p * at_q < 0:
                new = [abs(at_p) * b + abs(at_q) * a for a, b in zip(p, q, strict=True)]
                kept.append(primitive(new))
        corners = list(dict.fromkeys(kept))  # a corner reached from both sides is kept once
    return corners


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """The product a·b."""
    return sum(s * t for s, t in zip(a, b, strict=True))


def primitive(vector: Sequence[int]) -> Vector:
    """The shortest integer vector in the same direction."""
    divisor = gcd(*vector) or 1
    return tuple(number // divisor for number in vector)


def direction(numbers: Sequence[Fraction]) -> Vector:
    """The shortest integer vector in the direction of a rational one."""
    scale = lcm(*(number.denominator for number in numbers))
    return primitive([int(number * scale) for number in numbers])


def orthogonal(vector: Vector, others: Iterable[Vector]) -> list[Vector]:
    """The vectors among `others` that are orthogonal to a vector."""
    return [other for other in others if dot(vector, other) == 0]


def span_facet(vectors: Iterable[Vector], d: int) -> bool:
    """Whether the vectors span d − 1 dimensions: one that is not 0, or two not parallel."""
    nonzero = [vector for vector in vectors if any(vector)]
    if d == 2 or not nonzero:
        return bool(nonzero)
    first = nonzero[0]
    return any(
        first[i] * v[j] != first[j] * v[i] for v in nonzero for i, j in ((0, 1), (0, 2), (1, 2))
    )


def on_box(vector: Vector) -> list[float]:
    """Where the ray of a vector leaves the box, in floats, which the integers may exceed."""
    largest = max(map(abs, vector))
    return [float(Fraction(number, largest)) for number in vector]


def unit(vector: Vector) -> Floats:
    """The unit vector of the same direction, in floats."""
    floats = np.array(on_box(vector))
    scaled: Floats = floats / np.linalg.norm(floats)
    return scaled


def angles(vectors: Floats, centre: Floats) -> Floats:
    """Angle of each vector: from the centre in the plane, around the centre's axis in space."""
    if len(centre) == 2:
        along, across = centre, np.array([-centre[1], centre[0]])
    else:
        along = np.cross(centre, np.eye(3)[np.abs(centre).argmin()])
        across = np.cross(centre, along)
    angle: Floats = np.arctan2(vectors @ across, vectors @ along)
    return angle
