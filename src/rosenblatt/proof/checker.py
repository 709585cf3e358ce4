"""Check a proof file of version 2 (docs/proof-format.md): standard library only, integers only.

    python checker.py proof.json X.npy y.npy        (X also .npz, as scipy's save_npz writes CSR)

Exit code 0: the proof holds; 1: it does not; 2: a file cannot be read. The vector z of a row is
(x, 1) with an intercept, x without, multiplied by a power of two that makes all of them integers.
A pair (row of class c, rival r) is the vector with z in block c and −z in block r (Kesler); of two
classes only block 1 counts. Weights W separate if their product with every pair is positive.

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
from ast import literal_eval
from fractions import Fraction
from itertools import pairwise
from math import gcd, prod
from pathlib import Path
from typing import Any

NUMPY_TYPES = {"b1": "B", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H"}
NUMPY_TYPES |= {"u4": "I", "u8": "Q", "f2": "e", "f4": "f", "f8": "d"}
MAX_UNPACKED = 1 << 30  # bytes in a .npz file
INTEGER = re.compile(r"-?0x[0-9a-f]{1,131072}")
FLOAT = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p(\+[0-9]{1,4}|-([0-9]{1,3}|10[01][0-9]|102[0-2]))")
PRIMES = (1048573, 1048571)  # a rank modulo a prime is at most the rank
MAX_RANK_WORK = 1 << 31  # pairs, or null vectors, times the square of the pairs' dimension
ABOUT = "format version encoding fingerprint answer n_rows n_features fit_intercept classes "
FIELDS = {"separable": ABOUT + "margin radius upper hull W"}
FIELDS["inseparable"] = ABOUT + "kind tied rows rivals weights touching overlap"
CLAIMS = "answer n_rows n_features fit_intercept classes kind tied margin radius upper"
EVIDENCE = {"touching": ["touching", "tied"], "overlap": ["overlap"], "unknown": []}


def demand(holds: Any, sentence: str, error: type[Exception] = AssertionError) -> None:
    """Raise AssertionError unless the proof holds, or ValueError unless a file can be read."""
    if not holds:
        raise error(sentence)


def read_array(raw: bytes) -> tuple[list[Any], tuple[int, ...]]:
    """Values of a .npy file, row after row, and its shape."""
    start = 10 if raw[6:7] == b"\1" else 12
    end = start + int.from_bytes(raw[8:start], "little")
    demand(raw[:6] == b"\x93NUMPY" and end < 9999, "This is not an .npy file.", ValueError)
    header, body = literal_eval(raw[start:end].decode("latin-1")), raw[end:]
    shape, big, kind = header["shape"], header["descr"][0] == ">", header["descr"][1:]
    step = int(kind[1:]) * (4 if kind[0] == "U" else 1)
    tidy = step * prod(shape) == len(body) and (kind != "b1" or set(body) <= {0, 1})
    tidy = tidy and header["descr"][0] in "<>|"
    demand(tidy, "The bytes of an array do not match its header.", ValueError)
    if kind[0] in "SU":
        codec = "latin-1" if kind[0] == "S" else "utf-32-be" if big else "utf-32-le"
        cells = (body[at : at + step] for at in range(0, len(body), step))
        return [cell.decode(codec, "surrogatepass").rstrip("\0") for cell in cells], shape
    values = list(struct.unpack(f"{'>' if big else '<'}{prod(shape)}{NUMPY_TYPES[kind]}", body))
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
    tidy = form == ["csr"] and len(rows) == n and ends[0] == 0 and ends == sorted(ends)
    tidy = tidy and sum(map(len, rows)) == ends[-1]  # no column twice in a row
    tidy = tidy and all(0 <= j < d for row in rows for j in row)
    demand(tidy, f"{path} is neither a table nor a CSR matrix.", ValueError)
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


def number(text: str, form: re.Pattern[str]) -> Fraction:
    """An integer such as "0x1f", or a float such as "0x1.8p+1" that float64 holds exactly."""
    demand(form.fullmatch(text), f"This is not a valid number: {text[:40]!r}.", ValueError)
    return Fraction(int(text, 16) if form is INTEGER else float.fromhex(text))


def weights(
    size: list[int], shape: Any, columns: Any, values: Any, **denominator: str
) -> list[dict[int, int]]:
    """Rows of weights as {column: integer}, all multiplied by one positive number."""
    form = INTEGER if denominator else FLOAT
    listed = [zip(*row, strict=True) for row in zip(columns, values, strict=True)]
    rows = [{j: number(text, form) for j, text in row} for row in listed]
    tidy = [sorted(row) for row in rows] == columns and repr(shape) == repr(size)
    tidy = tidy and len(rows) == size[0] and all(v for row in rows for v in row.values())
    tidy = tidy and all(type(j) is int and 0 <= j < size[1] for row in rows for j in row)
    tidy = tidy and all(
        name == "denominator" and number(text, INTEGER) > 0 for name, text in denominator.items()
    )
    demand(tidy, f"The weights are malformed, or not of the shape {size}.", ValueError)
    scale = max((v.denominator for row in rows for v in row.values()), default=1)  # a power of two
    return [{j: int(v * scale) for j, v in row.items()} for row in rows]


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
            place = min(left)
            inverse = pow(left[place], -1, prime)
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
        classes, sizes = proof["classes"], [proof["n_rows"], proof["n_features"]]
        demand(sorted(set(names)) == sorted(classes), "The proof is about other classes.")
        same = sizes == [len(rows), d] and proof["fingerprint"] == fingerprint(rows, d, names)
        demand(same, "The data are not those of the proof.")
        self.one = max((b for row in ratios for _, b in row.values()), default=1)  # a power of two
        one = {d: self.one} if proof["fit_intercept"] else {}
        self.z = [{j: a * (self.one // b) for j, (a, b) in row.items()} | one for row in ratios]
        self.width, self.K = d + len(one), len(classes)
        self.codes = [classes.index(name) for name in names]
        self.blocks = [1] if self.K == 2 else [*range(self.K)]

    def pair(self, i: int, rival: int) -> dict[Any, int]:
        """Vector of a pair as {(block, column): integer}."""
        signs = [(k, sign) for k, sign in ((self.codes[i], 1), (rival, -1)) if k in self.blocks]
        return {(k, j): sign * value for k, sign in signs for j, value in self.z[i].items()}

    def products(self, field: dict[str, Any]) -> tuple[list[list[int]], int]:
        """Products of weights with the pairs of every row; square of the weights' length."""
        W = weights([len(self.blocks), self.width], **field)
        scores = [[0] * (self.K - len(W)) + [dot(z, w) for w in W] for z in self.z]
        rows = zip(self.codes, scores, strict=True)
        found = [[score[c] - s for r, s in enumerate(score) if r != c] for c, score in rows]
        return found, sum(dot(w, w) for w in W)

    def combined(self, form: Any, rows: Any, rivals: Any, weights: Any) -> tuple[list[Any], Any]:
        """Coordinates of the sum of pairs, each times its weight; sum of the weights."""
        pairs, factors = list(zip(rows, rivals, strict=True)), [number(w, form) for w in weights]
        totals: dict[Any, Fraction] = {}
        demand(len(set(pairs)) == len(pairs), "A pair is listed twice.")
        for (i, r), factor in zip(pairs, factors, strict=True):
            exists = type(i) is type(r) is int and 0 <= i < len(self.z) and 0 <= r < self.K
            exists = exists and r != self.codes[i]
            demand(exists and factor > 0, f"Row {i} has no rival {r}, or no positive weight.")
            for at, value in self.pair(i, r).items():
                totals[at] = totals.get(at, 0) + factor * value
        return list(totals.values()), sum(factors, Fraction(0))

    def check_separable(self, proof: dict[str, Any]) -> None:
        """Every product positive; margin, radius and upper bound by their squares."""
        found, size = self.products(proof["W"])
        least, margin = min(map(min, found)), number(proof["margin"], FLOAT) * self.one
        demand(least > 0, "The weights do not put every row on its own side.")
        demand(margin >= 0 and margin**2 * size <= least**2, "The margin is smaller.")
        if proof["radius"] != "inf":
            longest, radius = max(dot(z, z) for z in self.z), number(proof["radius"], FLOAT)
            demand(radius > 0 and longest <= (radius * self.one) ** 2, "The radius is larger.")
        if proof["hull"] is not None or proof["upper"] is not None:
            point, total = self.combined(FLOAT, **proof["hull"])
            upper = number(proof["upper"], FLOAT) * total * self.one
            square = sum(v**2 for v in point)
            demand(upper > 0 and square <= upper**2, "The hull does not show the upper bound.")

    def check_inseparable(self, proof: dict[str, Any]) -> None:
        """Pairs whose sum is 0; the kind by weights that touch, or by pairs that span."""
        given = [name for name in ("touching", "tied", "overlap") if proof[name] is not None]
        demand(given == EVIDENCE[proof["kind"]], "The evidence is not that of the kind.")
        pairs = proof["rows"], proof["rivals"]
        point, total = self.combined(INTEGER, *pairs, proof["weights"])
        demand(total > 0 and not any(point), "There are no weighted pairs whose sum is 0.")
        if "touching" in given:
            found, _ = self.products(proof["touching"])
            demand(min(map(min, found)) >= 0, "The touching weights put a row on the wrong side.")
            demand(max(map(max, found)) > 0, "The touching weights leave all rows on the boundary.")
            tied = sum(min(row) == 0 for row in found)
            demand(repr(proof["tied"]) == repr(tied), f"The weights leave {tied} rows tied.")
        if "overlap" in given:
            self.check_span(*pairs, **proof["overlap"])

    def check_span(self, first: Any, second: Any, null: Any, **more: Any) -> None:
        """Further pairs whose sum is 0; all have the dimension that the null vectors leave."""
        demand(not any(self.combined(INTEGER, **more)[0]), "The further pairs do not sum to 0.")
        null = weights([len(null["values"]), self.width], **null)
        rows, rivals = first + more["rows"], second + more["rivals"]
        work = max(len(rows), len(null)) * ((self.K - 1) * self.width) ** 2
        demand(work <= MAX_RANK_WORK, "The evidence is too large to check.")
        demand(not any(dot(z, v) for v in null for z in self.z), "A null vector is not null.")
        demand(any(rank(null, p) == len(null) for p in PRIMES), "The null vectors are dependent.")
        vectors = [self.pair(i, r) for i, r in zip(rows, rivals, strict=True)]
        full = (self.K - 1) * (self.width - len(null))
        demand(any(rank(vectors, p) >= full for p in PRIMES), "The pairs do not span the data's.")


