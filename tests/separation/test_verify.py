"""The checker and the proof file: what holds passes, what was changed is refused in words."""

import json
import os
import pickle
import tracemalloc
from copy import copy
from dataclasses import replace
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.errors import ProofError
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof import overlap
from rosenblatt.separation.proof.margins import (
    Hull,
    exact_slacks,
    hull_length,
    signs,
    slacks,
    whole_weights,
)
from rosenblatt.separation.proof.overlap import overlap_of
from rosenblatt.separation.proof.reader import load_proof, parse_proof, undecimal
from rosenblatt.separation.proof.table import Entries, integers
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.proof.verify import verify
from rosenblatt.separation.proof.writer import as_fields

X = [[0, 0], [0, 1], [1, 0], [1, 1], [3, 1]]
XOR = [0, 1, 1, 0, 0]
AND = [0, 0, 0, 1, 1]
THREE = [0, 1, 2, 0, 1]


@pytest.fixture(params=["xor", "and", "best", "three", "wide"])
def case(request):
    if request.param == "wide":
        rows = [[1e300, 1e-300], [-1e300, 2e-300], [1e300, -3e-300], [5.0, 1e-320]]
        return separability(rows, [0, 1, 0, 1]), rows, [0, 1, 0, 1]
    y = {"xor": XOR, "three": THREE}.get(request.param, AND)
    return separability(X, y, maximise=request.param == "best"), X, y


def test_a_saved_proof_comes_back_and_holds(case, tmp_path):
    proof, rows, y = case
    proof.save(tmp_path / "p.json")
    again = load_proof(tmp_path / "p.json")
    assert as_fields(again) == as_fields(proof)
    assert again.verify(rows, y)
    assert verify(again, np.array(rows), np.array(y))
    assert [path.name for path in tmp_path.iterdir()] == ["p.json"]


def test_other_data_are_refused(case):
    proof, rows, y = case
    with pytest.raises(ProofError, match="fingerprints disagree"):
        proof.verify(rows[::-1], y[::-1])
    with pytest.raises(ProofError, match="rows of"):
        proof.verify([*rows, rows[0]], [*y, y[0]])
    with pytest.raises(ProofError, match="about the classes"):
        proof.verify(rows, ["cat" if label == 0 else "dog" for label in y])


def test_labels_as_text_are_the_same_classes():
    proof = separability(X, XOR)
    assert proof.verify(X, [str(label) for label in XOR])
    assert proof.verify(X, [float(label) for label in XOR])
    ten = [[i, i * i] for i in range(11)]
    proof = separability(ten, list(range(11)))
    assert proof.verify(ten, [str(i) for i in range(11)])  # "10" sorts before "2"


def bad_inseparable():
    w = Fraction(1, 4)
    return [
        ({"rows": (0, 1, 2), "rivals": (1, 0, 0), "weights": (w,) * 3}, "not 0 in"),
        ({"rows": (), "rivals": (), "weights": ()}, "at least one"),
        ({"rows": (0, 0, 1, 2), "rivals": (1, 1, 0, 0), "weights": (w,) * 4}, "listed twice"),
        ({"weights": (w, w, w, -w)}, "must be positive"),
        ({"weights": (w, w, w, Fraction(0))}, "must be positive"),
        ({"weights": (w, w, w, w + Fraction(1, 10**40))}, "not 0 in"),
        ({"weights": (0.25,) * 4}, "must be fractions"),
        ({"rows": (0, 1, 2, 9)}, "outside the data's rows 0 to 4"),
        ({"rows": (0, 1, 2, -1)}, "outside"),
        ({"rivals": (1, 0, 0, 7)}, "not one of the classes"),
        ({"rivals": (0, 0, 0, 1)}, "its own class"),
        ({"kind": "touching", "touching": np.array([[1.0, 1.0, -1.0]])}, "wrong side"),
        ({"kind": "touching", "touching": np.zeros((1, 3))}, "prove nothing"),
        ({"kind": "touching"}, "Touching weights are required"),
        ({"touching": np.zeros((1, 3))}, "Touching weights are required"),
        ({"kind": "unknown"}, "kind overlap only"),
    ]


