"""The command line as a user meets it: output, exit code, files."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from rosenblatt.cli.commands import Rule

from rosenblatt.cli.main import main


class Said(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    def command(*words: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["rosenblatt", *words])
        with pytest.raises(SystemExit) as ending:
            main()
        said = capsys.readouterr()
        return Said(int(ending.value.code or 0), said.out, said.err)

    return command


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., str]:
    def write(text: str, name: str = "data.csv") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_fit_explains_a_separable_set(run: Callable[..., Said]) -> None:
    said = run("fit", "builtin:and", "--no-shuffle")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "builtin:and: 4 rows, 2 features; 0 3, 1 1"
    assert lines[2] == "Converged: a pass without a mistake, after 9 passes."
    assert lines[3] == "Right on the training rows: 100.00% (the largest class alone: 75.00%)."
    assert "Separable: 4 rows × 2 features, 2 classes." in said.out


def test_fit_as_json_gives_weights_by_name(run: Callable[..., Said]) -> None:
    said = run("fit", "builtin:iris", "--max-iter", "20", "--json")
    told = json.loads(said.out)
    assert told["rule"] == "Perceptron"
    assert told["settings"]["max_iter"] == 20
    assert len(told["mistakes"]) == 20
    assert not told["converged"]
    assert list(told["weights"]) == ["setosa", "versicolor", "virginica"]
    assert list(told["weights"]["setosa"])[-1] == "bias"
    assert told["separability"]["verdict"] == "inseparable"


@pytest.mark.parametrize("rule", Rule)
def test_fit_by_every_rule(run: Callable[..., Said], rule: Rule) -> None:
    said = run("fit", "builtin:4f10", "--rule", rule.value, "--time-limit", "0")
    assert said.code == 0
    assert said.out.splitlines()[1].startswith(rule.estimator)
    assert "eparable:" not in said.out


@pytest.mark.parametrize(
    "rule", ["batch-perceptron", "passive-aggressive", "fisher-discriminant", "least-squares"]
)
def test_rules_that_separate_these_points(run: Callable[..., Said], rule: str) -> None:
    said = run("fit", "builtin:4f10", "--rule", rule, "--time-limit", "0")
    assert "100.00%" in said.out


def test_a_setting_without_meaning_for_a_rule_is_refused(run: Callable[..., Said]) -> None:
    said = run("fit", "builtin:4f10", "--rule", "least-squares", "--max-iter", "5")
    assert said.code == 2
    assert "--max-iter has no meaning for --rule least-squares" in said.err


def test_a_closed_form_has_no_passes(run: Callable[..., Said]) -> None:
    told = json.loads(run("fit", "builtin:iris", "--rule", "linear-discriminant", "--json").out)
    assert told["passes"] is None
    assert told["mistakes"] is None
    assert told["training_accuracy"] == 0.98
    assert told["outcome"] == "Solved in closed form from 150 rows."


def test_fit_a_csv_by_target_name(run: Callable[..., Said], table: Callable[..., str]) -> None:
    source = table("species,length,width\ncat,1,2\ndog,9,8\ncat,2,1\n")
    told = json.loads(run("fit", source, "--target", "species", "--json").out)
    assert told["classes"] == {"cat": 2, "dog": 1}
    assert list(told["weights"]["dog"]) == ["length", "width", "bias"]


def test_verdict_proof_and_check(run: Callable[..., Said], tmp_path: Path) -> None:
    proof = str(tmp_path / "xor.json")
    said = run("separable", "builtin:xor", "--proof", proof)
    assert said.code == 1
    assert said.out.startswith("Not separable: 4 rows × 2 features, 2 classes.")
    assert run("verify", proof, "builtin:xor") == Said(0, "The proof holds: inseparable.\n", "")
    wrong = run("verify", proof, "builtin:and")
    assert wrong.code == 1
    assert "not those of the proof" in wrong.out


def test_a_separable_set_exits_0_and_its_proof_holds(
    run: Callable[..., Said], tmp_path: Path
) -> None:
    proof = str(tmp_path / "or.json")
    assert run("separable", "builtin:or", "--proof", proof, "--json").code == 0
    told = json.loads(run("verify", proof, "builtin:or", "--json").out)
    assert told["holds"]
    assert told["verdict"] == "separable"


def test_a_tampered_proof_is_refused(run: Callable[..., Said], tmp_path: Path) -> None:
    proof = tmp_path / "xor.json"
    run("separable", "builtin:xor", "--proof", str(proof))
    fields = json.loads(proof.read_text())
    fields["weights"][0] = "1/3"
    proof.write_text(json.dumps(fields))
    said = run("verify", str(proof), "builtin:xor")
    assert said.code == 1
    assert "0" in said.out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,x\n4o,y\n", ("line 3", "'a'", "'4o' is not a number")),
        ("a,b\n1,x\n,y\n", ("line 3", "'a'", "is empty")),
        ("a,b\n1,x\nnan,y\n", ("line 3", "'nan' is not a number")),
        ("a,b\n1,x\n2,\n", ("line 3", "'b'", "label is missing")),
        ("a,b\n1,x\n2,x\n", ("at least 2 classes", "'x'")),
        ("a,b\n", ("no rows",)),
        ("", ("cannot be read",)),
        ("b\nx\ny\n", ("nothing to learn from",)),
        ("a,b\n1,x\n2,y,z\n", ("cannot be read",)),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(
    run: Callable[..., Said], table: Callable[..., str], text: str, words: tuple[str, ...]
) -> None:
    said = run("fit", table(text))
    assert said.code == 2
    assert said.out == ""
    assert said.err.startswith("Error: ")
    for word in words:
        assert word in said.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("fit", "missing.csv"), "does not exist"),
        (("fit", "builtin:irsi"), "Did you mean 'iris'"),
        (("fit", "builtin:iris", "--target", "x"), "its own target"),
        (("fit", "builtin:iris", "--max-iter", "0"), "max_iter must be an integer of at least 1"),
        (("verify", "missing.json", "builtin:xor"), "missing.json"),
        (("separable", "builtin:xor", "--proof", "/nowhere/p.json"), "cannot be written"),
        (("separable", "builtin:xor", "--time-limit", "-1"), "time_limit must be positive"),
    ],
)
def test_misuse_exits_2(run: Callable[..., Said], words: tuple[str, ...], reason: str) -> None:
    said = run(*words)
    assert said.code == 2
    assert reason in said.err


def test_wrong_target_lists_the_columns(
    run: Callable[..., Said], table: Callable[..., str]
) -> None:
    said = run("separable", table("a,b\n1,x\n2,y\n"), "--target", "c")
    assert said.code == 2
    assert "its columns are a, b" in said.err


def test_an_internal_error_is_never_a_verdict(
    run: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("rosenblatt.cli.commands.read", broken)
    said = run("separable", "builtin:xor")
    assert said.code == 70
    assert "RuntimeError: boom" in said.err


def test_help_and_version_load_no_numerics() -> None:
    code = (
        "import sys; sys.argv = ['rosenblatt', '--version']\n"
        "from rosenblatt.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert not {'numba', 'sklearn', 'scipy', 'polars'} & set(sys.modules), sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("rosenblatt 0")
