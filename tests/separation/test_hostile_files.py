"""Forgeries and odd files beyond those of `test_forgeries`: both checkers say the same of each.

Each was accepted once by a checker that should have refused it, or refused by one of the two
alone, or could have been.
"""

import io
import json
import struct
import zipfile
from dataclasses import replace
from fractions import Fraction

import numpy as np
import plain_checker
import pytest
from scipy import sparse
from test_forgeries import changed, written

from rosenblatt.errors import DataError, ProofError, RosenblattError
from rosenblatt.proof import checker
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.margins import Hull, hull_length
from rosenblatt.separation.proof.reader import load_proof
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.proof.writer import as_fields

SMALLEST = (5e-324).hex()
ONE = [{"0": "0x1.0p+0"}]


class Files:
    """A proof, rows and labels as files, and what both checkers say of them."""

    def __init__(self, folder):
        self.folder = folder
        self.proof, self.y = folder / "proof.json", folder / "y.npy"
        self.X = folder / "X.npy"

    def write(self, fields, X, y):
        self.proof.write_text(fields if isinstance(fields, str) else json.dumps(fields))
        if sparse.issparse(X):
            self.X = self.folder / "X.npz"
            sparse.save_npz(self.X, X)
        else:
            np.save(self.X, X)
        np.save(self.y, y)

    @property
    def plain(self):
        return checker.main([str(self.proof), str(self.X), str(self.y)]) == 0

    @property
    def numpy(self):
        load = sparse.load_npz if self.X.suffix == ".npz" else np.load
        try:
            return load_proof(self.proof).verify(load(self.X), np.load(self.y))
        except RosenblattError:
            return False

    def accepted(self, fields, X, y):
        """What both say, if they agree."""
        self.write(fields, X, y)
        accepted = self.plain
        assert accepted == self.numpy, "the checkers disagree"
        return accepted


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def of_line(X, y, **claims):
    """Fields of a separable proof in one column without intercept, of the weight 1."""
    fields = written(X, y, [])
    for name in ("pairs", "kind", "touching", "tied", "overlap"):
        del fields[name]
    claims = {"margin": "0x0.0p+0", "radius": "inf", "upper": None, "hull": None, **claims}
    return {**fields, "answer": "separable", "W": ONE, **claims}


def fields_of(proof):
    return json.loads(json.dumps(as_fields(proof)))


# an upper bound of the margin below the margin itself, where floats of the hull underflow
UNDERFLOWS = [
    ([2.0**-60, 2.0**1023, -1.0], [1.0, 5e-324]),
    ([2.0**-600, 1.0, -1.0], [1.0, 2.0**-700]),
    ([2.0**-539, 2.0**-539, -1.0], [1.0, 1.0]),
    ([5e-324, 1.0, -1.0], [2.0**1023, 5e-324]),
    ([5e-324, 2.0**1023, -1.0], [2.0**900, 2.0**-1000]),
]


@pytest.mark.parametrize(("values", "shares"), UNDERFLOWS)
def test_an_upper_bound_is_refused_where_its_hull_underflows(values, shares, files):
    X, y = [[value] for value in values], [1, 1, 0]
    hull = [[i, 0, share.hex()] for i, share in enumerate(shares)]
    point = sum(Fraction(v) * Fraction(s) for v, s in zip(values[:2], shares, strict=True))
    point /= sum(map(Fraction, shares))
    above = hull_length(read_table(X, y), Hull((0, 1), (0, 0), tuple(shares)), fit_intercept=False)
    assert point <= Fraction(above) <= point * (1 + Fraction(1, 2**40)) + Fraction(5e-324)
    assert files.accepted(of_line(X, y, hull=hull, upper=above.hex()), X, y)
    below = np.nextafter(float(point), 0.0)
    for upper in {SMALLEST, float(below).hex()} - {(0.0).hex()}:
        false = Fraction(float.fromhex(upper)) < point
        fields = of_line(X, y, hull=hull, upper=upper)
        assert files.accepted(fields, X, y) is not false
        assert plain_checker.holds(fields, X, y) is not false


def test_long_integers_of_another_byte_order_do_not_wrap(files):
    X, y = np.array([[2**64 - 1], [1], [0]], dtype=">u8"), np.array([1, 1, 0])
    forged = written(X.tolist(), y.tolist(), [[0, 0, "0x1"], [1, 0, "0x1"]])
    assert not files.accepted(forged, X, y)
    assert not files.accepted(forged, X.astype("<u8"), y)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u8"])
