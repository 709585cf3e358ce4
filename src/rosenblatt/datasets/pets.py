"""Made-up dogs and cats with the lecture's two features: does it come, and its weight.

All numbers are whole, and the lecture's last rule, "a dog if x₁/2 + x₂/2 > 20", is right about
every animal: x₁ + x₂ is at least 42 for a dog and at most 38 for a cat. So they are separable.
"""

from itertools import cycle, islice
from typing import NamedTuple

import numpy as np

from rosenblatt.errors import ParameterError
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
        raise ParameterError(f"The kennel begins with the lecture's three animals; got n={n}.")
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
