"""Check a proof file of version 2 (docs/proof-format.md): standard library only, integers only.

    python checker.py proof.json X.npy y.npy        (X also .npz, as scipy's save_npz writes CSR)

Exit code 0: the proof holds; 1: it does not; 2: a file cannot be read. The vector z of a row is
(x, 1) with an intercept and x without, all multiplied by one power of two that makes integers of
them. A pair (row of class c, rival r) is the vector with z in block c and −z in block r (Kesler);
of two classes only block 1 counts. Weights W separate if their product with every pair is positive.

- separable: W is listed, and all products are computed.
- inseparable: pairs with positive weights sum to 0. Weights W that make every product positive
  would make the product of W and that sum positive, but it is 0 (Gordan).
- overlap: such pairs span all pairs; so if W makes no product negative, all are 0 (Stiemke).
"""

import hashlib
import json
import re
import struct
import sys
import zipfile
from fractions import Fraction
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

NPY_HEADER = re.compile(
    rb"\{'descr': '([<>|])([a-zA-Z])(\d{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18},? ?)*)\), ?\} *\n"
)
NUMPY_TYPES = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q"}
NUMPY_TYPES |= {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}
INTEGER = re.compile(r"-?0x[0-9a-f]{1,131072}")
FLOAT = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}")
PRIME = 2**31 - 1  # a rank modulo a prime is at most the rank
MAX_RANK_WORK = 1 << 31  # pairs times the square of their dimension
ABOUT = "format version answer classes n_rows n_features fit_intercept fingerprint"
FIELDS = {"separable": "W margin radius upper hull"}
FIELDS |= {"inseparable": "rows rivals weights kind touching tied overlap"}
EVIDENCE = {"touching": {"touching", "tied"}, "overlap": {"overlap"}, "unknown": set[str]()}


class WrongProofError(Exception):
    """A proof that does not hold. Whatever cannot be read raises another error."""


class Data(NamedTuple):
    """Vectors z as {column: integer}, multiplied by 2^shift; the code of every row's class."""

    rows: list[dict[int, int]]
    codes: list[int]
    classes: list[str]
    n_features: int
    shift: int
    fingerprint: str


def demand(holds: bool, sentence: str, error: type[Exception] = WrongProofError) -> None:  # noqa: FBT001
    """Raise an error unless something holds."""
    if not holds:
        raise error(sentence)


def read_array(raw: bytes, name: str) -> tuple[list[Any], list[int]]:
    """Values of a .npy file in the order of rows, and its shape."""
    start = 10 if raw[6:7] == b"\1" else 12
    end = start + int.from_bytes(raw[8:start], "little")
    match = NPY_HEADER.fullmatch(raw[start:end]) if raw[:6] == b"\x93NUMPY" else None
    if match is None:
        raise ValueError(f"{name} is no .npy file of plain numbers or text.")
    order, kind, size, by_columns, sizes = (part.decode() for part in match.groups())
    shape, body = [int(part) for part in sizes.split(",") if part.strip()], raw[end:]
    step = int(size) * (4 if kind == "U" else 1)
    demand(
        step * prod(shape) == len(body), f"{name} is shorter or longer than it says.", ValueError
    )
    if kind in "US":
        codec = "latin-1" if kind == "S" else "utf-32-be" if order == ">" else "utf-32-le"
        cells = (body[at : at + step] for at in range(0, len(body), step))
        return [cell.decode(codec, "surrogatepass").rstrip("\0") for cell in cells], shape
    code = NUMPY_TYPES[kind + size]  # other types, such as objects, are refused
    values = list(struct.unpack(f"{'>' if order == '>' else '<'}{prod(shape)}{code}", body))
    if by_columns == "True" and len(shape) == 2:
        values = [value for i in range(shape[0]) for value in values[i :: shape[0]]]
    return values, shape


