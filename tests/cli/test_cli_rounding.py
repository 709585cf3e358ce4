"""Verdicts say which cells were rounded to float64: a referee in exact fractions counts them."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from commands import refusal, rosenblatt
from scipy import sparse

Cells = list[int]
BASES = (2**53 - 2, 1_700_000_000_123_456_789, 2**63 - 40, 2**60, 5)
SCALED = (0.1, 1 / 3, 1e-9, 1e100, 123456.789, 2.0**60)


def integers(base: int) -> Cells:
    rng = np.random.default_rng(base % 1000)
    return [base + int(step) for step in rng.integers(0, 40, 30)]


def lost(cells: Cells) -> int:
    return sum(Fraction(float(cell)) != cell for cell in cells)


def frame() -> pl.DataFrame:
    """A column of integers for each base, and the labels."""
    columns = {f"x{j}": integers(base) for j, base in enumerate(BASES)}
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Int64)).with_columns(
        kind=pl.Series(["a", "b"] * 15)
    )


def expected(first: int) -> list[dict[str, Any]]:
    """What is to be said of columns that are numbered from `first`."""
    counts = [lost(integers(base)) for base in BASES]
    assert list(map(bool, counts)) == [True, True, True, True, False]
    lines = [{"column": f"x{j}", "integers": n, "decimals": 0} for j, n in enumerate(counts, first)]
    return lines[:-1]


def write_svmlight(path: str) -> None:
    rows = zip(*map(integers, BASES), strict=True)
    entries = [" ".join(f"{j}:{v}" for j, v in enumerate(row, 1)) for row in rows]
    lines = [f"{i % 2} {text} # 1:9007199254740993" for i, text in enumerate(entries)]
    Path(path).write_text("\n".join(lines))


def write_arrays(path: str) -> None:
    X, y = frame().drop("kind").to_numpy(), np.arange(30) % 2
    if path.endswith(".npz"):
        sparse.save_npz("plain.npz", sparse.csr_array(X))
        np.savez(path, **np.load("plain.npz"), y=y)
    else:
        np.save(path, np.column_stack([X, y]))


FILES = {
    "t.csv": lambda path: frame().write_csv(path),
    "t.tsv": lambda path: frame().write_csv(path, separator="\t", quote_style="always"),
    "t.jsonl": lambda path: frame().write_ndjson(path),
    "t.parquet": lambda path: frame().cast({"x0": pl.UInt64, "x1": pl.Int128}).write_parquet(path),
    "t.arrow": lambda path: frame().cast({"x1": pl.Decimal(30, 2)}).write_ipc(path),
    "t.svm": write_svmlight,
    "t.npy": write_arrays,
    "t.npz": write_arrays,
}
MATRICES = ("t.svm", "t.npy", "t.npz")  # whose columns have no names


@pytest.mark.parametrize("path", FILES)
def test_integers_that_float64_does_not_hold_are_counted(path: str) -> None:
    FILES[path](path)
    wanted = expected(first=1 if path in MATRICES else 0)
    said = rosenblatt("separable", path, "--use", "all", "--json", "--proof", "proof.json")
    question = json.loads(said.out)["question"]
    assert question["rounded"] == wanted
    encoding = json.loads(Path("proof.json").read_text())["encoding"]
    assert encoding["rounded"] == [{k: each[k] for k in ("column", "integers")} for each in wanted]
    first = f"{wanted[0]['integers']} cells of '{wanted[0]['column']}'"
    for command in (("separable", path, "--use", "all"), ("verify", "proof.json", path)):
        assert f"Integers beyond 2^53 are rounded to float64: {first}, " in rosenblatt(*command).out


def test_a_proof_that_hides_the_rounding_is_refused_and_fit_says_it() -> None:
    frame().write_csv("t.csv")
    frame().write_parquet("t.parquet")
    rosenblatt("separable", "t.csv", "--use", "all", "--proof", "proof.json")
    assert rosenblatt("verify", "proof.json", "t.parquet").code == 0
    fields = json.loads(Path("proof.json").read_text())
    fields["encoding"]["rounded"].pop()
    Path("forged.json").write_text(json.dumps(fields))
    said = rosenblatt("verify", "forged.json", "t.csv")
    assert said.code == 1
    assert "integers that are rounded" in said.out
    assert "\nIntegers beyond 2^53 are rounded" in rosenblatt("fit", "t.csv", "--use", "all").out


@pytest.mark.parametrize("form", ["{!r}", "{:.17g}", "{:.18e}", "{:.15g}"])
def test_decimals_that_float64_tells_apart_are_nothing_to_say(form: str) -> None:
    values = np.random.default_rng(0).standard_normal(60) * np.resize(SCALED, 60)
    cells = [form.format(float(value)) for value in np.tile(values, 2)]
    rows = [f"{cell},{i % 2}" for i, cell in enumerate(cells)]
    Path("t.csv").write_text("\n".join(["x,y", *rows]))
    said = rosenblatt("separable", "t.csv", "--json")
    assert json.loads(said.out)["question"]["rounded"] == []


@pytest.mark.parametrize("path", ["t.csv", "t.tsv", "t.jsonl"])
def test_different_decimals_that_become_equal_are_counted(path: str) -> None:
    cells = [f"0.12345678901234567890123{i % 3}" for i in range(9)]  # 0.…1230 is another
    cells += ["0.1", "0.10", "1e-1", "0.5", "0.50", "0.3", "0.30000000000000004"] * 2
    rows = [(cell, "ab"[i % 2]) for i, cell in enumerate(cells)]
    if path == "t.jsonl":
        lines = [f'{{"x": {cell}, "k": "{label}"}}' for cell, label in rows]
    elif path == "t.tsv":
        lines = ["x\tk", *(f"{cell.replace('.', ',')}\t{label}" for cell, label in rows)]
    else:
        lines = ["x,k", *map(",".join, rows)]
    Path(path).write_text("\n".join(lines))
    said = rosenblatt("separable", path, "--json", "--proof", "proof.json")
    found = json.loads(said.out)["question"]
    assert found["rounded"] == [{"column": "x", "integers": 0, "decimals": 9}]
    sentence = "Different decimals become equal as float64: 9 cells of 'x'."
    assert found["effect_of_rounding"] == sentence
    assert sentence in rosenblatt("verify", "proof.json", path).out


def test_decimals_below_all_floats_become_zero() -> None:
    rows = ["1e-400,a", "-1e-500,b", "1E-99999999999999999999,a", "1e-300,b", "2.5e-310,a"]
    Path("t.csv").write_text("\n".join(["x,k", *rows, "0.5,b"]))
    found = json.loads(rosenblatt("separable", "t.csv", "--json").out)["question"]
    assert found["rounded"] == [{"column": "x", "integers": 0, "decimals": 3}]


def test_products_of_short_integers_are_not_rounded_to_float32() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(4000, 30_000, (40, 3)).astype(np.int16), np.arange(40) % 2
    np.savez("t.npz", X=X, y=y)
    words = ("t.npz", "--features", "products", "--proof", "proof.json", "--write-matrix", "m")
    said = rosenblatt("separable", *words).out
    assert said.endswith("mapped by products in float64 from 3 features.\n")
    exact = X.astype(object)
    wanted = [exact[:, i] * exact[:, j] for i in range(3) for j in range(i + 1, 3)]
    assert np.load("m.X.npy").T[3:].tolist() == [column.tolist() for column in wanted]
    assert rosenblatt("verify", "proof.json", "t.npz").code == 0
    fitted = json.loads(rosenblatt("fit", "t.npz", "--features", "products", "--json").out)
    mapped = fitted["separability_of_mapped_features"]["question"]
    assert mapped["precision"] in mapped["statement"]


def test_categories_without_a_feature_are_told() -> None:
    rows = [f"v{i % 1500},{i % 7},{'ab'[i % 2]}" for i in range(3000)]
    for name, kept in (("many.csv", rows), ("few.csv", rows[:1000] * 2)):
        Path(name).write_text("\n".join(["c,x,k", *kept]))
    many = rosenblatt("separable", "many.csv", "--proof", "proof.json").out
    assert "c (category, the 1,000 values that are most frequent)" in many
    assert "1,000 values that are most" in rosenblatt("verify", "proof.json", "many.csv").out
    assert "c (category, 1,000 values)" in rosenblatt("separable", "few.csv").out


def test_columns_left_out_are_rounded_too() -> None:
    rows = [f"{2**53 + i % 2},{i % 5},{i % 2}" for i in range(40)]
    Path("t.csv").write_text("\n".join(["n,x,y", *rows]))
    said = rosenblatt("separable", "t.csv").out.splitlines()
    assert "'n' (it has the same value as float64 in every row)" in said[0]
    assert said[0].endswith("are rounded to float64: 20 cells of 'n'.")
    assert "rounded" not in said[-1]


def test_labels_that_float64_does_not_tell_apart_are_refused() -> None:
    rows = [f'{{"x": {i * i % 7}, "y": {2**53 + i % 2 if i else 0.0}}}' for i in range(40)]
    Path("t.jsonl").write_text("\n".join(rows))
    Path("t.svm").write_text("\n".join(f"{2**53 + i % 2} 1:{i}" for i in range(40)))
    for path in ("t.jsonl", "t.svm"):
        assert "beyond 2^53" in refusal("separable", path)
