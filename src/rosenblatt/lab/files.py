"""Files that the page opens: read once, and read again with another target; and uploads."""

import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from rosenblatt.datasets.builtin import Dataset
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Source, Table
from rosenblatt.io.formats import open_source
from rosenblatt.io.wrappers import Remembered
from rosenblatt.pipeline.read_dataset import read_rows
from rosenblatt.preprocess.column_types import Choices

LIMIT = 50 * 2**20  # bytes
WAITING = 8  # files that may lie unread: the oldest goes first
TOO_LARGE = (
    f"The file is larger than {LIMIT // 2**20} MB, which is what the page takes."
    " Open it with `rosenblatt lab FILE` instead."
)


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


class Uploads:
    """A folder that only this process reads, and the names of what lies in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: dict[str, tuple[Path, str]] = {}

    def open(self, name: str) -> tuple[str, Path]:
        """A key and a place for a file to come; only the end of its name is believed."""
        while len(self._waiting) >= WAITING:
            self.drop(next(iter(self._waiting)))
        key = secrets.token_urlsafe(16)
        called = Path(name.replace("\\", "/")).name[-80:] or "upload"
        suffixes = "".join(Path(called).suffixes[-2:])
        safe = "".join(c for c in suffixes if c.isascii() and (c.isalnum() or c == "."))
        place = self._folder / f"{key}{safe[:20]}"
        self._waiting[key] = (place, called)
        return key, place

    def take(self, key: str) -> File:
        """What a file holds; the file is deleted."""
        if key not in self._waiting:
            raise SourceError("The upload is gone; choose the file again.")
        place, called = self._waiting[key]
        try:
            return file_of(open_source([str(place)]), None, called)
        except SourceError as error:
            raise SourceError(str(error).replace(str(place), called)) from error
        finally:
            self.drop(key)

    def drop(self, key: str) -> None:
        """Forget a file and delete it."""
        place, _ = self._waiting.pop(key)
        place.unlink(missing_ok=True)
