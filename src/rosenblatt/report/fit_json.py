"""The results of a fit and of a comparison as plain data: the form of `--json`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.comparison.compare import ResultDifference, conclude
from rosenblatt.comparison.result import Comparison, FeatureSet, Result
from rosenblatt.comparison.text import conclusion
from rosenblatt.estimators.base import iterations_of
from rosenblatt.model_selection.intervals import PairedDifference
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


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """All of a comparison; only fit times differ from run to run."""
    shown = conclude(comparison)
    return {
        "source": comparison.source,
        "n_rows": comparison.n_rows,
        "n_features": comparison.feature_sets[0].n_features,
        "target": comparison.target,
        "class_counts": {label_text(label): n for label, n in comparison.counts.items()},
        "baseline_accuracy": comparison.baseline_accuracy,
        "left_out": left_out_json(comparison.left_out),
        "n_folds": comparison.n_folds,
        "seed": comparison.seed,
        "feature_sets": [_feature_set(features) for features in comparison.feature_sets],
        "results": [_result(comparison, result) for result in comparison.results],
        "best": _name(comparison.best),
        "linear_enough": shown.linear_enough,
        "nonlinear_vs_linear": _difference(shown.nonlinear_vs_linear),
        "feature_map_helps": shown.feature_map_helps,
        "mapped_vs_plain": _difference(shown.mapped_vs_plain),
        "linear_enough_after_map": shown.linear_enough_after_map,
        "nonlinear_vs_mapped": _difference(shown.nonlinear_vs_mapped),
        "conclusion": conclusion(comparison),
    }


def _feature_set(features: FeatureSet) -> dict[str, Any]:
    return {
        "feature_map": features.map,
        "n_features": features.n_features,
        "rank": features.rank,
        "cover_probability": features.cover_probability,
        "cover_probability_text": features.cover_probability_text,
        "separability": None if features.proof is None else verdict_json(features.proof),
    }


def _result(comparison: Comparison, result: Result) -> dict[str, Any]:
    return {
        **_name(result),
        "nonlinear": result.is_baseline,
        "accuracy": result.accuracy,
        "accuracy_interval": list(result.accuracy_interval),
        "n_rows": result.n_rows,
        "n_weights": result.n_weights,
        "fit_seconds": result.fit_seconds,
        "fit_time_ratio": result.fit_seconds / comparison.fastest_fit_seconds,
        "vs_best": _paired(comparison.difference(result, comparison.best)),
        "note": result.note,
    }


def _name(result: Result) -> dict[str, str]:
    return {"rule": result.rule, "feature_map": result.map}


def _difference(difference: ResultDifference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "result": _name(difference.result),
        "reference": _name(difference.reference),
        **_paired(difference.paired),
    }


def _paired(by: PairedDifference) -> dict[str, Any]:
    return {
        "difference": by.difference,
        "difference_interval": [by.low, by.high],
        "p_value": by.p_value,
        "n_rows": by.n_rows,
    }
