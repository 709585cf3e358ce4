"""The evaluation of a saved model as plain data and as text: the output of `score`."""

from typing import Any

from rosenblatt.errors import SourceError
from rosenblatt.persist.model import Model
from rosenblatt.pipeline.evaluate import Evaluation
from rosenblatt.preprocess.target import written
from rosenblatt.report.metrics import brier_score, calibration, evaluation_json
from rosenblatt.report.text import confusion_table, interval_text, percent


def score_json(model: Model, source: str, evaluation: Evaluation) -> dict[str, Any]:
    """All metrics of a model on a source."""
    if evaluation.n_unknown_class == evaluation.n_rows:
        raise SourceError(f"{source}: no row is of a class that the model knows.")
    classes = [written(label) for label in model.classes]
    known = evaluation.known
    score = {"source": source, "classes": classes, **evaluation_json(evaluation, classes)}
    if known.probabilities is None:
        return {**score, "brier_score": None, "calibration": None}
    confidence = known.probabilities.max(axis=1)
    return {
        **score,
        "brier_score": brier_score(known.true, known.probabilities),
        "calibration": calibration(confidence, known.correct),
    }


def score_text(score: dict[str, Any]) -> str:
    """The metrics as text."""
    lines = [
        f"{score['source']}: {score['n_rows']:,} rows",
        (
            f"accuracy           {percent(score['accuracy'])}, 95 % CI"
            f" {interval_text(*score['accuracy_interval'])}; majority-class baseline"
            f" {percent(score['baseline_accuracy'])}"
        ),
        f"balanced accuracy  {percent(score['balanced_accuracy'])}",
        f"F1 (macro)         {score['f1']:.4f}",
    ]
    if score["roc_auc"] is not None:
        lines.append(f"ROC AUC            {score['roc_auc']:.4f}")
    if score["log_loss"] is not None:
        error = score["calibration"]["expected_calibration_error"]
        lines += [
            f"log loss           {score['log_loss']:.4f}",
            f"Brier score        {score['brier_score']:.4f}",
            f"calibration error  {percent(error)}",
        ]
    unknown = score["n_unknown_class"]
    if unknown:
        rows = "1 row is" if unknown == 1 else f"{unknown:,} rows are"
        lines.append(f"{rows} of classes the model never saw.")
    return "\n".join([*lines, confusion_table(score["classes"], score["confusion"])])