@pytest.mark.parametrize(("change", "message"), bad_inseparable())
def test_tampered_certificates_are_refused(change, message):
    by_hand = {"rows": (0, 1, 2, 3), "rivals": (1, 0, 0, 1), "weights": (Fraction(1, 4),) * 4}
    proof = replace(separability(X, XOR), **by_hand)
    assert verify(proof, X, XOR)
    with pytest.raises(ProofError, match=message):
        verify(replace(proof, **change), X, XOR)


def bad_separable():
    return [
        ({"W": np.array([[1.0, 1.0, -1.0]])}, "exactly on the boundary"),
        ({"W": np.array([[-1.0, -1.0, 1.5]])}, "wrong side"),
        ({"W": np.array([[1.0, 1.0]])}, "must have shape"),
        ({"W": np.array([[np.nan, 1.0, 1.0]])}, "finite"),
        ({"margin": 1.0}, "smaller than the 1 claimed"),
        ({"margin": float("nan")}, "smaller"),
        ({"radius": 1.0}, "larger than the 1 claimed"),
        ({"upper": 0.01}, "do not show"),
        ({"hull": None}, "needs its hull"),
    ]


@pytest.mark.parametrize(("change", "message"), bad_separable())
def test_tampered_separators_are_refused(change, message):
    proof = separability(X, AND, maximise=True)
    with pytest.raises(ProofError, match=message):
        verify(replace(proof, **change), X, AND)


@pytest.mark.parametrize("wrong", [None, "proof.json"])
def test_what_is_no_proof_is_told_so(wrong):
    with pytest.raises(ProofError, match="load_proof"):
        verify(wrong, [[0.0], [1.0]], [0, 1])


def test_an_undecided_run_proves_nothing():
    random = np.random.default_rng(0)
    rows, y = random.standard_normal((2000, 50)), random.integers(0, 2, 2000)
    with pytest.raises(ProofError, match="proves nothing"):
        separability(rows, y, time_limit=1e-9).verify(rows, y)


TOUCHING = {"kind": "touching", "overlap": None, "tied": 1}


def broken_fields():
    return [
        ({"format": "other"}, "not a proof file"),
        ({"version": 3}, "version 3"),
        ({"version": True}, "version true"),
        ({"answer": "maybe"}, "answer"),
        ({"answer": ["separable"]}, "answer"),
        ({"extra": 1}, "unknown field"),
        ({"pairs": None}, "expected a list"),
        ({"pairs": [0]}, "expected a list"),
        ({"pairs": [[0, 1]]}, "a row, a rival and a weight"),
        ({"pairs": [[1.5, 0, "0x1"]]}, "whole number"),
        ({"pairs": [[True, 0, "0x1"]]}, "whole number"),
        ({"pairs": [[0, 10**30, "0x1"]]}, "whole number"),
        ({"pairs": [[-1, 0, "0x1"]]}, "whole number"),
        ({"pairs": [[0, 0, "0x1/0x0"]]}, "denominator 0"),
        ({"pairs": [[0, 0, "1e999999999"]]}, "0x1f"),
        ({"pairs": [[0, 0, "__import__('os')"]]}, "0x1f"),
        ({"pairs": [[0, 0, 0.25]]}, "0x1f"),
        ({"pairs": [[0, 0, "0x" + "f" * 3_000_000]]}, "0x1f"),
        ({"pairs": [[0, 0, "-0x1"]]}, "positive weights"),
        ({"classes": ["a", "a"]}, "different class names"),
        ({"classes": "ab"}, "expected a list"),
        ({"n_rows": "5"}, "whole number"),
        ({"fit_intercept": 1}, "true or false"),
        ({"fingerprint": "f00"}, "64 hexadecimal"),
        ({"kind": "none"}, "overlap, touching or unknown"),
        ({"kind": []}, "overlap, touching or unknown"),
        ({"kind": "touching"}, '"touching" must be given'),
        ({"kind": "unknown"}, '"overlap" must be given'),
        ({"overlap": None}, '"overlap" must be given'),
        ({"tied": 1}, '"tied" must be given'),
        ({"touching": [[]]}, "expected an object"),
        ({"touching": [{"1.0": "0x1"}]}, "number of a column"),
        ({"touching": [{"9" * 30: "0x1"}]}, "number of a column"),
        ({"touching": [{"0": "inf"}]}, "0x1f"),
        ({"touching": [{"0": "0x1p+0"}]}, "0x1.8p"),
        ({"touching": [{"0": "0x1.8p+9999"}]}, "too large for a float"),
        ({"touching": [{"0": "0x1/0x0"}]}, "denominator 0"),
        ({**TOUCHING, "touching": [{"3": "0x1"}]}, "column 3; the last is 2"),
        ({"overlap": {"pairs": []}}, "pairs and null"),
        ({"overlap": {"pairs": [], "null": [{"3": "0x1"}]}}, "column 3; the last is 2"),
    ]


