"""`rosenblatt show` and `rosenblatt export`: a model explained, and taken elsewhere."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli import options
from rosenblatt.cli.console import show as print_told
from rosenblatt.cli.options import Reading, taking_reading
from rosenblatt.cli.predicting import ModelFile, source_for
from rosenblatt.errors import ParameterError

if TYPE_CHECKING:
    from rosenblatt.models.model import Model


class Way(StrEnum):
    """Formats that a model may be exported to."""

    JSON = "json"
    ONNX = "onnx"


@taking_reading
def show(
    *,
    reading: Reading,
    model: ModelFile,
    names: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE", help="Name hashed words by the texts of these files."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Explain a model: its rule, its columns, its largest weights, how it was judged."""
    from rosenblatt.models.modelfile import load_model
    from rosenblatt.report.models import model_figures, model_words

    loaded, found = load_model(model), None
    if names:
        from rosenblatt.report.naming import names_in

        found = names_in(loaded, source_for(loaded, reading, names, labelled=False))
    print_told(model_figures(model, loaded, found), model_words, as_json=json)


def export(
    *,
    model: ModelFile,
    output: Annotated[str, typer.Option("--output", "-o", help="File to write.")],
    to: Annotated[
        Way | None, typer.Option(help="Format; by default as the file is called.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Write a model for other programs: JSON that is scored by hand, or ONNX."""
    from rosenblatt.cli.writing import naming_output, require_writable
    from rosenblatt.models.modelfile import load_model
    from rosenblatt.writing import written_whole

    require_writable(output, "the export", model)
    way = to or _way_of(output)
    text = _exported(load_model(model), way)
    with naming_output(output), written_whole(output) as file:
        file.write(text)
    told = {"model": model, "output": output, "format": str(way), "bytes": len(text)}
    words = f"{model} written to {output} as {way.upper()}."
    print_told(told, lambda _: words, as_json=json)


def _exported(model: "Model", way: Way) -> bytes:
    if way is Way.JSON:
        from rosenblatt.models.exporting import to_json

        return to_json(model).encode()
    from rosenblatt.models.onnxgraph import to_onnx

    text: bytes = to_onnx(model).SerializeToString()
    return text


def _way_of(output: str) -> Way:
    suffix = Path(output).suffix.removeprefix(".").lower()
    if suffix not in set(Way):
        raise ParameterError(
            f"{output} ends neither in .json nor in .onnx: name the format with --to."
        )
    return Way(suffix)
