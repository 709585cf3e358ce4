"""svmlight files: every form a line may take, in any cut, and every way it may be wrong."""

import bz2
import gzip
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix
from rosenblatt.io.svmlight import SvmlightSource

ROOM = b"# " + 80 * b"-"  # what stands before it is read eight bytes at a time
LARGEST = 2**31 - 2

signs = st.sampled_from(["", "-", "+"])
digits = st.text("0123456789", min_size=1, max_size=25)
decimals = st.one_of(
    digits,
    st.builds("{}.{}".format, digits, digits),
    digits.map(".{}".format),
    digits.map("{}.".format),
)
exponents = st.builds("{}{}{:02d}".format, st.sampled_from("eE"), signs, st.integers(0, 330))
written = st.one_of(
    decimals,
    st.builds("{}{}".format, decimals, exponents),
    st.floats(0, 1).map("{:.6g}".format),
    st.floats(0, 1e9).map("{:.16g}".format),
    st.floats(0, allow_infinity=False).map(repr),
    st.floats(0, width=32, allow_infinity=False).map(repr),
    st.sampled_from(["0", "0.0", "1", "0e999", "5e-324", "2e-324", "1.7976931348623157e308"]),
    st.sampled_from(["9007199254740993", "9007199254740992", "1e22", "1e23", "8.5e-23", "1e-22"]),
)
numbers = st.builds("{}{}".format, signs, written).filter(lambda text: np.isfinite(float(text)))
blanks = st.sampled_from([" ", " ", "  ", "\t", " \t "])
ends = st.sampled_from(["\n", "\n", "\r\n", " \n", " # 1:2 words\n", "#\n"])
idle_lines = st.sampled_from(["", "", "", "\n", "  \r\n", "# 3 1:1\n"])


@st.composite
def lines(draw: st.DrawFn, *, ordered: bool = False) -> str:
    """A row, after lines that are none."""
    features = draw(st.lists(st.integers(1, 300) | st.integers(1, LARGEST), unique=True))
    if ordered:
        features.sort()
    words = [draw(numbers), *(f"{j}:{draw(numbers)}" for j in features)]
    if draw(st.booleans()):
        words.insert(1, "qid:7")
    body = "".join(word + draw(blanks) for word in words[:-1]) + words[-1]
    return draw(idle_lines) + draw(st.sampled_from(["", " "])) + body + draw(ends)


texts = st.lists(lines(), min_size=1, max_size=8).map(lambda rows: "".join(rows).encode())


def referee(text: bytes, base: int = 1) -> list[tuple[int, float, list[tuple[int, float]]]]:
    """Line, label and entries of every row, by Python alone."""
    rows = []
    for number, line in enumerate(text.decode().split("\n"), start=1):
        words = line.split("#")[0].split()
        if words:
            tokens = [word.split(":") for word in words[1:] if not word.startswith("qid:")]
            entries = sorted((int(j) - base, float(x)) for j, x in tokens)
            rows.append((number, float(words[0]), entries))
    return rows


def rows_of(chunks: list[Matrix]) -> list[tuple[int, float, list[tuple[int, float]]]]:
    rows = []
    for chunk in chunks:
        X = chunk.rows
        for i in range(len(chunk)):
            part = slice(X.indptr[i], X.indptr[i + 1])
            entries = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            line = int(chunk.place.at(i).rsplit(" ", 1)[1])
            rows.append((line, float(chunk.labels[i]), list(entries)))
    return rows


def read(folder: Path, text: bytes, **options: Any) -> list[Matrix]:
    path = folder / "rows.svm"
    path.write_bytes(text)
    return list(SvmlightSource((str(path),), **options))


def joined(chunks: list[Matrix]) -> tuple[Any, Any]:
    width = chunks[-1].rows.n_cols
    X = sparse.vstack([matrix_of(c.rows._replace(n_cols=width)) for c in chunks], format="csr")
    return X, np.concatenate([chunk.labels for chunk in chunks])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("svmlight")


