"""Files by name as bytes: globs, standard input, pipes and compressed files.

Text is read in pieces of whole lines. What can be read only once, standard input or a pipe, is
copied into a temporary file first, since a source may be iterated more than once.
"""

import bz2
import glob
import gzip
import os
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, NamedTuple

from rosenblatt.atomic_write import temporary_file
from rosenblatt.errors import SourceError

STDIN = "-"
PIECE_BYTES = 1 << 23  # enough to share among threads, and little memory
MAX_RECORD_BYTES = 1 << 26  # a file with longer lines is not text
COPY_BYTES = 1 << 20  # copied at a time
FREE_DISK_DIVISOR = 2  # a temporary file may take half of the free disk
NEWLINE = b"\n"
USUAL_TARGETS = ("target", "label", "class", "y")
MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?")
BOM = b"\xef\xbb\xbf"  # byte order mark of UTF-8


@dataclass(frozen=True)
class Options:
    """How to read files; None lets the reader find out.

    `string_columns` are read as strings even where their cells look like numbers. In a source
    `for_training`, so is a target of codes such as 01: as numbers, classes would be merged.
    A source that `counts_rounded` cells says which numbers of a text float64 does not tell apart.
    """

    format: str | None = None
    separator: str | None = None
    header: bool | None = None
    decimal_comma: bool | None = None
    missing: tuple[str, ...] = MISSING
    string_columns: frozenset[str] = frozenset()
    zero_based: bool = False
    for_training: bool = False
    counts_rounded: bool = False


def usual_target(names: Sequence[str]) -> str:
    """The default column to predict: one called target, label, class or y, else the last."""
    return next((name for name in names if name.lower() in USUAL_TARGETS), names[-1])


class Piece(NamedTuple):
    """Whole lines of a file, and the 1-based number of the first."""

    text: bytes
    line: int


def files_of(names: Sequence[str]) -> tuple[str, ...]:
    """Existing files for some names, in the order given, with globs expanded."""
    found = [file for name in names for file in _files(name)]
    if not found:
        raise SourceError(
            "No file given. Give a file, a glob, builtin:NAME, or - for standard input."
        )
    return tuple(found)


def suffixes_of(file: str) -> tuple[str, str]:
    """Suffix of the format and of the compression, "" where there is none."""
    suffixes = [suffix.lower() for suffix in Path(file).suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in OPENERS else ""
    return (suffixes[-1] if suffixes else ""), packed


@contextmanager
def opened(file: str) -> Iterator[IO[bytes]]:
    """The decompressed bytes of a file; errors name the file."""
    try:
        with _opener(file)(_path(file)) as stream:
            yield stream
    except _decompression_errors() as error:
        raise SourceError(f"{file} is damaged or truncated: {error}. Fetch it again.") from error
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror or error}.") from error


def name_of(files: Sequence[str]) -> str:
    """Name of a group of files in messages."""
    others = len(files) - 1
    return f"{files[0]} and {others} more" if others else files[0]


@contextmanager
def unpacked(file: str) -> Iterator[str]:
    """Path to the decompressed bytes of a file, for readers that need random access."""
    with opened(file) as stream:
        if is_plain(file):
            yield stream.name
            return
        with temporary_file() as spool:
            copy_to(spool, stream, file)
            yield spool.name


def is_plain(file: str) -> bool:
    """Whether a file is uncompressed and on disk, so that it can be read from any offset."""
    return Path(_path(file)).is_file() and not _compression(file)


def last_line_end(text: bytes) -> int:
    """End of the last complete line; 0 if there is none."""
    return text.rfind(NEWLINE) + 1


def pieces(
    file: str, *, size: int = PIECE_BYTES, last_end: Callable[[bytes], int] = last_line_end
) -> Iterator[Piece]:
    """The text of a file in pieces of whole lines, or of the records whose end `last_end` finds."""
    line, rest = 1, b""
    with opened(file) as stream:
        while block := stream.read(wanted := _bytes_to_read(size, len(rest))):
            text = rest + block if rest else block
            is_last = len(block) < wanted  # then an incomplete line belongs to the piece
            end = len(text) if is_last else last_end(text)
            if end == 0 and len(text) > MAX_RECORD_BYTES:
                raise SourceError(f"{file}, line {line}: the line is too long. {not_text()}")
            if end:
                yield Piece(text[:end], line)
                line += text.count(NEWLINE, 0, end)
            rest = text[end:]
    if rest:
        yield Piece(rest, line)


def long_lines(piece: Piece, length: int) -> Iterator[Piece]:
    """Lines of a piece with more bytes than a length, found without splitting the others."""
    text, start = piece.text, 0
    while len(text) - start > length:
        end = text.rfind(NEWLINE, start, start + length) + 1
        if not end:
            end = text.find(NEWLINE, start) + 1 or len(text)
            yield Piece(text[start:end], piece.line + text.count(NEWLINE, 0, start))
        start = end