@pytest.mark.parametrize(("change", "message"), broken_fields())
def test_malformed_files_are_refused_in_words(change, message):
    fields = json.loads(json.dumps(as_fields(separability(X, XOR))))
    with pytest.raises(ProofError, match=message):
        parse_proof({**fields, **change})


def test_a_missing_field_is_named():
    fields = as_fields(separability(X, AND, maximise=True))
    del fields["margin"]
    with pytest.raises(ProofError, match='lacks the field "margin"'):
        parse_proof(fields)
    with pytest.raises(ProofError, match="hull"):
        parse_proof({**fields, "margin": "0x1.0p+0", "hull": []})


@pytest.mark.parametrize("answer", ["separable", "touching", "overlap"])
def test_a_short_file_takes_little_memory_whatever_it_announces(answer, tmp_path):
    wide = sparse.csr_array(([1.0, -1.0], ([0, 1], [0, 0])), shape=(2, 1 << 12))
    fields = as_fields(separability(wide, [1, 0], fit_intercept=False))
    if answer != "separable":
        for name in ("W", "margin", "radius", "upper", "hull"):
            del fields[name]
        fields |= {"answer": "inseparable", "pairs": [[0, 0, "0x1"]], "kind": answer, "tied": None}
        fields |= {"touching": None, "overlap": None}
    weights = [{"0": "0x1/0x3"}]
    evidence = {"separable": ("W", weights), "touching": ("touching", weights)}
    evidence["overlap"] = ("overlap", {"pairs": [], "null": weights})
    name, value = evidence[answer]
    fields |= {name: value, "n_features": 1 << 27}
    fields |= {"tied": 0} if answer == "touching" else {}
    (tmp_path / "p.json").write_text(json.dumps(fields))
    tracemalloc.start()
    with pytest.raises(ProofError, match=r"134217728 features|too large"):
        load_proof(tmp_path / "p.json").verify(wide, [1, 0])
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()


def test_weights_of_a_file_are_the_arrays_that_were_saved(tmp_path):
    for rows, y in ((X, AND), (X, XOR), ([[0], [0], [1]], [1, 0, 0])):
        proof = separability(rows, y)
        proof.save(tmp_path / "p.json")
        again = load_proof(tmp_path / "p.json")
        for name in {"W", "touching"} & set(vars(proof)):
            assert np.array_equal(getattr(again, name), getattr(proof, name))
        assert replace(again, encoding={}).verify(rows, y)
        assert copy(again).verify(rows, y)
        assert pickle.loads(pickle.dumps(again)).verify(rows, y)


NO_PROOFS = ["", "{", "[" * 100_000, '{"a": NaN}', "\ufeff{}", '{"n": ' + "9" * 5000 + "}", "7"]


