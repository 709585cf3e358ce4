"""Small files that would take all memory, or would end the process if anyone believed them."""

import bz2
import gzip
import lzma
import struct
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import zstandard
from scipy import sparse

MEGABYTE = 1 << 20
LONG_LINE = 1024  # megabytes without an end of line
STARTS = {".csv": b"a,y\n1", ".svm": b"1 1:1", ".jsonl": b'{"a": "'}
TALL = 2**60
VALUES = np.arange(72.0).reshape(12, 6)
MATRIX = sparse.coo_array(np.where(VALUES % 7 < 3, VALUES, 0))
LABELS = np.arange(12) % 2


def write_damaged_files() -> None:
    """Write all of them into the working folder."""
    _write_sparse()
    _write_arrays()
    _write_arrow()
    _write_long_lines()
    _write_wide_lines()


def _write_sparse() -> None:
    csr, csc, coo, bsr, dia = (stored(kind) for kind in ("csr", "csc", "coo", "bsr", "dia"))
    pointers = csr["indptr"]
    jump = np.where(np.arange(len(pointers)) == 3, -(10**9), pointers)
    bad: dict[str, dict[str, Any]] = {
        "csr-jump": csr | {"indptr": jump},
        "csr-minus": csr | {"indptr": -pointers},
        "csr-late": csr | {"indptr": pointers + 1},
        "csr-far": csr | {"indices": csr["indices"] + 2**30},
        "csr-float": csr | {"indices": csr["indices"] * 1.0},
        "csr-flat": csr | {"shape": 12},
        "csr-empty": csr | {"shape": np.zeros(0, int)},
        "csr-square": csr | {"data": csr["data"].reshape(-1, 1)},
        "csr-words": csr | {"data": csr["data"].astype(str)},
        "csr-what": csr | {"format": b"xyz"},
        "csr-tall": csr | {"shape": (TALL, 6)},
        "csc-far": csc | {"indices": np.full_like(csc["indices"], 2**30)},
        "csc-minus": csc | {"indptr": -csc["indptr"]},
        "csc-tall": csc | {"shape": (TALL, 6)},
        "csc-wide": csc | {"shape": (12, TALL)},
        "coo-far": coo | {"row": coo["row"].astype(np.int64) + 2**40},
        "coo-minus": coo | {"col": -1 - coo["col"]},
        "coo-few": coo | {"col": coo["col"][1:]},
        "coo-tall": coo | {"shape": (TALL, 6)},
        "bsr-far": bsr | {"indices": bsr["indices"] + 2**30},
        "bsr-odd": bsr | {"shape": (11, 6)},
        "bsr-tall": bsr | {"shape": (TALL, 6)},
        "dia-twice": dia | {"offsets": np.zeros_like(dia["offsets"])},
        "dia-few": dia | {"offsets": dia["offsets"][1:]},
        "dia-tall": dia | {"shape": (TALL, 6)},
    }
    for name, arrays in bad.items():
        np.savez(f"{name}.npz", **arrays, y=LABELS)


def stored(kind: str) -> dict[str, Any]:
    """The arrays of a sound file of a sparse format."""
    room = BytesIO()
    how = {"blocksize": (2, 2)} if kind == "bsr" else {}
    sparse.save_npz(room, MATRIX.tobsr(**how) if how else MATRIX.asformat(kind))
    with np.load(BytesIO(room.getvalue())) as arrays:
        return dict(arrays)


def _write_arrays() -> None:
    X, words = np.eye(12), np.array(["u", "v"])[LABELS]
    beyond, half = words.copy(), words.copy()
    beyond.view(np.uint32)[1], half.view(np.uint32)[2] = 2**31 - 1, 0xD800
    bad: dict[str, dict[str, Any]] = {
        "latin1": {"y": np.array([b"gr\xfcn", b"v"])[LABELS]},
        "beyond": {"y": beyond},
        "surrogate": {"y": half},
        "names": {"y": LABELS, "feature_names": np.array([b"gr\xfcn"] * 12)},
        "name": {"y": LABELS, "feature_names": np.array("abcdefghijkl")},
        "bad-name": {"y": LABELS, "feature_names": beyond},
        "number": {"X": np.array(5.0), "y": LABELS},
        "line": {"X": np.arange(12.0), "y": LABELS},
        "no-rows": {"X": np.zeros((0, 3)), "y": np.zeros(0, int)},
        "no-columns": {"X": np.zeros((12, 0)), "y": LABELS},
        "one-label": {"y": np.array(1)},
        "no-labels": {"y": np.zeros(0, int)},
    }
    for name, arrays in bad.items():
        np.savez(f"{name}.npz", **{"X": X} | arrays)
    np.save("number.npy", np.array(5.0))
    np.save("no-columns.npy", np.zeros((12, 0)))
    np.save("nothing.npy", np.zeros(0))


def _write_arrow() -> None:
    """Arrow files that announce far too much wherever they should announce one of their lengths."""
    words = ["a long enough word 1", "a long enough word 2"]  # shorter ones have no bytes apart
    frame = pl.DataFrame({"a": np.arange(200.0), "k": words * 100, "y": [0, 1] * 100})
    for name, compression, length in (
        ("rows", "uncompressed", 200),
        ("buffer", "uncompressed", 1600),
        ("rows-zstd", "zstd", 200),
        ("numbers-zstd", "zstd", 1600),
        ("numbers-lz4", "lz4", 1600),
        ("words-zstd", "zstd", 4000),
        ("words-lz4", "lz4", 4000),
    ):
        content = _written(frame, compression)
        sound, absurd = (struct.pack("<q", number) for number in (length, 2**40))
        assert sound in content
        Path(f"{name}.arrow").write_bytes(content.replace(sound, absurd))


def _written(frame: pl.DataFrame, compression: Any) -> bytes:
    room = BytesIO()
    frame.write_ipc(room, compression=compression)
    return room.getvalue()


def _write_long_lines() -> None:
    """Text that never ends its line: plain, where it takes no disk, and packed."""
    for name in ("line.csv", "line.svm", "line.jsonl"):
        with Path(name).open("wb") as file:
            file.write(STARTS[Path(name).suffix])
            file.truncate(LONG_LINE * MEGABYTE)
    packers: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
    }
    for suffix, pack in packers.items():
        Path(f"line.csv{suffix}").write_bytes(pack(b"x" * MEGABYTE) * LONG_LINE)
    frame = zstandard.ZstdCompressor(level=1).compressobj()  # a single one
    blocks = [frame.compress(b"1" * MEGABYTE) for _ in range(LONG_LINE)]
    content = b"".join(blocks) + frame.flush()
    for name in ("line.csv.zst", "line.svm.zst", "line.jsonl.zst"):
        Path(name).write_bytes(content)


def _write_wide_lines() -> None:
    Path("wide.csv").write_bytes(b"1," * (MEGABYTE + 1) + b"1\n")
    Path("later.csv").write_bytes(b"a,y\n1,u\n2,v\n" + b"1," * (20 * MEGABYTE) + b"1\n")
    keys = b",".join(b'"%x":1' % key for key in range(MEGABYTE + 1))
    Path("keys.jsonl").write_bytes(b'{"y": 0}\n{' + keys + b"}\n")
