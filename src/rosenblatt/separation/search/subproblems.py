"""Smaller problems: if a part of the data cannot be separated, the whole cannot.

Two of many classes: a certificate for them is one for Kesler's construct too, with each row held
against the other class. Many tables of many classes fail that way, and two classes are far less
work than all.

Rows that use common features only: a certificate has to cancel every feature that its rows use, and
needs about as many rows as there are such features; solving for its weights exactly takes the cube
of that number. In sparse data many rows get by with far fewer features than there are, so a
certificate among them is smaller and quicker to find: 337 rows instead of 531 for MNIST's 8 against
the rest, the data on which the shares below were chosen. Where the proposed weights are wrong on
almost none of these rows it is not tried.
"""

import numpy as np

from rosenblatt.separation.proof.table import Csr, Table
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.exact import Found
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.separation.search.working_set import (
    MAX_NEW_PAIRS,
    TimeLimitReached,
    attempt,
    decide,
)
from rosenblatt.types import Floats, Ints

ROW_SHARE = 0.2  # of the rows, those with the most common features
MIN_WRONG_SHARE = (
    0.01  # share of them that the proposed weights must get wrong to make a try worthwhile
)
MAX_FEATURE_SHARE = 0.8  # share of the features in use that they may use
LARGE_CORRAL = 400  # vectors; a certificate is likely here, so weights are looked for late
MIN_FEATURES = 200  # features in use; below, exact arithmetic is quick enough


def decide_narrow(space: Space, W: Floats, deadline: Deadline) -> Found | None:
    """Return a certificate among rows of common features, or None if there is none."""
    rows = narrow_rows(space.table) if space.table.n > MAX_NEW_PAIRS else None
    if rows is None or not space.table.may_copy(len(rows)):
        return None
    part = Space(space.table.take(rows), space.fit_intercept)
    slack, _ = part.worst(W)
    if np.mean(~(slack > 0)) < MIN_WRONG_SHARE:
        return None
    try:
        found = attempt(part, W, deadline, corral=LARGE_CORRAL)
    except TimeLimitReached as reached:
        raise reached.among(rows, reached.W) from None
    if found is None or found.pairs is None:
        return None
    return found._replace(pairs=found.pairs.among(rows))


def narrow_rows(table: Table) -> Ints | None:
    """Rows whose rarest feature is most common; None if they use almost all features too."""
    used = uses(table)
    if np.count_nonzero(used) < MIN_FEATURES:
        return None
    rank = np.empty(table.d, dtype=np.int64)
    rank[np.argsort(-used, kind="stable")] = np.arange(table.d)
    reach = rarest(table, rank)
    bar = np.quantile(reach, ROW_SHARE)
    if bar + 1 > MAX_FEATURE_SHARE * np.count_nonzero(used):
        return None
    return np.flatnonzero(reach <= bar)


def uses(table: Table) -> Ints:
    """In how many rows every feature is not 0."""
    if isinstance(table.X, Csr):
        return np.bincount(table.X.indices[table.X.data != 0], minlength=table.d)
    X = table.X
    return sum(
        (np.count_nonzero(X[rows[0] : rows[-1] + 1], axis=0) for rows in table.blocks()),
        np.zeros(table.d, dtype=np.int64),
    )


def rarest(table: Table, rank: Ints) -> Ints:
    """Largest rank among the features of every row; −1 for rows of zeros."""
    reach = np.full(table.n, -1, dtype=np.int64)
    if isinstance(table.X, Csr):
        row, column, _ = table.entries(np.arange(table.n))
        np.maximum.at(reach, row, rank[column])
        return reach
    order = np.argsort(-rank)  # the rarest feature first
    for rows in table.blocks():
        present = table.X[rows[0] : rows[-1] + 1][:, order] != 0
        first = present.argmax(axis=1)
        reach[rows] = np.where(present.any(axis=1), table.d - 1 - first, -1)
    return reach


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
