"""The search for a verdict: a working set of pairs near the boundary, floats first, then exact.

Most rows of a large table never matter. The search keeps a working set of row-rival pairs, finds
the nearest point of their hull, and adds the pairs which that point leaves on the wrong side. It
ends when the point separates every row, or when it is the origin as far as floats can tell; exact
arithmetic then has the last word. Where the corral grows large, or the point is no answer, weights
that separate are looked for in another way first (`squared_hinge`).

Rows that all lie close to one plane leave floats few digits across it. The space is then stretched
along the plane's normal, the direction of the nearest point, and the search goes on from there: no
verdict changes when all vectors are multiplied by one matrix T that has an inverse, and weights u
of the stretched space are weights T'u of the vectors as they were (rescaling, as in Dunagan and
Vempala 2008).

The largest margin is bracketed in the same way. In the vectors (x, 1) as they are, the nearest
point p of the hull gives γ* ≤ |p|, and the weights p give γ* ≥ min_i a_i·p / |p|. Both meet as the
working set comes to hold all support rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rosenblatt.linalg.products import one_thread
from rosenblatt.separation.proof.margins import Hull, margin, nearest
from rosenblatt.separation.search import exact
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Pairs, Space
from rosenblatt.separation.search.min_norm_point import Corral, improve, point
from rosenblatt.separation.search.squared_hinge import separate
from rosenblatt.types import Array, Floats, Ints

MAX_NEW_PAIRS = 1000  # pairs added to the working set at most in one round
ORIGIN_TOLERANCE = 1e-28  # p·p below this, for vectors of length one, is taken for 0 until proved
HEIGHT_TOLERANCE = 1e-9
MAX_BATCHES = 8  # after so many, rows from outside the working set are worth a look
MAX_ROUNDS = 10_000
LARGE_CORRAL = 100  # vectors; Wolfe's method takes the cube of their number
MAX_STRETCHES = 4
MAX_STRETCH = 1e12
MAX_STRETCHED_WIDTH = 2048  # T is a dense matrix


class TimeLimitReached(Exception):  # noqa: N818
    """The time limit has passed; carries what is known."""

    def __init__(self, W: Floats, hull: Hull | None) -> None:
        super().__init__("time limit")
        self.W = W
        self.hull = hull

    def among(self, rows: Ints, W: Floats) -> "TimeLimitReached":
        """Return what is known of a part of a table as known of the table, with weights for it."""
        hull = self.hull and self.hull._replace(rows=tuple(rows[list(self.hull.rows)].tolist()))
        return TimeLimitReached(W, hull)


@dataclass(eq=False)
class WorkingSet:
    """The working set: pairs, their vectors, and the corral among them.

    ``stretch`` is the matrix T by which the vectors were multiplied, if they were, and ``norms``
    their lengths then: they are divided by these.
    """

    space: Space
    pairs: Pairs
    vectors: Any
    corral: Corral = field(default_factory=Corral)
    stretch: Floats | None = None
    norms: Floats = field(default_factory=lambda: np.ones(0))

    @classmethod
    def of(cls, space: Space, pairs: Pairs, stretch: Floats | None = None) -> "WorkingSet":
        """Start from some pairs."""
        work = cls(space, pairs.keep(slice(0, 0)), None, stretch=stretch)
        work.extend(pairs)
        return work

    def stretched(self, p: Floats) -> "WorkingSet | None":
        """Return the same pairs in a space stretched along p; None if that is not worthwhile."""
        length, wide = float(np.linalg.norm(p)), self.vectors.shape[1]
        if wide > MAX_STRETCHED_WIDTH or not 0 < length < np.inf:
            return None
        normal = p / length
        height = float(np.abs(np.asarray(self.vectors[self.corral.at] @ normal)).max(initial=0.0))
        factor = min(1 / height, MAX_STRETCH) if height > 0 else MAX_STRETCH
        before = np.eye(wide) if self.stretch is None else self.stretch
        T = before + (factor - 1) * np.outer(normal, normal @ before)
        return WorkingSet.of(self.space, self.pairs, T) if factor > 2 and finite(T) else None

    def weights(self, p: Floats) -> Floats:
        """Weights in the units of the data from a point of this space."""
        return self.space.weights(p if self.stretch is None else p @ self.stretch)

    def extend(self, pairs: Pairs) -> int:
        """Add pairs that are new; return how many were."""
        before = len(self.pairs.row)
        self.pairs = self.pairs.join(pairs)
        new = self.pairs.keep(slice(before, None))
        if len(new.row):
            vectors, norms = self._vectors(new)
            self.vectors = vectors if self.vectors is None else _stack(self.vectors, vectors)
            self.norms = np.append(self.norms, norms)
        return len(new.row)

    def _vectors(self, pairs: Pairs) -> tuple[Any, Floats]:
        vectors = self.space.vectors(pairs)
        if self.stretch is None:
            return vectors, np.ones(len(pairs.row))
        vectors = np.asarray(vectors @ self.stretch.T)
        norms = np.linalg.norm(vectors, axis=1)
        norms[norms == 0] = 1.0
        return vectors / norms[:, None], norms

    def hull(self) -> Hull:
        """Give the corral's weights in terms of the rows as they are, not as they were scaled."""
        chosen = self.pairs.keep(self.corral.at)
        size = 1.0 if self.space.even else 1 / self.space.lengths[chosen.row]
        weights = self.corral.weight * size / self.norms[self.corral.at]
        keep = (weights > 0) & np.isfinite(weights)
        if not keep.any():  # numbers beyond floats: any pair will do for exact arithmetic
            chosen, weights, keep = self.pairs.keep([0]), np.ones(1), np.array([True])
        chosen, weights = chosen.keep(keep), weights[keep]
        return Hull(
            tuple(chosen.row.tolist()), tuple(chosen.rival.tolist()), tuple(weights.tolist())
        )