def not_text() -> str:
    """Hint for a line that is too long."""
    return f"Is it a text file? A line may have at most {MAX_RECORD_BYTES >> 20} MB."


def _bytes_to_read(size: int, rest: int) -> int:
    """How much to read after a rest: double it while no record ends, up to the limit plus one."""
    return min(max(size, rest), MAX_RECORD_BYTES + 1 - rest)


def _files(name: str) -> list[str]:
    if name == STDIN:
        return [name]
    if not name:
        raise SourceError("An empty name is not a source. Give a file, a glob, builtin:NAME, or -.")
    path = Path(name)
    if path.is_dir():
        raise SourceError(f"{name} is a directory. Name its files, for instance {name}/*.csv.")
    if path.exists():
        _copy_if_pipe(name)
        return [name]
    found = sorted(
        file
        for file in glob.glob(name, recursive=True)  # noqa: PTH207 (patterns may be absolute)
        if Path(file).is_file()
    )
    if not found:
        what = "matches no file" if glob.has_magic(name) else "does not exist"
        raise SourceError(
            f"{name} {what}. Give a file, a glob, builtin:NAME, or - for standard input."
        )
    return found


def _path(file: str) -> str:
    if file == STDIN:
        return _spooled_input()
    copy = _COPIES.get(file)
    return file if copy is None else str(copy.name)


@cache
def _spooled_input() -> str:
    """Temporary file with the content of standard input."""
    if sys.stdin is None:
        raise SourceError(f"{STDIN} cannot be read: standard input is closed.")
    _COPIES[STDIN] = _copy_of(STDIN, sys.stdin.buffer)
    return str(_COPIES[STDIN].name)


def _copy_if_pipe(file: str) -> None:
    """Copy what can be read only once: a named pipe, or <(a command)."""
    _COPIES.pop(file, None)  # a pipe of the same name has other content each time
    if not Path(file).is_file():
        try:
            with Path(file).open("rb") as stream:
                _COPIES[file] = _copy_of(file, stream)
        except OSError as error:
            raise SourceError(f"{file} cannot be read: {error.strerror or error}.") from error


def _copy_of(file: str, stream: IO[bytes]) -> Any:
    _refuse_device(file, stream)
    copy = temporary_file()
    copy_to(copy, stream, file)
    return copy


def _refuse_device(file: str, stream: IO[bytes]) -> None:
    """Refuse devices that may never end, such as /dev/zero; terminals and /dev/null are fine."""
    try:
        descriptor = stream.fileno()
    except OSError:  # an in-memory stream
        return
    status = os.fstat(descriptor)
    is_device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
    is_null = os.path.samestat(status, Path(os.devnull).stat())
    if is_device and not is_null and not os.isatty(descriptor):
        raise SourceError(f"{file} is a device, which may never end. Give a file or a pipe.")


def copy_to(copy: IO[bytes], stream: IO[bytes], file: str) -> None:
    """Copy a stream into a temporary file, which may take half of the free disk."""
    most = shutil.disk_usage(Path(copy.name).parent).free // FREE_DISK_DIVISOR
    copied = 0
    while block := stream.read(COPY_BYTES):
        copied += len(block)
        if copied > most:
            raise SourceError(
                f"{file} would take more than {most / 1e9:,.1f} GB in a temporary file, which is"
                f" half of the free disk space in {Path(copy.name).parent}. Save it as a file"
                " first, or set TMPDIR to a folder on a larger disk."
            )
        copy.write(block)
    copy.flush()


_COPIES: dict[str, Any] = {}


def _opener(file: str) -> Callable[[str], Any]:
    return OPENERS.get(_compression(file), lambda path: Path(path).open("rb"))


def _compression(file: str) -> str:
    """Suffix of the compression by the first bytes of a file, whatever its name."""
    with Path(_path(file)).open("rb") as stream:
        start = stream.read(4)
    return next((suffix for magic, suffix in MAGIC.items() if start.startswith(magic)), "")


def _zstd(path: str) -> Any:
    from rosenblatt.io.zstd import Frames  # noqa: PLC0415 (seldom needed)

    return BufferedReader(Frames(path))


def _decompression_errors() -> tuple[type[Exception], ...]:
    """Exceptions that a damaged compressed file raises."""
    zstandard = sys.modules.get("zstandard")
    packed = () if zstandard is None else (zstandard.ZstdError,)
    return EOFError, zlib.error, gzip.BadGzipFile, *packed


OPENERS: dict[str, Callable[[str], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".zst": _zstd}
MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}
