"""The table of file formats, and the source for a file: by option, by suffix, or by content.

Readers are imported when they are needed: some are slow to import.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple

from rosenblatt.datasets.builtin import Dataset, builtin
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Place, Source
from rosenblatt.io.files import BOM, Options, files_of, opened, suffixes_of

SNIFFED_BYTES = 1 << 16  # from which a format is recognised
SPREADSHEETS = {".xlsx", ".xlsm", ".xls", ".ods"}
PAIR = re.compile(rb"(\d+|qid):[^:]+")
PREFIX = "builtin:"


class Request(NamedTuple):
    """The arguments of a reader: its files, how to read them, and where the labels are."""

    files: tuple[str, ...]
    options: Options
    target: str | None
    labelled: bool


class Format(NamedTuple):
    """Name of a format, the suffixes and first bytes of its files, and their reader."""

    name: str
    suffixes: tuple[str, ...]
    begins: Callable[[bytes], bool]
    reader: Callable[[Request], Source]
    has_labels: bool = False  # of its own, so that no target can be chosen


def open_source(
    names: Sequence[str],
    options: Options | None = None,
    *,
    target: str | None = None,
    labelled: bool = True,
) -> Source:
    """The source for some files, or for a built-in dataset.

    The target of a table is one of its columns; `target` matters for arrays only, where it is the
    number of a column or the name of the array of labels. Without `labelled` no labels are read, as
    for rows to be predicted.
    """
    if any(name.startswith(PREFIX) for name in names):
        return _built_in(names, target, labelled=labelled)
    request = Request(files_of(names), options or Options(), target, labelled)
    kinds = {file: format_of(file, request.options) for file in request.files}
    first, kind = next(iter(kinds.items()))
    for file, other in kinds.items():
        if other.name != kind.name:
            raise SourceError(
                f"{first} is {kind.name}, but {file} is {other.name}. Give files of one format, or"
                " set it with --format."
            )
    if kind.has_labels and target is not None:
        raise SourceError(_own_target(first, target))
    return kind.reader(request)


def format_of(file: str, options: Options) -> Format:
    """The format of a file."""
    with opened(file) as stream:
        start = stream.read(SNIFFED_BYTES)
    if not start:
        raise SourceError(f"{file} is empty.")
    if options.format is not None:
        return _named(options.format)
    suffix = suffixes_of(file)[0]
    if suffix in SPREADSHEETS:
        raise SourceError(f"{file} is a spreadsheet. Save it as CSV or Parquet, and use that file.")
    known = (kind for kind in FORMATS if suffix in kind.suffixes)
    seen = (kind for kind in FORMATS if kind.begins(start.removeprefix(BOM)))
    return next(known, None) or next(seen, DELIMITED)


def _named(name: str) -> Format:
    named = {kind.name: kind for kind in FORMATS}
    if name not in named:
        near = get_close_matches(name.lower(), named, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise SourceError(
            f"There is no format {name!r}.{hint} The formats are: {', '.join(named)}."
        )
    return named[name]


def _built_in(names: Sequence[str], target: str | None, *, labelled: bool) -> Source:
    if len(names) > 1:
        raise SourceError(
            f"A built-in dataset cannot be combined with other sources; got {', '.join(names)}."
        )
    if target is not None:
        raise SourceError(_own_target(names[0], target))
    return BuiltinSource(builtin(names[0].removeprefix(PREFIX)), labelled)


def _own_target(name: str, target: str) -> str:
    return f"{name} has its own labels; leave out the target {target!r}."


def _is_idx(start: bytes) -> bool:
    return re.match(rb"\0\0[\x08\x09\x0b-\x0e][\x01-\x10]", start) is not None


def _is_jsonlines(start: bytes) -> bool:
    return start.lstrip().startswith(b"{")


def _is_svmlight(start: bytes) -> bool:
    """Whether every line is a number and index:value pairs, with at least one pair."""
    whole = (
        start if len(start) < SNIFFED_BYTES else start[: max(start.rfind(b"\n"), start.rfind(b" "))]
    )
    lines = [line.split(b"#")[0].split() for line in whole.splitlines()]
    pairs = [line if b":" in line[0] else line[1:] for line in lines if line]
    labels = [line[0] for line in lines if line and b":" not in line[0]]
    are_pairs = all(PAIR.fullmatch(pair) for line in pairs for pair in line)
    return any(pairs) and are_pairs and all(map(_is_number, labels))


def _is_number(text: bytes) -> bool:
    with suppress(ValueError):
        float(text)
        return True
    return False


def _begins(magic: bytes) -> Callable[[bytes], bool]:
    return lambda start: start.startswith(magic)


def _never(_: bytes) -> bool:
    return False


def _columnar(kind: str, request: Request) -> Source:
    from rosenblatt.io.parquet import ColumnarSource  # noqa: PLC0415

    return ColumnarSource(request.files, kind)


def _jsonlines(request: Request) -> Source:
    from rosenblatt.io.jsonlines import JsonLinesSource  # noqa: PLC0415

    return JsonLinesSource(request.files, counts_rounded=request.options.counts_rounded)


def _numpy(request: Request) -> Source:
    from rosenblatt.io.numpy_files import NumpySource  # noqa: PLC0415

    return NumpySource(request.files, request.target, request.labelled)


def _idx(request: Request) -> Source:
    from rosenblatt.io.idx import IdxSource  # noqa: PLC0415

    return IdxSource(request.files, request.labelled)


def _svmlight(request: Request) -> Source:
    from rosenblatt.io.svmlight import SvmlightSource  # noqa: PLC0415

    labelled = request.labelled or _begins_with_a_label(request.files[0])
    chosen = request.options
    return SvmlightSource(
        request.files,
        labelled=labelled,
        zero_based=chosen.zero_based,
        counts_rounded=chosen.counts_rounded,
    )


def _begins_with_a_label(file: str) -> bool:
    """Whether rows to be predicted have labels, which then must be parsed as such."""
    with opened(file) as stream:
        start = stream.read(SNIFFED_BYTES)
    words = (line.split(b"#")[0].split() for line in start.splitlines())
    first = next((line[0] for line in words if line), b":")
    return b":" not in first


def _delimited(separator: str | None, request: Request) -> Source:
    from rosenblatt.io.csv import CsvSource  # noqa: PLC0415

    chosen = request.options
    if chosen.separator is None:
        chosen = replace(chosen, separator=separator)
    return CsvSource(request.files, chosen, request.target)


DELIMITED = Format("csv", (".csv",), _never, partial(_delimited, None))
FORMATS = (
    DELIMITED,
    Format("tsv", (".tsv", ".tab"), _never, partial(_delimited, "\t")),
    Format("svmlight", (".svm", ".libsvm", ".svmlight"), _is_svmlight, _svmlight, has_labels=True),
    Format("parquet", (".parquet", ".pq"), _begins(b"PAR1"), partial(_columnar, "Parquet")),
    Format(
        "arrow", (".arrow", ".feather", ".ipc"), _begins(b"ARROW1"), partial(_columnar, "Arrow")
    ),
    Format("jsonl", (".jsonl", ".ndjson", ".json"), _is_jsonlines, _jsonlines),
    Format("npy", (".npy",), _begins(b"\x93NUMPY"), _numpy),
    Format("npz", (".npz",), _begins(b"PK\x03\x04"), _numpy),
    Format("idx", (".idx", ".idx1-ubyte", ".idx3-ubyte"), _is_idx, _idx, has_labels=True),
)


@dataclass(frozen=True)
class BuiltinSource:
    """Rows of a built-in dataset, with or without their labels."""

    data: Dataset
    labelled: bool = True

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return PREFIX + self.data.name

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features."""
        return self.data.feature_names

    def __iter__(self) -> Iterator[Matrix]:
        """All rows in one chunk."""
        labels = self.data.y if self.labelled else None
        yield Matrix(self.data.X, labels, Place(self.name))
