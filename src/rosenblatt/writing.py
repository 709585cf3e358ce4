"""Files are written whole or not at all.

What is written goes to a file of its own beside the target, which is moved into place when all of
it is on the disk. Until then nobody sees it, and whatever goes wrong leaves the old file as it was.
What is no file, such as /dev/stdout or a named pipe, is written to as it is, and never replaced.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
AS_ALLOWED = 0o666  # for everyone the umask lets


@contextmanager
def written_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of `path` if all goes well."""
    if Path(path).exists() and not Path(path).is_file():  # a device: to replace it would destroy it
        with Path(path).open("wb") as file:
            yield file
        return
    target = Path(path).resolve()  # a link stays one
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    handle = os.open(part, NEW, AS_ALLOWED)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
