"""A file as the page holds it: read once, and looked at again with another column to predict."""

from dataclasses import dataclass, replace

from rosenblatt.datasets.builtin import Dataset
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Source, Table
from rosenblatt.io.wrappers import Remembered
from rosenblatt.pipeline.read_dataset import read_rows
from rosenblatt.preprocess.column_types import Choices


@dataclass(frozen=True, eq=False)
class File:
    """The rows of a file, the column they are to predict, and those it can be chosen from.

    There is nothing to choose where labels have a place of their own, or where the file is too
    large to be kept in memory as it was read.
    """

    name: str
    data: Dataset
    target: str
    columns: tuple[str, ...]
    source: Source

    def predicting(self, target: str) -> "File":
        """The same file with another column to predict."""
        return file_of(self.source, target, self.name)


def file_of(source: Source, target: str | None, name: str) -> File:
    """Read a file; `name` is what the user calls it."""
    kept = source if isinstance(source, Remembered) else Remembered(source)
    try:
        found = read_rows(kept, target, Choices(scale=False))
    except ValueError as error:
        raise SourceError(str(error).replace(source.name, name)) from error
    first = next(iter(kept))
    columns = first.names if isinstance(first, Table) and kept.whole else ()
    data = replace(found.data, name=name, description=name)
    return File(name, data, found.preparation.target or "", columns, kept)
