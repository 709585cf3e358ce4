"""Weights of a model by name, those of hashed words by the words of texts that one has."""

from collections.abc import Iterable
from typing import Any

from rosenblatt.errors import ModelError
from rosenblatt.fitting.naming import names_of_words
from rosenblatt.models.frames import chunk_of
from rosenblatt.models.model import Model
from rosenblatt.report.weights import largest_features, largest_weights
from rosenblatt.sources.chunks import Chunk
from rosenblatt.tables.targets import written


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
        Weights by feature for each unit, the largest first and the bias last. A feature that no
        word of the texts falls on keeps its number for a name.
    """
    classes = [written(label) for label in model.classes]
    names = names_in(model, [chunk_of(texts)])
    return largest_weights(classes, model.feature_names, model.W, names)


def names_in(model: Model, source: Iterable[Chunk]) -> dict[int, str]:
    """Names, out of a source, of those hashed features of a model that have the largest weights."""
    if not model.preparation.has_text:
        raise ModelError("The model has no column of text: all its weights have names.")
    return names_of_words(source, model.preparation, largest_features(model.W[:, :-1]))
