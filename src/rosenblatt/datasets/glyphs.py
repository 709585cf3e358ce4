"""Letters and digits as the Mark I saw them: 20 × 20 photocells, each dark (1) or light (0).

A letter is a few strokes of a pen. Its corners lie on a small grid, two digits a corner: column
0 to 4 from the left, then row 0 to 6 from the top. ``"06 20 46, 14 34"`` are the two strokes of A.
Points of the plane are complex numbers, to the right and, times i, down.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from rosenblatt.types import Array, Floats

Points = npt.NDArray[np.complex128]

SIDE = 20

LETTERS = {
    "A": "06 20 46, 14 34",
    "B": "00 06 36 45 44 33 03, 00 30 41 42 33",
    "C": "41 30 10 01 05 16 36 45",
    "D": "00 06 26 44 42 20 00",
    "E": "40 00 06 46, 03 33",
    "F": "40 00 06, 03 33",
    "G": "41 30 10 01 05 16 36 45 43 23",
    "H": "00 06, 40 46, 03 43",
    "I": "10 30, 20 26, 16 36",
    "J": "20 40, 30 35 26 16 05",
    "K": "00 06, 40 03 46",
    "L": "00 06 46",
    "M": "06 00 23 40 46",
    "N": "06 00 46 40",
    "O": "10 30 41 45 36 16 05 01 10",
    "P": "06 00 30 41 42 33 03",
    "Q": "10 30 41 45 36 16 05 01 10, 24 46",
    "R": "06 00 30 41 42 33 03, 23 46",
    "S": "41 30 10 01 02 13 33 44 45 36 16 05",
    "T": "00 40, 20 26",
    "U": "00 05 16 36 45 40",
    "V": "00 26 40",
    "W": "00 16 23 36 40",
    "X": "00 46, 40 06",
    "Y": "00 23 40, 23 26",
    "Z": "00 40 06 46",
}
DIGITS = {
    "0": "10 30 41 45 36 16 05 01 10",
    "1": "11 20 26, 16 36",
    "2": "01 10 30 41 42 06 46",
    "3": "01 10 30 41 42 33 44 45 36 16 05, 23 33",
    "4": "36 30 04 44",
    "5": "40 00 03 33 44 45 36 16 05",
    "6": "41 30 10 01 05 16 36 45 44 33 03",
    "7": "00 40 16",
    "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
    "9": "05 16 36 45 41 30 10 01 02 13 43",
}
STROKES = LETTERS | DIGITS


@dataclass(frozen=True)
class Pen:
    """How a glyph is put on the cells: all lengths are in cells, ``slant`` is a tangent."""

    height: float = 14.0
    width: float = 10.0
    thickness: float = 2.0
    slant: float = 0.0
    right: float = 0.0
    down: float = 0.0


PLAIN = Pen()


def draw(glyph: str, pen: Pen = PLAIN) -> Floats:
    """Cells of a letter or a digit, 20 × 20: 1 where a cell's centre lies under the pen."""
    segments = _place(_segments(STROKES[glyph]), pen)
    return (_distance(segments) <= pen.thickness / 2).astype(np.float64).reshape(SIDE, SIDE)


def pictures(
    glyphs: Iterable[str], n: int, noise: float = 0.01, seed: int = 0
) -> tuple[Floats, Array]:
    """Pictures of some letters or digits over and over, each drawn by another pen.

    A row holds its 400 cells line by line from the top left; a share ``noise`` is turned over.
    """
    rng = np.random.default_rng(seed)
    y = np.resize(np.array(list(glyphs)), n)
    X = np.array([draw(glyph, _some_pen(rng)).ravel() for glyph in y]).reshape(n, SIDE * SIDE)
    turned = rng.uniform(size=X.shape) < noise
    return np.where(turned, 1 - X, X), y


def _some_pen(rng: np.random.Generator) -> Pen:
    return Pen(
        height=rng.uniform(12, 15),
        width=rng.uniform(8.5, 11),
        thickness=rng.uniform(1.5, 2.6),
        slant=rng.uniform(-0.12, 0.12),
        right=rng.uniform(-1.5, 1.5),
        down=rng.uniform(-1.5, 1.5),
    )


def _segments(strokes: str) -> Points:
    """Straight pieces of the strokes in the unit square, a row (start, end) each."""
    lines = [[_corner(*map(int, corner)) for corner in line.split()] for line in strokes.split(",")]
    return np.array([piece for corners in lines for piece in pairwise(corners)])


def _corner(column: int, row: int) -> complex:
    return complex(column / 4, row / 6)


def _place(points: Points, pen: Pen) -> Points:
    """Points of the unit square moved to the cells, about the middle of the picture."""
    down = (points.imag - 0.5) * pen.height
    right = (points.real - 0.5) * pen.width - down * pen.slant
    return right + pen.right + SIDE / 2 + 1j * (down + pen.down + SIDE / 2)


def _distance(segments: Points) -> Floats:
    """From the centre of each cell to the nearest piece."""
    rows, columns = np.divmod(np.arange(SIDE * SIDE), SIDE)
    start, stride = segments[:, 0], segments[:, 1] - segments[:, 0]
    ahead = (columns + 0.5 + 1j * (rows + 0.5))[:, None] - start
    share = np.clip((ahead / stride).real, 0, 1)  # how far along the piece its nearest point is
    away: Floats = np.abs(ahead - share * stride).min(axis=1)
    return away
