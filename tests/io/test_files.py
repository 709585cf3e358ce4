"""From names to bytes: globs, standard input, packed and damaged files."""

import io
import os
from functools import partial
from itertools import pairwise
from threading import Thread

import pytest
import zstandard
from packing import PACKERS, packed

from rosenblatt.errors import SourceError
from rosenblatt.io import csv_dialect, files
from rosenblatt.io.csv_dialect import last_record_end
from rosenblatt.io.files import files_of, is_plain, opened, pieces, suffixes_of

LINES = b"".join(b"%d,%d\n" % (n, n * n) for n in range(50_000))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(LINES)
    return path


def content(file: str) -> bytes:
    with opened(file) as stream:
        return stream.read()


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files_are_unpacked_whatever_their_name(file, suffix):
    copy = packed(file, suffix)
    os.rename(copy, file.with_name("anything.bin"))  # noqa: PTH104
    assert content(str(file.with_name("anything.bin"))) == LINES
    assert is_plain(str(file.with_name("anything.bin"))) == (suffix == "")


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_parts_one_after_another_are_one_file(file, suffix):
    pack = PACKERS[suffix]
    file.write_bytes(pack(LINES[:1000]) + pack(b"") + pack(LINES[1000:]))
    assert content(str(file)) == LINES
    with opened(str(file)) as stream:
        assert stream.read(5000) == LINES[:5000]  # one reading goes across the parts


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_told(file, suffix, share):
    whole = PACKERS[suffix](LINES)
    file.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(SourceError, match=r"t\.csv is damaged or truncated: .*\. Fetch it again"):
        content(str(file))


@pytest.mark.parametrize("cut", [1, 3, 4, 5, 9, 12])
def test_a_small_zstd_frame_cut_short_is_told(file, cut):
    file.write_bytes(zstandard.compress(b"1,2\n")[:-cut])
    if len(file.read_bytes()) < 4:  # too short to be known as packed
        assert content(str(file)) == file.read_bytes()
        return
    with pytest.raises(SourceError, match="damaged"):
        content(str(file))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst"])
def test_a_damaged_file_is_told(file, suffix):
    whole = bytearray(PACKERS[suffix](LINES))
    whole[len(whole) // 2] ^= 0xFF
    whole[len(whole) // 2 + 1] ^= 0xFF
    file.write_bytes(bytes(whole))
    try:
        found = content(str(file))
    except SourceError as error:
        assert str(error).startswith(str(file))  # noqa: PT017 (a frame of zstd has no checksum)
    else:
        assert suffix == ".zst"
        assert found != LINES


def test_files_are_found_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.csv", "a.csv", "c.txt", "in[1].csv"):
        (tmp_path / name).write_text("x")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.csv" / "d.csv").write_text("x")
    assert files_of(["c.txt", "*.csv"]) == ("c.txt", "a.csv", "b.csv", "in[1].csv")
    assert files_of(["in[1].csv"]) == ("in[1].csv",)  # a name before it is a pattern
    assert files_of(["**/d.csv"]) == ("folder.csv/d.csv",)
    assert files_of([str(tmp_path / "a*")]) == (str(tmp_path / "a.csv"),)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "No file given"),
        (["no.csv"], r"no\.csv does not exist"),
        (["no*.csv"], r"no\*\.csv matches no file"),
        (["."], r"\. is a directory\. Name its files, for instance \./\*\.csv"),
    ],
)
def test_names_without_a_file(tmp_path, monkeypatch, names, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=words):
        files_of(names)


def test_a_file_that_may_not_be_read(file, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refused)
    with pytest.raises(SourceError, match=r"t\.csv cannot be read: Permission denied"):
        content(str(file))


@pytest.mark.parametrize("suffix", PACKERS)
def test_standard_input_is_read_twice(monkeypatch, suffix):
    class Input:
        buffer = io.BytesIO(PACKERS[suffix](LINES))

    files._spooled_input.cache_clear()
    monkeypatch.setattr("sys.stdin", Input)
    assert files_of(["-"]) == ("-",)
    for _ in range(2):
        assert content("-") == LINES
        assert b"".join(piece.text for piece in pieces("-", size=1000)) == LINES
    files._spooled_input.cache_clear()


