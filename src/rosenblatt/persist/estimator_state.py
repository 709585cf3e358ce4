"""A fitted estimator as plain JSON values and arrays, and back.

Every attribute that an estimator may have is in a table (attributes.py) with its type and shape.
What is not in the table cannot be saved, so nothing is lost silently; and nothing else is ever set
on an estimator that is loaded.

None, booleans, integers, finite floats and text are written as they are. Everything else is an
object with one key, its type:

============================  ======================================================================
{"float": "inf"}              a float that JSON cannot express: inf, -inf or nan
{"array": name}               the array of that name in the file
{"words": […], "width": n}    an array of text
{"objects": […]}              an array of Python numbers or texts
{"list": […]}, {"tuple": […]} a list, a tuple
{"pairs": [[key, value], …]}  a dictionary
{"fraction": "p/q"}           an exact fraction
{"ending": name}              how training ended, a member of `Ending`
{"epochs": {field: […]}}      a trace of epochs; {"regression_epochs": …}: of a regression;
                              {"steps": …}: of certified steps
{record: {field: value}}      a record out of RECORDS
============================  ======================================================================

Only these are ever created from a file, and other values cannot be saved.
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

WEIGHTS = "weights"  # name of the array of (w, b), a row per output
ARRAYS = {"_W": WEIGHTS}
DERIVED = {"_ready", "_sklearn_output_config", "_skl_callbacks"}  # recomputed when needed
NOT_SAVED = {("logistic-regression", "dual_coef_")}  # as large as the training data
RECORDS_ONLY = {"threshold-unit", "threshold-network"}  # not estimators, but single records
FRACTION = re.compile(r"-?[0-9]{1,4000}/[0-9]{1,4000}")
MAX_CHARACTERS = 1 << 28  # of an array of text
NOT_FINITE = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


@dataclass(frozen=True, eq=False)
class EstimatorState:
    """All of an estimator: plain data, and arrays by name."""

    rule: str
    parameters: dict[str, Any]
    attributes: dict[str, Any]
    arrays: Mapping[str, Array]

    @property
    def W(self) -> Array | None:  # noqa: N802 (a matrix)
        """Weights of a linear classifier; None for other models, layers and regressors."""
        others = {"_pair", "_target_shape"} & self.attributes.keys()
        return None if others else self.arrays.get(WEIGHTS)


def state_of(estimator: Any) -> EstimatorState:
    """A fitted estimator as plain data."""
    rule = NAMES.get(type(estimator).__name__)
    if rule is None or not type(estimator).__module__.startswith("rosenblatt."):
        raise ModelError(
            f"Only fitted estimators of rosenblatt can be saved; got {type(estimator).__name__}."
            " Of a pipeline, save the last step."
        )
    packer = Packer()
    if rule in RECORDS_ONLY:
        return EstimatorState(
            rule, {}, {"record": packer.plain(estimator, "record")}, packer.arrays
        )
    if not estimator.__sklearn_is_fitted__():
        raise ModelError(
            f"This {type(estimator).__name__} is not fitted: there is nothing to save."
        )
    parameters = {
        name: packer.plain(value, f"parameters.{name}")
        for name, value in estimator.get_params(deep=False).items()
    }
    hasattr(estimator, "coef_")  # updates the weights of a stream
    attributes = {}
    for name, value in vars(estimator).items():
        if name in parameters or name in DERIVED or (rule, name) in NOT_SAVED:
            continue
        if name not in _known_attributes():
            raise ModelError(f"A model file cannot store the attribute {name!r}.")
        where = ARRAYS.get(name, f"attributes.{name.strip('_')}")
        attributes[name] = packer.plain(value, where)
    return EstimatorState(rule, parameters, attributes, packer.arrays)


def restore_estimator(state: EstimatorState) -> Any:
    """The estimator of a state; a ValueError if its parts are inconsistent."""
    import rosenblatt  # noqa: PLC0415 (training code is slow to import)

    unpacker = Unpacker(state.arrays)
    kind = getattr(rosenblatt, RULES[state.rule].estimator)
    if state.rule in RECORDS_ONLY:
        record = unpacker.value(state.attributes["record"])
        if type(record) is not kind:
            raise ValueError(f"it holds no {state.rule}")
        return record
    parameters = {name: unpacker.value(plain) for name, plain in state.parameters.items()}
    if set(parameters) != set(kind().get_params()):
        raise ValueError(f"its parameters are not those of {kind.__name__}")
    estimator = kind(**parameters)
    attributes = {name: unpacker.value(plain) for name, plain in state.attributes.items()}
    _check_parameters(estimator)
    _check_attributes(state.rule, attributes)
    if attributes.get("_W", ...) is None and not hasattr(estimator, "partial_fit"):
        raise ValueError("it holds no weights, and none follow from moments with its parameters")
    vars(estimator).update(attributes)
    return estimator


def with_labels(state: EstimatorState, classes: Array) -> EstimatorState:
    """The same state with other class labels."""
    packer = Packer()
    labels = packer.plain(classes, "classes")
    attributes = state.attributes | {"classes_": labels}
    if "_stream" in attributes:
        stream = attributes["_stream"]["stream"] | {"classes": labels}
        attributes["_stream"] = {"stream": stream}
    return replace(state, attributes=attributes, arrays={**state.arrays, **packer.arrays})


def _known_attributes() -> Mapping[str, Any]:
    from rosenblatt.persist.attributes import KINDS  # noqa: PLC0415 (slow to import)

    return KINDS


def _check_attributes(rule: str, attributes: Mapping[str, Any]) -> None:
    from rosenblatt.persist.attributes import check  # noqa: PLC0415 (slow to import)

    check(rule, attributes)


def _check_parameters(estimator: Any) -> None:
    """Refuse parameters that `fit` would refuse."""
    try:
        estimator._check()  # noqa: SLF001 (what fit calls first)
    except RosenblattError as error:
        raise ValueError(str(error)) from error
    except TypeError as error:
        raise ValueError(f"a parameter has the wrong type: {error}") from error


class Packer:
    """Converts values to plain data, and collects the arrays."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self._names: dict[int, str] = {}

    def plain(self, value: Any, where: str) -> Any:
        """A value as plain data; `where` names it in messages, and its array."""
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
        return self._compound(value, where)

    def _array(self, value: Array, where: str) -> Any:
        if value.dtype.kind == "U":
            return {"words": value.tolist(), "width": value.dtype.itemsize // 4}
        if value.dtype.kind == "O":
            return {"objects": [self.plain(item, where) for item in value.tolist()]}
        if id(value) not in self._names:  # a shared array is written once
            self._names[id(value)] = where if where not in self.arrays else f"{where}.{id(value)}"
            self.arrays[self._names[id(value)]] = value
        return {"array": self._names[id(value)]}

    def _compound(self, value: Any, where: str) -> Any:
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
            f"{where} cannot be saved: a model file cannot store {_type_name(value)}. Use"
            " numbers, text, lists or None."
        )

    def _trace(self, trace: Any, where: str) -> Any:
        kinds = [kind for kind, record in TRACES.items() if len(trace) and record.accepts(trace[0])]
        kind = kinds[0] if kinds else "epochs"
        record = TRACES[kind]
        columns = {
            name: [self.plain(item, where) for item in trace.column(name)] for name in record.fields
        }
        return {kind: columns}

    def _record(self, record: RecordType, value: Any, where: str) -> dict[str, Any]:
        return {
            name: self.plain(getattr(value, name), f"{where}.{name.strip('_')}")
            for name in record.fields
        }


