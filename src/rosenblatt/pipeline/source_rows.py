"""Rows of a source as they were read: the place of each, and its cells."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, rows_take
from rosenblatt.io.chunks import Chunk, Source, Table
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
