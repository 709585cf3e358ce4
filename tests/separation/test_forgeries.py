"""Forged proofs: every one that is false is refused by both checkers, every true one is accepted.

Each forgery is false by construction (False), true by construction (True), or left to the referee
(None), `plain_checker`, which judges them all. Where data are changed, the fingerprint is made to
fit: it must not be the fingerprint alone that refuses. ROSENBLATT_FORGERIES sets how many problems.
"""

import json
import os
from collections import Counter
from copy import deepcopy
from math import inf, nextafter

import numpy as np
import plain_checker
import pytest
from scipy import sparse

from rosenblatt.errors import RosenblattError
from rosenblatt.proof import checker
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.reader import parse_proof
from rosenblatt.separation.proof.writer import as_fields

PROBLEMS = int(os.environ.get("ROSENBLATT_FORGERIES", "40"))


def by_numpy(fields, X, y):
    try:
        return parse_proof(json.loads(json.dumps(fields))).verify(np.array(X), np.array(y))
    except RosenblattError:
        return False


class Kernel:
    """The checker without numpy, on files that are written again only where data change."""

    def __init__(self, folder):
        self.X, self.y, self.written = str(folder / "X.npy"), str(folder / "y.npy"), None

    def accepts(self, fields, X, y):
        if self.written != (repr(X), y):
            np.save(self.X, np.array(X))
            np.save(self.y, np.array(y))
            self.written = repr(X), y
        try:
            return bool(checker.check(json.dumps(fields), self.X, self.y))
        except Exception:  # as its `main` does, which never says that such a proof holds
            return False


def numbers(random, shape):
    """Values of one awkward kind."""
    grid = random.integers(-3, 4, shape)
    kinds = [
        grid,
        grid.astype(float),
        grid / 10,
        random.standard_normal(shape),
        grid * 2.0 ** random.integers(-300, 300, shape),
        grid * 5e-324,
        grid + (2**53 + 1) * random.integers(0, 2, shape),
        0.1 + grid * 2.0**-56,
    ]
    return kinds[random.integers(len(kinds))]


def problem(seed):
    random = np.random.default_rng(seed)
    K, fit_intercept = int(random.integers(2, 4)), bool(random.integers(2))
    n, d = int(random.integers(K + 1, 9)), int(random.integers(1, 4))
    X = numbers(random, (n, d))
    y = np.append(np.arange(K), random.integers(0, K, n - K))
    if random.integers(2):  # separable more often than by luck
        score = X.astype(float) @ random.standard_normal((d, K))
        y = score.argmax(axis=1)
    if len(np.unique(y)) < 2:
        y[0] = 1 - y[0]
    return X.tolist(), np.unique(y, return_inverse=True)[1].tolist(), fit_intercept


def changed(fields, **values):
    """A copy with other values; a name such as hull__rows is that of a field within a field."""
    out = deepcopy(fields)
    for name, value in values.items():
        *path, last = name.split("__")
        place = out
        for step in path:
            place = place[step]
        place[last] = value
    return out


def put(items, t, value):
    return [*items[:t], value, *items[t + 1 :]]


def another(value):
    """A number that differs, of the same type."""
    return value + 1 if value + 1 != value else value / 2


def refitted(fields, X, y):
    return changed(fields, fingerprint=plain_checker.fingerprint(X, y))


def of_any(fields, X, y):
    """Forgeries that any proof can suffer."""
    n, d = len(X), len(X[0])
    yield changed(fields, version=True), X, y, False
    yield changed(fields, version=1), X, y, False
    yield changed(fields, n_rows=n + 1), X, y, False
    yield changed(fields, n_features=d + 1), X, y, False
    yield changed(fields, classes=[*fields["classes"], "x"]), X, y, False
    yield changed(fields, fingerprint=fields["fingerprint"][::-1]), X, y, None
    yield changed(fields, answer="undecided"), X, y, False
    yield changed(fields, fit_intercept=not fields["fit_intercept"]), X, y, None
    yield changed(fields, classes=fields["classes"][::-1]), X, y, None
    for i in {0, n - 1}:
        for j in {0, d - 1}:
            other = put(X, i, put(X[i], j, another(X[i][j])))
            yield fields, other, y, False
            yield refitted(fields, other, y), other, y, None
    for i in range(n):  # every label of every row, the fingerprint made to fit
        labels = put(y, i, (y[i] + 1) % len(fields["classes"]))
        if set(labels) == set(y):
            yield refitted(fields, X, labels), X, labels, None


