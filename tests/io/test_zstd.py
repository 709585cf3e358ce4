"""zstd files: all frames, and never a part of one in silence."""

import tracemalloc
from pathlib import Path

import pytest
import zstandard

from rosenblatt.errors import SourceError
from rosenblatt.io.files import opened

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
    with pytest.raises(SourceError, match="truncated: it ends within a frame"):
        unpacked(tmp_path / "a.zst", packed[: int(share * len(packed))])


def test_a_frame_that_is_damaged_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="damaged"):
        unpacked(tmp_path / "a.zst", zstandard.compress(TEXT)[:100] + bytes(1000))


def test_frames_of_every_layout(tmp_path: Path) -> None:
    """With a checksum or without, with the size of the content or without, and what is skipped."""
    frames = [
        zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=size).compress(
            TEXT[:n]
        )
        for checksum in (False, True)
        for size in (False, True)
        for n in (0, 1, 200, 300, 70_000, len(TEXT))
    ]
    parts = [TEXT[:n] for _ in range(4) for n in (0, 1, 200, 300, 70_000, len(TEXT))]
    skipped = (0x184D2A53).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"hello"
    assert unpacked(tmp_path / "a.zst", skipped.join(frames) + skipped) == b"".join(parts)
    stream = zstandard.ZstdCompressor().compressobj()
    packed = stream.compress(TEXT) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    assert unpacked(tmp_path / "a.zst", packed + stream.flush()) == TEXT


def test_a_small_file_of_a_large_content_is_unpacked_bit_by_bit(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(zstandard.compress(bytes(1 << 26)))  # some 2 KB
    tracemalloc.start()
    with opened(str(tmp_path / "a.zst")) as stream:
        assert sum(iter(lambda: len(stream.read(1 << 16)), 0)) == 1 << 26
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 23


def test_what_follows_a_frame_and_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="where a frame should begin"):
        unpacked(tmp_path / "a.zst", zstandard.compress(TEXT) + b"more")


def test_one_decompressor_serves_all_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Making one takes far longer than an empty frame, of which a small file may hold a million."""
    made = []
    original = zstandard.ZstdDecompressor
    monkeypatch.setattr(zstandard, "ZstdDecompressor", lambda: made.append(1) or original())
    packed = zstandard.compress(b"") * 1000 + zstandard.compress(TEXT)
    assert unpacked(tmp_path / "a.zst", packed) == TEXT
    assert len(made) == 1


def test_a_file_that_needs_a_dictionary_is_not_called_damaged(tmp_path: Path) -> None:
    words = zstandard.train_dictionary(1 << 10, [b"row %d of a table\n" % i for i in range(2000)])
    packed = zstandard.ZstdCompressor(dict_data=words).compress(TEXT)
    with pytest.raises(SourceError, match=rf"a dictionary \(number {words.dict_id()}\)"):
        unpacked(tmp_path / "a.zst", packed)
