"""The question that a verdict on separability answers, as plain data and as sentences."""

from collections.abc import Iterable
from typing import Any

from rosenblatt.fitting.question import NOT_KNOWN, Question
from rosenblatt.report.weights import map_figures
from rosenblatt.report.words import SHOWN_COLUMNS, brief, listed
from rosenblatt.tables.columns import plain_column, width_of
from rosenblatt.tables.findings import Finding
from rosenblatt.tables.targets import written

STATEMENTS = {
    "separable": "a linear classifier {} separates",
    "inseparable": "no linear classifier {} separates",
    "undecided": "it is not known whether a linear classifier {} separates",
}
ANSWERS = {"separable": "separable", "inseparable": "not separable"}


def finding_figures(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Columns that were left out, and why, as plain data."""
    return [{"column": f.column, "kind": f.kind, "reason": f.reason} for f in findings]


def question_figures(question: Question, answer: str) -> dict[str, Any]:
    """What was asked, and the answer as one sentence; whether columns left out change it."""
    preparation = question.preparation
    told: dict[str, Any] = {
        "rows": sum(question.counts.values()),
        "features": preparation.n_features,
        "encoded_features": preparation.n_encoded,
        "intercept": question.fit_intercept,
        "scaled": preparation.scaling is not None,
        "target": preparation.target,
        "classes": {written(label): question.counts[label] for label in sorted(question.counts)},
        "columns": [
            {**plain_column(column), "features": width_of(column)} for column in preparation.columns
        ],
        "maps": map_figures(preparation),
        "left_out": finding_figures(question.left_out),
        "with_left_out": question.with_left_out,
    }
    effect = _effect_of_left_out(told, answer)
    return {"statement": _statement(told, answer), **told, "effect_of_left_out": effect}


def _statement(told: dict[str, Any], answer: str) -> str:
    """The answer with all that was asked, as one sentence."""
    intercept = "with an intercept" if told["intercept"] else "without an intercept"
    names = listed([brief(name) for name in told["classes"]])
    target = "" if told["target"] is None else f" of {told['target']!r}"
    sentence = (
        f"{STATEMENTS[answer].format(intercept)} the {len(told['classes'])} classes ({names})"
        f"{target} in {_number(told['rows'], 'row')} of {_features(told)}"
    )
    return f"{sentence[0].upper()}{sentence[1:]}."


def _features(told: dict[str, Any]) -> str:
    """How many features there are, and what they are made from."""
    made = _number(told["features"], "feature")
    if told["maps"]:
        maps = " and ".join(each["map"] for each in told["maps"])
        scaled = "scaled " if told["scaled"] else ""
        made += f", made by {maps} from {scaled}{_number(told['encoded_features'], 'feature')}"
    if told["columns"]:
        made += f", made from: {listed([_column(c) for c in told['columns']], SHOWN_COLUMNS)}"
    return made


def _column(column: dict[str, Any]) -> str:
    """A column, and how it was encoded."""
    name, kind = brief(column["name"]), column["kind"]
    if kind == "text":
        low, high = column["sizes"]
        how = "present or not" if column["weight"] == "binary" else "counted"
        return f"{name} (text, runs of {low} to {high} {column['unit']}s, {how})"
    if kind == "category":
        missing = ", missing cells as one more" if column["indicator"] else ""
        return f"{name} (category, {_number(len(column['values']), 'value')}{missing})"
    if column["indicator"]:
        return f"{name} (number, missing cells filled with {column['fill']:.6g} and flagged)"
    return f"{name} (number)"


def left_out_sentence(told: dict[str, Any]) -> str:
    """Columns left out, by their reasons; or no text."""
    names: dict[str, list[str]] = {}
    for left in told["left_out"]:
        names.setdefault(left["reason"], []).append(repr(brief(left["column"])))
    groups = [f"{listed(own, SHOWN_COLUMNS)} ({reason})" for reason, own in names.items()]
    return f"Left out: {', '.join(groups)}." if groups else ""


def _effect_of_left_out(told: dict[str, Any], answer: str) -> str:
    """Whether the columns that the program left out by itself change the verdict; or no text."""
    again = told["with_left_out"]
    if again is None:
        return ""
    found = [f["column"] for f in told["left_out"] if f["kind"] != "dropped"]
    whom = listed([repr(brief(name)) for name in found], SHOWN_COLUMNS)
    if again == NOT_KNOWN:
        return f"Whether {whom} would change the verdict is not known (--use all takes all in)."
    if again == answer:
        return f"With {whom} (--use all) the verdict is the same."
    return f"With {whom} (--use all) the classes are {ANSWERS[again]}."


def verdict_text(told: dict[str, Any]) -> str:
    """A verdict with its question: what was left out comes first."""
    question = told["question"]
    left_out = f"{left_out_sentence(question)} {question['effect_of_left_out']}".strip()
    return "\n".join(filter(None, [left_out, told["explanation"], question["statement"]]))


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
