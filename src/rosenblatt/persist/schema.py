"""What a value out of a model file may be: a predicate for every attribute and every field.

The predicates are declared here and nowhere read off type hints: what a hint like ``NDArray[Any]``
is at run time changes with the versions of numpy and Python, and a file must not.

Types are named by their modules, because those of solvers are slow to import: whoever only scores
rows never loads them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

Accepts = Callable[[Any], bool]


@dataclass(frozen=True)
class LateType:
    """A type named by its module, which is imported when the type is wanted."""

    module: str
    name: str

    def load(self) -> Any:
        """The type itself."""
        return getattr(import_module(self.module), self.name)

    def accepts(self, value: Any) -> bool:
        """Whether a value is of this type, and of none derived from it."""
        return (type(value).__module__, type(value).__name__) == (self.module, self.name)


@dataclass(frozen=True)
class RecordType(LateType):
    """A type of records, with a predicate for every field that is written."""

    fields: Mapping[str, Accepts]
    constants: Mapping[str, Any] = field(default_factory=dict)  # the same always, so not written
    attributes: Mapping[str, str] = field(default_factory=dict)  # where a field has another name

    def attribute(self, name: str) -> str:
        """The attribute of a record that holds a field of the file."""
        return self.attributes.get(name, name)


def is_integer(value: Any) -> bool:
    """A Python integer, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """A Python float or integer, and no truth value."""
    return isinstance(value, float) or is_integer(value)


def is_exact_or_float(value: Any) -> bool:
    """A number or an exact fraction."""
    return isinstance(value, Fraction) or is_number(value)


def is_flag(value: Any) -> bool:
    """True or False."""
    return isinstance(value, bool)


def is_text(value: Any) -> bool:
    """A string."""
    return isinstance(value, str)


def is_dict(value: Any) -> bool:
    """A dictionary."""
    return isinstance(value, dict)


def is_array(value: Any) -> bool:
    """An array of anything."""
    return isinstance(value, np.ndarray)


def is_float_array(value: Any) -> bool:
    """An array of 64-bit floats."""
    return isinstance(value, np.ndarray) and issubclass(value.dtype.type, np.float64)


def is_int_array(value: Any) -> bool:
    """An array of 64-bit integers."""
    return isinstance(value, np.ndarray) and issubclass(value.dtype.type, np.int64)


def optional(accepts: Accepts) -> Accepts:
    """The predicate that accepts None besides."""
    return lambda value: value is None or accepts(value)


def either(*choices: Accepts) -> Accepts:
    """The predicate that accepts what one of others accepts."""
    return lambda value: any(accepts(value) for accepts in choices)


def list_of(accepts: Accepts) -> Accepts:
    """The predicate for lists of what another accepts."""
    return lambda value: isinstance(value, list) and all(map(accepts, value))


def tuple_of(accepts: Accepts) -> Accepts:
    """The predicate for tuples of what another accepts."""
    return lambda value: isinstance(value, tuple) and all(map(accepts, value))


ENDING = LateType("rosenblatt.online.result", "Ending")
TRACE = LateType("rosenblatt.trace.trace", "Trace")
OPTIMISER_STATE = RecordType(
    "rosenblatt.online.state",
    "OptimiserState",
    {
        "W": is_float_array,
        "late": is_float_array,
        "pocket": is_float_array,
        "beside": is_float_array,
        "counts": is_int_array,
        "clock": is_int_array,
        "sums": is_float_array,
    },
    attributes={"late": "weighted_update_sum", "beside": "aux", "clock": "counters"},
)
SPARSE_ROWS = RecordType(
    "rosenblatt.csr",
    "CSR",
    {"data": is_array, "indices": is_array, "indptr": is_array, "n_cols": is_integer},
)
THRESHOLD_UNIT = RecordType(
    "rosenblatt.logic.units",
    "ThresholdUnit",
    {"weights": tuple_of(is_exact_or_float), "bias": is_exact_or_float},
)
RECORDS = {
    "outcome": RecordType(
        "rosenblatt.online.result",
        "Outcome",
        {
            "ending": ENDING.accepts,
            "passes": is_integer,
            "rows": is_integer,
            "mistakes": is_integer,
            "advice": is_text,
            "rank": is_integer,
            "width": is_integer,
            "gap": is_number,
        },
    ),
    "margin bounds": RecordType(
        "rosenblatt.trace.bounds", "MarginBounds", {"lower": is_number, "upper": is_number}
    ),
    "stream": RecordType(
        "rosenblatt.estimators.partial_fit",
        "Stream",
        {"classes": is_array, "memory": OPTIMISER_STATE.accepts},
        attributes={"memory": "state"},
    ),
    "memory": OPTIMISER_STATE,
    "moments": RecordType(
        "rosenblatt.closed_form.moments",
        "Moments",
        {
            "counts": is_float_array,
            "origins": is_float_array,
            "offsets": is_float_array,
            "scatter": is_float_array,
        },
    ),
    "kernel": RecordType(
        "rosenblatt.losses.kernel_functions",
        "Kernel",
        {
            "kind": is_text,
            "gamma": is_number,
            "degree": is_integer,
            "coef0": is_number,
            "bias": is_number,
        },
    ),
    "points": RecordType(
        "rosenblatt.losses.kernel_functions",
        "Points",
        {
            "rows": either(is_array, SPARSE_ROWS.accepts),
            "squares": is_float_array,
            "numbers": is_int_array,
        },
    ),
    "sparse rows": SPARSE_ROWS,
    "patience": RecordType(
        "rosenblatt.online.stopping",
        "Stalled",
        {
            "tol": is_number,
            "patience": is_integer,
            "ending": ENDING.accepts,
            "_best": is_number,
            "_waited": is_integer,
        },
        constants={"figure": float},
    ),
    "threshold unit": THRESHOLD_UNIT,
    "threshold network": RecordType(
        "rosenblatt.logic.units",
        "ThresholdNetwork",
        {"hidden": tuple_of(THRESHOLD_UNIT.accepts), "output": THRESHOLD_UNIT.accepts},
    ),
}
TRACES = {
    "passes": RecordType(
        "rosenblatt.trace.trace",
        "Record",
        {
            "passes": is_integer,
            "mistakes": is_integer,
            "changes": is_integer,
            "loss": is_number,
            "norm": is_number,
            "margin_lower": optional(is_number),
            "margin_upper": optional(is_number),
            "training_error": optional(is_number),
            "validation_score": optional(is_number),
        },
    ),
    "steps": RecordType(
        "rosenblatt.trace.trace",
        "Certified",
        {
            "step": is_integer,
            "unit": is_integer,
            "objective": is_number,
            "bound": is_number,
            "gap": is_number,
            "norm": is_number,
            "method": is_text,
            "rows": is_integer,
        },
    ),
}