def of_weights(fields, name):
    """A matrix of weights changed in every place, or listed wrongly."""
    rows = fields[name]
    for k, row in enumerate(rows):
        for j, text in row.items():
            minus = text[1:] if text[0] == "-" else "-" + text
            without = {at: value for at, value in row.items() if at != j}
            yield changed(fields, **{name: put(rows, k, {**row, j: minus})}), None
            yield changed(fields, **{name: put(rows, k, without)}), None
            width = fields["n_features"] + fields["fit_intercept"]
            for wrong in (str(width), "-1", f"0{j}", f"{j}.0", f" {j}", f"+{j}", ""):
                forged = put(rows, k, {**without, wrong: text})
                yield changed(fields, **{name: forged}), False
    yield changed(fields, **{name: [{} for _ in rows]}), False
    yield changed(fields, **{name: [*rows, {}]}), False
    yield changed(fields, **{name: rows[1:]}), False


def tightest(fields, X, y, name, towards):
    """The claim moved, float by float, to the last one that is true; and the first that is not."""
    claim = float.fromhex(fields[name])
    for _ in range(400):
        further = nextafter(claim, towards)
        if not plain_checker.holds(changed(fields, **{name: further.hex()}), X, y):
            return changed(fields, **{name: claim.hex()}), changed(fields, **{name: further.hex()})
        claim = further
    return None


def of_separable(fields, X, y):
    for forged, truth in of_weights(fields, "W"):
        yield forged, X, y, truth
    minus = [{j: t[1:] if t[0] == "-" else "-" + t for j, t in row.items()} for row in fields["W"]]
    yield changed(fields, W=minus), X, y, False
    yield changed(fields, margin=(0.0).hex()), X, y, True
    yield changed(fields, margin="-0x1.0p+0"), X, y, False
    yield changed(fields, radius="inf", upper=None, hull=None), X, y, True
    yield changed(fields, radius="-0x1.8p+1023"), X, y, False
    claims = [("margin", inf), ("radius", 0.0)] + [("upper", 0.0)] * (fields["upper"] is not None)
    for name, towards in claims:
        found = None if fields[name] == "inf" else tightest(fields, X, y, name, towards)
        if found is not None:
            yield found[0], X, y, True
            yield found[1], X, y, False
    for i in range(len(X)):  # a row where its own class does not have it, first and last included
        rival = next(k for k in range(len(X)) if y[k] != y[i])
        other = put(X, i, X[rival])
        yield refitted(fields, other, y), other, y, False
    if fields["hull"] is not None:
        hull = fields["hull"]
        yield changed(fields, hull=None), X, y, False
        yield changed(fields, upper=None), X, y, False
        yield changed(fields, hull=[]), X, y, False
        for t, (i, r, weight) in enumerate(hull):
            for wrong in ([i, y[i], weight], [i, r, "-0x1.0p+0"], [len(X), r, weight], [i, r]):
                yield changed(fields, hull=put(hull, t, wrong)), X, y, False
            yield changed(fields, hull=put(hull, t, [i, r, "0x1.0p+9"])), X, y, None


def of_pairs(fields, X, y):
    """The pairs of a certificate changed one by one."""
    pairs, n = fields["pairs"], len(X)
    yield changed(fields, pairs=[[i, r, hex(2 * int(w, 16))] for i, r, w in pairs]), True
    yield changed(fields, pairs=[[i, r, f"{w}/0x3"] for i, r, w in pairs]), True
    yield changed(fields, pairs=pairs[::-1]), True
    yield changed(fields, pairs=[]), False
    for t, (i, r, weight) in enumerate(pairs):
        zero = not fields["fit_intercept"] and not any(X[i])
        nonzero = None if zero else False
        more = [i, r, hex(int(weight, 16) + 1)]
        yield changed(fields, pairs=put(pairs, t, more)), nonzero
        yield (
            changed(fields, pairs=pairs[:t] + pairs[t + 1 :]),
            nonzero if len(pairs) > 1 else False,
        )
        for wrong in (
            [i, r, "-" + weight],
            [i, r, "0x0"],
            [i, r, f"{weight}/0x0"],
            [i, r, f"{weight}/-0x1"],
            [i, y[i], weight],
            [i, len(fields["classes"]), weight],
            [n, r, weight],
            [i - n, r, weight],
            [i, r],
        ):
            yield changed(fields, pairs=put(pairs, t, wrong)), False
        yield changed(fields, pairs=put(pairs, t, [0, r, weight])), None
        yield changed(fields, pairs=put(pairs, t, [n - 1, r, weight])), None
        yield changed(fields, pairs=[*pairs, pairs[t]]), False


