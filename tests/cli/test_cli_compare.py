"""`rosenblatt compare`: options, JSON, and sentences for what goes wrong."""

import json
from pathlib import Path

from commands import refusal, rosenblatt

QUICKLY = ("--rule", "least-squares", "--features", "none", "--proof-seconds", "0")


def test_text_and_json_tell_the_same():
    command = ("compare", "builtin:rings", "--rule", "least-squares", "--features", "radial")
    text, plain = rosenblatt(*command), rosenblatt(*command, "--json")
    assert (text.code, plain.code, plain.err) == (0, 0, "")
    told = json.loads(plain.out)
    assert [entry["feature_map"] for entry in told["results"]] == ["none", "radial", "none", "none"]
    assert text.out.startswith("builtin:rings: 200 rows, 2 features; -1 100, 1 100\n")
    for entry in told["results"]:
        low, high = entry["accuracy_interval"]
        interval = f"({100 * low:.1f}–{100 * high:.1f} %)"
        assert f"{100 * entry['accuracy']:.2f} % {interval}" in text.out
    beginning, *_ = told["conclusion"].split(", at 1.5 times")
    assert beginning in text.out
    verdicts = [feature_set["separability"]["verdict"] for feature_set in told["feature_sets"]]
    assert verdicts == ["inseparable", "separable"]


def test_options_reach_the_comparison():
    said = rosenblatt("compare", "builtin:iris", *QUICKLY, "--folds", 3, "--seed", 9, "--json")
    told = json.loads(said.out)
    assert (told["n_folds"], told["seed"], len(told["feature_sets"])) == (3, 9, 1)
    assert told["feature_sets"][0]["separability"] is None
    more = rosenblatt(
        "compare", "pets.csv", *QUICKLY, "--rule", "perceptron", "--drop", "bark", "--json"
    )
    told = json.loads(more.out)
    assert (told["target"], told["class_counts"], told["n_folds"]) == (
        "kind",
        {"cat": 5, "dog": 5},
        5,
    )
    assert [entry["rule"] for entry in told["results"]][:2] == ["least-squares", "perceptron"]
    assert told["n_features"] == 5  # pounds, whether they are missing, three colours


def test_misuse():
    assert "no feature map 'magic'" in refusal("compare", "pets.csv", "--features", "magic")
    assert "'magic' is not one of" in refusal("compare", "pets.csv", "--rule", "magic")
    assert "has no column 'sort'" in refusal("compare", "pets.csv", "--target", "sort")
    Path("few.csv").write_text("a,b\n1,x\n2,x\n3,y\n4,x\n")
    assert refusal("compare", "few.csv") == (
        "Too few rows to compare: every class needs at least 3; the class 'y' has 1."
        " `rosenblatt separable` gives a verdict on any number of rows."
    )


def test_a_report_shows_the_comparison():
    command = ("compare", "builtin:rings", "--rule", "least-squares", "--features", "radial")
    told = json.loads(rosenblatt(*command, "--report", "page.html", "--json").out)
    page = Path("page.html").read_text(encoding="utf-8")
    assert "after radial: yes" in page
    assert told["conclusion"].split(", at 1.5 times")[0] in page
    for entry in told["results"]:
        low, high = entry["accuracy_interval"]
        assert f"{100 * low:.2f} to {100 * high:.2f}" in page
    assert page.count('class="rows"') == len(told["results"])
    assert "http" not in page.replace("http-equiv", "")
    assert "there is no folder" in refusal(*command, "--report", "nowhere/page.html")


def test_names_in_a_report_stay_text():
    rows = "".join(f"{k % 7},{k * k % 5},<b>{k % 2}</b>\n" for k in range(40))
    Path("odd.csv").write_text(f"a,<script>x</script>,kind\n{rows}")
    rosenblatt("compare", "odd.csv", "--target", "kind", *QUICKLY, "--report", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;0&lt;/b&gt;" in page
    assert "<b>" not in page
