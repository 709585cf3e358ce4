"""The result of a fit, the metrics and a saved model as text; the parts that reports share."""

from collections.abc import Mapping, Sequence
from typing import Any

from rosenblatt.text import listed

SHOWN_EPOCHS = 12
SHOWN_WEIGHTS = 10
SHOWN_CLASSES = 12
SHOWN_COLUMNS = 12
MAX_NAME_CHARACTERS = 60  # in a table


def fit_text(report: dict[str, Any]) -> str:
    """The result of a fit as text."""
    parts = [
        *_about_the_data(report),
        report["estimator"] + _regularisation(report["C"]) + _mistakes(report["mistakes"]),
        report["outcome"],
        *_about_accuracy(report),
        weights_table(report["weights"], report["n_features"]),
    ]
    parts.extend(_about_separability(report))
    model = report["model"]
    parts.append("Model not saved; use -o MODEL." if model is None else f"Model saved to {model}.")
    if report["report"] is not None:
        parts.append(f"Report saved to {report['report']}.")
    return "\n".join(parts)


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
        rows = "1 row belongs" if unknown == 1 else f"{unknown:,} rows belong"
        lines.append(f"{rows} to classes that the model was not trained on.")
    return "\n".join([*lines, confusion_table(score["classes"], score["confusion"])])


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
        columns = [_model_column(column) for column in model_data["columns"]]
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


def _model_column(column: dict[str, Any]) -> str:
    read = f", {column['ngrams']}" if "ngrams" in column else ""
    return f"{column['name']} ({column['kind']}{read})"


def _about_separability(report: dict[str, Any]) -> list[str]:
    """The verdict on the rows as they were read, and on the mapped features."""
    as_read, of_features = report["separability"], report["separability_of_mapped_features"]
    parts = [] if as_read is None else [_verdict(as_read)]
    if of_features is not None:
        parts.append(f"With the feature map {_maps(report)}:\n{_verdict(of_features)}")
    if report["rows_on_disk"]:
        what = "the mapped features" if as_read is not None else "the data"
        parts.append(
            f"Separability was not tested: {what} do not fit into memory. Run"
            " `rosenblatt separable`."
        )
    return parts


def _verdict(report: dict[str, Any]) -> str:
    """A verdict, what was rounded for it, and whether the columns left out would change it."""
    question = report["question"]
    parts = [report["explanation"], question["effect_of_rounding"], question["effect_of_left_out"]]
    return "\n".join(filter(None, parts))


def _maps(report: dict[str, Any]) -> str:
    return " and ".join(each["feature_map"] for each in report["feature_maps"])


def _about_the_data(report: dict[str, Any]) -> list[str]:
    rows, features = report["n_rows"], report["n_encoded_features"]
    counts = [f"{brief(name)} {count:,}" for name, count in report["class_counts"].items()]
    classes = listed(counts, SHOWN_CLASSES)
    target = "" if report["target"] is None else f"{report['target']}: "
    noun = "feature" if features == 1 else "features"
    parts = [f"{report['source']}: {rows:,} rows, {features:,} {noun}; {target}{classes}"]
    if report["columns"] and any(c["kind"] != "number" for c in report["columns"]):
        parts.append(f"Columns: {listed([_column(c) for c in report['columns']], SHOWN_COLUMNS)}")
    if report["feature_maps"]:
        parts.append(f"Feature map: {_maps(report)} ({report['n_features']:,} features)")
    for left in report["left_out"]:
        name = left["column"]
        parts.append(f"Left out {name!r}: {left['reason']} (--use {name} includes it).")
    return parts


def _column(column: dict[str, Any]) -> str:
    kind = listed(filter(None, [column["kind"], column.get("ngrams")]))
    name, n = brief(column["name"]), column["n_features"]
    return f"{name} ({kind})" if n == 1 else f"{name} ({kind}, {n:,} features)"


