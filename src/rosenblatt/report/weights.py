"""Weights and columns by their names, as plain data."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.io.chunks import Chunk
from rosenblatt.preprocess.column_encoders import TextColumn, width_of
from rosenblatt.preprocess.target import label_text
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.types import Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.persist.model import Model

MAX_WEIGHTS = 1000  # of a output in JSON, largest first


def columns_json(transformer: ColumnTransformer) -> list[dict[str, Any]]:
    """Name, kind and number of features of every column; the n-grams of text."""
    return [
        {"name": column.name, "kind": column.kind, "n_features": width_of(column)}
        | ({"ngrams": column.grams.spec} if isinstance(column, TextColumn) else {})
        for column in transformer.columns
    ]


def feature_maps_json(transformer: ColumnTransformer) -> list[dict[str, Any]]:
    """Every feature map as it was given, and the number of its features."""
    return [
        {"feature_map": step.spec, "n_features": step.map.n_outputs} for step in transformer.maps
    ]


def largest_features(coef: Floats) -> Ints:
    """Features whose weights are the largest in some output, the largest first."""
    return np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:MAX_WEIGHTS]


def largest_weights(
    classes: Sequence[str],
    default_names: Sequence[str],
    W: Floats,
    names: Mapping[int, str] | None = None,
) -> dict[str, dict[str, float]]:
    """The largest weights (w, b) of each output; `names` replace some default names."""
    features = largest_features(W[:, :-1])
    shown = [(names or {}).get(int(j), default_names[j]) for j in features]
    return weights_by_name(classes[-len(W) :], shown, np.column_stack([W[:, features], W[:, -1]]))


def weights_by_name(
    outputs: Sequence[str], features: Sequence[str], W: Floats
) -> dict[str, dict[str, float]]:
    """Weights (w, b) of each output by the names of the features, the intercept last."""
    intercept, *shown = _distinct(["intercept", *features])
    return {
        output: dict(zip([*shown, intercept], map(float, w), strict=True))
        for output, w in zip(_distinct(outputs), W, strict=True)
    }


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, made distinct by a number where one repeats."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return distinct


def named_weights(model: "Model", texts: Any) -> dict[str, dict[str, float]]:
    """The largest weights of a model by name, those of hashed n-grams by the n-grams of some texts.

    A model holds no text, so its n-grams have to be found in texts: the training texts or others.

    Parameters
    ----------
    model : Model
        A model with a text column, as `load` gives it.
    texts : polars or pandas frame
        Rows with the model's text columns.

    Returns
    -------
    dict
        Weights by feature for each output, the largest first and the intercept last. A feature that
        none of these n-grams is hashed to is named by its number.
    """
    from rosenblatt.persist.model import as_chunk  # noqa: PLC0415 (for frames alone)

    classes = [label_text(label) for label in model.classes]
    names = ngram_names_of_weights(model, [as_chunk(texts)])
    return largest_weights(classes, model.feature_names, model.W, names)


def ngram_names_of_weights(model: "Model", source: Iterable[Chunk]) -> dict[int, str]:
    """Names of the hashed features with the largest weights, found in a source."""
    from rosenblatt.pipeline.feature_names import ngram_names  # noqa: PLC0415 (for text alone)

    if not model.transformer.has_text:
        raise ModelError("The model has no text column: all its weights have names.")
    return ngram_names(source, model.transformer, largest_features(model.W[:, :-1]))