@pytest.mark.parametrize("text", [*NO_PROOFS, '{"format": 1, "format": 1}'])
def test_what_is_not_a_proof_is_refused(text, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProofError):
        load_proof(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProofError, match="a proof is JSON"):
        load_proof(path)
    with pytest.raises(ProofError, match="cannot be read"):
        load_proof(tmp_path / "none.json")


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "p.json"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        separability(X, XOR).save(path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@given(st.integers(0, 2**40_000))
def test_long_integers_survive_text(number):
    digits = Decimal(number)
    with localcontext(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN):
        assert undecimal(str(digits)) == number


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.integers(-3, 3).map(float),
)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=6), st.data())
def test_signs_are_those_of_fractions(rows, data):
    y = [i % 2 for i in range(len(rows))]
    W = np.array([data.draw(st.tuples(NUMBERS, NUMBERS, NUMBERS))])
    exact = [
        (1 if label else -1)
        * sum(Fraction(a) * Fraction(b) for a, b in zip((*row, 1.0), W[0], strict=True))
        for row, label in zip(rows, y, strict=True)
    ]
    for storage in (np.array, lambda rows: sparse.csr_array(np.array(rows))):
        table = read_table(storage(rows), y)
        assert signs(table, W).tolist() == [(v > 0) - (v < 0) for v in exact]
        assert exact_slacks(table, W, np.arange(len(rows))) == exact
        low, high = slacks(table, W)
        for v, a, b in zip(exact, low, high, strict=True):
            assert not (np.isfinite(a) and Fraction(a) > v)
            assert not (np.isfinite(b) and Fraction(b) < v)


@given(st.lists(NUMBERS.filter(bool), min_size=1, max_size=8))
def test_floats_become_integers_exactly(values):
    column = np.arange(len(values)) % 2
    whole, exponent = integers(Entries(column, column, np.array(values)), 2)
    for m, j, v in zip(whole.tolist(), column, values, strict=True):
        assert m * Fraction(2) ** int(exponent[j]) == Fraction(v)


def test_the_fingerprint_knows_values_not_storage():
    random = np.random.default_rng(3)
    rows = random.integers(0, 2, (3000, 1500)) * random.integers(0, 2, (3000, 1500))
    y = random.integers(0, 2, 3000)
    prints = {
        read_table(form, y).fingerprint
        for form in (rows, rows.astype(np.float32), sparse.csr_array(rows), sparse.coo_array(rows))
    }
    assert len(prints) == 1
    rows[2999, 7] += 1
    assert read_table(rows, y).fingerprint not in prints
    big, other = [[2**60], [1]], [[2**60 + 1], [1]]
    assert read_table(big, [0, 1]).fingerprint != read_table(other, [0, 1]).fingerprint


def test_weights_next_to_an_integer_are_not_that_integer():
    table = read_table([[1, 1], [1, -1]], [1, 0])
    W = np.array([[Fraction(1), Fraction(-1) + Fraction(1, 2**80), Fraction(0)]], dtype=object)
    assert signs(table, W).tolist() == [1, -1]


def test_an_upper_bound_does_not_vanish_by_underflow():
    tiny = [[1e-200, 0.0], [-1e-200, 1e-201]]
    proof = separability(tiny, [0, 1], fit_intercept=False, maximise=True)
    assert 0 < proof.margin <= proof.upper <= proof.margin * 1.001
    assert proof.verify(tiny, [0, 1])


def test_numbers_beyond_floats_have_a_proof_file_too(tmp_path):
    rows = [[10**400, 0], [-(10**400), 0], [10**400 + 1, 5]]
    proof = separability(rows, [0, 1, 0], maximise=True)
    assert proof.mistake_bound is None
    proof.save(tmp_path / "p.json")
    assert load_proof(tmp_path / "p.json").verify(rows, [0, 1, 0])


VERSION_1 = Path(__file__).with_name("vectors") / "version1"


@pytest.mark.parametrize("name", ["xor", "and", "three", "mixed", "touching", "ulp"])
def test_files_of_version_1_are_still_verified(name, tmp_path):
    rows, y = np.load(VERSION_1 / f"{name}.X.npy"), np.load(VERSION_1 / f"{name}.y.npy")
    proof = load_proof(VERSION_1 / f"{name}.json")
    assert proof.verify(rows, y)
    assert proof.answer == separability(rows, y).answer
    assert getattr(proof, "kind", "") != "overlap"  # of which version 1 has no evidence
    with pytest.raises(ProofError, match="fingerprints disagree"):
        proof.verify(rows[::-1], y[::-1])
    with pytest.raises(ProofError, match="version 1"):
        proof.save(tmp_path / "p.json")


