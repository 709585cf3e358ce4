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
from rosenblatt.separation.proof.listed import Listed
from rosenblatt.separation.proof.margins import Hull
from rosenblatt.separation.proof.overlap import MAX_RANK_WORK, Overlap
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable, Undecided
from rosenblatt.separation.proof.writer import FORMAT, MAX_DIGITS
from rosenblatt.types import Array

MAX_BYTES = 1 << 29
READ_BYTES = 1 << 16  # at a time
MAX_DECIMALS = 150_000  # of one decimal integer, in version 1
MAX_ALL_DECIMALS = 40_000_000
MAX_DIRECT_DIGITS = 4000  # decimal digits that Python converts without complaint
FRACTION = re.compile(rf"(-?)([0-9]{{1,{MAX_DECIMALS}}})/([0-9]{{1,{MAX_DECIMALS}}})")
HEX_RATIONAL = re.compile(rf"-?0x[0-9a-f]{{1,{MAX_DIGITS}}}(/0x[0-9a-f]{{1,{MAX_DIGITS}}})?")
EXPONENT = r"(\+[0-9]{1,4}|-([0-9]{1,3}|10[01][0-9]|102[0-2]))"  # with less, digits would be lost
HEX_FLOAT = re.compile(rf"-?0x[01]\.[0-9a-f]{{1,13}}p{EXPONENT}")
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
COLUMN = re.compile(r"0|[1-9][0-9]{0,18}")


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
        start = stream.read(READ_BYTES)
        if not start:
            raise ProofFileError(f"{file} is empty, not a proof.")
        if not start.lstrip().startswith(b"{"):  # before anything long is read
            raise ProofFileError(f"{file} is not a proof: a proof is JSON, and begins with {{.")
        text = bytearray(start)
        while len(text) <= MAX_BYTES and (part := stream.read(READ_BYTES)):
            text += part  # a single read would allocate the limit
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
    read = {
        name: _field(fields, name, read, optional=OPTIONAL if version == 1 else set())
        for name, read in wanted.items()
    }
    read = _of_version_1(read) if version == 1 else _of_version_2(read)
    return RECORDS[answer](**read, version=version)


