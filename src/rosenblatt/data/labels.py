"""Validation of labels: one per row, all of one kind, none missing; classes and their codes."""

import warnings
from typing import Any

import numpy as np

from rosenblatt.csr import is_sparse
from rosenblatt.data.validation import refuse_masked, refuse_missing
from rosenblatt.errors import DataError
from rosenblatt.types import Array, Codes, Ints

MAX_COMPARED_CLASSES = 8  # up to which comparing is faster than sorting
MIN_ROUNDED_INTEGER = 2**53  # from here on float64 does not represent every integer
LABELS_AT_ONCE = 16_384  # keeps temporary arrays small


def labels_of(y: Any, n: int) -> Array:
    """Labels of n rows as a one-dimensional array without missing values."""
    if y is None:
        raise DataError("This estimator requires y to be passed, but the target y is None.")
    if is_sparse(y):
        raise DataError("y must be a dense list of labels; got a sparse matrix. Use y.toarray().")
    labels = _array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_column_vector()
        labels = labels[:, 0]
    if labels.ndim != 1:
        shape = f"y should be a 1d array, got an array of shape {labels.shape} instead."
        raise DataError(
            f"{shape} Give one label per row; `TanhPerceptron` accepts a matrix of targets."
        )
    if len(labels) != n:
        raise DataError(
            f"X has {n} rows but y has {len(labels)} labels; the numbers must be equal."
        )
    refuse_missing(labels)
    _check_single(labels)
    _check_whole(labels)
    return labels


def classes_of(labels: Array) -> Array:
    """Sorted distinct labels."""
    try:
        found = labels[:0]
        for part in _parts(labels):
            new = part[~_among(part, found)] if len(found) <= MAX_COMPARED_CLASSES else part
            if len(new):
                found = np.unique(np.concatenate([found, new]))
    except TypeError as error:
        raise _mixed(labels) from error
    return found


def classes_joined(known: Array, new: Array) -> Array:
    """Sorted distinct labels of both."""
    check_same_kind(new, known)
    if not len(known):
        return classes_of(new)
    if {known.dtype.kind, new.dtype.kind} == {"i", "u"}:  # numpy would promote both to float64
        labels = [*known.tolist(), *new.tolist()]
        signed = max(labels) <= np.iinfo(np.int64).max
        if not signed and min(labels) < 0:
            raise DataError(f"Labels from {min(labels)} to {max(labels)} have no common type.")
        return classes_of(np.array(labels, np.int64 if signed else np.uint64))
    return classes_of(np.concatenate([known, new]))


def codes_of(labels: Array, classes: Array) -> Codes:
    """Class code of every label: its index in the sorted classes, as int8 if they fit."""
    smallest = np.int8 if len(classes) <= np.iinfo(np.int8).max else np.int32
    codes: Codes = np.empty(len(labels), smallest)
    for start, part in zip(range(0, len(labels), LABELS_AT_ONCE), _parts(labels), strict=True):
        places, known = _places(part, classes)
        if not known.all():
            unknown = np.flatnonzero(~known)
            shown = ", ".join(repr(c) for c in classes.tolist()[:10])
            raise DataError(
                f"y holds {part.tolist()[unknown[0]]!r}, which is not one of the"
                f" {len(classes)} classes {shown}{', …' if len(classes) > 10 else ''}."
            )
        codes[start : start + len(part)] = places
    return codes


def _among(labels: Array, classes: Array) -> Array:
    """Whether each label is one of a few classes: comparing is faster than sorting."""
    known = np.zeros(len(labels), bool)
    for c in classes:
        known |= labels == c
    return known


def _places(labels: Array, classes: Array) -> tuple[Array, Array]:
    """Index of each label in the sorted classes, and whether it is one of them."""
    if len(classes) > MAX_COMPARED_CLASSES:
        found = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        return found, classes[found] == labels
    places, known = np.zeros(len(labels), np.int8), np.zeros(len(labels), bool)
    for code, c in enumerate(classes):
        here = labels == c
        places += here * np.int8(code)
        known |= here
    return places, known


