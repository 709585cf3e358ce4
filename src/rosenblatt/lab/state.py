"""The set-up of the page, which the query of its address holds.

An address may come from anybody, so every field is validated: an invalid one is left out, with an
error message. Coordinates of drawn points have four digits, in the page as in the address, so that
an address gives the same points again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

from rosenblatt.datasets import builtin
from rosenblatt.lab.catalogue import LAB_RULES
from rosenblatt.lab.mark_i import ALPHABETS, MACHINES, as_hex, from_hex

TABS = ("plane", "gates", "mark-i")
VIEWS = ("proof", "weights", "curves")
FEATURES = ("none", "products", "polynomial", "radial")
DRAWN, FILE, BUILT_IN = "drawn", "file", "builtin:"
PLANE_CLASSES = 3  # of drawn points
MAX_POINTS = 400  # that can be drawn or edited
MAX_STEPS = 10**9
MAX_INPUTS = 4  # of a truth table
MAX_START_WEIGHTS = 64
MAX_NAME_LENGTH = 200  # of a column


class Point(NamedTuple):
    """A drawn point and its class, from 0."""

    x: float
    y: float
    label: int


@dataclass(frozen=True)
class Setup:
    """The controller that is open (`tab`), the data, their features, the rule, and the step.

    `step` is the number of steps made; None is the end of the run. `start` holds initial weights
    (w, b), empty for zero. `target` is the column of a file to predict, empty for the one it was
    opened with. `scaled` data have mean 0 and deviation 1. `cells` are the pixels of the Mark I, in
    hexadecimal digits.
    """

    tab: str = "plane"
    view: str = "proof"
    data: str = BUILT_IN + "4f10"
    target: str = ""
    points: tuple[Point, ...] = ()
    scaled: bool = False
    features: str = "none"
    degree: int = 2
    rule: str = "perceptron"
    settings: tuple[tuple[str, Any], ...] = ()
    start: tuple[float, ...] = ()
    step: int | None = None
    table: str = "0110"
    machine: str = "perceptron"
    alphabet: str = "letters"
    cells: str = ""

    def with_rule(self, rule: str) -> Self:
        """A copy with another rule and its default settings."""
        return replace(self, rule=rule, settings=(), step=None)

    def with_setting(self, name: str, value: Any) -> Self:
        """A copy with another value of a setting."""
        others = {**dict(self.settings), name: value}
        return replace(self, settings=tuple(sorted(others.items())), step=None)

    def with_points(self, points: Iterable[Point]) -> Self:
        """A copy with drawn points as its data."""
        return replace(self, data=DRAWN, points=tuple(points), step=None)

    def to_query(self) -> str:
        """The fields that differ from the defaults, as the query of an address."""
        default = Setup()
        query = {
            name: _to_text(name, getattr(self, name))
            for name in (f.name for f in fields(self))
            if name != "settings" and getattr(self, name) != getattr(default, name)
        }
        query |= {f"{self.rule}.{name}": str(value) for name, value in self.settings}
        return urlencode(query)


class Opened(NamedTuple):
    """A set-up, and the errors of its address."""

    setup: Setup
    errors: tuple[str, ...]


def from_query(query: Mapping[str, str]) -> Opened:
    """The set-up of the query of an address."""
    setup, errors = Setup(), []
    for name, text in query.items():
        if name not in _READERS:
            continue  # a setting of a rule, or an unknown parameter
        try:
            setup = replace(setup, **{name: _READERS[name](text)})
        except ValueError as error:
            errors.append(f"The address has {name}={text[:40]!r}: {error}. It was ignored.")
    for name, text in query.items():
        rule, _, parameter = name.partition(".")
        setting = LAB_RULES[setup.rule].setting(parameter) if rule == setup.rule else None
        if setting is None:
            continue
        try:
            setup = replace(setup, settings=(*setup.settings, (parameter, setting.read(text))))
        except ValueError as error:
            errors.append(f"The address has {name}={text[:40]!r}: {error}. It was ignored.")
    return Opened(
        replace(setup, settings=tuple(sorted(dict(setup.settings).items()))), tuple(errors)
    )


def rounded(number: float) -> float:
    """A coordinate in the precision of an address."""
    return float(f"{number:.4g}")


def _to_text(name: str, value: Any) -> str:
    if name == "points":
        return "~".join(f"{_short(p.x, 4)}_{_short(p.y, 4)}_{p.label}" for p in value)
    if name == "start":
        return "_".join(_short(number, 12) for number in value)
    return str(value)


def _short(number: float, digits: int) -> str:
    """A number without characters that must be escaped in an address, such as a plus."""
    return f"{number:.{digits}g}".replace("e+", "e")


def _one_of(words: Iterable[str]) -> Any:
    known = tuple(words)

    def read(text: str) -> str:
        if text not in known:
            raise ValueError(f"it must be one of {', '.join(known)}")
        return text

    return read


def _whole(least: int, most: int) -> Any:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 12):
            raise ValueError("it must be an integer")
        if not least <= int(text) <= most:
            raise ValueError(f"it must be from {least} to {most}")
        return int(text)

    return read


def _flag(text: str) -> bool:
    if text not in {"True", "False"}:
        raise ValueError("it must be True or False")
    return text == "True"


def _number(text: str) -> float:
    number = float(text)
    if not (isfinite(number) and abs(number) < 1e12):
        raise ValueError("its numbers must be finite and below 1e12")
    return number


def _points(text: str) -> tuple[Point, ...]:
    parts = text.split("~") if text else []
    if len(parts) > MAX_POINTS:
        raise ValueError(f"it may hold {MAX_POINTS} points; these are {len(parts)}")
    points = []
    for part in parts:
        numbers = part.split("_")
        if len(numbers) != 3 or numbers[2] not in map(str, range(PLANE_CLASSES)):
            raise ValueError("a point is x_y_class")
        points.append(Point(_number(numbers[0]), _number(numbers[1]), int(numbers[2])))
    return tuple(points)


def _weights(text: str) -> tuple[float, ...]:
    return start_of(text.replace("_", " "))


def start_of(text: str) -> tuple[float, ...]:
    """Initial weights as typed: numbers separated by commas or spaces."""
    words = text.replace(",", " ").replace("−", "-").split()
    if len(words) > MAX_START_WEIGHTS:
        raise ValueError(f"it may hold {MAX_START_WEIGHTS} weights; these are {len(words)}")
    try:
        return tuple(_number(word) for word in words)
    except ValueError as error:
        raise ValueError(f"weights are numbers such as 0, 1, -0.5 ({error})") from None


def _table(text: str) -> str:
    sizes = [2**n for n in range(1, MAX_INPUTS + 1)]
    if len(text) not in sizes or set(text) - set("01"):
        raise ValueError(f"a truth table is {', '.join(map(str, sizes))} digits 0 or 1")
    return text


def _column(text: str) -> str:
    if len(text) > MAX_NAME_LENGTH:
        raise ValueError(f"the name of a column may have {MAX_NAME_LENGTH} characters")
    return text


def _cells(text: str) -> str:
    return as_hex(from_hex(text))


_READERS: dict[str, Any] = {
    "tab": _one_of(TABS),
    "view": _one_of(VIEWS),
    "data": _one_of((DRAWN, FILE, *(BUILT_IN + name for name in builtin.NAMES))),
    "target": _column,
    "points": _points,
    "scaled": _flag,
    "features": _one_of(FEATURES),
    "degree": _whole(2, 5),
    "rule": _one_of(LAB_RULES),
    "start": _weights,
    "step": _whole(0, MAX_STEPS),
    "table": _table,
    "machine": _one_of(MACHINES),
    "alphabet": _one_of(ALPHABETS),
    "cells": _cells,
}
