"""The question that a verdict on separability answers, as plain data and as sentences."""

from collections.abc import Iterable
from typing import Any

from rosenblatt.io.rounded_cells import RoundedCells
from rosenblatt.pipeline.question import NOT_KNOWN, Question
from rosenblatt.preprocess.column_encoders import column_to_dict, width_of
from rosenblatt.preprocess.column_types import LeftOutColumn
from rosenblatt.preprocess.target import label_text
from rosenblatt.report.model_summary import feature_maps_json
from rosenblatt.report.text import SHOWN_CLASSES, SHOWN_COLUMNS, brief
from rosenblatt.text import listed

STATEMENTS = {
    "separable": "a linear classifier {} separates",
    "inseparable": "no linear classifier {} separates",
    "undecided": "it is not known whether a linear classifier {} separates",
}
ANSWERS = {"separable": "separable", "inseparable": "not separable"}


def left_out_json(left_out: Iterable[LeftOutColumn]) -> list[dict[str, Any]]:
    """Columns that were left out, and why, as plain data."""
    return [{"column": f.column, "kind": f.kind, "reason": f.reason} for f in left_out]


def question_json(question: Question, answer: str) -> dict[str, Any]:
    """The question as plain data, with the verdict on it as a sentence."""
    transformer, again, learned = question.transformer, question.with_left_out, question.learned
    data: dict[str, Any] = {
        "n_rows": learned.n_rows,
        "n_features": transformer.n_features,
        "n_encoded_features": transformer.n_encoded_features,
        "fit_intercept": question.fit_intercept,
        "scaled": transformer.scaling is not None,
        "precision": question.precision,
        "target": transformer.target,
        "class_counts": {
            label_text(label): learned.counts[label] for label in sorted(learned.counts)
        },
        "columns": [
            {
                **column_to_dict(column),
                "n_features": width_of(column),
                "truncated": column.name in learned.truncated,
            }
            for column in transformer.columns
        ],
        "feature_maps": feature_maps_json(transformer),
        "left_out": left_out_json(question.left_out),
        "verdict_with_left_out": None if again is None else again.answer,
        "rounded": [{"column": name, **cells._asdict()} for name, cells in learned.rounded.items()],
    }
    effect = _effect_of_left_out(data, answer)
    if again is not None:
        effect = f"{effect} {rounding_sentence(again.rounded)}".rstrip()
    return {
        "statement": _statement(data, answer),
        **data,
        "effect_of_left_out": effect,
        "effect_of_rounding": rounding_sentence(learned.rounded),
    }


def _statement(data: dict[str, Any], answer: str) -> str:
    """The verdict with the whole problem, as one sentence."""
    intercept = "with an intercept" if data["fit_intercept"] else "without an intercept"
    names = listed([brief(name) for name in data["class_counts"]], SHOWN_CLASSES)
    target = "" if data["target"] is None else f" of {data['target']!r}"
    sentence = (
        f"{STATEMENTS[answer].format(intercept)} the {len(data['class_counts'])} classes ({names})"
        f"{target} in {_number(data['n_rows'], 'row')} of {_features(data)}"
    )
    return f"{sentence[0].upper()}{sentence[1:]}."


def _features(data: dict[str, Any]) -> str:
    """The number of features, and what they are encoded from."""
    made = _number(data["n_features"], "feature")
    if data["feature_maps"]:
        maps = " and ".join(each["feature_map"] for each in data["feature_maps"])
        noun = "scaled feature" if data["scaled"] else "feature"
        made += f", mapped by {maps} in {data['precision']}"
        made += f" from {_number(data['n_encoded_features'], noun)}"
    if data["columns"]:
        made += f", encoded from: {listed([_column(c) for c in data['columns']], SHOWN_COLUMNS)}"
    return made


def _column(column: dict[str, Any]) -> str:
    """A column, and how it was encoded."""
    name, kind = brief(column["name"]), column["kind"]
    if kind == "text":
        low, high = column["sizes"]
        how = "binary" if column["weight"] == "binary" else "counted"
        return f"{name} (text, hashed n-grams of {low} to {high} {column['unit']}s, {how})"
    if kind == "category":
        missing = ", missing as one more" if column["indicator"] else ""
        values = _number(len(column["values"]), "value")
        values = f"the {values} that are most frequent" if column["truncated"] else values
        return f"{name} (category, {values}{missing})"
    if column["indicator"]:
        return f"{name} (number, missing cells imputed with {column['fill']:.6g} and flagged)"
    return f"{name} (number)"


def left_out_sentence(data: dict[str, Any]) -> str:
    """The columns left out, grouped by reason; or no text."""
    names: dict[str, list[str]] = {}
    for left in data["left_out"]:
        names.setdefault(left["reason"], []).append(repr(brief(left["column"])))
    groups = [f"{listed(own, SHOWN_COLUMNS)} ({reason})" for reason, own in names.items()]
    return f"Left out: {listed(groups)}." if groups else ""


def _effect_of_left_out(data: dict[str, Any], answer: str) -> str:
    """Whether the columns that were left out automatically change the verdict; or no text."""
    again = data["verdict_with_left_out"]
    if again is None:
        return ""
    found = [f["column"] for f in data["left_out"] if f["kind"] != "dropped"]
    columns = listed([repr(brief(name)) for name in found], SHOWN_COLUMNS)
    if again == NOT_KNOWN:
        return f"Whether {columns} would change the verdict is not known (--use all includes all)."
    if again == answer:
        return f"With {columns} (--use all) the verdict is the same."
    return f"With {columns} (--use all) the classes are {ANSWERS[again]}."


def rounding_sentence(rounded: RoundedCells) -> str:
    """The columns with cells that float64 does not tell apart; or no text."""
    integers = [_cells(name, cells.integers) for name, cells in rounded.items() if cells.integers]
    decimals = [_cells(name, cells.decimals) for name, cells in rounded.items() if cells.decimals]
    sentences = []
    if integers:
        columns = listed(integers, SHOWN_COLUMNS)
        sentences.append(f"Integers beyond 2^53 are rounded to float64: {columns}.")
    if decimals:
        columns = listed(decimals, SHOWN_COLUMNS)
        sentences.append(f"Different decimals become equal as float64: {columns}.")
    return " ".join(sentences)


def _cells(name: str, n: int) -> str:
    return f"{_number(n, 'cell')} of {brief(name)!r}"


def verdict_text(data: dict[str, Any]) -> str:
    """A verdict with its question, the columns left out first."""
    question = data["question"]
    left_out = f"{left_out_sentence(question)} {question['effect_of_left_out']}".strip()
    parts = [left_out, data["explanation"], question["statement"], question["effect_of_rounding"]]
    return "\n".join(filter(None, parts))


def _number(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
