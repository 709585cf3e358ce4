"""Built-in data by name, without a network."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import cycle, islice, product
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.datasets import glyphs, synthetic
from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.types import Array, Floats

CALLS = 40
FEATURES = ("times_it_comes", "pounds")
LECTURE = (((1, 100), "dog"), ((40, 10), "dog"), ((0, 20), "cat"))


class Breed(NamedTuple):
    """A kind of animal: its least and most pounds, and how often it comes when called."""

    kind: str
    least: int
    most: int
    tame: float


BREEDS = {
    "Maltese": Breed("dog", 6, 10, 0.97),
    "Siamese": Breed("cat", 8, 14, 0.40),
    "Beagle": Breed("dog", 20, 30, 0.70),
    "Persian": Breed("cat", 7, 12, 0.08),
    "Border Collie": Breed("dog", 30, 45, 0.95),
    "Bengal": Breed("cat", 8, 15, 0.25),
    "Husky": Breed("dog", 40, 60, 0.30),
    "Maine Coon": Breed("cat", 12, 22, 0.15),
    "Labrador": Breed("dog", 55, 80, 0.85),
    "Presa Canario": Breed("dog", 85, 130, 0.04),
}


def kennel(n: int = 300, seed: int = 0) -> tuple[Floats, Array]:
    """Dogs and cats: the lecture's three animals, then breed after breed until there are n."""
    if n < len(LECTURE):
        raise ParameterError(f"n must be at least 3, for the lecture's three animals; got n={n}.")
    rng = np.random.default_rng(seed)
    breeds = islice(cycle(BREEDS.values()), n - len(LECTURE))
    animals = [(_animal(breed, rng), breed.kind) for breed in breeds]
    rows, kinds = zip(*LECTURE, *animals, strict=True)
    return np.array(rows, dtype=np.float64), np.array(kinds)


def _animal(breed: Breed, rng: np.random.Generator) -> tuple[int, int]:
    """One animal of the breed, drawn again while the lecture's rule is wrong or unsure about it."""
    side = 1 if breed.kind == "dog" else -1
    while True:
        temper = rng.beta(8 * breed.tame, 8 * (1 - breed.tame))  # no two of a breed are alike
        comes = int(rng.binomial(CALLS, temper))
        pounds = int(rng.integers(breed.least, breed.most, endpoint=True))
        if side * (comes + pounds - CALLS) >= 2:
            return comes, pounds


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled rows with their name, the names of their features, and a sentence or two."""

    name: str
    X: Floats
    y: Array
    feature_names: tuple[str, ...]
    description: str


def builtin(name: str, **parameters: Any) -> Dataset:
    """A built-in data set, generated anew at every call.

    Parameters
    ----------
    name : str
        One of the names that `docs/files.md` lists.
    **parameters
        Of "separable" only: `margin` γ (0.25) and `radius` R (4.0) of the vectors (x, 1), as
        `separability` has them, with 0 < γ < √(R² − 1); `n_samples` (200), `n_features` (2) and
        `random_state` (0).

    Examples
    --------
    >>> data = builtin("dogs-vs-cats")
    >>> data.X
    array([[  1., 100.],
           [ 40.,  10.],
           [  0.,  20.]])
    >>> data.y.tolist()
    ['dog', 'dog', 'cat']
    """
    if name not in _BUILDERS:
        raise SourceError(_unknown(name))
    X, y, feature_names, description = _BUILDERS[name](**_arguments(name, parameters))
    return Dataset(name, np.ascontiguousarray(X, np.float64), y, feature_names, description)


_Parts = tuple[Floats, Array, tuple[str, ...], str]
_Gate = Callable[[tuple[int, ...]], bool]

_GATES: dict[str, tuple[int, _Gate, str]] = {
    "and": (2, all, "1 where both inputs are 1."),
    "or": (2, any, "1 where at least one input is 1."),
    "not": (1, lambda bits: not bits[0], "1 where the input is 0."),
    "nand": (2, lambda bits: not all(bits), "1 unless both inputs are 1."),
    "nor": (2, lambda bits: not any(bits), "1 where neither input is 1."),
    "xor": (
        2,
        lambda bits: bits[0] != bits[1],
        "1 where the inputs differ: no line separates them.",
    ),
    "majority": (3, lambda bits: sum(bits) >= 2, "1 where two or three of three inputs are 1."),
}


def _gate(gate: str) -> _Parts:
    inputs, value, description = _GATES[gate]
    rows = list(product((0, 1), repeat=inputs))
    y = np.array([int(value(row)) for row in rows])
    return np.array(rows, dtype=np.float64), y, _numbered(inputs), description


def _dogs_vs_cats() -> _Parts:
    rows, kinds = zip(*LECTURE, strict=True)
    description = (
        "A Presa Canario, a Maltese and a Maine Coon: how many of 40 people it comes to when "
        "called, and its weight in pounds."
    )
    return np.array(rows, dtype=np.float64), np.array(kinds), FEATURES, description


def _kennel() -> _Parts:
    description = (
        "300 made-up dogs and cats, the lecture's three first. Separable: times_it_comes + pounds "
        "is at least 42 for every dog and at most 38 for every cat."
    )
    return *kennel(), FEATURES, description


def _4f10() -> _Parts:
    first = [(1, 0), (1, 1), (0.6, 0.6), (0.7, 0.4)]
    second = [(0, 0), (0, 1), (0.25, 1), (0.3, 0.4)]
    description = (
        "The eight points of the 4F10 lecture's worked perceptron: its class 1 is +1 here, and "
        "its class 2 is −1."
    )
    return np.array(first + second), np.repeat([1, -1], 4), _numbered(2), description


def _arguments(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a generator for the parameters of a data set."""
    known = _PARAMETERS.get(name, {})
    unknown = [given for given in parameters if given not in known]
    if unknown:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise ParameterError(f"The data {name!r} have no parameter {unknown[0]!r}; {has}.")
    for given, value in parameters.items():
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or (given in _WHOLE and not isinstance(value, Integral)):
            kind = "an integer" if given in _WHOLE else "a number"
            raise ParameterError(f"{given} must be {kind}; got {value!r}.")
    if parameters.get("random_state", 0) < 0:
        raise ParameterError(
            f"random_state must be 0 or above; got {parameters['random_state']!r}."
        )
    return {known[given]: value for given, value in parameters.items()}


