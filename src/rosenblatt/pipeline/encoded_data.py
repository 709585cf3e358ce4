"""Rows of features and codes of classes, built from a source by a preparation."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import Rows
from rosenblatt.data.buffer import Growing, Store
from rosenblatt.data.training_data import matrix_of
from rosenblatt.io.chunks import Chunk
from rosenblatt.preprocess.target import Label, coded
from rosenblatt.preprocess.transformer import Preparation
from rosenblatt.types import Codes


class EncodedData(NamedTuple):
    """Rows of features, in memory or in a file, and the place of each label among the classes."""

    rows: Rows
    codes: Codes
    on_disk: bool

    @property
    def X(self) -> Any:  # noqa: N802 (a matrix)
        """The rows as estimators take them."""
        return matrix_of(self.rows)


def encode(
    source: Iterable[Chunk],
    preparation: Preparation,
    classes: tuple[Label, ...],
    rows_of: Callable[[Chunk], Rows],
    expected: int = 0,
) -> EncodedData:
    """All rows of a source, made by `rows_of`, and their codes; how many are expected, if known."""
    store, codes = Store(expected), Growing(expected=expected)
    smallest = np.int8 if len(classes) <= np.iinfo(np.int8).max else np.int32
    for chunk in source:
        store.add(rows_of(chunk))
        codes.add(coded(chunk, preparation.target, classes).astype(smallest))
    return EncodedData(store.rows(), codes.array(), store.on_disk)
