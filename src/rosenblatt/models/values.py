"""What a fitted estimator consists of, as plain JSON values and arrays, and back.

None, truth values, whole numbers, finite floats and text stand for themselves. Everything else is
an object with one key, which says what it is:

============================  ======================================================================
{"float": "inf"}              a float that JSON has no word for: inf, -inf or nan
{"array": name}               the array of that name in the file
{"words": […], "width": n}    an array of text
{"objects": […]}              an array of Python's own numbers or texts
{"list": […]}, {"tuple": […]} a list, a tuple
{"pairs": [[key, value], …]}  a dictionary
{"fraction": "p/q"}           an exact fraction
{"ending": name}              how a run ended, out of `Ending`
{"passes": {field: […]}}      a trace of passes; {"steps": …}: of certified steps
{record: {field: value}}      a record out of RECORDS
============================  ======================================================================

A file names only what stands in these tables, so nothing else is ever made from it; what none of
them knows cannot be saved.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import isfinite
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.errors import ModelError

RECORDS = {
    "outcome": ("rosenblatt.solvers.state", "Outcome"),
    "margin bounds": ("rosenblatt.evidence.bounds", "MarginBounds"),
    "stream": ("rosenblatt.estimators.stream", "Stream"),
    "memory": ("rosenblatt.solvers.memory", "Memory"),
    "moments": ("rosenblatt.solvers.moments", "Moments"),
    "kernel": ("rosenblatt.rules.kernels", "Kernel"),
    "points": ("rosenblatt.rules.kernels", "Points"),
    "sparse rows": ("rosenblatt.data.storage", "CSR"),
    "patience": ("rosenblatt.solvers.run", "Stalled"),
    "threshold unit": ("rosenblatt.logic.units", "ThresholdUnit"),
    "threshold network": ("rosenblatt.logic.units", "ThresholdNetwork"),
}
TRACES = {
    "passes": ("rosenblatt.evidence.trace", "Record"),
    "steps": ("rosenblatt.evidence.trace", "Certified"),
}
SAME_FOR_ALL: dict[str, dict[str, Any]] = {"patience": {"figure": float}}  # fields not written
FRACTION = re.compile(r"-?[0-9]{1,4000}/[0-9]{1,4000}")
MOST_LETTERS = 1 << 28  # of an array of text
NOT_FINITE = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


class Packer:
    """Turns values into plain ones, and collects the arrays."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self._names: dict[int, str] = {}

    def plain(self, value: Any, where: str) -> Any:
        """A value as plain data; `where` tells what it is in messages, and names its arrays."""
        if value is None or isinstance(value, bool | np.bool_):
            return None if value is None else bool(value)
        if isinstance(value, str):
            return str(value)
        if isinstance(value, int | np.integer):
            return int(value)
        if isinstance(value, float | np.floating):
            number = float(value)
            return number if isfinite(number) else {"float": str(number)}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        return self._made_of_others(value, where)

    def _array(self, value: Array, where: str) -> Any:
        if value.dtype.kind == "U":
            return {"words": value.tolist(), "width": value.dtype.itemsize // 4}
        if value.dtype.kind == "O":
            return {"objects": [self.plain(item, where) for item in value.tolist()]}
        if id(value) not in self._names:  # an array with two users is one
            self._names[id(value)] = where if where not in self.arrays else f"{where}.{id(value)}"
            self.arrays[self._names[id(value)]] = value
        return {"array": self._names[id(value)]}

    def _made_of_others(self, value: Any, where: str) -> Any:
        if isinstance(value, dict):
            pairs = [
                [self.plain(key, where), self.plain(item, f"{where}.{key}")]
                for key, item in value.items()
            ]
            return {"pairs": pairs}
        if type(value) in (list, tuple):
            items = [self.plain(item, f"{where}.{k}") for k, item in enumerate(value)]
            return {type(value).__name__: items}
        if isinstance(value, Fraction):
            return {"fraction": f"{value.numerator}/{value.denominator}"}
        home = (type(value).__module__, type(value).__name__)
        if home == ("rosenblatt.solvers.state", "Ending"):
            return {"ending": value.name}
        if home == ("rosenblatt.evidence.trace", "Trace"):
            return self._trace(value, where)
        for name, known in RECORDS.items():
            if home == known:
                return {name: self._record(name, value, where)}
        raise ModelError(
            f"{where} cannot be saved: a model file has no place for {_told(value)}. Use numbers,"
            " text, lists or None."
        )

    def _trace(self, trace: Any, where: str) -> Any:
        kind = "steps" if len(trace) and type(trace[0]).__name__ == "Certified" else "passes"
        columns = {
            name: [self.plain(item, where) for item in trace.column(name)]
            for name in fields_of(_type(TRACES[kind]))
        }
        return {kind: columns}

    def _record(self, name: str, value: Any, where: str) -> dict[str, Any]:
        same = SAME_FOR_ALL.get(name, {})
        return {
            field: self.plain(getattr(value, field), f"{where}.{field.strip('_')}")
            for field in fields_of(type(value))
            if field not in same
        }


class Unpacker:
    """Turns plain values back; an array with two users is one again."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._ways: dict[str, Callable[[Any], Any]] = {
            "float": lambda word: NOT_FINITE[word],
            "array": lambda name: self._arrays[name],
            "objects": self._objects,
            "list": lambda items: [self.value(item) for item in items],
            "tuple": lambda items: tuple(self.value(item) for item in items),
            "pairs": lambda pairs: {self.value(key): self.value(item) for key, item in pairs},
            "fraction": _fraction,
            "ending": lambda name: _type(("rosenblatt.solvers.state", "Ending"))[name],
        }

    def value(self, plain: Any) -> Any:
        """The value that was written; a ValueError where there is none."""
        if not isinstance(plain, dict):
            if isinstance(plain, list):
                raise ValueError("a list stands where a value is wanted")
            return plain
        try:
            if set(plain) == {"words", "width"}:
                return _words(plain["words"], plain["width"])
            ((kind, content),) = plain.items()
            if kind in self._ways:
                return self._ways[kind](content)
            if kind in TRACES:
                return self._trace(kind, content)
            return self._record(kind, RECORDS[kind], content)
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"{_short(plain)} is no value") from error

    def _objects(self, items: list[Any]) -> Array:
        array = np.empty(len(items), object)
        array[:] = [self.value(item) for item in items]
        return array

    def _trace(self, kind: str, columns: Mapping[str, list[Any]]) -> Any:
        names = fields_of(_type(TRACES[kind]))
        if set(columns) != set(names):
            raise ValueError("a trace lacks a column, or has one too many")
        rows = zip(*(columns[name] for name in names), strict=True)
        made = [
            self._record(kind, TRACES[kind], dict(zip(names, row, strict=True))) for row in rows
        ]
        return _type(("rosenblatt.evidence.trace", "Trace"))(made)

    def _record(self, name: str, home: tuple[str, str], plain: Mapping[str, Any]) -> Any:
        kind, same = _type(home), SAME_FOR_ALL.get(name, {})
        if set(plain) | set(same) != set(fields_of(kind)):
            raise ValueError(f"the {name} lacks a field, or has one too many")
        fields = {field: self.value(item) for field, item in plain.items()}
        hints = _hints(kind)
        for field, value in fields.items():
            if not fits(value, hints[field]):
                raise ValueError(f"the field {field!r} of the {name} is of another kind")
        return kind(**same, **fields)


def fields_of(kind: type) -> list[str]:
    """Names of the fields of a record."""
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind)]
    return list(kind._fields)  # type: ignore[attr-defined]


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what a type hint of this library promises."""
    if hint in (int, float):
        number = isinstance(value, int) or (hint is float and isinstance(value, float))
        return number and not isinstance(value, bool)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _holds(value, *get_args(parts[1]))
    if origin in (tuple, list):
        return isinstance(value, origin) and all(fits(item, parts[0]) for item in value)
    return hint is Any or (isinstance(hint, type) and isinstance(value, hint))


def _holds(array: Array, kind: Any) -> bool:
    wanted = get_origin(kind) or kind
    return wanted is Any or issubclass(array.dtype.type, wanted)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _type(home: tuple[str, str]) -> Any:
    """A type out of the tables above; its module may be slow to import."""
    module, name = home
    return getattr(import_module(module), name)


def _words(words: Any, width: Any) -> Array:
    if not all(isinstance(word, str) for word in words):
        raise ValueError("an array of text holds something else")
    if not 0 <= len(words) * width <= MOST_LETTERS:
        raise ValueError("an array of text is too large")
    array = np.array(words, f"<U{max(width, 1)}")
    if array.tolist() != words:
        raise ValueError("an array of text has words longer than it says")
    return array


def _fraction(text: str) -> Fraction:
    if FRACTION.fullmatch(text) is None or not int(text.partition("/")[2]):
        raise ValueError(f"{_short(text)} is no fraction")
    return Fraction(text)


def _told(value: Any) -> str:
    return "functions" if callable(value) else f"values of the type {type(value).__name__}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
