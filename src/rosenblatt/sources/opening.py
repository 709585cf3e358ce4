"""From names to bytes: globs, standard input and compressed files.

Bytes come in pieces of whole lines, so that every reader of text can work piece by piece.
"""

import bz2
import glob
import gzip
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, NamedTuple

from rosenblatt.errors import SourceError
from rosenblatt.writing import temporary_file

STDIN = "-"
PIECE = 1 << 23  # bytes: enough to share among threads, little enough to stay at hand
LONGEST_RECORD = 1 << 30  # bytes: what has no end of line for so long is not a text file
LONGEST_QUOTE = 16 * PIECE  # what is quoted for so long is rather a stray quote
NEWLINE, QUOTE = b"\n", b'"'
BOM = b"\xef\xbb\xbf"  # the byte order mark that some programs write before UTF-8


class Piece(NamedTuple):
    """Whole lines of a file, and the number of the first, counted from 1."""

    text: bytes
    line: int


def files_of(names: Sequence[str]) -> tuple[str, ...]:
    """Files that some names mean, globs written out, in the order given; all of them exist."""
    found = [file for name in names for file in _files(name)]
    if not found:
        raise SourceError("No file was named. Give a file, a glob, builtin:NAME, or - for input.")
    return tuple(found)


def suffixes_of(file: str) -> tuple[str, str]:
    """Suffix of the format and suffix of the compression, "" where there is none."""
    suffixes = [suffix.lower() for suffix in Path(file).suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in OPENERS else ""
    return (suffixes[-1] if suffixes else ""), packed


@contextmanager
def opened(file: str) -> Iterator[IO[bytes]]:
    """The plain bytes of a file, whatever it is packed with; trouble is told with its name."""
    try:
        with _opener(file)(_path(file)) as stream:
            yield stream
    except _damage() as error:
        raise SourceError(f"{file} is damaged or cut short: {error}. Fetch it again.") from error
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror or error}.") from error


def is_plain(file: str) -> bool:
    """Whether the bytes of a file stand on disk as they are, to be read from any place."""
    return Path(_path(file)).is_file() and not _packing(file)


def pieces(file: str, *, size: int = PIECE, quoted: bool = False) -> Iterator[Piece]:
    """The text of a file in pieces of whole lines; where lines may be quoted, of whole records."""
    line, rest = 1, b""
    with opened(file) as stream:
        while block := stream.read(max(size, len(rest))):  # twice as much if no record ends
            text = rest + block if rest else block
            end = last_end(text, quoted=quoted)
            if end == 0 and len(text) > LONGEST_RECORD:
                raise SourceError(f"{file}, line {line}: no line ends here. Is it a text file?")
            if end:
                yield Piece(text[:end], line)
                line += text.count(NEWLINE, 0, end)
            rest = text[end:]
    if rest:
        yield Piece(rest, line)


def last_end(text: bytes, *, quoted: bool) -> int:
    """Where the last whole record ends; 0 if none does."""
    end = text.rfind(NEWLINE) + 1
    if not quoted or QUOTE not in text or len(text) > LONGEST_QUOTE:
        return end
    open_quotes = text.count(QUOTE, 0, end) % 2
    while open_quotes and end:  # this end of line is inside quotes
        before = text.rfind(NEWLINE, 0, text.rfind(QUOTE, 0, end) + 1) + 1
        open_quotes = (open_quotes + text.count(QUOTE, before, end)) % 2
        end = before
    return end


def _files(name: str) -> list[str]:
    if name == STDIN:
        return [name]
    if not name:
        raise SourceError("An empty name is no source. Give a file, a glob, builtin:NAME, or -.")
    path = Path(name)
    if path.is_dir():
        raise SourceError(f"{name} is a directory. Name its files, for instance {name}/*.csv.")
    if path.exists():
        return [name]
    found = sorted(
        file
        for file in glob.glob(name, recursive=True)  # noqa: PTH207 (patterns may be absolute)
        if Path(file).is_file()
    )
    if not found:
        what = "matches no file" if glob.has_magic(name) else "does not exist"
        raise SourceError(f"{name} {what}. Give a file, a glob, builtin:NAME, or - for input.")
    return found


def _path(file: str) -> str:
    return _spooled_input() if file == STDIN else file


@cache
def _spooled_input() -> str:
    """Standard input in a file of its own, since a source is read more than once."""
    spool = temporary_file()
    shutil.copyfileobj(sys.stdin.buffer, spool)
    spool.flush()
    _KEPT_OPEN.append(spool)
    return str(spool.name)


_KEPT_OPEN: list[Any] = []


def _opener(file: str) -> Callable[[str], Any]:
    return OPENERS.get(_packing(file), lambda path: Path(path).open("rb"))


def _packing(file: str) -> str:
    """By what a file begins with; its name may say anything."""
    with Path(_path(file)).open("rb") as stream:
        start = stream.read(4)
    return next((suffix for magic, suffix in MAGIC.items() if start.startswith(magic)), "")


def _zstd(path: str) -> Any:
    from rosenblatt.sources.zstd import Frames  # noqa: PLC0415 (seldom needed)

    return BufferedReader(Frames(path))


def _damage() -> tuple[type[Exception], ...]:
    """What unpacking raises over a damaged file."""
    zstandard = sys.modules.get("zstandard")
    packed = () if zstandard is None else (zstandard.ZstdError,)
    return EOFError, zlib.error, gzip.BadGzipFile, *packed


OPENERS: dict[str, Callable[[str], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".zst": _zstd}
MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}
