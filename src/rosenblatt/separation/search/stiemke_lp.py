"""Overlap or touching by one linear program, made exact.

With the vectors a_i of all pairs,

  maximise Σ s_i  subject to  s_i ≤ a_i·w,  0 ≤ s_i ≤ 1,  w free.

The optimum is 0 where the classes overlap, and the dual variables then are weights λ_i ≥ 1 with
Σ λ_i a_i = 0 (Stiemke's theorem). Otherwise w has as few rows on the boundary as any weights that
put none on the wrong side. Floats only propose: w is solved again in integers from the rows on the
boundary, λ from Σ λ_i a_i = 0, and what is returned was checked exactly.
"""

from typing import Any, NamedTuple

import flint
import numpy as np
from scipy import sparse

from rosenblatt.separation.proof.margins import signs
from rosenblatt.separation.proof.table import Table
from rosenblatt.separation.search import exact
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.separation.search.linear_program import Program, solve
from rosenblatt.separation.search.overlap_evidence import (
    KindFound,
    independent,
    overlap_near,
    overlapping,
)
from rosenblatt.separation.search.working_set import finite
from rosenblatt.types import Array, Floats


class WeakSeparator(NamedTuple):
    """A float solution: weights, slacks capped at 1, and the dual weights of the pairs."""

    w: Floats
    capped: Floats
    dual: Floats


def by_linear_program(space: Space, deadline: Deadline) -> KindFound | None:
    """Tell the kind with its evidence, or None where floats or the time do not suffice."""
    pairs = space.every_pair()
    vectors = space.vectors(pairs)
    if not finite(vectors):
        return None
    weak = _solve_weakly(vectors, deadline)
    if weak is None:
        return None
    positive = weak.capped > 0.5
    if positive.any():
        W = _exact_weights(space, pairs.keep(~positive), vectors[~positive], weak.w, deadline)
        return None if W is None or not touches(space, W) else KindFound("touching", touching=W)
    return overlapping(overlap_near(space, pairs, vectors, weak.dual, deadline))


def _solve_weakly(vectors: Any, deadline: Deadline) -> WeakSeparator | None:
    """Solve the linear program of the module's text in floats."""
    n, width = vectors.shape
    free, bounded = np.full(width, np.inf), np.ones(n)
    program = Program(
        np.append(np.zeros(width), -bounded),
        sparse.hstack([-sparse.csr_array(vectors), sparse.eye_array(n)], format="csc"),
        np.zeros(n),
        np.append(-free, np.zeros(n)),
        np.append(free, bounded),
    )
    solved = solve(program, deadline)
    return solved and WeakSeparator(solved.x[:width], solved.x[width:], solved.dual)


def _exact_weights(
    space: Space, boundary: Pairs, vectors: Any, w: Floats, deadline: Deadline
) -> Array | None:
    """Weights next to w that are exactly 0 on the pairs of the boundary."""
    whole = exact.rounded(w)
    if len(boundary.row) == 0:
        return exact.weights_at(space, whole)
    at = exact.block(space, boundary.keep(independent(vectors)))
    place = (at.vector * space.width + at.columns).tolist()
    rows, columns = exact.pivots(at.matrix)
    free = sorted(set(range(at.matrix.ncols())) - set(columns))
    if rows:
        if not deadline.allows(exact.solve_seconds(at.matrix, len(rows))):
            return None
        square = exact.part(at.matrix, rows, columns)
        right = exact.part(at.matrix, rows, free) * flint.fmpz_mat(
            len(free), 1, [-whole[place[j]] for j in free]
        )
        numerators, bottom = square.solve(right).numer_denom()
        whole = [v * int(bottom) for v in whole]
        for t, j in enumerate(columns):
            whole[place[j]] = int(numerators[t, 0])
    return exact.weights_at(space, whole) if any(whole) else None


def touches(space: Space, W: Array) -> bool:
    """Say whether W puts no row on the wrong side and not every pair on the boundary, exactly."""
    sign = signs(space.table, W)
    if sign.min() < 0:
        return False
    if sign.max() > 0:
        return True
    if space.n_vectors == 1:
        return False
    return any(
        bool((signs(_against(space.table, own), W[[own]] - W[[rival]])[mine] > 0).any())
        for own in range(space.n_vectors)
        for mine in (space.table.codes == own,)
        for rival in range(space.n_vectors)
    )


def _against(table: Table, own: int) -> Table:
    """Return the table with the rows of one class as class 1 and all others as class 0."""
    return Table(table.X, (table.codes == own).astype(np.int64), ("0", "1"))
