"""The parts of a report on a comparison, each out of plain figures."""

from typing import Any

from rosenblatt.geometry import looks
from rosenblatt.geometry.plane import Box
from rosenblatt.report.page.html import Markup, joined, table, tag
from rosenblatt.report.page.page import Section, paragraphs
from rosenblatt.report.page.sections import ANSWERS, Made, left_out_table, made_words, tiles
from rosenblatt.report.page.svg import Frame, line, marks, words

NAMES = 190  # pixels for the names of entries
STEP = 30  # pixels between entries
LINES, REFEREES = 0, 1  # looks of entries


def comparison_sections(told: dict[str, Any], made: Made) -> list[Section]:
    """All sections about a comparison."""
    entries = sorted(told["entries"], key=lambda entry: -entry["accuracy"])
    chart = accuracy_chart(entries, told["majority_share"])
    return [
        Section("Right on new rows", chart + _legend(), wide=True),
        Section("Every entry", _entries(entries), wide=True),
        Section("Can a plane separate the classes?", _grounds(told["maps"]), wide=True),
        Section("The data", _data(told)),
        Section("How it was made", joined(made_words(made))),
    ]


def comparison_lead(told: dict[str, Any]) -> Markup:
    """The conclusion, and what matters most of it."""
    best = max(told["entries"], key=lambda entry: entry["accuracy"])
    enough = "yes" if told["linear_enough"] else "no"
    return tag("p", told["conclusion"]) + tiles(
        [
            (
                "rows × features",
                f"{told['rows']:,} × {told['features']:,}",
                f"{len(told['classes'])} classes",
            ),
            ("is a line enough?", enough, _with_a_map(told)),
            ("best", _called(best), f"right on {best['accuracy']:.2%} of new rows"),
        ]
    )


def _with_a_map(told: dict[str, Any]) -> str:
    helped = told["map_against_none"]
    if helped is None or told["linear_enough"]:
        return ""
    after = "yes" if told["enough_after_map"] else "neither"
    return f"after {helped['of']['map']}: {after}"


def accuracy_chart(entries: list[dict[str, Any]], majority_share: float) -> Markup:
    """The accuracy of every entry with its interval."""
    least = min(majority_share, *(e["interval"][0] for e in entries))
    box = Box(100 * least - 1, 100.5, -len(entries) + 0.5, 0.5)
    frame = Frame(box, width=960, height=STEP * len(entries) + 58, left=NAMES)
    parts = [frame.axes("right on new rows, %", "", numbers_up=False)]
    majority = frame.x(100 * majority_share)
    parts.append(line(majority, frame.y(box.top), majority, frame.y(box.bottom), class_="diagonal"))
    for place, entry in enumerate(entries):
        kind, y = REFEREES if entry["referee"] else LINES, frame.y(-place)
        low, high = (frame.x(100 * end) for end in entry["interval"])
        parts += [
            words(NAMES - 10, y + 4, _called(entry), "end"),
            line(low, y, high, y, stroke=looks.colour(kind), stroke_width=2),
            marks(frame, [(100 * entry["accuracy"], -place)], kind, 5.0),
        ]
    return frame.drawing(f"Accuracy of {len(entries)} entries, with 95 % intervals", *parts)


def _legend() -> Markup:
    note = "Bars are 95 % intervals. Blue: lines; orange: referees that are none. Dashed: the"
    return tag("p", f"{note} largest class alone.", class_="note")


def _called(entry: dict[str, Any]) -> str:
    return entry["rule"] if entry["map"] == "none" else f"{entry['rule']}, {entry['map']}"


def _entries(entries: list[dict[str, Any]]) -> Markup:
    head = ["rule", "features", "weights", "right on new rows, %", "95 % interval"]
    head += ["points against the best", "fit time, ×", ""]
    return table(head, [_entry(entry) for entry in entries])


def _entry(entry: dict[str, Any]) -> list[Any]:
    low, high = entry["interval"]
    by = entry["against_best"]
    ends = " to ".join(f"{100 * end:+.2f}" for end in by["interval"])
    return [
        entry["rule"],
        entry["map"],
        "" if entry["weights"] is None else entry["weights"],
        tag("td", f"{100 * entry['accuracy']:.2f}", class_="number"),
        tag("td", f"{100 * low:.2f} to {100 * high:.2f}", class_="number"),
        tag("td", f"{100 * by['difference']:+.2f} ({ends})", class_="number"),
        tag("td", f"{entry['fit_ratio']:.1f}", class_="number"),
        entry["note"] or "",
    ]


def _grounds(grounds: list[dict[str, Any]]) -> Markup:
    return table(
        ["features by", "features", "separable?", "chance for random labels", ""],
        [
            [
                ground["map"],
                ground["features"],
                _answer(ground["separability"]),
                ground["chance_text"],
                _explained(ground["separability"]),
            ]
            for ground in grounds
        ],
    )


def _answer(verdict: dict[str, Any] | None) -> str:
    return "not looked for" if verdict is None else ANSWERS[verdict["verdict"]]


def _explained(verdict: dict[str, Any] | None) -> Markup:
    if verdict is None:
        return Markup()
    return tag("details", tag("summary", "proof"), paragraphs(verdict["explanation"]))


def _data(told: dict[str, Any]) -> Markup:
    target = "" if told["target"] is None else f" by {told['target']}"
    counts = [[name, count] for name, count in told["classes"].items()]
    head = tag("p", f"{told['source']}: {told['rows']:,} rows, classes{target}:")
    folds = tag("p", f"Every entry decided the same {told['folds']} folds, seed {told['seed']}.")
    return joined([head, table(["class", "rows"], counts), folds, left_out_table(told)])
