"""Results of a fit, a test of separability and a saved model as plain data: for `--json`.

The question that a verdict on separability answers is plain data and a sentence.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.estimators.base import iterations_of
from rosenblatt.io.chunks import Chunk
from rosenblatt.io.rounded_cells import RoundedCells
from rosenblatt.persist.model import Model
from rosenblatt.pipeline.evaluate import evaluation_json
from rosenblatt.preprocess.column_encoders import TextColumn, column_to_dict, width_of
from rosenblatt.preprocess.column_types import LeftOutColumn
from rosenblatt.preprocess.target import label_text
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.registry import NAMES
from rosenblatt.report.text import SHOWN_CLASSES, SHOWN_COLUMNS, brief
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable
from rosenblatt.text import listed
from rosenblatt.types import Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.pipeline.fit import FitResult
    from rosenblatt.pipeline.question import Question

STATEMENTS = {
    "separable": "a linear classifier {} separates",
    "inseparable": "no linear classifier {} separates",
    "undecided": "it is not known whether a linear classifier {} separates",
}
ANSWERS = {"separable": "separable", "inseparable": "not separable"}
MAX_WEIGHTS = 1000  # of a output in JSON, largest first


def fit_json(source: str, fitted: "FitResult", names: Mapping[int, str]) -> dict[str, Any]:
    """The result of a fit; `names` replace the names of some features."""
    learned, estimator = fitted.learned, fitted.estimator
    transformer = learned.transformer
    classes = [label_text(label) for label in learned.classes]
    return {
        "source": source,
        "n_rows": learned.n_rows,
        "n_features": transformer.n_features,
        "n_encoded_features": transformer.n_encoded_features,
        "target": transformer.target,
        "class_counts": {label_text(label): learned.counts[label] for label in learned.classes},
        "columns": columns_json(transformer),
        "feature_maps": feature_maps_json(transformer),
        "left_out": left_out_json(learned.left_out),
        "rule": NAMES[type(estimator).__name__],
        "estimator": type(estimator).__name__,
        "parameters": {name: plain(value) for name, value in estimator.get_params().items()},
        "C": plain(getattr(estimator, "C_", None)),
        "outcome": str(estimator.outcome_),
        "converged": estimator.outcome_.converged,
        "n_iter": iterations_of(estimator),
        "mistakes": _mistakes_of(estimator),
        "objective": plain(getattr(estimator, "objective_", None)),
        "duality_gap": plain(getattr(estimator, "gap_", None)),
        "training_accuracy": fitted.training_accuracy,
        "evaluation": None
        if fitted.evaluation is None
        else evaluation_json(fitted.evaluation, classes),
        "not_evaluated": fitted.advice if fitted.evaluation is None else "",
        "weights": _weights(fitted, names),
        "rows_on_disk": fitted.on_disk,
        "separability": _verdict(fitted.proof, fitted.question),
        "separability_of_mapped_features": _verdict(
            fitted.proof_of_features, fitted.question_of_features
        ),
    }


def verdict_json(proof: Proof) -> dict[str, Any]:
    """A verdict on separability as plain data."""
    verdict: dict[str, Any] = {"verdict": proof.answer, "explanation": str(proof)}
    if isinstance(proof, Separable):
        verdict |= {
            "margin": proof.margin,
            "radius": proof.radius,
            "mistake_bound": proof.mistake_bound,
        }
    if isinstance(proof, Inseparable):
        verdict |= {
            "rows": list(proof.rows),
            "weights": [str(weight) for weight in proof.weights],
            "kind": proof.kind,
        }
        if proof.tied is not None:
            verdict["tied"] = proof.tied
    return verdict


def answer_json(proof: Proof, question: "Question") -> dict[str, Any]:
    """A verdict on separability with the question that it answers, as plain data."""
    return verdict_json(proof) | {"question": question_json(question, proof.answer)}


def _verdict(proof: Proof | None, question: "Question | None") -> dict[str, Any] | None:
    return None if proof is None or question is None else answer_json(proof, question)


def plain(value: Any) -> Any:
    """A value as JSON has it; infinity and NaN become text."""
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return str(value)


def _weights(fitted: "FitResult", names: Mapping[int, str]) -> dict[str, dict[str, float]]:
    """Weights of each output by name, the largest first, the intercept last."""
    learned, estimator = fitted.learned, fitted.estimator
    W = np.column_stack([estimator.coef_, estimator.intercept_])
    classes = [label_text(label) for label in learned.classes]
    return largest_weights(classes, learned.transformer.feature_names, W, names)


def _mistakes_of(model: Any) -> list[int] | None:
    """Mistakes of each epoch; None for rules without epochs, or with a duality gap."""
    if not hasattr(model, "trace_") or hasattr(model, "gap_"):
        return None
    mistakes: list[int] = model.trace_.column("mistakes")
    return mistakes


def left_out_json(left_out: Iterable[LeftOutColumn]) -> list[dict[str, Any]]:
    """Columns that were left out, and why, as plain data."""
    return [{"column": f.column, "kind": f.kind, "reason": f.reason} for f in left_out]


def question_json(question: "Question", answer: str) -> dict[str, Any]:
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
        f"{target} in {_number(data['n_rows'], 'row')} with {_features(data)}"
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
        missing = ", one more for missing" if column["indicator"] else ""
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
    from rosenblatt.pipeline.question import NOT_KNOWN  # noqa: PLC0415 (for verdicts alone)

    again = data["verdict_with_left_out"]
    if again is None:
        return ""
    found = [f["column"] for f in data["left_out"] if f["kind"] != "dropped"]
    columns = listed([repr(brief(name)) for name in found], SHOWN_COLUMNS)
    if again == NOT_KNOWN:
        return f"Whether {columns} would change the verdict is not known (--use all keeps them)."
    if again == answer:
        return f"With {columns} (--use all), the verdict is the same."
    return f"With {columns} (--use all), the classes are {ANSWERS[again]}."


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


def columns_json(transformer: ColumnTransformer) -> list[dict[str, Any]]:
    """Name, kind and number of features of every column; the n-grams of text."""
    return [
        {"name": column.name, "kind": column.kind, "n_features": width_of(column)}
        | ({"ngrams": column.grams.spec} if isinstance(column, TextColumn) else {})
        for column in transformer.columns
    ]


def feature_maps_json(transformer: ColumnTransformer) -> list[dict[str, Any]]:
    """Every feature map as it was given, and the number of its features."""
    return [
        {"feature_map": step.spec, "n_features": step.map.n_outputs} for step in transformer.maps
    ]


def largest_features(coef: Floats) -> Ints:
    """Features whose weights are the largest in some output, the largest first."""
    return np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:MAX_WEIGHTS]


def largest_weights(
    classes: Sequence[str],
    default_names: Sequence[str],
    W: Floats,
    names: Mapping[int, str] | None = None,
) -> dict[str, dict[str, float]]:
    """The largest weights (w, b) of each output; `names` replace some default names."""
    features = largest_features(W[:, :-1])
    shown = [(names or {}).get(int(j), default_names[j]) for j in features]
    return weights_by_name(classes[-len(W) :], shown, np.column_stack([W[:, features], W[:, -1]]))


def weights_by_name(
    outputs: Sequence[str], features: Sequence[str], W: Floats
) -> dict[str, dict[str, float]]:
    """Weights (w, b) of each output by the names of the features, the intercept last."""
    intercept, *shown = _distinct(["intercept", *features])
    return {
        output: dict(zip([*shown, intercept], map(float, w), strict=True))
        for output, w in zip(_distinct(outputs), W, strict=True)
    }


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, made distinct by a number where one repeats."""
    seen: Counter[str] = Counter()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return distinct


