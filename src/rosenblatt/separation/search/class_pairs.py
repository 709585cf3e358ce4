"""Two of many classes: if no plane separates these, nothing separates all.

A certificate for two classes is one for Kesler's construct too, with each row held against the
other class. Many tables of many classes fail that way, and two classes are far less work than all.
"""

import numpy as np

from rosenblatt.separation.proof.table import Table
from rosenblatt.separation.search.common_features import decide_narrow
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.exact import Found
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.separation.search.working_set import MAX_NEW_PAIRS, TimeLimitReached, decide
from rosenblatt.types import Floats, Ints

MAX_CLASS_PAIRS = 2  # pairs of classes worth trying


def confused_classes(space: Space, W: Floats) -> list[tuple[int, int]]:
    """Pairs of classes that W confuses most, the worst first."""
    slack, rival = space.worst(W)
    K = len(space.table.classes)
    wrong = ~(slack > 0)
    counts = np.zeros((K, K), dtype=np.int64)
    np.add.at(counts, (space.table.codes[wrong], rival[wrong]), 1)
    counts = np.triu(counts + counts.T)
    order = np.argsort(-counts, axis=None)[:MAX_CLASS_PAIRS]
    return [divmod(int(t), K) for t in order if counts.flat[t] > 0]


def decide_two(space: Space, W: Floats, deadline: Deadline) -> Found | None:
    """Return a certificate from two confused classes, or None if those tried are separable."""
    if space.n_vectors == 1 or space.table.n <= MAX_NEW_PAIRS:
        return None
    for low, high in confused_classes(space, W):
        rows = np.flatnonzero(np.isin(space.table.codes, (low, high)))
        if not space.table.may_copy(len(rows)):
            continue
        part = Space(_part(space.table, rows, high), space.fit_intercept)
        V = W[[high]] - W[[low]]
        try:
            found = decide_narrow(part, V, deadline) or decide(part, V, deadline)
        except TimeLimitReached:
            raise TimeLimitReached(
                W, None
            ) from None  # what is known of two classes says nothing about all
        if found.pairs is not None:
            listed = rows[found.pairs.row]
            other = np.where(space.table.codes[listed] == low, high, low)
            return Found(None, Pairs(listed, other), found.weights)
    return None


def _part(table: Table, rows: Ints, high: int) -> Table:
    part = table.take(rows)
    return Table(part.X, (part.codes == high).astype(np.int64), ("0", "1"))