@pytest.mark.parametrize(
    ("name", "suffixes"),
    [
        ("a.csv", (".csv", "")),
        ("a.b.CSV.GZ", (".csv", ".gz")),
        ("a.gz", ("", ".gz")),
        ("folder.csv/a", ("", "")),
        ("a.zst.csv", (".csv", "")),
        ("a", ("", "")),
    ],
)
def test_suffixes(name, suffixes):
    assert suffixes_of(name) == suffixes


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 1 << 20])
@pytest.mark.parametrize(
    "text", [b"", b"\n", b"a", b"a\n", b"ab\n\ncd", b"x\r\ny\r\n", b"long\n" * 9]
)
def test_pieces_are_whole_lines_with_their_numbers(file, size, text):
    file.write_bytes(text)
    found = list(pieces(str(file), size=size))
    assert b"".join(piece.text for piece in found) == text
    for before, piece in pairwise(found):
        assert before.text.endswith(b"\n")
        assert piece.line == before.line + before.text.count(b"\n")
    assert [piece.line for piece in found[:1]] == [1] * bool(text)


@pytest.mark.parametrize("text", [b"a\nb\nc", b'a\nb"\nc', b'a\n"b\nc\n'])
def test_a_short_file_is_one_piece_ended_or_not(file, text):
    file.write_bytes(text)
    assert list(pieces(str(file), size=100, last_end=partial(last_record_end, separators=","))) == [
        files.Piece(text, 1)
    ]


def test_a_stray_quote_does_not_hold_up_a_file_for_ever(file, monkeypatch):
    monkeypatch.setattr(csv_dialect, "MAX_QUOTED_BYTES", 2000)
    text = b'5" pipe\n' + b"another line\n" * 1000
    file.write_bytes(text)
    found = list(pieces(str(file), size=100, last_end=partial(last_record_end, separators=",")))
    assert b"".join(piece.text for piece in found) == text
    assert max(len(piece.text) for piece in found) < 2 * 2000 + 100
    assert all(piece.text.endswith(b"\n") for piece in found)


def test_what_has_no_lines_is_refused(file, monkeypatch):
    monkeypatch.setattr(files, "MAX_RECORD_BYTES", 1000)
    file.write_bytes(b"one\n" + b"x" * 5000)
    with pytest.raises(SourceError, match=r"line 2: the line is too long\. Is it a text file"):
        list(pieces(str(file), size=100))


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_long_lines_are_found_among_others(end):
    lines = [b"short"] * 5 + [b"x" * 50, b"y", b"z" * 19, b"w" * 20, b"v" * 51]
    piece = files.Piece(b"\n".join(lines) + end, 11)
    found = [(number, text.rstrip(b"\n")) for text, number in files.long_lines(piece, 20)]
    assert found == [(16, b"x" * 50), (19, b"w" * 20), (20, b"v" * 51)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
def test_a_pipe_is_read_as_often_as_one_likes(tmp_path):
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    for text in (LINES, b"other lines\n"):
        writer = Thread(target=(tmp_path / "pipe").write_bytes, args=(text,))
        writer.start()
        assert files_of([pipe]) == (pipe,)
        writer.join()
        assert content(pipe) == content(pipe) == text
        assert is_plain(pipe)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")  # noqa: PTH110
def test_a_device_is_refused():
    with pytest.raises(SourceError, match=r"/dev/zero is a device, which may never end\. Give"):
        files_of(["/dev/zero"])


def test_what_is_copied_leaves_room_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "FREE_DISK_DIVISOR", 1 << 60)
    refused = pytest.raises(SourceError, match=r"more than .* GB in a temporary file")
    with (tmp_path / "copy").open("wb") as copy, refused:
        files.copy_to(copy, io.BytesIO(LINES), "t.csv")
