"""`rosenblatt separable` and `rosenblatt verify`: the verdict and its proof."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli import options
from rosenblatt.cli.console import show
from rosenblatt.cli.options import Reading, taking_columns, taking_reading
from rosenblatt.cli.progress import progress
from rosenblatt.errors import ProofError, ProofFileError, SourceError

if TYPE_CHECKING:
    from rosenblatt.tables.kinds import Choices

YES, NO, UNDECIDED = 0, 1, 3
WRITES_A_PROOF = "`separable --proof FILE` writes a proof."
CODES = {"separable": YES, "inseparable": NO, "undecided": UNDECIDED}


@taking_reading
@taking_columns
def separable(
    *,
    reading: Reading,
    choices: "Choices",
    source: options.Sources,
    target: options.Target = None,
    features: options.Features = None,
    proof: Annotated[str | None, typer.Option(help="File to write the proof to.")] = None,
    maximise: Annotated[bool, typer.Option(help="Look for the largest margin.")] = False,
    intercept: Annotated[bool, typer.Option(help="Allow the line a bias.")] = True,
    time_limit: Annotated[float | None, typer.Option(help="Seconds to give up after.")] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Decide whether a line separates the classes, and prove it (exit 0 yes, 1 no, 3 undecided)."""
    from rosenblatt.cli.writing import require_writable
    from rosenblatt.evidence.separability import separability
    from rosenblatt.fitting.reading import read_rows
    from rosenblatt.report.figures import verdict_figures
    from rosenblatt.tables.encoding import encoding_of

    require_writable(proof, "the proof", *source)
    choices, recipes = options.taken(features, choices)
    with progress(quiet=quiet or json) as listen:
        listen("Reading")
        rows = reading.source(source, target, choices)
        data, preparation = read_rows(rows, target, choices, recipes)
        listen("Looking for a proof")
        found = separability(
            data.X, data.y, maximise=maximise, fit_intercept=intercept, time_limit=time_limit
        )
    if proof is not None:
        _save(replace(found, encoding=encoding_of(preparation)), proof)
    show(verdict_figures(found), lambda told: str(told["explanation"]), as_json=json)
    raise typer.Exit(CODES[found.answer])


@taking_reading
def verify(
    *,
    reading: Reading,
    proof: Annotated[str, typer.Argument(help="Proof file written by `separable --proof`.")],
    source: options.Sources,
    target: options.Target = None,
    json: options.Json = False,
) -> None:
    """Check a proof against the data, trusting nobody (exit 0 holds, 1 wrong)."""
    from rosenblatt.evidence.proof.prooffile import load_proof
    from rosenblatt.report.words import listed

    if not proof or not Path(proof).exists() or Path(proof).is_dir():
        trouble = "is a folder" if proof and Path(proof).is_dir() else "does not exist"
        raise SourceError(f"{proof or 'A file without a name'} {trouble}. {WRITES_A_PROOF}")
    claimed = load_proof(proof)
    X, y = _rows_of(claimed.encoding, reading, source, target)
    try:
        claimed.verify(X, y)
    except ProofError as error:
        told = {"holds": False, "reason": str(error)}
    else:
        columns = [column["name"] for column in (claimed.encoding or {}).get("columns", [])]
        by = f", by {listed(columns)}" if columns else ""
        reason = f"The proof holds: {claimed.answer}{by}."
        told = {"holds": True, "verdict": claimed.answer, "columns": columns, "reason": reason}
    show(told, lambda told: str(told["reason"]), as_json=json)
    raise typer.Exit(YES if told["holds"] else NO)


def _rows_of(
    encoding: dict[str, Any] | None, reading: Reading, names: Sequence[str], target: str | None
) -> tuple[Any, Any]:
    """Rows of a source, encoded as the proof says."""
    from rosenblatt.fitting.reading import read_rows, rows_by
    from rosenblatt.models.modelfile import check_preparation
    from rosenblatt.tables.encoding import preparation_in
    from rosenblatt.tables.kinds import Choices

    if encoding is None:
        data, _ = read_rows(reading.source(names, target), target, Choices(scale=False))
        return data.X, data.y
    try:
        preparation, arrays = preparation_in(encoding)
        check_preparation(preparation, arrays)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ProofFileError(f"The encoding in the proof file is damaged: {error}.") from error
    if target is not None and target != preparation.target:
        raise SourceError(f"The proof speaks of the target {preparation.target!r}.")
    opened = reading.source(names, preparation.target, as_words=preparation.as_words)
    data = rows_by(preparation, opened)
    return data.X, data.y


def _save(proof: Any, path: str) -> None:
    from rosenblatt.cli.writing import naming_output

    if proof.answer == "undecided":
        raise SourceError("Nothing was decided, so there is no proof to write.")
    with naming_output(path):
        proof.save(path)
