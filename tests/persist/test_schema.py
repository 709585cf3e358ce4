"""What a model file may hold: the table of records goes with their types."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from rosenblatt.persist import schema
from rosenblatt.persist.schema import RECORDS, TRACES, RecordType


def fields_of(kind: Any) -> list[str]:
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind)]
    return list(kind._fields)


@pytest.mark.parametrize("record", [*RECORDS.values(), *TRACES.values()], ids=lambda r: r.name)
def test_every_field_of_a_record_has_a_predicate(record: RecordType) -> None:
    assert sorted([*record.fields, *record.constants]) == sorted(fields_of(record.load()))


@pytest.mark.parametrize(
    ("accepts", "good", "bad"),
    [
        (schema.is_integer, [0, -3, 1 << 70], [True, 1.0, "1", None, np.int64(1)]),
        (schema.is_number, [0, -3, 0.5, float("inf")], [False, "1", None, 1j]),
        (schema.is_text, ["", "a"], [b"a", 1, None]),
        (schema.is_array, [np.zeros(2), np.array(["a"]), np.empty(1, object)], [[1.0], 1.0, None]),
        (schema.is_float_array, [np.zeros((2, 3))], [np.zeros(2, np.float32), [1.0]]),
        (schema.is_int_array, [np.zeros(2, np.int64)], [np.zeros(2, np.int32), np.zeros(2), [1]]),
        (schema.optional(schema.is_text), [None, "a"], [1]),
        (schema.either(schema.is_text, schema.is_integer), ["a", 1], [None, 1.0]),
        (schema.list_of(schema.is_integer), [[], [1, 2]], [(1, 2), [1, 2.0], 1]),
        (schema.tuple_of(schema.is_exact_or_float), [(), (1, 2.0)], [[1], (1, True)]),
    ],
)  # fmt: skip
def test_predicates(accepts: schema.Accepts, good: list[Any], bad: list[Any]) -> None:
    assert all(accepts(value) for value in good)
    assert not any(accepts(value) for value in bad)
