"""Laws over every rule, storage and number type. A new rule is tested by being a row of RULES."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone

from rosenblatt import (
    AROW,
    LMS,
    BatchPerceptron,
    GradientDescent,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    TanhPerceptron,
)
from rosenblatt.data.shuffle import (
    MAX_UNIFORM_ROWS,
    N_STREAMS,
    ORDER_ROWS,
    WINDOW_STRIPS,
    Shape,
    sample_orders,
    strip_rows,
)
from rosenblatt.datasets import synthetic
from rosenblatt.losses.margin_losses import (
    Loss,
    flat_beyond,
    outputs_at,
    target_range,
    value_and_derivative,
    value_and_negative_gradient,
)
from rosenblatt.types import Array, Floats


class RuleRow(NamedTuple):
    """An estimator, and which premises its rule meets.

    `whole`: on whole numbers its weights stay whole numbers, so sums are exact in any order;
    `streams`: it has `partial_fit`; `scales`: it has an η that w is proportional to;
    `odd`: swapping two labels turns every weight round.
    """

    make: Callable[..., Any]
    whole: bool = True
    streams: bool = True
    scales: bool = True
    odd: bool = True


def rule(kind: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    return lambda **more: kind(**{"max_iter": 6, **fixed, **more})


RULES = {
    "perceptron": RuleRow(rule(Perceptron)),
    "ovr": RuleRow(rule(Perceptron, multi_class="ovr")),
    "no bias": RuleRow(rule(Perceptron, fit_intercept=False)),
    "class weights": RuleRow(rule(Perceptron, class_weight={0: 2.0, 1: 2.0, 2: 3.0, 3: 1.0})),
    "average": RuleRow(rule(Perceptron, keep="average")),
    "ovr average": RuleRow(rule(Perceptron, keep="average", multi_class="ovr")),
    # a row on the line is decided for one of the two labels, and the pocket looks at decisions
    "pocket": RuleRow(rule(Perceptron, keep="pocket"), odd=False),
    "ovr pocket": RuleRow(rule(Perceptron, keep="pocket", multi_class="ovr"), odd=False),
    "1/n": RuleRow(rule(Perceptron, learning_rate="1/n"), whole=False),
    "1/n average": RuleRow(rule(Perceptron, learning_rate="1/n", keep="average"), whole=False),
    "balanced": RuleRow(rule(Perceptron, class_weight="balanced"), whole=False),
    "balanced average": RuleRow(
        rule(Perceptron, class_weight="balanced", keep="average"), whole=False
    ),
    "l2": RuleRow(rule(Perceptron, penalty="l2", alpha=0.01), whole=False, scales=False),
    "l1": RuleRow(rule(Perceptron, penalty="l1", alpha=0.01), whole=False, scales=False),
    "elastic net": RuleRow(
        rule(Perceptron, penalty="elasticnet", alpha=0.01, l1_ratio=0.4), whole=False, scales=False
    ),
    "PA-I": RuleRow(rule(PassiveAggressive, tol=None), whole=False, scales=False),
    "PA-II": RuleRow(
        rule(PassiveAggressive, tol=None, loss="squared_hinge", C=0.5), whole=False, scales=False
    ),
    "PA-I ovr average": RuleRow(
        rule(PassiveAggressive, tol=None, multi_class="ovr", keep="average"),
        whole=False,
        scales=False,
    ),
    "AROW": RuleRow(rule(AROW, tol=None), whole=False, scales=False),
    "AROW diagonal": RuleRow(
        rule(AROW, tol=None, covariance="diagonal", r=0.3), whole=False, scales=False
    ),
    "AROW ovr average": RuleRow(
        rule(AROW, tol=None, multi_class="ovr", keep="average"), whole=False, scales=False
    ),
    "AROW balanced": RuleRow(
        rule(AROW, tol=None, class_weight="balanced"), whole=False, scales=False
    ),
    "AROW pocket": RuleRow(
        rule(AROW, tol=None, keep="pocket"), whole=False, scales=False, odd=False
    ),
    "second-order": RuleRow(rule(SecondOrderPerceptron), whole=False, scales=False),
    "second-order ovr": RuleRow(
        rule(SecondOrderPerceptron, multi_class="ovr", a=2.0), whole=False, scales=False
    ),
    "second-order diagonal": RuleRow(
        rule(SecondOrderPerceptron, covariance="diagonal"), whole=False, scales=False
    ),
    "linear kernel": RuleRow(rule(KernelPerceptron, kernel="linear"), scales=False),
    "poly kernel average": RuleRow(
        rule(KernelPerceptron, kernel="poly", degree=2, gamma=0.5, coef0=1.0, keep="average"),
        whole=False,
        scales=False,
    ),
    "rbf kernel ovr pocket": RuleRow(
        rule(KernelPerceptron, gamma=0.1, keep="pocket", multi_class="ovr"),
        whole=False,
        scales=False,
        odd=False,
    ),
    "rbf kernel, budget 8": RuleRow(
        rule(KernelPerceptron, gamma=0.05, budget=8, class_weight="balanced"),
        whole=False,
        scales=False,
    ),
    "batch": RuleRow(rule(BatchPerceptron), streams=False),
    "batch ovr": RuleRow(rule(BatchPerceptron, multi_class="ovr"), streams=False),
    "batches of 3": RuleRow(rule(BatchPerceptron, batch_size=3), streams=False),
    "batch 1/n": RuleRow(
        rule(BatchPerceptron, learning_rate="1/n", batch_size=5), whole=False, streams=False
    ),
}
# the squared errors: none has whole weights, or weights in proportion to η
SOFT = {
    "LMS": rule(LMS, tol=None, eta0=0.003),
    "LMS average": rule(LMS, tol=None, eta0=0.003, keep="average"),
    "LMS pocket": rule(LMS, tol=None, eta0=0.003, keep="pocket"),
    "LMS 1/n": rule(LMS, tol=None, learning_rate="1/n"),
    "LMS normalised": rule(LMS, tol=None, learning_rate="normalised", eta0=0.5),
    "LMS balanced": rule(LMS, tol=None, eta0=0.001, class_weight="balanced"),
    "LMS no bias": rule(LMS, tol=None, eta0=0.003, fit_intercept=False),
    "LMS batch": rule(LMS, tol=None, eta0=0.0003, batch_size=None),
    "LMS batches of 3": rule(LMS, tol=None, eta0=0.001, batch_size=3, keep="average"),
    "LMS batch normalised": rule(LMS, tol=None, learning_rate="normalised", batch_size=None),
    "tanh": rule(TanhPerceptron, tol=None),
    "tanh average": rule(TanhPerceptron, tol=None, keep="average"),
    "tanh 1/n": rule(TanhPerceptron, tol=None, learning_rate="1/n"),
    "tanh normalised": rule(TanhPerceptron, tol=None, learning_rate="normalised", eta0=0.5),
    "tanh batch": rule(TanhPerceptron, tol=None, batch_size=None),
    "logistic": rule(TanhPerceptron, tol=None, activation="logistic", eta0=0.1),
    "descent": rule(GradientDescent, tol=None),
    "descent 1/n": rule(GradientDescent, tol=None, learning_rate="1/n", batch_size=1, eta0=1.0),
    "descent hinge": rule(GradientDescent, loss="hinge", tol=None, batch_size=4),
    "descent squared hinge": rule(GradientDescent, loss="squared_hinge", tol=None, eta0=0.0003),
    "descent perceptron pocket": rule(
        GradientDescent, loss="perceptron", tol=None, keep="pocket", batch_size=1
    ),
    "descent square": rule(GradientDescent, loss="square", tol=None, eta0=0.0003, keep="average"),
    "descent tanh": rule(GradientDescent, loss="tanh", tol=None, batch_size=3),
    "logistic batches": rule(TanhPerceptron, tol=None, activation="logistic", batch_size=4),
}
RULES |= {
    name: RuleRow(make, whole=False, scales=False, odd="pocket" not in name)
    for name, make in SOFT.items()
}
RULES |= {
    "hard LMS": RuleRow(rule(LMS, error="hard", tol=None, eta0=1.0)),
    "hard LMS batch": RuleRow(rule(LMS, error="hard", tol=None, eta0=1.0, batch_size=None)),
    "hard tanh average": RuleRow(
        rule(TanhPerceptron, activation="hard", tol=None, eta0=1.0, keep="average")
    ),
    # a chunk that runs away is left out, so that chunks do make a difference
    "LMS diverging": RuleRow(
        rule(LMS, eta0=1.0, tol=None), whole=False, scales=False, streams=False
    ),
}


def csr(X: Array, index: type = np.int32) -> Any:
    matrix = sparse.csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


STORAGES: dict[str, Callable[[Array], Any]] = {
    "dense float32": lambda X: X.astype(np.float32),
    "F order": np.asfortranarray,
    "csr float64 int32": csr,
    "csr float32 int64": lambda X: csr(X.astype(np.float32), np.int64),
}

EVERY_RULE = pytest.mark.parametrize("name", RULES)
WHOLE_RULES = pytest.mark.parametrize("name", [k for k, r in RULES.items() if r.whole])
STREAM_RULES = pytest.mark.parametrize("name", [k for k, r in RULES.items() if r.streams])
SCALED_RULES = pytest.mark.parametrize("name", [k for k, r in RULES.items() if r.scales])
ODD_RULES = pytest.mark.parametrize("name", [k for k, r in RULES.items() if r.odd])
FEW, SOME = settings(max_examples=12), settings(max_examples=25)


class Rows(NamedTuple):
    """Rows with their classes."""

    X: Array
    y: Array


@st.composite
def whole_rows(draw: Any, most_classes: int = 4) -> Rows:
    """Small whole numbers, full of ties, of at least two classes."""
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 6))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.integers(-3, 3)))
    k = draw(st.integers(2, most_classes))
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, k - 1)))
    assume(len(np.unique(y)) > 1)
    return Rows(X, y)


@st.composite
def float_rows(draw: Any, classes: int = 4, least_classes: int = 1) -> Rows:
    """Any float32 numbers of common size: sums of them round."""
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 6))
    numbers = st.floats(-8, 8, width=32, allow_subnormal=False)
    X = draw(hnp.arrays(np.float64, (n, d), elements=numbers))
    X += 0.1 * np.sin(np.arange(n * d)).reshape(n, d)  # digits to round, whatever was drawn
    y = draw(hnp.arrays(np.int64, n, elements=st.integers(0, classes - 1)))
    assume(len(np.unique(y)) >= least_classes)
    return Rows(X.astype(np.float32).astype(np.float64), y)


def clouds(seed: int, n: int = 60, d: int = 5, k: int = 3) -> Rows:
    """Overlapping clouds of Gaussian numbers, where no two sums come near a tie."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, d)) + rng.normal(size=(k, d))[y]
    return Rows(X.astype(np.float32).astype(np.float64), y)


