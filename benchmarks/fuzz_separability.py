"""Random small problems of awkward kinds against an exact referee: verdict and kind.

The referee shares no code with the package. With Kesler's vectors a_i in fractions it solves

  maximise Σ s_i  subject to  s_i ≤ a_i·w,  0 ≤ s_i ≤ 1,  w free

by the simplex method with Bland's rule in exact arithmetic. Every s_i of the optimum is 0 or 1 (a
multiple of w makes any positive slack 1), so the optimum counts the pairs that weights without a
row on the wrong side can put strictly on theirs: all of them if the classes are separable, none if
they overlap, some if they touch.

    python benchmarks/fuzz_separability.py [--problems 100000] [--seed 0]

Every problem has a number of its own, which `problem_of(seed, number)` makes again. Prints how many
problems of each kind there were; the exit status is 1 if any was decided wrongly.
"""

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import flint
import numpy as np
from scipy import sparse

from rosenblatt.separation.decide import separability

MANY_ROWS = 1001  # more rows than are decided all at once
Rows = list[list[Any]]


class Problem(NamedTuple):
    """Rows of Python numbers, labels, whether there is an intercept, and the storage."""

    name: str
    rows: Rows
    labels: list[int]
    fit_intercept: bool
    storage: str
    repeats: int


# --- the referee --------------------------------------------------------------------------------


def signed_vectors(rows: Rows, labels: list[int], *, fit_intercept: bool) -> list[list[Any]]:
    """Kesler's vectors; the weights of the first class are 0, which loses nothing."""
    classes = sorted(set(labels))
    distinct = {(tuple(row), label) for row, label in zip(rows, labels, strict=True)}
    out = []
    for row, label in sorted(distinct, key=repr):
        z = [flint.fmpq(*v.as_integer_ratio()) for v in row] + [flint.fmpq(1)] * fit_intercept
        for rival in classes:
            if rival != label:
                sign = {label: 1, rival: -1}
                out.append([sign.get(c, 0) * v for c in classes[1:] for v in z])
    return out


def most_positive(vectors: list[list[Any]]) -> int:
    """Largest number of vectors with a_i·w > 0 over all w with a_i·w ≥ 0 for every i.

    The columns of the tableau are w⁺, w⁻, s, the slack of s ≤ a·w, the slack of s ≤ 1, and the
    right-hand side; w = 0, s = 0 is feasible, so the slacks are the first basis.
    """
    m, d = len(vectors), len(vectors[0])
    zero, one = flint.fmpq(0), flint.fmpq(1)
    width = 2 * d + 3 * m
    tableau = [[zero] * (width + 1) for _ in range(2 * m)]
    for i, a in enumerate(vectors):
        tableau[i][: 2 * d] = [-v for v in a] + list(a)
        tableau[i][2 * d + i] = tableau[i][2 * d + m + i] = one
        tableau[m + i][2 * d + i] = tableau[m + i][2 * d + 2 * m + i] = tableau[m + i][-1] = one
    basis = list(range(2 * d + m, width))
    gain = [zero] * (2 * d) + [one] * m + [zero] * (2 * m + 1)
    while True:
        entering = next((j for j in range(width) if gain[j] > 0), None)
        if entering is None:
            return int(-gain[-1].p)
        leaving = _leaving(tableau, basis, entering)
        _pivot(tableau, gain, leaving, entering)
        basis[leaving] = entering


def _leaving(tableau: list[list[Any]], basis: list[int], entering: int) -> int:
    """Row of the least ratio; of the least variable where several are (Bland's rule)."""
    ratios = [
        (row[-1] / row[entering], basis[i], i) for i, row in enumerate(tableau) if row[entering] > 0
    ]
    return min(ratios)[2]  # never empty: Σ s is bounded


def _pivot(tableau: list[list[Any]], gain: list[Any], leaving: int, entering: int) -> None:
    head = tableau[leaving]
    factor = 1 / head[entering]
    head = tableau[leaving] = [v * factor if v else v for v in head]
    used = [j for j, v in enumerate(head) if v]
    for i, row in enumerate([*tableau, gain]):
        times = row[entering]
        if i != leaving and times:
            for j in used:
                row[j] -= times * head[j]


def referee(rows: Rows, labels: list[int], *, fit_intercept: bool) -> str:
    """Return "separable", "touching" or "overlap"."""
    vectors = signed_vectors(rows, labels, fit_intercept=fit_intercept)
    positive = most_positive(vectors)
    if positive == len(vectors):
        return "separable"
    return "touching" if positive else "overlap"


# --- the problems -------------------------------------------------------------------------------


def grid(rng: np.random.Generator, n: int, d: int) -> Rows:
    top = int(rng.integers(1, 4))
    return [[int(v) for v in row] for row in rng.integers(-top, top + 1, (n, d))]


