"""Threshold units, networks and gates: lecture 000's numbers, exactness and words."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic import gates
from rosenblatt.logic.truth_table import inputs, read_bits
from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit

TABLES = {
    "AND": (0, 0, 0, 1),
    "OR": (0, 1, 1, 1),
    "NOT": (1, 0),
    "NAND": (1, 1, 1, 0),
    "NOR": (1, 0, 0, 0),
    "MAJORITY": (0, 0, 0, 1, 0, 1, 1, 1),
    "XOR": (0, 1, 1, 0),
}
numbers = st.one_of(
    st.integers(-9, 9),
    st.fractions(-5, 5, max_denominator=12),
    st.floats(-5, 5, allow_nan=False),
)


@pytest.mark.parametrize("name", TABLES)
def test_gates_have_their_truth_tables(name: str) -> None:
    assert getattr(gates, name).truth_table() == TABLES[name]


def test_000_gates_have_the_lectures_numbers() -> None:
    assert ThresholdUnit((1, 1), -0.5) == gates.OR
    assert ThresholdUnit((1, 1), -1.5) == gates.AND
    assert ThresholdUnit((-1,), 0.5) == gates.NOT


def test_003_xor_is_and_of_or_and_nand() -> None:
    assert gates.XOR.hidden == (gates.OR, gates.NAND)
    assert gates.XOR.output == gates.AND
    for a, b in product((0, 1), repeat=2):
        assert gates.XOR(a, b) == gates.AND(gates.OR(a, b), gates.NAND(a, b)) == a ^ b


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_gates_of_n_inputs_count(n: int) -> None:
    ones = inputs(n).sum(axis=1)
    assert gates.majority(n).truth_table() == tuple((2 * ones > n).astype(int).tolist())
    assert gates.parity(n).truth_table() == tuple((ones % 2).tolist())
    for count in range(n + 1):
        assert gates.at_least(count, n)(inputs(n)).tolist() == (ones >= count).tolist()
        assert gates.at_most(count, n)(inputs(n)).tolist() == (ones <= count).tolist()


@pytest.mark.parametrize(("count", "n"), [(3, 2), (-1, 2), (0, 0)])
def test_a_gate_that_cannot_be_is_refused(count: int, n: int) -> None:
    with pytest.raises(ParameterError, match="at least 1 input"):
        gates.at_least(count, n)
    with pytest.raises(ParameterError, match="at least 1 input"):
        gates.at_most(count, n)


def test_a_unit_decides_1_on_the_boundary() -> None:
    assert ThresholdUnit((1, -1), 0)(1, 1) == 1


def test_a_unit_is_called_on_bits_on_a_sequence_and_on_rows() -> None:
    assert gates.AND(1, 1) == gates.AND([1, 1]) == gates.AND(np.array([True, True])) == 1
    assert gates.AND([[1, 1], [1, 0]]).tolist() == [1, 0]
    assert gates.XOR([[1, 1], [1, 0]]).tolist() == [0, 1]
    assert gates.NOT(1) == 0
    assert gates.NOT([[0], [1]]).tolist() == [1, 0]


@given(st.lists(numbers, min_size=1, max_size=4), numbers)
def test_decisions_are_those_of_exact_rationals(weights: list[Any], bias: Any) -> None:
    unit = ThresholdUnit(tuple(weights), bias)
    for x, decided in zip(product((0, 1), repeat=len(weights)), unit.truth_table(), strict=True):
        score = Fraction(bias) + sum(Fraction(w) * bit for w, bit in zip(weights, x, strict=True))
        assert decided == unit(*x) == int(score >= 0)
        assert unit.negated()(x) == 1 - decided


def test_floats_stand_for_their_exact_value() -> None:
    # in floats 0.1 + 0.2 > 0.3; the numbers these floats stand for say the same, their names do not
    assert ThresholdUnit((-0.1, -0.2), 0.3)(1, 1) == 0
    tenth = ThresholdUnit((Fraction(-1, 10), Fraction(-2, 10)), Fraction(3, 10))
    assert tenth(1, 1) == 1


def test_integers_of_any_size_stay_exact() -> None:
    huge = 10**30
    unit = ThresholdUnit((huge, -huge, 1), -1)
    assert unit.weights == (huge, -huge, 1)
    assert unit([[1, 1, 0], [1, 1, 1]]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        (ThresholdUnit((2, 1), -3), "2·x1 + x2 − 3 ≥ 0"),
        (ThresholdUnit((-1, 0, 3), 0), "−x1 + 3·x3 ≥ 0"),
        (ThresholdUnit((Fraction(1, 2), -0.25), 1), "1/2·x1 − 0.25·x2 + 1 ≥ 0"),
        (ThresholdUnit((0, 0), -1), "−1 ≥ 0"),
        (ThresholdUnit((0,), 0), "0 ≥ 0"),
    ],
)
def test_formulas_read_like_the_lecture(unit: ThresholdUnit, text: str) -> None:
    assert str(unit) == unit.formula() == text


def test_a_network_prints_one_line_a_unit() -> None:
    assert str(gates.XOR).splitlines() == [
        "h1 = [x1 + x2 − 0.5 ≥ 0]",
        "h2 = [−x1 − x2 + 1.5 ≥ 0]",
        "y = [h1 + h2 − 1.5 ≥ 0]",
    ]


@pytest.mark.parametrize("weights", [(), (float("nan"),), (float("inf"), 1), ("1",), (None,)])
def test_weights_that_are_no_numbers_are_refused(weights: tuple[Any, ...]) -> None:
    with pytest.raises(ParameterError):
        ThresholdUnit(weights, 0)


def test_networks_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(ParameterError, match="same inputs"):
        ThresholdNetwork((gates.AND, gates.NOT), gates.AND)
    with pytest.raises(ParameterError, match="at least one"):
        ThresholdNetwork((), gates.AND)
    with pytest.raises(ParameterError, match="one weight for each hidden unit"):
        ThresholdNetwork((gates.AND,), gates.AND)


@pytest.mark.parametrize("x", [[1], [1, 2], [0.5, 1], [[[1, 1]]], ["1", "0"]])
def test_inputs_that_are_not_bits_or_do_not_fit_are_refused(x: Any) -> None:
    with pytest.raises(DataError, match="bits"):
        gates.AND(x)


def test_real_inputs_are_those_of_a_perceptron() -> None:
    """Lecture 000: inputs are real values; lecture 004: 0.5 x1 + 0.5 x2 ≥ 20 is a dog."""
    rule = ThresholdUnit((0.5, 0.5), -20)
    assert rule([1, 100]) == rule(1, 100) == 1
    assert rule([[1, 100], [40, 10], [0, 20], [20, 20], [19.999, 20]]).tolist() == [1, 1, 0, 1, 0]
    assert rule(np.array([[np.nextafter(20.0, 0), 20.0]])).tolist() == [0]
    layer = ThresholdNetwork((rule, ThresholdUnit((-1, 0), 30.0)), ThresholdUnit((1, 1), -2))
    assert layer([[1, 100], [40, 10]]).tolist() == [1, 0]


reals = st.one_of(
    st.integers(-5, 5),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.fractions(-3, 3, max_denominator=7),
)


@given(st.data())
def test_real_inputs_decide_as_exact_rationals(data: st.DataObject) -> None:
    weights = data.draw(st.lists(reals, min_size=1, max_size=4))
    bias, n = data.draw(reals), len(weights)
    kind = data.draw(
        st.sampled_from([st.integers(-(2**63), 2**63 - 1), st.floats(-1e9, 1e9), reals])
    )
    x = data.draw(st.lists(kind, min_size=n, max_size=n))
    if data.draw(st.booleans()):  # an input right on the boundary, if floats hold it
        weights, bias = (
            [*weights, 1],
            -sum(Fraction(w) * Fraction(v) for w, v in zip(weights, x, strict=True)),
        )
        x = [*x, 0]
    score = Fraction(bias) + sum(Fraction(w) * Fraction(v) for w, v in zip(weights, x, strict=True))
    unit, given_as = ThresholdUnit(tuple(weights), bias), np.empty(len(x), object)
    given_as[:] = x
    assert unit(given_as) == unit(given_as[None])[0] == int(score >= 0)
    if all(isinstance(v, float) for v in x):
        assert unit(np.array(x)) == int(score >= 0)
    if all(isinstance(v, int) and abs(v) < 2**63 for v in x):
        assert unit(np.array(x, np.int64)) == int(score >= 0)


@pytest.mark.parametrize(
    "x", [[1], [[[1, 1]]], ["1", "0"], [np.nan, 1], [np.inf, 1], [1j, 1], [None, 1], [[1, 2], [3]]]
)
def test_inputs_that_are_no_numbers_or_do_not_fit_are_refused(x: Any) -> None:
    with pytest.raises(DataError, match=r"numbers|input"):
        ThresholdUnit((1, 1), 0)(x)


def test_a_truth_table_of_too_many_inputs_is_refused() -> None:
    with pytest.raises(ParameterError, match="up to 20"):
        gates.majority(21).truth_table()


def test_units_are_frozen_values() -> None:
    assert hash(ThresholdUnit((1, 1), -0.5)) == hash(gates.OR)
    with pytest.raises(AttributeError):
        gates.OR.intercept = 0  # type: ignore[misc]


def test_numpy_numbers_become_plain_ones() -> None:
    unit = ThresholdUnit(np.array([2, -1]), np.float64(0.5))  # type: ignore[arg-type]
    assert [type(number) for number in (*unit.weights, unit.intercept)] == [int, int, float]


@pytest.mark.parametrize(
    "source",
    [
        "0110",
        [0, 1, 1, 0],
        np.array([False, True, True, False]),
        {"00": 0, "11": 0, "01": 1, "10": True},
        {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0},
    ],
)
def test_a_truth_table_may_come_in_many_forms(source: Any) -> None:
    assert read_bits(source) == read_bits(source, 2) == (0, 1, 1, 0)


def test_a_function_is_called_with_its_bits_x1_first() -> None:
    assert read_bits(lambda a, b: a and not b, 2) == (0, 0, 1, 0)
    assert read_bits({0: 1, 1: 0}) == (1, 0)


@pytest.mark.parametrize(
    ("source", "n", "message"),
    [
        ("011", None, "2ⁿ bits"),
        ("", None, "2ⁿ bits"),
        ("1", None, "2ⁿ bits"),
        ("01x1", None, "0 or 1; got 'x' at row 2"),
        ([0, 1, 2, 1], None, "0 or 1; got 2 at row 2"),
        ([0, None], None, "0 or 1"),
        ([[0, 1], [1, 0]], None, "one row of"),
        ("0" * 2048, None, "from 1 to 10; got 11"),
        ("0110", 3, "n = 3 inputs has 8 bits; got 4"),
        (lambda a: a, None, "give n"),
        (lambda a: a, 0, "from 1 to 10"),
        (lambda a: a, 11, "from 1 to 10"),
        (lambda a: a + 1, 1, "0 or 1; got 2 at input"),
        ({"00": 0, "01": 1, "10": 1}, None, "1 are missing, the first"),
        ({"0": 0, "01": 1}, None, "same number of bits"),
        ({"0a": 0}, None, "0 or 1"),
        ({}, None, "same number of bits"),
    ],
)
def test_what_is_no_truth_table_is_refused(source: Any, n: int | None, message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        read_bits(source, n)
