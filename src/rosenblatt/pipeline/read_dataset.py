"""A source as a `Dataset`: rows encoded, but neither scaled nor weighted, and labels."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rosenblatt.datasets.builtin import Dataset
from rosenblatt.features.maps.spec import MapSpec
from rosenblatt.io.chunks import Source
from rosenblatt.io.formats import open_source
from rosenblatt.io.options import Options
from rosenblatt.io.wrappers import CachedSource
from rosenblatt.pipeline.encoded_data import EncodedData, choices_for, encode, fit_maps
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import FittedPreprocessing, fit_preprocessing
from rosenblatt.preprocess.target import Label
from rosenblatt.preprocess.transformer import ColumnTransformer


class EncodedDataset(NamedTuple):
    """Rows and labels, their preprocessing, and what else was learned from the source."""

    data: Dataset
    transformer: ColumnTransformer
    learned: FittedPreprocessing


class EncodedRows(NamedTuple):
    """Encoded rows, their preprocessing, and what else was learned from the source."""

    encoded: EncodedData
    transformer: ColumnTransformer
    learned: FittedPreprocessing


def read(
    source: str | Sequence[str], target: str | None = None, options: Options | None = None
) -> Dataset:
    """Labelled rows of files or of a built-in name, as numbers.

    Numbers stay as they are, categories are one-hot encoded, missing cells are imputed with the
    mean and flagged, n-grams of text are counted. What does not fit into memory goes to a temporary
    file that is memory-mapped: estimators are fitted to it as to any array.

    Parameters
    ----------
    source : str or sequence of str
        Files of one format, globs, "-" for standard input, or "builtin:NAME".
    target : str, optional
        Column to predict; by default one called target, label, class or y, or the last.
    options : Options, optional
        How to read the files.

    Returns
    -------
    Dataset
        With `X` (an array or a CSR array), `y` and `feature_names`.

    Examples
    --------
    >>> from rosenblatt import read
    >>> data = read("builtin:iris")
    >>> data.X.shape, data.feature_names[:2]
    ((150, 4), ('sepal_length', 'sepal_width'))
    """
    names = [source] if isinstance(source, str) else list(source)
    options = replace(options or Options(), for_training=True)
    return read_rows(open_source(names, options, target=target), target, Choices(scale=False)).data


def read_rows(
    source: Source, target: str | None, choices: Choices, features: Sequence[MapSpec] = ()
) -> EncodedDataset:
    """Rows and labels of a source, by preprocessing and feature maps fitted to them."""
    encoded, transformer, learned = encoded_rows(source, target, choices, features)
    data = _dataset(source, encoded, learned.classes, transformer)
    return EncodedDataset(data, transformer, learned)


def encoded_rows(
    source: Source, target: str | None, choices: Choices, features: Sequence[MapSpec] = ()
) -> EncodedRows:
    """Rows of a source, encoded by preprocessing and feature maps fitted to them."""
    source = source if isinstance(source, CachedSource) else CachedSource(source)
    learned = fit_preprocessing(source, target, choices_for(features, choices))
    transformer = learned.transformer.without_scaling()
    encoded = encode(source, transformer, learned.classes, transformer.encode, learned.n_rows)
    return EncodedRows(*fit_maps(encoded, transformer, features), learned)


def _dataset(
    source: Source, encoded: EncodedData, classes: tuple[Label, ...], transformer: ColumnTransformer
) -> Dataset:
    labels = np.array(classes)[encoded.codes]
    return Dataset(source.name, encoded.X, labels, transformer.feature_names, source.name)
