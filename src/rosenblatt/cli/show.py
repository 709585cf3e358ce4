"""`rosenblatt show` and `rosenblatt export`: a model as text, JSON or ONNX."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli import options
from rosenblatt.cli.options import Reading, with_reading_options
from rosenblatt.cli.output import print_result
from rosenblatt.cli.predict import ModelFile, source_for
from rosenblatt.errors import ParameterError

if TYPE_CHECKING:
    from rosenblatt.persist.model import Model


class ExportFormat(StrEnum):
    """Formats that a model can be exported to."""

    JSON = "json"
    ONNX = "onnx"


@with_reading_options
def show(
    *,
    reading: Reading,
    model: ModelFile,
    names: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE", help="Files with texts from which to name hashed n-grams."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Explain a model: its rule, columns, largest weights, and evaluation."""
    from rosenblatt.persist.file import load_model
    from rosenblatt.report.json import model_json
    from rosenblatt.report.text import model_text

    loaded, found = load_model(model), None
    if names:
        from rosenblatt.report.json import ngram_names_of_weights

        found = ngram_names_of_weights(loaded, source_for(loaded, reading, names, labelled=False))
    print_result(model_json(model, loaded, found), model_text, as_json=json)


def export(
    *,
    model: ModelFile,
    output: Annotated[str, typer.Option("--output", "-o", help="File to write.")],
    to: Annotated[ExportFormat | None, typer.Option(help="Format. Default: by file name.")] = None,
    json: options.Json = False,
) -> None:
    """Export a model for other programs, as JSON or ONNX."""
    from rosenblatt.atomic_write import written_whole
    from rosenblatt.cli.output import name_output_in_errors, require_writable
    from rosenblatt.persist.file import load_model

    require_writable(output, "the export", model)
    format_ = to or _format_of(output)
    text = _exported(load_model(model), format_)
    with name_output_in_errors(output), written_whole(output) as file:
        file.write(text)
    result = {"model": model, "output": output, "format": str(format_), "n_bytes": len(text)}
    message = f"{model} written to {output} as {format_.upper()}."
    print_result(result, lambda _: message, as_json=json)


def _exported(model: "Model", format_: ExportFormat) -> bytes:
    if format_ is ExportFormat.JSON:
        from rosenblatt.persist.export import to_json

        return to_json(model).encode()
    from rosenblatt.persist.export import to_onnx

    text: bytes = to_onnx(model).SerializeToString()
    return text


def _format_of(output: str) -> ExportFormat:
    suffix = Path(output).suffix.removeprefix(".").lower()
    if suffix not in set(ExportFormat):
        raise ParameterError(
            f"{output} ends neither in .json nor in .onnx: name the format with --to."
        )
    return ExportFormat(suffix)