@pytest.mark.parametrize("order", "<>")
def test_the_order_of_bytes_does_not_matter(kind, order, files):
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]], dtype=order + kind), np.array([0, 0, 1, 1])
    fields = fields_of(separability(X.tolist(), y.tolist()))
    assert files.accepted(fields, X, y.astype(order + kind))
    assert files.accepted(fields, np.asfortranarray(X), y)


@pytest.mark.parametrize("text", ["0x1.7p-1074", "0x1.8p-1074", "0x0.8p-1074", "0x1.0p-9999"])
def test_a_claim_is_not_rounded_before_it_is_checked(text, files):
    X, y = [[5e-324], [-1.0]], [1, 0]
    assert not files.accepted(of_line(X, y, margin=text), X, y)
    assert files.accepted(of_line(X, y, margin=SMALLEST), X, y)


@pytest.mark.parametrize("text", ["0x1p+0", "0X1.0P+0", "1.0", "0x1.0p+1024", "nan", " 0x1.0p+0"])
def test_other_ways_to_write_numbers_are_refused(text, files):
    X, y = [[2.0], [-2.0]], [1, 0]
    assert not files.accepted(of_line(X, y, margin=text), X, y)


CROSSED = [[0, 1, "0x1"], [1, 0, "0x1"]]  # two rows, each against the class of the other


def overlapping(size, *, fit_intercept=False):
    X, y = [[size], [size], [-size], [-size]], [0, 1, 0, 1]
    fields = written(X, y, CROSSED)
    overlap = {"pairs": [], "null": []}
    fields = changed(fields, kind="overlap", overlap=overlap, fit_intercept=fit_intercept)
    return fields, X, y


@pytest.mark.parametrize("size", [2**31 - 1, 1048573, 1048573 * 1048571, 2**61 - 1, 1048573 / 4])
def test_multiples_of_a_prime_have_a_rank_all_the_same(size, files):
    fields, X, y = overlapping(size)
    assert files.accepted(fields, X, y)
    fields, X, y = overlapping(size, fit_intercept=True)  # where one direction is missing
    assert not files.accepted(fields, X, y)


def test_null_vectors_that_are_multiples_of_a_prime_are_independent(files):
    X, y = [[1, 0], [1, 0]], [0, 1]
    fields, prime = written(X, y, CROSSED), hex(1048573 * 1048571)
    for weight in (prime, f"0x1/{prime}", f"{prime}/0x3"):
        overlap = {"pairs": [], "null": [{"1": weight}]}
        assert files.accepted(changed(fields, kind="overlap", overlap=overlap), X, y)


def test_null_vectors_without_end_are_refused(files):
    width = 1300
    X, y = [[1] + [0] * (width - 1)] * 2, [0, 1]
    overlap = {"pairs": [], "null": [{str(j): "0x1.0p+0"} for j in range(1, width)]}
    claim = changed(written(X, y, CROSSED), kind="overlap", overlap=overlap)
    assert not files.accepted(claim, X, y)


def test_null_vectors_outside_of_the_columns_are_refused(files):
    X, y = [[0.0, 1.0], [0.0, -1.0], [1.0, 0.0]], [1, 1, 0]  # they only touch
    fields = fields_of(separability(X, y, fit_intercept=False))
    assert fields["kind"] == "touching"
    for columns in (("0.5", "1.5"), ("0.5",), ("-1",), ("2",), ("",), ("false", "true"), ("01",)):
        overlap = {"pairs": [], "null": [{column: "0x1.0p+0"} for column in columns]}
        claim = changed(fields, kind="overlap", touching=None, tied=None, overlap=overlap)
        assert not files.accepted(claim, X, y)


