"""Proofs as JSON: numbers written so that they come back exactly, files written at once or not.

Rational numbers are "p/q" in decimal, floats are hexadecimal ("0x1.8p+1"). Python refuses to turn
very long integers into text, so they are cut into pieces here.
"""

import json
from fractions import Fraction
from math import ceil, log2
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.writing import written_whole

FORMAT = "rosenblatt-proof"
VERSION = 1
PIECE = 4000  # decimal digits that Python converts without complaint


def decimal(number: int) -> str:
    """Decimal digits of an integer of any length."""
    if number < 0:
        return "-" + decimal(-number)
    if number.bit_length() * 0.30103 < PIECE - 1:
        return str(number)
    half = ceil(number.bit_length() / log2(10) / 2)
    high, low = divmod(number, 10**half)
    return decimal(high) + decimal(low).zfill(half)


def undecimal(digits: str) -> int:
    """Integer of any length from its decimal digits."""
    if len(digits) <= PIECE:
        return int(digits)
    half = len(digits) // 2
    power: int = 10**half
    return undecimal(digits[:-half]) * power + undecimal(digits[-half:])


def number_text(value: Any) -> str:
    """Write a float in hexadecimal, a fraction as "p/q"."""
    if isinstance(value, Fraction):
        return f"{decimal(value.numerator)}/{decimal(value.denominator)}"
    return float(value).hex()


def as_fields(record: Any) -> dict[str, Any]:
    """Fields of a record in JSON's types, with the format's name and version."""
    fields = {name: _plain(value) for name, value in vars(record).items()}
    return {"format": FORMAT, "version": VERSION, "answer": record.answer, **fields}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _matrix(value)
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        items = [_plain(item) for item in value]
        return items if names is None else dict(zip(names, items, strict=True))
    if isinstance(value, (Fraction, float)):
        return number_text(value)
    return value


def _matrix(values: Array) -> list[list[str]]:
    return [[number_text(value) for value in row] for row in values.tolist()]


def write(path: str | Path, fields: dict[str, Any]) -> None:
    """Write a proof as JSON, completely or not at all."""
    with written_whole(path) as file:
        file.write(json.dumps(fields, indent=1).encode())