def _of_version_1(read: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the file says without evidence."""
    if read.get("kind") == "overlap":
        read["kind"] = "unknown"
    return {name: v for name, v in read.items() if name not in ("geometric_margin", "support")}


def _of_version_2(read: dict[str, Any]) -> dict[str, Any]:
    """Fields of a record, with weights that fit the number of features."""
    width = read["n_features"] + read["fit_intercept"]
    for name in ("W", "touching"):
        if read.get(name) is not None:
            read[name] = _of_width(read[name], width)
    if "pairs" not in read:
        return read
    _check_evidence(read)
    if read["overlap"] is not None:
        (rows, rivals, weights), null = read["overlap"]["pairs"], read["overlap"]["null"]
        if len(null) * width**2 > MAX_RANK_WORK:
            raise ProofFileError("The null vectors of the proof file are too large to check.")
        read["overlap"] = Overlap(rows, rivals, weights, _of_width(null, width).array())
    rows, rivals, weights = read.pop("pairs")
    return {**read, "rows": rows, "rivals": rivals, "weights": weights}


def _of_width(rows: tuple[dict[int, Any], ...], width: int) -> Listed:
    last = max((column for row in rows for column in row), default=-1)
    if last >= width:
        raise ProofFileError(
            f"The proof file lists a weight of column {last}; the last is {width - 1}."
        )
    return Listed(rows, width)


def _check_evidence(read: dict[str, Any]) -> None:
    """Refuse a kind without the evidence for it, and evidence of another kind."""
    for kind, names in EVIDENCE.items():
        for name in names:
            if (read[name] is not None) != (read["kind"] == kind):
                raise ProofFileError(
                    f'The proof file has the kind "{read["kind"]}"; the field "{name}" must be '
                    f'given where the kind is "{kind}", and only there.'
                )


def _field(
    fields: dict[str, Any], name: str, read: Callable[[Any], Any], *, optional: set[str]
) -> Any:
    if name not in fields:
        if name in optional:
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


def _rational(value: Any) -> Fraction:
    if not isinstance(value, str) or HEX_RATIONAL.fullmatch(value) is None:
        raise ProofFileError(f'expected a number such as "0x1f"; got {_short(value)}.')
    top, _, bottom = value.partition("/")
    if bottom and int(bottom, 16) == 0:
        raise ProofFileError("a fraction has the denominator 0.")
    return Fraction(int(top, 16), int(bottom or "0x1", 16))


def _float(value: Any) -> float:
    if not isinstance(value, str) or HEX_FLOAT.fullmatch(value) is None:
        raise ProofFileError(f'expected a number such as "0x1.8p+1"; got {_short(value)}.')
    try:
        return float.fromhex(value)
    except OverflowError:
        raise ProofFileError(f"{_short(value)} is too large for a float.") from None


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


def _weight(value: Any) -> float | Fraction:
    is_float = isinstance(value, str) and "p" in value
    return _float(value) if is_float else _rational(value)


def _column(name: str) -> int:
    if COLUMN.fullmatch(name) is None:
        raise ProofFileError(f"expected the number of a column; got {_short(name)}.")
    return int(name)


def _row_of_weights(value: Any) -> dict[int, float | Fraction]:
    """Read weights by their columns: floats, or fractions."""
    return {_column(name): _weight(item) for name, item in _object(value).items()}


def _pairs(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any, Any]]:
    """A reader of rows, rivals and positive weights, each pair with its own."""

    def reader(value: Any) -> tuple[Any, Any, Any]:
        rows, rivals, weights = [], [], []
        for pair in _list(_list(lambda item: item))(value):
            if len(pair) != 3:
                raise ProofFileError(f"expected a row, a rival and a weight; got {len(pair)}.")
            rows.append(_integer(pair[0]))
            rivals.append(_integer(pair[1]))
            weights.append(read(pair[2]))
        if min(weights, default=1) <= 0:
            raise ProofFileError(f"expected positive weights; got {min(weights)}.")
        return tuple(rows), tuple(rivals), tuple(weights)

    return reader


def _certificate(value: Any) -> tuple[Any, Any, Any]:
    """Read pairs with weights as shares of their sum."""
    rows, rivals, weights = _pairs(_rational)(value)
    total = sum(weights)
    return rows, rivals, tuple(weight / total for weight in weights)


def _hull_pairs(value: Any) -> Hull:
    rows, rivals, weights = _pairs(_positive)(value)
    if not rows:
        raise ProofFileError("expected at least one pair.")
    return Hull(rows, rivals, weights)


def _overlap(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != {"pairs", "null"}:
        raise ProofFileError("expected the fields pairs and null.")
    null = _list(_row_of_weights)(value["null"])
    return {"pairs": _certificate(value["pairs"]), "null": null}


def _hull(value: Any) -> Hull:
    """Read a hull of version 1."""
    if not isinstance(value, dict) or set(value) != set(Hull._fields):
        raise ProofFileError(f"expected the fields {', '.join(Hull._fields)}.")
    rows, rivals = _list(_integer)(value["rows"]), _list(_integer)(value["rivals"])
    weights = _list(_positive)(value["weights"])
    if not len(rows) == len(rivals) == len(weights) > 0:
        raise ProofFileError("expected as many rows as rivals and weights, and at least one.")
    return Hull(rows, rivals, weights)


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
OPTIONAL = {"encoding"}  # in version 1
EVIDENCE = {"touching": ("touching", "tied"), "overlap": ("overlap",)}
RECORDS: dict[str, type[Proof]] = {
    record.answer: record for record in (Separable, Inseparable, Undecided)
}
_MARGIN: dict[str, Callable[[Any], Any]] = {
    "margin": _not_negative,
    "radius": _radius,
    "upper": _or_none(_positive),
}
_UNDECIDED: dict[str, Callable[[Any], Any]] = {"lower": _float, "upper": _radius}
READERS: dict[tuple[int, str], dict[str, Callable[[Any], Any]]] = {
    (1, "separable"): {
        **_MARGIN,
        "hull": _or_none(_hull),
        "W": _dense_weights,
        "geometric_margin": _not_negative,
        "support": _list(_integer),
    },
    (1, "inseparable"): {
        "rows": _list(_integer),
        "rivals": _list(_integer),
        "kind": _kind,
        "weights": _fractions,
        "touching": _or_none(_dense_weights),
    },
    (1, "undecided"): _UNDECIDED,
    (2, "separable"): {
        **_MARGIN,
        "hull": _or_none(_hull_pairs),
        "W": _list(_row_of_weights),
    },
    (2, "inseparable"): {
        "pairs": _certificate,
        "kind": _kind,
        "touching": _or_none(_list(_row_of_weights)),
        "tied": _or_none(_integer),
        "overlap": _or_none(_overlap),
    },
    (2, "undecided"): _UNDECIDED,
}
