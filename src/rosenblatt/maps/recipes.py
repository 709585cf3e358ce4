"""Maps by their names: as words on a command line, and as plain data in a model file.

A recipe is written NAME, NAME:VALUE or NAME:VALUE,SETTING=VALUE: `poly:3`, `poly:2,full=true`,
`random-products:1000,seed=1`. The value behind the colon is that of the first setting.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import Rows
from rosenblatt.errors import ParameterError
from rosenblatt.maps.association import Association, association_units
from rosenblatt.maps.distances import Distances, radial
from rosenblatt.maps.hog import Histograms, hog
from rosenblatt.maps.map import Map
from rosenblatt.maps.monomials import Monomials, products
from rosenblatt.maps.pairs import Pairs, random_products
from rosenblatt.maps.photocells import Photocells, mark_i
from rosenblatt.maps.powers import Powers, polynomial
from rosenblatt.maps.random_kernels import Fourier, Nystroem, fourier, nystroem
from rosenblatt.maps.room import require_room
from rosenblatt.types import Array, Ints

TEXTS = "ngrams"  # not a map of rows: how texts become rows (preprocess/ngram_spec.py)
LEARNERS: dict[str, Callable[..., Map]] = {
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
OF_IMAGES = {"hog", "mark-i"}  # they compare pixels, which must not be scaled one by one
KINDS: dict[str, type[Any]] = {
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


@dataclass(frozen=True)
class Recipe:
    """A map that is yet to be learned from rows, and how it was written."""

    written: str
    name: str
    settings: Mapping[str, Any]

    @property
    def of_images(self) -> bool:
        """Whether it takes rows of pixels."""
        return self.name in OF_IMAGES

    def learn(self, rows: Rows) -> "Step":
        """The map; one for which there is no room is refused."""
        made = LEARNERS[self.name](rows, **self.settings)
        require_room(self.written, made, rows)
        return Step(self.written, made)


class Step(NamedTuple):
    """A map, and how it was asked for."""

    written: str
    map: Map


def recipe_of(written: str) -> Recipe:
    """The recipe that is written so."""
    name = written.partition(":")[0]
    if name == TEXTS:
        raise ParameterError(f"{written} reads texts; what is wanted here makes features of rows.")
    if name not in LEARNERS:
        known = [*LEARNERS, TEXTS]
        near = get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(
            f"There are no features called {name!r}.{hint} There are {', '.join(known)}."
        )
    return Recipe(written, name, settings_in(written, _settings_of(name)))


def settings_in(written: str, known: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """The settings that are written behind a name."""
    name, _, rest = written.partition(":")
    settings: dict[str, Any] = {}
    for place, word in enumerate(rest.split(",") if rest else []):
        key, equals, value = word.partition("=")
        if not equals and place == 0:
            key, value = next(iter(known)), key
        if key not in known:
            raise ParameterError(
                f"{written}: {word!r} is no setting of {name}, which has {', '.join(known)}."
            )
        settings[key] = _value(written, key, value, known[key])
    return settings


def recipes_of(written: Iterable[str]) -> tuple[Recipe, ...]:
    """Recipes one after the other."""
    return tuple(map(recipe_of, written))


def applied(steps: Sequence[Step], rows: Rows) -> Rows:
    """Rows through all maps in turn."""
    for step in steps:
        rows = step.map.rows(rows)
    return rows


def plain_step(step: Step) -> tuple[dict[str, Any], dict[str, Array]]:
    """A map as plain data, and the arrays that go with them."""
    kind = next(name for name, type_ in KINDS.items() if type_ is type(step.map))
    values = {field.name: getattr(step.map, field.name) for field in fields(KINDS[kind])}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in values.items() if name not in arrays}
    return {"written": step.written, "kind": kind, **plain}, arrays


def step_of(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> Step:
    """The map that `plain_step` wrote down; what does not fit together is refused."""
    kind = KINDS.get(plain["kind"])
    if kind is None:
        raise ValueError(f"{plain['kind']!r} is no kind of map")
    values = {name: value for name, value in plain.items() if name not in {"written", "kind"}}
    values |= arrays
    wanted = {field.name: field.type for field in fields(kind)}
    if set(values) != set(wanted):
        raise ValueError(f"a map of the kind {plain['kind']!r} lacks a field, or has one too many")
    for name, type_ in wanted.items():
        values[name] = _checked(plain["kind"], name, values[name], type_)
    return Step(str(plain["written"]), kind(**values))


def _settings_of(name: str) -> dict[str, inspect.Parameter]:
    _, *settings = inspect.signature(LEARNERS[name]).parameters.items()
    return dict(settings)


def _value(written: str, key: str, value: str, setting: inspect.Parameter) -> Any:
    """A word as what the setting wants."""
    wanted = setting.annotation
    for type_, read in READERS.items():
        if wanted in (type_, type_ | None):
            try:
                return read(value)
            except (ValueError, KeyError):
                break
    told = WANTED.get(wanted, "a value")
    raise ParameterError(f"{written}: {key} must be {told}; got {value!r}.")


def _checked(kind: str, name: str, value: Any, wanted: Any) -> Any:
    """A value of a map that was read, if it is what it must be."""
    if wanted == tuple[int, int]:
        value = tuple(value)
        good = [type(item) for item in value] == [int, int]
    elif wanted in READERS:
        good = type(value) is wanted
    else:
        dtype = np.int64 if wanted is Ints else np.float64
        good = getattr(value, "dtype", None) == dtype and bool(np.isfinite(value).all())
    if not good:
        raise ValueError(f"{name!r} of a map of the kind {kind!r} is not what it must be")
    return value


def _shape(word: str) -> tuple[int, int]:
    """Height and width, such as 28x20; one number for both."""
    height, times, width = word.partition("x")
    return int(height), int(width if times else height)


READERS: dict[Any, Callable[[str], Any]] = {
    int: int,
    float: float,
    bool: {"true": True, "false": False}.__getitem__,
    str: str,
    tuple[int, int]: _shape,
}
WANTED = {
    int: "a whole number",
    float: "a number",
    float | None: "a number",
    bool: "true or false",
    tuple[int, int]: "two numbers such as 28x20, or one for both",
    tuple[int, int] | None: "two numbers such as 28x20, or one for both",
}
