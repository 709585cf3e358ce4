"""A third checker, written from docs/proof-format.md in plain fractions; shares code with neither.

It is the referee of forgeries: dense vectors, K blocks, no thought of speed.
"""

import hashlib
import struct
from fractions import Fraction


def text_of(label):
    if isinstance(label, (bool, float)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def fingerprint(X, y):
    labels = [text_of(label) for label in y]
    names = sorted(set(labels))
    out = f"rosenblatt-data 2\n{len(X)} {len(X[0])} {len(names)}\n".encode()
    for name in names:
        out += struct.pack("<Q", len(name.encode())) + name.encode()
    for label in labels:
        out += struct.pack("<Q", names.index(label))
    tail = b"\xff" * 8
    for i, row in enumerate(X):
        for j, value in enumerate(row):
            if Fraction(value) == 0:
                continue
            if Fraction(float(value)) == Fraction(value):
                out += struct.pack("<QQd", i, j, float(value))
            else:
                out += struct.pack("<QQd", i, j, 0.0)
                tail += struct.pack("<QQQ", i, j, len(hex(value))) + hex(value).encode()
    return hashlib.sha256(out + tail).hexdigest()


def number(text):
    if "p" in text:
        return Fraction(float.fromhex(text))
    top, _, bottom = text.partition("/")
    divisor = int(bottom or "0x1", 16)
    assert divisor > 0
    return Fraction(int(top, 16), divisor)


def matrix(field, width):
    columns = [str(j) for j in range(width)]
    assert isinstance(field, list)
    assert all(set(row) <= set(columns) for row in field)
    return [[number(row.get(j, "0x0")) for j in columns] for row in field]


def exact_rank(rows):
    rows, rank = [list(row) for row in rows], 0
    for j in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            share = rows[i][j] / rows[rank][j]
            rows[i] = [a - share * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


class Problem:
    """Vectors z and Kesler's vectors of every pair, two classes with one block only."""

    def __init__(self, X, y, classes, fit_intercept):
        self.z = [[Fraction(v) for v in row] + [Fraction(1)] * fit_intercept for row in X]
        self.own = [classes.index(text_of(label)) for label in y]
        self.K, self.width = len(classes), len(self.z[0])

    def vector(self, i, r):
        zero, minus = [Fraction(0)] * self.width, [-v for v in self.z[i]]
        if self.K == 2:
            return self.z[i] if self.own[i] == 1 else minus
        blocks = [
            self.z[i] if k == self.own[i] else minus if k == r else zero for k in range(self.K)
        ]
        return [v for block in blocks for v in block]

    def rivals(self, i):
        return [r for r in range(self.K) if r != self.own[i]]

    def slacks(self, W):
        assert len(W) == (1 if self.K == 2 else self.K)
        flat = [w for unit in W for w in unit]
        return [
            [
                sum(a * b for a, b in zip(flat, self.vector(i, r), strict=True))
                for r in self.rivals(i)
            ]
            for i in range(len(self.z))
        ]

    def total(self, pairs):
        assert isinstance(pairs, list)
        assert len({(i, r) for i, r, _ in pairs}) == len(pairs)
        weights = [number(text) for _, _, text in pairs]
        assert all(weight > 0 for weight in weights)
        assert all(type(i) is type(r) is int and i >= 0 for i, r, _ in pairs)
        assert all(r in self.rivals(i) for i, r, _ in pairs)
        vectors = [self.vector(i, r) for i, r, _ in pairs]
        out = [
            sum(w * v for w, v in zip(weights, column, strict=True))
            for column in zip(*vectors, strict=True)
        ]
        return out, sum(weights)


def holds(fields, X, y):
    """Whether everything in the fields of a well-formed or damaged proof file is true."""
    try:
        judge(fields, X, y)
    except (AssertionError, KeyError, IndexError, TypeError, ValueError, AttributeError):
        return False
    return True


def judge(fields, X, y):
    assert fields["version"] == 2
    assert type(fields["version"]) is int
    assert (fields["n_rows"], fields["n_features"]) == (len(X), len(X[0]))
    assert set(fields["classes"]) == {text_of(label) for label in y}
    assert fields["fingerprint"] == fingerprint(X, y)
    problem = Problem(X, y, fields["classes"], fields["fit_intercept"])
    {"separable": separable, "inseparable": inseparable}[fields["answer"]](fields, problem)


def separable(fields, problem):
    W = matrix(fields["W"], problem.width)
    slacks = [s for row in problem.slacks(W) for s in row]
    size = sum(w * w for unit in W for w in unit)
    margin = Fraction(float.fromhex(fields["margin"]))
    assert min(slacks) > 0
    assert margin >= 0
    assert min(slacks) ** 2 >= margin**2 * size
    if fields["radius"] != "inf":
        radius = Fraction(float.fromhex(fields["radius"]))
        assert radius > 0
        assert max(sum(v * v for v in z) for z in problem.z) <= radius**2
    assert (fields["upper"] is None) == (fields["hull"] is None)
    if fields["hull"] is not None:
        point, total = problem.total(fields["hull"])
        upper = Fraction(float.fromhex(fields["upper"]))
        assert upper > 0
        assert fields["hull"]
        assert sum(v * v for v in point) <= (upper * total) ** 2


def inseparable(fields, problem):
    assert fields["pairs"]
    assert not any(problem.total(fields["pairs"])[0])
    given = {name for name in ("touching", "tied", "overlap") if fields[name] is not None}
    kinds = {"touching": {"touching", "tied"}, "overlap": {"overlap"}, "unknown": set()}
    assert given == kinds[fields["kind"]]
    if fields["kind"] == "touching":
        slacks = problem.slacks(matrix(fields["touching"], problem.width))
        assert min(map(min, slacks)) >= 0
        assert max(map(max, slacks)) > 0
        assert fields["tied"] == sum(min(row) == 0 for row in slacks)
    if fields["kind"] == "overlap":
        overlap = fields["overlap"]
        assert not any(problem.total(overlap["pairs"])[0])
        null = matrix(overlap["null"], problem.width)
        assert not any(
            sum(a * b for a, b in zip(z, v, strict=True)) for v in null for z in problem.z
        )
        pairs = [problem.vector(i, r) for i, r, _ in fields["pairs"] + overlap["pairs"]]
        assert exact_rank(pairs) == (problem.K - 1) * (problem.width - exact_rank(null))