def class_counts(codes: Codes, n_classes: int) -> Ints:
    """Number of rows of each class."""
    if n_classes <= MAX_COMPARED_CLASSES:
        return np.array([np.count_nonzero(codes == c) for c in range(n_classes)], np.int64)
    counts = np.zeros(n_classes, np.int64)
    for part in _parts(codes):  # bincount converts its input to 64 bits
        counts += np.bincount(part, minlength=n_classes)
    return counts


def given_classes(classes: Any) -> Array:
    """Sorted classes given as a list of labels, none missing."""
    try:
        labels = labels_of(classes, np.size(classes))
    except DataError as error:
        raise DataError(f"classes must be a list of labels: {error}") from error
    if not len(labels):
        raise DataError("classes must be a list of labels; got none.")
    return classes_of(labels)


def check_same_kind(labels: Array, classes: Array) -> None:
    """Refuse labels of another kind than the classes so far, such as strings after numbers."""
    if not len(labels) or not len(classes):
        return
    if _kind(labels) != _kind(classes):
        raise DataError(
            f"y holds labels such as {labels[:1].tolist()[0]!r}, but the classes so far are of"
            f" another kind: {classes[:1].tolist()[0]!r}. Use labels of one kind."
        )
    both = labels, classes
    if {"f"} < {part.dtype.kind for part in both}:
        largest = max((np.abs(part).max() for part in both), key=float)
        if largest >= MIN_ROUNDED_INTEGER:
            raise DataError(
                f"Labels as large as {largest} would be rounded, as whole numbers are mixed with"
                " float64. Use labels of one type."
            )


def _kind(labels: Array) -> str:
    """Kind of the labels, whatever their dtype."""
    kind, first = labels.dtype.kind, labels[0]
    if kind == "U" or (kind == "O" and isinstance(first, str)):
        return "words"
    if kind in "iufb" or (kind == "O" and isinstance(first, (int, float, np.number))):
        return "numbers"
    return f"{kind} {type(first).__name__}" if kind == "O" else kind


def _array(y: Any) -> Array:
    """Labels as an array; a list is checked before numpy turns its numbers into strings."""
    if isinstance(y, (list, tuple)):
        as_given = np.empty(len(y), object)
        as_given[:] = y
        refuse_missing(as_given)
        words = sum(isinstance(label, str) for label in y)
        if 0 < words < len(y):
            raise _mixed(as_given)
        _check_exact(y)
    refuse_masked(y, "y")
    try:
        labels = np.asarray(y)
    except ValueError as error:
        raise DataError(f"y must hold one label per row: {error}.") from error
    return labels.astype(object) if labels.dtype.kind == "T" else labels


def _parts(labels: Array) -> list[Array]:
    return [
        labels[start : start + LABELS_AT_ONCE] for start in range(0, len(labels), LABELS_AT_ONCE)
    ] or [labels]


def _check_exact(y: Any) -> None:
    """Refuse integers that numpy would round to float64."""
    large = [c for c in y if isinstance(c, int) and abs(c) >= MIN_ROUNDED_INTEGER]
    if large and np.asarray(y).dtype.kind == "f":
        raise DataError(
            f"y holds labels such as {large[0]}, which float64 rounds. Turn them into strings."
        )


def _check_single(labels: Array) -> None:
    """Refuse labels that are sequences, which numpy would compare element by element."""
    first = labels[0] if labels.dtype.kind == "O" and len(labels) else None
    if isinstance(first, (tuple, list, np.ndarray)):
        raise DataError(f"y must hold one label per row; row 0 holds {first!r}.")


def _check_whole(labels: Array) -> None:
    """Refuse a regression target: numbers that are not integers."""
    if labels.dtype.kind != "f":
        return
    broken = np.flatnonzero(labels != np.floor(labels))
    if len(broken):
        row = int(broken[0])
        raise DataError(
            f"Unknown label type: continuous. y holds {labels[row]} at row {row}; a classifier"
            " needs classes. Bin the values into classes, or predict the values themselves with"
            " `LeastSquaresRegressor` or `LMSRegressor`."
        )


def _mixed(labels: Array) -> DataError:
    kinds = sorted({type(label).__name__ for label in labels})
    return DataError(
        f"Labels of y must all be of one kind; got {', '.join(kinds)}."
        " Turn them into strings first."
    )


def _warn_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning  # noqa: PLC0415 (slow to import)

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Use y.ravel().",
        DataConversionWarning,
        stacklevel=5,
    )
