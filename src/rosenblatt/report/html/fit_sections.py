"""The sections of a report on a fit, from plain data."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.report.html import charts
from rosenblatt.report.html.markup import Markup, Section, joined, legend, paragraphs, table, tag
from rosenblatt.report.text import interval_text, percent
from rosenblatt.text import listed

SHOWN_CLASSES = 30  # of a confusion matrix
SHOWN_COLUMNS = 200
FREQUENT_MISTAKES = 0.02  # of the rows of a class
MAX_FRACTION_CHARACTERS = 9  # of an exact weight that is shown at once
MAX_TABLE_UNITS = 8  # of a table of weights
TITLES = {
    "mistakes": "Mistakes in each epoch",
    "error": "Errors after each epoch",
    "loss": "Loss in each epoch",
    "margin": "Bounds on the largest margin",
    "gap": "Duality gap",
    "objective": "Objective and its lower bound",
}


class Provenance(NamedTuple):
    """How a report was made: the command, when, and with which versions."""

    command: str
    date: str
    versions: dict[str, str]


def fit_sections(
    report: dict[str, Any], shown: dict[str, Any], provenance: Provenance
) -> list[Section]:
    """All sections about a fit; empty ones are left out."""
    parts = [
        boundary_section(shown),
        separability_section(report, shown),
        *curve_sections(shown),
        confusion_section(report, shown),
        calibration_section(shown),
        weights_section(report, shown),
        data_section(report),
        provenance_section(report, provenance),
    ]
    return [part for part in parts if part is not None]


def summary(report: dict[str, Any]) -> Markup:
    """The summary at the top: outcome, accuracy, verdict."""
    size = f"{report['n_rows']:,} × {report['n_encoded_features']:,}"
    items = [
        ("rows × features", size, f"{len(report['class_counts'])} classes"),
        _accuracy(report),
        _separable(report),
        ("rule", report["estimator"], "" if report["C"] is None else f"C = {_number(report['C'])}"),
    ]
    return tag("p", report["outcome"]) + tiles(items)


def tiles(items: list[tuple[str, str, str]]) -> Markup:
    """Tiles side by side: a name, a value and a note each."""
    boxes = (
        tag("div", tag("dt", name), tag("dd", value, tag("small", more)))
        for name, value, more in items
    )
    return tag("dl", *boxes, class_="tiles")


ANSWERS = {"separable": "yes", "inseparable": "no", "undecided": "undecided"}
PROVED = {"separable", "inseparable"}


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _separable(report: dict[str, Any]) -> tuple[str, str, str]:
    verdict, mapped = report["separability"], report["separability_of_mapped_features"]
    answer = "not tested" if verdict is None else ANSWERS[verdict["verdict"]]
    proved = "proved" if verdict is not None and verdict["verdict"] in PROVED else ""
    if mapped is not None:
        proved += f"; after {_maps(report)}: {ANSWERS[mapped['verdict']]}"
    return "separable?", answer, proved.removeprefix("; ")


def _maps(report: dict[str, Any]) -> str:
    return " and ".join(each["feature_map"] for each in report["feature_maps"])


def _accuracy(report: dict[str, Any]) -> tuple[str, str, str]:
    evaluation = report["evaluation"]
    if evaluation is None:
        return "training accuracy", percent(report["training_accuracy"]), report["not_evaluated"]
    more = (
        f"95 % CI {interval_text(*evaluation['accuracy_interval'])}; majority-class baseline"
        f" {percent(evaluation['baseline_accuracy'])}"
    )
    return f"accuracy ({evaluation['method']})", percent(evaluation["accuracy"]), more


def boundary_section(shown: dict[str, Any]) -> Section | None:
    """The decision boundary, with a replay of the run."""
    plot, classes = shown["picture"], shown["classes"]
    if plot is None:
        return None
    notes = [f"Drawn: {plot['drawn']}."]
    if plot["ringed_are"]:
        notes.append(f"Rings mark {plot['ringed_are']}.")
    if plot["replayed"] and len(plot["frames"]) > 1:
        notes.append(plot["replayed"])
    if not plot["exact"]:
        notes.append("The regions are a section through the mean; rows are projected onto it.")
    picture = tag(
        "div",
        charts.boundary_chart(plot, classes),
        legend(classes),
        charts.replay_controls(plot),
        tag("p", " ".join(notes), class_="note"),
        class_="plane",
    )
    weights = _weights_now(plot, classes)
    content = tag("div", picture, weights, class_="beside") if weights else picture
    title = "The boundary, epoch by epoch" if len(plot["frames"]) > 1 else "The boundary"
    return Section(title, content, wide=True)


def _weights_now(plot: dict[str, Any], classes: Sequence[str]) -> Markup:
    """The weights at the epoch that the replay shows."""
    if len(plot["frames"]) < 2 or not plot["weight_names"]:
        return Markup()
    last = plot["frames"][-1]["weights"]
    rows = [
        [name, *(tag("td", f"{w:.4g}", class_="number", data_weight="") for w in row)]
        for name, row in zip(plot["weight_names"], last, strict=True)
    ]
    units = classes[-len(last[0]) :]
    return table(["weights", *(f"for {unit}" for unit in units)], rows)


def separability_section(report: dict[str, Any], shown: dict[str, Any]) -> Section | None:
    """The verdict with its proof."""
    verdict, mapped = report["separability"], report["separability_of_mapped_features"]
    parts = [] if verdict is None else [paragraphs(verdict["explanation"]), *_question(verdict)]
    if shown["proof_rows"]:
        parts += _contradiction(shown["proof_rows"], len(verdict["rows"]))
    if mapped is not None:
        parts += [tag("h3", f"After {_maps(report)}"), paragraphs(mapped["explanation"])]
    if not parts:
        return None
    return Section("Are the classes linearly separable?", joined(parts), wide=True)


def _question(verdict: dict[str, Any]) -> list[Markup]:
    """The question of a verdict, what was rounded, and whether columns left out would change it."""
    question = verdict["question"]
    parts = [question["effect_of_left_out"], question["statement"], question["effect_of_rounding"]]
    return [paragraphs(sentence) for sentence in filter(None, parts)]


def _contradiction(rows: list[dict[str, Any]], total: int) -> list[Markup]:
    names = list(rows[0]["cells"])
    head = ["row", "class", "against", "weight", *names]
    body = [
        [
            each["place"],
            each["class"],
            each["rival"],
            tag("td", *_exact(each), class_="number"),
            *(each["cells"].get(name, "") for name in names),
        ]
        for each in rows
    ]
    text = (
        "With these positive weights, the signed sum of the rows is exactly 0. A separating plane"
        " would have to give it a positive score, so there is none."
    )
    parts = [tag("p", text), table(head, body)]
    if total > len(rows):
        more = f"The {len(rows)} largest weights of {total}."
        parts.append(tag("p", f"{more} `rosenblatt separable --proof` writes all.", class_="note"))
    return parts


def _exact(row: dict[str, Any]) -> list[Any]:
    """A weight as a fraction; a long one is shown on request."""
    if len(row["weight"]) <= MAX_FRACTION_CHARACTERS:
        return [row["weight"]]
    about = tag("summary", f"≈ {row['share']:.4g}")
    return [tag("details", about, tag("span", row["weight"], class_="exact"))]


def curve_sections(shown: dict[str, Any]) -> list[Section]:
    """The curves of the run."""
    picture = shown["picture"]
    frames = [] if picture is None else picture["frames"]
    iterations = [frame["n_iter"] for frame in frames]
    sections = []
    for curve in shown["curves"]:
        chart = charts.curve_chart(curve, iterations, log=curve["kind"] == "gap")
        note = tag("p", _sentence(curve["remark"]), class_="note") if curve["remark"] else ""
        sections.append(Section(TITLES[curve["kind"]], joined([chart, note])))
    return sections


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def confusion_section(report: dict[str, Any], shown: dict[str, Any]) -> Section | None:
    """The confusion matrix of the evaluation."""
    evaluation, classes = report["evaluation"], shown["classes"]
    if evaluation is None or len(classes) > SHOWN_CLASSES:
        return None
    rows = [
        [tag("th", name, scope="row"), *_confusion_row(k, counts)]
        for k, (name, counts) in enumerate(zip(classes, evaluation["confusion"], strict=True))
    ]
    text = f"{evaluation['method']}: {evaluation['n_rows']:,} rows not used for training."
    if evaluation["n_unknown_class"]:
        text += f" {evaluation['n_unknown_class']:,} of them are of classes unseen in training."
    confusion = table(["true \\ predicted", *classes], rows)
    return Section("Confusion matrix", tag("p", text) + confusion, wide=len(classes) > 8)


def _confusion_row(own: int, counts: Sequence[int]) -> list[Markup]:
    """Predictions for the rows of a class, frequent mistakes highlighted."""
    often = FREQUENT_MISTAKES * sum(counts)
    looks = [
        "number right" if k == own else "number wrong" if n and n >= often else "number"
        for k, n in enumerate(counts)
    ]
    return [tag("td", f"{n:,}", class_=look) for n, look in zip(counts, looks, strict=True)]


def calibration_section(shown: dict[str, Any]) -> Section | None:
    """Whether the probabilities are calibrated."""
    calibration = shown["calibration"]
    if calibration is None:
        return None
    error = percent(calibration["expected_calibration_error"])
    text = (
        f"Expected calibration error {error} ({calibration['method']}). Calibrated probabilities"
        " lie on the dashed line; below it they are overconfident."
    )
    chart = charts.calibration_chart(calibration["bins"])
    return Section("Calibration of the probabilities", chart + tag("p", text))


def weights_section(report: dict[str, Any], shown: dict[str, Any]) -> Section:
    """The weights by name, and as images where the features are pixels."""
    weights = report["weights"]
    if shown["weights"] is not None:
        content = charts.weight_pictures(shown["weights"], list(weights))
        note = "Orange pixels: positive weights for the class; blue: negative."
        return Section("The weights as images", content + tag("p", note, class_="note"), wide=True)
    if len(weights) == 1:
        ((unit, own),) = weights.items()
        note = f"Orange bars: positive weights, for {unit}; blue bars: negative."
        content = charts.weights_chart(own) + tag("p", note, class_="note")
        return Section("The largest weights", content)
    if len(weights) > MAX_TABLE_UNITS:
        return Section("The largest weights", _largest_of_each(weights), wide=True)
    *features, intercept = next(iter(weights.values()))
    names = [*features[:15], intercept]
    units = list(weights)[:SHOWN_CLASSES]
    rows = [[name, *(weights[unit][name] for unit in units)] for name in names]
    head = ["weights", *(f"for {unit}" for unit in units)]
    return Section("The largest weights", table(head, rows), wide=len(units) > 4)


def _largest_of_each(weights: dict[str, dict[str, float]], most: int = 5) -> Markup:
    """The largest positive and negative weights of each of many classes."""
    rows = []
    for unit, own in weights.items():
        order = sorted(list(own)[:-1], key=lambda name: own[name])
        positive = [name for name in order[::-1] if own[name] > 0][:most]
        negative = [name for name in order if own[name] < 0][:most]
        report = [
            listed(f"{name} {own[name]:.3g}" for name in names) for names in (positive, negative)
        ]
        rows.append([tag("th", unit, scope="row"), *report])
    return table(["class", "positive weights", "negative weights"], rows)


def data_section(report: dict[str, Any]) -> Section:
    """The training data."""
    target = "" if report["target"] is None else f" by {report['target']}"
    head = tag("p", f"{report['source']}: {report['n_rows']:,} rows, classes{target}:")
    counts = [[name, count] for name, count in report["class_counts"].items()]
    parts = [head, table(["class", "rows"], counts[:SHOWN_CLASSES])]
    if report["columns"]:
        columns = [[c["name"], c["kind"], c["n_features"]] for c in report["columns"]]
        parts.append(table(["column", "kind", "features"], columns[:SHOWN_COLUMNS]))
    if report["feature_maps"]:
        maps = [[each["feature_map"], each["n_features"]] for each in report["feature_maps"]]
        parts.append(table(["feature map", "features"], maps))
    return Section("The data", joined([*parts, left_out_table(report)]))


def left_out_table(report: dict[str, Any]) -> Markup:
    """Columns that were left out, and why; nothing if none were."""
    left = [[each["column"], each["reason"]] for each in report["left_out"]]
    return table(["column left out", "reason"], left) if left else Markup()


def provenance_section(report: dict[str, Any], provenance: Provenance) -> Section:
    """How to reproduce the fit."""
    parameters = [[name, str(value)] for name, value in report["parameters"].items()]
    shown = table(["parameter", "value"], parameters)
    details = tag("details", tag("summary", "Parameters"), shown)
    return Section("How this report was made", joined([*provenance_text(provenance), details]))


def provenance_text(provenance: Provenance) -> list[Markup]:
    """The command, when, and with which versions."""
    versions = listed(f"{name} {version}" for name, version in provenance.versions.items())
    return [tag("p", tag("code", provenance.command)), tag("p", f"{provenance.date}; {versions}.")]
