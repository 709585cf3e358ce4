"""The sections of a report on a comparison, from plain data."""

from typing import Any

from rosenblatt import palette
from rosenblatt.geometry.plane import Box
from rosenblatt.report.html.fit_sections import (
    ANSWERS,
    Provenance,
    left_out_table,
    provenance_text,
    tiles,
)
from rosenblatt.report.html.markup import (
    Frame,
    Markup,
    Section,
    joined,
    label_at,
    line,
    markers,
    paragraphs,
    table,
    tag,
)
from rosenblatt.report.text import percent

NAME_WIDTH = 190  # pixels
ROW_HEIGHT = 30  # pixels
LINEAR, NONLINEAR = 0, 1  # colours of results


def comparison_sections(report: dict[str, Any], provenance: Provenance) -> list[Section]:
    """All sections about a comparison."""
    results = sorted(report["results"], key=lambda result: -result["accuracy"])
    chart = accuracy_chart(results, report["baseline_accuracy"])
    return [
        Section("Accuracy", chart + _legend(), wide=True),
        Section("All results", _results_table(results), wide=True),
        Section(
            "Are the classes linearly separable?", _feature_sets(report["feature_sets"]), wide=True
        ),
        Section("The data", _data(report)),
        Section("How this report was made", joined(provenance_text(provenance))),
    ]


def comparison_summary(report: dict[str, Any]) -> Markup:
    """The conclusion, and its main numbers."""
    best = max(report["results"], key=lambda result: result["accuracy"])
    enough = "yes" if report["linear_enough"] else "no"
    return tag("p", report["conclusion"]) + tiles(
        [
            (
                "rows × features",
                f"{report['n_rows']:,} × {report['n_features']:,}",
                f"{len(report['class_counts'])} classes",
            ),
            ("is linear enough?", enough, _with_a_map(report)),
            ("best", _called(best), f"accuracy {percent(best['accuracy'])}"),
        ]
    )


def _with_a_map(report: dict[str, Any]) -> str:
    helped = report["mapped_vs_plain"]
    if helped is None or report["linear_enough"]:
        return ""
    after = "yes" if report["linear_enough_after_map"] else "no"
    return f"after {helped['result']['feature_map']}: {after}"


def accuracy_chart(results: list[dict[str, Any]], baseline_accuracy: float) -> Markup:
    """The accuracy of every result with its interval."""
    least = min(baseline_accuracy, *(e["accuracy_interval"][0] for e in results))
    box = Box(100 * least - 1, 100.5, -len(results) + 0.5, 0.5)
    frame = Frame(box, width=960, height=ROW_HEIGHT * len(results) + 58, left=NAME_WIDTH)
    parts = [frame.axes("accuracy, %", "", numbers_up=False)]
    majority = frame.x(100 * baseline_accuracy)
    parts.append(line(majority, frame.y(box.top), majority, frame.y(box.bottom), class_="diagonal"))
    for place, result in enumerate(results):
        kind, y = NONLINEAR if result["nonlinear"] else LINEAR, frame.y(-place)
        low, high = (frame.x(100 * end) for end in result["accuracy_interval"])
        parts += [
            label_at(NAME_WIDTH - 10, y + 4, _called(result), "end"),
            line(low, y, high, y, stroke=palette.colour(kind), stroke_width=2),
            markers(frame, [(100 * result["accuracy"], -place)], kind, 5.0),
        ]
    return frame.drawing(f"Accuracy of {len(results)} results, with 95 % intervals", *parts)


def _legend() -> Markup:
    note = "Bars are 95 % intervals. Blue: linear rules; orange: non-linear baselines. Dashed: the"
    return tag("p", f"{note} majority-class baseline.", class_="note")


def _called(result: dict[str, Any]) -> str:
    return (
        result["rule"]
        if result["feature_map"] == "none"
        else f"{result['rule']}, {result['feature_map']}"
    )


def _results_table(results: list[dict[str, Any]]) -> Markup:
    head = ["rule", "features", "weights", "accuracy, %", "95 % CI, %"]
    head += ["vs. best, points", "fit time, ×", ""]
    return table(head, [_result_row(result) for result in results])


def _result_row(result: dict[str, Any]) -> list[Any]:
    low, high = result["accuracy_interval"]
    by = result["vs_best"]
    ends = " to ".join(f"{100 * end:+.2f}" for end in by["difference_interval"])
    return [
        result["rule"],
        result["feature_map"],
        "" if result["n_weights"] is None else result["n_weights"],
        tag("td", f"{100 * result['accuracy']:.2f}", class_="number"),
        tag("td", f"{100 * low:.2f} to {100 * high:.2f}", class_="number"),
        tag("td", f"{100 * by['difference']:+.2f} ({ends})", class_="number"),
        tag("td", f"{result['fit_time_ratio']:.1f}", class_="number"),
        result["note"] or "",
    ]


def _feature_sets(feature_sets: list[dict[str, Any]]) -> Markup:
    return table(
        ["feature map", "features", "separable?", "random labels separable, at most", ""],
        [
            [
                feature_set["feature_map"],
                feature_set["n_features"],
                _answer(feature_set["separability"]),
                feature_set["cover_probability_text"],
                _explained(feature_set["separability"]),
            ]
            for feature_set in feature_sets
        ],
    )


def _answer(verdict: dict[str, Any] | None) -> str:
    return "not tested" if verdict is None else ANSWERS[verdict["verdict"]]


def _explained(verdict: dict[str, Any] | None) -> Markup:
    if verdict is None:
        return Markup()
    return tag("details", tag("summary", "proof"), paragraphs(verdict["explanation"]))


def _data(report: dict[str, Any]) -> Markup:
    target = "" if report["target"] is None else f" by {report['target']}"
    counts = [[name, count] for name, count in report["class_counts"].items()]
    head = tag("p", f"{report['source']}: {report['n_rows']:,} rows, classes{target}:")
    folds = tag("p", f"{report['n_folds']}-fold CV, the same folds for all; seed {report['seed']}.")
    return joined([head, table(["class", "rows"], counts), folds, left_out_table(report)])