class Unpacker:
    """Converts plain data back to values; shared arrays are shared again."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._converters: dict[str, Callable[[Any], Any]] = {
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
        """The value of plain data; a ValueError if there is none."""
        if not isinstance(plain, dict):
            if isinstance(plain, list):
                raise ValueError("it has a list where a value is expected")
            return plain
        try:
            if set(plain) == {"words", "width"}:
                return _words(plain["words"], plain["width"])
            ((kind, content),) = plain.items()
            if kind in self._converters:
                return self._converters[kind](content)
            if kind in TRACES:
                return self._trace(kind, content)
            return self._record(kind, RECORDS[kind], content)
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"{_short(plain)} is not a value") from error

    def _objects(self, items: list[Any]) -> Array:
        array = np.empty(len(items), object)
        array[:] = [self.value(item) for item in items]
        return array

    def _trace(self, kind: str, columns: Mapping[str, list[Any]]) -> Any:
        names = TRACES[kind].fields
        if set(columns) != set(names):
            raise ValueError("a trace has a missing or a surplus column")
        rows = zip(*(columns[name] for name in names), strict=True)
        made = [
            self._record(kind, TRACES[kind], dict(zip(names, row, strict=True))) for row in rows
        ]
        return TRACE.load()(made)

    def _record(self, name: str, record: RecordType, plain: Mapping[str, Any]) -> Any:
        if set(plain) != set(record.fields):
            raise ValueError(f"the {name} has a missing or a surplus field")
        fields = {field: self.value(item) for field, item in plain.items()}
        for field, value in fields.items():
            if not record.fields[field](value):
                raise ValueError(f"the field {field!r} of the {name} has the wrong type")
        return record.load()(**record.constants, **fields)


def _words(words: Any, width: Any) -> Array:
    if not all(isinstance(word, str) for word in words):
        raise ValueError("an array of text holds something else")
    if not 0 <= len(words) * width <= MAX_CHARACTERS:
        raise ValueError("an array of text is too large")
    array = np.array(words, f"<U{max(width, 1)}")
    if array.tolist() != words:
        raise ValueError("an array of text has texts longer than its width")
    return array


def _fraction(text: str) -> Fraction:
    if FRACTION.fullmatch(text) is None or not int(text.partition("/")[2]):
        raise ValueError(f"{_short(text)} is not a fraction")
    return Fraction(text)


def _type_name(value: Any) -> str:
    return "functions" if callable(value) else f"values of the type {type(value).__name__}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
