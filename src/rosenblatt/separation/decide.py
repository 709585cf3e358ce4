"""Is it separable? A verdict with its proof.

Route: few rows of integers are left to a perceptron, whose weights separate or come back. For all
others a few epochs of the perceptron propose weights and order the rows; rows that one feature
alone decides are set aside; a working set of rows near the boundary decides in floats, first on
parts of the data that are less work; where that does not end soon a Newton method for the squared
hinge looks for weights; exact arithmetic confirms; the checker has the last word on the record
before it is returned. Without a time limit the answer is always one of the two.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.separation.proof import margins, verify
from rosenblatt.separation.proof.overlap import Overlap, overlap_of
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable, Undecided
from rosenblatt.separation.search.deadline import Deadline, Progress
from rosenblatt.separation.search.exact import Found
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.kind import kind_of
from rosenblatt.separation.search.overlap_evidence import SpanningPairs
from rosenblatt.separation.search.perceptron import decide_small, propose
from rosenblatt.separation.search.presolve import everything, rest_of
from rosenblatt.separation.search.subproblems import decide_narrow, decide_two
from rosenblatt.separation.search.working_set import (
    MAX_NEW_PAIRS,
    TimeLimitReached,
    decide,
    maximise_margin,
    quiet,
)
from rosenblatt.types import Array, Floats

SLACK_TIE_SHARE = 1e-9  # share by which slacks differ that are the same to rounding


def separability(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    maximise: bool = False,
    time_limit: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Proof:
    """Decide whether hyperplanes separate the classes, and prove it.

    Parameters
    ----------
    X, y
        Rows and labels of two classes or more: arrays, scipy sparse matrices, frames or lists.
        float32 is taken at its exact value, integers of any size stay exact, NaN is refused.
    fit_intercept
        Whether the planes have an intercept, that is whether (x, 1) or x is separated.
    maximise
        Whether to look for the largest margin γ*; the record then holds an interval around it.
    time_limit
        Seconds after which to give up and return `Undecided`; None for never.
    progress
        Called with a `Progress` now and then.

    Returns
    -------
    Separable, Inseparable or Undecided
        The last only with a time limit.

    Examples
    --------
    >>> print(separability([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    Not separable: 4 rows × 2 features, 2 classes.
    Proved by 4 row-class pairs whose signed sum is exactly 0; largest weights first (rows count
    from 0): 0, 1, 2, 3.
    The classes overlap: all weights put some row on the wrong side, or all on the boundary.
    """
    deadline = Deadline.within(time_limit, progress)
    table = read_table(X, y)
    space = Space(table, bool(fit_intercept))
    with quiet():
        proof = _prove(space, deadline, maximise=maximise)
        if not isinstance(proof, Undecided):
            verify.check(proof, table)
    return proof


def _prove(space: Space, deadline: Deadline, *, maximise: bool) -> Proof:
    try:
        found = _find(space, deadline)
    except TimeLimitReached as reached:
        return _undecided(space, reached)
    if found.W is None:
        return _inseparable(space, found, deadline)
    return _separable(space, found.W, deadline, maximise=maximise)


def _find(space: Space, deadline: Deadline) -> Found:
    found = decide_small(space, deadline)
    if found is not None:
        return found
    W, clean = propose(space, deadline)
    if clean and space.separated_by(W):
        return Found(W, None, ())
    rest = rest_of(space, deadline) if space.table.n > MAX_NEW_PAIRS else everything(space)
    try:
        found = rest.restored(_decide(rest.part, rest.weights(W), deadline))
    except TimeLimitReached as reached:
        raise rest.time_limit_reached(reached) from None
    if found.W is None or space.separated_by(found.W):
        return found
    return _decide(space, W, deadline)  # the weights of freed rows were beyond floats


def _decide(space: Space, W: Floats, deadline: Deadline) -> Found:
    if space.table.n == 0:
        return Found(np.zeros((space.n_vectors, space.width)), None, ())
    for part in (decide_two, decide_narrow):
        found = part(space, W, deadline)
        if found is not None:
            return found
    return decide(space, W, deadline)


def _about(space: Space) -> dict[str, Any]:
    table = space.table
    return {
        "classes": table.classes,
        "n_rows": table.n,
        "n_features": table.d,
        "fit_intercept": space.fit_intercept,
        "fingerprint": table.fingerprint,
    }


def _separable(space: Space, W: Array, deadline: Deadline, *, maximise: bool) -> Separable:
    table, hull, upper = space.table, None, None
    if maximise:
        W, hull = maximise_margin(space, W, deadline)
        upper = (
            None
            if hull is None
            else margins.hull_length(table, hull, fit_intercept=space.fit_intercept)
        )
    support = (
        margins.nearest_rows(table, W, SLACK_TIE_SHARE) if hull is None else sorted(set(hull.rows))
    )
    return Separable(
        **_about(space),
        W=W,
        margin=margins.margin(table, W),
        radius=margins.radius(table, fit_intercept=space.fit_intercept),
        support=tuple(support),
        upper=upper,
        hull=hull,
    )


def _inseparable(space: Space, found: Found, deadline: Deadline) -> Inseparable:
    pairs = found.pairs
    assert pairs is not None
    known = kind_of(space, found, deadline)
    total = sum(found.weights)
    order = sorted(range(len(found.weights)), key=lambda t: (-found.weights[t], pairs.row[t]))
    rows = tuple(int(pairs.row[t]) for t in order)
    rivals = tuple(int(pairs.rival[t]) for t in order)
    touching, evidence = known.touching, known.overlap
    overlap = None if evidence is None else _overlap(space, (rows, rivals), evidence)
    return Inseparable(
        **_about(space),
        rows=rows,
        rivals=rivals,
        weights=tuple(Fraction(found.weights[t], total) for t in order),
        kind="unknown" if known.kind == "overlap" and overlap is None else known.kind,
        touching=touching,
        tied=None if touching is None else int((margins.signs(space.table, touching) == 0).sum()),
        overlap=overlap,
    )


def _overlap(
    space: Space, certificate: tuple[tuple[int, ...], tuple[int, ...]], found: SpanningPairs
) -> Overlap | None:
    """Evidence for the record: the certificate's own pairs where they span, else with more."""
    pairs = found.pairs
    more = pairs.row.tolist(), pairs.rival.tolist(), found.weights
    prove = partial(
        overlap_of, space.table, certificate, fit_intercept=space.fit_intercept, null=found.null
    )
    return prove() or prove(more=more)


def _undecided(space: Space, reached: TimeLimitReached) -> Undecided:
    table = space.table
    upper = margins.radius(table, fit_intercept=space.fit_intercept)
    if reached.hull is not None:
        upper = min(
            upper, margins.hull_length(table, reached.hull, fit_intercept=space.fit_intercept)
        )
    W = reached.W if np.isfinite(reached.W).all() else np.zeros_like(reached.W)
    return Undecided(**_about(space), lower=margins.margin(table, W), upper=upper)