def read_rows(path: str) -> tuple[list[dict[int, Any]], int]:
    """Rows of X as {column: value}, without zeros, and the number of columns."""
    raw = Path(path).read_bytes()
    if raw[:2] == b"PK":
        with zipfile.ZipFile(path) as archive:
            names = ("format", "shape", "indptr", "indices", "data")
            parts = [read_array(archive.read(f"{name}.npy"), f"{path}: {name}") for name in names]
        form, (n, d), ends, columns, values = (part[0] for part in parts)
        tidy = form == ["csr"] and len(ends) == n + 1 and ends == sorted(ends) and ends[0] == 0
        tidy = tidy and ends[-1] <= min(len(columns), len(values))
        rows = [dict(zip(columns[a:b], values[a:b], strict=True)) for a, b in pairwise(ends)]
        tidy = tidy and sum(map(len, rows)) == ends[-1]  # no column twice in a row
        tidy = tidy and all(0 <= j < d for row in rows for j in row)
        demand(tidy, f"{path} is no sparse matrix in canonical CSR format.", ValueError)
    else:
        values, (n, d) = read_array(raw, path)
        rows = [dict(enumerate(values[i * d : i * d + d])) for i in range(n)]
    finite = all(abs(value) < float("inf") for row in rows for value in row.values())
    demand(n > 0 < d and finite, f"{path} must hold rows of finite numbers.", ValueError)
    return [{j: row[j] for j in sorted(row) if row[j] != 0} for row in rows], d


def label_text(label: Any) -> str:
    """A label as proofs write it: 1, 1.0, True and "1" are one class."""
    whole = isinstance(label, bool) or (isinstance(label, float) and label.is_integer())
    return str(int(label)) if whole else str(label)


def fingerprint(rows: list[dict[int, Any]], d: int, labels: list[str]) -> str:
    """SHA-256 of sizes, class names, labels, entries, and integers that no float64 holds."""
    names, long = sorted(set(labels)), []
    digest = hashlib.sha256(f"rosenblatt-data 2\n{len(rows)} {d} {len(names)}\n".encode())
    for name in names:
        text = name.encode(errors="surrogatepass")
        digest.update(struct.pack("<Q", len(text)) + text)
    place = {name: k for k, name in enumerate(names)}
    digest.update(struct.pack(f"<{len(labels)}Q", *(place[label] for label in labels)))
    for i, row in enumerate(rows):
        for j, value in row.items():
            held = isinstance(value, float) or int(float(value)) == value
            digest.update(struct.pack("<QQd", i, j, value if held else 0.0))
            if not held:
                long += [struct.pack("<QQQ", i, j, len(hex(value))), hex(value).encode()]
    digest.update(b"\xff" * 8 + b"".join(long))
    return digest.hexdigest()


