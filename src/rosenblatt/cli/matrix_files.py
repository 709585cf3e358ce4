"""Rows and labels as the files of NumPy and SciPy, without pickles: what a proof is about.

The rows go to PREFIX.X.npy, or as CSR to PREFIX.X.npz where they are sparse, the labels to
PREFIX.y.npy. The fingerprint in a proof is that of exactly these numbers.
"""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rosenblatt.atomic_write import written_whole
from rosenblatt.cli.output import name_output_in_errors
from rosenblatt.errors import SourceError

if TYPE_CHECKING:
    from rosenblatt.datasets.builtin import Dataset

DENSE, SPARSE, LABELS = ".X.npy", ".X.npz", ".y.npy"


def matrix_files(prefix: str | None) -> tuple[str, ...]:
    """The files that may be written."""
    if prefix is None:
        return ()
    if not prefix or prefix.endswith("/") or Path(prefix).is_dir():
        raise SourceError(f"--write-matrix {prefix!r}: a prefix of file names is wanted.")
    return tuple(prefix + ending for ending in (DENSE, SPARSE, LABELS))


def write_rows(prefix: str, data: "Dataset") -> None:
    """Write rows and labels, each whole or not at all."""
    if hasattr(data.X, "indptr"):
        _write(prefix + SPARSE, data.X, _write_sparse)
    else:
        _write(prefix + DENSE, data.X, _write_array)
    _write(prefix + LABELS, data.y, _write_array)


def _write(path: str, values: Any, write: Any) -> None:
    with name_output_in_errors(path), written_whole(path) as file:
        write(file, values)


def _write_array(file: IO[bytes], values: Any) -> None:
    np.save(file, np.asarray(values), allow_pickle=False)


def _write_sparse(file: IO[bytes], rows: Any) -> None:
    from scipy.sparse import save_npz

    save_npz(file, rows)
