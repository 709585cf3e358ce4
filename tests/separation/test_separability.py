"""The verdict: exactly one of two certificates, on data of every awkward kind."""

import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proof_referee import linear_program, separates, sum_is_zero
from scipy import sparse
from sklearn.datasets import load_iris, load_svmlight_file

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.separation.decide import separability
from rosenblatt.separation.label_noise import label_noise_bounds
from rosenblatt.separation.proof import cover_count
from rosenblatt.separation.proof.margins import Hull
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.proof.verdict import Inseparable, Separable, Undecided
from rosenblatt.separation.search import (
    exact,
    min_norm_point,
    perceptron,
    presolve,
    working_set,
)
from rosenblatt.separation.search.kesler import Space

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]
DATA = os.environ.get("ROSENBLATT_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="ROSENBLATT_DATA is not set")


def most_pairs(proof):
    width = proof.n_features + proof.fit_intercept
    return (len(proof.classes) - 1) * width + 1


def confirm(proof, X, y):
    """The checker and the referee agree with the verdict."""
    assert proof.verify(X, y)
    if proof.answer == "separable":
        assert separates(proof, X, y)
    else:
        assert sum_is_zero(proof, X, y)
        assert min(proof.weights) > 0
        assert sum(proof.weights) == 1
        assert list(proof.weights) == sorted(proof.weights, reverse=True)
        assert len(proof.rows) <= most_pairs(proof)
        assert proof.kind != "unknown"
        assert (proof.touching is not None) == (proof.kind == "touching")


@st.composite
def small_problems(draw, top=4, classes=3):
    """Few points on a small grid: repeated, collinear and boundary points are common there."""
    n, d = draw(st.integers(2, 10)), draw(st.integers(1, 3))
    K = draw(st.integers(2, classes))
    grid = st.integers(-top, top)
    X = draw(st.lists(st.lists(grid, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(
        st.lists(st.integers(0, K - 1), min_size=n, max_size=n).filter(lambda y: len({*y}) > 1)
    )
    return X, y, draw(st.booleans())


@pytest.fixture(params=["as it comes", "all rows at once", "two rows a round"], scope="class")
def rounds(request):
    """Let small problems also take the road of large ones: proposal, two classes, many rounds."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "as it comes":
            patch.setattr(perceptron, "MAX_PAIRS", 0)
        if request.param == "two rows a round":
            for module in (working_set, perceptron, presolve):
                patch.setattr(module, "MAX_NEW_PAIRS", 2)
            patch.setattr("rosenblatt.separation.decide.MAX_NEW_PAIRS", 2)
            patch.setattr(presolve, "MIN_FEATURES", 0)
            patch.setattr(working_set, "MAX_BATCHES", 2)
            patch.setattr(min_norm_point, "BATCH_SIZE", 2)
        yield


@pytest.mark.usefixtures("rounds")
@settings(max_examples=300)
@given(small_problems(top=1) | small_problems())
def test_exactly_one_certificate_exists(problem):
    X, y, fit_intercept = problem
    proof = separability(X, y, fit_intercept=fit_intercept)
    confirm(proof, X, y)
    separable, touching = linear_program(X, y, fit_intercept)
    assert separable == (proof.answer == "separable")
    if not separable:
        assert touching == (proof.kind == "touching")


@pytest.mark.usefixtures("rounds")
@given(small_problems(top=9), st.integers(-300, 300), st.lists(st.integers(-300, 299), min_size=3))
def test_scales_do_not_change_the_verdict(problem, row_power, column_powers):
    X, y, _ = problem
    plain = separability(X, y, fit_intercept=False)
    columns = [2.0**p for p in column_powers[: len(X[0])]]
    scaled = np.array(X) * np.array(columns)
    scaled[0] *= 2.0**row_power
    proof = separability(scaled, y, fit_intercept=False)
    confirm(proof, scaled.tolist(), y)
    assert proof.answer == plain.answer


@given(
    st.lists(
        st.tuples(st.floats(-1e300, 1e300), st.floats(-1e-290, 1e-290)), min_size=3, max_size=6
    )
)
def test_floats_of_any_size(rows):
    y = [i % 2 for i in range(len(rows))]
    confirm(separability(rows, y), rows, y)


@pytest.mark.parametrize("top", [2.0**40, 2.0**60, 1.7e308])
def test_large_floats_are_integers_too(top):
    for X, y in (([[top], [-top], [0.0]], [1, 0, 0]), ([[top], [-top], [top]], [1, 1, 0])):
        confirm(separability(X, y), X, y)


def test_one_sided_features_of_any_size():
    # once: the weights of removed rows overflowed and were then read as fractions
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1200, 4)) * 10.0 ** rng.integers(-200, 200, (1200, 4))
    X = np.abs(X) * (rng.random((1200, 4)) < 0.3)
    y = (X[:, 0] > 0) & (X[:, 1] == 0)
    proof = separability(X, y)
    assert proof.answer == "separable"
    assert proof.verify(X, y)


@given(small_problems(classes=2))
def test_dense_sparse_and_types_agree(problem):
    X, y, fit_intercept = problem
    first = separability(X, y, fit_intercept=fit_intercept)
    for other in (np.array(X, dtype=np.float32), sparse.csr_array(np.array(X)), np.array(X, "i1")):
        proof = separability(other, y, fit_intercept=fit_intercept)
        assert (proof.answer, proof.fingerprint) == (first.answer, first.fingerprint)
        assert first.verify(other, y)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_many_rows_of_nothing(fit_intercept):
    X, y = sparse.csr_array((2000, 3)), np.arange(2000) % 2
    proof = separability(X, y, fit_intercept=fit_intercept)
    assert proof.answer == "inseparable"
    assert proof.verify(X, y)


def test_xor_takes_all_four_rows():
    proof = separability(SQUARE, [0, 1, 1, 0])
    assert isinstance(proof, Inseparable)
    assert set(proof.rows) == {0, 1, 2, 3}
    assert [str(w) for w in proof.weights] == ["1/4"] * 4
    assert proof.kind == "overlap"


@pytest.mark.parametrize("y", [[0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0]])
def test_and_or_nand_are_separable(y):
    proof = separability(SQUARE, y, maximise=True)
    assert isinstance(proof, Separable)
    assert ((np.array(SQUARE) @ proof.coef + proof.intercept > 0) == y).all()
    low, high = proof.margin_bounds
    assert low <= high <= low * (1 + 1e-6)
    assert proof.chance == pytest.approx(14 / 16)


def test_iris_versicolor_and_virginica_by_six_flowers():
    X, y = load_iris(return_X_y=True)
    proof = separability(X[50:], y[50:])
    assert len(proof.rows) == 6
    confirm(proof, X[50:].tolist(), y[50:].tolist())


def test_iris_three_classes():
    X, y = load_iris(return_X_y=True)
    proof = separability(X, y)
    assert proof.answer == "inseparable"
    assert 0 not in set(y[list(proof.rows)])  # setosa takes no part in the contradiction
    confirm(proof, X.tolist(), y.tolist())
    two = separability(X, np.where(y == 0, "setosa", "other"), maximise=True)
    assert two.classes == ("other", "setosa")
    assert two.mistake_bound == int((two.radius / two.margin) ** 2)


def test_both_conventions_give_one_number():
    proof = separability(SQUARE, [0, 0, 0, 1])
    (gamma, first), (double, second) = proof.bounds.values()
    assert double == 2 * gamma
    assert first == second == proof.mistake_bound


def test_perceptron_keeps_the_bound():
    X, y = load_iris(return_X_y=True)
    Z, s = np.c_[X[:100], np.ones(100)], np.where(y[:100] == 1, 1, -1)
    proof = separability(X[:100], y[:100], maximise=True)
    w, mistakes = np.zeros(5), 0
    while (s * (Z @ w) <= 0).any():
        for z, t in zip(Z, s, strict=True):
            if t * (z @ w) <= 0:
                w, mistakes = w + t * z, mistakes + 1
    assert mistakes <= proof.mistake_bound


def test_touching_rows_carry_weak_weights():
    proof = separability([[0, 0], [0, 0], [1, 0], [-1, 3]], ["a", "b", "b", "a"])
    assert proof.kind == "touching"
    assert set(proof.rows) == {0, 1}
    assert proof.touching is not None


def test_zero_row_without_an_intercept_contradicts_itself():
    proof = separability([[0, 0], [1, 2], [-1, -2]], [0, 1, 0], fit_intercept=False)
    assert proof.rows == (0,)
    assert proof.answer == "inseparable"


def test_constant_and_repeated_columns():
    X = [[5, 5, 1], [5, 5, 2], [5, 5, 3], [5, 5, 4]]
    assert separability(X, [0, 0, 1, 1]).answer == "separable"
    proof = separability(X, [0, 1, 0, 1])
    confirm(proof, X, [0, 1, 0, 1])
    assert proof.kind == "overlap"


ROUNDED_BY_NUMPY = {
    "integers beside floats": [[2**53, 0.5], [2**53 + 1, 0.5]],
    "int64 beside uint64": [[-1, 2**63], [-1, 2**63 + 1]],
    "tuples": ((2**60, 0.5), (2**60 + 1, 0.5)),
    "a frame": pd.DataFrame({"t": [2**60, 2**60 + 1], "f": [0.5, 0.5]}),
    "a frame of integers": pd.DataFrame(
        {"t": np.array([2**63, 2**63 + 1], np.uint64), "f": np.array([-1, -1])}
    ),
    "a frame with a name twice": pd.DataFrame([[2**60, 0.5], [2**60 + 1, 0.5]], columns=["a", "a"]),
    "a frame of polars": pl.DataFrame({"t": [2**60, 2**60 + 1], "f": [0.5, 0.5]}),
    "a table of pyarrow": pa.table({"t": [2**60, 2**60 + 1], "f": [0.5, 0.5]}),
}


@pytest.mark.parametrize("X", ROUNDED_BY_NUMPY.values(), ids=ROUNDED_BY_NUMPY)
def test_integers_are_not_rounded_in_silence(X):
    try:
        assert separability(X, [0, 1]).answer == "separable"
    except DataError as error:
        assert "float64 cannot hold exactly" in str(error)  # noqa: PT017


def test_floats_of_lists_and_frames_may_be_large():
    rows = [[1e300, 0.5], [-1e300, 0.5]]
    for X in (rows, pd.DataFrame(rows), pl.DataFrame(rows, orient="row")):
        assert separability(X, [0, 1]).fingerprint == separability(rows, [0, 1]).fingerprint


def test_labels_are_not_rounded_in_silence():
    proof = separability([[0], [1], [2]], [2**53, 2**53 + 1, 0.5])
    assert proof.classes == ("0.5", str(2**53), str(2**53 + 1))


MISSING = [
    np.array(["2020-01-01", "2020-01-02", "NaT"], dtype="M8[s]"),
    np.array([1, 2, "NaT"], dtype="m8[ns]"),
    np.array([1, 2, np.nan], dtype=complex),
]


@pytest.mark.parametrize("y", MISSING, ids=lambda y: str(y.dtype))
def test_times_and_complex_numbers_that_are_missing_are_no_labels(y):
    with pytest.raises(DataError, match="row 2 has none"):
        separability([[0], [1], [2]], y)


def test_rows_of_different_lengths_and_lines_are_refused_in_words():
    with pytest.raises(DataError, match="cannot be read as an array"):
        separability([[0], [1, 2]], [0, 1])
    with pytest.raises(DataError, match="1 dimension"):
        separability(sparse.coo_array(np.array([1.0, 2.0])), [0, 1])


def test_limits_of_label_noise_bounds_are_checked():
    for limit in (0, -1.0, float("nan")):
        with pytest.raises(ParameterError, match="time_limit must be positive"):
            label_noise_bounds(SQUARE, [0, 1, 1, 0], time_limit=limit)
    with pytest.raises(ParameterError, match="must not be negative"):
        label_noise_bounds(SQUARE, [0, 1, 1, 0], max_certificates=-1)
    assert str(label_noise_bounds(SQUARE, [0, 1, 1, 0], max_certificates=0)).startswith(
        "At least 0"
    )


def test_integers_beyond_floats_stay_exact():
    big = 2**60
    X = [[big], [big + 1], [big + 2], [big + 3]]
    assert separability(X, [0, 0, 1, 1]).answer == "separable"
    assert separability(X, [0, 1, 1, 0]).answer == "inseparable"
    huge = [[10**400], [10**400 + 1], [-(10**400)]]
    proof = separability(huge, [0, 1, 0])
    confirm(proof, huge, [0, 1, 0])
    assert proof.answer == "separable"
    unsigned = np.array([[2**64 - 1], [2**64 - 2]], dtype=np.uint64)
    assert separability(unsigned, [0, 1]).answer == "separable"


def test_one_bit_decides():
    x = 0.1
    after = np.nextafter(x, 1)
    assert separability([[x], [after]], [0, 1]).answer == "separable"
    assert separability([[x], [x]], [0, 1]).answer == "inseparable"
    three = [[x, 0.3], [0.2, 0.3 + 0.3], [0.1 + 0.2, 0.3 + 0.6]]
    proof = separability(three, [0, 1, 0])
    confirm(proof, three, [0, 1, 0])


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("K", [2, 4])
def test_flipped_label_is_among_the_rows(storage, K):
    random = np.random.default_rng(5)
    X = random.integers(-50, 50, (4000, 6))
    W = random.integers(-9, 9, (K, 7))
    score = X @ W[:, :6].T + W[:, 6]
    top = np.sort(score, axis=1)
    keep = top[:, -1] > top[:, -2]
    X, y = X[keep], score[keep].argmax(axis=1)
    clean = separability(storage(X), y)
    assert clean.answer == "separable"
    far = int((top[keep][:, -1] - top[keep][:, -2]).argmax())
    y[far] = (y[far] + 1) % K
    proof = separability(storage(X), y)
    assert proof.answer == "inseparable"
    assert far in proof.rows
    assert proof.verify(X, y)
    assert len(proof.rows) <= most_pairs(proof)


def test_margin_interval_on_a_larger_table():
    random = np.random.default_rng(7)
    X = random.standard_normal((5000, 20))
    w = random.standard_normal(20)
    side = X @ w
    X, y = X[np.abs(side) > 0.5], side[np.abs(side) > 0.5] > 0
    plain, best = separability(X, y), separability(X, y, maximise=True)
    assert plain.margin <= best.margin <= best.upper <= best.margin * 1.001
    assert best.verify(X, y)
    assert best.geometric_margin > best.margin


def test_margin_interval_of_three_classes():
    X, y = [[0, 0], [4, 0], [0, 4], [5, 0], [0, 5], [-1, 0]], [0, 1, 2, 1, 2, 0]
    best = separability(X, y, maximise=True)
    assert best.margin <= best.upper <= best.margin * 1.001
    confirm(best, X, y)
    assert (np.argmax(np.array(X) @ best.coef.T + best.intercept, axis=1) == y).all()


def test_time_limit_gives_an_interval():
    random = np.random.default_rng(0)
    X = random.standard_normal((3000, 60))
    proof = separability(X, random.integers(0, 2, 3000), time_limit=1e-9)
    assert isinstance(proof, Undecided)
    assert proof.lower <= proof.upper
    assert "time limit" in str(proof)
    with pytest.raises(ParameterError, match="positive"):
        separability(SQUARE, [0, 1, 1, 0], time_limit=0)


def test_no_exact_step_begins_that_would_end_after_the_time_limit(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 30)), rng.integers(0, 2, 200)
    assert separability(X, y, time_limit=600).answer == "inseparable"
    monkeypatch.setattr(exact, "SOLVE_SECONDS", 1.0)  # as if the machine were very slow
    assert separability(X, y, time_limit=600).answer == "undecided"
    assert separability(X, y).answer == "inseparable"


def slab(n, d, half_width, wrong=0):
    """Rows within a slab about a plane, on the sides of their random labels; a few on the wrong."""
    rng = np.random.default_rng(0)
    X, w, y = rng.standard_normal((n, d)), rng.standard_normal(d), rng.integers(0, 2, n)
    w /= np.linalg.norm(w)
    side = np.where(y == 1, 1.0, -1.0) * half_width * (1 + rng.random(n))
    side[:wrong] *= -1
    return X + np.outer(side - X @ w, w), y


@pytest.mark.parametrize("half_width", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("answer", ["separable", "inseparable"])
def test_rows_next_to_a_plane_are_decided_in_few_exact_steps(half_width, answer):
    X, y = slab(400, 40, half_width, wrong=40 if answer == "inseparable" else 0)
    steps = []
    proof = separability(X, y, progress=steps.append)
    assert proof.answer == answer
    assert proof.verify(X, y)
    assert sum(step.stage == "exact" for step in steps) <= working_set.MAX_STRETCHES


def test_progress_is_told():
    seen = []
    separability(np.array(SQUARE) / 2, [0, 1, 1, 0], progress=seen.append)
    assert {step.stage for step in seen} == {"working set", "exact"}
    separability(SQUARE, [0, 1, 1, 0], progress=seen.append)
    assert seen[-1].stage == "perceptron"


def test_few_rows_of_integers_are_left_to_a_perceptron():
    vectors = [(0, 1), (1, 0), (1, 1)]
    assert perceptron.perceptron(vectors, 100) == ((1, 1), {})
    assert perceptron.perceptron([*vectors, (-2, -1)], 2) is None
    walk = perceptron.perceptron([*vectors, (-2, -1)], 1000)
    total = np.array([*vectors, (-2, -1)]).T @ [walk.added[i] for i in range(4)]
    assert walk.w is None
    assert total.tolist() == [0, 0]


def outside(**broken):
    """A sparse matrix of entries that stand outside of it."""
    matrix = sparse.csr_array(np.eye(2))
    matrix.has_canonical_format = True
    for name, places in broken.items():
        setattr(matrix, name, np.array(places, np.int32))
    return matrix


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], "row 1, column 0 holds nan"),
        ([[1.0], [np.inf]], [0, 1], "finite"),
        ([[1.0], [2.0]], [1, 1], "at least two classes"),
        ([[1.0], [2.0]], [1, 0, 1], "one label for each of the 2 rows"),
        ([1.0, 2.0], [1, 0], "rows and columns"),
        ([["a"], ["b"]], [1, 0], "real numbers"),
        ([[1j], [2]], [1, 0], "real numbers"),
        (np.array([[1], ["b"]], dtype=object), [1, 0], "row 1, column 0 holds 'b'"),
        (np.array([[0.5], [2**60 + 1]], dtype=object), [1, 0], "exactly"),
        (np.empty((2, 0)), [1, 0], "at least one row and one column"),
        ([[1.0], [2.0]], [1.0, np.nan], "row 1 has none"),
        ([[1.0], [2.0]], np.array([None, "a"], dtype=object), "row 0 has none"),
        ([[1.0], [2.0]], np.array([1, "a"], dtype=object), "cannot be compared"),
        # once: a proof spoke about values that were hidden
        (np.ma.array([[1.0], [2.0]], mask=[[0], [1]]), [1, 0], "masked value in row 1"),
        ([[1.0], [2.0]], np.ma.array([1, 0], mask=[1, 0]), "masked value in row 0"),
        (outside(indices=[0, 9]), [1, 0], "broken sparse matrix"),
        (outside(indptr=[0, 10**9, 2]), [1, 0], "broken sparse matrix"),
    ],
)
def test_bad_input_is_refused_in_words(X, y, message):
    with pytest.raises(DataError, match=message):
        separability(X, y)


def test_frames_and_label_types():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    columns = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        proof = separability(frame, ["no", "yes", "yes", "no"])
        assert proof.classes == ("no", "yes")
        assert proof.verify(np.array(SQUARE), ["no", "yes", "yes", "no"])
    assert separability(SQUARE, [False, True, True, True]).classes == ("0", "1")


def rarer_and_rarer(n=3000, d=250):
    """Random labels on rows in which feature j is used by ever fewer rows."""
    rng = np.random.default_rng(0)
    used = rng.random((n, d)) < np.linspace(0.3, 0.001, d) ** 2
    return np.where(used, rng.standard_normal((n, d)), 0.0), rng.integers(0, 2, n)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_rows_of_common_features_are_enough(storage):
    X, y = rarer_and_rarer()
    rows = presolve.narrow_rows(read_table(storage(X), y))
    features = np.count_nonzero(X[rows].any(axis=0))
    proof = separability(storage(X), y)
    assert set(proof.rows) <= set(rows.tolist())
    assert len(proof.rows) <= features + 2 < 200
    assert proof.verify(X, y)
    assert presolve.narrow_rows(read_table(X + 5, y)) is None


def test_a_part_that_is_late_speaks_of_the_rows_of_the_whole(monkeypatch):
    X, y = rarer_and_rarer()
    space = Space(read_table(X, y), fit_intercept=True)

    def late(_part, W, _watch, **_options):
        raise working_set.TimeLimitReached(W, Hull((0, 2), (1, 0), (0.5, 0.5)))

    monkeypatch.setattr(presolve, "attempt", late)
    with pytest.raises(working_set.TimeLimitReached) as error:
        presolve.decide_narrow(space, np.ones((1, 251)), working_set.Deadline())
    assert error.value.hull.rows == tuple(presolve.narrow_rows(space.table)[[0, 2]].tolist())


def test_label_noise_is_bracketed():
    X = np.arange(40).reshape(-1, 1)
    y = (X[:, 0] >= 20).astype(int)
    y[[3, 7, 33]] = 1 - y[[3, 7, 33]]
    bounds = label_noise_bounds(X, y)
    assert 1 <= bounds.lower <= 3 <= bounds.upper
    rows = [row for rows in bounds.certificates for row in rows]
    assert len(rows) == len(set(rows))
    clean = label_noise_bounds(X, X[:, 0] >= 20)
    assert (clean.lower, clean.upper) == (0, 0)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("y", [[1, 0, 0, 1], [0, 1, 2, 1]])
def test_rows_of_zeros_without_an_intercept_have_no_label(storage, y):
    X = storage(np.array([[1, 1], [-1, -1], [0, 0], [0, 0]]))
    bounds = label_noise_bounds(X, y, fit_intercept=False)
    assert bounds.zero_rows == (2, 3)
    assert (bounds.lower, bounds.upper, bounds.upper_dropped) == (2, None, 2)
    assert str(bounds).startswith("No change of labels makes the classes separable")
    assert "(2: 2, 3)" in str(bounds)
    assert label_noise_bounds(X, y).zero_rows == ()
    assert label_noise_bounds(X[:2], y[:2], fit_intercept=False).upper == 0


@given(small_problems(top=2, classes=2))
def test_label_noise_bounds_hold(problem):
    X, y, _ = problem
    bounds = label_noise_bounds(X, y)
    assert bounds.lower <= bounds.upper
    keep = [i for i in range(len(X)) if i not in bounds.mistakes]
    rest = [y[i] for i in keep]
    if len(set(rest)) == 2:
        assert separability([X[i] for i in keep], rest).answer == "separable"


def test_cover_counts():
    assert [cover_count.count(4, d) for d in (1, 2, 3, 4)] == [2, 8, 14, 16]
    assert cover_count.chance(20, 10) == 0.5
    assert cover_count.chance(4000, 2000) == pytest.approx(0.5)
    assert cover_count.chance(10**6, 10) == 0.0
    assert cover_count.log2_chance(10**6, 10) < -900_000
    assert cover_count.chance_text(10**6, 10).startswith("10^-")


def mnist():
    folder = Path(DATA) / "mnist"
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
        return X, np.frombuffer(file.read(), np.uint8, offset=8)


@needs_data
def test_mnist_eight_against_the_rest():
    X, y = mnist()
    proof = separability(X, y == 8)
    assert proof.answer == "inseparable"
    assert len(proof.rows) <= 786
    assert proof.verify(X, y == 8)


@needs_data
def test_mnist_zero_and_one_with_the_largest_margin():
    X, y = mnist()
    X, y = X[y < 2] / 255, y[y < 2]
    proof = separability(X, y, maximise=True)
    low, high = proof.margin_bounds
    assert 0 < low <= high <= 1.01 * low
    assert proof.verify(X, y)


@needs_data
def test_mnist_ten_classes():
    X, y = mnist()
    assert separability(X, y).answer == "inseparable"


@needs_data
def test_sonar_is_separable():
    table = np.loadtxt(Path(DATA) / "csv/sonar.csv", delimiter=",", dtype=str)
    proof = separability(table[:, :-1].astype(float), table[:, -1])
    assert proof.answer == "separable"


@needs_data
def test_cover_type_two_against_the_rest():
    polars = pytest.importorskip("polars")
    table = polars.read_csv(Path(DATA) / "csv/covtype.csv.gz")
    X, y = table.to_numpy()[:, :-1], table.to_numpy()[:, -1] == 2
    proof = separability(X, y)
    assert proof.answer == "inseparable"
    assert len(proof.rows) <= 56


@needs_data
def test_newsgroups_are_decided():
    X, y = load_svmlight_file(str(Path(DATA) / "libsvm/news20.bz2"))
    proof = separability(X, y)
    assert proof.answer == "inseparable"
    assert proof.verify(X, y)
