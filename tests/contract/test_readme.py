"""Figures of speed in the README come from the result file, and from nowhere else."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks/results/perceptron.json"


def test_speed_table_is_that_of_the_result_file() -> None:
    if not RESULTS.exists():
        pytest.skip("tests run apart from the repository")
    readme = (ROOT / "README.md").read_text()
    shown = [
        line for line in readme.splitlines() if line.startswith(("| MNIST", "| noisy", "| text"))
    ]
    measured = [
        f"| {r['data']} | {r['order']} | {r['ours']:.2f} | {r['scikit_learn']:.2f} |"
        for r in json.loads(RESULTS.read_text())["rows"]
    ]
    assert shown == measured
