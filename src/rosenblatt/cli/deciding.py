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
from rosenblatt.errors import ProofError, SourceError

if TYPE_CHECKING:
    from rosenblatt.fitting.question import Claimed, Question
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
    write_matrix: Annotated[
        str | None,
        typer.Option(
            metavar="PREFIX",
            help="Write the rows as numbers to PREFIX.X.npy (PREFIX.X.npz if sparse), and the"
            " labels to PREFIX.y.npy.",
        ),
    ] = None,
    maximise: Annotated[bool, typer.Option(help="Look for the largest margin.")] = False,
    intercept: Annotated[bool, typer.Option(help="Allow the line a bias.")] = True,
    time_limit: Annotated[float | None, typer.Option(help="Seconds to give up after.")] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Decide whether a line separates the classes, and prove it (exit 0 yes, 1 no, 3 undecided)."""
    from rosenblatt.cli.matrix import matrix_files, write_rows
    from rosenblatt.cli.writing import require_writable
    from rosenblatt.evidence.separability import separability
    from rosenblatt.fitting.question import LEFT_OUT_SECONDS, Asked
    from rosenblatt.report.figures import answer_figures
    from rosenblatt.report.question import verdict_text
    from rosenblatt.sources.selecting import Remembered

    require_writable(proof, "the proof", *source)
    for file in matrix_files(write_matrix):
        require_writable(file, "the matrix", *source)
    choices, recipes = options.taken(features, choices)
    with progress(quiet=quiet or json) as listen:
        listen("Reading")
        asked = Asked(Remembered(reading.source(source, target, choices)), target, choices, recipes)
        rows = asked.read()
        if write_matrix is not None:
            write_rows(write_matrix, rows.data)
        listen("Looking for a proof")
        found = separability(
            rows.data.X,
            rows.data.y,
            maximise=maximise,
            fit_intercept=intercept,
            time_limit=time_limit,
        )
        if proof is not None:
            _save(replace(found, encoding=asked.encoding(rows)), proof)
        listen("Asking whether the columns left out would change the verdict")
        seconds = LEFT_OUT_SECONDS if time_limit is None else min(time_limit, LEFT_OUT_SECONDS)
        again = asked.answer_with_left_out(rows.learned, found, seconds, fit_intercept=intercept)
    question = asked.question(rows, fit_intercept=intercept)
    question = question._replace(with_left_out=again)
    show(answer_figures(found, question), verdict_text, as_json=json)
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
    from rosenblatt.fitting.question import claimed_in

    if not proof or not Path(proof).exists() or Path(proof).is_dir():
        trouble = "is a folder" if proof and Path(proof).is_dir() else "does not exist"
        raise SourceError(f"{proof or 'A file without a name'} {trouble}. {WRITES_A_PROOF}")
    claimed = load_proof(proof)
    encoding = None if claimed.encoding is None else claimed_in(claimed.encoding)
    try:
        told = _held(claimed, _question_of(claimed, encoding, reading, source, target))
    except ProofError as error:
        told = {"holds": False, "reason": str(error)}
    show(told, lambda told: str(told["reason"]), as_json=json)
    raise typer.Exit(YES if told["holds"] else NO)


def _question_of(
    proof: Any,
    encoding: "Claimed | None",
    reading: Reading,
    names: Sequence[str],
    target: str | None,
) -> "Question":
    """What a proof answers, if it holds for the rows of a source; else ProofError."""
    from rosenblatt.fitting.question import Asked, ask_again, read_again
    from rosenblatt.tables.kinds import Choices

    if encoding is None:
        asked = Asked(reading.source(names, target), target, Choices(scale=False))
        rows = asked.read()
    else:
        asked = ask_again(encoding, reading.source(names, target, encoding.choices), target)
        rows = read_again(encoding, asked)
    proof.verify(rows.data.X, rows.data.y)
    return asked.question(rows, fit_intercept=proof.fit_intercept)


def _held(proof: Any, question: "Question") -> dict[str, Any]:
    """A proof that holds, and what it proves."""
    from rosenblatt.report.question import left_out_sentence, question_figures

    told = question_figures(question, proof.answer)
    proved = told["statement"]
    reason = f"The proof holds: {proved[0].lower()}{proved[1:]} {left_out_sentence(told)}".rstrip()
    columns = [column["name"] for column in told["columns"]]
    return {
        "holds": True,
        "verdict": proof.answer,
        "columns": columns,
        "reason": reason,
        "question": told,
    }


def _save(proof: Any, path: str) -> None:
    from rosenblatt.cli.writing import naming_output

    if proof.answer == "undecided":
        raise SourceError("Nothing was decided, so there is no proof to write.")
    with naming_output(path):
        proof.save(path)