def weights_of(model: Any) -> Floats:
    if not hasattr(model, "coef_"):  # a kernel: the weights are a sum of rows
        return model.dual_coef_
    return np.column_stack([model.coef_, model.intercept_])


def what(model: Any) -> dict[str, Any]:
    """All that a run has come to, as it shows from outside."""
    seen = {"W": weights_of(model).tolist(), "classes": model.classes_.tolist()}
    seen["mistakes"] = model.mistakes_
    if hasattr(model, "trace_"):
        seen["trace"] = model.trace_.as_dicts()
    if hasattr(model, "t_"):
        seen["rows"] = model.t_
    return seen


# --- storages and chunks ------------------------------------------------------------------------


@WHOLE_RULES
@SOME
@given(rows=whole_rows(), shuffle=st.booleans())
def test_every_storage_gives_the_same_bits_on_whole_numbers(
    name: str, rows: Rows, *, shuffle: bool
) -> None:
    make = RULES[name].make
    dense = what(make(shuffle=shuffle).fit(rows.X, rows.y))
    for stored in STORAGES.values():
        assert what(make(shuffle=shuffle).fit(stored(rows.X), rows.y)) == dense


@EVERY_RULE
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("zeros", [0.0, 0.6])
def test_every_storage_gives_the_same_to_rounding(
    name: str, storage: str, k: int, zeros: float
) -> None:
    # once: without zeros, so that nobody saw that sparse rows paid less of an l1 penalty
    rows = clouds(k, k=k)
    rows.X[np.random.default_rng(k).random(rows.X.shape) < zeros] = 0.0
    dense = RULES[name].make().fit(rows.X, rows.y)
    other = RULES[name].make().fit(STORAGES[storage](rows.X), rows.y)
    np.testing.assert_allclose(weights_of(other), weights_of(dense), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(
        other.decision_function(STORAGES[storage](rows.X)),
        dense.decision_function(rows.X),
        rtol=1e-9,
        atol=1e-9,
    )


def chunks(n: int, cuts: list[int]) -> list[slice]:
    ends = [0, *sorted({cut for cut in cuts if cut < n}), n]
    return [slice(a, b) for a, b in itertools.pairwise(ends) if a < b]


def streamed(model: Any, rows: Rows, cuts: list[slice], weights: Any = None) -> Any:
    for cut in cuts:
        given_weights = None if weights is None else weights[cut]
        model.partial_fit(rows.X[cut], rows.y[cut], sample_weight=given_weights)
    return model


@STREAM_RULES
@SOME
@given(
    rows=float_rows(),
    cuts=st.lists(st.integers(1, 13)),
    sparse_rows=st.booleans(),
    single=st.booleans(),
)
def test_a_stream_gives_the_same_bits_however_it_is_cut(
    name: str, rows: Rows, cuts: list[int], *, sparse_rows: bool, single: bool
) -> None:
    n = len(rows.y)
    X = rows.X.astype(np.float32) if single else rows.X
    rows = Rows(csr(X) if sparse_rows else X, rows.y)
    at_once = what(RULES[name].make().partial_fit(rows.X, rows.y))
    in_chunks = streamed(RULES[name].make(), rows, chunks(n, cuts))
    by_row = streamed(RULES[name].make(), rows, chunks(n, list(range(n))))
    assert what(in_chunks) == at_once
    assert what(by_row) == at_once


@STREAM_RULES
@FEW
@given(rows=float_rows(), cuts=st.lists(st.integers(1, 13)))
def test_a_weighted_stream_gives_the_same_bits_however_it_is_cut(
    name: str, rows: Rows, cuts: list[int]
) -> None:
    n = len(rows.y)
    weights = 0.25 + np.arange(n) % 3
    at_once = what(RULES[name].make().partial_fit(rows.X, rows.y, sample_weight=weights))
    for plan in (chunks(n, cuts), chunks(n, list(range(n)))):
        assert what(streamed(RULES[name].make(), rows, plan, weights)) == at_once


@pytest.mark.parametrize("name", ["perceptron", "1/n average", "PA-I", "AROW"])
def test_a_row_of_weight_0_may_come_alone_in_a_stream(name: str) -> None:
    # once: weights_of refuses a chunk whose weights are all 0, which breaks "any chunking"
    rows = clouds(0, n=12)
    weights = np.arange(12) % 2.0
    at_once = what(RULES[name].make().partial_fit(rows.X, rows.y, sample_weight=weights))
    by_row = streamed(RULES[name].make(), rows, chunks(12, list(range(12))), weights)
    assert what(by_row) == at_once


@STREAM_RULES
@FEW
@given(rows=float_rows(), cuts=st.lists(st.integers(1, 13)), looks=st.booleans())
def test_looking_at_a_stream_or_naming_classes_again_changes_nothing(
    name: str, rows: Rows, cuts: list[int], *, looks: bool
) -> None:
    classes = [0, 1, 2, 3]
    at_once = RULES[name].make().partial_fit(rows.X, rows.y, classes=classes)
    model = RULES[name].make()
    for cut in chunks(len(rows.y), cuts):
        model.partial_fit(rows.X[cut], rows.y[cut], classes=classes)
        if looks:
            model.predict(rows.X)
            str(model.outcome_)
    assert what(model) == what(at_once)


@STREAM_RULES
@pytest.mark.parametrize("labels", ["ba", "cab", "dbca"])
def test_classes_join_late_and_in_any_order(name: str, labels: str) -> None:
    rows = clouds(3, n=40, k=len(labels))
    late = np.minimum(rows.y, np.arange(40) // 5)  # class k is not seen before row 5k
    y = np.array(list(labels))[late]
    at_once = RULES[name].make().partial_fit(rows.X, y)
    by_row = streamed(RULES[name].make(), Rows(rows.X, y), chunks(40, list(range(40))))
    assert at_once.classes_.tolist() == sorted(labels)
    assert what(by_row) == what(at_once)


@pytest.mark.parametrize("name", ["pocket", "ovr pocket"])
def test_rows_of_the_only_class_so_far_are_no_correct_run_of_zero_weights(name: str) -> None:
    # once: _only_count advances the clock without a mistake, so w = 0 is pocketed as the longest
    # run although a tie is a mistake; no run of real weights shorter than it is ever kept
    X = np.r_[np.full((30, 1), -1.0), np.tile([[1.0], [-1.0]], (10, 1))]
    y = np.r_[np.zeros(30), np.tile([1, 0], 10)]
    model = RULES[name].make().partial_fit(X, y)
    assert weights_of(model).any()
    assert model.predict(X).tolist() == y.tolist()


# --- symmetries ---------------------------------------------------------------------------------


@ODD_RULES
@SOME
@given(rows=float_rows(classes=2, least_classes=2), shuffle=st.booleans())
def test_swapping_two_labels_turns_the_weights_round(
    name: str, rows: Rows, *, shuffle: bool
) -> None:
    make = RULES[name].make
    given_weights = RULES[name].make().get_params().get("class_weight")
    assume(not isinstance(given_weights, dict) or given_weights[0] == given_weights[1])
    once = make(shuffle=shuffle).fit(rows.X, rows.y)
    swapped = make(shuffle=shuffle).fit(rows.X, 1 - rows.y)
    np.testing.assert_array_equal(weights_of(swapped), -weights_of(once))
    assert swapped.trace_.column("mistakes") == once.trace_.column("mistakes")


@SCALED_RULES
@SOME
@given(rows=float_rows(least_classes=2), power=st.integers(-6, 6), shuffle=st.booleans())
def test_from_zero_the_learning_rate_scales_the_weights_and_changes_no_mistake(
    name: str, rows: Rows, power: int, *, shuffle: bool
) -> None:
    make = RULES[name].make
    once = make(shuffle=shuffle).fit(rows.X, rows.y)
    scaled = make(shuffle=shuffle, eta0=2.0**power).fit(rows.X, rows.y)
    np.testing.assert_array_equal(weights_of(scaled), 2.0**power * weights_of(once))
    assert scaled.trace_.column("mistakes") == once.trace_.column("mistakes")


@SCALED_RULES
@SOME
@given(rows=float_rows(least_classes=2), power=st.integers(-6, 6))
def test_from_zero_scaling_x_and_its_constant_1_as_a_whole_changes_no_mistake(
    name: str, rows: Rows, power: int
) -> None:
    X = np.column_stack([rows.X, np.ones(len(rows.y))])
    once = RULES[name].make(fit_intercept=False).fit(X, rows.y)
    scaled = RULES[name].make(fit_intercept=False).fit(2.0**power * X, rows.y)
    np.testing.assert_array_equal(scaled.coef_, 2.0**power * once.coef_)
    assert scaled.trace_.column("mistakes") == once.trace_.column("mistakes")


@pytest.mark.parametrize("name", [k for k in RULES if RULES[k].whole and k != "no bias"])
@FEW
@given(rows=whole_rows())
def test_an_own_constant_column_is_the_bias(name: str, rows: Rows) -> None:
    own = np.column_stack([rows.X, np.ones(len(rows.y))])
    with_bias = RULES[name].make().fit(rows.X, rows.y)
    with_column = RULES[name].make(fit_intercept=False).fit(own, rows.y)
    np.testing.assert_array_equal(with_column.coef_, weights_of(with_bias))
    assert not with_column.intercept_.any()


BALANCED_BATCHES = {
    "perceptron": BatchPerceptron(class_weight="balanced", max_iter=5),
    "LMS": LMS(class_weight="balanced", batch_size=None, max_iter=5, tol=None, eta0=0.01),
    "tanh": TanhPerceptron(class_weight="balanced", batch_size=None, max_iter=5, tol=None),
}


@pytest.mark.parametrize("name", BALANCED_BATCHES)
@pytest.mark.parametrize("k", [2, 3])
def test_classes_of_a_whole_batch_are_balanced_by_weight(name: str, k: int) -> None:
    # once: by the number of rows, whatever they weighed
    rows, model = clouds(k, k=k), BALANCED_BATCHES[name]
    times = 1 + 2 * (rows.y == 1)
    weighted = weights_of(clone(model).fit(rows.X, rows.y, sample_weight=times))
    repeated = clone(model).fit(rows.X.repeat(times, axis=0), rows.y.repeat(times))
    np.testing.assert_allclose(weighted, weights_of(repeated), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["batch", "batch ovr"])
@given(rows=whole_rows(), data=st.data())
def test_a_weight_means_repetition_for_a_whole_batch(name: str, rows: Rows, data: Any) -> None:
    times = data.draw(hnp.arrays(np.int64, len(rows.y), elements=st.integers(0, 3)))
    assume(len(np.unique(rows.y[times > 0])) == len(np.unique(rows.y)))
    weighted = RULES[name].make().fit(rows.X, rows.y, sample_weight=times)
    repeated = RULES[name].make().fit(rows.X.repeat(times, axis=0), rows.y.repeat(times))
    np.testing.assert_array_equal(weights_of(weighted), weights_of(repeated))
    assert weighted.n_iter_ == repeated.n_iter_


@EVERY_RULE
def test_the_order_of_names_of_classes_is_all_that_counts(name: str) -> None:
    rows = clouds(1)
    by_number = RULES[name].make().fit(rows.X, rows.y)
    by_word = RULES[name].make()
    weights = by_word.class_weight
    if isinstance(weights, dict):
        by_word.set_params(class_weight={"abcd"[k]: weight for k, weight in weights.items()})
    by_word.fit(rows.X, np.array(["a", "b", "c"], object)[rows.y])
    np.testing.assert_array_equal(weights_of(by_word), weights_of(by_number))
    assert by_word.classes_.tolist() == ["a", "b", "c"]


# --- the theorem --------------------------------------------------------------------------------

SEPARABLE = {
    "n": st.integers(3, 60),
    "d": st.integers(1, 8),
    "share": st.floats(0.05, 0.9),
    "seed": st.integers(0, 2**20),
}


def exact_margin(W: Floats, X: Floats, y: Array) -> tuple[Fraction, Fraction]:
    """Smallest y (w·x + b) in exact arithmetic, and |(w, b)|²."""
    w = [Fraction(value) for value in W[0].tolist()]
    margins = [
        int(sign) * (sum(a * Fraction(b) for a, b in zip(w, x, strict=False)) + w[-1])
        for x, sign in zip(X.tolist(), y, strict=True)
    ]
    return min(margins), sum(a * a for a in w)


@given(**SEPARABLE, shuffle=st.booleans(), eta=st.sampled_from([1.0, 0.5, 0.3]))
@settings(max_examples=40)
def test_mistakes_stay_within_the_bound_and_the_bracket_holds_the_margin(
    n: int, d: int, share: float, seed: int, eta: float, *, shuffle: bool
) -> None:
    radius = 3.0
    X, y, truth = synthetic.separable(n, d, share * (radius**2 - 1) ** 0.5, radius, seed)
    model = Perceptron(shuffle=shuffle, eta0=eta, max_iter=100_000).fit(X, y)
    assert model.outcome_.converged
    assert 0 < model.mistakes_ <= truth.mistake_bound
    lower, upper = model.margin_bounds_
    assert lower <= truth.margin * (1 + 1e-12)
    assert upper >= truth.margin * (1 - 1e-12)
    margin, square = exact_margin(weights_of(model), X, y)
    assert margin > 0
    assert lower == pytest.approx(float(margin) / float(square) ** 0.5, rel=1e-9)
    # the upper bound is the best of |w| / (η k) over the passes
    mistakes = np.cumsum(model.trace_.column("mistakes"))
    uppers = np.array(model.trace_.column("norm")) / eta / mistakes
    np.testing.assert_allclose(model.trace_.column("margin_upper"), uppers, rtol=1e-14)
    assert upper == uppers.min()
    assert uppers[-1] == pytest.approx(float(square) ** 0.5 / (eta * model.mistakes_), rel=1e-12)
    assert model.trace_[-1].margin_lower == lower
    assert set(model.trace_.column("margin_lower")[:-1]) <= {None}
    # the theorem with the lower bound: the longest (x, 1) over the margin found
    squares = (X**2).sum(axis=1) + 1
    assert model.mistake_bound_ == pytest.approx(squares.max() / lower**2, rel=1e-12)


@given(**SEPARABLE)
@settings(max_examples=15)
def test_the_bound_without_a_bias_is_that_of_x_alone(
    n: int, d: int, share: float, seed: int
) -> None:
    X, y, truth = synthetic.separable(n, d, share * 8**0.5, 3.0, seed)
    own = np.column_stack([X, np.ones(n)])
    model = Perceptron(fit_intercept=False, max_iter=100_000).fit(own, y)
    lower, upper = model.margin_bounds_
    assert model.mistakes_ <= truth.mistake_bound
    assert lower <= truth.margin * (1 + 1e-12) <= upper * (1 + 2e-12)
    assert model.mistake_bound_ == pytest.approx((own**2).sum(axis=1).max() / lower**2, rel=1e-12)


def kesler_rows(seed: int, k: int, d: int) -> tuple[Floats, Array, Fraction]:
    """Rows (of whole numbers) that known weights put a margin γ on; give γ² exactly."""
    rng = np.random.default_rng(seed)
    W = rng.integers(-5, 6, (k, d + 1))
    X = rng.integers(-6, 7, (200, d))
    scores = np.column_stack([X, np.ones(200, int)]) @ W.T
    ranked = np.sort(scores, axis=1)
    gaps = ranked[:, -1] - ranked[:, -2]
    wide = gaps >= 4
    gamma2 = Fraction(int(gaps[wide].min()) ** 2, int((W**2).sum())) if wide.any() else Fraction(0)
    return X[wide].astype(float), scores.argmax(axis=1)[wide], gamma2


@given(seed=st.integers(0, 2**20), k=st.integers(3, 6), d=st.integers(2, 5))
@settings(max_examples=30)
def test_kesler_s_mistakes_stay_within_twice_r_over_gamma_squared(
    seed: int, k: int, d: int
) -> None:
    X, y, gamma2 = kesler_rows(seed, k, d)
    assume(len(np.unique(y)) > 2)
    model = Perceptron(max_iter=100_000, random_state=seed).fit(X, y)
    assert model.outcome_.converged
    radius2 = int((X**2).sum(axis=1).max()) + 1
    assert model.mistakes_ <= 2 * radius2 / gamma2
    lower, upper = model.margin_bounds_
    assert upper >= float(gamma2) ** 0.5 * (1 - 1e-12)
    assert 0 < lower <= upper
    # the lower bound is the margin of the K(d+1)-vector found
    W = weights_of(model)
    scores = np.column_stack([X, np.ones(len(y))]) @ W.T
    own = np.searchsorted(model.classes_, y)
    rows = np.arange(len(y))
    rivals = scores.copy()
    rivals[rows, own] = -np.inf
    margin = (scores[rows, own] - rivals.max(axis=1)).min()
    assert lower == pytest.approx(margin / np.linalg.norm(W), rel=1e-12)
    assert model.mistake_bound_ == pytest.approx(2 * radius2 / lower**2, rel=1e-12)


@pytest.mark.parametrize("eta", [1e-300, 1.0, 1e307])
def test_the_bracket_is_never_empty(eta: float) -> None:
    # once: by rounding in one of 200 of these problems, and where η times the mistakes is infinite
    for seed in range(400):
        X = np.random.default_rng(seed).integers(-2, 3, (3, 2))
        lower, upper = Perceptron(eta0=eta, max_iter=50).fit(X, [0, 1, 1]).margin_bounds_
        assert lower <= upper < np.inf


def test_without_convergence_there_is_an_upper_bound_only() -> None:
    X, y, _ = synthetic.xor()
    model = Perceptron(max_iter=5).fit(X, y)
    lower, upper = model.margin_bounds_
    assert lower == -np.inf
    assert 0 < upper < np.inf
    assert model.mistake_bound_ is None


# --- the same bits again ------------------------------------------------------------------------


@EVERY_RULE
@pytest.mark.parametrize("random_state", [0, 5])
def test_the_same_seed_gives_the_same_bits(name: str, random_state: int) -> None:
    rows = clouds(2, n=90)
    begin = {"start": "random"} if hasattr(RULES[name].make(), "start") else {}
    model = RULES[name].make(random_state=random_state, **begin)
    once = what(model.fit(rows.X, rows.y))
    assert what(model.fit(rows.X, rows.y)) == once
    assert what(clone(model).fit(rows.X.copy(), rows.y.tolist())) == once
    other = RULES[name].make(random_state=random_state + 1, **begin).fit(rows.X, rows.y)
    assert what(other) != once


@EVERY_RULE
def test_a_fit_forgets_the_stream_and_the_fit_before(name: str) -> None:
    rows, others = clouds(2), clouds(9, k=2)
    fresh = what(RULES[name].make().fit(rows.X, rows.y))
    model = RULES[name].make().fit(others.X, others.y)
    if RULES[name].streams:
        model.partial_fit(others.X, others.y)
    assert what(model.fit(rows.X, rows.y)) == fresh


SEVERAL_BLOCKS = ["perceptron", "pocket", "batch", "batches of 3", "LMS batch normalised"]


@pytest.mark.parametrize("name", SEVERAL_BLOCKS)
def test_a_second_thread_changes_no_bit_over_several_blocks(name: str) -> None:
    rows = clouds(4, n=40_000, d=3, k=3)
    size = {"batch_size": 17_000} if name == "batches of 3" else {}
    models = [
        RULES[name].make(max_iter=2, n_jobs=jobs, **size).fit(rows.X, rows.y) for jobs in (None, 2)
    ]
    assert what(models[0]) == what(models[1])
    scores = [model.decision_function(rows.X) for model in models]
    np.testing.assert_array_equal(scores[0], scores[1])


# --- the order of visits ------------------------------------------------------------------------

SIZES = [1, 2, 3, 4, 63, 64, 65, 127, 128, 1023, 1024, 1025, 1087, 2048, 5000]
SIZES += [ORDER_ROWS - 1, ORDER_ROWS, ORDER_ROWS + 1, ORDER_ROWS + 65, 2 * ORDER_ROWS + 1000]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("key", [None, (0, 1), (7, 2)])
@pytest.mark.parametrize("d", [2, 40, 2_500])
def test_a_pass_visits_every_row_once(n: int, key: Any, d: int) -> None:
    plan = sample_orders(Shape(n, d, 4 * d), key)
    parts = [(part.order.copy(), part.prefetch.copy()) for part in plan]
    order = np.concatenate([order for order, _ in parts])
    fetch = np.concatenate([fetch for _, fetch in parts])
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    assert fetch.min() >= 0
    assert fetch.max() < n
    if key is None:
        np.testing.assert_array_equal(order, np.arange(n))


def epoch_order(n: int, d: int, row_bytes: int, key: tuple[int, int]) -> Array:
    parts = sample_orders(Shape(n, d, row_bytes), key)
    return np.concatenate([part.order.copy() for part in parts])


@given(
    n=st.integers(1, 40_000),
    d=st.integers(1, 300),
    seed=st.integers(0, 2**31),
    number=st.integers(1, 99),
)
def test_a_shuffled_pass_visits_every_row_once(n: int, d: int, seed: int, number: int) -> None:
    order = epoch_order(n, d, 8 * d, (seed, number))
    assert np.bincount(order, minlength=n).tolist() == [1] * n


@pytest.mark.parametrize("d", [2, 28, 40, 784])
def test_an_order_depends_on_the_shape_of_the_data_not_on_their_storage(d: int) -> None:
    orders = [epoch_order(30_000, d, row_bytes, (3, 1)) for row_bytes in (8, 4 * d, 8 * d)]
    assert all(np.array_equal(order, orders[0]) for order in orders)


@pytest.mark.parametrize("d", [1, 16, 28, 784, 47_000])
def test_a_window_of_sorted_rows_comes_from_60_places(d: int) -> None:
    strip = strip_rows(d)
    assert strip in {16, 32, 64}
    n = WINDOW_STRIPS * 64 * 25
    order = epoch_order(n, d, 4 * d, (1, 1))
    for window in order.reshape(-1, WINDOW_STRIPS * strip):
        strips = np.unique(window // strip)
        regions = strips * WINDOW_STRIPS // (n // strip)  # one strip of each sixtieth of the data
        np.testing.assert_array_equal(regions, np.arange(WINDOW_STRIPS))


def test_twelve_sorted_rows_come_from_all_twelfths_of_the_data() -> None:
    n, strip = WINDOW_STRIPS * 3200, strip_rows(28)
    order = epoch_order(n, 28, 112, (1, 1))
    parts = order.reshape(-1, N_STREAMS) * N_STREAMS // n
    np.testing.assert_array_equal(np.sort(parts), np.tile(np.arange(N_STREAMS), (len(parts), 1)))
    for rows in order.reshape(-1, strip, N_STREAMS):  # streams: one row after the other
        np.testing.assert_array_equal(np.diff(np.sort(rows), axis=0), 1)
    # and soon from others: once sets of strips lasted five times as long, and rows that were sorted
    # in groups were learned group by group
    for start in range(0, n, 512):
        assert len(np.unique(order[start : start + 512] // strip)) >= 30


@pytest.mark.parametrize("n", [8_192, 192_000])
def test_each_pass_mixes_the_parts_of_the_data_otherwise(n: int) -> None:
    orders = [epoch_order(n, 28, 112, (1, number))[:256] for number in range(1, 9)]
    patterns = {tuple((order * N_STREAMS // n).tolist()) for order in orders}
    assert len(patterns) == len(orders)


def test_all_permutations_of_four_rows_come_up_equally_often() -> None:
    tries = 24 * 200
    seen = [
        tuple(next(sample_orders(Shape(4, 2, 8), (seed, 1))).order.tolist())
        for seed in range(tries)
    ]
    counts = np.unique(seen, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert ((counts - 200) ** 2 / 200).sum() < 49.7  # chi-squared of 23 degrees, p = 0.001


@pytest.mark.parametrize("n", [70, MAX_UNIFORM_ROWS])
def test_up_to_a_window_every_row_may_come_anywhere(n: int) -> None:
    places = np.array([np.argsort(epoch_order(n, 2, 8, (seed, 3))) for seed in range(400)])
    mean, spread = (n - 1) / 2, (n - 1) / 12**0.5
    assert np.abs(places.mean(axis=0) - mean).max() < 5 * spread / 20
    # neighbours in the file are strangers in the visit, also within a strip of 64 rows
    steps = np.diff(places, axis=1)
    assert np.mean(np.abs(steps) == 1) < 3 * 2 / n


@pytest.mark.parametrize("n", [1025, 4097, 5000, 50_000, 64 * 1024 + 1])
@pytest.mark.parametrize("d", [28, 784])
def test_a_pass_never_ends_in_a_few_places_of_the_data(n: int, d: int) -> None:
    # once: what was left over made a last window of one strip, and sorted rows a lopsided end
    for seed in range(5):
        end = epoch_order(n, d, 4 * d, (seed, 1))[-1000:]
        assert len(np.unique(end // strip_rows(d))) >= min(20, n // strip_rows(d))


def test_passes_and_seeds_differ() -> None:
    orders = [epoch_order(500, 2, 8, key).tolist() for key in [(0, 1), (0, 2), (1, 1), (1, 2)]]
    assert all(a != b for a, b in itertools.combinations(orders, 2))


# --- losses -------------------------------------------------------------------------------------

KINKS = {Loss.PERCEPTRON: 0.0, Loss.HINGE: 1.0, Loss.SQUARED_HINGE: 1.0}  # the last: of the slope
SQUARED_ERRORS = {Loss.SQUARE, Loss.TANH, Loss.SIGMOID}
SMOOTH = {*SQUARED_ERRORS, Loss.LOGISTIC}
CONVEX = [Loss.PERCEPTRON, Loss.HINGE, Loss.SQUARED_HINGE, Loss.SQUARE, Loss.LOGISTIC]


def test_every_loss_has_its_kink_here_or_none() -> None:
    assert set(KINKS) | SMOOTH == set(Loss)
    assert not set(KINKS) & SMOOTH


@pytest.mark.parametrize("loss", Loss)
@given(margin=st.floats(-50, 50))
def test_the_slope_is_the_derivative_of_the_value(loss: Loss, margin: float) -> None:
    step = 1e-6
    assume(abs(margin - KINKS.get(loss, np.inf)) > 2 * step)
    above = value_and_derivative(int(loss), margin + step)[0]
    below = value_and_derivative(int(loss), margin - step)[0]
    slope = value_and_derivative(int(loss), margin)[1]
    # a value of 1,300, as the square's may be, leaves its digits to a difference of 1e-6
    assert (above - below) / (2 * step) == pytest.approx(slope, abs=1e-7, rel=1e-8)


@pytest.mark.parametrize("loss", CONVEX)
@given(at=st.floats(-50, 50), elsewhere=st.floats(-50, 50))
def test_convex_losses_lie_above_their_tangents(loss: Loss, at: float, elsewhere: float) -> None:
    value, slope = value_and_derivative(int(loss), at)
    there = value_and_derivative(int(loss), elsewhere)[0]
    assert there >= value + slope * (elsewhere - at) - 1e-12
    assert value >= 0


@pytest.mark.parametrize("loss", KINKS)
@given(beyond=st.floats(0, 50, exclude_min=True))
def test_a_loss_is_flat_beyond_its_end_and_not_before(loss: Loss, beyond: float) -> None:
    end = flat_beyond(int(loss))
    assume(end + beyond > end)
    assert value_and_derivative(int(loss), end + beyond) == (0, 0)
    assert value_and_derivative(int(loss), end - beyond)[1] < 0


@pytest.mark.parametrize("loss", SMOOTH)
@given(margin=st.floats(-15, 15))
def test_a_smooth_loss_is_flat_nowhere(loss: Loss, margin: float) -> None:
    assume(loss is not Loss.SQUARE or margin != 1)
    assert flat_beyond(int(loss)) == np.inf
    value, slope = value_and_derivative(int(loss), margin)
    assert value > 0
    assert slope != 0


@pytest.mark.parametrize("loss", SQUARED_ERRORS)
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@given(score=st.floats(-15, 15))
def test_such_a_loss_is_half_the_squared_error_of_the_output(
    loss: Loss, sign: float, score: float
) -> None:
    errors = {
        Loss.SQUARE: sign - score,
        Loss.TANH: sign - np.tanh(score),
        Loss.SIGMOID: (sign + 1) / 2 - 1 / (1 + np.exp(-score)),
    }
    value = value_and_derivative(int(loss), sign * score)[0]
    assert value == pytest.approx(errors[loss] ** 2 / 2, rel=1e-7, abs=1e-15)
    if loss is not Loss.SQUARE:  # a layer says the same of the target and the score
        target = sign if loss is Loss.TANH else (sign + 1) / 2
        assert value_and_negative_gradient(int(loss), target, score)[0] == pytest.approx(
            value, abs=1e-15
        )


@pytest.mark.parametrize("loss", [Loss.TANH, Loss.SIGMOID])
@given(score=st.floats(-20, 20), share=st.floats(0, 1))
def test_the_pull_of_a_target_is_the_derivative_of_its_loss(
    loss: Loss, score: float, share: float
) -> None:
    least, most = target_range(int(loss))
    target, step = least + share * (most - least), 1e-6
    above = value_and_negative_gradient(int(loss), target, score + step)[0]
    below = value_and_negative_gradient(int(loss), target, score - step)[0]
    pull = value_and_negative_gradient(int(loss), target, score)[1]
    assert (below - above) / (2 * step) == pytest.approx(pull, abs=1e-9)


def test_soft_outputs_do_not_overflow() -> None:
    for loss in (Loss.TANH, Loss.SIGMOID):
        least, most = target_range(int(loss))
        for margin in (-1e300, -800.0, 800.0, 1e300):
            assert value_and_derivative(int(loss), margin)[1] == 0
            assert outputs_at(int(loss), np.array([margin]))[0] == (most if margin > 0 else least)


def test_a_tie_has_the_perceptron_s_slope_and_margin_1_none_of_the_hinge_s() -> None:
    assert value_and_derivative(int(Loss.PERCEPTRON), 0.0) == (0, -1)
    assert value_and_derivative(int(Loss.HINGE), 1.0) == (0, 0)
