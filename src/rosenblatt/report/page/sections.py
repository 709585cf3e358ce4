"""The parts of a report on a fit, each out of plain figures."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.report.page import charts
from rosenblatt.report.page.html import Markup, joined, table, tag
from rosenblatt.report.page.page import Section, paragraphs
from rosenblatt.report.page.svg import legend

SHOWN_CLASSES = 30  # of a table of decisions
SHOWN_COLUMNS = 200
OFTEN = 0.02  # of the rows of a class: mistakes that stand out
SHORT = 9  # letters of an exact weight that is shown at once
MANY_UNITS = 8  # whose weights make a table too wide
TITLES = {
    "mistakes": "Mistakes of each pass",
    "loss": "Loss of each pass",
    "margin": "Bounds on the largest margin",
    "gap": "Distance to the best possible",
    "objective": "Objective, and its bound",
}


class Made(NamedTuple):
    """What a report was made by: the command, when, and with which versions."""

    command: str
    date: str
    versions: dict[str, str]


def fit_sections(told: dict[str, Any], shown: dict[str, Any], made: Made) -> list[Section]:
    """All sections about a fit; those that have nothing to say are left out."""
    parts = [
        boundary_section(shown),
        separability_section(told, shown),
        *curve_sections(shown),
        decisions_section(told, shown),
        calibration_section(shown),
        weights_section(told, shown),
        data_section(told),
        made_section(told, made),
    ]
    return [part for part in parts if part is not None]


def lead(told: dict[str, Any]) -> Markup:
    """What matters most, at the top: how it ended, how good it is, what was proved."""
    size = f"{told['rows']:,} × {told['encoded_features']:,}"
    matters = [
        ("rows × features", size, f"{len(told['classes'])} classes"),
        _accuracy(told),
        _separable(told),
        ("rule", told["rule"], "" if told["C"] is None else f"C = {_number(told['C'])}"),
    ]
    return tag("p", told["outcome"]) + tiles(matters)


def tiles(matters: list[tuple[str, str, str]]) -> Markup:
    """Names, values, and something more about them, side by side."""
    boxes = (
        tag("div", tag("dt", name), tag("dd", value, tag("small", more)))
        for name, value, more in matters
    )
    return tag("dl", *boxes, class_="tiles")


ANSWERS = {"separable": "yes", "inseparable": "no", "undecided": "undecided"}
PROVED = {"separable", "inseparable"}


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _separable(told: dict[str, Any]) -> tuple[str, str, str]:
    verdict, mapped = told["separability"], told["separability_of_features"]
    answer = "not looked for" if verdict is None else ANSWERS[verdict["verdict"]]
    proved = "proved" if verdict is not None and verdict["verdict"] in PROVED else ""
    if mapped is not None:
        proved += f"; after {_maps(told)}: {ANSWERS[mapped['verdict']]}"
    return "separable?", answer, proved.removeprefix("; ")


def _maps(told: dict[str, Any]) -> str:
    return " and ".join(each["map"] for each in told["maps"])


def _accuracy(told: dict[str, Any]) -> tuple[str, str, str]:
    test = told["test"]
    if test is None:
        accuracy = f"{told['training_accuracy']:.2%}"
        return "right on the training rows", accuracy, told["test_advice"]
    low, high = test["interval"]
    more = f"95 % interval {low:.2%} to {high:.2%}; largest class {told['majority_share']:.2%}"
    return "right on new rows", f"{test['accuracy']:.2%}", more


def boundary_section(shown: dict[str, Any]) -> Section | None:
    """The boundary, and the run that led to it."""
    told, classes = shown["picture"], shown["classes"]
    if told is None:
        return None
    notes = [f"Drawn: {told['drawn']}."]
    if told["ringed_are"]:
        notes.append(f"Ringed: {told['ringed_are']}.")
    if told["replayed"] and len(told["frames"]) > 1:
        notes.append(told["replayed"])
    if not told["exact"]:
        notes.append("The cells are those of a plane through the mean; rows lie around it.")
    picture = tag(
        "div",
        charts.boundary_chart(told, classes),
        legend(classes),
        charts.replay_controls(told),
        tag("p", " ".join(notes), class_="note"),
        class_="plane",
    )
    beside = _weights_now(told, classes)
    content = tag("div", picture, beside, class_="beside") if beside else picture
    title = "The boundary, and how it came" if len(told["frames"]) > 1 else "The boundary"
    return Section(title, content, wide=True)


def _weights_now(told: dict[str, Any], classes: Sequence[str]) -> Markup:
    """Weights at the pass that is shown."""
    if len(told["frames"]) < 2 or not told["weight_names"]:
        return Markup()
    last = told["frames"][-1]["weights"]
    rows = [
        [name, *(tag("td", f"{w:.4g}", class_="number", data_weight="") for w in row)]
        for name, row in zip(told["weight_names"], last, strict=True)
    ]
    units = classes[-len(last[0]) :]
    return table(["weights", *(f"for {unit}" for unit in units)], rows)


def separability_section(told: dict[str, Any], shown: dict[str, Any]) -> Section | None:
    """The verdict with its proof."""
    verdict, mapped = told["separability"], told["separability_of_features"]
    parts = [] if verdict is None else [paragraphs(verdict["explanation"]), *_asked(verdict)]
    if shown["proof_rows"]:
        parts += _contradiction(shown["proof_rows"], len(verdict["rows"]))
    if mapped is not None:
        parts += [tag("h3", f"After {_maps(told)}"), paragraphs(mapped["explanation"])]
    if not parts:
        return None
    return Section("Can a plane separate the classes?", joined(parts), wide=True)


def _asked(verdict: dict[str, Any]) -> list[Markup]:
    """The question of a verdict, and whether columns left out would change it."""
    question = verdict["question"]
    words = filter(None, [question["effect_of_left_out"], question["statement"]])
    return [paragraphs(sentence) for sentence in words]


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
    words = (
        "Each row, times its weight, pulls the plane towards its own side; all together the pulls"
        " are exactly 0, so no plane can please them all."
    )
    parts = [tag("p", words), table(head, body)]
    if total > len(rows):
        more = f"The {len(rows)} largest weights of {total}."
        parts.append(tag("p", f"{more} `rosenblatt separable --proof` writes all.", class_="note"))
    return parts


def _exact(row: dict[str, Any]) -> list[Any]:
    """A weight as a fraction; a long one is shown when it is asked for."""
    if len(row["weight"]) <= SHORT:
        return [row["weight"]]
    about = tag("summary", f"≈ {row['share']:.4g}")
    return [tag("details", about, tag("span", row["weight"], class_="exact"))]


def curve_sections(shown: dict[str, Any]) -> list[Section]:
    """The run in curves."""
    picture = shown["picture"]
    frames = [] if picture is None else picture["frames"]
    passes = [frame["passes"] for frame in frames]
    sections = []
    for told in shown["curves"]:
        chart = charts.curve_chart(told, passes, log=told["kind"] == "gap")
        note = tag("p", _sentence(told["remark"]), class_="note") if told["remark"] else ""
        sections.append(Section(TITLES[told["kind"]], joined([chart, note])))
    return sections


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."


def decisions_section(told: dict[str, Any], shown: dict[str, Any]) -> Section | None:
    """What was decided for rows that were not learned from."""
    test, classes = told["test"], shown["classes"]
    if test is None or len(classes) > SHOWN_CLASSES:
        return None
    rows = [
        [tag("th", name, scope="row"), *_decided(k, counts)]
        for k, (name, counts) in enumerate(zip(classes, test["confusion"], strict=True))
    ]
    words = f"Judged by {test['method']}: {test['rows']:,} rows that the model had not seen."
    if test["unknown_class"]:
        words += f" {test['unknown_class']:,} of them are of classes it never saw."
    decided = table(["true \\ decided", *classes], rows)
    return Section("Decisions on new rows", tag("p", words) + decided, wide=len(classes) > 8)


def _decided(own: int, counts: Sequence[int]) -> list[Markup]:
    """What was decided for the rows of a class; mistakes that are made often stand out."""
    often = OFTEN * sum(counts)
    looks = [
        "number right" if k == own else "number wrong" if n and n >= often else "number"
        for k, n in enumerate(counts)
    ]
    return [tag("td", f"{n:,}", class_=look) for n, look in zip(counts, looks, strict=True)]


def calibration_section(shown: dict[str, Any]) -> Section | None:
    """Whether probabilities keep their word."""
    told = shown["calibration"]
    if told is None:
        return None
    words = (
        f"Probabilities are {told['error']:.2%} off on average, judged by {told['method']}. On the"
        " dashed line they keep their word; below it they promise too much."
    )
    return Section(
        "Do the probabilities hold?", charts.calibration_chart(told["table"]) + tag("p", words)
    )


def weights_section(told: dict[str, Any], shown: dict[str, Any]) -> Section:
    """The weights by name, and as pictures where they are pixels."""
    weights = told["weights"]
    if shown["weights"] is not None:
        content = charts.weight_pictures(shown["weights"], list(weights))
        note = "Orange pixels speak for a class, blue ones against it."
        return Section(
            "The weights as pictures", content + tag("p", note, class_="note"), wide=True
        )
    if len(weights) == 1:
        ((unit, own),) = weights.items()
        note = f"Orange to the right speaks for {unit}, blue to the left against it."
        content = charts.weights_chart(own) + tag("p", note, class_="note")
        return Section("The largest weights", content)
    if len(weights) > MANY_UNITS:
        return Section("The largest weights", _largest_of_each(weights), wide=True)
    *features, bias = next(iter(weights.values()))
    names = [*features[:15], bias]
    units = list(weights)[:SHOWN_CLASSES]
    rows = [[name, *(weights[unit][name] for unit in units)] for name in names]
    head = ["weights", *(f"for {unit}" for unit in units)]
    return Section("The largest weights", table(head, rows), wide=len(units) > 4)


def _largest_of_each(weights: dict[str, dict[str, float]], most: int = 5) -> Markup:
    """What speaks most for and against each of many classes."""
    rows = []
    for unit, own in weights.items():
        order = sorted(list(own)[:-1], key=lambda name: own[name])
        speaking = [name for name in order[::-1] if own[name] > 0][:most]
        against = [name for name in order if own[name] < 0][:most]
        told = [
            ", ".join(f"{name} {own[name]:.3g}" for name in names) for names in (speaking, against)
        ]
        rows.append([tag("th", unit, scope="row"), *told])
    return table(["class", "for it", "against it"], rows)


def data_section(told: dict[str, Any]) -> Section:
    """What was learned from."""
    target = "" if told["target"] is None else f" by {told['target']}"
    head = tag("p", f"{told['source']}: {told['rows']:,} rows, classes{target}:")
    counts = [[name, count] for name, count in told["classes"].items()]
    parts = [head, table(["class", "rows"], counts[:SHOWN_CLASSES])]
    if told["columns"]:
        columns = [[c["name"], c["kind"], c["features"]] for c in told["columns"]]
        parts.append(table(["column", "kind", "features"], columns[:SHOWN_COLUMNS]))
    if told["maps"]:
        made = [[each["map"], told["features"]] for each in told["maps"]]
        parts.append(table(["features by", "in all"], made))
    return Section("The data", joined([*parts, left_out_table(told)]))


def left_out_table(told: dict[str, Any]) -> Markup:
    """Columns that were left out, and why; nothing if none were."""
    left = [[each["column"], each["reason"]] for each in told["left_out"]]
    return table(["left out", "because"], left) if left else Markup()


def made_section(told: dict[str, Any], made: Made) -> Section:
    """How to have the same again."""
    settings = [[name, str(value)] for name, value in told["settings"].items()]
    shown = table(["setting", "value"], settings)
    details = tag("details", tag("summary", "Settings of the rule"), shown)
    return Section("How it was made", joined([*made_words(made), details]))


def made_words(made: Made) -> list[Markup]:
    """The command, when, and with which versions."""
    versions = ", ".join(f"{name} {version}" for name, version in made.versions.items())
    return [tag("p", tag("code", made.command)), tag("p", f"{made.date}; {versions}.")]
