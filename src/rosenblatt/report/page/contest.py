"""The parts of a report on a comparison, out of its figures."""

from typing import Any

from rosenblatt.geometry import looks
from rosenblatt.geometry.plane import Box
from rosenblatt.report.page.about import Made, data_section, made_section, tiles
from rosenblatt.report.page.html import Markup, joined, table, tag
from rosenblatt.report.page.page import Section
from rosenblatt.report.page.svg import OUTLINES, Frame, line, ticks, words

AS_THEY_ARE = "none"
LINE, REFEREE = "circle", "diamond"  # how lines and others look
WIDTH, NAMES = 760, 250  # pixels in all, and for the names of the entries
STEP = 26  # pixels from one entry to the next


def contest_lead(told: dict[str, Any]) -> Markup:
    """What matters most: the conclusion, the size of the data, who is the best."""
    best = max(told["entries"], key=lambda entry: _called(entry) == _called(told["best"]))
    shown = [
        ("rows × features", f"{told['rows']:,} × {told['features']:,}", _classes(told)),
        ("is a line enough?", "yes" if told["linear_enough"] else "no", ""),
        ("the best", f"{best['accuracy']:.2%}", _called(best)),
        ("the largest class alone", f"{told['majority_share']:.2%}", ""),
    ]
    return tag("p", told["conclusion"]) + tiles(shown)


def contest_sections(told: dict[str, Any], made: Made) -> list[Section]:
    """All sections about a comparison."""
    return [
        accuracy_section(told),
        entries_section(told),
        maps_section(told),
        data_section(told),
        made_section(made),
    ]


def accuracy_section(told: dict[str, Any]) -> Section:
    """Who is right how often, with intervals."""
    note = (
        f"Right on new rows, with intervals of 95 %: the same {told['folds']} folds for all. Blue"
        " circles are lines; orange diamonds are no lines, and stand by as referees. Dashed: the"
        " largest class alone."
    )
    chart = accuracy_chart(told["entries"], told["majority_share"])
    return Section("Right on new rows", chart + tag("p", note, class_="note"), wide=True)


def accuracy_chart(entries: list[dict[str, Any]], majority: float) -> Markup:
    """A mark and an interval for each entry, the best on top."""
    ranked = sorted(entries, key=lambda entry: -entry["accuracy"])
    low = min(majority, *(entry["interval"][0] for entry in ranked))
    least = float(min(low, 0.95) - 0.02)
    frame = Frame(Box(0, 1, 0, 1), width=WIDTH, height=44 + STEP * len(ranked))
    base = frame.height - 36

    def at(share: float) -> float:
        return round(NAMES + (WIDTH - NAMES - 20) * (share - least) / (1 - least), 1)

    parts = [line(NAMES, base, at(1.0), base)]
    for share in ticks(least, 1.0):
        x = at(share)
        parts += [line(x, base, x, base + 5), words(x, base + 20, f"{100 * share:.4g} %")]
    parts = [tag("g", *parts, class_="axes")]
    parts.append(line(at(majority), 4, at(majority), base, class_="now"))
    for k, entry in enumerate(ranked):
        y = 18 + k * STEP
        colour = looks.colour(int(entry["referee"]))
        start, end = entry["interval"]
        outline = OUTLINES[REFEREE if entry["referee"] else LINE](5.0)
        parts += [
            words(NAMES - 12, y + 4, _called(entry), "end"),
            line(at(start), y, at(end), y, stroke=colour, stroke_width=2.5),
            tag("path", d=f"M{at(entry['accuracy']):g} {y}{outline}", fill=colour),
        ]
    return tag(
        "div", frame.drawing("Share of new rows that each was right on", *parts), class_="plane"
    )


def entries_section(told: dict[str, Any]) -> Section:
    """The same in numbers, and at what cost."""
    head = ["rule", "features", "weights", "right", "95 % interval", "against the best", "fit time"]
    rows = [
        [
            entry["rule"],
            entry["map"],
            "" if entry["weights"] is None else entry["weights"],
            _share(f"{entry['accuracy']:.2%}"),
            _share("{:.2%} to {:.2%}".format(*entry["interval"])),
            _share(_against(entry["against_best"])),
            _share(f"× {entry['fit_ratio']:.1f}"),
        ]
        for entry in sorted(told["entries"], key=lambda entry: -entry["accuracy"])
    ]
    notes = [f"{entry['rule']}: {entry['note']}." for entry in told["entries"] if entry["note"]]
    content = [table(head, rows), *(tag("p", note, class_="note") for note in notes)]
    return Section("In numbers", joined(content), wide=True)


def maps_section(told: dict[str, Any]) -> Section:
    """What can be separated, with which features."""
    rows = []
    for each in told["maps"]:
        proof = each["separability"]
        verdict = "not looked for" if proof is None else proof["verdict"]
        more = "" if proof is None else " ".join(proof["explanation"].splitlines()[1:])
        rows.append([each["map"], each["features"], verdict, more])
    return Section(
        "Can a plane separate the classes?",
        table(["features by", "features", "verdict", "proof"], rows),
        wide=True,
    )


def _called(entry: dict[str, Any]) -> str:
    after = "" if entry["map"] == AS_THEY_ARE else f" after {entry['map']}"
    return f"{entry['rule']}{after}"


def _classes(told: dict[str, Any]) -> str:
    return f"{len(told['classes'])} classes"


def _share(told: str) -> Markup:
    return tag("td", told, class_="number")


def _against(by: dict[str, Any]) -> str:
    low, high = by["interval"]
    return f"{100 * by['difference']:+.2f} ({100 * low:+.2f} to {100 * high:+.2f}) points"
