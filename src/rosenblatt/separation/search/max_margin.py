"""The largest margin, bracketed.

In the vectors (x, 1) as they are, the nearest point p of the hull gives γ* ≤ |p|, and the weights
p give γ* ≥ min_i a_i·p / |p|. Both meet as the working set comes to hold all support rows.
"""

import numpy as np

from rosenblatt.separation.proof.margins import Hull, margin, nearest
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.working_set import (
    WorkingSet,
    approach,
    finite,
    first_pairs,
    lowest_pairs,
)
from rosenblatt.types import Array

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
