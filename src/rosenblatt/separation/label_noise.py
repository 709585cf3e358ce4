"""Bounds on how many labels must change for the classes to be separable.

Every certificate holds at least one row whose label must change before planes can separate the
classes, so certificates without a common row are a lower bound. The mistakes of any weights
are an upper bound: drop or relabel these rows and the weights separate the rest. (A row on the
boundary counts as a mistake; a small enough change of the weights moves it to either side.)

There is one exception. Without an intercept a row of zeros lies on every hyperplane through the
origin, whatever its label: it can be dropped, but no relabelling separates the classes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.separation.proof.margins import nearest, signs
from rosenblatt.separation.proof.table import Table
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.search.deadline import Deadline, Progress
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.perceptron import propose
from rosenblatt.separation.search.working_set import TimeLimitReached, decide, quiet
from rosenblatt.types import Array, Floats, Ints

MAX_NAMED_ROWS = 5
MAX_EXCHANGE_WORK = 20_000  # weights times rows up to which mistakes are won back one by one


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """Bounds on the fewest rows to relabel, or to drop, before planes separate the classes.

    ``certificates`` are the row numbers of disjoint certificates: one label of each must change.
    ``mistakes`` are the rows that the weights ``W`` put on the wrong side or on the boundary.
    ``zero_rows`` are the rows of zeros where there is no intercept: while there are any, no change
    of labels separates the classes, and the bounds hold for dropping rows only.
    """

    certificates: tuple[tuple[int, ...], ...]
    mistakes: tuple[int, ...]
    W: Array
    zero_rows: tuple[int, ...] = ()

    @property
    def lower(self) -> int:
        """Labels that must change, or rows that must be dropped, at least."""
        return len(self.certificates)

    @property
    def upper(self) -> int | None:
        """Labels that need to change at most; None if no change of labels is enough."""
        return None if self.zero_rows else self.upper_dropped

    @property
    def upper_dropped(self) -> int:
        """Rows that need to be dropped at most."""
        return len(self.mistakes)

    def __str__(self) -> str:
        if not self.zero_rows and self.lower == self.upper:
            return f"{self.lower} {'label needs' if self.lower == 1 else 'labels need'} to change."
        if not self.zero_rows:
            return f"At least {self.lower} and at most {self.upper} labels need to change."
        first = ", ".join(map(str, self.zero_rows[:MAX_NAMED_ROWS]))
        more = ", …" if len(self.zero_rows) > MAX_NAMED_ROWS else ""
        return (
            f"No change of labels makes the classes separable: without an intercept, rows of zeros "
            f"({len(self.zero_rows)}: {first}{more}) lie on every boundary. At least {self.lower} "
            f"and at most {self.upper_dropped} rows must be dropped; or fit an intercept."
        )


def label_noise_bounds(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    max_certificates: int = 100,
    time_limit: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> LabelNoise:
    """Bounds on the number of labels that must change for the classes to be separable.

    Examples
    --------
    >>> print(label_noise_bounds([[0], [1], [2], [3], [4]], [0, 1, 0, 1, 1]))
    1 label needs to change.
    """
    if max_certificates < 0:
        raise ParameterError(f"max_certificates must not be negative; got {max_certificates}.")
    deadline = Deadline.within(time_limit, progress)
    table = read_table(X, y)
    space = Space(table, bool(fit_intercept))
    with quiet():
        first, _ = propose(space, deadline)
        certificates, last = _disjoint(space, first, deadline, max_certificates)
        guesses = [*last, first, *_constant(space)]
        found = [(_mistakes(table, guess), guess) for guess in guesses]
        mistakes, best = _fewer(space, *min(found, key=lambda pair: len(pair[0])), deadline)
    return LabelNoise(tuple(certificates), tuple(mistakes.tolist()), best, _zero_rows(space))


def _zero_rows(space: Space) -> tuple[int, ...]:
    """Rows z = 0; with an intercept, z = (x, 1) is never 0."""
    if space.fit_intercept:
        return ()
    zero = np.ones(space.table.n, dtype=bool)
    for rows in space.table.blocks():
        zero[rows[space.table.entries(rows).row]] = False
    return tuple(np.flatnonzero(zero).tolist())


def _disjoint(
    space: Space, start: Floats, deadline: Deadline, most: int
) -> tuple[list[tuple[int, ...]], list[Array]]:
    """Take certificates away until none is left; also return the weights that separate the rest."""
    left, certificates = np.arange(space.table.n), list[tuple[int, ...]]()
    while len(certificates) < most and len(np.unique(space.table.codes[left])) > 1:
        part = Space(space.table.take(left), space.fit_intercept)
        try:
            found = decide(part, start, deadline)
        except TimeLimitReached as reached:
            return certificates, [reached.W]
        if found.pairs is None:
            return certificates, [] if found.W is None else [found.W]
        rows = np.unique(found.pairs.row)
        certificates.append(tuple(left[rows].tolist()))
        left = np.delete(left, rows)
    return certificates, []


def _fewer(space: Space, mistakes: Ints, W: Array, deadline: Deadline) -> tuple[Ints, Array]:
    """Win back mistakes one by one, where weights separate that row too."""
    table = space.table
    if table.n * space.n_vectors * space.width > MAX_EXCHANGE_WORK:
        return mistakes, W
    for row in mistakes.tolist():
        if row not in mistakes:
            continue
        wanted = np.setdiff1d(np.arange(table.n), mistakes[mistakes != row])
        try:
            found = decide(Space(table.take(wanted), space.fit_intercept), nearest(W), deadline)
        except TimeLimitReached:
            break
        if found.W is not None:
            W, mistakes = found.W, _mistakes(table, found.W)
    return mistakes, W


def _constant(space: Space) -> list[Floats]:
    """Weights that give every row the most frequent class, if there is an intercept."""
    if not space.fit_intercept:
        return []
    W = np.zeros((space.n_vectors, space.width))
    common = int(np.bincount(space.table.codes).argmax())
    k, value = (0, 2.0 * common - 1.0) if space.n_vectors == 1 else (common, 1.0)
    W[k, -1] = value
    return [W]


def _mistakes(table: Table, W: Array) -> Ints:
    return np.flatnonzero(signs(table, W) <= 0)