def named_weights(model: Model, texts: Any) -> dict[str, dict[str, float]]:
    """The largest weights of a model by name, with hashed n-grams named from some texts.

    A model stores no text, so its n-grams have to be found in texts, the training texts or others.

    Parameters
    ----------
    model : Model
        A model with a text column, as returned by `load`.
    texts : polars or pandas frame
        Rows with the model's text columns.

    Returns
    -------
    dict
        Weights by feature for each output, the largest first and the intercept last. A feature that
        none of these n-grams is hashed to is named by its index.
    """
    from rosenblatt.persist.model import as_chunk  # noqa: PLC0415 (for frames alone)

    classes = [label_text(label) for label in model.classes]
    names = ngram_names_of_weights(model, [as_chunk(texts)])
    return largest_weights(classes, model.feature_names, model.W, names)


def ngram_names_of_weights(model: Model, source: Iterable[Chunk]) -> dict[int, str]:
    """Names of the hashed features with the largest weights, found in a source."""
    from rosenblatt.pipeline.encoded_data import ngram_names  # noqa: PLC0415 (for text alone)

    if not model.transformer.has_text:
        raise ModelError("The model has no text column: all its weights have names.")
    return ngram_names(source, model.transformer, largest_features(model.W[:, :-1]))


def model_json(path: str, model: Model, names: Mapping[int, str] | None = None) -> dict[str, Any]:
    """A model file as plain data; `names` replace the names of some features."""
    classes = [label_text(label) for label in model.classes]
    return {
        "model": path,
        "rule": model.rule,
        "classes": classes,
        "n_features": model.transformer.n_features,
        "target": model.transformer.target,
        "columns": columns_json(model.transformer),
        "feature_maps": feature_maps_json(model.transformer),
        "scaled": model.transformer.scaling is not None,
        "has_probabilities": model.link is not None,
        "weights": largest_weights(classes, model.feature_names, model.W, names),
        "training": model.summary,
    }
