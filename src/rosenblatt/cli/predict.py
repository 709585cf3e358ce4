"""`rosenblatt predict` and `rosenblatt score`: use a model on rows, chunk by chunk."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli import options
from rosenblatt.cli.options import Reading, with_reading_options
from rosenblatt.cli.output import print_result, progress_line, until_pipe_closes

if TYPE_CHECKING:
    from rosenblatt.io.chunks import Chunk, Source
    from rosenblatt.persist.model import Model

ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="Model written by `fit -o`.")]


@with_reading_options
def predict(
    *,
    reading: Reading,
    model: ModelFile,
    source: options.Sources,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="File to write (.csv, .jsonl or .parquet)."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="Format of the output: csv (the default), jsonl or parquet.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Predict the class of every row, with scores and, where the rule has them, probabilities."""
    from rosenblatt.cli.output import require_writable, writer_for
    from rosenblatt.parallel import in_order, processors
    from rosenblatt.persist.file import load_model

    require_writable(output, "the predictions", model, *source)
    loaded = load_model(model)
    rows = source_for(loaded, reading, source, labelled=False)
    predictions = in_order(partial(_predictions, loaded), rows, processors())
    done = 0
    with (
        until_pipe_closes(),
        progress_line(quiet=quiet) as progress,
        writer_for(output, to) as write,
    ):
        for columns in predictions:
            write(columns)
            done += len(columns["prediction"])
            progress(f"Predicting, {done:,} rows done")


@with_reading_options
def score(
    *,
    reading: Reading,
    model: ModelFile,
    source: options.Sources,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Evaluate a model on a labelled source: accuracy, ROC AUC, F1, log loss, calibration."""
    from rosenblatt.persist.file import load_model
    from rosenblatt.pipeline.evaluate import evaluate_model, score_json
    from rosenblatt.report.text import score_text

    loaded = load_model(model)
    rows = source_for(loaded, reading, source, labelled=True)
    with progress_line(quiet=quiet or json) as progress:
        progress("Evaluating")
        evaluation = evaluate_model(loaded, rows)
    print_result(score_json(loaded, " ".join(source), evaluation), score_text, as_json=json)


def source_for(model: "Model", reading: Reading, names: list[str], *, labelled: bool) -> "Source":
    """The source of these names, read as the model needs it."""
    from rosenblatt.io.formats import open_source

    transformer = model.transformer
    target = transformer.target if not transformer.columns else None
    string_columns = transformer.string_columns
    if transformer.target is not None and model.classes.dtype.kind == "U":
        string_columns |= {transformer.target}  # "01" is a class of its own
    return open_source(names, reading.options(string_columns), target=target, labelled=labelled)


def _predictions(model: "Model", chunk: "Chunk") -> dict[str, Any]:
    """Columns of predictions: the class, scores, and probabilities where the rule has them."""
    from rosenblatt.preprocess.target import label_text

    scores = model.scores(chunk)
    names = [label_text(label) for label in model.classes]
    columns: dict[str, Any] = {"prediction": model.classes[model.codes(scores)]}
    if scores.shape[1] == 1:
        columns["score"] = scores[:, 0]
    else:
        columns |= {f"score_{name}": scores[:, k] for k, name in enumerate(names)}
    if model.link is not None:
        probabilities = model.probabilities_at(scores)
        columns |= {f"probability_{name}": probabilities[:, k] for k, name in enumerate(names)}
    return columns
