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

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.persist.schema import ENDING, RECORDS, TRACE, TRACES, RecordType
from rosenblatt.types import Array

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
        if ENDING.accepts(value):
            return {"ending": value.name}
        if TRACE.accepts(value):
            return self._trace(value, where)
        for name, record in RECORDS.items():
            if record.accepts(value):
                return {name: self._record(record, value, where)}
        raise ModelError(
            f"{where} cannot be saved: a model file has no place for {_told(value)}. Use numbers,"
            " text, lists or None."
        )

    def _trace(self, trace: Any, where: str) -> Any:
        kind = "steps" if len(trace) and type(trace[0]).__name__ == "Certified" else "passes"
        columns = {
            name: [self.plain(item, where) for item in trace.column(name)]
            for name in TRACES[kind].fields
        }
        return {kind: columns}

    def _record(self, record: RecordType, value: Any, where: str) -> dict[str, Any]:
        return {
            name: self.plain(getattr(value, record.attribute(name)), f"{where}.{name.strip('_')}")
            for name in record.fields
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
            "ending": lambda name: ENDING.load()[name],
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
        names = TRACES[kind].fields
        if set(columns) != set(names):
            raise ValueError("a trace lacks a column, or has one too many")
        rows = zip(*(columns[name] for name in names), strict=True)
        made = [
            self._record(kind, TRACES[kind], dict(zip(names, row, strict=True))) for row in rows
        ]
        return TRACE.load()(made)

    def _record(self, name: str, record: RecordType, plain: Mapping[str, Any]) -> Any:
        if set(plain) != set(record.fields):
            raise ValueError(f"the {name} lacks a field, or has one too many")
        fields = {field: self.value(item) for field, item in plain.items()}
        for field, value in fields.items():
            if not record.fields[field](value):
                raise ValueError(f"the field {field!r} of the {name} is of another kind")
        attributes = {record.attribute(field): value for field, value in fields.items()}
        return record.load()(**record.constants, **attributes)


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