def of_cells(fields, X, y):
    """Every coordinate of every listed row changed, the fingerprint made to fit."""
    plain = changed(fields, kind="unknown", touching=None, tied=None, overlap=None)
    rows = [i for i, _, _ in fields["pairs"]]
    for i in rows:
        for j in range(len(X[i])):
            other = put(X, i, put(X[i], j, another(X[i][j])))
            count = rows.count(i)
            yield refitted(plain, other, y), other, y, False if count == 1 else None


NO_KIND = {"kind": "unknown", "touching": None, "tied": None, "overlap": None}


def of_no_kind(fields):
    """Forgeries that no evidence of a kind gives away."""
    yield changed(fields, **NO_KIND), True
    yield changed(fields, **NO_KIND, classes=[*fields["classes"], "x"]), False
    yield changed(fields, **{**NO_KIND, "tied": 0}), False
    yield changed(fields, **{**NO_KIND, "kind": "overlap"}), False
    yield changed(fields, **{**NO_KIND, "kind": "touching"}), False


def of_kind(fields, X):
    n, width = len(X), len(X[0]) + fields["fit_intercept"]
    nothing = NO_KIND
    overlap = {"pairs": [], "null": []}
    truth = False if fields["kind"] == "touching" else None
    yield changed(fields, **{**nothing, "kind": "overlap", "overlap": overlap}), truth
    for pairs, null in (("", []), ([], ""), ("", ""), ([], {}), ({}, {})):
        empty = {"pairs": pairs, "null": null}
        yield changed(fields, **{**nothing, "kind": "overlap", "overlap": empty}), False
    for j in range(width):
        more = {"pairs": [], "null": [{str(j): "0x1.0p+0"}]}
        yield changed(fields, **{**nothing, "kind": "overlap", "overlap": more}), truth
    everything = {"pairs": [], "null": [{str(j): "0x1.0p+0"} for j in range(width)]}
    nonzero = fields["fit_intercept"] or any(map(any, X))
    claim = changed(fields, **{**nothing, "kind": "overlap", "overlap": everything})
    yield claim, False if nonzero else None
    same = {"pairs": fields["pairs"], "null": []}
    yield changed(fields, **{**nothing, "kind": "overlap", "overlap": same}), truth
    i, r, weight = fields["pairs"][0]
    wrong = put(fields["pairs"], 0, [i, r, hex(int(weight, 16) + 1)])
    false = {"pairs": wrong, "null": []}
    yield changed(fields, **{**nothing, "kind": "overlap", "overlap": false}), None
    if fields["kind"] == "touching":
        for tied in (fields["tied"] - 1, fields["tied"] + 1, n + 1, None):
            yield changed(fields, tied=tied), False
        yield from of_weights(fields, "touching")
    units = 1 if len(fields["classes"]) == 2 else len(fields["classes"])
    zero = [{}] * units
    yield changed(fields, **{**nothing, "kind": "touching", "touching": zero, "tied": n}), False


def of_inseparable(fields, X, y):
    for forged, truth in (*of_pairs(fields, X, y), *of_no_kind(fields), *of_kind(fields, X)):
        yield forged, X, y, truth
    yield from of_cells(fields, X, y)


def written(X, y, pairs):
    """Fields of an inseparable proof without intercept, of no kind."""
    return {
        "format": "rosenblatt-proof",
        "version": 2,
        "answer": "inseparable",
        "classes": [str(k) for k in sorted(set(y))],
        "n_rows": len(X),
        "n_features": len(X[0]),
        "fit_intercept": False,
        "fingerprint": plain_checker.fingerprint(X, y),
        "pairs": pairs,
        "encoding": None,
        "kind": "unknown",
        "touching": None,
        "tied": None,
        "overlap": None,
    }


def dependent(seed):
    """Classes that touch, said to overlap by one null vector that is listed twice."""
    size = float(np.random.default_rng(seed).integers(1, 9))
    X, y = [[size, 0.0, 0.0], [size, 0.0, 0.0], [0.0, size, 0.0]], [1, 0, 1]
    fields = written(X, y, [[0, 0, "0x1"], [1, 1, "0x1"]])
    for value in ("0x1.0p+0", "0x1.0p+1", "-0x1.0p+0", "0x1/0x3"):
        overlap = {"pairs": [], "null": [{"2": "0x1.0p+0"}, {"2": value}]}
        yield changed(fields, kind="overlap", overlap=overlap), X, y, False


