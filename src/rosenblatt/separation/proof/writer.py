"""Proofs as JSON, version 2 of docs/proof-format.md; files written at once or not.

Floats are hexadecimal ("0x1.8p+1"), and so are integers of any length ("0x1f") and fractions
("0x1/0x3"): all are exact, and as quickly read as they are long. Weights of a certificate are
integers in the same proportion; weight vectors list what is not 0.
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.atomic_write import written_whole
from rosenblatt.errors import ProofError
from rosenblatt.types import Array

FORMAT = "rosenblatt-proof"
VERSION = 2
MAX_DIGITS = 1 << 17  # of one hexadecimal integer
NOT_WRITTEN = {
    "version",  # which is written for itself
    "support",  # which is no claim
    "rows",  # and the next two as pairs
    "rivals",
    "weights",
}


def integer_text(number: int) -> str:
    """Write an integer in hexadecimal."""
    text = hex(number)
    if len(text) > MAX_DIGITS:
        raise ProofError(
            f"The proof has integers of over {MAX_DIGITS} digits: too long for a file."
        )
    return text


def as_fields(record: Any) -> dict[str, Any]:
    """Fields of a record in JSON's types, with the format's name and version."""
    if record.version != VERSION:
        raise ProofError(
            f"This proof was read from a file of version {record.version}, whose fingerprint is "
            "another one. Keep that file, or prove it again."
        )
    names = [field.name for field in fields(record) if field.name not in NOT_WRITTEN]
    written = {name: _plain(getattr(record, name)) for name in names}
    if record.answer == "inseparable":
        written["pairs"] = _in_proportion(record)
        if record.overlap is not None:
            null = _listed(record.overlap.null)
            written["overlap"] = {"pairs": _in_proportion(record.overlap), "null": null}
        elif record.kind == "overlap":
            written["kind"] = "unknown"  # what nothing shows is not written
    elif record.answer == "separable" and record.hull is not None:
        written["hull"] = _pairs(record.hull, [weight.hex() for weight in record.hull.weights])
    return {"format": FORMAT, "version": VERSION, "answer": record.answer, **written}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _listed(value)
    if isinstance(value, tuple):
        return list(value)
    return value.hex() if isinstance(value, float) else value


def _in_proportion(certificate: Any) -> list[list[Any]]:
    """Pairs with integers in the proportion of their weights."""
    bottom = lcm(*(weight.denominator for weight in certificate.weights))
    whole = [w.numerator * (bottom // w.denominator) for w in certificate.weights]
    return _pairs(certificate, [integer_text(number) for number in whole])


def _pairs(listed: Any, weights: Sequence[str]) -> list[list[Any]]:
    """Row, rival and weight of every pair."""
    return [list(pair) for pair in zip(listed.rows, listed.rivals, weights, strict=True)]


def _listed(W: Array) -> list[dict[str, str]]:
    """For every row the columns that are not 0, with their values."""
    return [{str(j): _number(row[j]) for j in np.flatnonzero(row != 0).tolist()} for row in W]


def _number(value: Any) -> str:
    if isinstance(value, float):
        return float(value).hex()
    top, bottom = Fraction(value).as_integer_ratio()
    return integer_text(top) if bottom == 1 else f"{integer_text(top)}/{integer_text(bottom)}"


def write(path: str | Path, written: dict[str, Any]) -> None:
    """Write the fields of a proof as JSON, completely or not at all."""
    with written_whole(path) as file:
        file.write(json.dumps(written).encode())
