"""Tables from files and built-in names, as a `Dataset` of numbers and labels.

A source is `builtin:NAME` or a CSV or TSV file with a header, plain or compressed. The target is a
column by name, by default the last; every other column must hold numbers.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data.builtin import Dataset, builtin
from rosenblatt.errors import SourceError

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = {".csv": ",", ".tsv": "\t"}
COMPRESSIONS = {".gz", ".zst", ".bz2"}
HEADER_LINES = 1


def read(source: str, target: str | None = None) -> Dataset:
    """Labelled rows of a source."""
    if source.startswith("builtin:"):
        if target is not None:
            raise SourceError(f"{source} has its own target; leave out target {target!r}.")
        return builtin(source.removeprefix("builtin:"))
    path = Path(source)
    table = _table(path)
    label = _target(path, table, target)
    features = [name for name in table.columns if name != label]
    if not features:
        raise SourceError(f"{path} has only the column {label!r}: there is nothing to learn from.")
    X = np.column_stack([_numbers(path, table[name]) for name in features])
    return Dataset(path.name, X, _labels(path, table[label]), tuple(features), f"{path}")


def _table(path: Path) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 (slow to import, and built-in data do without)

    if not path.exists():
        raise SourceError(f"{path} does not exist. Give a CSV or TSV file, or builtin:NAME.")
    suffixes = [s for s in path.suffixes if s not in COMPRESSIONS]
    separator = SEPARATORS.get(suffixes[-1] if suffixes else "")
    if separator is None:
        raise SourceError(f"{path} is neither .csv nor .tsv (compressed or not).")
    try:
        # every cell comes as text, so that an error can quote it
        table = pl.read_csv(path, separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise SourceError(f"{path} cannot be read as a table: {reason}") from error
    if table.height == 0:
        raise SourceError(f"{path} has a header but no rows.")
    return table


def _target(path: Path, table: "pl.DataFrame", target: str | None) -> str:
    if target is None:
        return table.columns[-1]
    if target not in table.columns:
        raise SourceError(
            f"{path} has no column {target!r}; its columns are {', '.join(table.columns)}."
        )
    return target


def _numbers(path: Path, column: "pl.Series") -> np.ndarray:
    import polars as pl  # noqa: PLC0415

    text = column.str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    finite = numbers.is_finite().fill_null(value=False)
    if not finite.all():
        row = int((~finite).arg_max() or 0)
        cell = column[row]
        what = "is empty" if cell is None or not cell.strip() else f"{cell!r} is not a number"
        raise SourceError(
            f"{path}, line {row + 1 + HEADER_LINES}, column {column.name!r}: {what}."
            " Encode or fill such columns first, or leave them out."
        )
    return numbers.to_numpy()


def _labels(path: Path, column: "pl.Series") -> np.ndarray:
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise SourceError(
            f"{path}, line {row + 1 + HEADER_LINES}, column {column.name!r}: the label is missing."
        )
    return np.array(column.to_list())
