"""The perceptron on few rows of integers: it separates them, or its weights come back.

With integers nothing rounds, and on rows that cannot be separated the weights stay bounded
(Minsky and Papert's cycling theorem), so after finitely many corrections they repeat. The rows
added between two visits of the same weights sum to 0, each as often as it was added: a
certificate. On up to some dozen rows that was 2 to 13 times quicker than the working set; on more
it may take very long, so the number of corrections is limited.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from rosenblatt.separation.search import exact
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Pairs, Space

MAX_PAIRS = 64
MAX_WIDTH = 64
MAX_CORRECTIONS = 300
MAX_VALUE = 2.0**40  # floats hold the weights after all corrections

Vector = tuple[int, ...]


class Run(NamedTuple):
    """How a perceptron's run ended: with weights that separate, or with vectors that sum to 0."""

    w: Vector | None
    added: Counter[int]


def decide_small(space: Space, deadline: Deadline) -> exact.Found | None:
    """Return a verdict if the perceptron reaches one within its corrections."""
    table, wide = space.table, space.n_vectors * space.width
    if table.n * (len(table.classes) - 1) > MAX_PAIRS or wide > MAX_WIDTH:
        return None
    if not table.whole(np.arange(table.n)) or table.column_tops().max() > MAX_VALUE:
        return None
    pairs = space.every_pair()
    run = perceptron(signed_vectors(space, pairs), MAX_CORRECTIONS)
    deadline.report("perceptron", 1, len(pairs.row))
    if run is None:
        return None
    if run.w is not None:
        W = np.array(run.w, dtype=np.float64).reshape(space.n_vectors, space.width)
        return exact.Found(W, None, ()) if space.separated_by(W) else None
    if len(run.added) > max(1, space.n_vectors - 1) * space.width + 1:
        return None  # more vectors than a certificate needs: taking some away costs more than this
    return exact.Found(None, pairs.keep(list(run.added)), tuple(run.added.values()))


def signed_vectors(space: Space, pairs: Pairs) -> list[Vector]:
    """Kesler's vectors of the pairs, in integers."""
    row, column, value = space.table.entries(np.arange(space.table.n))
    Z = [[0] * space.table.d + [1] * space.fit_intercept for _ in range(space.table.n)]
    for i, j, v in zip(row.tolist(), column.tolist(), value.tolist(), strict=True):
        Z[i][j] = int(v)
    own, vectors = space.table.codes[pairs.row].tolist(), []
    for i, c, r in zip(pairs.row.tolist(), own, pairs.rival.tolist(), strict=True):
        blocks = [[0] * space.width for _ in range(space.n_vectors)]
        for k, sign in exact.vectors_of(space, c, r):
            blocks[k] = [sign * z for z in Z[i]]
        vectors.append(tuple(v for block in blocks for v in block))
    return vectors


def perceptron(vectors: list[Vector], corrections: int) -> Run | None:
    """Correct until an epoch has no mistake or starts at weights seen before; None if neither came.

    Examples
    --------
    >>> perceptron([(1, 0), (1, 1)], 10)
    Run(w=(1, 0), added=Counter())
    >>> perceptron([(1, 1), (-1, -1)], 10).added
    Counter({0: 1, 1: 1})
    """
    w: Vector = (0,) * len(vectors[0])
    seen, added = dict[Vector, int](), list[int]()
    while len(added) < corrections:
        if w in seen:
            return Run(None, Counter(added[seen[w] :]))
        seen[w] = len(added)
        for i, a in enumerate(vectors):
            if sum(map(int.__mul__, w, a)) <= 0:
                w = tuple(map(int.__add__, w, a))
                added.append(i)
        if seen.get(w) == len(added):
            return Run(w, Counter())
    return None
