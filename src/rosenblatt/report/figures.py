"""What there is to say about a fit as plain data: the form of `--json`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.estimators.contract import iterations_of
from rosenblatt.evidence.proof.verdict import Inseparable, Proof, Separable
from rosenblatt.fitting.assessing import Estimate
from rosenblatt.fitting.fit import Fitted
from rosenblatt.fitting.question import Question
from rosenblatt.report.question import finding_figures, question_figures
from rosenblatt.report.weights import column_figures, largest_weights, map_figures
from rosenblatt.tables.targets import written


def fit_figures(source: str, fitted: Fitted, names: Mapping[int, str]) -> dict[str, Any]:
    """What there is to say about a fit; `names` are better names for some of the features."""
    learned, estimator = fitted.learned, fitted.estimator
    preparation = learned.preparation
    return {
        "source": source,
        "rows": learned.n_rows,
        "features": preparation.n_features,
        "encoded_features": preparation.n_encoded,
        "target": preparation.target,
        "classes": {written(label): learned.counts[label] for label in learned.classes},
        "columns": column_figures(preparation),
        "maps": map_figures(preparation),
        "left_out": finding_figures(learned.findings),
        "rule": type(estimator).__name__,
        "settings": {name: plain(value) for name, value in estimator.get_params().items()},
        "C": plain(getattr(estimator, "C_", None)),
        "outcome": str(estimator.outcome_),
        "converged": estimator.outcome_.converged,
        "passes": iterations_of(estimator),
        "mistakes": _mistakes_of(estimator),
        "objective": plain(getattr(estimator, "objective_", None)),
        "gap": plain(getattr(estimator, "gap_", None)),
        "training_accuracy": fitted.training.accuracy,
        "majority_share": max(learned.counts.values()) / learned.n_rows,
        "test": None if fitted.estimate is None else estimate_figures(fitted.estimate),
        "test_advice": fitted.advice if fitted.estimate is None else "",
        "weights": _weights(fitted, names),
        "rows_in_file": fitted.on_disk,
        "separability": _verdict(fitted.proof, fitted.question),
        "separability_of_features": _verdict(fitted.proof_of_features, fitted.question_of_features),
    }


def estimate_figures(estimate: Estimate) -> dict[str, Any]:
    """What test rows have shown, as plain data."""
    return {
        "accuracy": estimate.accuracy,
        "interval": list(estimate.interval),
        "rows": estimate.rows,
        "method": estimate.method,
        "confusion": estimate.counts.tolist(),
        "unknown_class": estimate.strange,
    }


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
        if proof.tied is not None:
            told["tied"] = proof.tied
    return told


def answer_figures(proof: Proof, question: Question) -> dict[str, Any]:
    """A verdict on separability with the question that it answers, as plain data."""
    return verdict_figures(proof) | {"question": question_figures(question, proof.answer)}


def _verdict(proof: Proof | None, question: Question | None) -> dict[str, Any] | None:
    return None if proof is None or question is None else answer_figures(proof, question)


def plain(value: Any) -> Any:
    """A number or a word that JSON has; infinity is a word."""
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


def _weights(fitted: Fitted, names: Mapping[int, str]) -> dict[str, dict[str, float]]:
    """Weights of each unit by name, the largest first, the bias last."""
    learned, estimator = fitted.learned, fitted.estimator
    W = np.column_stack([estimator.coef_, estimator.intercept_])
    classes = [written(label) for label in learned.classes]
    return largest_weights(classes, learned.preparation.feature_names, W, names)


def _mistakes_of(model: Any) -> list[int] | None:
    """Mistakes of each pass; none are told by a rule that makes no passes, or proves its gap."""
    if not hasattr(model, "trace_") or hasattr(model, "gap_"):
        return None
    mistakes: list[int] = model.trace_.column("mistakes")
    return mistakes
