"""How good decisions, scores and probabilities are on rows of known classes."""

from typing import Any

import numpy as np

from rosenblatt.arrays import Array, Floats, Ints

BINS = 10  # of a calibration table
LEAST = 1e-15  # probability that a logarithm is taken of


def metrics(
    true: Ints, scores: Floats, decided: Ints, probabilities: Floats | None, n_classes: int
) -> dict[str, Any]:
    """All figures for some rows; probabilities and what needs them only where there are any."""
    right = true == decided
    recalls, f1 = per_class(true, decided, n_classes)
    told: dict[str, Any] = {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(np.nanmean(recalls)),
        "f1": _told(f1[1] if n_classes == 2 else np.nanmean(f1)),
        "auc": auc(true, scores, n_classes),
        "log_loss": None,
        "brier": None,
        "calibration": None,
    }
    if probabilities is not None:
        own = probabilities[np.arange(len(true)), true]
        hits = np.eye(n_classes)[true]
        told["log_loss"] = float(-np.log(np.maximum(own, LEAST)).mean())
        squares = ((probabilities - hits) ** 2).sum(axis=1).mean()
        told["brier"] = float(squares / 2 if n_classes == 2 else squares)
        told["calibration"] = calibration(probabilities.max(axis=1), right)
    return told


def per_class(true: Ints, decided: Ints, n_classes: int) -> tuple[Floats, Floats]:
    """Recall and F1 of each class; not a number where a class has no rows."""
    hits = np.bincount(true[true == decided], minlength=n_classes).astype(float)
    rows = np.bincount(true, minlength=n_classes).astype(float)
    claims = np.bincount(decided, minlength=n_classes)
    with np.errstate(invalid="ignore"):
        recalls = hits / rows
        f1 = 2.0 * hits / (rows + claims)
    f1[rows == 0] = np.nan
    return recalls, f1


def _told(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)


def auc(true: Ints, scores: Floats, n_classes: int) -> float | None:
    """Chance that a row of a class scores above one of another; the mean over many classes."""
    if n_classes == 2:
        return area(true == 1, scores[:, -1])
    areas = [area(true == k, scores[:, k]) for k in range(n_classes)]
    known = [a for a in areas if a is not None]
    return float(np.mean(known)) if known else None


def area(positive: Array, scores: Floats) -> float | None:
    """Area under the curve of true against false positives, by ranks; ties count one half."""
    n_positive = int(np.count_nonzero(positive))
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[place]
    above = float(ranks[positive].sum()) - n_positive * (n_positive + 1) / 2.0
    return above / (n_positive * n_negative)


def calibration(confidence: Floats, right: Array) -> dict[str, Any]:
    """How often decisions of each confidence are right, and by how much the two differ."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    table = []
    for b in range(BINS):
        here = bins == b
        if here.any():
            said, was = float(confidence[here].mean()), float(right[here].mean())
            table.append({"rows": int(here.sum()), "said": said, "right": was})
    error = sum(row["rows"] * abs(row["said"] - row["right"]) for row in table) / len(right)
    return {"error": float(error), "table": table}
