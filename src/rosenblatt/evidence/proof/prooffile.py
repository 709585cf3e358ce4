"""Reading a proof from a file that nobody vouches for.

Only JSON, only the known fields, each of the known type and a bounded size; whatever else stands
there is refused with a sentence. A proof that loads is well formed; whether it holds is for the
checker to say.
"""

import json
import os
import re
import stat
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.errors import ProofFileError
from rosenblatt.evidence.proof.margins import Hull
from rosenblatt.evidence.proof.prooftext import FORMAT, VERSION, undecimal
from rosenblatt.evidence.proof.verdict import Inseparable, Proof, Separable, Undecided

MAX_BYTES = 1 << 29
START_BYTES = 1 << 16
MAX_DIGITS = 1_000_000
FRACTION = re.compile(r"(-?[0-9]+)/([0-9]+)")
HEX_FLOAT = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}")
FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def load_proof(path: str | Path) -> Proof:
    """Read a proof; whatever is malformed raises ProofFileError and says where."""
    file = Path(path)
    try:
        fields = json.loads(_text_of(file), parse_constant=_no_constant)
    except OSError as error:
        raise ProofFileError(f"{file} cannot be read: {error.strerror}.") from error
    except ProofFileError:
        raise
    except RecursionError as error:
        raise ProofFileError(f"{file} is no proof: its JSON is nested too deeply.") from error
    except ValueError as error:
        raise ProofFileError(f"{file} is not JSON text: {error}.") from error
    return parse_proof(fields)


def _text_of(file: Path) -> str:
    """The text of a file or of a pipe, no more of it than a proof may have."""
    with file.open("rb") as stream:
        mode = os.fstat(stream.fileno()).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise ProofFileError(f"{file} is neither a regular file nor a pipe.")
        start = stream.read(START_BYTES)
        if not start:
            raise ProofFileError(f"{file} is empty, and so is no proof.")
        if not start.lstrip().startswith(b"{"):  # before anything long is read
            raise ProofFileError(f"{file} is no proof: a proof is JSON, and begins with {{.")
        text = start + stream.read(MAX_BYTES + 1 - len(start))
    if len(text) > MAX_BYTES:
        raise ProofFileError(f"{file} is larger than {MAX_BYTES} bytes: too large for a proof.")
    return text.decode()


def _no_constant(name: str) -> Any:
    raise ProofFileError(f"A proof holds no {name}.")


def parse_proof(fields: Any) -> Proof:
    """Turn the fields of a proof file into a record."""
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ProofFileError(f'This is not a proof file: its "format" must be "{FORMAT}".')
    if fields.get("version") != VERSION:
        raise ProofFileError(
            f"This proof file has version {fields.get('version')!r}; this program reads {VERSION}."
        )
    answer = fields.get("answer")
    if not isinstance(answer, str) or answer not in READERS:
        raise ProofFileError(f'"answer" must be one of {", ".join(READERS)}; got {answer!r}.')
    record, readers = READERS[answer]
    wanted = {**ABOUT, **readers}
    known = {"format", "version", "answer", *wanted}
    strange = sorted(set(fields) - known)
    if strange:
        raise ProofFileError(f"The proof file has a field that no proof has: {strange[0]!r}.")
    return record(**{name: _field(fields, name, read) for name, read in wanted.items()})


def _field(fields: dict[str, Any], name: str, read: Callable[[Any], Any]) -> Any:
    if name not in fields:
        if name in OPTIONAL:
            return None
        raise ProofFileError(f'The proof file lacks the field "{name}".')
    try:
        return read(fields[name])
    except ProofFileError as error:
        raise ProofFileError(f'Field "{name}" of the proof file: {error}') from None


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**62:
        raise ProofFileError(f"a whole number from 0 on is wanted; got {_short(value)}.")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ProofFileError(f"true or false is wanted; got {_short(value)}.")
    return value


def _fraction(value: Any) -> Fraction:
    match = FRACTION.fullmatch(value) if isinstance(value, str) else None
    if match is None or len(value) > 2 * MAX_DIGITS:
        raise ProofFileError(f'a fraction written "p/q" is wanted; got {_short(value)}.')
    top, bottom = undecimal(match[1].removeprefix("-")), undecimal(match[2])
    if bottom == 0:
        raise ProofFileError("a fraction has the denominator 0.")
    return Fraction(-top if value[0] == "-" else top, bottom)


