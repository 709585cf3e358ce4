"""Reading a proof from an untrusted file.

Only JSON, only the known fields, each of the known type and a bounded size; whatever else stands
there is refused with a sentence. A proof that loads is well formed; whether it holds is for the
checker to say. Of version 1, what no checker could check is read and left out: the geometric
margin, the support, and the word "overlap".
"""

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.errors import ProofFileError
from rosenblatt.separation.proof.margins import Hull
from rosenblatt.separation.proof.overlap import Overlap
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable, Undecided
from rosenblatt.separation.proof.writer import FORMAT, MAX_DIGITS
from rosenblatt.types import Array

MAX_BYTES = 1 << 29
FIRST_READ_BYTES = 1 << 16
MAX_DECIMALS = 150_000  # of one decimal integer, in version 1
MAX_ALL_DECIMALS = 40_000_000
MAX_WEIGHTS = 1 << 27  # numbers in a matrix of weights, zeros and all
MAX_DIRECT_DIGITS = 4000  # decimal digits that Python converts without complaint
FRACTION = re.compile(rf"(-?)([0-9]{{1,{MAX_DECIMALS}}})/([0-9]{{1,{MAX_DECIMALS}}})")
HEX_INTEGER = re.compile(rf"-?0x[0-9a-f]{{1,{MAX_DIGITS}}}")
EXPONENT = r"(\+[0-9]{1,4}|-([0-9]{1,3}|10[01][0-9]|102[0-2]))"  # with less, digits would be lost
HEX_FLOAT = re.compile(rf"-?0x[01]\.[0-9a-f]{{1,13}}p{EXPONENT}")
FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def load_proof(path: str | Path) -> Proof:
    """Read a proof file; anything malformed raises a ProofFileError that says where."""
    file = Path(path)
    try:
        fields = json.loads(
            _text_of(file), parse_constant=_no_constant, object_pairs_hook=_no_twins
        )
    except OSError as error:
        raise ProofFileError(f"{file} cannot be read: {error.strerror}.") from error
    except ProofFileError:
        raise
    except RecursionError as error:
        raise ProofFileError(f"{file} is not a proof: its JSON is nested too deeply.") from error
    except ValueError as error:
        raise ProofFileError(f"{file} is not JSON text: {error}.") from error
    return parse_proof(fields)


def _text_of(file: Path) -> str:
    """The text of a file or of a pipe, no more of it than a proof may have."""
    with file.open("rb") as stream:
        mode = os.fstat(stream.fileno()).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise ProofFileError(f"{file} is neither a regular file nor a pipe.")
        start = stream.read(FIRST_READ_BYTES)
        if not start:
            raise ProofFileError(f"{file} is empty, not a proof.")
        if not start.lstrip().startswith(b"{"):  # before anything long is read
            raise ProofFileError(f"{file} is not a proof: a proof is JSON, and begins with {{.")
        text = start + stream.read(MAX_BYTES + 1 - len(start))
    if len(text) > MAX_BYTES:
        raise ProofFileError(f"{file} is larger than {MAX_BYTES} bytes: too large for a proof.")
    return text.decode()


def _no_constant(name: str) -> Any:
    raise ProofFileError(f"A proof cannot contain {name}.")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that has a name twice: which one counts would be anybody's guess."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ProofFileError(f"The proof file has the field {_short(twice)} twice.")
    return fields


def parse_proof(fields: Any) -> Proof:
    """Turn the fields of a proof file into a record."""
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ProofFileError(f'This is not a proof file: its "format" must be "{FORMAT}".')
    version = fields.get("version")
    if type(version) is not int or version not in (1, 2):
        raise ProofFileError(
            f"This proof file has version {_short(version)}; this program reads versions 1 and 2."
        )
    answer = fields.get("answer")
    if not isinstance(answer, str) or answer not in RECORDS:
        raise ProofFileError(f'"answer" must be one of {", ".join(RECORDS)}; got {answer!r}.')
    wanted = {**ABOUT, **READERS[version, answer]}
    known = {"format", "version", "answer", *wanted}
    unknown = sorted(set(fields) - known)
    if unknown:
        raise ProofFileError(f"The proof file has an unknown field: {unknown[0]!r}.")
    read = {name: _field(fields, name, read) for name, read in wanted.items()}
    if version == 1:
        read = _of_version_1(read)
    elif answer == Inseparable.answer:
        _check_evidence(read)
    return RECORDS[answer](**read, version=version)


