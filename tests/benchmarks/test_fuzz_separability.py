"""A short run of the fuzz harness: no wrong verdict, no wrong kind, no crash."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "fuzz_separability.py"
PROBLEMS = 150
KNOWN = [62, 296, 431, 764, 4721]  # once without an end, or an error: integers beyond 2¹⁰²⁴, 5e-324


@pytest.fixture(scope="module")
def fuzz():
    spec = spec_from_file_location("fuzz_separability", PATH)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_referee_by_hand(fuzz):
    square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert fuzz.referee(square, [0, 0, 0, 1], fit_intercept=True) == "separable"
    assert fuzz.referee(square, [0, 1, 1, 0], fit_intercept=True) == "overlap"
    assert fuzz.referee(square, [0, 1, 1, 1], fit_intercept=False) == "touching"  # (0, 0) ties
    assert fuzz.referee([[0], [0], [1]], ["a", "b", "c"], fit_intercept=True) == "touching"
    assert fuzz.most_positive(fuzz.signed_vectors(square, [0, 0, 0, 1], fit_intercept=True)) == 4


def test_no_problem_is_decided_wrongly(fuzz):
    results = {i: fuzz.outcome(fuzz.problem_of(1, i)) for i in range(PROBLEMS)}
    results |= {(0, i): fuzz.outcome(fuzz.problem_of(0, i)) for i in KNOWN}
    assert {i: r for i, r in results.items() if not r.startswith("right")} == {}
    assert len(set(results.values())) == 3
