"""A saved model as plain data and as text: the output of `show`."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.persist.model import Model
from rosenblatt.preprocess.target import label_text
from rosenblatt.report.text import (
    SHOWN_CLASSES,
    SHOWN_COLUMNS,
    interval_text,
    percent,
    weights_table,
)
from rosenblatt.report.weights import columns_json, feature_maps_json, largest_weights
from rosenblatt.text import listed


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
