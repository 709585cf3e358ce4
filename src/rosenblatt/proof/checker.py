"""Check a proof file of version 2 (docs/proof-format.md): standard library only, integers only.

    python checker.py proof.json X.npy y.npy        (X also .npz, as scipy's save_npz writes CSR)

Exit code 0: the proof holds; 1: it does not; 2: a file cannot be read. The vector z of a row is
(x, 1) with an intercept, x without, multiplied by a power of two that makes all of them integers.
A pair (row of class c, rival r) is the vector with z in block c and −z in block r (Kesler); of two
classes only block 1 counts. Weights W separate if their product with every pair is positive.
"""

import hashlib
import json
import re
import struct
import sys
import zipfile
from ast import literal_eval
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm, prod
from pathlib import Path
from typing import Any

ORDERS = {"<": "<", ">": ">", "|": "<"}  # of bytes; and the types of numbers as struct has them
TYPES = {"b1": "B", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H"}
TYPES |= {"u4": "I", "u8": "Q", "f2": "e", "f4": "f", "f8": "d"}
MAX_UNPACKED = 1 << 30  # bytes in a .npz file
FLOAT = r"-?0x[01]\.[0-9a-f]{1,13}p(\+[0-9]{1,4}|-([0-9]{1,3}|10[01][0-9]|102[0-2]))"
RATIONAL = r"-?0x[0-9a-f]{1,131072}(/0x[0-9a-f]{1,131072})?"
PRIMES = (1048573, 1048571)  # a rank modulo a prime is at most the rank
MAX_RANK_WORK = 1 << 31  # pairs and null vectors, times the square of the pairs' dimension
ABOUT = {"format": str, "version": int, "answer": str, "fingerprint": str, "n_rows": int}
ABOUT |= {"n_features": int, "fit_intercept": bool, "classes": list}


def demand(holds: Any, sentence: str, error: type[Exception] = AssertionError) -> None:
    """Raise AssertionError unless the proof holds, or ValueError unless a file can be read."""
    if not holds:
        raise error(sentence)


def read_array(raw: bytes) -> tuple[list[Any], tuple[int, ...]]:
    """Values of a .npy file, row after row, and its shape."""
    start = 10 if raw[6:7] == b"\1" else 12
    end = start + int.from_bytes(raw[8:start], "little")
    demand(raw[:6] == b"\x93NUMPY" and end < 9999, "This is not an .npy file.", ValueError)
    header = literal_eval(raw[start:end].decode("latin-1"))
    shape, order, kind = header["shape"], ORDERS[header["descr"][0]], header["descr"][1:]
    code = TYPES.get(kind) or f"{int(kind[1:]) * {'S': 1, 'U': 4}[kind[0]]}s"
    values = [value for (value,) in struct.iter_unpack(order + code, raw[end:])]
    tidy = len(values) == prod(shape) and (kind != "b1" or set(values) <= {0, 1})
    demand(tidy, "The bytes of an array do not match its header.", ValueError)
    if kind[0] in "SU":
        codec = {"S<": "latin-1", "U<": "utf-32-le", "U>": "utf-32-be"}[kind[0] + order]
        values = [value.decode(codec, "surrogatepass").rstrip("\0") for value in values]
    if header["fortran_order"]:
        values = [value for i in range(shape[0]) for value in values[i :: shape[0]]]
    return values, shape


def read_rows(path: str) -> tuple[list[dict[int, Any]], int]:
    """Rows of X as {column: value}, without zeros, and the number of columns."""
    raw = Path(path).read_bytes()
    if raw[:2] == b"PK":
        with zipfile.ZipFile(path) as archive:
            parts = [f"{name}.npy" for name in ("format", "shape", "indptr", "indices", "data")]
            size = sum(archive.getinfo(part).file_size for part in parts)
            demand(size <= MAX_UNPACKED, f"{path} is too large when unpacked.", ValueError)
            form, (n, d), ends, columns, values = (read_array(archive.read(p))[0] for p in parts)
    else:
        values, (n, d) = read_array(raw)
        form, ends, columns = ["csr"], [*range(0, n * d + 1, d)], [*range(d)] * n
    rows = [dict(zip(columns[a:b], values[a:b], strict=True)) for a, b in pairwise(ends)]
    sizes = [len(rows), ends[0], sum(map(len, rows))]  # fewer entries if a column comes twice
    tidy = form == ["csr"] and ends == sorted(ends) and sizes == [n, 0, ends[-1]]
    demand(tidy and all(0 <= j < d for j in columns), f"{path} is not a table of rows.", ValueError)
    return [{j: row[j] for j in sorted(row) if row[j] != 0} for row in rows], d


def fingerprint(rows: list[dict[int, Any]], d: int, labels: list[str]) -> str:
    """SHA-256 of sizes, class names, labels, entries, and integers that no float64 holds."""
    names, long = sorted(set(labels)), []
    digest = hashlib.sha256(f"rosenblatt-data 2\n{len(rows)} {d} {len(names)}\n".encode())
    for text in (name.encode(errors="surrogatepass") for name in names):
        digest.update(struct.pack("<Q", len(text)) + text)
    digest.update(struct.pack(f"<{len(labels)}Q", *map(names.index, labels)))
    for i, j, value in ((i, *entry) for i, row in enumerate(rows) for entry in row.items()):
        held = float(value) == value
        digest.update(struct.pack("<QQd", i, j, value if held else 0.0))
        if not held:
            long += [struct.pack("<QQQ", i, j, len(hex(value))), hex(value).encode()]
    digest.update(b"\xff" * 8 + b"".join(long))
    return digest.hexdigest()


def unique(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused if a name occurs twice."""
    demand(len(dict(fields)) == len(fields), "The proof file has a field twice.", ValueError)
    return dict(fields)


def number(text: str, form: str = f"{FLOAT}|{RATIONAL}") -> Fraction:
    """A float such as "0x1.8p+1" that float64 holds, an integer "0x1f", or a fraction "0x1/0x3"."""
    demand(re.fullmatch(form, text), f"This is not a valid number: {text[:40]!r}.", ValueError)
    return Fraction(*(float.fromhex(t) if "p" in t else int(t, 16) for t in text.split("/")))


def dot(a: dict[Any, int], b: dict[Any, int]) -> int:
    """Product of two vectors."""
    return sum(value * b[at] for at, value in a.items() if at in b)


def rank(vectors: list[dict[Any, int]], prime: int) -> int:
    """Rank modulo a prime, by elimination, of vectors divided by their common divisors."""
    basis: dict[Any, dict[Any, int]] = {}  # a vector is 1 at its own place, 0 at earlier ones'
    for vector in vectors:
        divisor = gcd(*vector.values())
        left = {at: value // divisor % prime for at, value in vector.items()}
        for place, row in basis.items():
            if factor := left.get(place, 0):
                left |= {at: (left.get(at, 0) - factor * v) % prime for at, v in row.items()}
        left = {at: value for at, value in left.items() if value}
        if left:
            place, value = next(iter(left.items()))
            inverse = pow(value, -1, prime)
            basis[place] = {at: value * inverse % prime for at, value in left.items()}
    return len(basis)


class Data:
    """Rows and labels of the files, if they are those that the proof is about."""

    def __init__(self, proof: dict[str, Any], X: str, y: str) -> None:
        (rows, d), (labels, shape) = read_rows(X), read_array(Path(y).read_bytes())
        ratios = [{j: value.as_integer_ratio() for j, value in row.items()} for row in rows]
        labelled = shape == (len(rows),) and "nan" not in map(repr, labels)
        demand(labelled, "There must be one label for each row.", ValueError)
        names = [str(int(v) if type(v) is float and v % 1 == 0 else v) for v in labels]
        found = {"n_rows": len(rows), "n_features": d, "fingerprint": fingerprint(rows, d, names)}
        same = sorted(set(names)) == sorted(proof["classes"]) and {**proof, **found} == proof
        demand(same, "The data are not those of the proof.")
        self.one = max((b for row in ratios for _, b in row.values()), default=1)  # a power of two
        one = {d: self.one} if proof["fit_intercept"] else {}
        self.z = [{j: a * (self.one // b) for j, (a, b) in row.items()} | one for row in ratios]
        self.width, self.K = d + len(one), len(proof["classes"])
        self.codes = [proof["classes"].index(name) for name in names]

    def pair(self, i: int, rival: int) -> dict[Any, int]:
        """Vector of a pair as {(block, column): integer}."""
        blocks = {self.codes[i]: 1, rival: -1} if self.K > 2 else {1: 1 if rival == 0 else -1}
        return {(k, j): sign * v for k, sign in blocks.items() for j, v in self.z[i].items()}

    def weights(self, listed: list[dict[str, str]]) -> list[dict[int, int]]:
        """Vectors as {column: integer}, all multiplied by one positive number."""
        columns = {str(j): j for j in range(self.width)}
        rows = [{columns[j]: number(text) for j, text in row.items()} for row in listed]
        scale = lcm(*(value.denominator for row in rows for value in row.values()))
        return [{j: int(value * scale) for j, value in row.items()} for row in rows]

    def products(self, listed: list[dict[str, str]]) -> tuple[list[list[int]], int]:
        """Products of weights with the pairs of every row; square of the weights' length."""
        W = self.weights([{}] * (self.K == 2) + listed)  # of two classes, one has the weights 0
        demand(len(W) == self.K, "There are more or fewer weights than classes.", ValueError)
        scores = zip(self.codes, ([dot(z, w) for w in W] for z in self.z), strict=True)
        found = [[s[c] - s[r] for r in range(self.K) if r != c] for c, s in scores]
        return found, sum(dot(w, w) for w in W)

    def combined(self, form: str, listed: Any) -> tuple[list[Any], dict[Any, Fraction]]:
        """Coordinates of the sum of pairs, each times its weight; the weights of the pairs."""
        weights = {(i, r): number(weight, form) for i, r, weight in listed}
        totals: dict[Any, Fraction] = {}
        once = type(listed) is list and len(weights) == len(listed)
        demand(once, "The pairs are malformed, or one is listed twice.", ValueError)
        for (i, r), weight in weights.items():
            exists = type(i) is type(r) is int and 0 <= i < len(self.z) and 0 <= r < self.K
            demand(exists and r != self.codes[i] and weight > 0, f"Row {i} has no such pair.")
            for at, value in self.pair(i, r).items():
                totals[at] = totals.get(at, 0) + weight * value
        return list(totals.values()), weights

    def check_weights(self, W: Any, margin: str, radius: str, upper: Any, hull: Any) -> None:
        """Every product positive; margin, radius and upper bound by their squares."""
        found, size = self.products(W)
        least, wanted = min(map(min, found)), number(margin, FLOAT) * self.one
        demand(least > 0, "The weights do not put every row on its own side.")
        demand(wanted >= 0 and wanted**2 * size <= least**2, "The margin is smaller.")
        if radius != "inf":
            longest, most = max(dot(z, z) for z in self.z), number(radius, FLOAT) * self.one
            demand(most > 0 and longest <= most**2, "The radius is larger.")
        if hull is not None or upper is not None:
            point, weights = self.combined(FLOAT, hull)
            most = number(upper, FLOAT) * sum(weights.values()) * self.one
            demand(most > 0 and sum(v**2 for v in point) <= most**2, "The upper bound is too low.")

    def check_pairs(self, pairs: Any, kind: Any, tied: Any, touching: Any, overlap: Any) -> None:
        """Weighted pairs whose sum is 0: its product with W is not positive (Gordan). The kind."""
        point, weights = self.combined(RATIONAL, pairs)
        demand(weights and not any(point), "There are no weighted pairs whose sum is 0.")
        if touching is not None or tied is not None:
            found, _ = self.products(touching)
            demand(min(map(min, found)) >= 0 < max(map(max, found)), "The weights do not touch.")
            ties = sum(min(row) == 0 for row in found)
            demand(repr(tied) == repr(ties), f"The weights leave {ties} rows tied.")
        if overlap is not None:
            self.check_span(weights, **overlap)
        shown = "touching" if touching is not None else "unknown" if overlap is None else "overlap"
        demand(kind == shown, f"The kind that is shown is {shown}.")

    def check_span(self, first: Any, pairs: Any, null: Any) -> None:
        """Weighted pairs whose sum is 0 span all: if W makes no product negative, all are 0."""
        point, more = self.combined(RATIONAL, pairs)
        demand(not any(point), "The further pairs do not sum to 0.")
        work = (len(first) + len(pairs + null)) * ((self.K - 1) * self.width) ** 2
        demand(work <= MAX_RANK_WORK, "The evidence is too large to check.")
        null, vectors = self.weights(null), [self.pair(i, r) for i, r in [*first, *more]]
        demand(not any(dot(z, v) for v in null for z in self.z), "A null vector is not null.")
        full = any(rank(vectors, p) >= (self.K - 1) * (self.width - rank(null, p)) for p in PRIMES)
        demand(full, "The pairs do not span the data's.")


def check(text: str, X: str, y: str) -> str:
    """Say what a proof file proves of rows and labels; raise an error if it does not."""
    fields = json.loads(text, object_pairs_hook=unique, parse_float=str, parse_constant=int)
    claims = [f"{k} {v!a}" for k, v in fields.items() if k == "classes" or isinstance(v, str | int)]
    encoding, about = fields.pop("encoding"), {name: fields.pop(name) for name in ABOUT}
    tidy = [type(v) for v in about.values()] == [*ABOUT.values()] and about["version"] == 2
    tidy = tidy and about["format"] == "rosenblatt-proof" and isinstance(encoding, dict | None)
    demand(tidy, "This is not a proof file of version 2.", ValueError)
    demand(about["answer"] in ("separable", "inseparable"), "An undecided run proves nothing.")
    data = Data(about, X, y)
    (data.check_weights if about["answer"] == "separable" else data.check_pairs)(**fields)
    return f"The proof holds: {', '.join(claims)}."


def main(arguments: list[str]) -> int:
    """Check the files and print a sentence."""
    try:
        files = [path for path in arguments if Path(path).is_file()]  # a device may have no end
        demand(len(files) == 3, "Usage: check proof.json X.npy y.npy (or X.npz), files", ValueError)
        code, message = 0, check(Path(files[0]).read_text(encoding="utf-8"), *files[1:])
    except AssertionError as error:
        code, message = 1, f"The proof does not hold: {error}"
    except Exception as error:  # whatever cannot be read is not checked
        code, message = 2, f"Cannot be checked: {error} ({type(error).__name__})"
    print(message, file=sys.stderr if code == 2 else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
