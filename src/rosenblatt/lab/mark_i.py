"""The Mark I on the page: classifiers of letters or digits of 20 × 20 pixels."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.datasets import glyphs
from rosenblatt.lab.catalogue import estimator_for
from rosenblatt.types import Floats

SIDE = glyphs.SIDE
CELLS = SIDE * SIDE
ALPHABETS = {"letters": glyphs.LETTERS, "digits": glyphs.DIGITS}
IMAGES_PER_GLYPH = 80  # in the training set
MACHINES: dict[str, dict[str, Any]] = {
    "perceptron": {"keep": "average", "max_iter": 30},
    "linear-discriminant": {"shrinkage": 0.2},
    "logistic-regression": {"C": 0.1, "tol": 1e-3},
}
ACROSS, ROWS = 5, 6  # images of weights in a line, and lines
WIDE, HIGH = SIDE + 2, SIDE + 5  # pixels of an image with its padding and its glyph above


class Machine(NamedTuple):
    """A trained classifier: the glyph of each class, and the weights."""

    glyphs: tuple[str, ...]
    W: Floats


class Votes(NamedTuple):
    """The score of each class, and the predicted glyph; none for an empty image."""

    scores: Floats
    glyph: str


@lru_cache
def machine(rule: str, alphabet: str) -> Machine:
    """A classifier trained by a rule on synthetic letters or digits."""
    known = ALPHABETS[alphabet]
    X, y = glyphs.pictures(known, IMAGES_PER_GLYPH * len(known))
    model = estimator_for(rule, MACHINES[rule]).fit(X, y)
    return Machine(tuple(model.classes_), np.column_stack([model.coef_, model.intercept_]))


def votes(units: Machine, cells: Floats) -> Votes:
    """Scores and prediction of an image."""
    scores: Floats = units.W[:, :-1] @ cells + units.W[:, -1]
    return Votes(scores, units.glyphs[int(scores.argmax())] if cells.any() else "")


def sample_glyph(alphabet: str, place: int, seed: int) -> Floats:
    """An image of the letter or digit at a place, from outside the training set."""
    known = ALPHABETS[alphabet]
    X, _ = glyphs.pictures(known, len(known), noise=0.0, seed=seed + 1)
    picture: Floats = X[place % len(X)]
    return picture


def pictures_of(units: Machine) -> tuple[Floats, list[tuple[str, int, int]]]:
    """All weights as one image, top row last as Bokeh draws, and the place of each glyph."""
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
    """Pixels as hexadecimal digits; empty if there are none."""
    bits = np.packbits(cells.astype(bool))
    return bits.tobytes().hex() if cells.any() else ""


def from_hex(word: str) -> Floats:
    """Pixels from hexadecimal digits; ValueError if they are invalid."""
    if not word:
        return np.zeros(CELLS)
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(word), np.uint8))
    if len(bits) != CELLS:
        raise ValueError(f"an image is {CELLS // 4} hexadecimal digits")
    return bits.astype(float)
