"""Evidence that classes overlap: weighted pairs that span everything and sum to 0.

Weights λ > 0 with Σ λ_i a_i = 0 exactly: any w with a_i·w ≥ 0 for all pairs then has a_i·w = 0 on
the listed ones. Where their vectors span those of all pairs, it is 0 on all: no weights put some
row strictly on its side and none on the wrong one (Stiemke). Linear programs, solved in floats by
HiGHS, propose the weights.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
from scipy import sparse

from rosenblatt.separation.proof.margins import signs
from rosenblatt.separation.proof.table import Table
from rosenblatt.separation.proof.verdict import Kind
from rosenblatt.separation.search import exact
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.types import Array, Floats, Ints

MAX_DIMENSION = 1290  # beyond it the checker takes no ranks, and null weights take much memory
SUPPORT_TOLERANCE = 1e-9  # weights of a linear program's solution that are not taken for 0


class LinearProgram(NamedTuple):
    """Minimise costs·x subject to A x ≤ b (or A x = b, if ``equal``) and low ≤ x ≤ high."""

    costs: Floats
    A: Any
    b: Floats
    low: Floats
    high: Floats
    equal: bool = False


class Solution(NamedTuple):
    """A solution, and the dual variables of the inequalities, or else of the equations."""

    x: Floats
    dual: Floats


def solve_linear_program(program: LinearProgram, deadline: Deadline) -> Solution | None:
    """Solve within the time limit; None if that did not succeed."""
    from scipy.optimize import linprog  # noqa: PLC0415

    names = ("A_eq", "b_eq") if program.equal else ("A_ub", "b_ub")
    given: dict[str, Any] = dict(zip(names, (program.A, program.b), strict=True))
    given["bounds"] = np.column_stack([program.low, program.high])
    given["options"] = {"time_limit": max(deadline.seconds_left(), 0.0)}
    result: Any = linprog(program.costs, **given)
    if result.status != 0:
        return None
    rows = result.eqlin if program.equal else result.ineqlin
    return Solution(result.x, -rows.marginals)


class SpanningPairs(NamedTuple):
    """Evidence that classes overlap.

    Positive weights on pairs whose signed sum is exactly 0 and whose vectors span all vectors of
    the table: the rows of ``null`` are a basis of the weights v with v·z = 0 for every row z, and
    the rank of the pairs' vectors is (K − 1)(width − len(null)). Weights that put no row on the
    wrong side are 0 on the listed pairs, hence on all.
    """

    pairs: Pairs
    weights: tuple[Fraction, ...]
    null: Array


class KindFound(NamedTuple):
    """The kind with its evidence: weights for "touching", weighted pairs for "overlap"."""

    kind: Kind
    touching: Array | None = None
    overlap: SpanningPairs | None = None

    def among(self, rows: Ints) -> "KindFound":
        """Return the kind of some rows of a table, with its evidence, as that of the table."""
        if self.overlap is None:
            return self
        pairs = self.overlap.pairs.among(rows)
        return self._replace(overlap=self.overlap._replace(pairs=pairs))


UNKNOWN = KindFound("unknown")


def overlapping(evidence: SpanningPairs | None) -> KindFound | None:
    """Return the kind that the evidence shows, if there is any."""
    return None if evidence is None else KindFound("overlap", overlap=evidence)


def independent(vectors: Any) -> Ints:
    """Positions of rows that span all rows as far as floats can tell, and perhaps some more."""
    from scipy.linalg import qr  # noqa: PLC0415

    n, width = vectors.shape
    if n <= width:
        return np.arange(n)
    dense = vectors if isinstance(vectors, np.ndarray) else vectors.toarray()
    _, order = qr(dense.T, mode="r", pivoting=True)
    return np.sort(order[:width])


def overlap_near(
    space: Space, pairs: Pairs, vectors: Any, dual: Floats, deadline: Deadline
) -> SpanningPairs | None:
    """Positive weights next to those of the dual whose signed sum is exactly 0."""
    for chosen, weights in (_few(vectors, deadline), (np.arange(len(dual)), dual)):
        if len(chosen) == 0 or deadline.passed():
            continue
        some = pairs.keep(chosen)
        solved = _exact_dual(space, some, vectors[chosen], weights, deadline)
        if solved is not None:
            overlap = spanning(space, some, solved, deadline)
            if overlap is not None:
                return overlap
    return None


def _few(vectors: Any, deadline: Deadline) -> tuple[Ints, Floats]:
    """Weights ≥ 0 on few vectors that sum to 0, at least 1 on some that span all: a vertex."""
    n, width = vectors.shape
    if n <= 2 * width:
        return np.zeros(0, np.int64), np.zeros(0)
    least = np.zeros(n)
    least[independent(vectors)] = 1.0
    target, most = np.zeros(width), np.full(n, np.inf)
    program = LinearProgram(
        np.ones(n), sparse.csc_array(vectors.T), target, least, most, equal=True
    )
    solved = solve_linear_program(program, deadline)
    if solved is None:
        return np.zeros(0, np.int64), np.zeros(0)
    chosen = np.flatnonzero(solved.x > SUPPORT_TOLERANCE)
    return chosen, solved.x[chosen]


def _exact_dual(
    space: Space, pairs: Pairs, vectors: Any, weights: Floats, deadline: Deadline
) -> tuple[Fraction, ...] | None:
    """Solve Σ λ_i a_i = 0 for the weights of independent vectors, the others' weights rounded."""
    at = exact.block(space, pairs).matrix
    chosen = independent(vectors)
    rows, columns = exact.pivots(exact.part(at, chosen.tolist(), range(at.ncols())))
    rows = [int(chosen[t]) for t in rows]
    if not rows or not deadline.allows(exact.solve_seconds(at, len(rows))):
        return None
    # the float vectors have length one, the integer ones have not
    size = 1 / space.lengths[pairs.row]
    whole = exact.rounded(weights * size)
    others = sorted(set(range(len(whole))) - set(rows))
    rest = flint.fmpz_mat(1, len(others), [-whole[t] for t in others])
    right = rest * exact.part(at, others, columns)
    solved = exact.part(at, rows, columns).transpose().solve(right.transpose())
    numerators, bottom = solved.numer_denom()
    whole = [v * int(bottom) for v in whole]
    for t, i in enumerate(rows):
        whole[i] = int(numerators[t, 0])
    if min(whole) <= 0 or not (flint.fmpz_mat(1, len(whole), whole) * at).is_zero():
        return None
    total = sum(whole)
    return tuple(Fraction(v, total) for v in whole)