def stamps(step):
    return (1_700_000_000_000_000_000 + step * np.arange(600)).reshape(-1, 1)


@pytest.mark.parametrize(
    "rows",
    [np.r_[np.full((129, 1), 0.3), np.full((129, 1), 0.1 + 0.2)], stamps(10), stamps(1000) / 1.0],
)
def test_many_rows_of_nearly_one_slack_have_a_margin(rows, tmp_path):
    # once: the margin of over 256 such rows was a float bound that could be negative
    y = np.arange(len(rows)) >= len(rows) // 2
    proof = separability(rows, y)
    assert proof.answer == "separable"
    assert proof.margin > 0
    proof.save(tmp_path / "p.json")
    assert load_proof(tmp_path / "p.json").verify(rows, y)


@pytest.mark.parametrize("rows", [[[5e-324], [0.0]], [[1.0, 5e-324], [1.0, 0.0]]])
def test_a_margin_below_all_floats_is_told_as_such(rows, tmp_path):
    # once: a margin of -5e-324, which no file could hold, and "at most None mistakes"
    proof = separability(rows, [1, 0])
    assert proof.margin == 0
    assert proof.mistake_bound is None
    assert "None" not in str(proof)
    assert "The margin γ is positive" in str(proof)
    proof.save(tmp_path / "p.json")
    assert load_proof(tmp_path / "p.json").verify(rows, [1, 0])
    with pytest.raises(ProofError, match="smaller than"):
        replace(proof, margin=5e-324).verify(rows, [1, 0])


def test_margin_and_radius_are_claims_without_tolerance():
    rows, y = [[3.0, 4.0], [-3.0, -4.0]], [1, 0]
    proof = replace(separability(rows, y, fit_intercept=False), W=np.array([[3.0, 4.0]]))
    exact = replace(proof, margin=5.0, radius=5.0)
    assert exact.verify(rows, y)
    assert exact.mistake_bound == 1
    with pytest.raises(ProofError, match="margin"):
        replace(exact, margin=np.nextafter(5.0, 6.0)).verify(rows, y)
    with pytest.raises(ProofError, match="radius"):
        replace(exact, radius=np.nextafter(5.0, 4.0)).verify(rows, y)
    hull = Hull((0, 1), (0, 1), (0.5, 0.5))
    assert replace(exact, hull=hull, upper=5.0).verify(rows, y)
    with pytest.raises(ProofError, match="do not show"):
        replace(exact, hull=hull, upper=np.nextafter(5.0, 4.0)).verify(rows, y)


def test_the_intercept_counts_in_an_upper_bound_of_large_values():
    # once: the constant 1 beside values of 2^53 became a half-precision 0
    rows, y = [[-3], [2**53 + 1], [2**53 - 1], [3]], [0, 1, 2, 0]
    hull = Hull((3, 1), (1, 0), (1.0, 2.0**-52))
    length = hull_length(read_table(rows, y), hull, fit_intercept=True)
    a, b = 3 - Fraction(2**53 + 1, 2**52), 1 - Fraction(1, 2**52)
    assert Fraction(length) ** 2 >= 2 * (a**2 + b**2) / (1 + Fraction(1, 2**52)) ** 2


def test_tied_rows_are_counted_and_checked():
    rows, y = [[0, 0], [0, 0], [1, 0], [-1, 3]], ["a", "b", "b", "a"]
    proof = separability(rows, y)
    assert 2 <= proof.tied < 4
    assert f"but {proof.tied} of 4 rows lie exactly on the boundary" in str(proof)
    with pytest.raises(ProofError, match="not the 4 claimed"):
        replace(proof, tied=4).verify(rows, y)


CONSTANT = [[5, 5, 1], [5, 5, 2], [5, 5, 3], [5, 5, 4]]


