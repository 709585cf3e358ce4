"""`rosenblatt fit --report`: a page beside the answer, or a refusal before the work."""

import json
from html import escape
from pathlib import Path

from commands import ONLY_FIT, PETS, QUICKLY, refusal, rosenblatt


def test_a_report_is_written_beside_the_answer() -> None:
    said = rosenblatt("fit", "pets.csv", *QUICKLY, "--report", "pets.html")
    assert said.code == 0
    assert said.out.endswith("Report saved to pets.html.\n")
    page = Path("pets.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "rosenblatt fit pets.csv --rule perceptron --proof-seconds 0 --report pets.html" in page
    assert "80.00 %" in page


def test_json_names_the_report_and_a_model_does_not() -> None:
    said = rosenblatt("fit", "pets.csv", *ONLY_FIT, "--report", "a.html", "-o", "a.model", "--json")
    assert json.loads(said.out)["report"] == "a.html"
    shown = json.loads(rosenblatt("show", "a.model", "--json").out)
    assert "report" not in shown["training"]


def test_text_and_words_are_reported_too() -> None:
    words = [*PETS.splitlines()[1:]]
    lines = ["note,kind"]
    lines += [
        f"it says {'woof woof' if 'dog' in w else 'meow'} {k},{w.split(',')[-1]}"
        for k, w in enumerate(words)
    ]
    Path("notes.csv").write_text("\n".join(lines))
    said = rosenblatt("fit", "notes.csv", "--text", "note", *ONLY_FIT, "--report", "notes.html")
    assert said.code == 0
    assert "woof" in Path("notes.html").read_text()


def test_a_place_that_cannot_be_written_to_is_refused_before_the_work() -> None:
    words = ("fit", "pets.csv", *ONLY_FIT, "--report")
    assert refusal(*words, "no/a.html") == "no/a.html cannot be written: there is no folder no."
    Path("a-folder").mkdir()
    assert refusal(*words, "a-folder") == "a-folder is a folder; name a file for the report."


def test_a_comparison_has_a_report_too() -> None:
    words = ("--rule", "least-squares", "--features", "products", "--proof-seconds", 1)
    said = rosenblatt("compare", "builtin:xor-clouds", *words, "--report", "xor.html", "--json")
    assert said.code == 0
    told = json.loads(said.out)
    page = Path("xor.html").read_text()
    assert escape(told["conclusion"]) in page
    for entry in told["results"]:
        assert f"{100 * entry['accuracy']:.2f}" in page
    assert "rosenblatt compare builtin:xor-clouds" in page
    asked = ("compare", "builtin:xor-clouds", "--report", "no/xor.html")
    assert refusal(*asked) == "no/xor.html cannot be written: there is no folder no."


def test_one_class_has_no_report() -> None:
    Path("one.csv").write_text("a,kind\n1,cat\n2,cat\n")
    refusal("fit", "one.csv", *ONLY_FIT, "--report", "one.html")
    assert not Path("one.html").exists()
