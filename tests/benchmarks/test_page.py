"""The page of the benchmarks says what was measured, and nothing else."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def imported(monkeypatch):
    """A module of benchmarks/ by its name, with those that it imports."""
    if not (ROOT / "benchmarks").exists():
        pytest.skip("tests run apart from the repository")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as they would set it, but undone after
    return importlib.import_module


def test_page_is_that_of_the_result_files(imported):
    record = imported("record").Record.load()
    assert (ROOT / "docs/benchmarks.md").read_text() == imported("page").page(record)


def test_an_exponent_is_the_slope_of_the_logarithms(imported):
    scaling = imported("scaling")
    points = [
        scaling.Point("rows", "hinge", n, 1, 3 * n**power, 0.0, 0.0, 1.0)
        for n, power in [(10, 0.0), (100, 1.5), (1000, 1.5), (10_000, 1.5)]
    ]
    assert scaling.exponents(points, last=3) == {("rows", "hinge"): pytest.approx(1.5)}
    assert scaling.exponents(points)["rows", "hinge"] > 1.6


def test_a_row_without_a_time_of_ours_counts_as_lost(imported):
    page, record = imported("page"), imported("record")
    case = record.Case("w8a", "hinge", bias=False)
    trial = record.Trial(case, "skglm, dual", 1, {}, 2.0, 5.0, 0.0)
    told = record.Record([trial], {case: {"least": 5.0, "bound": 5.0, "by": "skglm, dual"}})
    assert [line.split(":")[0] for line in page.lost(told)] == [
        "- **w8a, hinge**, 1e-03 (–), 1e-06 (–)"
    ]
