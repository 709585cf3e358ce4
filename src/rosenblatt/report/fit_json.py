"""The result of a fit as plain data: the form of `--json`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.estimators.base import iterations_of
from rosenblatt.pipeline.fit import FitResult
from rosenblatt.pipeline.question import Question
from rosenblatt.preprocess.target import label_text
from rosenblatt.registry import NAMES
from rosenblatt.report.metrics import evaluation_json
from rosenblatt.report.model_summary import columns_json, feature_maps_json, largest_weights
from rosenblatt.report.question import left_out_json, question_json
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable


def fit_json(source: str, fitted: FitResult, names: Mapping[int, str]) -> dict[str, Any]:
    """The result of a fit; `names` replace the names of some features."""
    learned, estimator = fitted.learned, fitted.estimator
    transformer = learned.transformer
    classes = [label_text(label) for label in learned.classes]
    return {
        "source": source,
        "n_rows": learned.n_rows,
        "n_features": transformer.n_features,
        "n_encoded_features": transformer.n_encoded_features,
        "target": transformer.target,
        "class_counts": {label_text(label): learned.counts[label] for label in learned.classes},
        "columns": columns_json(transformer),
        "feature_maps": feature_maps_json(transformer),
        "left_out": left_out_json(learned.left_out),
        "rule": NAMES[type(estimator).__name__],
        "estimator": type(estimator).__name__,
        "parameters": {name: plain(value) for name, value in estimator.get_params().items()},
        "C": plain(getattr(estimator, "C_", None)),
        "outcome": str(estimator.outcome_),
        "converged": estimator.outcome_.converged,
        "n_iter": iterations_of(estimator),
        "mistakes": _mistakes_of(estimator),
        "objective": plain(getattr(estimator, "objective_", None)),
        "duality_gap": plain(getattr(estimator, "gap_", None)),
        "training_accuracy": fitted.training_accuracy,
        "evaluation": None
        if fitted.evaluation is None
        else evaluation_json(fitted.evaluation, classes),
        "not_evaluated": fitted.advice if fitted.evaluation is None else "",
        "weights": _weights(fitted, names),
        "rows_on_disk": fitted.on_disk,
        "separability": _verdict(fitted.proof, fitted.question),
        "separability_of_mapped_features": _verdict(
            fitted.proof_of_features, fitted.question_of_features
        ),
    }


def verdict_json(proof: Proof) -> dict[str, Any]:
    """A verdict on separability as plain data."""
    verdict: dict[str, Any] = {"verdict": proof.answer, "explanation": str(proof)}
    if isinstance(proof, Separable):
        verdict |= {
            "margin": proof.margin,
            "radius": proof.radius,
            "mistake_bound": proof.mistake_bound,
        }
    if isinstance(proof, Inseparable):
        verdict |= {
            "rows": list(proof.rows),
            "weights": [str(weight) for weight in proof.weights],
            "kind": proof.kind,
        }
        if proof.tied is not None:
            verdict["tied"] = proof.tied
    return verdict


def answer_json(proof: Proof, question: Question) -> dict[str, Any]:
    """A verdict on separability with the question that it answers, as plain data."""
    return verdict_json(proof) | {"question": question_json(question, proof.answer)}


def _verdict(proof: Proof | None, question: Question | None) -> dict[str, Any] | None:
    return None if proof is None or question is None else answer_json(proof, question)


def plain(value: Any) -> Any:
    """A value as JSON has it; infinity and NaN become text."""
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return str(value)


def _weights(fitted: FitResult, names: Mapping[int, str]) -> dict[str, dict[str, float]]:
    """Weights of each output by name, the largest first, the intercept last."""
    learned, estimator = fitted.learned, fitted.estimator
    W = np.column_stack([estimator.coef_, estimator.intercept_])
    classes = [label_text(label) for label in learned.classes]
    return largest_weights(classes, learned.transformer.feature_names, W, names)


def _mistakes_of(model: Any) -> list[int] | None:
    """Mistakes of each epoch; None for rules without epochs, or with a duality gap."""
    if not hasattr(model, "trace_") or hasattr(model, "gap_"):
        return None
    mistakes: list[int] = model.trace_.column("mistakes")
    return mistakes
