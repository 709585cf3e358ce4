"""Proofs as JSON, version 2 of docs/proof-format.md; files written at once or not.

Floats are hexadecimal ("0x1.8p+1"), and so are integers of any length ("0x1f"): both are exact, and
as quickly read as they are long. Weights of a certificate are integers in the same proportion;
weight vectors list what is not 0, with one denominator for all where they are fractions.
"""

import json
from collections.abc import Sequence
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
NOT_WRITTEN = {"version", "support"}  # the first is written for itself, the second is no claim


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
    fields = {name: _plain(v) for name, v in vars(record).items() if name not in NOT_WRITTEN}
    if record.answer == "inseparable":
        fields["weights"] = _in_proportion(record.weights)
        if record.overlap is not None:
            fields["overlap"]["weights"] = _in_proportion(record.overlap.weights)
        elif record.kind == "overlap":
            fields["kind"] = "unknown"  # what nothing shows is not written
    return {"format": FORMAT, "version": VERSION, "answer": record.answer, **fields}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _sparse(value)
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        items = [_plain(item) for item in value]
        return items if names is None else dict(zip(names, items, strict=True))
    return value.hex() if isinstance(value, float) else value


def _in_proportion(weights: Sequence[Fraction]) -> list[str]:
    bottom = lcm(*(weight.denominator for weight in weights))
    return [integer_text(w.numerator * (bottom // w.denominator)) for w in weights]


def _sparse(W: Array) -> dict[str, Any]:
    """Shape, and for every row the columns that are not 0 with their values."""
    columns = [np.flatnonzero(row != 0).tolist() for row in W]
    values = [[row[j] for j in used] for row, used in zip(W.tolist(), columns, strict=True)]
    fields: dict[str, Any] = {"shape": list(W.shape), "columns": columns}
    if W.dtype.kind != "O":
        return {**fields, "values": [[float(value).hex() for value in row] for row in values]}
    exact = [[Fraction(value) for value in row] for row in values]
    bottom = lcm(*(value.denominator for row in exact for value in row))
    whole = [[integer_text(int(value * bottom)) for value in row] for row in exact]
    return {**fields, "values": whole, "denominator": integer_text(bottom)}


def write(path: str | Path, fields: dict[str, Any]) -> None:
    """Write a proof as JSON, completely or not at all."""
    with written_whole(path) as file:
        file.write(json.dumps(fields).encode())
