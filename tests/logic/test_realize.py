"""Every Boolean function: a unit, or the proof that there is none and a network."""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rosenblatt.errors import ProofError
from rosenblatt.logic import decide, gates, smallest_weights
from rosenblatt.logic.count import threshold_classes
from rosenblatt.logic.realize import Realizable, Unrealizable, realize
from rosenblatt.logic.truth_table import Bits, inputs
from rosenblatt.logic.two_layer import candidates
from rosenblatt.logic.units import ThresholdUnit
from rosenblatt.separation.decide import separability


def table(number: int, n: int) -> Bits:
    return tuple(int(bit) for bit in f"{number:0{2**n}b}")


@cache
def brute_force(n: int, largest: int = 3) -> dict[Bits, int]:
    """Least Σ|w_j| of every function that some unit with small integer weights computes."""
    least: dict[Bits, int] = {}
    rows = list(product((0, 1), repeat=n))
    for w in product(range(-largest, largest + 1), repeat=n):
        scores = [sum(a * b for a, b in zip(w, x, strict=True)) for x in rows]
        size = sum(map(abs, w))
        for b in range(-max(scores) - 1, -min(scores) + 1):
            bits = tuple(int(score + b >= 0) for score in scores)
            least[bits] = min(size, least.get(bits, size))
    return least


def rows_sum_to_zero(answer: Unrealizable) -> bool:
    """The proof, checked by a few lines that share nothing with the library."""
    n = len(answer.table).bit_length() - 1
    total = [0] * (n + 1)
    for row, weight in zip(answer.rows, answer.weights, strict=True):
        assert isinstance(weight, int)
        assert weight > 0
        sign = 1 if answer.table[row] else -1
        for j, bit in enumerate([*map(int, f"{row:0{n}b}"), 1]):
            total[j] += sign * weight * bit
    return len(answer.rows) > 0 and not any(total)


def lp_says_realizable(bits: Bits) -> bool:
    n = len(bits).bit_length() - 1
    Z = np.column_stack([inputs(n), np.ones(2**n)])
    A = np.where(np.array(bits) == 1, -1.0, 1.0)[:, None] * Z
    result = linprog(np.zeros(n + 1), A_ub=A, b_ub=-np.ones(2**n), bounds=(None, None))
    return bool(result.status == 0)


def perceptron_says_realizable(bits: Bits) -> bool:
    """The lecture's perceptron in integers: no mistake in a pass, or the weights come back."""
    n = len(bits).bit_length() - 1
    rows = [(*x, 1) for x in product((0, 1), repeat=n)]
    w, seen = [0] * (n + 1), set()
    while tuple(w) not in seen:
        seen.add(tuple(w))
        mistakes = 0
        for x, bit in zip(rows, bits, strict=True):
            y = 1 if bit else -1
            if y * sum(a * b for a, b in zip(w, x, strict=True)) <= 0:
                w = [a + y * b for a, b in zip(w, x, strict=True)]
                mistakes += 1
        if mistakes == 0:
            return True
    return False


def check(answer: Realizable | Unrealizable) -> None:
    n = len(answer.table).bit_length() - 1
    assert answer.verify()
    if isinstance(answer, Realizable):
        assert all(isinstance(w, int) for w in (*answer.unit.weights, answer.unit.intercept))
        assert tuple(answer.unit(inputs(n)).tolist()) == answer.table
    else:
        assert rows_sum_to_zero(answer)
        assert tuple(answer.network(inputs(n)).tolist()) == answer.table


@pytest.mark.parametrize("n", [1, 2, 3])
def test_all_functions_of_up_to_three_inputs(n: int) -> None:
    least = brute_force(n)
    for number in range(2**2**n):
        answer = realize(table(number, n))
        check(answer)
        assert isinstance(answer, Realizable) == (answer.table in least)
        assert perceptron_says_realizable(answer.table) == (answer.table in least)
        if isinstance(answer, Realizable):
            assert answer.minimal
            assert sum(abs(w) for w in answer.unit.weights) == least[answer.table]
    assert len(least) == {1: 4, 2: 14, 3: 104}[n]


