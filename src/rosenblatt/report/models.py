"""What `show` tells about a model: figures as plain data, and as text."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.models.model import Model
from rosenblatt.report.weights import column_figures, largest_weights, map_figures
from rosenblatt.report.words import listed, weights_table
from rosenblatt.tables.targets import written


def model_figures(
    path: str, model: Model, names: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """All that a model file says; `names` are better ones for some features."""
    classes = [written(label) for label in model.classes]
    return {
        "model": path,
        "rule": model.rule,
        "classes": classes,
        "features": model.preparation.n_features,
        "target": model.preparation.target,
        "columns": column_figures(model.preparation),
        "maps": map_figures(model.preparation),
        "scaled": model.preparation.scaling is not None,
        "probabilities": model.link is not None,
        "weights": largest_weights(classes, model.feature_names, model.W, names),
        "training": model.summary,
    }


def model_words(told: dict[str, Any]) -> str:
    """The figures as text."""
    training = told["training"]
    lines = [
        (
            f"{told['model']}: {told['rule']}, {told['features']:,} features;"
            f" classes {listed(told['classes'])}"
        )
    ]
    if told["columns"]:
        lines.append("Columns: " + listed([_column(column) for column in told["columns"]]))
    if told["maps"]:
        lines.append("Features by " + " and ".join(made["map"] for made in told["maps"]))
    lines += _training_words(training)
    if told["scaled"]:
        lines.append("Weights are of the scaled features, so that they can be compared.")
    return "\n".join([*lines, weights_table(told["weights"], told["features"])])


def _training_words(training: Mapping[str, Any]) -> list[str]:
    """What a summary says of the training; it may be any JSON object, and say nothing of it."""
    lines = []
    match training:
        case {"source": str(source), "rows": int(rows)}:
            lines.append(f"Trained on {source}, {rows:,} rows.")
    match training:
        case {"outcome": str(outcome)}:
            lines.append(outcome)
    match training.get("test"):
        case {
            "accuracy": float(accuracy),
            "interval": [float(low), float(high)],
            "method": str(method),
        }:
            lines.append(
                f"Right on new rows: {accuracy:.2%} (95 % interval {low:.2%} to {high:.2%}, by"
                f" {method})."
            )
    return lines


def _column(column: dict[str, Any]) -> str:
    read = f", {column['read']}" if "read" in column else ""
    return f"{column['name']} ({column['kind']}{read})"
