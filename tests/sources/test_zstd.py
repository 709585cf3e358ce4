"""zstd files: all frames, and never a part of one in silence."""

from pathlib import Path

import pytest
import zstandard

from rosenblatt.errors import SourceError
from rosenblatt.sources.opening import opened

TEXT = b"".join(b"%d,%d\n" % (i, i * i) for i in range(20_000))


def unpacked(path: Path, packed: bytes) -> bytes:
    path.write_bytes(packed)
    with opened(str(path)) as stream:
        return stream.read()


def test_all_frames_are_read(tmp_path: Path) -> None:
    file, frames = tmp_path / "a.zst", [TEXT[:70_000], b"", TEXT[70_000:]]
    assert unpacked(file, zstandard.compress(TEXT)) == TEXT
    assert unpacked(file, b"".join(map(zstandard.compress, frames))) == TEXT
    assert unpacked(file, zstandard.compress(bytes(10**7))) == bytes(10**7)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.999])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    packed = zstandard.compress(TEXT[:70_000]) + zstandard.compress(TEXT)
    with pytest.raises(SourceError, match="cut short: it ends within a frame"):
        unpacked(tmp_path / "a.zst", packed[: int(share * len(packed))])


def test_a_frame_that_is_damaged_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="damaged or cut short"):
        unpacked(tmp_path / "a.zst", zstandard.compress(TEXT)[:100] + bytes(1000))
