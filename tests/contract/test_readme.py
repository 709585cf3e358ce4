"""Figures in the README and the docs come from the result file, and from nowhere else."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks/results/perceptron.json"


def test_speed_table_is_that_of_the_result_file() -> None:
    if not RESULTS.exists():
        pytest.skip("tests run apart from the repository")
    _, readme = (ROOT / "README.md").read_text().split("One pass of `Perceptron`")
    shown = [
        line for line in readme.splitlines() if line.startswith(("| MNIST", "| noisy", "| text"))
    ]
    measured = [
        f"| {r['data']} | {r['order']} | {r['ours']:.2f} | {r['scikit_learn']:.2f} |"
        for r in json.loads(RESULTS.read_text())["rows"]
    ]
    assert shown == measured


def test_solver_table_is_that_of_the_page_of_benchmarks() -> None:
    page = ROOT / "docs/benchmarks.md"
    if not page.exists():
        pytest.skip("tests run apart from the repository")
    text = page.read_text().split("## The limits")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if " | no | 1e-0" in line]
    measured = [(r[4], fastest_peer(r[5])) for r in rows if r[1] in {"hinge", "logistic"}]
    table = (ROOT / "README.md").read_text().split("Time of `LinearSVM`")[1].split("Every cont")[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines() if "1e-3" not in line]
    shown = [row[k : k + 2] for row in cells if len(row) == 6 for k in (2, 4)]
    assert [tuple(pair) for pair in shown] == measured
    counts = re.search(r"of (\d+) rows .* in (\d+) a peer is faster", text, re.DOTALL)
    assert counts is not None
    n_rows, n_slower = counts.groups()
    claim = f"in {n_slower} of its {n_rows} rows a peer is faster"
    assert claim in (ROOT / "README.md").read_text()


def test_text_tables_are_those_of_the_result_file() -> None:
    measured = ROOT / "benchmarks/results/texts"
    if not measured.with_suffix(".md").exists():
        pytest.skip("tests run apart from the repository")
    page = (ROOT / "docs/text.md").read_text()
    assert measured.with_suffix(".md").read_text() in page
    assert measured.with_name("text-commands.md").read_text() in page
    record = json.loads(measured.with_suffix(".json").read_text())
    assert f"takes {record['times_less']:.0f} times less" in page
    assert f"(characters: {record['times_less_characters']:.0f} times)" in page
    sentences = measured.with_name("sentences.md").read_text()
    assert sentences in (ROOT / "docs/language-model.md").read_text()


def test_figures_of_capacity_are_those_of_the_result_file() -> None:
    measured = ROOT / "benchmarks/results/capacity.json"
    if not measured.exists():
        pytest.skip("tests run apart from the repository")
    page = " ".join((ROOT / "docs/features.md").read_text().split())
    record = json.loads(measured.read_text())
    first, last = record["errors"][0], record["errors"][-1]
    for part in ("training", "test"):
        assert f"from {100 * first[part]:.2f} % to {100 * last[part]:.2f} %" in page
    verdicts = {int(n): told for n, told in record["verdicts"].items()}
    enough = min(n for n, told in verdicts.items() if told["verdict"] == "separable")
    little = max(n for n, told in verdicts.items() if told["verdict"] == "inseparable")
    assert f"With {enough:,} products" in page
    assert f"with {little:,} none does: {verdicts[little]['rows']:,} images" in page


def test_figures_of_images_are_those_of_the_result_file() -> None:
    measured = ROOT / "benchmarks/results/images.json"
    if not measured.exists():
        pytest.skip("tests run apart from the repository")
    page, record = (ROOT / "docs/images.md").read_text(), json.loads(measured.read_text())
    assert f"take {record['speed']['times faster']:.0f} times less" in page
    for each in record["errors"]:
        told = (f"{each['features']:,}", f"{each['test error']:.2f}")
        assert f"| {' | '.join(told)} | {each['processor seconds']:.0f} |" in page


FILES = {
    "svmlight": "svmlight, 700,000 rows, 52 million entries: one pass",
    "csv": "CSV, 1,000,000 × 28: perceptron",
    "csv-logistic": "CSV, 1,000,000 × 28: logistic regression",
}


def test_figures_of_files_are_those_of_the_result_files() -> None:
    results = ROOT / "benchmarks/results"
    if not results.exists():
        pytest.skip("tests run apart from the repository")
    page = (ROOT / "docs/files.md").read_text()
    prose = " ".join(page.split())
    beginnings = tuple(f"| {what} |" for what in FILES.values())
    shown = [line for line in page.splitlines() if line.startswith(beginnings)]
    contests = json.loads((results / "files.json").read_text())["contests"]
    measured = []
    for contest, what in FILES.items():
        contenders = contests[contest]["contenders"]
        ours = next(iter(contenders.values()))
        for name, theirs in contenders.items():
            if not name.startswith(("rosenblatt", "bytes")):
                ratios = [theirs[clock] / ours[clock] for clock in ("whole", "work")]
                measured.append(f"| {what} | {name} | {ratios[0]:.1f} | {ratios[1]:.1f} |")
    assert shown == measured
    commands = json.loads((results / "commands.json").read_text())
    for figure in (
        f"takes {commands['start']['help']:.2f} s",
        f"ten rows {commands['start']['predict 10 rows']:.2f} s",
        f"{commands['predict']['predict / our reader parses']:.1f} times as long as our reader",
        f"{commands['predict']['predict / polars parses']:.1f} times as long as polars",
        f"in {commands['memory']['peak megabytes of its own']:.0f} MB",
        f"in {commands['memory']['separable: peak megabytes of its own']:.0f} MB",
    ):
        assert figure in prose
    deciding = commands["memory"]["separable: peak megabytes of its own"]
    separability = " ".join((ROOT / "docs/separability.md").read_text().split())
    assert f"{deciding:.0f} MB for a table of" in separability


def test_shares_of_choosing_are_those_of_the_result_file() -> None:
    measured = ROOT / "benchmarks/results/choosing.json"
    if not measured.exists():
        pytest.skip("tests run apart from the repository")
    page = " ".join((ROOT / "docs/svm.md").read_text().split())
    shares: dict[bool, list[float]] = {True: [], False: []}
    for row in json.loads(measured.read_text())["rows"]:
        shares[row["data"].startswith(("sonar", "breast"))].append(100 * row["share"])
    claims = ((False, "of the processor time with thousands of rows"), (True, "with a few hundred"))
    for few, rest in claims:
        assert f"{min(shares[few]):.0f} to {max(shares[few]):.0f} % {rest}" in page


def fastest_peer(told: str) -> str:
    return told.replace("scikit-learn ", "").replace("none in time", "none")
