"""Files from the browser: limited in size, kept in a private folder until they are read."""

import secrets
from pathlib import Path

from rosenblatt.errors import SourceError
from rosenblatt.io.formats import open_source
from rosenblatt.lab.file import File, file_of

LIMIT = 50 * 2**20  # bytes
WAITING = 8  # files that may lie unread: the oldest goes first
TOO_LARGE = (
    f"The file is larger than {LIMIT // 2**20} MB, which is what the page takes."
    " Open it with `rosenblatt lab FILE` instead."
)


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