@given(
    text=texts,
    room=st.sampled_from([b"", ROOM]),
    size=st.integers(1, 300),
    threads=st.sampled_from([1, 3]),
)
@example(text=b"1 1:0.1", room=b"", size=300, threads=1)
@example(text=b"-1\n+1 \n1.5 3:2\n", room=ROOM, size=300, threads=1)
@example(text=b"1 5:1 3:.25 1:-0\n", room=ROOM, size=300, threads=3)
def test_every_row_is_what_python_makes_of_it_however_the_file_is_cut(
    folder: Path, text: bytes, room: bytes, size: int, threads: int
) -> None:
    if room and not text.endswith(b"\n"):
        text += b"\n"
    expected = referee(text)
    found = rows_of(read(folder, text + room, size=size, n_threads=threads))
    assert found == expected
    values = [str(entries) for _, _, entries in found]  # in which −0.0 is not 0.0
    assert values == [str(entries) for _, _, entries in expected]


@given(
    rows=st.lists(lines(ordered=True), min_size=1, max_size=8), room=st.sampled_from([b"", ROOM])
)
def test_scikit_learn_reads_the_same(folder: Path, rows: list[str], room: bytes) -> None:
    text = "".join(rows).encode() + room
    X, y = joined(read(folder, text))
    theirs, labels = load_svmlight_file(BytesIO(text), zero_based=False)
    np.testing.assert_array_equal(y, labels)
    np.testing.assert_array_equal(X.indptr, theirs.indptr)
    np.testing.assert_array_equal(X.indices, theirs.indices)
    np.testing.assert_array_equal(X.data.astype(float), theirs.data)
    assert max(X.shape[1], 1) == theirs.shape[1]  # theirs has a column at least


@pytest.mark.parametrize("seed", range(3))
def test_what_scikit_learn_writes_comes_back_bit_for_bit(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = sparse.random_array((200, 50), density=0.2, rng=rng, format="csr")
    X.data = rng.normal(size=len(X.data)) * 10.0 ** rng.integers(-12, 12, len(X.data))
    y = rng.integers(0, 5, 200)
    file = str(folder / "dumped.svm")
    dump_svmlight_file(X, y, file, zero_based=False)
    referee_X, _ = load_svmlight_file(file, n_features=50, zero_based=False)
    ours, labels = joined(list(SvmlightSource((file,), size=1000)))
    np.testing.assert_array_equal(ours.toarray(), referee_X.toarray()[:, : ours.shape[1]])
    np.testing.assert_array_equal(labels, y)


@pytest.mark.parametrize("form", [repr, "{:.16e}".format, "{:.15g}".format, "{:.18g}".format])
def test_long_numbers_are_rounded_exactly(folder: Path, form: Any) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=20_000) * 10.0 ** rng.integers(-8, 16, 20_000)
    halfway = 2**53 + rng.integers(0, 2**53, 5000)  # every other is as near to two float64
    words = [form(x) for x in numbers.tolist()]
    words += [f"{m // 10**k}.{m % 10**k:0{k}}" for k in (1, 7) for m in (10**k * halfway).tolist()]
    words += [f"{m // 10}.{m % 10}{end}" for m in halfway.tolist() for end in ("", "5", "51")]
    text = "".join(f"1 1:{word} 2:1\n" for word in words).encode()
    X, _ = joined(read(folder, text))
    assert X.data[::2].tolist() == [float(word) for word in words]


def test_values_are_float32_where_that_loses_nothing_and_labels_whole_where_they_are(
    folder: Path,
) -> None:
    halves = read(folder, b"1 1:0.5 2:-3\n-1 3:0.10000000149011612\n")[0]
    assert halves.rows.data.dtype == np.float32
    assert halves.labels.dtype == np.int64
    tenths = read(folder, b"1 1:0.5\n1.5 2:0.1\n")[0]
    assert tenths.rows.data.dtype == np.float64
    assert tenths.labels.dtype == np.float64
    long = read(folder, b"1 1:0.1000000000000000001 2:1e300\n")[0]
    assert long.rows.data.tolist() == [0.1, 1e300]
    assert read(folder, b"9007199254740993 1:1\n1e20 1:1\n")[0].labels.dtype == np.float64


