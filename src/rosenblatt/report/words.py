"""A fitted line and its evidence in figures and in sentences.

`figures` gives what there is to say as plain data, the form of `--json`; `sentences` turns it into
text. Nothing is computed that the model does not already know, but for its training accuracy.
"""

from typing import Any

import numpy as np

from rosenblatt.data.builtin import Dataset
from rosenblatt.evidence.proof.verdict import Inseparable, Proof, Separable

SHOWN_PASSES = 12
SHOWN_WEIGHTS = 10


def figures(source: str, data: Dataset, model: Any) -> dict[str, Any]:
    """What there is to say about a model that was fitted to some data."""
    counts = {str(c): int(np.count_nonzero(data.y == c)) for c in model.classes_}
    names = list(data.feature_names)
    units = [str(model.classes_[1])] if len(model.coef_) == 1 else list(counts)
    return {
        "source": source,
        "rows": len(data.X),
        "features": len(names),
        "classes": counts,
        "rule": type(model).__name__,
        "settings": model.get_params(),
        "outcome": str(model.outcome_),
        "converged": model.outcome_.converged,
        "passes": getattr(model, "n_iter_", None),  # a closed form has none
        "mistakes": _mistakes_of(model),
        "objective": getattr(model, "objective_", None),
        "gap": getattr(model, "gap_", None),
        "training_accuracy": float(np.mean(model.predict(data.X) == data.y)),
        "majority_share": max(counts.values()) / len(data.X),
        "weights": {
            unit: dict(zip([*names, "bias"], [*map(float, w), float(b)], strict=True))
            for unit, w, b in zip(units, model.coef_, model.intercept_, strict=True)
        },
    }


def _mistakes_of(model: Any) -> list[int] | None:
    """Mistakes of each pass; none are told by a rule that makes no passes, or proves its gap."""
    if not hasattr(model, "trace_") or hasattr(model, "gap_"):
        return None
    mistakes: list[int] = model.trace_.column("mistakes")
    return mistakes


def verdict_figures(proof: Proof) -> dict[str, Any]:
    """A verdict on separability as plain data."""
    told: dict[str, Any] = {"verdict": proof.answer, "explanation": str(proof)}
    if isinstance(proof, Separable):
        told |= {
            "margin": proof.margin,
            "radius": proof.radius,
            "mistake_bound": proof.mistake_bound,
        }
    if isinstance(proof, Inseparable):
        told |= {
            "rows": list(proof.rows),
            "weights": [str(weight) for weight in proof.weights],
            "kind": proof.kind,
        }
    return told


def sentences(told: dict[str, Any]) -> str:
    """The figures of a fit as text."""
    classes = ", ".join(f"{name} {count:,}" for name, count in told["classes"].items())
    accuracy, majority = told["training_accuracy"], told["majority_share"]
    parts = [
        f"{told['source']}: {told['rows']:,} rows, {told['features']:,} features; {classes}",
        told["rule"] + _mistakes_a_pass(told["mistakes"]),
        told["outcome"],
        f"Right on the training rows: {accuracy:.2%} (the largest class alone: {majority:.2%}).",
        weights_table(told["weights"]),
    ]
    if "separability" in told:
        parts.append(told["separability"]["explanation"])
    return "\n".join(parts)


def weights_table(weights: dict[str, dict[str, float]]) -> str:
    """Largest weights by feature name, a column a unit, the bias last."""
    names = list(next(iter(weights.values())))
    *features, bias = names
    features.sort(key=lambda name: -max(abs(w[name]) for w in weights.values()))
    shown = [*features[:SHOWN_WEIGHTS], bias]
    width = max(len(name) for name in [*shown, "weights"])
    columns = [(unit, max(10, len(unit))) for unit in weights]
    lines = ["weights".ljust(width) + "".join(f"  {unit:>{size}}" for unit, size in columns)]
    for name in shown:
        cells = "".join(f"  {weights[unit][name]:>{size}.4g}" for unit, size in columns)
        lines.append(name.ljust(width) + cells)
    left = len(features) - SHOWN_WEIGHTS
    if left > 0:
        lines.insert(-1, f"… {left:,} smaller ones")
    return "\n".join(lines)


def _mistakes_a_pass(mistakes: list[int] | None) -> str:
    if mistakes is None:
        return ""
    shown = ", ".join(str(m) for m in mistakes[:SHOWN_PASSES])
    rest = "" if len(mistakes) <= SHOWN_PASSES else f", …, {mistakes[-1]}"
    return f", mistakes a pass: {shown}{rest}"