ILL_FORMED = {
    "a float as a number": {"n_features": 2.0},
    "true as a number": {"n_features": True},
    "true as a count": {"tied": True},
    "a float as a count": {"tied": 2.0},
    "another name of a column": {"touching": [{"00": "-0x1.0p+0"}]},
    "a list of weights": {"touching": [["-0x1.0p+0"]]},
    "weights of one class alone": {"touching": {"0": "-0x1.0p+0"}},
    "a number as a weight": {"touching": [{"0": -1}]},
    "no number as a weight": {"touching": [{"0": "0x"}]},
    "a fraction without an end": {"touching": [{"0": "-0x1/"}]},
    "a fraction of floats": {"touching": [{"0": "-0x1.0p+0/0x1"}]},
    "a fraction over 0": {"touching": [{"0": "-0x1/0x0"}]},
    "a float as a row": {"pairs": [[0.0, 0, "0x1"], [1.0, 1, "0x1"]]},
    "floats where integers are wanted": {"pairs": [[0, 0, "0x1.0p+0"], [1, 1, "0x1.0p+0"]]},
    "more than a pair": {"pairs": [[0, 0, "0x1", 0], [1, 1, "0x1", 0]]},
    "pairs by name": {"pairs": {"001": "0x1", "110": "0x1"}},
    "text as pairs": {"pairs": ["00", "11"]},
    "text as an encoding": {"encoding": "as I say"},
    "an unknown field": {"geometric_margin": "0x1.0p+0"},
}


@pytest.mark.parametrize("changes", ILL_FORMED.values(), ids=ILL_FORMED)
def test_ill_formed_fields_are_refused(changes, files):
    X, y = [[0.0], [0.0], [1.0]], [1, 0, 0]
    fields = written(X, y, [[0, 0, "0x1"], [1, 1, "0x1"]])
    fields = changed(fields, kind="touching", touching=[{"0": "-0x1.0p+0"}], tied=2)
    for same in ({}, {"touching": [{"0": "-0x7"}]}, {"touching": [{"0": "-0x1/0x3"}]}):
        assert files.accepted(changed(fields, **same), X, y)
    assert not files.accepted(changed(fields, **changes), X, y)
    assert checker.main([str(files.proof), str(files.X), str(files.y)]) in (1, 2)
    del fields["encoding"]
    assert not files.accepted(fields, X, y)


def test_a_count_of_one_is_not_true(files):
    X, y = [[0.0], [1.0], [-1.0]], [1, 1, 0]
    fields = written(X, y, [[0, 0, "0x1"]])
    fields = changed(fields, kind="touching", touching=[{"0": "0x1.0p+0"}], tied=1)
    assert files.accepted(fields, X, y)
    assert not files.accepted(changed(fields, tied=True), X, y)


LABELS = {
    "bool": np.array([False, True]),
    "bytes": np.array([b"no", b"\xe4"]),
    "digits": np.array([b"0", b"1"]),
    "text": np.array(["", "ä\x1b[2K\n, kind overlap"]),
    "surrogate": np.array(["a", "\ud800"]),
    "zeros within": np.array(["a\0b", "a"]),
    "big-endian text": np.array(["no", "yes"], ">U3"),
    "negative zero": np.array([-0.0, 1.0]),
    "half": np.array([0.1, 2.0], np.float16),
    "single": np.array([0.1, 1e30], np.float32),
    "huge": np.array([1e300, -5e-324]),
    "endless": np.array([np.inf, -np.inf]),
    "long": np.array([2**53 + 1, 2**53]),
    "unsigned": np.array([2**64 - 1, 0], np.uint64),
}


@pytest.mark.parametrize("classes", LABELS.values(), ids=LABELS)
def test_labels_of_every_form_have_the_same_names(classes, files, capsys):
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), classes[[0, 1, 1, 0]]
    fields = fields_of(separability(X, y))
    assert files.accepted(fields, X, y)
    said = capsys.readouterr().out
    assert said.isascii()
    assert said.count("\n") == 1
    assert not files.accepted(changed(fields, classes=["x", "z"]), X, y)


def test_missing_labels_are_refused(files):
    X, y = [[-1.0], [1.0]], ["1", "nan"]
    assert files.accepted(of_line(X, y), X, y)
    assert not files.accepted(of_line(X, y), X, [1.0, float("nan")])


def test_booleans_that_are_neither_0_nor_1_are_refused(files):
    X, y = np.array([[1], [2]], np.uint8).view(bool), np.array([0, 1])
    for rows in ([[1], [2]], [[1], [1]]):
        forged = changed(of_line(rows, [0, 1]), fit_intercept=True)
        forged["W"] = [{"0": "0x1.0p+1", "1": "-0x1.8p+1"}]
        assert not files.accepted(forged, X, y)
    y = np.array([0, 1, 2], np.uint8).view(bool)
    assert not files.accepted(of_line([[-1], [1], [1]], [0, 1, 1]), [[-1], [1], [1]], y)
    with pytest.raises(DataError, match="neither true nor false"):
        separability([[0.0], [1.0], [2.0]], y)