def test_index_arrays_are_taken_by_scipy_without_a_copy(folder: Path) -> None:
    rows = read(folder, b"1 1:0.5 2:-3\n-1 3:1\n")[0].rows
    matrix = sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(2, 3))
    for mine, theirs in zip(rows, (matrix.data, matrix.indices, matrix.indptr), strict=False):
        assert np.shares_memory(mine, theirs)


def test_chunks_are_as_wide_as_what_was_seen_so_far_over_all_files(folder: Path) -> None:
    for name, text in {"a": b"1 5:1\n1 2:1\n", "b": b"2 1:1\n2 9:1\n"}.items():
        (folder / name).write_bytes(text)
    source = SvmlightSource((str(folder / "a"), str(folder / "b")), size=1)
    assert [chunk.rows.n_cols for chunk in source] == [5, 5, 5, 9]
    assert [chunk.place.at(0) for chunk in source] == [
        f"{folder}/{name}, line {line}" for name in "ab" for line in (1, 2)
    ]
    assert source.name == f"{folder}/a and 1 more"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_packed_files_are_read_as_plain_ones(folder: Path, pack: Any) -> None:
    text = b"".join(b"%d %d:0.5 # row\n\n" % (k % 3, k + 1) for k in range(500))
    plain, packed = read(folder, text), read(folder, pack(text), size=100)
    assert rows_of(plain) == rows_of(packed) == referee(text)
    assert len(packed) > 10


def test_features_may_be_counted_from_zero(folder: Path) -> None:
    assert rows_of(read(folder, b"1 0:5 2:6\n", zero_based=True)) == [(1, 1.0, [(0, 5), (2, 6)])]


@pytest.mark.parametrize("size", [1, 1000])
def test_rows_without_labels_may_be_empty(folder: Path, size: int) -> None:
    text = b"1:2 4:5\n\n# words\n \n3:.5"
    chunks = read(folder, text, labelled=False, size=size)
    assert all(chunk.labels is None for chunk in chunks)
    assert sum(map(len, chunks)) == 4
    rows = [matrix_of(c.rows._replace(n_cols=4)).toarray() for c in chunks]
    np.testing.assert_array_equal(
        np.concatenate(rows), [[2, 0, 0, 5], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0.5, 0]]
    )


def test_a_source_may_be_left_in_the_middle_and_read_again(folder: Path) -> None:
    path = folder / "many.svm"
    path.write_bytes(b"1 1:1\n" * 1000)
    source = SvmlightSource((str(path),), size=60, n_threads=2)
    next(iter(source))
    assert sum(map(len, source)) == sum(map(len, source)) == 1000


WRONG = [
    (b"1 3", "3", "has no colon"),
    (b"1 3 4:5", "3", "has no colon"),
    (b"1 3:", "3:", "has no decimal number after its colon"),
    (b"1 :5", ":5", "has no feature index"),
    (b"1 a:1", "a:1", "has no feature index"),
    (b"1 -2:1", "-2:1", "has no feature index"),
    (b"1 1.5:1", "1.5:1", "has no feature index"),
    (b"1 2:1:1", "2:1:1", "has no decimal number"),
    (b"1 2:0x1F", "2:0x1F", "has no decimal number"),
    (b"1 2:1_0", "2:1_0", "has no decimal number"),
    (b"1 2:1e", "2:1e", "has no decimal number"),
    (b"1 2:1e+", "2:1e+", "has no decimal number"),
    (b"1 2:.", "2:.", "has no decimal number"),
    (b"1 2:-", "2:-", "has no decimal number"),
    (b"1 2:1,5", "2:1,5", "has no decimal number"),
    (b"1 2:0.123456x", "2:0.123456x", "has no decimal number"),
    (b"1 2:1\x00", "2:1\x00", "has no decimal number"),
    (b"1 2:1\x003:4", "2:1\x003:4", "has no decimal number"),
    (b"1 2:nan", "2:nan", "is not finite"),
    (b"1 2:-inf 3:1", "2:-inf", "is not finite"),
    (b"1 2:1e400", "1e400", "beyond the largest number"),
    (b"1 0:4", "0:4", "features are numbered from 1"),
    (b"1 2:1 2:3", "2:3", "feature 2 twice"),
    (b"1 5:0 2:1 3:1 2:3", "2:", "feature 2 twice"),
    (b"1 2147483647:1", "2147483647:1", "Renumber the features"),
    (b"1 99999999999999999999999:1", "99999999999999999999999:1", "Renumber the features"),
    (b"1,3 2:1", "1,3", "several labels"),
    (b"spam 2:1", "spam", "is not a label"),
    (b"nan 2:1", "nan", "must be finite"),
    (b"1e999 2:1", "1e999", "beyond the largest number"),
    (b"2:1 3:4", "2:1", "is where a label should be"),
    (b"\x89PNG\xff", "\\x89PNG\\xff", "is not a label"),
    ("1 größe:1".encode(), "größe:1", "has no feature index"),
    (b"1 " + 90 * b"x", 60 * "x" + "…", "has no colon"),
]


