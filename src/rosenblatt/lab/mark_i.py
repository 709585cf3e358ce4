"""The Mark I on the page: units trained on letters or digits of 20 × 20 cells, and their votes."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.datasets import glyphs
from rosenblatt.lab.catalogue import estimator_for
from rosenblatt.types import Floats

SIDE = glyphs.SIDE
CELLS = SIDE * SIDE
ALPHABETS = {"letters": glyphs.LETTERS, "digits": glyphs.DIGITS}
PENS = 80  # pictures of each letter or digit to learn from
MACHINES: dict[str, dict[str, Any]] = {
    "perceptron": {"keep": "average", "max_iter": 30},
    "linear-discriminant": {"shrinkage": 0.2},
    "logistic-regression": {"C": 0.1, "tol": 1e-3},
}
ACROSS, ROWS = 5, 6  # pictures of weights side by side, and below each other
WIDE, HIGH = SIDE + 2, SIDE + 5  # a picture with the room around it, its glyph above


class Machine(NamedTuple):
    """Units that know letters or digits: which each knows, and their weights."""

    glyphs: tuple[str, ...]
    W: Floats


class Votes(NamedTuple):
    """Score of each unit, and what the best one knows; nothing for an empty picture."""

    scores: Floats
    glyph: str


@lru_cache
def machine(rule: str, alphabet: str) -> Machine:
    """Units trained by a rule on letters or digits drawn by many pens."""
    known = ALPHABETS[alphabet]
    X, y = glyphs.pictures(known, PENS * len(known))
    model = estimator_for(rule, MACHINES[rule]).fit(X, y)
    return Machine(tuple(model.classes_), np.column_stack([model.coef_, model.intercept_]))


def votes(units: Machine, cells: Floats) -> Votes:
    """What the units make of a picture."""
    scores: Floats = units.W[:, :-1] @ cells + units.W[:, -1]
    return Votes(scores, units.glyphs[int(scores.argmax())] if cells.any() else "")


def some_glyph(alphabet: str, place: int, seed: int) -> Floats:
    """A letter or digit, by its place, of a pen that none of the units has learned from."""
    known = ALPHABETS[alphabet]
    X, _ = glyphs.pictures(known, len(known), noise=0.0, seed=seed + 1)
    picture: Floats = X[place % len(X)]
    return picture


def pictures_of(units: Machine) -> tuple[Floats, list[tuple[str, int, int]]]:
    """All weights as one picture, top row last as Bokeh draws, and where each glyph stands."""
    mosaic = np.full((ROWS * HIGH, ACROSS * WIDE), np.nan)
    places = []
    for k, (glyph, w) in enumerate(zip(units.glyphs, units.W, strict=True)):
        row, column = divmod(k, ACROSS)
        top, left = row * HIGH + HIGH - SIDE, column * WIDE
        picture = w[:-1].reshape(SIDE, SIDE) / np.abs(w[:-1]).max()
        mosaic[top : top + SIDE, left : left + SIDE] = picture
        places.append((glyph, left, ROWS * HIGH - top))
    return mosaic[::-1], places


def as_hex(cells: Floats) -> str:
    """Cells as a word for an address: empty for none."""
    bits = np.packbits(cells.astype(bool))
    return bits.tobytes().hex() if cells.any() else ""


def from_hex(word: str) -> Floats:
    """Cells out of a word; ValueError if it is none."""
    if not word:
        return np.zeros(CELLS)
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(word), np.uint8))
    if len(bits) != CELLS:
        raise ValueError(f"a picture is {CELLS // 4} digits of base 16")
    return bits.astype(float)
