"""`rosenblatt predict` and `rosenblatt score`: use a model on rows, chunk by chunk."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli import options
from rosenblatt.cli.console import show, while_read
from rosenblatt.cli.options import Reading, taking_reading
from rosenblatt.cli.progress import progress

if TYPE_CHECKING:
    from rosenblatt.models.model import Model
    from rosenblatt.sources.chunks import Chunk, Source

ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="Model written by `fit -o`.")]


@taking_reading
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
        str | None, typer.Option(help="Format to write: csv (the default), jsonl or parquet.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Give the class of every row, with scores, and with probabilities where there are any."""
    from rosenblatt.cli.writing import require_writable, writer_for
    from rosenblatt.models.modelfile import load_model
    from rosenblatt.sources.threads import in_order, processors

    require_writable(output, "the predictions", model, *source)
    loaded = load_model(model)
    rows = source_for(loaded, reading, source, labelled=False)
    answers = in_order(partial(_answers, loaded), rows, processors())
    done = 0
    with while_read(), progress(quiet=quiet) as listen, writer_for(output, to) as write:
        for columns in answers:
            write(columns)
            done += len(columns["prediction"])
            listen(f"Predicting, {done:,} rows done")


@taking_reading
def score(
    *,
    reading: Reading,
    model: ModelFile,
    source: options.Sources,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare the decisions of a model with the classes of a source."""
    from rosenblatt.fitting.scoring import scored
    from rosenblatt.models.modelfile import load_model
    from rosenblatt.report.scores import score_figures, score_words

    loaded = load_model(model)
    rows = source_for(loaded, reading, source, labelled=True)
    with progress(quiet=quiet or json) as listen:
        listen("Scoring")
        result = scored(loaded, rows)
    show(score_figures(loaded, " ".join(source), result), score_words, as_json=json)


def source_for(model: "Model", reading: Reading, names: list[str], *, labelled: bool) -> "Source":
    """Files as a model wants them read."""
    from rosenblatt.sources.formats import open_source

    preparation = model.preparation
    target = preparation.target if not preparation.columns else None
    words = preparation.as_words
    if preparation.target is not None and model.classes.dtype.kind == "U":
        words |= {preparation.target}  # "01" is a class of its own
    return open_source(names, reading.options(words), target=target, labelled=labelled)


def _answers(model: "Model", chunk: "Chunk") -> dict[str, Any]:
    """Columns of predictions: the class, its scores, and probabilities where there are any."""
    from rosenblatt.tables.targets import written

    scores = model.scores(chunk)
    names = [written(label) for label in model.classes]
    columns: dict[str, Any] = {"prediction": model.classes[model.codes(scores)]}
    if scores.shape[1] == 1:
        columns["score"] = scores[:, 0]
    else:
        columns |= {f"score_{name}": scores[:, k] for k, name in enumerate(names)}
    if model.link is not None:
        shares = model.probabilities_at(scores)
        columns |= {f"probability_{name}": shares[:, k] for k, name in enumerate(names)}
    return columns
