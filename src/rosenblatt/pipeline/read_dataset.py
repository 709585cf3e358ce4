"""A source as a `Dataset`: rows encoded, labels, and the cells of rows as they were read."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, rows_take
from rosenblatt.datasets.builtin import Dataset
from rosenblatt.features.maps.spec import MapSpec
from rosenblatt.io.chunks import CachedSource, Chunk, Source, Table
from rosenblatt.io.files import Options
from rosenblatt.io.formats import open_source
from rosenblatt.pipeline.encoded_data import EncodedData, choices_for, encode, fit_maps
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import FittedPreprocessing, fit_preprocessing
from rosenblatt.preprocess.target import Label
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.types import Floats

MAX_SHOWN_CELLS = 8


class SourceRow(NamedTuple):
    """A row as it was read: its place, such as "pets.csv, line 7", and some of its cells."""

    place: str
    cells: dict[str, Any]


def source_rows(
    source: Source, wanted: Collection[int], transformer: ColumnTransformer
) -> dict[int, SourceRow]:
    """Rows by their numbers, with the first cells of those columns that the model uses."""
    found: dict[int, SourceRow] = {}
    first = 0
    for chunk in source:
        for row in (row for row in wanted if first <= row < first + len(chunk)):
            here = row - first
            found[row] = SourceRow(chunk.place.at(here), _cells(chunk, here, transformer))
        first += len(chunk)
        if len(found) == len(wanted):
            break
    return found


def raw_rows(source: Source, transformer: ColumnTransformer) -> Floats:
    """All rows as they were read, before scaling and maps; for few features."""
    return np.concatenate([_dense(transformer.encode(chunk)) for chunk in source])


def _cells(chunk: Chunk, row: int, transformer: ColumnTransformer) -> dict[str, Any]:
    if isinstance(chunk, Table):
        used = [column.name for column in transformer.columns] or list(chunk.names)
        names = [name for name in used if name in chunk.names][:MAX_SHOWN_CELLS]
        return {name: chunk.frame[name][row] for name in names}
    values = _dense(rows_take(chunk.rows, np.array([row])))[0]
    return dict(
        zip(transformer.encoded_feature_names[:MAX_SHOWN_CELLS], values.tolist(), strict=False)
    )


def _dense(rows: Any) -> Floats:
    if not isinstance(rows, CSR):
        return np.asarray(rows, dtype=float)
    full = np.zeros((len(rows.indptr) - 1, rows.n_cols))
    at = np.repeat(np.arange(len(full)), np.diff(rows.indptr))
    full[at, rows.indices] = rows.data
    return full


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
    """Labelled rows of files or built-in data, as numbers.

    Numbers stay as they are, categories are one-hot encoded, missing cells are imputed with the
    mean and flagged, and n-grams of text are counted. Rows that do not fit into memory go to a
    memory-mapped temporary file, to which estimators are fitted as to any array.

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
    return EncodedRows(*fit_maps(encoded, transformer, features, in_double=True), learned)


def _dataset(
    source: Source, encoded: EncodedData, classes: tuple[Label, ...], transformer: ColumnTransformer
) -> Dataset:
    labels = np.array(classes)[encoded.codes]
    return Dataset(source.name, encoded.X, labels, transformer.feature_names, source.name)
