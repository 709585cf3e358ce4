"""What the commands do: read, call, print. Each gives its exit code."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from rosenblatt.data.files import read
from rosenblatt.errors import ParameterError, ProofError, SourceError

YES, NO, UNDECIDED = 0, 1, 3


class Rule(StrEnum):
    """Learning rules by their names on the command line."""

    PERCEPTRON = "perceptron"
    BATCH_PERCEPTRON = "batch-perceptron"
    PASSIVE_AGGRESSIVE = "passive-aggressive"
    AROW = "arow"
    SECOND_ORDER_PERCEPTRON = "second-order-perceptron"
    LMS = "lms"
    TANH_PERCEPTRON = "tanh-perceptron"
    LEAST_SQUARES = "least-squares"
    FISHER_DISCRIMINANT = "fisher-discriminant"
    LINEAR_DISCRIMINANT = "linear-discriminant"
    LINEAR_SVM = "linear-svm"
    LOGISTIC_REGRESSION = "logistic-regression"

    @property
    def estimator(self) -> str:
        """Name of the estimator: the same words."""
        known = {Rule.AROW: "AROW", Rule.LMS: "LMS", Rule.LINEAR_SVM: "LinearSVM"}
        return known.get(self, self.value.title().replace("-", ""))


def fit(
    source: str,
    target: str | None,
    rule: Rule,
    settings: Mapping[str, Any],
    *,
    time_limit: float,
    as_json: bool,
) -> int:
    """Train a rule on a source and explain the result; a setting of None is left to the rule."""
    import rosenblatt  # noqa: PLC0415 (late: training code is slow to import)
    from rosenblatt.report.words import figures, sentences, verdict_figures  # noqa: PLC0415

    model = getattr(rosenblatt, rule.estimator)()
    for name, value in settings.items():
        if value is not None:
            _set(model, rule, name, _number_if_it_is(value))
    data = read(source, target)
    model.fit(data.X, data.y)
    told = figures(source, data, model)
    if time_limit > 0:
        proof = rosenblatt.separability(data.X, data.y, time_limit=time_limit)
        told["separability"] = verdict_figures(proof)
    _print(told, sentences, as_json=as_json)
    return YES


def _number_if_it_is(value: Any) -> Any:
    """Let --C take a number or the word cv."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _set(model: Any, rule: Rule, name: str, value: Any) -> None:
    if name not in model.get_params():
        flag = name.replace("_", "-")
        raise ParameterError(f"--{flag} has no meaning for --rule {rule}. Leave it out.")
    model.set_params(**{name: value})


def separable(
    source: str,
    target: str | None,
    proof_path: str | None,
    options: Mapping[str, Any],
    *,
    as_json: bool,
) -> int:
    """Decide on separability; write the proof if asked to."""
    from rosenblatt.evidence.separability import separability  # noqa: PLC0415 (as above)
    from rosenblatt.report.words import verdict_figures  # noqa: PLC0415

    data = read(source, target)
    proof = separability(data.X, data.y, **options)
    if proof_path is not None:
        if proof.answer == "undecided":
            raise SourceError("Nothing was decided, so there is no proof to write.")
        _save(proof, proof_path)
    _print(verdict_figures(proof), lambda told: str(told["explanation"]), as_json=as_json)
    return {"separable": YES, "inseparable": NO, "undecided": UNDECIDED}[proof.answer]


def verify(proof_path: str, source: str, target: str | None, *, as_json: bool) -> int:
    """Check a proof file against the data."""
    from rosenblatt.evidence.proof.prooffile import load_proof  # noqa: PLC0415 (as above)

    if not Path(proof_path).is_file():  # a missing file is a slip, not a wrong proof
        raise SourceError(f"{proof_path} does not exist. `separable --proof FILE` writes one.")
    data = read(source, target)
    try:
        proof = load_proof(proof_path)
        proof.verify(data.X, data.y)
    except ProofError as error:
        told = {"holds": False, "reason": str(error)}
    else:
        told = {
            "holds": True,
            "verdict": proof.answer,
            "reason": f"The proof holds: {proof.answer}.",
        }
    _print(told, lambda told: str(told["reason"]), as_json=as_json)
    return YES if told["holds"] else NO


def _save(proof: Any, path: str) -> None:
    try:
        proof.save(path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}.") from error


def _print(told: dict[str, Any], text: Any, *, as_json: bool) -> None:
    typer.echo(json.dumps(told, indent=2, ensure_ascii=False) if as_json else text(told))
