"""Counts of threshold functions, and the symmetry they rest on."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest

from rosenblatt.errors import ParameterError, ProofError
from rosenblatt.logic import count as counting
from rosenblatt.logic.count import (
    census,
    class_size,
    count_threshold_functions,
    regular_functions,
    threshold_classes,
    truth_tables,
)
from rosenblatt.logic.truth_table import Bits, inputs

KNOWN = {1: 4, 2: 14, 3: 104, 4: 1882, 5: 94_572, 6: 15_028_134}
REGULAR = {1: 3, 2: 5, 3: 10, 4: 27, 5: 119, 6: 1173}


@pytest.mark.parametrize("n", KNOWN)
def test_counts_are_the_known_ones(n: int) -> None:
    assert count_threshold_functions(n) == KNOWN[n]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_each_function_and_classes_give_the_same_count(n: int) -> None:
    assert sum(found.size for found in threshold_classes(n)) == KNOWN[n]


@pytest.mark.parametrize("n", REGULAR)
def test_regular_functions_are_as_many_as_known(n: int) -> None:
    functions = regular_functions(n)
    assert len(functions) == len(set(functions)) == REGULAR[n]


def orbit(bits: Bits) -> set[Bits]:
    n = len(bits).bit_length() - 1
    x = inputs(n)
    weights = 2 ** np.arange(n - 1, -1, -1)
    members = set()
    for order, flips in product(permutations(range(n)), product((0, 1), repeat=n)):
        rows = (x[:, order] ^ np.array(flips)) @ weights
        members.add(tuple(bits[row] for row in rows))
    return members


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_classes_are_disjoint_orbits_that_hold_all_threshold_functions(n: int) -> None:
    orbits = [orbit(found.table) for found in threshold_classes(n)]
    assert [len(members) for members in orbits] == [found.size for found in threshold_classes(n)]
    together = set().union(*orbits)
    assert len(together) == sum(map(len, orbits))
    realizable = truth_tables(census(n).realizable, n).astype(int)
    assert together == {tuple(bits) for bits in realizable.tolist()}


@pytest.mark.parametrize("n", [4, 5])
def test_class_sizes_are_those_of_the_orbits(n: int) -> None:
    for bits in regular_functions(n)[::9]:
        assert class_size(bits) == len(orbit(bits))


def test_representatives_have_ordered_weights() -> None:
    for found in threshold_classes(5):
        assert found.unit.truth_table() == found.table
        assert list(found.unit.weights) == sorted(found.unit.weights, reverse=True)
        assert min(found.unit.weights) >= 0


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_census_proves_every_function(n: int) -> None:
    found = census(n)
    assert found.verify()
    assert len(found.realizable) == KNOWN[n]
    assert len(found.unrealizable) == 2**2**n - KNOWN[n]


def test_the_census_is_right_in_plain_integers() -> None:
    found = census(3)
    rows = list(product((0, 1), repeat=3))
    for number, (*w, b) in zip(found.realizable.tolist(), found.units.tolist(), strict=True):
        said = [int(sum(p * q for p, q in zip(w, x, strict=True)) + b >= 0) for x in rows]
        assert int("".join(map(str, said)), 2) == number
    for number, (a, b, c, d) in zip(found.unrealizable, found.pairs.tolist(), strict=True):
        bits = f"{number:08b}"
        assert bits[a] + bits[b] + bits[c] + bits[d] == "1100"
        for j in range(3):
            assert rows[a][j] + rows[b][j] == rows[c][j] + rows[d][j]


def test_a_census_that_lies_is_refused() -> None:
    found = census(2)
    with pytest.raises(ProofError, match="every function"):
        replace(found, realizable=found.realizable[1:]).verify()
    with pytest.raises(ProofError, match="unit"):
        replace(found, units=-found.units - 1).verify()
    with pytest.raises(ProofError, match="pairs"):
        replace(found, pairs=found.pairs[:, [0, 2, 1, 3]]).verify()
    with pytest.raises(ProofError, match="pairs"):
        replace(found, pairs=np.zeros_like(found.pairs)).verify()


def test_a_census_with_open_questions_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "equal_sums", lambda _: np.zeros((0, 4), dtype=np.int64))
    with pytest.raises(ProofError, match="2 functions of 2 inputs were not decided"):
        census(2)


@pytest.mark.parametrize("count", [count_threshold_functions, threshold_classes, census])
@pytest.mark.parametrize("n", [0, 8])
def test_too_many_inputs_are_refused(count: object, n: int) -> None:
    with pytest.raises(ParameterError, match=f"got n = {n}"):
        count(n)  # type: ignore[operator]
