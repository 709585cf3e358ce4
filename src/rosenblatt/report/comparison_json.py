"""A comparison as plain data: the form of `--json`."""

from typing import Any

from rosenblatt.comparison.compare import ResultDifference, conclude
from rosenblatt.comparison.result import Comparison, FeatureSet, Result
from rosenblatt.comparison.text import conclusion
from rosenblatt.pipeline.evaluate import PairedDifference
from rosenblatt.preprocess.target import label_text
from rosenblatt.report.json import left_out_json, verdict_json


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