@pytest.mark.parametrize(("line", "token", "words"), WRONG)
@pytest.mark.parametrize("size", [1, 40, 1 << 22])
@pytest.mark.parametrize("room", [b"", b"\n" + ROOM])
def test_what_is_wrong_is_named_with_its_line(
    folder: Path, line: bytes, token: str, words: str, size: int, room: bytes
) -> None:
    before = b"-1 1:1 7:0.25 # fine\n\n+1 2:1e-5\r\n"
    after = b"\n1 1:1\nworse\n"
    with pytest.raises(SourceError, match=re.escape(words)) as caught:
        read(folder, before + line + (room or after), size=size, n_threads=2)
    assert str(caught.value).startswith(f"{folder}/rows.svm, line 4: {token!r} ")
    assert str(caught.value).endswith(".")


def test_a_label_in_a_file_without_labels_is_named(folder: Path) -> None:
    with pytest.raises(SourceError, match=r"line 2: '1' has no colon"):
        read(folder, b"3:4\n1 3:4\n", labelled=False)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# nothing\n"])
def test_a_file_without_rows_is_refused(folder: Path, text: bytes) -> None:
    with pytest.raises(SourceError, match=r"rows.svm has no rows"):
        read(folder, text)


def test_a_line_without_an_end_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.io.svmlight.MAX_RECORD_BYTES", 1000)
    monkeypatch.setattr("rosenblatt.io.svmlight.SEARCH_BYTES", 100)
    with pytest.raises(SourceError, match=r"the line at byte 10 is too long"):
        read(folder, b"1" * 2000, size=10)


def test_a_file_cut_short_while_it_is_packed_is_named(folder: Path) -> None:
    with pytest.raises(SourceError, match=r"rows.svm is damaged"):
        read(folder, gzip.compress(b"1 1:1\n" * 9999)[:-9])


PLAIN = """
import sys
from rosenblatt.io.svmlight import SvmlightSource
for chunk in SvmlightSource((sys.argv[1],), n_threads=1):
    print(*(array.tolist() for array in chunk.rows[:3]), chunk.labels, chunk.place)
"""


def test_the_kernel_runs_as_plain_python_too(folder: Path) -> None:
    path = folder / "plain.svm"
    path.write_bytes(b"1 1:0.5 qid:3 3:-12.25e1 # !\n\n-1 9:12345678901234567890 2:7\n" + ROOM)
    outputs = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", PLAIN, str(path)],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert outputs[0] == outputs[1] != ""


@pytest.mark.parametrize("name", ["a9a.gz", "a9a.t.gz", "w8a.gz", "news20.bz2"])
def test_real_files_are_read_as_scikit_learn_does(real_data: Path, name: str) -> None:
    file = str(real_data / "libsvm" / name)
    X, y = joined(list(SvmlightSource((file,))))
    theirs, labels = load_svmlight_file(file, zero_based=False)
    assert X.shape == theirs.shape
    np.testing.assert_array_equal(y, labels)
    assert (theirs != X).nnz == 0
