"""Features by name: as text on a command line, and as plain data in a model file.

A feature map is its name with settings, such as `poly:3`. n-grams of words or characters, hashed to
features and weighted, are ngrams:SIZES with settings: `ngrams:1-2`, `ngrams:2`,
`ngrams:3-5,unit=character`, `ngrams:1-3,bits=20,weight=binary`.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.distances import Distances, radial
from rosenblatt.features.maps.feature_map import FeatureMap, require_memory
from rosenblatt.features.maps.hog import Histograms, hog
from rosenblatt.features.maps.images import Association, Photocells, association_units, mark_i
from rosenblatt.features.maps.kernel_approximation import Fourier, Nystroem, fourier, nystroem
from rosenblatt.features.maps.polynomial import (
    Monomials,
    Pairs,
    Powers,
    polynomial,
    products,
    random_products,
)
from rosenblatt.types import Array, Ints

if TYPE_CHECKING:
    import polars as pl

NGRAMS = "ngrams"  # not a map of rows, but of texts
FIT_FUNCTIONS: dict[str, Callable[..., FeatureMap]] = {
    "products": products,
    "poly": polynomial,
    "random-products": random_products,
    "radial": radial,
    "fourier": fourier,
    "nystroem": nystroem,
    "hog": hog,
    "mark-i": mark_i,
    "association-units": association_units,
}
IMAGE_MAPS = {"hog", "mark-i"}  # they compare pixels, which must not be scaled one by one
MAP_CLASSES: dict[str, type[Any]] = {
    "monomials": Monomials,
    "powers": Powers,
    "pairs": Pairs,
    "distances": Distances,
    "fourier": Fourier,
    "nystroem": Nystroem,
    "histograms": Histograms,
    "photocells": Photocells,
    "association": Association,
}
DESCRIPTIONS = {
    int: "an integer",
    float: "a number",
    float | None: "a number",
    bool: "true or false",
    tuple[int, int]: "two integers such as 28x20, or one for both",
    tuple[int, int] | None: "two integers such as 28x20, or one for both",
}
UNITS = ("word", "character")
WEIGHTS = ("tfidf", "count", "binary")
MAX_N, MAX_BITS = 8, 30  # of an n-gram, and of its hash


@dataclass(frozen=True)
class MapSpec:
    """A feature map that is not fitted yet: its text, and what that means."""

    text: str
    name: str
    settings: Mapping[str, Any]

    @property
    def of_images(self) -> bool:
        """Whether it takes rows of pixels."""
        return self.name in IMAGE_MAPS

    def fit(self, rows: Rows) -> "FittedMap":
        """The map fitted to some rows; an error if its output does not fit into memory."""
        feature_map = FIT_FUNCTIONS[self.name](rows, **self.settings)
        require_memory(self.text, feature_map, rows)
        return FittedMap(self.text, feature_map)


class FittedMap(NamedTuple):
    """A fitted feature map, and the text that specified it."""

    spec: str
    map: FeatureMap


def parse_map_spec(text: str) -> MapSpec:
    """The specification of a map by its text, such as "poly:3"."""
    name = text.partition(":")[0]
    if name == NGRAMS:
        raise ParameterError(f"{text} maps texts; only maps of features can be used here.")
    if name not in FIT_FUNCTIONS:
        known = [*FIT_FUNCTIONS, NGRAMS]
        near = get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(
            f"There is no feature map {name!r}.{hint} The feature maps are {', '.join(known)}."
        )
    return MapSpec(text, name, parse_settings(text, _settings_of(name)))


def parse_map_specs(texts: Iterable[str]) -> tuple[MapSpec, ...]:
    """The specifications of several maps, applied in this order."""
    return tuple(map(parse_map_spec, texts))


def parse_settings(text: str, known: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """The settings after the colon of a specification."""
    name, _, rest = text.partition(":")
    settings: dict[str, Any] = {}
    for place, word in enumerate(rest.split(",") if rest else []):
        key, equals, value = word.partition("=")
        if not equals and place == 0:
            key, value = next(iter(known)), key
        if key not in known:
            raise ParameterError(
                f"{text}: {word!r} is not a setting of {name}, which has {', '.join(known)}."
            )
        settings[key] = _parse_value(text, key, value, known[key])
    return settings


def map_to_dict(fitted: FittedMap) -> tuple[dict[str, Any], dict[str, Array]]:
    """A map as plain data, and its arrays by name."""
    kind = next(name for name, type_ in MAP_CLASSES.items() if type_ is type(fitted.map))
    values = {field.name: getattr(fitted.map, field.name) for field in fields(MAP_CLASSES[kind])}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in values.items() if name not in arrays}
    return {"spec": fitted.spec, "kind": kind, **plain}, arrays


def map_from_dict(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> FittedMap:
    """The map that `map_to_dict` gave; a ValueError if its fields are damaged."""
    kind = plain["kind"]
    class_ = MAP_CLASSES.get(kind)
    if class_ is None:
        raise ValueError(f"{kind!r} is not a kind of map")
    values = {name: value for name, value in plain.items() if name not in {"spec", "kind"}}
    values |= arrays
    wanted = {field.name: field.type for field in fields(class_)}
    if set(values) != set(wanted):
        raise ValueError(f"a map of the kind {kind!r} has a missing or an unknown field")
    for name, type_ in wanted.items():
        values[name] = _validated(kind, name, values[name], type_)
    return FittedMap(str(plain["spec"]), class_(**values))


def _settings_of(name: str) -> dict[str, inspect.Parameter]:
    _, *settings = inspect.signature(FIT_FUNCTIONS[name]).parameters.items()
    return dict(settings)


def _parse_value(text: str, key: str, value: str, setting: inspect.Parameter) -> Any:
    """A value converted to the type of its setting."""
    wanted = setting.annotation
    for type_, parse in PARSERS.items():
        if wanted in (type_, type_ | None):
            try:
                return parse(value)
            except (ValueError, KeyError):
                break
    description = DESCRIPTIONS.get(wanted, "a value")
    raise ParameterError(f"{text}: {key} must be {description}; got {value!r}.")


def _validated(kind: str, name: str, value: Any, wanted: Any) -> Any:
    """A field read from a file; a ValueError if its type is wrong or it is not finite."""
    if wanted == tuple[int, int]:
        value = tuple(value)
        valid = [type(item) for item in value] == [int, int]
    elif wanted in PARSERS:
        valid = type(value) is wanted
    else:
        dtype = np.int64 if wanted is Ints else np.float64
        valid = getattr(value, "dtype", None) == dtype and bool(np.isfinite(value).all())
    if not valid:
        raise ValueError(f"the field {name!r} of a map of the kind {kind!r} is invalid")
    return value


def _parse_shape(text: str) -> tuple[int, int]:
    """Height and width, such as 28x20; one number for both."""
    height, times, width = text.partition("x")
    return int(height), int(width if times else height)


PARSERS: dict[Any, Callable[[str], Any]] = {
    int: int,
    float: float,
    bool: {"true": True, "false": False}.__getitem__,
    str: str,
    tuple[int, int]: _parse_shape,
}


class NgramSpec(NamedTuple):
    """n-grams of `sizes[0]` to `sizes[1]` units, hashed to 2^bits features.

    A feature has its tf-idf weight (vocabulary.py), its count, or 1 (binary).
    """

    sizes: tuple[int, int] = (1, 2)
    unit: str = "word"
    bits: int = 18
    weight: str = "tfidf"

    @property
    def n_features(self) -> int:
        """Number of features."""
        return 1 << self.bits

    @property
    def spec(self) -> str:
        """The specification as on the command line, without defaults."""
        default = NgramSpec()
        settings = [
            f",{name}={value}"
            for name, value in self._asdict().items()
            if name != "sizes" and value != getattr(default, name)
        ]
        return f"{NGRAMS}:{self.sizes[0]}-{self.sizes[1]}{''.join(settings)}"

    def check(self) -> None:
        """Refuse values out of range."""
        low, high = self.sizes
        if not 1 <= low <= high <= MAX_N:
            raise ParameterError(
                f"sizes must be from 1 to {MAX_N}, the smaller first; got {low} to {high}."
            )
        if not 1 <= self.bits <= MAX_BITS:
            raise ParameterError(f"bits must be from 1 to {MAX_BITS}; got {self.bits}.")
        for name, options in (("unit", UNITS), ("weight", WEIGHTS)):
            if getattr(self, name) not in options:
                given = getattr(self, name)
                raise ParameterError(f"{name} must be one of {', '.join(options)}; got {given!r}.")

    def counts(self, texts: "pl.Series") -> CSR:
        """n-gram counts of texts; 1 each if binary."""
        from rosenblatt.features.maps.ngrams import counts  # noqa: PLC0415 (loads the compiler)

        rows = counts(texts, sizes=self.sizes, bits=self.bits, unit=self.unit)
        return rows._replace(data=np.ones_like(rows.data)) if self.weight == "binary" else rows

    def names_in(self, texts: "pl.Series", wanted: Ints) -> dict[int, list[str]]:
        """The n-grams in some texts that hash to each wanted feature, most frequent first."""
        from rosenblatt.features.maps.ngrams import names_of  # noqa: PLC0415 (loads the compiler)

        return names_of(texts, wanted, sizes=self.sizes, bits=self.bits, unit=self.unit)


def features_of(written: Sequence[str]) -> tuple[NgramSpec | None, tuple[MapSpec, ...]]:
    """The n-gram specification, if there is one, and the feature maps after it."""
    texts = [each for each in written if each.partition(":")[0] == NGRAMS]
    if len(texts) > 1:
        raise ParameterError(
            f"Only one n-gram specification is allowed; got {' and '.join(texts)}."
        )
    maps = parse_map_specs(each for each in written if each not in texts)
    return (parse_ngram_spec(texts[0]) if texts else None), maps


def parse_ngram_spec(written: str) -> NgramSpec:
    """The n-gram specification that a string describes."""
    settings = parse_settings(written, inspect.signature(_grams).parameters)
    try:
        grams = _grams(**settings)
        grams.check()
    except ParameterError as error:
        raise ParameterError(f"{written}: {error}") from None
    return grams


def _grams(
    sizes: str = "1-2", unit: str = "word", bits: int = 18, weight: str = "tfidf"
) -> NgramSpec:
    low, _, high = sizes.partition("-")
    if not (low.isdecimal() and (high or low).isdecimal()):
        raise ParameterError(f"sizes must be one number, or two such as 1-2; got {sizes!r}.")
    return NgramSpec((int(low), int(high or low)), unit, bits, weight)
