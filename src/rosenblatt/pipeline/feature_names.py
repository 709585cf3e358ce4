"""Names for hashed features: the n-grams of some rows that are hashed to them, read on request.

They are not stored: a model never holds training text.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Chunk, Table
from rosenblatt.preprocess.column_encoders import TextColumn, width_of, words_of
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.types import Ints

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
