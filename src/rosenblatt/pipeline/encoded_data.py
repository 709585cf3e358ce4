"""Names for hashed features: the n-grams of some rows that are hashed to them, read on request.

They are not stored: a model never holds training text.

Rows of features and codes of classes: encoded from a source, then passed through feature maps.

What grows too large for memory goes to a temporary file.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.csr import Rows, n_rows, rows_part
from rosenblatt.data.buffer import GrowableArray, RowBuffer
from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import SourceError
from rosenblatt.features.maps.spec import FittedMap, MapSpec
from rosenblatt.io.chunks import Chunk, Table
from rosenblatt.parallel import in_order, processors
from rosenblatt.preprocess.column_encoders import TextColumn, width_of, words_of
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.target import Label, encode_labels
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.types import Codes, Ints

if TYPE_CHECKING:
    import polars as pl

MAX_CELLS = 100_000  # read for names


def ngram_names(
    source: Iterable[Chunk], transformer: ColumnTransformer, wanted: Ints
) -> dict[int, str]:
    """The most frequent n-gram of each of the wanted features.

    After feature maps, a feature such as "12 × 40" is named by the n-grams of both factors.
    """
    if not transformer.has_text:
        return {}
    if not transformer.maps:
        return _encoded_names(source, transformer, wanted)
    numbers = transformer.mapped_feature_names(
        tuple(map(str, range(transformer.n_encoded_features)))
    )
    behind = {int(n) for j in wanted for n in re.findall(r"\d+", numbers[j])}
    names = list(transformer.encoded_feature_names)
    for j, name in _encoded_names(source, transformer, np.array(sorted(behind))).items():
        names[j] = name
    called = transformer.mapped_feature_names(tuple(names))
    return {int(j): called[j] for j in wanted}


def _encoded_names(
    source: Iterable[Chunk], transformer: ColumnTransformer, wanted: Ints
) -> dict[int, str]:
    """Names of encoded features, before the feature maps."""
    found: dict[int, str] = {}
    first = 0
    for column in transformer.columns:
        width = width_of(column)
        inside = wanted[(wanted >= first) & (wanted < first + width)] - first
        if isinstance(column, TextColumn) and len(inside):
            names = column.grams.names_in(_cells(source, column.name), np.sort(inside))
            found |= {
                first + j: f'{column.name}: "{words[0]}"' for j, words in names.items() if words
            }
        first += width
    return found


def _cells(source: Iterable[Chunk], name: str) -> "pl.Series":
    """The first MAX_CELLS cells of a column."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    parts: list[pl.Series] = []
    for chunk in source:
        if not isinstance(chunk, Table) or name not in chunk.names:
            raise SourceError(
                f"{chunk.place.file} has no column {name!r} to take the names of n-grams from."
            )
        parts += words_of([chunk.frame[name]])
        if sum(map(len, parts)) >= MAX_CELLS:
            break
    return pl.concat(parts)


BLOCK_ENTRIES = 1 << 21  # of dense features mapped at a time


class EncodedData(NamedTuple):
    """Rows of features, in memory or in a file, and their class codes."""

    rows: Rows
    codes: Codes
    on_disk: bool

    @property
    def X(self) -> Any:  # noqa: N802 (a matrix)
        """The rows as estimators take them."""
        return matrix_of(self.rows)


def encode(
    source: Iterable[Chunk],
    transformer: ColumnTransformer,
    classes: tuple[Label, ...],
    rows_of: Callable[[Chunk], Rows],
    expected: int = 0,
) -> EncodedData:
    """All rows of a source, encoded by `rows_of`, and their codes; `expected` is their number."""
    store, codes = RowBuffer(expected), GrowableArray(expected=expected)
    smallest = np.int8 if len(classes) <= np.iinfo(np.int8).max else np.int32
    for chunk in source:
        store.add(rows_of(chunk))
        codes.add(encode_labels(chunk, transformer.target, classes).astype(smallest))
    return EncodedData(store.rows(), codes.array(), store.on_disk)


def choices_for(map_specs: Sequence[MapSpec], choices: Choices) -> Choices:
    """The choices, with every pixel kept and unscaled where a feature map is for images."""
    if any(map_spec.of_images for map_spec in map_specs):
        return replace(choices, scale=False, pixels=True)
    return choices


def fit_maps(
    encoded: EncodedData, transformer: ColumnTransformer, map_specs: Sequence[MapSpec]
) -> tuple[EncodedData, ColumnTransformer]:
    """Rows passed through maps fitted to them in turn, and the preprocessing with these maps."""
    for map_spec in map_specs:
        step = map_spec.fit(encoded.rows)
        encoded = apply_map(encoded, step)
        transformer = replace(transformer, maps=(*transformer.maps, step))
    return encoded, transformer


def apply_map(encoded: EncodedData, step: FittedMap) -> EncodedData:
    """Rows passed through one map, block by block on all cores."""
    store = RowBuffer(n_rows(encoded.rows))
    for part in in_order(
        step.map.transform, _blocks(encoded.rows, step.map.n_outputs), processors()
    ):
        store.add(part)
    return EncodedData(store.rows(), encoded.codes, encoded.on_disk or store.on_disk)


def _blocks(rows: Rows, n_outputs: int) -> Iterator[Rows]:
    size = max(1, BLOCK_ENTRIES // n_outputs)
    for start in range(0, n_rows(rows), size):
        yield rows_part(rows, start, start + size)