def spanning(
    space: Space, pairs: Pairs, weights: Sequence[Fraction], deadline: Deadline | None = None
) -> SpanningPairs | None:
    """Return the evidence if the vectors of the pairs span those of all pairs.

    Without a deadline only if they span the whole space, which is quickly seen.
    """
    if max(1, space.n_vectors - 1) * space.width > MAX_DIMENSION:
        return None
    matrix = exact.block(space, pairs).matrix
    rank = flint.nmod_mat(matrix, exact.PRIME).rank()  # modulo a prime it can only be too small
    blocks = max(1, space.n_vectors - 1)
    if not (exact.numerators(weights) * matrix).is_zero():
        return None
    if rank == blocks * space.width:
        return SpanningPairs(pairs, tuple(weights), np.zeros((0, space.width), dtype=object))
    if deadline is None or rank % blocks or deadline.passed():
        return None
    null = null_weights(space, np.unique(pairs.row), deadline)
    if null is None or rank != blocks * (space.width - len(null)):
        return None
    return SpanningPairs(pairs, tuple(weights), null)


def null_weights(space: Space, rows: Ints, deadline: Deadline) -> Array | None:
    """Integer basis of the weights v with v·z = 0 for the given rows z, if so for all rows.

    None if some other row is not orthogonal to them, or if time does not allow to tell.
    """
    # every row as one of class 1 of two: its vector is z itself
    plain = Space(
        Table(space.table.X, np.ones(space.table.n, np.int64), ("0", "1")), space.fit_intercept
    )
    at = exact.block(plain, Pairs(rows, np.zeros(len(rows), np.int64)))
    if not deadline.allows(exact.solve_seconds(at.matrix, at.matrix.ncols())):
        return None
    basis = exact.orthogonal(at.matrix)
    unused = sorted(set(range(space.width)) - set(at.columns.tolist()))
    vectors = [np.where(np.arange(space.width) == j, 1, 0).astype(object) for j in unused]
    for t in range(0 if basis is None else basis.ncols()):
        column = [int(basis[i, t]) for i in range(basis.nrows())]
        vectors.append(exact.weights_of(plain, column, at)[0])
    if not all((signs(plain.table, v[None]) == 0).all() for v in vectors):
        return None
    return np.array(vectors, dtype=object).reshape(len(vectors), space.width)