def test_negative_zeros_are_zeros(files):
    X, y = np.array([[-0.0, 0.0], [0.0, 1.0], [1.0, -0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    fields = fields_of(separability(np.abs(X), y))
    assert files.accepted(fields, X, y)
    assert files.accepted(fields, sparse.csr_array(X), y)


def xor_as_csr(**parts):
    matrix = sparse.csr_array(np.array([[2.0, 0], [0, 3], [4, 5], [0, 0]]))
    names = ("data", "indices", "indptr")
    made = {name: getattr(matrix, name) for name in names} | {"shape": [4, 2], "format": b"csr"}
    return {**made, **{name: np.array(part) for name, part in parts.items()}}


ODD_CSR = {
    "unsorted": ({"data": [2.0, 3, 5, 4], "indices": [0, 1, 1, 0]}, True),
    "explicit zero": (
        {"data": [2.0, 3, 4, 5, 0], "indices": [0, 1, 0, 1, 0], "indptr": [0, 1, 2, 4, 5]},
        True,
    ),
    "entries beyond the end": ({"data": [2.0, 3, 4, 5, 9], "indices": [0, 1, 0, 1, 1]}, True),
    "wide numbers": ({"indptr": np.array([0, 1, 2, 4, 4], np.int64)}, True),
    "shape as text": ({"shape": ["4", "2"]}, False),
    "floats as columns": ({"indices": [0.0, 1, 0, 1]}, False),
    "twice": ({"data": [2.0, 3, 4, 5], "indices": [0, 1, 0, 0]}, False),
    "twice, and back": ({"indices": [0, 0, 1, 1], "indptr": [0, 2, 1, 3, 4]}, False),
    "a column beyond": ({"indices": [0, 1, 0, 2]}, False),
    "a column before": ({"indices": [0, 1, -2, 1]}, False),
    "too few rows": ({"indptr": [0, 1, 4]}, False),
    "more columns": ({"shape": [4, 3]}, False),
    "column format": ({"format": b"csc"}, False),
}


@pytest.mark.parametrize(("parts", "good"), ODD_CSR.values(), ids=ODD_CSR)
def test_odd_sparse_files(parts, good, files):
    X, y = [[2.0, 0.0], [0.0, 3.0], [4.0, 5.0], [0.0, 0.0]], [0, 0, 1, 1]
    files.write(fields_of(separability(X, y)), np.array(X), np.array(y))
    files.X = files.folder / "X.npz"
    np.savez(files.X, **xor_as_csr(**parts))
    assert files.plain is good


def test_entries_that_stand_twice_are_not_taken_on_scipys_word():
    matrix = sparse.csr_array(np.array([[3.0, 4.0], [1.0, 0.0]]))
    assert matrix.has_canonical_format  # from now on scipy does not look again
    matrix.indices[:] = [0, 0, 0]
    proof, same = separability(matrix, [0, 1]), separability([[7.0, 0.0], [1.0, 0.0]], [0, 1])
    assert proof.fingerprint == same.fingerprint
    assert proof.radius >= 7.0
    with pytest.raises(ProofError, match="radius"):
        replace(same, radius=6.0).verify(matrix, [0, 1])


def npy(header, body, version=1):
    text = header.encode("latin-1")
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + body


BODY = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]).tobytes()
HEADERS = {
    "as numpy writes it": ("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }", True),
    "without the last comma": ("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2)}\n", True),
    "in another order": ("{'shape': (4, 2), 'fortran_order': False, 'descr': '<f8'}", True),
    "a row more": ("{'descr': '<f8', 'fortran_order': False, 'shape': (5, 2), }", False),
    "a row less": ("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", False),
    "negative": ("{'descr': '<f8', 'fortran_order': False, 'shape': (-4, -2), }", False),
    "one dimension": ("{'descr': '<f8', 'fortran_order': False, 'shape': (8,), }", False),
    "three dimensions": ("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2, 1), }", False),
    "objects": ("{'descr': '|O', 'fortran_order': False, 'shape': (4, 2), }", False),
    "another order of bytes": (
        "{'descr': 'Nf8', 'fortran_order': False, 'shape': (4, 2), }",
        False,
    ),
    "complex": ("{'descr': '<c16', 'fortran_order': False, 'shape': (2, 2), }", False),
    "times": ("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (4, 2), }", False),
    "fields": ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (4, 2), }", False),
    "code": ("__import__('os').abort()", False),
    "a call": ("{'descr': '<f8', 'fortran_order': False, 'shape': tuple([4, 2]), }", False),
}


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize(("header", "good"), HEADERS.values(), ids=HEADERS)
def test_odd_headers(header, good, version, files):
    X, y = np.frombuffer(BODY).reshape(4, 2), np.array([0, 1, 1, 0])
    files.write(fields_of(separability(X, y)), X, y)
    files.X.write_bytes(npy(header, BODY, version))
    assert files.plain is good
    files.X.write_bytes(npy(header, BODY, version)[:-1])
    assert not files.plain


