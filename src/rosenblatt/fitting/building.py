"""Rows of features and codes of classes, built from a source by a preparation."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Codes
from rosenblatt.data.problem import matrix_of
from rosenblatt.data.storage import Rows
from rosenblatt.data.store import Growing, Store
from rosenblatt.sources.chunks import Chunk
from rosenblatt.tables.preparation import Preparation
from rosenblatt.tables.targets import Label, coded


class Built(NamedTuple):
    """Rows of features, in memory or in a file, and the place of each label among the classes."""

    rows: Rows
    codes: Codes
    on_disk: bool

    @property
    def X(self) -> Any:  # noqa: N802 (a matrix)
        """The rows as estimators take them."""
        return matrix_of(self.rows)


def build(
    source: Iterable[Chunk],
    preparation: Preparation,
    classes: tuple[Label, ...],
    rows_of: Callable[[Chunk], Rows],
    expected: int = 0,
) -> Built:
    """All rows of a source, made by `rows_of`, and their codes; how many are expected, if known."""
    store, codes = Store(expected), Growing(expected=expected)
    smallest = np.int8 if len(classes) <= np.iinfo(np.int8).max else np.int32
    for chunk in source:
        store.add(rows_of(chunk))
        codes.add(coded(chunk, preparation.target, classes).astype(smallest))
    return Built(store.rows(), codes.array(), store.on_disk)
