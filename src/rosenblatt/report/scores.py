"""What `score` tells: figures as plain data, and as text."""

from dataclasses import replace
from typing import Any

from rosenblatt.errors import SourceError
from rosenblatt.fitting.assessing import estimated
from rosenblatt.fitting.scoring import Scored
from rosenblatt.models.model import Model
from rosenblatt.report.metrics import metrics
from rosenblatt.report.words import confusion_table
from rosenblatt.tables.targets import written


def score_figures(model: Model, source: str, scored: Scored) -> dict[str, Any]:
    """All figures about decisions on a source."""
    K = len(model.classes)
    if not len(scored.true):
        raise SourceError(f"{source}: no row is of a class that the model knows.")
    estimate = replace(estimated(scored.true, scored.decided, K, source), strange=scored.strange)
    told = metrics(scored.true, scored.scores, scored.decided, scored.probabilities, K)
    return {
        "source": source,
        "rows": estimate.rows,
        **told,
        "accuracy": estimate.accuracy,  # rows of unknown classes are wrong whatever is decided
        "interval": list(estimate.interval),
        "majority_share": int(estimate.counts.sum(axis=1).max()) / estimate.rows,
        "unknown_class": scored.strange,
        "classes": [written(label) for label in model.classes],
        "confusion": estimate.counts.tolist(),
    }


def score_words(told: dict[str, Any]) -> str:
    """The figures as text."""
    low, high = told["interval"]
    lines = [
        f"{told['source']}: {told['rows']:,} rows",
        (
            f"accuracy           {told['accuracy']:.2%} (95 % interval {low:.2%} to {high:.2%};"
            f" the largest class alone: {told['majority_share']:.2%})"
        ),
        f"balanced accuracy  {told['balanced_accuracy']:.2%}",
    ]
    if told["f1"] is not None:
        lines.append(f"F1                 {told['f1']:.4f}")
    if told["auc"] is not None:
        lines.append(f"AUC                {told['auc']:.4f}")
    if told["log_loss"] is not None:
        off = told["calibration"]["error"]
        lines += [
            f"log loss           {told['log_loss']:.4f}",
            f"Brier score        {told['brier']:.4f}",
            f"calibration        confidence is {off:.2%} off, on average",
        ]
    if told["unknown_class"]:
        lines.append(f"{told['unknown_class']:,} rows are of classes the model never saw.")
    return "\n".join([*lines, confusion_table(told["classes"], told["confusion"])])