def approach(work: WorkingSet, deadline: Deadline, *, enough: bool) -> tuple[Floats, str]:
    """Move towards the nearest point of the working set; return p and how it stands with it.

    "origin": p is 0 as far as floats can tell. "stalled": floats get no further. "nearest": p is
    the nearest point, or with ``enough`` any that separates the working set. "going": not yet.
    """
    corral = work.corral
    p = point(work.vectors, corral) if corral.at else np.asarray(work.vectors.mean(axis=0)).ravel()
    for _ in range(MAX_BATCHES):
        products = np.asarray(work.vectors @ p).ravel()
        height = float(p @ p) if corral.at else np.inf
        if height < ORIGIN_TOLERANCE:
            return p, "origin"
        if enough and corral.at and products.min() > 0:
            return p, "nearest"
        joined = improve(work.vectors, corral, products, height * (1 - HEIGHT_TOLERANCE))
        p = point(work.vectors, corral)
        if joined == 0 or not float(p @ p) < height:
            return p, "nearest" if products.min() > 0 else "stalled"
        if deadline.passed():
            break
    return p, "going"


def decide(space: Space, W: Floats, deadline: Deadline) -> exact.Found:
    """Find weights that separate every row, or a certificate that none do; W orders the rows."""
    work = WorkingSet.of(space, first_pairs(space, W))
    if not finite(work.vectors):
        return _exactly(space, work.hull(), W, deadline)
    found, work, p = _decide_in_floats(work, deadline, corral=LARGE_CORRAL)
    return found or _exactly(space, work.hull(), work.weights(p), deadline)


def attempt(space: Space, W: Floats, deadline: Deadline, *, corral: int) -> exact.Found | None:
    """Do the same, but give up where floats are not enough."""
    work = WorkingSet.of(space, first_pairs(space, W))
    if not finite(work.vectors):
        return None
    return _decide_in_floats(work, deadline, corral=corral)[0]


def _decide_in_floats(
    work: WorkingSet, deadline: Deadline, *, corral: int
) -> tuple[exact.Found | None, WorkingSet, Floats]:
    """Return what was found if floats are enough, and how far they came.

    When the corral has more vectors than given, or the search finds neither, a Newton method looks
    for weights before the search goes on.
    """
    p, found = _search(work, deadline, largest=corral)
    large = found is None and len(work.corral.at) > corral
    if not large:
        found = found or _certificate(work, p, deadline)
    found = found or _separated(work.space, deadline)
    if large and found is None:
        p, found = _search(work, deadline)
        found = found or _certificate(work, p, deadline)
    for _ in range(MAX_STRETCHES):
        stretched = None if found else work.stretched(p)
        if stretched is None:
            break
        work = stretched
        p, found = _search(work, deadline)
        found = found or _certificate(work, p, deadline)
    return found, work, p


def _separated(space: Space, deadline: Deadline) -> exact.Found | None:
    W = separate(space, deadline)
    return None if W is None else exact.Found(W, None, ())


def _search(
    work: WorkingSet, deadline: Deadline, *, largest: int | None = None
) -> tuple[Floats, exact.Found | None]:
    """Go on until the point separates every row, floats get no further or the corral is large."""
    for step in range(1, MAX_ROUNDS):
        p, state = approach(work, deadline, enough=True)
        W = work.weights(p)
        lowest = lowest_pairs(work.space, W)
        deadline.report("working set", step, len(work.pairs.row), lowest.below)
        if deadline.passed():
            raise TimeLimitReached(W, work.hull())
        if lowest.below == 0 and work.space.separated_by(W):
            return p, exact.Found(W, None, ())
        if lowest.below == 0 or state in {"origin", "stalled"}:
            break
        if work.extend(lowest.pairs) == 0 and state == "nearest":
            break
        if not finite(work.vectors) or (largest and len(work.corral.at) > largest):
            break
    return p, None


def _certificate(work: WorkingSet, p: Floats, deadline: Deadline) -> exact.Found | None:
    """Solve for the weights of the corral's pairs exactly; None if they are no certificate."""
    hull = work.hull()
    pairs = Pairs(np.array(hull.rows), np.array(hull.rivals))
    deadline.report("exact", 0, len(hull.rows))
    matrix = exact.block(work.space, pairs).matrix
    if not deadline.allows(exact.solve_seconds(matrix, len(hull.rows))):
        raise TimeLimitReached(work.weights(p), hull)
    weights = exact.dependency(matrix)
    if weights is None or min(weights) < 0:
        return None
    used = [t for t, weight in enumerate(weights) if weight > 0]
    return exact.Found(None, pairs.keep(used), tuple(weights[t] for t in used))