def _of_version_1(read: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the file says without evidence."""
    if read.get("kind") == "overlap":
        read["kind"] = "unknown"
    return {name: v for name, v in read.items() if name not in ("geometric_margin", "support")}


def _check_evidence(read: dict[str, Any]) -> None:
    """Refuse a kind without the evidence for it, and evidence of another kind."""
    for kind, names in EVIDENCE.items():
        for name in names:
            if (read[name] is not None) != (read["kind"] == kind):
                raise ProofFileError(
                    f'The proof file has the kind "{read["kind"]}"; the field "{name}" must be '
                    f'given where the kind is "{kind}", and only there.'
                )


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
        raise ProofFileError(f"expected a whole number of at least 0; got {_short(value)}.")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ProofFileError(f"expected true or false; got {_short(value)}.")
    return value


def _fraction(value: Any) -> Fraction:
    match = FRACTION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ProofFileError(f'expected a fraction such as "p/q"; got {_short(value)}.')
    top, bottom = undecimal(match[2]), undecimal(match[3])
    if bottom == 0:
        raise ProofFileError("a fraction has the denominator 0.")
    return Fraction(-top if match[1] else top, bottom)


def _fractions(value: Any) -> tuple[Fraction, ...]:
    texts = _list(_text)(value)
    if sum(map(len, texts)) > MAX_ALL_DECIMALS:
        raise ProofFileError(f"fractions of over {MAX_ALL_DECIMALS} digits in all are too long.")
    return tuple(map(_fraction, texts))


def undecimal(digits: str) -> int:
    """Integer of any length from its decimal digits."""
    if len(digits) <= MAX_DIRECT_DIGITS:
        return int(digits)
    half = len(digits) // 2
    power: int = 10**half
    return undecimal(digits[:-half]) * power + undecimal(digits[-half:])


def _hex_integer(value: Any) -> int:
    if not isinstance(value, str) or HEX_INTEGER.fullmatch(value) is None:
        raise ProofFileError(f'expected an integer such as "0x1f"; got {_short(value)}.')
    return int(value, 16)


def _proportions(value: Any) -> tuple[Fraction, ...]:
    """Positive integers, as shares of their sum."""
    whole = _list(_hex_integer)(value)
    if min(whole, default=1) <= 0:
        raise ProofFileError(f"expected positive integers; got {min(whole)}.")
    total = sum(whole)
    return tuple(Fraction(number, total) for number in whole)


def _float(value: Any) -> float:
    if not isinstance(value, str) or HEX_FLOAT.fullmatch(value) is None:
        raise ProofFileError(f'expected a number such as "0x1.8p+1"; got {_short(value)}.')
    try:
        return float.fromhex(value)
    except OverflowError:
        raise ProofFileError(f"{_short(value)} is beyond all floats.") from None


def _positive(value: Any) -> float:
    number = _float(value)
    if number <= 0:
        raise ProofFileError(f"expected a positive number; got {number}.")
    return number


def _not_negative(value: Any) -> float:
    number = _float(value)
    if number < 0:
        raise ProofFileError(f"expected a number of at least 0; got {number}.")
    return number


def _radius(value: Any) -> float:
    return float("inf") if value == "inf" else _positive(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ProofFileError(f"expected text; got {_short(value)}.")
    return value


def _fingerprint(value: Any) -> str:
    if FINGERPRINT.fullmatch(_text(value)) is None:
        raise ProofFileError("expected 64 hexadecimal digits.")
    return str(value)


def _classes(value: Any) -> tuple[str, ...]:
    names = _list(_text)(value)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ProofFileError("expected two or more different class names.")
    return names


def _kind(value: Any) -> str:
    if value not in ("overlap", "touching", "unknown"):
        raise ProofFileError(f"expected overlap, touching or unknown; got {_short(value)}.")
    return str(value)


def _list(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def reader(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ProofFileError(f"expected a list; got {_short(value)}.")
        return tuple(read(item) for item in value)

    return reader


def _dense_weights(value: Any) -> Array:
    """Read rows of equal length, all floats or all fractions: weights of version 1."""
    rows = _list(_list(_text))(value)
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise ProofFileError("expected rows of weights of equal length.")
    if "/" in rows[0][0]:
        out = np.empty((len(rows), len(rows[0])), dtype=object)
        out[:] = [_fractions(list(row)) for row in rows]
        return out
    return np.array([[_float(item) for item in row] for row in rows])


def _weights(value: Any) -> Array:
    """Read a matrix of which the file lists what is not 0: floats, or integers over one number."""
    names = {"shape", "columns", "values"}
    if not isinstance(value, dict) or not names <= set(value) <= names | {"denominator"}:
        raise ProofFileError("expected shape, columns and values, and optionally a denominator.")
    shape = _list(_integer)(value["shape"])
    if len(shape) != 2 or shape[0] * shape[1] > MAX_WEIGHTS:
        raise ProofFileError("expected a shape of rows and columns.")
    if "denominator" not in value:
        return _filled(np.zeros(shape), value, _float)
    bottom = _hex_integer(value["denominator"])
    if bottom <= 0:
        raise ProofFileError("expected a positive denominator.")
    zeros = np.full(shape, Fraction(0), dtype=object)
    return _filled(zeros, value, lambda item: Fraction(_hex_integer(item), bottom))


def _filled(out: Array, value: dict[str, Any], read: Callable[[Any], Any]) -> Array:
    """Put the values of every row at their columns."""
    columns, values = _list(_list(_integer))(value["columns"]), _list(_list(read))(value["values"])
    if not len(columns) == len(values) == len(out):
        raise ProofFileError("expected a list of columns and a list of values for every row.")
    for row, used, numbers in zip(out, columns, values, strict=True):
        if len(used) != len(numbers):
            raise ProofFileError("expected a value for every listed column.")
        if list(used) != sorted(set(used)) or (used and used[-1] >= len(row)) or 0 in numbers:
            raise ProofFileError("expected columns in increasing order, with values other than 0.")
        row[list(used)] = numbers
    return out


def _hull(value: Any) -> Hull:
    if not isinstance(value, dict) or set(value) != set(Hull._fields):
        raise ProofFileError(f"expected the fields {', '.join(Hull._fields)}.")
    rows, rivals = _list(_integer)(value["rows"]), _list(_integer)(value["rivals"])
    weights = _list(_positive)(value["weights"])
    if not len(rows) == len(rivals) == len(weights) > 0:
        raise ProofFileError("expected as many rows as rivals and weights, and at least one.")
    return Hull(rows, rivals, weights)


def _overlap(value: Any) -> Overlap:
    if not isinstance(value, dict) or set(value) != set(Overlap._fields):
        raise ProofFileError(f"expected the fields {', '.join(Overlap._fields)}.")
    rows, rivals = _list(_integer)(value["rows"]), _list(_integer)(value["rivals"])
    return Overlap(rows, rivals, _proportions(value["weights"]), _weights(value["null"]))


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProofFileError(f"expected an object; got {_short(value)}.")
    return value


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _short(value: Any) -> str:
    long = isinstance(value, int) and abs(value) > 2**62  # of which Python writes no decimals
    text = hex(value) if long else json.dumps(value)
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
EVIDENCE = {"touching": ("touching", "tied"), "overlap": ("overlap",)}
RECORDS: dict[str, type[Proof]] = {
    record.answer: record for record in (Separable, Inseparable, Undecided)
}
_SEPARABLE: dict[str, Callable[[Any], Any]] = {
    "margin": _not_negative,
    "radius": _radius,
    "upper": _or_none(_positive),
    "hull": _or_none(_hull),
}
_PAIRS = {"rows": _list(_integer), "rivals": _list(_integer), "kind": _kind}
_UNDECIDED: dict[str, Callable[[Any], Any]] = {"lower": _float, "upper": _radius}
READERS: dict[tuple[int, str], dict[str, Callable[[Any], Any]]] = {
    (1, "separable"): {
        **_SEPARABLE,
        "W": _dense_weights,
        "geometric_margin": _not_negative,
        "support": _list(_integer),
    },
    (1, "inseparable"): {**_PAIRS, "weights": _fractions, "touching": _or_none(_dense_weights)},
    (1, "undecided"): _UNDECIDED,
    (2, "separable"): {**_SEPARABLE, "W": _weights},
    (2, "inseparable"): {
        **_PAIRS,
        "weights": _proportions,
        "touching": _or_none(_weights),
        "tied": _or_none(_integer),
        "overlap": _or_none(_overlap),
    },
    (2, "undecided"): _UNDECIDED,
}