def check(text: str, X: str, y: str) -> str:
    """Say what a proof file proves of rows and labels; raise an error if it does not."""
    fields = json.loads(text, object_pairs_hook=unique, parse_float=str, parse_constant=int)
    proof = {"encoding": None, **fields}  # which needs no floats: they are text then
    about = f"{proof['format']} {proof['version']!r}"
    demand(about == "rosenblatt-proof 2", "This is not a proof file of version 2.", ValueError)
    demand(proof["answer"] in FIELDS, "An undecided run proves nothing.")
    tidy = set(proof) == set(FIELDS[proof["answer"]].split())
    types = [type(proof[name]) for name in ("n_rows", "n_features", "fit_intercept", "classes")]
    tidy = tidy and types == [int, int, bool, list] and isinstance(proof["encoding"], dict | None)
    demand(tidy, "The fields are not those of a proof.", ValueError)
    data = Data(proof, X, y)
    (data.check_separable if "W" in proof else data.check_inseparable)(proof)
    claims = [f"{name} {proof[name]!a}" for name in CLAIMS.split() if proof.get(name) is not None]
    return f"The proof holds: {', '.join(claims)}."


def main(arguments: list[str]) -> int:
    """Check the files and print a sentence."""
    try:
        demand(len(arguments) == 3, "Usage: check proof.json X.npy y.npy (or X.npz)", ValueError)
        for path in arguments:  # a device may have no end
            demand(Path(path).is_file(), f"{path} is not a file.", ValueError)
        code, message = 0, check(Path(arguments[0]).read_text(encoding="utf-8"), *arguments[1:])
    except AssertionError as error:
        code, message = 1, f"The proof does not hold: {error}"
    except Exception as error:  # whatever cannot be read is not checked
        code, message = 2, f"Cannot be checked: {error} ({type(error).__name__})"
    print(message, file=sys.stderr if code == 2 else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
