"""A verdict on separability within the time that is allowed."""

from collections.abc import Callable
from functools import partial

import numpy as np

from rosenblatt.arrays import Ints
from rosenblatt.data.problem import entries_in
from rosenblatt.evidence.proof.verdict import Proof
from rosenblatt.fitting.building import Built
from rosenblatt.tables.targets import Label

QUICKLY_PROVED = 1 << 14  # entries that need no limit of time


def proved(
    built: Built,
    classes: tuple[Label, ...],
    seconds: float,
    listen: Callable[[str], None] = lambda _: None,
    *,
    fit_intercept: bool = True,
) -> Proof | None:
    """A verdict on rows; None where no time is given, or they do not fit into memory."""
    if seconds <= 0 or built.on_disk:
        return None
    from rosenblatt.evidence.separability import separability  # noqa: PLC0415 (slow to import)

    listen("Looking for a proof of separability")
    labels = np.array(classes)[built.codes]
    few = _some_rows(built)
    decide = partial(separability, fit_intercept=fit_intercept)
    if len(few) == len(labels):
        return decide(built.X, labels)
    if len(np.unique(labels[few])) > 1:
        decide(built.X[few], labels[few])  # kernels are compiled once, which must not count
    return decide(built.X, labels, time_limit=seconds)


def _some_rows(built: Built) -> Ints:
    """As many rows as a verdict takes no time for, from all parts of the data."""
    n = len(built.codes)
    few = max(2, min(n, QUICKLY_PROVED * n // max(1, entries_in(built.rows))))
    return np.linspace(0, n - 1, few).astype(np.int64)