def test_an_array_with_an_archive_at_its_end_is_an_array(files):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], np.array([0, 1, 1, 0])
    archive = io.BytesIO()
    np.savez(archive, **xor_as_csr())
    hidden = np.frombuffer(archive.getvalue(), np.uint8)
    other = np.concatenate([np.zeros(-len(hidden) % 4, np.uint8), hidden]).reshape(4, -1)
    assert not files.accepted(fields_of(separability(X, y)), other, y)
    assert files.accepted(fields_of(separability(other, y)), other, y)


def test_archives_that_would_fill_the_memory_are_not_unpacked(files, capsys):
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    files.write(fields_of(separability(X, y)), X, y)
    files.X = files.folder / "X.npz"
    np.savez_compressed(files.X, **xor_as_csr())
    with zipfile.ZipFile(files.X) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(files.X, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(part)
                for _ in range(1025 if name == "data.npy" else 0):
                    member.write(bytes(1 << 20))
    assert files.X.stat().st_size < 1 << 21
    assert not files.plain
    assert "too large when unpacked" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"version": 2', '"version": 2.0'),
        ('"version": 2', '"version": "2"'),
        ('"fit_intercept": true', '"fit_intercept": "false"'),
        ('"fit_intercept": true', '"fit_intercept": 1'),
        ('"classes": ["0", "1"]', '"classes": "01"'),
        ('"classes": ["0", "1"]', '"classes": ["0", "1", "1"]'),
        ('"classes": ["0", "1"]', '"classes": ["0"]'),
        ('"pairs": [[0', '"pairs": [[false'),
        ('"pairs": [[0', '"pairs": [[0.0'),
        ('"pairs": [[0', '"pairs": [[-4'),
        ('"encoding": null', '"encoding": NaN'),
        ('"encoding": null', '"encoding": null, "margin": "0x1.0p+0"'),
        ('"encoding": null', '"encoding": null, "remark": "true"'),
        ('"kind": "overlap"', '"kind": "touching"'),
        ('"kind": "overlap"', '"kind": ["overlap"]'),
    ],
)
def test_fields_of_other_types_are_refused(old, new, files):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    fields = fields_of(separability(X, y))
    text = json.dumps({**fields, "pairs": sorted(fields["pairs"])})
    assert files.accepted(text, X, y)
    assert text.count(old) == 1
    assert not files.accepted(text.replace(old, new), X, y)


@pytest.mark.parametrize(
    "claims",
    [
        {"margin": float("inf")},
        {"margin": float("nan")},
        {"radius": float("nan")},
        {"upper": float("nan"), "hull": Hull((0, 1), (1, 0), (1.0, 1.0))},
        {"upper": 1.0, "hull": Hull((0, 1), (1, 0), (float("inf"), 1.0))},
        {"upper": 1.0, "hull": Hull((0, 1), (1, 0), (float("nan"), 1.0))},
    ],
)
def test_claims_beyond_numbers_are_refused_in_words(claims):
    proof = separability([[-1.0], [1.0]], [0, 1])
    with pytest.raises(ProofError):
        replace(proof, **claims).verify([[-1.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "value",
    [10**400, 10**5000, np.longdouble(1) / 3, np.complex128(1 + 2j)],
    ids=["large", "larger", "longer", "complex"],
)
def test_values_that_would_be_rounded_are_refused(value):
    with pytest.raises(DataError):
        separability(np.array([[value], [0.5]], dtype=object), [0, 1])