def unseen(seed):
    """Classes that touch, said to overlap by a null vector that one row alone is not orthogonal to.

    It is the first row, the last, or one between.
    """
    size = float(np.random.default_rng(seed).integers(1, 9))
    X, y = [[size, 0.0], [size, 0.0], [2 * size, 0.0]], [1, 0, 1]
    for place in range(4):
        rows = [*X[:place], [size, size], *X[place:]]
        labels = [*y[:place], 1, *y[place:]]
        first, second = (i for i, row in enumerate(rows) if row == [size, 0.0])
        fields = written(rows, labels, [[first, 0, "0x1"], [second, 1, "0x1"]])
        overlap = {"pairs": [], "null": [{"1": "0x1.0p+0"}]}
        yield changed(fields, kind="overlap", overlap=overlap), rows, labels, False


def unbalanced(seed):
    """Pairs whose rows sum to 0 in every column but one, or only in the intercept they do not."""
    random = np.random.default_rng(seed)
    d, K = int(random.integers(1, 5)), int(random.integers(2, 4))
    x = random.integers(1, 9, d)
    X = np.array([x, 2 * x, *np.eye(K, d, dtype=int)[2:]]) / 4
    y = list(range(K))
    fields = written(X.tolist(), y, [[0, 1, "0x2"], [1, 0, "0x1"]])
    yield fields, X.tolist(), y, True
    yield changed(fields, fit_intercept=True), X.tolist(), y, False
    for j in range(d):  # one column, the last included
        other = X.copy()
        other[1, j] += 0.25
        yield refitted(fields, other.tolist(), y), other.tolist(), y, False


def forgeries(seed):
    X, y, fit_intercept = problem(seed)
    proof = separability(X, y, fit_intercept=fit_intercept, maximise=seed % 2 == 0)
    fields = json.loads(json.dumps(as_fields(proof)))
    yield fields, X, y, True
    yield from of_any(fields, X, y)
    yield from (of_separable if proof.answer == "separable" else of_inseparable)(fields, X, y)
    yield from unbalanced(seed)
    yield from dependent(seed)
    yield from unseen(seed)


PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_false_proofs_are_refused_and_true_ones_accepted(part, tmp_path, capsys):
    seen, kernel = Counter(), Kernel(tmp_path)
    for seed in range(part, PROBLEMS, PARTS):
        for fields, X, y, truth in forgeries(seed):
            expected = plain_checker.holds(fields, X, y)
            assert truth in (None, expected), (seed, fields)
            assert by_numpy(fields, X, y) is expected, (seed, fields)
            assert kernel.accepts(fields, X, y) is expected, (seed, fields)
            seen[expected] += 1
    assert seen[False] > 10 * PROBLEMS / PARTS
    assert seen[True] > 2 * PROBLEMS / PARTS
    if "ROSENBLATT_FORGERIES" in os.environ:
        with capsys.disabled():
            print(f"\nrefused {seen[False]}, accepted {seen[True]}")  # noqa: T201


@pytest.mark.parametrize("twice", ["pairs", "format", "kind"])
def test_a_field_that_stands_twice_is_refused(twice, tmp_path, capsys):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    fields = json.loads(json.dumps(as_fields(separability(X, y))))
    assert Kernel(tmp_path).accepts(fields, X, y)
    text = json.dumps(fields)
    text = f'{{"{twice}": {json.dumps(fields[twice])}, ' + text[1:]
    (tmp_path / "proof.json").write_text(text)
    assert checker.main([str(tmp_path / n) for n in ("proof.json", "X.npy", "y.npy")]) == 2
    assert "twice" in capsys.readouterr().err


def broken(**parts):
    matrix = {"data": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, 2], "shape": [2, 2]}
    return {**matrix, **parts}


@pytest.mark.parametrize(
    "parts",
    [
        broken(indices=[0, 2]),
        broken(indices=[0, -1]),
        broken(indptr=[0, 2, 1]),
        broken(indptr=[1, 1, 2]),
        broken(indptr=[0, 1, 3]),
        broken(indptr=[0, 2]),
        broken(indices=[1, 1], indptr=[0, 2, 2]),
        broken(data=[1.0, float("nan")]),
        broken(format=b"csc"),
    ],
)
def test_broken_sparse_files_are_bad_input(parts, tmp_path, capsys):
    np.savez(tmp_path / "X.npz", **{"format": b"csr", **parts})
    np.save(tmp_path / "y.npy", [0, 1])
    fields = as_fields(separability([[1.0, 0.0], [0.0, 2.0]], [0, 1]))
    (tmp_path / "proof.json").write_text(json.dumps(fields))
    names = [str(tmp_path / name) for name in ("proof.json", "X.npz", "y.npy")]
    assert checker.main(names) == 2
    sparse.save_npz(tmp_path / "X.npz", sparse.csr_array([[1.0, 0.0], [0.0, 2.0]]))
    assert checker.main(names) == 0
    assert "Cannot be checked" in capsys.readouterr().err
