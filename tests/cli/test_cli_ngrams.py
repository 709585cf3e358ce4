"""Texts read as the command line says: fit, show, predict, separable, and nothing to read."""

import json
from pathlib import Path

import polars as pl
from commands import ONLY_FIT, refusal, rosenblatt

from rosenblatt import load


def notes() -> None:
    words = [("good", "fine"), ("bad", "poor")]
    texts = [f"it was {words[i % 2][i % 3 > 0]}{'!' * (i % 4)} no {i}" for i in range(40)]
    pl.DataFrame({"note": texts, "kind": ["+-"[i % 2] for i in range(40)]}).write_csv("notes.csv")


def test_texts_are_read_as_is_said() -> None:
    notes()
    written = "ngrams:2-3,unit=character,bits=12,weight=binary"
    said = rosenblatt(
        "fit", "notes.csv", "--features", written, *ONLY_FIT, "-o", "notes.model", "--json"
    )
    told = json.loads(said.out)
    column = {"name": "note", "kind": "text", "n_features": 4096, "ngrams": written}
    assert told["columns"] == [column]
    assert told["training_accuracy"] == 1.0
    assert any(name.startswith('note: "') for name in told["weights"]["-"])
    shown = rosenblatt("show", "notes.model", "--names", "notes.csv").out
    assert f"Columns: note (text, {written})" in shown
    assert 'note: "' in shown
    model = load("notes.model")
    assert model.transformer.columns[0].grams.spec == written
    decided = pl.read_csv(rosenblatt("predict", "notes.model", "notes.csv").out.encode())
    assert decided["prediction"].to_list() == ["+", "-"] * 20


def test_a_verdict_on_characters_is_verified() -> None:
    notes()
    flags = ("--features", "ngrams:1-3,unit=character,bits=10", "--proof", "proof.json")
    assert rosenblatt("separable", "notes.csv", *flags).code == 0
    assert rosenblatt("verify", "proof.json", "notes.csv").code == 0
    assert json.loads(Path("proof.json").read_text())["encoding"]["columns"][0]["bits"] == 10


def test_where_there_is_no_text_it_is_told() -> None:
    Path("numbers.csv").write_text("a,kind\n" + "1,u\n2,v\n" * 5)
    wanted = "no column of numbers.csv looks like text. Name one with --text COLUMN."
    said = refusal("fit", "numbers.csv", "--features", "ngrams:2")
    assert said == f"--features ngrams:2-2: {wanted}"
    Path("rows.svm").write_text("1 1:2\n0 2:1\n" * 5)
    assert "no column of rows.svm" in refusal("fit", "rows.svm", "--features", "ngrams")
    assert refusal("fit", "numbers.csv", "--features", "ngrams:a").startswith("ngrams:a: sizes")
