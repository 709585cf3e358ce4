"""A verdict on separability within the time that is allowed."""

from collections.abc import Callable
from functools import partial

import numpy as np

from rosenblatt.data.training_data import entries_in
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.preprocess.target import Label
from rosenblatt.separation.proof.verdict import Proof
from rosenblatt.types import Ints

MAX_UNTIMED_ENTRIES = 1 << 14  # entries that need no limit of time


def prove_in_time(
    encoded: EncodedData,
    classes: tuple[Label, ...],
    seconds: float,
    progress: Callable[[str], None] = lambda _: None,
    *,
    fit_intercept: bool = True,
) -> Proof | None:
    """A verdict on rows; None where no time is given, or they do not fit into memory."""
    if seconds <= 0 or encoded.on_disk:
        return None
    from rosenblatt.separation.decide import separability  # noqa: PLC0415 (slow to import)

    progress("Looking for a proof of separability")
    labels = np.array(classes)[encoded.codes]
    few = _some_rows(encoded)
    decide = partial(separability, fit_intercept=fit_intercept)
    if len(few) == len(labels):
        return decide(encoded.X, labels)
    if len(np.unique(labels[few])) > 1:
        decide(encoded.X[few], labels[few])  # kernels are compiled once, which must not count
    return decide(encoded.X, labels, time_limit=seconds)


def _some_rows(encoded: EncodedData) -> Ints:
    """As many rows as a verdict takes no time for, from all parts of the data."""
    n = len(encoded.codes)
    few = max(2, min(n, MAX_UNTIMED_ENTRIES * n // max(1, entries_in(encoded.rows))))
    return np.linspace(0, n - 1, few).astype(np.int64)
