"""Schema of the values in a model file: a predicate for every field of every record.

The predicates are declared, not derived from type hints: what a hint like ``NDArray[Any]`` is at
run time changes with the versions of numpy and Python, and the file format must not.

Types are named by their modules, because those of solvers are slow to import, and predicting does
not need them.
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
    """A type by the name of its module, which is imported when it is needed."""

    module: str
    name: str

    def load(self) -> Any:
        """The type itself."""
        return getattr(import_module(self.module), self.name)

    def accepts(self, value: Any) -> bool:
        """Whether a value is of exactly this type."""
        return (type(value).__module__, type(value).__name__) == (self.module, self.name)


@dataclass(frozen=True)
class RecordType(LateType):
    """A record type, with a predicate for every field in the file."""

    fields: Mapping[str, Accepts]
    constants: Mapping[str, Any] = field(default_factory=dict)  # always the same, so not written


def is_integer(value: Any) -> bool:
    """A Python integer, not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """A Python float or integer, not a boolean."""
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
    """An array of any type."""
    return isinstance(value, np.ndarray)


def is_float_array(value: Any) -> bool:
    """An array of 64-bit floats."""
    return isinstance(value, np.ndarray) and issubclass(value.dtype.type, np.float64)


def is_int_array(value: Any) -> bool:
    """An array of 64-bit integers."""
    return isinstance(value, np.ndarray) and issubclass(value.dtype.type, np.int64)


def optional(accepts: Accepts) -> Accepts:
    """A predicate that also accepts None."""
    return lambda value: value is None or accepts(value)


def either(*choices: Accepts) -> Accepts:
    """A predicate that accepts what any of the others accepts."""
    return lambda value: any(accepts(value) for accepts in choices)


def list_of(accepts: Accepts) -> Accepts:
    """A predicate for lists of what another accepts."""
    return lambda value: isinstance(value, list) and all(map(accepts, value))


def tuple_of(accepts: Accepts) -> Accepts:
    """A predicate for tuples of what another accepts."""
    return lambda value: isinstance(value, tuple) and all(map(accepts, value))


ENDING = LateType("rosenblatt.online.result", "Ending")
TRACE = LateType("rosenblatt.trace.trace", "Trace")
OPTIMISER_STATE = RecordType(
    "rosenblatt.online.state",
    "OptimiserState",
    {
        "W": is_float_array,
        "weighted_update_sum": is_float_array,
        "pocket": is_float_array,
        "aux": is_float_array,
        "counts": is_int_array,
        "counters": is_int_array,
        "sums": is_float_array,
    },
)
SPARSE_ROWS = RecordType(
    "rosenblatt.csr",
    "CSR",
    {"data": is_array, "indices": is_array, "indptr": is_array, "n_cols": is_integer},
)
THRESHOLD_UNIT = RecordType(
    "rosenblatt.logic.units",
    "ThresholdUnit",
    {"weights": tuple_of(is_exact_or_float), "intercept": is_exact_or_float, "boolean": is_flag},
)
RECORDS = {
    "outcome": RecordType(
        "rosenblatt.online.result",
        "Outcome",
        {
            "ending": ENDING.accepts,
            "n_iter": is_integer,
            "rows": is_integer,
            "mistakes": is_integer,
            "advice": is_text,
            "rank": is_integer,
            "n_columns": is_integer,
            "gap": is_number,
        },
    ),
    "margin_bounds": RecordType(
        "rosenblatt.trace.trace", "MarginBounds", {"lower": is_number, "upper": is_number}
    ),
    "stream": RecordType(
        "rosenblatt.estimators.partial_fit",
        "Stream",
        {"classes": is_array, "state": OPTIMISER_STATE.accepts},
    ),
    "optimiser_state": OPTIMISER_STATE,
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
    "row_factor": RecordType(
        "rosenblatt.closed_form.row_factor",
        "RowFactor",
        {"origin": is_float_array, "target_origin": is_float_array, "R": is_float_array},
    ),
    "kernel": RecordType(
        "rosenblatt.losses.kernel_functions",
        "Kernel",
        {
            "kind": is_text,
            "gamma": is_number,
            "degree": is_integer,
            "coef0": is_number,
            "offset": is_number,
        },
    ),
    "support_vectors": RecordType(
        "rosenblatt.losses.kernel_functions",
        "Points",
        {
            "rows": either(is_array, SPARSE_ROWS.accepts),
            "squared_norms": is_float_array,
            "indices": is_int_array,
        },
    ),
    "csr": SPARSE_ROWS,
    "patience": RecordType(
        "rosenblatt.online.stopping",
        "Stalled",
        {
            "tol": is_number,
            "patience": is_integer,
            "ending": ENDING.accepts,
            "best": is_number,
            "n_without_progress": is_integer,
        },
        constants={"figure": float},
    ),
    "threshold_unit": THRESHOLD_UNIT,
    "threshold_network": RecordType(
        "rosenblatt.logic.units",
        "ThresholdNetwork",
        {"hidden": tuple_of(THRESHOLD_UNIT.accepts), "output": THRESHOLD_UNIT.accepts},
    ),
}
TRACES = {
    "epochs": RecordType(
        "rosenblatt.trace.trace",
        "Record",
        {
            "epoch": is_integer,
            "mistakes": is_integer,
            "updates": is_integer,
            "loss": is_number,
            "norm": is_number,
            "margin_lower": optional(is_number),
            "margin_upper": optional(is_number),
            "training_error": optional(is_number),
            "validation_error": optional(is_number),
        },
    ),
    "regression_epochs": RecordType(
        "rosenblatt.trace.trace",
        "RegressionRecord",
        {
            "epoch": is_integer,
            "updates": is_integer,
            "loss": is_number,
            "norm": is_number,
            "training_error": optional(is_number),
            "validation_error": optional(is_number),
        },
    ),
    "steps": RecordType(
        "rosenblatt.trace.trace",
        "Certified",
        {
            "step": is_integer,
            "output": is_integer,
            "objective": is_number,
            "lower_bound": is_number,
            "gap": is_number,
            "norm": is_number,
            "method": is_text,
            "rows": is_integer,
        },
    ),
}
