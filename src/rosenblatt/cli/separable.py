"""`rosenblatt separable` and `rosenblatt verify`: the verdict and its proof."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli import options
from rosenblatt.cli.options import Reading, with_column_options, with_reading_options
from rosenblatt.cli.output import print_result, progress_line
from rosenblatt.errors import ProofError, SourceError

if TYPE_CHECKING:
    from rosenblatt.datasets.builtin import Dataset
    from rosenblatt.pipeline.question import ClaimedEncoding, Question
    from rosenblatt.preprocess.column_types import Choices

YES, NO, UNDECIDED = 0, 1, 3
WRITES_A_PROOF = "`separable --proof FILE` writes a proof."
DENSE, SPARSE, LABELS = ".X.npy", ".X.npz", ".y.npy"  # of --write-matrix
CODES = {"separable": YES, "inseparable": NO, "undecided": UNDECIDED}


@with_reading_options
@with_column_options
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
            help="Write the encoded rows to PREFIX.X.npy (PREFIX.X.npz if sparse), and the labels"
            " to PREFIX.y.npy.",
        ),
    ] = None,
    maximise: Annotated[bool, typer.Option(help="Maximise the margin.")] = False,
    intercept: Annotated[bool, typer.Option(help="Fit an intercept.")] = True,
    time_limit: Annotated[float | None, typer.Option(help="Time limit in seconds.")] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Prove whether the classes are linearly separable (exit 0 yes, 1 no, 3 undecided)."""
    from rosenblatt.cli.output import require_writable
    from rosenblatt.io.chunks import CachedSource
    from rosenblatt.pipeline.question import LEFT_OUT_SECONDS, EncodingPlan
    from rosenblatt.report.json import answer_json, verdict_text
    from rosenblatt.separation.decide import separability

    require_writable(proof, "the proof", *source)
    for file in matrix_files(write_matrix):
        require_writable(file, "the matrix", *source)
    choices, map_specs = options.parse_features(features, choices)
    with progress_line(quiet=quiet or json) as progress:
        progress("Reading")
        opened = CachedSource(reading.source(source, target, choices, proves=True))
        plan = EncodingPlan(opened, target, choices, map_specs)
        rows = plan.read()
        if write_matrix is not None:
            write_rows(write_matrix, rows.data)
        progress("Testing separability")
        found = separability(
            rows.data.X,
            rows.data.y,
            maximise=maximise,
            fit_intercept=intercept,
            time_limit=time_limit,
        )
        if proof is not None:
            _save(replace(found, encoding=plan.encoding(rows)), proof)
        progress("Testing separability with the columns left out")
        seconds = LEFT_OUT_SECONDS if time_limit is None else min(time_limit, LEFT_OUT_SECONDS)
        again = plan.verdict_with_left_out(rows.learned, found, seconds, fit_intercept=intercept)
    question = plan.question(rows, fit_intercept=intercept)
    question = question._replace(with_left_out=again)
    print_result(answer_json(found, question), verdict_text, as_json=json)
    raise typer.Exit(CODES[found.answer])


@with_reading_options
def verify(
    *,
    reading: Reading,
    proof: Annotated[str, typer.Argument(help="Proof file written by `separable --proof`.")],
    source: options.Sources,
    target: options.Target = None,
    json: options.Json = False,
) -> None:
    """Check a proof against the data, independently of who made it (exit 0 holds, 1 wrong)."""
    from rosenblatt.pipeline.question import parse_claimed_encoding
    from rosenblatt.separation.proof.reader import load_proof

    if not proof or not Path(proof).exists() or Path(proof).is_dir():
        problem = "is a folder" if proof and Path(proof).is_dir() else "does not exist"
        raise SourceError(f"{proof or 'A file without a name'} {problem}. {WRITES_A_PROOF}")
    claimed = load_proof(proof)
    encoding = None if claimed.encoding is None else parse_claimed_encoding(claimed.encoding)
    try:
        result = _held(claimed, _question_of(claimed, encoding, reading, source, target))
    except ProofError as error:
        result = {"holds": False, "explanation": str(error)}
    print_result(result, lambda result: str(result["explanation"]), as_json=json)
    raise typer.Exit(YES if result["holds"] else NO)


def _question_of(
    proof: Any,
    encoding: "ClaimedEncoding | None",
    reading: Reading,
    names: Sequence[str],
    target: str | None,
) -> "Question":
    """What a proof answers, if it holds for the rows of a source; else ProofError."""
    from rosenblatt.pipeline.question import EncodingPlan, encode_as_claimed, plan_of_claim
    from rosenblatt.preprocess.column_types import Choices

    if encoding is None:
        opened = reading.source(names, target, proves=True)
        plan = EncodingPlan(opened, target, Choices(scale=False))
        rows = plan.read()
    else:
        opened = reading.source(names, target, encoding.choices, proves=True)
        plan = plan_of_claim(encoding, opened, target)
        rows = encode_as_claimed(encoding, plan)
    proof.verify(rows.data.X, rows.data.y)
    return plan.question(rows, fit_intercept=proof.fit_intercept)


def _held(proof: Any, question: "Question") -> dict[str, Any]:
    """A proof that holds, and what it proves."""
    from rosenblatt.report.json import left_out_sentence, question_json

    data = question_json(question, proof.answer)
    proved = data["statement"]
    more = filter(None, [data["effect_of_rounding"], left_out_sentence(data)])
    explanation = " ".join([f"The proof holds: {proved[0].lower()}{proved[1:]}", *more])
    columns = [column["name"] for column in data["columns"]]
    return {
        "holds": True,
        "verdict": proof.answer,
        "columns": columns,
        "explanation": explanation,
        "question": data,
    }


def _save(proof: Any, path: str) -> None:
    from rosenblatt.cli.output import name_output_in_errors

    if proof.answer == "undecided":
        raise SourceError(
            "Separability was not decided, so there is no proof to write. Raise --time-limit."
        )
    with name_output_in_errors(path):
        proof.save(path)


def matrix_files(prefix: str | None) -> tuple[str, ...]:
    """The files that may be written."""
    if prefix is None:
        return ()
    if not prefix or prefix.endswith("/") or Path(prefix).is_dir():
        raise SourceError(f"--write-matrix must be a prefix of file names; got {prefix!r}.")
    return tuple(prefix + ending for ending in (DENSE, SPARSE, LABELS))


def write_rows(prefix: str, data: "Dataset") -> None:
    """Write rows and labels without pickles: the numbers that the proof's fingerprint is of."""
    if hasattr(data.X, "indptr"):
        _write(prefix + SPARSE, data.X, _write_sparse)
    else:
        _write(prefix + DENSE, data.X, _write_array)
    _write(prefix + LABELS, data.y, _write_array)


def _write(path: str, values: Any, write: Any) -> None:
    from rosenblatt.atomic_write import written_whole
    from rosenblatt.cli.output import name_output_in_errors

    with name_output_in_errors(path), written_whole(path) as file:
        write(file, values)


def _write_array(file: IO[bytes], values: Any) -> None:
    import numpy as np

    np.save(file, np.asarray(values), allow_pickle=False)


def _write_sparse(file: IO[bytes], rows: Any) -> None:
    from scipy.sparse import save_npz

    save_npz(file, rows)