def degenerate(rng: np.random.Generator, n: int, d: int) -> Rows:
    """Rows in a plane of fewer dimensions, repeated, with columns of zeros."""
    few = rng.integers(-2, 3, (n, max(1, d - 1))) @ rng.integers(-1, 2, (max(1, d - 1), d))
    few[rng.integers(0, n, n // 2)] = few[0]
    return [[float(v) for v in row] for row in few]


def gaussian(rng: np.random.Generator, n: int, d: int) -> Rows:
    return [[float(v) for v in row] for row in rng.standard_normal((n, d))]


def single(rng: np.random.Generator, n: int, d: int) -> Rows:
    return [[float(np.float32(v)) for v in row] for row in gaussian(rng, n, d)]


def mixed_scales(rng: np.random.Generator, n: int, d: int) -> Rows:
    power = 10.0 ** rng.integers(-200, 201, (n, d) if rng.random() < 0.5 else (1, d))
    return [[float(v) for v in row] for row in np.array(grid(rng, n, d)) * power]


def subnormal(rng: np.random.Generator, n: int, d: int) -> Rows:
    return [[float(v) for v in row] for row in np.array(grid(rng, n, d)) * 5e-324]


def one_ulp_off(rng: np.random.Generator, n: int, d: int) -> Rows:
    """Rows on a grid of thirds, some of their values moved to the next float."""
    values = np.array(grid(rng, n, d)) / 3
    moved = rng.random((n, d)) < 0.2
    toward = rng.choice([-9.0, 9.0], (n, d))
    return [[float(v) for v in r] for r in np.where(moved, np.nextafter(values, toward), values)]


def beyond_floats(rng: np.random.Generator, n: int, d: int) -> Rows:
    """Integers that differ in their last digits only, beyond 2⁵³ or beyond 2¹⁰²⁴."""
    base = 1 << int(rng.choice([54, 60, 70, 1030, 1100]))
    return [[v * base + u for v, u in zip(*two, strict=True)] for two in _two_grids(rng, n, d)]


def beyond_floats_at_times(rng: np.random.Generator, n: int, d: int) -> Rows:
    """Small integers and some beyond 2¹⁰²⁴."""
    large = 1 << int(rng.choice([1030, 2100]))
    return [
        [v * (large if u > 0 else 1) + u for v, u in zip(*two, strict=True)]
        for two in _two_grids(rng, n, d)
    ]


def _two_grids(rng: np.random.Generator, n: int, d: int) -> list[tuple[list[int], list[int]]]:
    return list(zip(grid(rng, n, d), grid(rng, n, d), strict=True))


GENERATORS: tuple[Callable[[np.random.Generator, int, int], Rows], ...] = (
    grid,
    degenerate,
    gaussian,
    single,
    mixed_scales,
    subnormal,
    one_ulp_off,
    beyond_floats,
    beyond_floats_at_times,
)


def labels_of(rng: np.random.Generator, rows: Rows, classes: int) -> list[int]:
    """Random labels, or those of a random plane with or without a few changes."""
    n = len(rows)
    labels = rng.integers(0, classes, n)
    way = rng.random()
    if way < 0.6:
        weights = [[int(v) for v in row] for row in rng.integers(-2, 3, (classes, len(rows[0])))]
        scores = [
            [sum(w * flint.fmpq(*v.as_integer_ratio()) for w, v in zip(w_k, row, strict=True))
             for w_k in weights]
            for row in rows
        ]  # fmt: skip
        labels = np.array([max(range(classes), key=score.__getitem__) for score in scores])
    if 0.3 < way < 0.6:
        labels[rng.integers(0, n)] = rng.integers(0, classes)
    labels[:2] = labels[:2] if len(set(labels.tolist())) > 1 else [0, 1]
    return [int(label) for label in labels]


def problem_of(seed: int, number: int) -> Problem:
    """Make the problem of a number; the same for the same seed."""
    rng = np.random.default_rng([seed, number])
    make = GENERATORS[number % len(GENERATORS)]
    classes = int(rng.choice([2, 2, 2, 3, 4]))
    n, d = int(rng.integers(2, 13 if classes == 2 else 9)), int(rng.integers(1, 5))
    rows = make(rng, n, d)
    labels = labels_of(rng, rows, classes)
    whole = isinstance(rows[0][0], int)
    long = whole and max(abs(v) for row in rows for v in row) >= 1 << 63
    storage = str(rng.choice(["list", "csr", "list" if whole else "single"]))
    storage = "list" if long else storage
    repeats = -(-MANY_ROWS // n) if rng.random() < 0.1 else 1
    return Problem(make.__name__, rows, labels, bool(rng.random() < 0.6), storage, repeats)


def stored(problem: Problem) -> Any:
    """The rows as they are handed over; float32 only where that rounds nothing."""
    rows = problem.rows * problem.repeats
    if problem.storage == "csr":
        return sparse.csr_array(np.array(rows))
    if problem.storage == "single":
        values = np.array(rows)
        with np.errstate(over="ignore"):
            short = values.astype(np.float32)
        return short if (short == values).all() else values
    return rows


# --- the run ------------------------------------------------------------------------------------


def outcome(problem: Problem) -> str:
    """Compare with the referee: "right: …", "wrong: …", "unknown kind" or "crash: …"."""
    labels = problem.labels * problem.repeats
    X = stored(problem)
    try:
        proof = separability(X, labels, fit_intercept=problem.fit_intercept)
        proof.verify(X, labels)
    except Exception:
        return "crash: " + traceback.format_exc(limit=-2).replace("\n", " ")
    found = proof.answer if proof.answer == "separable" else proof.kind
    truth = referee(problem.rows, problem.labels, fit_intercept=problem.fit_intercept)
    if found == truth:
        return f"right: {truth}"
    if found == "unknown" and truth != "separable":
        return "unknown kind"
    return f"wrong: says {found}, is {truth}"


def run(seed: int, numbers: range, report: Callable[[str], None] | None = None) -> Counter[str]:
    """Count the outcomes of some problems, and report those that are not right."""
    counts = Counter[str]()
    for number in numbers:
        result = outcome(problem_of(seed, number))
        counts[result.split(":")[0] if result.startswith("crash") else result] += 1
        if report is not None and not result.startswith("right"):
            report(f"seed {seed}, problem {number}: {result}")
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    start = time.monotonic()
    counts = run(given.seed, range(given.problems), lambda line: print(line, flush=True))
    for result, count in sorted(counts.items()):
        print(f"{count:8,}  {result}")
    print(f"{counts.total():8,}  problems in {time.monotonic() - start:.0f} s")
    return int(any(result.startswith(("wrong", "crash")) for result in counts))


if __name__ == "__main__":
    sys.exit(main())
