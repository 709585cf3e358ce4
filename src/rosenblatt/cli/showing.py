"""`rosenblatt show` and `rosenblatt export`: a model explained, and taken elsewhere."""

from enum import StrEnum

from rosenblatt.cli import options
from rosenblatt.cli.console import show as print_told
from rosenblatt.cli.predicting import ModelFile


class Way(StrEnum):
    """Where a model may go."""

    JSON = "json"
    ONNX = "onnx"


def show(*, model: ModelFile, json: options.Json = False) -> None:
    """Explain a model: its rule, its columns, its largest weights, how it was judged."""
    from rosenblatt.models.modelfile import load_model
    from rosenblatt.report.models import model_figures, model_words

    print_told(model_figures(model, load_model(model)), model_words, as_json=json)
