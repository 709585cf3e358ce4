"""Elementwise polars expressions on many columns at once.

A call of polars takes microseconds, and a query more, however few rows it has: on a table of
100,000 columns that overhead would dominate. So columns of one type are concatenated, up to
MAX_STACKED_CELLS cells, and an elementwise expression is evaluated once for all of them.

Methods of a series or a frame find columns by name, and polars takes `*` and names between `^` and
`$` for patterns. So expressions are evaluated on columns renamed to numbers.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.types import Ints

if TYPE_CHECKING:
    import polars as pl

MOST_CELLS = 1 << 16
FEW_COLUMNS = 16  # queried in parallel without concatenation

Columns = Sequence["pl.Series"]


def unnamed(cells: "pl.Series") -> "pl.Series":
    """The same column with an empty name, which no method takes for a pattern."""
    return cells.alias("")


def map_cells(columns: Columns, expression: "pl.Expr") -> "list[pl.Series]":
    """Columns transformed by an elementwise expression of `pl.all()`."""
    done: list[pl.Series] = []
    for part in _parts(columns):
        if not _are_stacked(part):
            made_columns = _numbered(part).select(expression).get_columns()
            done += [cells.alias(own.name) for own, cells in zip(part, made_columns, strict=True)]
            continue
        height = len(part[0])
        cells = _stack(part).select(expression).to_series()
        done += [
            cells.slice(k * height, height).alias(column.name) for k, column in enumerate(part)
        ]
    return done


def count_cells(columns: Columns, wanted: "pl.Expr") -> Ints:
    """Number of cells in each column where an elementwise expression of `pl.all()` is true."""
    found: list[Ints] = [np.zeros(0, np.int64)]
    for part in _parts(columns):
        if not _are_stacked(part):
            frame = _numbered(part).select(wanted.sum())
            found.append(np.array(frame.row(0), np.int64))
            continue
        true = _stack(part).select(wanted.fill_null(value=False)).to_series().to_numpy()
        found.append(true.reshape(len(part), -1).sum(axis=1, dtype=np.int64))
    return np.concatenate(found)


def _parts(columns: Columns) -> Iterator[Columns]:
    """Groups of columns to evaluate together: few columns, or few cells."""
    if not len(columns):
        return
    most = max(FEW_COLUMNS, MOST_CELLS // max(1, len(columns[0])))
    for first in range(0, len(columns), most):
        yield columns[first : first + most]


def _are_stacked(part: Columns) -> bool:
    return len(part) > FEW_COLUMNS and len(part[0]) > 0


def _stack(part: Columns) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 (slow to import)

    return pl.DataFrame([unnamed(pl.concat(part, rechunk=True))])


def _numbered(part: Columns) -> "pl.DataFrame":
    """Columns named by their numbers."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    return pl.DataFrame([column.alias(str(k)) for k, column in enumerate(part)])
