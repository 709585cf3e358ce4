"""The separability test within a time limit."""

from collections.abc import Callable
from functools import partial

import numpy as np

from rosenblatt.data.training_data import entries_in
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.preprocess.target import Label
from rosenblatt.separation.proof.verdict import Proof
from rosenblatt.types import Ints

MAX_UNTIMED_ENTRIES = 1 << 14  # entries whose test needs no time limit


def prove_in_time(
    encoded: EncodedData,
    classes: tuple[Label, ...],
    seconds: float,
    progress: Callable[[str], None] = lambda _: None,
    *,
    fit_intercept: bool = True,
) -> Proof | None:
    """The verdict on encoded rows; None without time, or where they do not fit into memory."""
    if seconds <= 0 or encoded.on_disk:
        return None
    from rosenblatt.separation.decide import separability  # noqa: PLC0415 (slow to import)

    progress("Testing separability")
    labels = np.array(classes)[encoded.codes]
    few = _few_rows(encoded)
    decide = partial(separability, fit_intercept=fit_intercept)
    if len(few) == len(labels):
        return decide(encoded.X, labels)
    if len(np.unique(labels[few])) > 1:
        decide(encoded.X[few], labels[few])  # compiles the kernels, which must not count
    return decide(encoded.X, labels, time_limit=seconds)


def _few_rows(encoded: EncodedData) -> Ints:
    """Evenly spaced rows, so few that their test takes no time."""
    n = len(encoded.codes)
    few = max(2, min(n, MAX_UNTIMED_ENTRIES * n // max(1, entries_in(encoded.rows))))
    return np.linspace(0, n - 1, few).astype(np.int64)
