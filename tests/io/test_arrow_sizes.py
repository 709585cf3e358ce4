"""The sizes that an Arrow file announces: sound files pass, and none that is damaged goes wrong."""

import random
import struct
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rosenblatt.io.parquet import BadArrowError, check_arrow

N = 1000
COMPRESSIONS = ("uncompressed", "lz4", "zstd")
ABSURD = struct.pack("<q", 2**62)


def table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "a": np.arange(N, dtype=float),
            "k": pl.Series(["u", "v", None, "w"] * (N // 4)).cast(pl.Categorical),
            "y": pl.Series([True, False] * (N // 2)),
            "nothing": pl.Series([None] * N),
        }
    )


def content(compression: str) -> bytes:
    room = BytesIO()
    table().write_ipc(room, compression=compression)
    return room.getvalue()


def is_sound(path: Path, changed: bytes) -> bool:
    path.write_bytes(changed)
    try:
        check_arrow(str(path))
    except BadArrowError:
        return False
    return True


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_sound_files(tmp_path: Path, compression: str) -> None:
    assert is_sound(tmp_path / "t", content(compression))
    table().to_pandas().to_feather(tmp_path / "t.feather", compression=compression)
    check_arrow(str(tmp_path / "t.feather"))


def test_files_without_rows_or_columns(tmp_path: Path) -> None:
    for name, frame in (("rows", pd.DataFrame({"a": []})), ("columns", pd.DataFrame())):
        frame.to_feather(tmp_path / name)
        check_arrow(str(tmp_path / name))


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_an_absurd_number_of_rows(tmp_path: Path, compression: str) -> None:
    sound, rows = content(compression), struct.pack("<q", N)
    places = [at for at in range(0, len(sound), 8) if sound[at : at + 8] == rows]
    assert len(places) >= 5  # of the batch, and of each column
    for at in places[-5:]:
        assert not is_sound(tmp_path / "t", sound[:at] + ABSURD + sound[at + 8 :])


def test_an_absurd_unpacked_size(tmp_path: Path) -> None:
    for compression in ("lz4", "zstd"):
        sound = content(compression)
        at = sound.index(struct.pack("<q", 8 * N))
        assert not is_sound(tmp_path / "t", sound[:at] + ABSURD + sound[at + 8 :])


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_no_damage_is_worse_than_a_sentence(tmp_path: Path, compression: str) -> None:
    sound, chance = content(compression), random.Random(3)
    end = sound.rindex(struct.pack("<q", N)) if compression == "uncompressed" else len(sound)
    results = []
    for _ in range(400):
        at = chance.randrange(max(0, end - 2000), len(sound))
        number = chance.choice([0, -1, 2**31 - 1, 2**62, -(2**63), chance.getrandbits(63)])
        changed = sound[:at] + struct.pack("<q", number) + sound[at + 8 :]
        results.append(is_sound(tmp_path / "t", changed[: len(sound)]))
    assert not all(results)
    for length in range(0, len(sound) - 1, len(sound) // 50):
        assert not is_sound(tmp_path / "t", sound[:length])
