"""Truth tables of Boolean functions, read from several forms.

A function of n inputs is the tuple of its 2ⁿ values. Row r is the input whose bits are r in binary,
x1 the most significant: for n = 2 the rows are 00, 01, 10, 11, and XOR is (0, 1, 1, 0).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.types import Array, Ints

Bits = tuple[int, ...]
Source = str | Sequence[Any] | Array | Mapping[Any, Any] | Callable[..., Any]

MAX_INPUTS = 10


def inputs(n: int) -> Ints:
    """All 2ⁿ inputs, one in each row, in the order of truth tables."""
    rows = np.arange(2**n)[:, None]
    return (rows >> np.arange(n - 1, -1, -1)) & 1


def read_bits(source: Source, n: int | None = None) -> Bits:
    """Read a truth table: 2ⁿ bits, a string of them, a mapping from inputs, or a function.

    A mapping has one key per input: "01" or (0, 1). A function is called with n bits; give ``n``.
    """
    if n is not None:
        _check_count(n)
    if isinstance(source, Mapping):
        bits = _from_mapping(source)
    elif callable(source):
        bits = _from_function(source, n)
    else:
        bits = tuple(_bit(value, f"row {r}") for r, value in enumerate(_as_sequence(source)))
    found = _count_inputs(len(bits))
    if n is not None and n != found:
        raise ParameterError(
            f"A truth table of n = {n} inputs has {2**n} bits; got {len(bits)}. "
            "Leave n out, or give a table of that length."
        )
    return bits


def _as_sequence(source: Any) -> Iterable[Any]:
    if isinstance(source, str):
        return source
    values = np.asarray(source, dtype=object)
    if values.ndim != 1:
        raise DataError(
            f"A truth table is one row of 2ⁿ bits; got {values.ndim} dimension(s), shape "
            f"{values.shape}. Give the function's values in the order 0…00, 0…01, …, 1…11."
        )
    return list(values)


def _from_function(function: Callable[..., Any], n: int | None) -> Bits:
    if n is None:
        raise ParameterError(
            "The number of inputs of a Python function is not known: give n, as in "
            "realize(lambda a, b: a != b, n=2)."
        )
    return tuple(_bit(function(*x), f"input {x}") for x in product((0, 1), repeat=n))


def _from_mapping(mapping: Mapping[Any, Any]) -> Bits:
    values = {_key(key): _bit(value, f"input {key!r}") for key, value in mapping.items()}
    widths = sorted({len(key) for key in values})
    if len(widths) != 1:
        raise DataError(
            f"The inputs of a truth table all have the same number of bits, at least 1; got keys "
            f"with {', '.join(map(str, widths)) or 'none'}."
        )
    _check_count(widths[0])
    missing = [x for x in product((0, 1), repeat=widths[0]) if x not in values]
    if missing:
        raise DataError(
            f"A truth table of {widths[0]} inputs has {2 ** widths[0]} rows; {len(missing)} are "
            f"missing, the first {missing[0]}. Give a value for every input."
        )
    return tuple(values[x] for x in product((0, 1), repeat=widths[0]))


def _key(key: Any) -> Bits:
    parts = key if isinstance(key, (str, tuple, list)) else (key,)
    return tuple(_bit(part, f"key {key!r}") for part in parts)


def _bit(value: Any, place: str) -> int:
    if isinstance(value, str) and value in ("0", "1"):
        return int(value)
    if np.ndim(value) == 0 and not isinstance(value, str) and value in (0, 1):
        return int(value)
    raise DataError(f"A truth table holds bits, 0 or 1; got {value!r} at {place}.")


def _count_inputs(length: int) -> int:
    n = length.bit_length() - 1
    if length < 2 or length != 2**n:
        raise DataError(
            f"A truth table has 2ⁿ bits, one for every input of n bits (2, 4, 8, …); got {length}."
        )
    _check_count(n)
    return n


def _check_count(n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= MAX_INPUTS:
        raise ParameterError(
            f"The number of inputs must be an integer from 1 to {MAX_INPUTS}; got {n!r}."
        )
