"""A saved model and its weights as plain data and as text: the output of `show`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.io.chunks import Chunk
from rosenblatt.persist.model import Model
from rosenblatt.preprocess.column_encoders import TextColumn, width_of
from rosenblatt.preprocess.target import label_text
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.report.text import (
    SHOWN_CLASSES,
    SHOWN_COLUMNS,
    interval_text,
    percent,
    weights_table,
)
from rosenblatt.text import listed
from rosenblatt.types import Floats, Ints

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


def named_weights(model: Model, texts: Any) -> dict[str, dict[str, float]]:
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


def ngram_names_of_weights(model: Model, source: Iterable[Chunk]) -> dict[int, str]:
    """Names of the hashed features with the largest weights, found in a source."""
    from rosenblatt.pipeline.encoded_data import ngram_names  # noqa: PLC0415 (for text alone)

    if not model.transformer.has_text:
        raise ModelError("The model has no text column: all its weights have names.")
    return ngram_names(source, model.transformer, largest_features(model.W[:, :-1]))


def model_json(path: str, model: Model, names: Mapping[int, str] | None = None) -> dict[str, Any]:
    """A model file as plain data; `names` replace the names of some features."""
    classes = [label_text(label) for label in model.classes]
    return {
        "model": path,
        "rule": model.rule,
        "classes": classes,
        "n_features": model.transformer.n_features,
        "target": model.transformer.target,
        "columns": columns_json(model.transformer),
        "feature_maps": feature_maps_json(model.transformer),
        "scaled": model.transformer.scaling is not None,
        "has_probabilities": model.link is not None,
        "weights": largest_weights(classes, model.feature_names, model.W, names),
        "training": model.summary,
    }


def model_text(model_data: dict[str, Any]) -> str:
    """The summary of a model as text."""
    training = model_data["training"]
    lines = [
        (
            f"{model_data['model']}: {model_data['rule']}, {model_data['n_features']:,} features;"
            f" classes {listed(model_data['classes'], SHOWN_CLASSES)}"
        )
    ]
    if model_data["columns"]:
        columns = [_column(column) for column in model_data["columns"]]
        lines.append(f"Columns: {listed(columns, SHOWN_COLUMNS)}")
    if model_data["feature_maps"]:
        lines.append(
            "Feature map: "
            + " and ".join(each["feature_map"] for each in model_data["feature_maps"])
        )
    lines += _training_text(training)
    if model_data["scaled"]:
        lines.append(
            "The weights are those of the scaled features, so their sizes can be compared."
        )
    return "\n".join([*lines, weights_table(model_data["weights"], model_data["n_features"])])


def _training_text(training: Mapping[str, Any]) -> list[str]:
    """The training, from a summary that may be any JSON object."""
    lines = []
    match training:
        case {"source": str(source), "n_rows": int(rows)}:
            lines.append(f"Trained on {source}, {rows:,} rows.")
    match training:
        case {"outcome": str(outcome)}:
            lines.append(outcome)
    match training.get("evaluation"):
        case {
            "accuracy": float(accuracy),
            "accuracy_interval": [float(low), float(high)],
            "method": str(method),
        }:
            lines.append(
                f"Accuracy ({method}): {percent(accuracy)}, 95 % CI {interval_text(low, high)}."
            )
    return lines


def _column(column: dict[str, Any]) -> str:
    read = f", {column['ngrams']}" if "ngrams" in column else ""
    return f"{column['name']} ({column['kind']}{read})"