def _about_accuracy(report: dict[str, Any]) -> list[str]:
    training = f"Training accuracy: {percent(report['training_accuracy'])}"
    evaluation = report["evaluation"]
    if evaluation is None:
        counts = report["class_counts"].values()
        baseline = percent(max(counts) / sum(counts))
        return [f"{training}; majority-class baseline {baseline}.", report["not_evaluated"]]
    return [
        accuracy_sentence(evaluation, report["n_rows"]),
        f"{training}.",
        confusion_table(list(report["class_counts"]), evaluation["confusion"]),
    ]


def accuracy_sentence(evaluation: dict[str, Any], n_rows: int) -> str:
    """The accuracy with its interval, how it was estimated, and the baseline."""
    method, n_evaluated = evaluation["method"], evaluation["n_rows"]
    rows = "" if n_evaluated == n_rows else f", {n_evaluated:,} rows"
    return (
        f"Accuracy ({method}{rows}): {percent(evaluation['accuracy'])}, 95 % CI"
        f" {interval_text(*evaluation['accuracy_interval'])}; majority-class baseline"
        f" {percent(evaluation['baseline_accuracy'])}."
    )


def percent(share: float) -> str:
    """A share in percent, with two decimals."""
    return f"{100 * share:.2f} %"


def interval_text(low: float, high: float) -> str:
    """An interval of shares in percent, with one decimal."""
    return f"{100 * low:.1f}–{100 * high:.1f} %"


def confusion_table(classes: Sequence[str], counts: Sequence[Sequence[int]]) -> str:
    """The confusion matrix: a line a true class, a column a predicted one."""
    if len(classes) > SHOWN_CLASSES:
        return f"(The {len(classes)} × {len(classes)} confusion matrix is in --json.)"
    classes = [brief(name) for name in classes]
    width = max(len(name) for name in [*classes, "true \\ predicted"])
    longest = max(len(f"{n:,}") for row in counts for n in row)
    columns = [(k, max(longest, 6, len(name))) for k, name in enumerate(classes)]
    head = "".join(f"  {classes[k]:>{size}}" for k, size in columns)
    lines = ["true \\ predicted".ljust(width) + head]
    for name, row in zip(classes, counts, strict=True):
        lines.append(name.ljust(width) + "".join(f"  {row[k]:>{size},}" for k, size in columns))
    return "\n".join(lines)


def weights_table(weights: dict[str, dict[str, float]], n_features: int) -> str:
    """Largest weights by feature name, one column per output, the intercept last."""
    shown_outputs = dict(list(weights.items())[:SHOWN_CLASSES])
    *features, intercept = next(iter(weights.values()))
    shown = [*features[:SHOWN_WEIGHTS], intercept]
    width = max(len(brief(name)) for name in [*shown, "weights"])
    columns = [(output, max(10, len(brief(output)))) for output in shown_outputs]
    lines = [
        "weights".ljust(width) + "".join(f"  {brief(output):>{size}}" for output, size in columns)
    ]
    for name in shown:
        cells = "".join(f"  {weights[output][name]:>{size}.4g}" for output, size in columns)
        lines.append(brief(name).ljust(width) + cells)
    left = n_features - SHOWN_WEIGHTS
    if left > 0:
        lines.insert(-1, f"… {left:,} smaller weights")
    return "\n".join(lines)


def brief(name: str) -> str:
    """A name that fits into a line of a table."""
    line = " ".join(name.splitlines())
    return line if len(line) <= MAX_NAME_CHARACTERS else line[: MAX_NAME_CHARACTERS - 1] + "…"


def _regularisation(C: Any) -> str:
    return "" if C is None else f", C = {C:g}" if isinstance(C, (int, float)) else f", C = {C}"


def _mistakes(mistakes: list[int] | None) -> str:
    if mistakes is None:
        return ""
    shown = listed(mistakes[:SHOWN_EPOCHS])
    rest = "" if len(mistakes) <= SHOWN_EPOCHS else f", …, {mistakes[-1]}"
    return f"; mistakes in each epoch (pass): {shown}{rest}"