@pytest.mark.parametrize("n", [2, 3])
def test_networks_of_three_inputs_are_as_small_as_can_be(n: int) -> None:
    # two hidden units are needed where one unit is not enough; parity of three needs three,
    # since no function of two half-spaces of the cube is true on its four odd corners alone
    parity = inputs(n).sum(axis=1) % 2
    for number in range(2**2**n):
        answer = realize(table(number, n))
        if isinstance(answer, Unrealizable):
            odd = n == 3 and len({*(parity ^ np.array(answer.table)).tolist()}) == 1
            assert len(answer.network.hidden) == (3 if odd else 2)


def test_samples_of_four_inputs_agree_with_a_linear_program(rng: np.random.Generator) -> None:
    least = brute_force(4)
    functions = list(least)
    sample = [functions[k] for k in rng.choice(len(functions), 100, replace=False)]
    sample += [table(int(number), 4) for number in rng.integers(0, 2**16, 100)]
    for bits in sample:
        answer = realize(bits)
        check(answer)
        assert isinstance(answer, Realizable) == lp_says_realizable(bits) == (bits in least)
        assert perceptron_says_realizable(bits) == (bits in least)
        if isinstance(answer, Realizable):
            assert answer.minimal
            assert sum(abs(w) for w in answer.unit.weights) == least[bits]
        else:
            assert len(answer.network.hidden) <= 4


@settings(max_examples=60)
@given(st.data())
def test_any_function_of_up_to_six_inputs(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 6))
    bits = table(data.draw(st.integers(0, 2**2**n - 1)), n)
    answer = realize(bits)
    check(answer)
    if len(set(bits)) == 2:
        verdict = separability(inputs(n), bits)
        assert (verdict.answer == "separable") == isinstance(answer, Realizable)


@settings(max_examples=60)
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=7), st.integers(-60, 60))
def test_the_function_of_a_unit_is_realizable_with_no_larger_weights(
    weights: list[int], bias: int
) -> None:
    unit = ThresholdUnit(tuple(weights), bias)
    answer = realize(unit)
    check(answer)
    assert isinstance(answer, Realizable)
    assert answer.minimal
    assert sum(map(abs, answer.unit.weights)) <= sum(map(abs, weights))


def test_xor_is_proved_by_its_four_rows_and_built_as_in_the_lecture() -> None:
    answer = realize("0110")
    assert isinstance(answer, Unrealizable)
    assert (answer.rows, answer.weights) == ((0, 1, 2, 3), (1, 1, 1, 1))
    tables = [unit.truth_table() for unit in (*answer.network.hidden, answer.network.output)]
    assert tables == [unit.truth_table() for unit in (gates.OR, gates.NAND, gates.AND)]
    assert answer.sums() == "01 + 10 (true) = 00 + 11 (false)"
    assert "No unit computes this function of 2 inputs" in str(answer)


@pytest.mark.parametrize("n", [2, 4, 6, 8, 10])
def test_parity_needs_no_more_hidden_units_than_inputs(n: int) -> None:
    answer = realize(gates.parity(n))
    check(answer)
    assert isinstance(answer, Unrealizable)
    assert len(answer.rows) == 4
    assert len(answer.network.hidden) == n


@pytest.mark.parametrize("gate", ["AND", "OR", "NOT", "NAND", "NOR", "MAJORITY"])
def test_gates_come_back_with_weights_of_one(gate: str) -> None:
    answer = realize(getattr(gates, gate))
    assert isinstance(answer, Realizable)
    assert {abs(w) for w in answer.unit.weights} == {1}


@pytest.mark.parametrize("value", [0, 1])
def test_constants_need_no_weights(value: int) -> None:
    answer = realize([value] * 8)
    check(answer)
    assert isinstance(answer, Realizable)
    assert answer.unit.weights == (0, 0, 0)
    assert answer.minimal


def test_the_smallest_weights_of_five_inputs_are_proved_for_every_class() -> None:
    largest = 0
    for found in threshold_classes(5):
        answer = realize(found.table)
        assert isinstance(answer, Realizable)
        assert answer.minimal
        largest = max(largest, *answer.unit.whole[:-1])
    assert largest == 5  # as in Muroga's tables


def test_a_comparison_of_ten_bits_has_fibonacci_weights() -> None:
    answer = realize(lambda *x: int("".join(map(str, x)), 2) >= 341, n=10)
    assert isinstance(answer, Realizable)
    assert answer.unit == ThresholdUnit((55, 34, 21, 13, 8, 5, 3, 2, 1, 1), -55)
    assert answer.minimal
    assert "No unit has a smaller sum" in str(answer)


