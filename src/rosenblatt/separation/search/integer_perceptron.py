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
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.separation.search.watch import Watch

MOST_PAIRS = 64
MOST_WIDTH = 64
CORRECTIONS = 300
LARGEST = 2.0**40  # floats hold the weights after all corrections

Vector = tuple[int, ...]


class Walk(NamedTuple):
    """How a perceptron's walk ended: with weights that separate, or with vectors that sum to 0."""

    w: Vector | None
    added: Counter[int]


def decide_small(space: Space, watch: Watch) -> exact.Found | None:
    """Return a verdict if the perceptron reaches one within its corrections."""
    table, wide = space.table, space.units * space.width
    if table.n * (len(table.classes) - 1) > MOST_PAIRS or wide > MOST_WIDTH:
        return None
    if not table.whole(np.arange(table.n)) or table.column_tops().max() > LARGEST:
        return None
    pairs = space.every_pair()
    walk = perceptron(signed_vectors(space, pairs), CORRECTIONS)
    watch.tell("perceptron", 1, len(pairs.row))
    if walk is None:
        return None
    if walk.w is not None:
        W = np.array(walk.w, dtype=np.float64).reshape(space.units, space.width)
        return exact.Found(W, None, ()) if space.separated_by(W) else None
    if len(walk.added) > max(1, space.units - 1) * space.width + 1:
        return None  # more vectors than a certificate needs: taking some away costs more than this
    return exact.Found(None, pairs.keep(list(walk.added)), tuple(walk.added.values()))


def signed_vectors(space: Space, pairs: Pairs) -> list[Vector]:
    """Kesler's vectors of the pairs, in integers."""
    row, column, value = space.table.entries(np.arange(space.table.n))
    Z = [[0] * space.table.d + [1] * space.bias for _ in range(space.table.n)]
    for i, j, v in zip(row.tolist(), column.tolist(), value.tolist(), strict=True):
        Z[i][j] = int(v)
    own, vectors = space.table.codes[pairs.row].tolist(), []
    for i, c, r in zip(pairs.row.tolist(), own, pairs.rival.tolist(), strict=True):
        blocks = [[0] * space.width for _ in range(space.units)]
        for unit, sign in exact.blocks_of(space, c, r):
            blocks[unit] = [sign * z for z in Z[i]]
        vectors.append(tuple(v for block in blocks for v in block))
    return vectors


def perceptron(vectors: list[Vector], corrections: int) -> Walk | None:
    """Correct until a pass is clean or begins with weights seen before; None if neither came.

    Examples
    --------
    >>> perceptron([(1, 0), (1, 1)], 10)
    Walk(w=(1, 0), added=Counter())
    >>> perceptron([(1, 1), (-1, -1)], 10).added
    Counter({0: 1, 1: 1})
    """
    w: Vector = (0,) * len(vectors[0])
    seen, added = dict[Vector, int](), list[int]()
    while len(added) < corrections:
        if w in seen:
            return Walk(None, Counter(added[seen[w] :]))
        seen[w] = len(added)
        for i, a in enumerate(vectors):
            if sum(map(int.__mul__, w, a)) <= 0:
                w = tuple(map(int.__add__, w, a))
                added.append(i)
        if seen.get(w) == len(added):
            return Walk(w, Counter())
    return None