def _exactly(space: Space, hull: Hull, W: Floats, deadline: Deadline) -> exact.Found:
    def before_step(step: int, seconds: float) -> None:
        deadline.report("exact", step, len(hull.rows))
        if not deadline.allows(seconds):
            raise TimeLimitReached(W, hull)

    pairs = Pairs(np.array(hull.rows), np.array(hull.rivals))
    total = sum(Fraction(w) for w in hull.weights)
    return exact.settle(space, pairs, [Fraction(w) / total for w in hull.weights], before_step)


def _stack(above: Any, below: Any) -> Any:
    if isinstance(above, np.ndarray):
        return np.vstack([above, below])
    return sparse.csr_array(sparse.vstack([above, below]))


@contextmanager
def quiet() -> Iterator[None]:
    """Compute on one thread and let numbers overflow.

    Floats only propose here, so what they overflow to does not matter; and threads that wait for
    each other cost more than they bring on vectors as short as these.
    """
    with one_thread(), np.errstate(all="ignore"):
        yield


def finite(vectors: Any) -> bool:
    """Say whether floats can hold the vectors; integers may be beyond them."""
    values = vectors if isinstance(vectors, np.ndarray) else vectors.data
    return bool(np.isfinite(values).all())


def first_pairs(space: Space, W: Floats) -> Pairs:
    """Choose the first working set: all pairs if they are few, else rows near the boundary."""
    n, K = space.table.n, len(space.table.classes)
    if n * (K - 1) <= MAX_NEW_PAIRS:
        return space.every_pair()
    return lowest_pairs(space, W, bar=np.inf).pairs


class Lowest(NamedTuple):
    """Rows of little slack with their rivals, how many are not above the bar, the least slack."""

    pairs: Pairs
    below: int
    least: float


def lowest_pairs(space: Space, W: Floats, *, bar: float = 0.0) -> Lowest:
    """Rows with the least slack among those not above the bar, up to as many from every class."""
    quota = -(-MAX_NEW_PAIRS // int(np.count_nonzero(np.bincount(space.table.codes))))
    kept, below, least = Candidates(), 0, np.inf
    for rows, slack, rival in space.worst_blocks(W):
        low = ~(slack > bar)
        below += int(np.count_nonzero(low))
        least = np.fmin(least, slack.min())
        kept = kept.joined(Candidates(rows[low], slack[low], rival[low]))
        kept = kept.fewest(space.table.codes[kept.row], quota)
    return Lowest(Pairs(kept.row, kept.rival), below, float(least))


class Candidates(NamedTuple):
    """Rows with their slack and rival."""

    row: Ints = np.zeros(0, np.int64)
    slack: Floats = np.zeros(0)
    rival: Ints = np.zeros(0, np.int64)

    def joined(self, other: "Candidates") -> "Candidates":
        """Return these, then the others."""
        return Candidates(*(np.append(a, b) for a, b in zip(self, other, strict=True)))

    def fewest(self, codes: Ints, quota: int) -> "Candidates":
        """Return those of the least slack, up to as many from every class."""
        chosen = []
        for code in np.unique(codes):
            at = np.flatnonzero(codes == code)
            if len(at) > quota:
                at = at[np.argpartition(self.slack[at], quota)[:quota]]
            chosen.append(at)
        which = np.concatenate(chosen) if chosen else np.zeros(0, np.int64)
        return Candidates(self.row[which], self.slack[which], self.rival[which])


RELATIVE_GAP = 1e-6  # relative width of the interval that is good enough


def maximise_margin(space: Space, W: Array, deadline: Deadline) -> tuple[Array, Hull | None]:
    """Return weights of the largest margin found from a separating W on, and a hull point.

    Where the vectors are beyond floats, W is all there is.
    """
    even = Space(space.table, space.fit_intercept, even=True)
    work = WorkingSet.of(even, first_pairs(even, nearest(W)))
    if not finite(work.vectors):
        return W, None
    best, best_margin = W, margin(space.table, W)
    for step in range(1, 10_000):
        p, state = approach(work, deadline, enough=False)
        length, high = float(np.linalg.norm(even.weights(p))), _height(even, p)
        lowest = lowest_pairs(even, even.weights(p), bar=high * length)
        deadline.report("margin", step, len(work.pairs.row), lowest.below)
        if lowest.least > best_margin * length and space.separated_by(even.weights(p)):
            best, best_margin = even.weights(p), margin(space.table, even.weights(p))
        done = best_margin >= high * (1 - RELATIVE_GAP) or deadline.passed()
        new = 0 if done else work.extend(lowest.pairs)
        if done or (new == 0 and state != "going"):
            break
    return best, work.hull()


def _height(space: Space, p: Array) -> float:
    """Length of p in the units of the data."""
    scale = np.sqrt(0.5) if space.n_vectors > 1 else 1.0
    return float(np.linalg.norm(p) / space.scale.max() / scale)