def _float(value: Any) -> float:
    if not isinstance(value, str) or HEX_FLOAT.fullmatch(value) is None:
        raise ProofFileError(f'a number written like "0x1.8p+1" is wanted; got {_short(value)}.')
    try:
        return float.fromhex(value)
    except OverflowError:
        raise ProofFileError(f"{_short(value)} is beyond all floats.") from None


def _positive(value: Any) -> float:
    number = _float(value)
    if number <= 0:
        raise ProofFileError(f"a positive number is wanted; got {number}.")
    return number


def _not_negative(value: Any) -> float:
    number = _float(value)
    if number < 0:
        raise ProofFileError(f"a number from 0 on is wanted; got {number}.")
    return number


def _radius(value: Any) -> float:
    return float("inf") if value == "inf" else _positive(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ProofFileError(f"text is wanted; got {_short(value)}.")
    return value


def _fingerprint(value: Any) -> str:
    if FINGERPRINT.fullmatch(_text(value)) is None:
        raise ProofFileError("64 hexadecimal digits are wanted.")
    return str(value)


def _classes(value: Any) -> tuple[str, ...]:
    names = _list(_text)(value)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ProofFileError("two or more different class names are wanted.")
    return names


def _kind(value: Any) -> str:
    if value not in ("overlap", "touching", "unknown"):
        raise ProofFileError(f"overlap, touching or unknown is wanted; got {_short(value)}.")
    return str(value)


def _list(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def reader(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ProofFileError(f"a list is wanted; got {_short(value)}.")
        return tuple(read(item) for item in value)

    return reader


def _weights(value: Any) -> Array:
    """Read rows of equal length, all floats or all fractions."""
    rows = _list(_list(_text))(value)
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise ProofFileError("rows of weights of equal length are wanted.")
    if "/" in rows[0][0]:
        out = np.empty((len(rows), len(rows[0])), dtype=object)
        out[:] = [[_fraction(item) for item in row] for row in rows]
        return out
    return np.array([[_float(item) for item in row] for row in rows])


def _hull(value: Any) -> Hull:
    if not isinstance(value, dict) or set(value) != set(Hull._fields):
        raise ProofFileError(f"the fields {', '.join(Hull._fields)} are wanted.")
    rows, rivals = _list(_integer)(value["rows"]), _list(_integer)(value["rivals"])
    weights = _list(_positive)(value["weights"])
    if not len(rows) == len(rivals) == len(weights) > 0:
        raise ProofFileError("as many rows as rivals and weights are wanted, and at least one.")
    return Hull(rows, rivals, weights)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProofFileError(f"an object is wanted; got {_short(value)}.")
    return value


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _short(value: Any) -> str:
    text = json.dumps(value) if not isinstance(value, int) else hex(value)
    return text if len(text) <= 40 else text[:37] + "..."


ABOUT: dict[str, Callable[[Any], Any]] = {
    "classes": _classes,
    "n_rows": _integer,
    "n_features": _integer,
    "fit_intercept": _boolean,
    "fingerprint": _fingerprint,
    "encoding": _or_none(_object),
}
OPTIONAL = {"encoding"}  # proofs about arrays have none
READERS: dict[str, tuple[type[Proof], dict[str, Callable[[Any], Any]]]] = {
    Separable.answer: (
        Separable,
        {
            "W": _weights,
            "margin": _not_negative,
            "radius": _radius,
            "geometric_margin": _not_negative,
            "support": _list(_integer),
            "upper": _or_none(_positive),
            "hull": _or_none(_hull),
        },
    ),
    Inseparable.answer: (
        Inseparable,
        {
            "rows": _list(_integer),
            "rivals": _list(_integer),
            "weights": _list(_fraction),
            "kind": _kind,
            "touching": _or_none(_weights),
        },
    ),
    Undecided.answer: (Undecided, {"lower": _float, "upper": _float}),
}