def read_data(X: str, y: str, proof: dict[str, Any]) -> Data:
    """Rows and labels, class k being the k-th of the proof."""
    (rows, d), (labels, shape) = read_rows(X), read_array(Path(y).read_bytes(), y)
    demand(shape == [len(rows)], f"{y} must hold one label for each row of {X}.", ValueError)
    names, classes = [label_text(label) for label in labels], proof["classes"]
    demand(set(names) == set(classes), "The proof is about other classes than those of y.")
    found = fingerprint(rows, d, names)
    ratios = [{j: value.as_integer_ratio() for j, value in row.items()} for row in rows]
    shift = max((b.bit_length() - 1 for row in ratios for _, b in row.values()), default=0)
    whole = [{j: (a << shift) // b for j, (a, b) in row.items()} for row in ratios]
    for row in whole if proof["fit_intercept"] else ():
        row[d] = 1 << shift
    return Data(whole, [classes.index(name) for name in names], classes, d, shift, found)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused if a name occurs twice."""
    demand(len(dict(pairs)) == len(pairs), "The proof file has a field twice.", ValueError)
    return dict(pairs)


def read_proof(text: str) -> dict[str, Any]:
    """Fields of a proof file: those of its answer, and no others."""
    proof: dict[str, Any] = json.loads(text, object_pairs_hook=unique)
    sizes = [proof[name] for name in ("version", "n_rows", "n_features")]
    known = proof["format"] == "rosenblatt-proof" and all(type(size) is int for size in sizes)
    demand(known and sizes[0] == 2, "This is no proof file of version 2.", ValueError)
    demand(proof["answer"] in FIELDS, "A run without an answer proves nothing.")
    fields = {*ABOUT.split(), *FIELDS[proof["answer"]].split()}
    demand(fields ^ set(proof) <= {"encoding"}, "The fields are not those of a proof.", ValueError)
    names = proof["classes"]
    tidy = len(set(names)) == len(names) > 1 and all(type(name) is str for name in names)
    demand(tidy and type(proof["fit_intercept"]) is bool, "Classes or intercept?", ValueError)
    return proof


def number(text: str, form: re.Pattern[str] = FLOAT) -> Fraction:
    """A float such as "0x1.8p+1" or an integer such as "0x1f"."""
    demand(
        form.fullmatch(text) is not None,
        f"A number is not written as it should be: {text[:40]!r}",
        ValueError,
    )
    return Fraction(int(text, 16) if form is INTEGER else float.fromhex(text))


def weights(field: dict[str, Any], shape: list[int]) -> list[dict[int, int]]:
    """Rows of weights as {column: integer}, all multiplied by one positive number."""
    demand(field["shape"] == shape, f"Weights of the shape {shape} are wanted.")
    form = INTEGER if "denominator" in field else FLOAT
    values = [[number(text, form) for text in row] for row in field["values"]]
    tidy = form is FLOAT or number(field["denominator"], INTEGER) > 0
    tidy = tidy and len(field["columns"]) == len(values) == shape[0]
    for columns, row in zip(field["columns"], values, strict=True):
        tidy = tidy and all(type(j) is int and 0 <= j < shape[1] for j in columns) and all(row)
        tidy = tidy and columns == sorted(set(columns)) and len(columns) == len(row)
    demand(tidy, "Weights are not listed as they should be.", ValueError)
    bottom = max((v.denominator for row in values for v in row), default=1)  # a power of two
    rows = zip(field["columns"], values, strict=True)
    return [{j: int(v * bottom) for j, v in zip(*row, strict=True)} for row in rows]


def dot(a: dict[int, int], b: dict[int, int]) -> int:
    """Product of two vectors."""
    return sum(value * b[j] for j, value in a.items() if j in b)


def products(data: Data, W: list[dict[int, int]]) -> list[list[int]]:
    """Products of W with the pairs of every row."""
    scores = [[dot(z, w) for w in W] if len(W) > 1 else [0, dot(z, W[0])] for z in data.rows]
    return [
        [score[own] - other for k, other in enumerate(score) if k != own]
        for score, own in zip(scores, data.codes, strict=True)
    ]


def pair(data: Data, row: int, rival: int, blocks: range) -> dict[Any, int]:
    """Vector of a pair, of which some blocks are wanted."""
    signs = [(k, s) for k, s in ((data.codes[row], 1), (rival, -1)) if k in blocks]
    return {(k, j): s * value for k, s in signs for j, value in data.rows[row].items()}


def combined(data: Data, field: dict[str, Any], factors: list[Fraction]) -> list[Fraction]:
    """Coordinates of the sum of pairs, each times a positive factor."""
    pairs, K = list(zip(field["rows"], field["rivals"], strict=True)), len(data.classes)
    demand(len(set(pairs)) == len(pairs), "A pair is listed twice.")
    totals: dict[Any, Fraction] = {}
    for (i, r), factor in zip(pairs, factors, strict=True):
        demand(type(i) is int and 0 <= i < len(data.rows), f"There is no row {i}.")
        demand(type(r) is int and 0 <= r < K and r != data.codes[i], f"{r} is no rival of row {i}.")
        demand(factor > 0, f"Row {i} has a weight that is not positive.")
        for at, value in pair(data, i, r, range(K == 2, K)).items():
            totals[at] = totals.get(at, 0) + factor * value
    return list(totals.values())


def rank(vectors: list[dict[Any, int]]) -> int:
    """Rank modulo PRIME, by elimination."""
    basis: dict[Any, dict[Any, int]] = {}
    for vector in vectors:
        left = {at: value % PRIME for at, value in vector.items() if value % PRIME}
        while left and min(left) in basis:
            factor = left[min(left)]
            for at, value in basis[min(left)].items():
                left[at] = (left.get(at, 0) - factor * value) % PRIME
            left = {at: value for at, value in left.items() if value}
        if left:
            inverse = pow(left[min(left)], -1, PRIME)
            basis[min(left)] = {at: value * inverse % PRIME for at, value in left.items()}
    return len(basis)


def check_separable(proof: dict[str, Any], data: Data, width: int) -> None:
    """Every product positive; margin, radius and upper bound by their squares."""
    W = weights(proof["W"], [1 if len(data.classes) == 2 else len(data.classes), width])
    one, margin = 1 << data.shift, number(proof["margin"])
    least = sum(dot(w, w) for w in W) * (margin * one) ** 2
    demand(margin >= 0, "The margin is negative.", ValueError)
    for i, found in enumerate(products(data, W)):
        demand(min(found) > 0, f"The weights do not put row {i} on its side.")
        demand(min(found) ** 2 >= least, f"Row {i} is nearer than the margin.")
    if proof["radius"] != "inf":
        radius = max(number(proof["radius"]) * one, Fraction(0))
        demand(max(dot(z, z) for z in data.rows) <= radius**2, "A row is longer than the radius.")
    demand((proof["upper"] is None) == (proof["hull"] is None), "Upper needs its hull.", ValueError)
    if proof["hull"] is not None:
        factors = [number(text) for text in proof["hull"]["weights"]]
        most = max(sum(factors) * number(proof["upper"]) * one, Fraction(0))
        square = sum(total**2 for total in combined(data, proof["hull"], factors))
        demand(len(factors) > 0 and square <= most**2, "The hull does not show the upper bound.")


def check_inseparable(proof: dict[str, Any], data: Data, width: int) -> None:
    """Pairs whose sum is 0; the kind by weights that touch, or by pairs that span."""
    given = {name for name in ("touching", "tied", "overlap") if proof[name] is not None}
    demand(given == EVIDENCE[proof["kind"]], "The evidence does not go with the kind.", ValueError)
    demand(len(proof["rows"]) > 0, "No pairs are listed.")
    for field in [proof, proof["overlap"]] if "overlap" in given else [proof]:
        factors = [number(text, INTEGER) for text in field["weights"]]
        demand(not any(combined(data, field, factors)), "The weighted pairs do not sum to 0.")
    if "touching" in given:
        units = 1 if len(data.classes) == 2 else len(data.classes)
        found = products(data, weights(proof["touching"], [units, width]))
        demand(min(map(min, found)) >= 0, "The touching weights put a row on the wrong side.")
        demand(max(map(max, found)) > 0, "The touching weights leave all rows on the boundary.")
        tied = sum(min(row) == 0 for row in found)
        demand(type(proof["tied"]) is int and proof["tied"] == tied, f"{tied} rows are tied.")
    if "overlap" in given:
        check_overlap(proof, proof["overlap"], data, width)


def check_overlap(proof: dict[str, Any], overlap: dict[str, Any], data: Data, width: int) -> None:
    """Null vectors that are independent, and as many independent pairs as they leave room for."""
    K, null = len(data.classes), weights(overlap["null"], [len(overlap["null"]["values"]), width])
    rows, rivals = proof["rows"] + overlap["rows"], proof["rivals"] + overlap["rivals"]
    work = len(rows) * ((K - 1) * width) ** 2
    demand(work <= MAX_RANK_WORK and len(null) <= width, "The evidence is too large to check.")
    demand(not any(dot(z, v) for v in null for z in data.rows), "A null vector is not null.")
    demand(rank(null) == len(null), "The null vectors depend on each other.")
    vectors = [pair(data, i, r, range(1, K)) for i, r in zip(rows, rivals, strict=True)]
    demand(rank(vectors) >= (K - 1) * (width - len(null)), "The pairs do not span the data's.")


def check(proof: dict[str, Any], data: Data) -> str:
    """Say what is proved; raise WrongProofError if it is not."""
    n, d, bias = len(data.rows), data.n_features, proof["fit_intercept"]
    demand((proof["n_rows"], proof["n_features"]) == (n, d), "The data have another size.")
    demand(proof["fingerprint"] == data.fingerprint, "The data are not those of the proof.")
    separable = proof["answer"] == "separable"
    (check_separable if separable else check_inseparable)(proof, data, d + bias)
    about = f"{n} rows, {d} features, {'with' if bias else 'without'} intercept"
    told = [f"{name} {proof[name]}" for name in ("kind", "tied") if proof.get(name) is not None]
    for name in ("margin", "radius", "upper") if separable else ():
        told += [] if proof[name] is None else [f"{name} {float.fromhex(proof[name])!r}"]
    classes = f"classes {', '.join(data.classes)}"
    return f"The proof holds: {proof['answer']}, {about}, {classes}; {', '.join(told)}."


def main(arguments: list[str]) -> int:
    """Check the files and print a sentence."""
    try:
        demand(len(arguments) == 3, "Usage: check proof.json X.npy y.npy (or X.npz)", ValueError)
        proof = read_proof(Path(arguments[0]).read_text(encoding="utf-8"))
        print(check(proof, read_data(arguments[1], arguments[2], proof)))  # noqa: T201
    except WrongProofError as error:
        print(f"The proof does not hold: {error}")  # noqa: T201
        return 1
    except Exception as error:  # whatever cannot be read is not checked
        print(f"Cannot be checked: {error} ({type(error).__name__})", file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
