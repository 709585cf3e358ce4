"""The door for weights: of each row, and of each class by its label."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.missing import refuse_masked
from rosenblatt.data.problem import no_weights
from rosenblatt.errors import DataError, ParameterError

LEAST, MOST = 1e-100, 1e100  # so that squares of weights are numbers, too


def weights_of(sample_weight: Any, n: int, *, some_positive: bool = True) -> Floats:
    """Weight of each of n rows: finite, not negative, and at least one positive if asked for."""
    if sample_weight is None:
        return no_weights(n)
    weights = _real_numbers(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.ndim != 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar; sample_weight has {weights.ndim}"
            " dimensions."
        )
    if len(weights) != n:
        raise DataError(f"sample_weight has {len(weights)} entries but X has {n} rows.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise DataError(
            f"sample_weight must be finite and not negative; entry {bad[0]} is {weights[bad[0]]}."
        )
    if some_positive and not weights.any():
        raise DataError("sample_weight is zero for every row; at least one must be positive.")
    extreme = np.flatnonzero((weights > MOST) | ((weights > 0) & (weights < LEAST)))
    if len(extreme):
        raise DataError(
            f"sample_weight must be 0 or between {LEAST:g} and {MOST:g}; entry {extreme[0]} is"
            f" {weights[extreme[0]]}."
        )
    return np.ascontiguousarray(weights)


def class_weights_of(class_weight: Any, classes: Array, counted: Callable[[], Array]) -> Floats:
    """Weight of each class: 1, as given by label, or "balanced" n / (K n_k) of those counted."""
    if isinstance(class_weight, str):
        counts = counted()
        seen = np.count_nonzero(counts)
        return np.asarray(counts.sum() / (seen * np.where(counts > 0, counts, 1)), np.float64)
    weights, strangers = weights_by_label(class_weight or {}, classes)
    if strangers and len(class_weight) - len(strangers) < len(classes):
        raise ParameterError(
            f"class_weight names {strangers[0]!r}, which is none of the classes"
            f" {', '.join(repr(c) for c in classes.tolist()[:10])}."
        )
    return weights


def weights_by_label(given: dict[Any, float], classes: Array) -> tuple[Floats, list[Any]]:
    """Weight of each class, 1 where none is given; and the labels that are none of the classes."""
    weights, strangers = np.ones(len(classes)), []
    for label, weight in given.items():
        here = np.zeros(len(classes), bool) if np.ndim(label) else classes == _as_in(classes, label)
        weights[here] = weight
        if not np.any(here):
            strangers.append(label)
    return weights, strangers


def _as_in(classes: Array, label: Any) -> Any:
    """A label as it stands among the classes; of dates numpy has a type of its own."""
    dated = classes.dtype.kind in "mM" and not isinstance(label, (int, float, str))
    return np.asarray(label, classes.dtype) if dated else label


def _real_numbers(sample_weight: Any) -> Floats:
    refuse_masked(sample_weight, "sample_weight")
    try:
        weights = np.asarray(sample_weight)
        if weights.dtype.kind == "c":
            raise DataError("sample_weight must hold real numbers; got complex ones.")
        return weights.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"sample_weight must hold numbers: {error}.") from error