@pytest.mark.parametrize("n", [7, 8, 9, 10])
def test_random_functions_of_many_inputs(n: int, rng: np.random.Generator) -> None:
    answer = realize(rng.integers(0, 2, 2**n))
    check(answer)
    assert isinstance(answer, Unrealizable)
    assert len(answer.network.hidden) <= 2**n / 6  # a third of one unit a minterm


def separability_alone(bits: Bits, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(decide, "opposing_pairs", lambda _: None)
    monkeypatch.setattr(decide, "perceptron", lambda _: (np.zeros((1, 1)), np.array([False])))
    return realize(bits)


@pytest.mark.parametrize("number", [0x6996, 0x1EE1, 0x0660, 0x177F, 0x8000, 0xFEE8])
def test_the_exact_engine_agrees_with_the_quick_ones(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bits = table(number, 4)
    quick = realize(bits)
    slow = separability_alone(bits, monkeypatch)
    check(slow)
    assert type(slow) is type(quick)


def test_a_sum_of_more_than_two_rows_is_written_with_its_weights() -> None:
    bits = realize("0110").table
    answer = Unrealizable(bits, (0, 1, 2, 3), (3, 3, 3, 3), gates.XOR)
    assert answer.verify()
    assert answer.sums() == "3·01 + 3·10 (true) = 3·00 + 3·11 (false)"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rows": (), "weights": ()}, "each row once"),
        ({"rows": (0, 1, 1, 3)}, "each row once"),
        ({"weights": (1, 1, 1)}, "with one weight"),
        ({"rows": (0, 1, 2, 4)}, "outside"),
        ({"weights": (1, 1, 1, 0)}, "positive integer"),
        ({"weights": (1.0, 1, 1, 1)}, "positive integer"),
        ({"weights": (2, 1, 1, 1)}, "differ in sum"),
        ({"weights": (2, 1, 2, 1)}, "not 0 in x1"),
        ({"table": (0, 1, 1, 1)}, "differ in sum"),
        ({"network": gates.parity(2), "table": (1, 0, 0, 1)}, "network does not"),
    ],
)
def test_tampered_proofs_are_refused(change: dict[str, Any], reason: str) -> None:
    answer = realize("0110")
    assert isinstance(answer, Unrealizable)
    with pytest.raises(ProofError, match=reason):
        replace(answer, **change).verify()


def test_a_wrong_unit_is_refused() -> None:
    answer = realize("0111")
    assert isinstance(answer, Realizable)
    with pytest.raises(ProofError, match="gives 0 on row 1"):
        replace(answer, unit=gates.AND).verify()
    with pytest.raises(ProofError, match="has 2 inputs and the unit 3"):
        replace(answer, unit=gates.MAJORITY).verify()


def test_without_a_linear_program_the_perceptrons_weights_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rosenblatt.logic.realize.smallest", lambda *_: None)
    answer = realize("0001")
    check(answer)
    assert isinstance(answer, Realizable)
    assert not answer.minimal
    assert "not proved" in str(answer)


def test_a_fractional_program_is_made_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rounded = smallest_weights._rounded
    calls: list[int] = []

    def fail_once(*arguments: Any) -> ThresholdUnit | None:
        calls.append(1)
        return None if len(calls) == 1 else rounded(*arguments)

    monkeypatch.setattr(smallest_weights, "_rounded", fail_once)
    answer = realize(gates.MAJORITY)
    assert isinstance(answer, Realizable)
    assert answer.unit == ThresholdUnit((1, 1, 1), -2)
    assert answer.minimal
    assert len(calls) == 2


def test_rows_that_no_unit_decides_have_no_smallest() -> None:
    assert smallest_weights.smallest(inputs(2), np.array([0, 1, 1, 0])) is None


@pytest.mark.parametrize("n", [3, 6, 10])
def test_every_row_is_outermost_in_some_direction(n: int, rng: np.random.Generator) -> None:
    scores = candidates(rng.integers(0, 2, 2**n)).scores
    alone = (scores == scores.max(axis=0)).sum(axis=0) == 1
    assert set(scores[:, alone].argmax(axis=0).tolist()) == set(range(2**n))