def _separable(**given: Any) -> _Parts:
    X, y, truth = synthetic.separable(**given)
    ratio = (truth.radius / truth.margin) ** 2
    description = (
        f"Two clouds of {len(y)} rows that a line separates. For the vectors (x, 1), the largest "
        f"margin is γ = {truth.margin:g} and the radius R = {truth.radius:g}, so a perceptron "
        f"makes fewer than (R/γ)² = {ratio:,.10g} mistakes: at most {truth.mistake_bound:,}."
    )
    return X, y, _numbered(X.shape[1]), description


def _overlapping() -> _Parts:
    X, y, truth = synthetic.overlapping()
    description = (
        f"Two Gaussian clouds of {len(y)} rows that no line separates. The Bayes classifier is "
        f"a line, and it errs on {truth.error:.1%} of new rows."
    )
    return _readable(X), y, _numbered(2), description


def _rings() -> _Parts:
    X, y, _ = synthetic.rings()
    description = (
        f"A ring inside a ring, {len(y)} rows. No line separates them; the squared norm does."
    )
    return _readable(X), y, _numbered(2), description


def _xor_clouds() -> _Parts:
    X, y, _ = synthetic.xor()
    description = (
        f"Clouds of {len(y)} rows at the corners of a square, +1 where the corner's two bits "
        "differ. No line separates them; with the product of the two, one does."
    )
    return _readable(X), y, _numbered(2), description


def _iris() -> _Parts:
    lines = Path(__file__).with_name("iris.csv").read_text(encoding="ascii").splitlines()
    header, *rows = [line.split(",") for line in lines]
    X = np.array([[float(length) for length in row[:-1]] for row in rows])
    description = (
        "Fisher's 150 irises of three species, lengths in centimetres. Setosa is separable from "
        "the others; versicolor and virginica are not separable from each other."
    )
    return X, np.array([row[-1] for row in rows]), tuple(header[:-1]), description


def _mark_i(strokes: dict[str, str], called: str) -> _Parts:
    X, y = glyphs.pictures(strokes, 20 * len(strokes))
    side = range(glyphs.SIDE)
    description = (
        f"{len(y)} pictures of the {called} on the 20 × 20 photocells of the Mark I, each drawn "
        "with a different pen, with 1 cell in 100 flipped."
    )
    return X, y, tuple(f"cell_{row}_{column}" for row in side for column in side), description


def _numbered(d: int) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(1, d + 1))


def _readable(X: Floats) -> Floats:
    """Three decimals: rows that can be typed, and proofs whose fractions can be read."""
    rounded: Floats = np.round(X, 3)
    return rounded


def _unknown(name: str) -> str:
    near = get_close_matches(name.lower(), NAMES, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"There is no built-in data called {name!r}.{hint} The names are: {', '.join(NAMES)}."


_BUILDERS: dict[str, Callable[..., _Parts]] = {
    "dogs-vs-cats": _dogs_vs_cats,
    "kennel": _kennel,
    "4f10": _4f10,
    **{gate: partial(_gate, gate) for gate in _GATES},
    "separable": _separable,
    "overlapping": _overlapping,
    "rings": _rings,
    "xor-clouds": _xor_clouds,
    "iris": _iris,
    "mark-i": partial(_mark_i, glyphs.LETTERS, "letters A to Z"),
    "mark-i-digits": partial(_mark_i, glyphs.DIGITS, "digits 0 to 9"),
}

NAMES = tuple(_BUILDERS)
_PARAMETERS = {  # of a data set, and what its generator calls them
    "separable": {
        "margin": "margin",
        "radius": "radius",
        "n_samples": "n",
        "n_features": "d",
        "random_state": "seed",
    },
}
_WHOLE = {"n_samples", "n_features", "random_state"}
