"""A fitted estimator as plain data: its rule, its parameters, and what it has learned.

Every attribute that an estimator may have stands in a table, with its type and its shape. What is
not in the table cannot be saved, so nothing is forgotten silently; and nothing else is ever set on
an estimator that was loaded.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.persist.schema import ENDING, RECORDS, TRACE, TRACES, RecordType
from rosenblatt.registry import NAMES, RULES
from rosenblatt.types import Array

WEIGHTS = "weights"  # (w, b), a row a unit: the array that a stranger needs
ARRAYS = {"_W": WEIGHTS}
LATER = {  # parameters that files of before lack: they have their default
    "time_limit",
    *("solver", "n_components", "store_covariance"),  # of a linear discriminant
    "average",  # of a passive-aggressive classifier
    *("penalty", "dual", "multi_class", "intercept_scaling", "verbose"),  # of a linear SVM
}
DERIVED = {
    "_ready",
    "_sklearn_output_config",
    "_metadata_request",
    "_skl_callbacks",
}  # made or set again when wanted
NOT_KEPT = {("logistic-regression", "dual_coef_")}  # as long as the training data
MACHINES = {"threshold-unit", "threshold-network"}  # no estimators: a record is all of them
FRACTION = re.compile(r"-?[0-9]{1,4000}/[0-9]{1,4000}")
MOST_LETTERS = 1 << 28  # of an array of text
NOT_FINITE = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


@dataclass(frozen=True, eq=False)
class Kept:
    """All of an estimator: plain data as values.py has them, and arrays."""

    rule: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    arrays: Mapping[str, Array]

    @property
    def W(self) -> Array | None:  # noqa: N802 (a matrix)
        """Weights of a linear classifier; None where it is another machine, or a layer."""
        return None if "_pair" in self.state else self.arrays.get(WEIGHTS)


def kept_of(estimator: Any) -> Kept:
    """A fitted estimator as plain data."""
    rule = NAMES.get(type(estimator).__name__)
    if rule is None or not type(estimator).__module__.startswith("rosenblatt."):
        raise ModelError(
            f"Only fitted estimators of rosenblatt can be saved; got {type(estimator).__name__}."
            " Of a pipeline save the estimator at its end."
        )
    packer = Packer()
    if rule in MACHINES:
        return Kept(rule, {}, {"machine": packer.plain(estimator, "machine")}, packer.arrays)
    if not estimator.__sklearn_is_fitted__():
        raise ModelError(
            f"This {type(estimator).__name__} is not fitted: there is nothing to save."
        )
    parameters = {
        name: packer.plain(value, f"parameter.{name}")
        for name, value in estimator.get_params(deep=False).items()
    }
    hasattr(estimator, "coef_")  # brings the weights of a stream up to date
    state = {}
    for name, value in vars(estimator).items():
        if name in parameters or name in DERIVED or (rule, name) in NOT_KEPT:
            continue
        if name not in _attributes():
            raise ModelError(f"A model file has no place for the attribute {name!r}.")
        state[name] = packer.plain(value, ARRAYS.get(name, f"state.{name.strip('_')}"))
    return Kept(rule, parameters, state, packer.arrays)


def estimator_of(kept: Kept) -> Any:
    """The estimator that was kept; a ValueError where its parts do not fit together."""
    import rosenblatt  # noqa: PLC0415 (late: training code is slow to import)

    unpacker = Unpacker(kept.arrays)
    kind = getattr(rosenblatt, RULES[kept.rule].estimator)
    if kept.rule in MACHINES:
        machine = unpacker.value(kept.state["machine"])
        if type(machine) is not kind:
            raise ValueError(f"it holds no {kept.rule}")
        return machine
    parameters = {name: unpacker.value(plain) for name, plain in kept.parameters.items()}
    known = set(kind().get_params())
    if set(parameters) | LATER & known != known:
        raise ValueError(f"its parameters are not those of {kind.__name__}")
    estimator = kind(**parameters)
    state = {name: unpacker.value(plain) for name, plain in kept.state.items()}
    _check_settings(estimator)
    _attributes_checked(kept.rule, state)
    if state.get("_W", ...) is None and not hasattr(estimator, "partial_fit"):
        raise ValueError("it holds no weights, and its parameters allow none from moments alone")
    vars(estimator).update(state)
    return estimator


def relabelled(kept: Kept, classes: Array) -> Kept:
    """The same with other labels for its classes."""
    packer = Packer()
    labels = packer.plain(classes, "classes")
    state = kept.state | {"classes_": labels}
    if "_stream" in state:
        state["_stream"] = {"stream": state["_stream"]["stream"] | {"classes": labels}}
    return replace(kept, state=state, arrays={**kept.arrays, **packer.arrays})


def _attributes() -> Mapping[str, Any]:
    from rosenblatt.persist.attributes import KINDS  # noqa: PLC0415 (slow to import)

    return KINDS


def _attributes_checked(rule: str, state: Mapping[str, Any]) -> None:
    from rosenblatt.persist.attributes import check  # noqa: PLC0415 (slow to import)

    check(rule, state)


def _check_settings(estimator: Any) -> None:
    """Refuse parameters that `fit` would refuse."""
    try:
        estimator._check()  # noqa: SLF001 (what fit calls first)
    except RosenblattError as error:
        raise ValueError(str(error)) from error
    except TypeError as error:
        raise ValueError(f"a parameter is of the wrong kind: {error}") from error


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
