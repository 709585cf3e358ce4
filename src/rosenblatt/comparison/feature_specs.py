"""Feature maps to try: those of the given specs, or the default ones for so many features."""

from collections.abc import Sequence
from typing import NamedTuple

from rosenblatt.comparison.result import NO_MAP
from rosenblatt.maps.recipes import Recipe, recipes_of

MAX_PRODUCT_FEATURES = 50  # more have random products
MAX_DEFAULT_FEATURES = 4096  # beyond, no map is tried by default
MAX_MAPPED_ENTRIES = 1 << 27  # of the features that a default map may make
SEPARATOR = "+"  # between maps that follow one another


class FeatureSpec(NamedTuple):
    """A feature map as it is written, and its recipes."""

    written: str
    recipes: tuple[Recipe, ...]


def feature_specs(
    features: Sequence[str] | None, n_rows: int, n_features: int
) -> tuple[FeatureSpec, ...]:
    """The features as they are, and the given maps, or the default ones."""
    wanted = _default(n_rows, n_features) if features is None else features
    return (FeatureSpec(NO_MAP, ()), *parse_feature_specs(wanted))


def parse_feature_specs(features: Sequence[str]) -> tuple[FeatureSpec, ...]:
    """The maps of these specs, each once."""
    names = [name for name in dict.fromkeys(features) if name != NO_MAP]
    return tuple(FeatureSpec(name, recipes_of(name.split(SEPARATOR))) for name in names)


def _default(n: int, d: int) -> list[str]:
    """Maps that suit so many features, if what they make is not too much."""
    makes = {"random-products:1000": d + 1000} if d <= MAX_DEFAULT_FEATURES else {}
    if d <= MAX_PRODUCT_FEATURES:
        makes = {"products" if d > 1 else "poly:2": d * (d + 1) // 2, "radial": d + 1}
    return [name for name, width in makes.items() if n * width <= MAX_MAPPED_ENTRIES]
