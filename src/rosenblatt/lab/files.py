"""Files that the page opens: read once, and read again with another target; and uploads."""

import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from rosenblatt.datasets.builtin import Dataset
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import CachedSource, Source, Table
from rosenblatt.io.formats import open_source
from rosenblatt.pipeline.read_dataset import read_rows
from rosenblatt.preprocess.column_types import Choices

MAX_UPLOAD_BYTES = 50 * 2**20
MAX_PENDING_UPLOADS = 8  # the oldest is deleted first
TOO_LARGE = (
    f"The file is larger than {MAX_UPLOAD_BYTES // 2**20} MB, the limit of the page."
    " Open it with `rosenblatt lab FILE` instead."
)


@dataclass(frozen=True, eq=False)
class File:
    """The rows of a file, its target column, and the columns it can be chosen from.

    There is no choice if labels are stored separately, or if the file is too large to be kept in
    memory as it was read.
    """

    name: str
    data: Dataset
    target: str
    columns: tuple[str, ...]
    source: Source

    def predicting(self, target: str) -> "File":
        """The same file with another target."""
        return file_of(self.source, target, self.name)


def file_of(source: Source, target: str | None, name: str) -> File:
    """A file as it is read; `name` is shown to the user."""
    kept = source if isinstance(source, CachedSource) else CachedSource(source)
    try:
        found = read_rows(kept, target, Choices(scale=False))
    except ValueError as error:
        raise SourceError(str(error).replace(source.name, name)) from error
    first = next(iter(kept))
    columns = first.names if isinstance(first, Table) and kept.is_cached else ()
    data = replace(found.data, name=name, description=name)
    return File(name, data, found.transformer.target or "", columns, kept)


class Uploads:
    """A private folder of uploaded files, each kept until it is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pending: dict[str, tuple[Path, str]] = {}

    def open(self, name: str) -> tuple[str, Path]:
        """A key and a path for a new file; of its given name only the suffixes are used."""
        while len(self._pending) >= MAX_PENDING_UPLOADS:
            self.drop(next(iter(self._pending)))
        key = secrets.token_urlsafe(16)
        shown_name = Path(name.replace("\\", "/")).name[-80:] or "upload"
        suffixes = "".join(Path(shown_name).suffixes[-2:])
        safe = "".join(c for c in suffixes if c.isascii() and (c.isalnum() or c == "."))
        path = self._folder / f"{key}{safe[:20]}"
        self._pending[key] = (path, shown_name)
        return key, path

    def take(self, key: str) -> File:
        """The contents of a file, which is then deleted."""
        if key not in self._pending:
            raise SourceError("The upload is gone; choose the file again.")
        path, shown_name = self._pending[key]
        try:
            return file_of(open_source([str(path)]), None, shown_name)
        except SourceError as error:
            raise SourceError(str(error).replace(str(path), shown_name)) from error
        finally:
            self.drop(key)

    def drop(self, key: str) -> None:
        """Delete a file."""
        path, _ = self._pending.pop(key)
        path.unlink(missing_ok=True)
