"""Files are written whole or not at all.

What is written goes to a file of its own beside the target, which is moved into place when all of
it is on the disk. Until then nobody sees it, and whatever goes wrong leaves the old file as it was.
What is no file, such as /dev/stdout or a named pipe, is written to as it is, and never replaced.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from weakref import WeakSet

NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
AS_ALLOWED = 0o666  # for everyone the umask lets

_UNFINISHED: set[Path] = set()  # files and folders that are there only while something is written
_TEMPORARY: WeakSet[Any] = WeakSet()  # files that are removed when nobody needs them


@contextmanager
def written_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of `path` if all goes well."""
    if Path(path).exists() and not Path(path).is_file():  # a device: to replace it would destroy it
        with Path(path).open("wb") as file:
            yield file
        return
    target = real_path(path)  # a link stays one
    part = target.with_name(f".{target.name[:100]}.{os.urandom(4).hex()}.part")
    _UNFINISHED.add(part)
    try:
        with os.fdopen(os.open(part, NEW, AS_ALLOWED), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        _UNFINISHED.discard(part)


def real_path(path: str | Path) -> Path:
    """The file that a name leads to; an OSError where links lead to each other."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


@contextmanager
def temporary_folder(prefix: str = "rosenblatt-") -> Iterator[Path]:
    """A folder that no other user can read, and that is removed at the end."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415 (loads much, for every command)

    with TemporaryDirectory(prefix=prefix) as name:
        folder = Path(name)
        _UNFINISHED.add(folder)
        try:
            yield folder
        finally:
            _UNFINISHED.discard(folder)


def temporary_file() -> Any:
    """A named file that no other user can read, and that is removed when it is closed."""
    from tempfile import NamedTemporaryFile  # noqa: PLC0415 (as above)

    file = NamedTemporaryFile(prefix="rosenblatt-")  # noqa: SIM115 (it may live on)
    _TEMPORARY.add(file)
    return file


def close_temporary_files() -> None:
    """Remove the temporary files that are left: for the end of a process, while signals wait."""
    for file in tuple(_TEMPORARY):
        file.close()


def remove_unfinished() -> None:
    """Remove what is there for a while: for a process that ends before its owners can do so."""
    from shutil import rmtree  # noqa: PLC0415 (as above)

    for path in (*_UNFINISHED, *(Path(file.name) for file in _TEMPORARY)):
        rmtree(path, ignore_errors=True)
        with suppress(OSError):
            path.unlink()
