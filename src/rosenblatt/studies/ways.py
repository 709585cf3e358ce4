"""Feature maps to be tried: as they are written, or the usual ones for so many features."""

from collections.abc import Sequence
from typing import NamedTuple

from rosenblatt.maps.recipes import Recipe, recipes_of
from rosenblatt.studies.comparison import AS_THEY_ARE

FEW_FEATURES = 50  # of which all products are tried
MANY_FEATURES = 4096  # beyond, no map is tried unless it is asked for
MOST_ENTRIES = 1 << 27  # of the features that a usual map may make
JOINED = "+"  # between maps that follow one another


class Way(NamedTuple):
    """A map as it is written, and its recipes."""

    written: str
    recipes: tuple[Recipe, ...]


def ways_of(features: Sequence[str] | None, n_rows: int, n_features: int) -> tuple[Way, ...]:
    """The features as they are, and the maps that are asked for, or the usual ones."""
    wanted = _usual(n_rows, n_features) if features is None else features
    return (Way(AS_THEY_ARE, ()), *ways_asked_for(wanted))


def ways_asked_for(features: Sequence[str]) -> tuple[Way, ...]:
    """The maps that are written so, each once."""
    names = [name for name in dict.fromkeys(features) if name != AS_THEY_ARE]
    return tuple(Way(name, recipes_of(name.split(JOINED))) for name in names)


def _usual(n: int, d: int) -> list[str]:
    """Maps that suit so many features, if what they make is not too much."""
    makes = {"random-products:1000": d + 1000} if d <= MANY_FEATURES else {}
    if d <= FEW_FEATURES:
        makes = {"products" if d > 1 else "poly:2": d * (d + 1) // 2, "radial": d + 1}
    return [name for name, width in makes.items() if n * width <= MOST_ENTRIES]
