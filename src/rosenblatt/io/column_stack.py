"""The cells of many columns looked at together.

A call of polars takes microseconds, and a query more, whatever it is about: on a table of 100,000
columns and a few rows they would be all that takes time. So columns of one type are laid end to end
as one, up to MOST_CELLS cells, and what looks at cells one by one looks at all of them in a call.
Columns that are longer than that stand alone.

A method of a series, or of a frame, finds its columns by their names, and polars takes `*` and what
stands between `^` and `$` for patterns. So columns are looked at under names that are none.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.types import Ints

if TYPE_CHECKING:
    import polars as pl

MOST_CELLS = 1 << 16
FEW_COLUMNS = 16  # that a query is made for at once, on several threads

Columns = Sequence["pl.Series"]


def unnamed(cells: "pl.Series") -> "pl.Series":
    """The same cells under an empty name, so that any method of a series can be called."""
    return cells.alias("")


def by_cells(columns: Columns, made: "pl.Expr") -> "list[pl.Series]":
    """What an expression about `pl.all()`, which looks at cells one by one, makes of columns."""
    done: list[pl.Series] = []
    for part in _parts(columns):
        if not _are_stacked(part):
            made_columns = _numbered(part).select(made).get_columns()
            done += [cells.alias(own.name) for own, cells in zip(part, made_columns, strict=True)]
            continue
        height = len(part[0])
        cells = _stack(part).select(made).to_series()
        done += [
            cells.slice(k * height, height).alias(column.name) for k, column in enumerate(part)
        ]
    return done


def n_cells(columns: Columns, wanted: "pl.Expr") -> Ints:
    """How many cells of each column an expression about `pl.all()` is true of."""
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
    """Columns that are looked at together: few, or few cells."""
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
    """Columns under their numbers."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    return pl.DataFrame([column.alias(str(k)) for k, column in enumerate(part)])
