"""Weights of a model by name, those of hashed words by the words of texts that one has."""

from collections.abc import Iterable
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.io.chunks import Chunk
from rosenblatt.persist.frames import chunk_of
from rosenblatt.persist.model import Model
from rosenblatt.pipeline.feature_names import ngram_names
from rosenblatt.preprocess.target import written
from rosenblatt.report.weights_json import largest_features, largest_weights


def named_weights(model: Model, texts: Any) -> dict[str, dict[str, float]]:
    """The largest weights of a model by name, those of hashed words by the words.

    A model holds no text, so the words have to be looked for in texts: those it learned from, or
    any others.

    Parameters
    ----------
    model : Model
        A model with a column of text, as `load` gives it.
    texts : polars or pandas frame
        Rows with the model's columns of text.

    Returns
    -------
    dict
        Weights by feature for each unit, the largest first and the intercept last. A feature that
        no word of the texts falls on keeps its number for a name.
    """
    classes = [written(label) for label in model.classes]
    names = ngram_names_of_weights(model, [chunk_of(texts)])
    return largest_weights(classes, model.feature_names, model.W, names)


def ngram_names_of_weights(model: Model, source: Iterable[Chunk]) -> dict[int, str]:
    """Names, out of a source, of those hashed features of a model that have the largest weights."""
    if not model.preparation.has_text:
        raise ModelError("The model has no column of text: all its weights have names.")
    return ngram_names(source, model.preparation, largest_features(model.W[:, :-1]))