def test_overlap_takes_pairs_that_span_and_null_vectors():
    y = [0, 1, 0, 1]
    proof = replace(separability(CONSTANT, y), rows=(0, 1, 2), rivals=(1, 0, 1))
    proof = replace(proof, weights=(Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)))
    null = np.array([[1.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, -5.0]])
    table = read_table(CONSTANT, y)
    pairs = proof.rows, proof.rivals
    assert overlap_of(table, pairs, fit_intercept=True) is None
    assert overlap_of(table, pairs, fit_intercept=True, null=null[[0, 0]]) is None
    shown = replace(
        proof, kind="overlap", overlap=overlap_of(table, pairs, fit_intercept=True, null=null)
    )
    assert shown.verify(CONSTANT, y)
    again = parse_proof(json.loads(json.dumps(as_fields(shown))))
    assert again.kind == "overlap"
    assert again.verify(CONSTANT, y)
    wrong = shown.overlap._replace(null=null + np.array([[0.0], [1e-9]]))
    with pytest.raises(ProofError, match="not orthogonal"):
        replace(shown, overlap=wrong).verify(CONSTANT, y)
    with pytest.raises(ProofError, match="do not span"):
        replace(shown, overlap=shown.overlap._replace(null=null[:1])).verify(CONSTANT, y)


@given(st.integers(1, 9), st.integers(1, 150), st.data())
def test_rank_modulo_a_prime(r, n, data):
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    matrix = random.integers(-9, 9, (n, r)) @ random.integers(-9, 9, (r, 12))
    assert overlap._rank(matrix.astype(object), overlap.PRIMES[0]) == np.linalg.matrix_rank(matrix)


def test_zeros_of_weights_are_not_written(tmp_path):
    X = sparse.csr_array(([1.0, -1.0], ([0, 1], [7, 7])), shape=(2, 5000))
    proof = separability(X, [0, 1])
    proof.save(tmp_path / "p.json")
    assert (tmp_path / "p.json").stat().st_size < 1000
    assert load_proof(tmp_path / "p.json").verify(X, [0, 1])


def test_long_integers_are_hashed_with_their_place():
    first, second = [[2**53 + 1, 0], [0, 2**53 + 3]], [[2**53 + 3, 0], [0, 2**53 + 1]]
    swapped = [[2**53 + 1, 2**53 + 3]], [[2**53 + 3, 2**53 + 1]]
    assert read_table(first, [0, 1]).fingerprint != read_table(second, [0, 1]).fingerprint
    near = {read_table([[2**53 + k], [0]], [0, 1]).fingerprint for k in range(3)}
    assert len(near) == 3  # the first is the nearest float of the second
    for rows in (*swapped, [[2**64 - 1, 5]], [[10**400, 5]]):
        prints = {read_table([*other, [0, 0]], [0, 1]).fingerprint for other in (rows, *swapped)}
        assert len(prints) >= 2


def test_a_certificate_of_another_classes_order():
    rows, y = [[1], [2], [3], [10]], ["10", "9", "10", "9"]
    proof = separability(rows, y)
    assert proof.verify(rows, [int(label) for label in y])


@pytest.mark.parametrize("kind", [float, Fraction])
def test_weights_become_integers_exactly(kind):
    W = np.array([[0.1, 0.0, -5e-324, 1e308], [3.0, -0.0, 2.0**-1022, 0.5]])
    W = W if kind is float else np.array([[Fraction(w) / 3 for w in row] for row in W.tolist()])
    whole, unit = whole_weights(W, np.array([0, 5, -2000, 2000]))
    powers = [Fraction(2) ** power for power in (0, 5, -2000, 2000)]
    for row, ints in zip(W.tolist(), whole.tolist(), strict=True):
        assert [v * unit for v in ints] == [
            Fraction(w) * p for w, p in zip(row, powers, strict=True)
        ]
    assert whole_weights(np.zeros((1, 2)), np.zeros(2, int))[1] == 1


@pytest.mark.parametrize(
    "W",
    [
        np.array([[2**53 + 1, -(2**53)]]),
        np.array([[1.0, np.nan]]),
        np.array([[1.0, 0.0]], np.float32),
        np.array([[1.0, np.nan]], dtype=object),
    ],
)
def test_weights_of_another_type_are_refused(W):
    proof = replace(separability([[0.0], [1.0]], [0, 1]), W=W)
    with pytest.raises(ProofError, match="float64"):
        proof.verify([[0.0], [1.0]], [0, 1])
