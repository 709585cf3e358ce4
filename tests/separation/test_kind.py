"""Overlap or touching: decided quickly, with evidence that holds in exact arithmetic."""

from fractions import Fraction
from time import monotonic, thread_time

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proof_referee import vectors
from scipy import sparse
from sklearn.datasets import load_iris

from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.margins import signs
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.search import kind
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.kind import kind_of
from rosenblatt.separation.search.working_set import decide


def found_kind(X, y, *, fit_intercept=True):
    space = Space(read_table(X, y), fit_intercept)
    found = decide(space, np.zeros((space.n_vectors, space.width)), Deadline())
    assert found.pairs is not None
    return kind_of(space, found, Deadline())


def test_the_time_for_the_kind_is_that_of_the_processor_unless_a_user_limits_it():
    assert kind._budget(Deadline()).clock is thread_time
    assert kind._budget(Deadline(9.0)).clock is monotonic
    assert kind._budget(Deadline(0.5)).limit <= 0.5


def assert_overlap(overlap, X, y, *, fit_intercept):
    """The definition, in fractions: positive weights that sum to 0 on pairs that span all pairs."""
    table = vectors(X, y, fit_intercept)
    chosen = [table[pair] for pair in overlap.pairs.listed()]
    assert min(overlap.weights) > 0
    assert len(set(overlap.pairs.listed())) == len(chosen)
    assert all(
        sum(w * v[j] for w, v in zip(overlap.weights, chosen, strict=True)) == 0
        for j in range(len(chosen[0]))
    )
    assert rank(chosen) == rank(list(table.values()))
    K, width = len(set(y)), len(X[0]) + fit_intercept
    assert rank(chosen) == (K - 1) * (width - len(overlap.null))
    rows = [[Fraction(v) for v in x] + [Fraction(1)] * fit_intercept for x in X]
    for v in overlap.null.tolist():
        assert any(v)
        assert all(sum(a * Fraction(b) for a, b in zip(row, v, strict=True)) == 0 for row in rows)


def rank(rows):
    entries = [flint.fmpq(v.numerator, v.denominator) for row in rows for v in row]
    return flint.fmpq_mat(len(rows), len(rows[0]), entries).rank()


def mixed_signs(n, d, K=2):
    """Entries −1, 0 and 1, a row that both of two classes have, and others on one line with it."""
    rng = np.random.default_rng(n)
    X, y = rng.integers(-1, 2, (n, d)), rng.integers(0, K, n)
    X[1], X[3], X[4] = X[0], -X[2], 2 * X[2]
    y[:2], y[4] = [0, 1], 1 - y[2] % 2
    return X, y


@pytest.mark.parametrize("shape", [(48, 24), (80, 40), (160, 80)])
@pytest.mark.parametrize("K", [2, 3])
def test_the_kind_of_small_entries_is_always_told(shape, K):
    # once: 10 s for 48 × 24, unknown for 80 × 40
    X, y = mixed_signs(*shape, K)
    proof = separability(X, y)
    assert proof.kind != "unknown"
    assert proof.verify(X, y)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("road", ["linear program", "reduction"])
def test_overlap_has_evidence(K, fit_intercept, road, monkeypatch):
    if road == "reduction":
        monkeypatch.setattr(kind, "MAX_LP_ENTRIES", 0)
    X, y = mixed_signs(40, 5, K)
    X[:, 1] = 0  # a column of zeros and one that repeats: weights that no row feels
    X[:, 3] = X[:, 2]
    found = found_kind(X, y, fit_intercept=fit_intercept)
    assert found.kind == "overlap"
    assert_overlap(found.overlap, X.tolist(), y.tolist(), fit_intercept=fit_intercept)


@st.composite
def inseparable_problems(draw):
    n, d, K = draw(st.integers(4, 12)), draw(st.integers(1, 3)), draw(st.integers(2, 3))
    cells = st.lists(st.integers(-2, 2), min_size=d, max_size=d)
    X = draw(st.lists(cells, min_size=n, max_size=n))
    y = [i % K for i in range(n)]
    X[K] = X[0][:]
    y[K] = 1  # the row of class 0 once more
    return X, y, draw(st.booleans())


@given(inseparable_problems(), st.sampled_from(["linear program", "reduction"]))
def test_evidence_holds_on_every_road(problem, road):
    X, y, fit_intercept = problem
    with pytest.MonkeyPatch.context() as patch:
        if road == "reduction":
            patch.setattr(kind, "MAX_LP_ENTRIES", 0)
        found = found_kind(X, y, fit_intercept=fit_intercept)
    assert found.kind != "unknown"
    if found.kind == "overlap":
        assert_overlap(found.overlap, X, y, fit_intercept=fit_intercept)
    else:
        assert kind.touches(Space(read_table(X, y), fit_intercept), found.touching)


def test_touching_weights_leave_as_few_rows_on_the_boundary_as_any():
    X, y = load_iris(return_X_y=True)
    proof = separability(X, y)
    assert proof.kind == "touching"
    assert np.count_nonzero(signs(read_table(X, y), proof.touching)) == 50  # setosa, clear of all


def test_few_pairs_are_evidence_for_many_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (500, 4)), rng.integers(0, 2, 500)
    X[:2], y[:2] = 1, [0, 1]  # a certificate of two rows, which do not span the space
    space = Space(read_table(X, y), fit_intercept=True)
    found = decide(
        Space(read_table(X[:2], y[:2]), fit_intercept=True), np.zeros((1, 5)), Deadline()
    )
    overlap = kind_of(space, found, Deadline()).overlap
    assert len(overlap.weights) <= 10
    assert_overlap(overlap, X.tolist(), y.tolist(), fit_intercept=True)


def test_without_time_the_kind_stays_unknown_and_the_verdict_stands(monkeypatch):
    monkeypatch.setattr(kind, "MIN_KIND_SECONDS", 0.0)
    X, y = mixed_signs(80, 40)
    space = Space(read_table(X, y), fit_intercept=True)
    found = decide(space, np.zeros((1, 41)), Deadline())
    assert kind_of(space, found, Deadline(limit=1e-9)).kind == "unknown"


def huge(X):
    return [[v << 70 for v in row] for row in X]


@pytest.mark.parametrize("store", [np.array, sparse.csr_array, huge])
@pytest.mark.parametrize("K", [2, 3])
def test_repeated_rows_change_neither_kind_nor_evidence(store, K):
    X, y = (side.tolist() for side in mixed_signs(40, 3, K))
    once, proof = separability(store(X), y), separability(store(X * 30), y * 30)
    assert proof.kind == once.kind == "overlap"
    assert max(proof.overlap.rows, default=0) < len(y)  # of equal rows the first is listed
    assert proof.verify(store(X * 30), y * 30)


def test_numbers_next_to_a_power_of_two_do_not_hide_a_rank():
    # once: the rank was taken modulo 2⁶¹ − 1, so that all these numbers were 0 there
    X = [[2**61 - 1], [0], [2**61 - 1], [-(2**61 - 1)], [2**62 - 2]]
    assert separability(X, [0, 0, 1, 0, 0], fit_intercept=False).kind == "overlap"
