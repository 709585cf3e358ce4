"""Weights and columns by their names, as plain data."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.preprocess.column_encoders import Text, width_of
from rosenblatt.preprocess.transformer import Preparation
from rosenblatt.types import Floats, Ints

MAX_WEIGHTS = 1000  # of a unit in JSON, largest first


def columns_json(preparation: Preparation) -> list[dict[str, Any]]:
    """Name and kind of every column, and how many features it becomes; how text is read."""
    return [
        {"name": column.name, "kind": type(column).__name__.lower(), "n_features": width_of(column)}
        | ({"ngrams": column.grams.written} if isinstance(column, Text) else {})
        for column in preparation.columns
    ]


def feature_maps_json(preparation: Preparation) -> list[dict[str, Any]]:
    """Every feature map as it was asked for, and how many features come out of it."""
    return [
        {"feature_map": step.written, "n_features": step.map.n_outputs} for step in preparation.maps
    ]


def largest_features(coef: Floats) -> Ints:
    """Features whose weights are the largest in some unit, the largest first."""
    return np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:MAX_WEIGHTS]


def largest_weights(
    classes: Sequence[str], usual: Sequence[str], W: Floats, names: Mapping[int, str] | None = None
) -> dict[str, dict[str, float]]:
    """The largest weights (w, b) of each unit; `names` are better than the usual ones."""
    features = largest_features(W[:, :-1])
    called = [(names or {}).get(int(j), usual[j]) for j in features]
    return weights_by_name(classes[-len(W) :], called, np.column_stack([W[:, features], W[:, -1]]))


def weights_by_name(
    units: Sequence[str], features: Sequence[str], W: Floats
) -> dict[str, dict[str, float]]:
    """Weights (w, b) of each unit by the names of the features, the intercept last."""
    intercept, *called = _distinct(["intercept", *features])
    return {
        unit: dict(zip([*called, intercept], map(float, w), strict=True))
        for unit, w in zip(_distinct(units), W, strict=True)
    }


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, made distinct by a number where one repeats."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return distinct
