"""What `show` tells about a model: figures as plain data, and as text."""

from typing import Any

import numpy as np

from rosenblatt.models.model import Model
from rosenblatt.report.words import listed, weights_by_name, weights_table
from rosenblatt.tables.columns import width_of

MOST_WEIGHTS = 1000


def model_figures(path: str, model: Model) -> dict[str, Any]:
    """All that a model file says."""
    classes = [str(label) for label in model.classes]
    features = np.argsort(-np.abs(model.W[:, :-1]).max(axis=0), kind="stable")[:MOST_WEIGHTS]
    names = [model.feature_names[j] for j in features]
    W = np.column_stack([model.W[:, features], model.W[:, -1]])
    return {
        "model": path,
        "rule": model.rule,
        "classes": classes,
        "features": model.preparation.n_features,
        "target": model.preparation.target,
        "columns": [
            {"name": c.name, "kind": type(c).__name__.lower(), "features": width_of(c)}
            for c in model.preparation.columns
        ],
        "scaled": model.preparation.scaling is not None,
        "probabilities": model.link is not None,
        "weights": weights_by_name(classes[-len(W) :], names, W),
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
        lines.append("Columns: " + listed([f"{c['name']} ({c['kind']})" for c in told["columns"]]))
    if "source" in training:  # a model of the command line; others tell less
        lines.append(f"Trained on {training['source']}, {training['rows']:,} rows.")
    if "outcome" in training:
        lines.append(training["outcome"])
    if training.get("test") is not None:
        low, high = training["test"]["interval"]
        lines.append(
            f"Right on new rows: {training['test']['accuracy']:.2%} (95 % interval {low:.2%} to"
            f" {high:.2%}, by {training['test']['method']})."
        )
    if told["scaled"]:
        lines.append("Weights are of the scaled features, so that they can be compared.")
    return "\n".join([*lines, weights_table(told["weights"], told["features"])])
