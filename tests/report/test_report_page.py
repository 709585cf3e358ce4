"""The report in one file: what it holds, whatever the data hold; hostile names stay text."""

import json
import re
from base64 import b64decode
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import palette
from rosenblatt.features.maps.spec import parse_map_specs
from rosenblatt.io.files import Options
from rosenblatt.io.formats import open_source
from rosenblatt.pipeline import encoded_data
from rosenblatt.pipeline.fit import Plan, run
from rosenblatt.registry import Rule
from rosenblatt.report import plot_data
from rosenblatt.report.html.charts import picture
from rosenblatt.report.html.comparison_sections import accuracy_chart
from rosenblatt.report.html.fit_sections import Provenance, fit_sections, summary
from rosenblatt.report.html.markup import data, page, table, tag, text, ticks, write_page
from rosenblatt.report.json import fit_json
from rosenblatt.report.plot_data import _pixel_by_pixel, page_data

EVIL = "</script><script>alert(1)</script>\"'&<img src=x onerror=alert(2)>"
MADE = Provenance("rosenblatt fit <b>", "2026-11-16 10:00 UTC", {"rosenblatt": "0.1.0"})


class Reader(HTMLParser):
    """Text of a page, its elements, and whether each of them is closed."""

    VOID = frozenset({"meta", "input", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, words: str) -> None:
        if self.open and self.open[-1] not in {"script", "style"}:
            self.words.append(words)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def reported(source: Any, **plan: Any) -> tuple[str, dict[str, Any]]:
    fitted = run(source, Plan(**plan), lambda _: None)
    told = fit_json("the source", fitted, {})
    shown = page_data(fitted, source, {})
    return page("the source", summary(told), fit_sections(told, shown, MADE)), shown


def builtin_source(name: str) -> Any:
    return open_source([f"builtin:{name}"], Options())


@pytest.fixture(scope="module")
def kennel() -> tuple[str, dict[str, Any]]:
    return reported(builtin_source("kennel"), rule=Rule.PERCEPTRON, evaluate=False)


def test_a_report_is_one_whole_page(kennel: tuple[str, dict[str, Any]]) -> None:
    html, _ = kennel
    reader = read(html)
    words = " ".join(reader.words)
    for expected in (
        "Converged after",
        "Are the classes linearly separable?",
        "Mistakes in each epoch",
        "The largest weights",
        "rosenblatt fit <b>",
        "times_it_comes",
    ):
        assert expected in words
    assert len(html.encode()) < 3_000_000


def test_nothing_is_loaded_and_only_the_own_script_may_run(
    kennel: tuple[str, dict[str, Any]],
) -> None:
    html, _ = kennel
    reader = read(html)
    for name, attributes in reader.tags:
        assert name not in {"link", "iframe", "object", "embed", "base", "form", "a"}
        assert not any(key.startswith("on") or key == "style" for key in attributes)
        assert attributes.get("src", "data:").startswith("data:")
    assert not re.search(r"https?://|url\(|@import", html)
    (policy,) = (a["content"] for n, a in reader.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")


def test_the_frames_are_those_of_the_run(kennel: tuple[str, dict[str, Any]]) -> None:
    html, shown = kennel
    held = re.search(r'<script type="application/json" id="frames">(.*?)</script>', html)
    assert held is not None
    frames = json.loads(held[1])
    told = shown["picture"]["frames"]
    assert [frame["text"] for frame in frames] == [frame["text"] for frame in told]
    mistakes = shown["curves"][0]["curves"][0]["values"]
    assert told[2]["text"] == f"Epoch 3 of {len(mistakes)}: {mistakes[2]} mistakes"
    assert html.count('data-weight=""') == len(frames[0]["weights"]) == 3
    assert html.count("data-cell=") == len(frames[0]["cells"]) == 2


def test_few_features_are_shown_as_they_were_read(kennel: tuple[str, dict[str, Any]]) -> None:
    """Scaling moves neither rows nor the boundary: a row is on the side it is decided for."""
    _, shown = kennel
    told = shown["picture"]
    assert told["axes"] == ["times_it_comes", "pounds"]
    points, codes = np.array(told["points"]), np.array(told["codes"])
    assert points[:, 0].max() == 40
    (start, end) = np.array(told["lines"][0])
    along, away = end - start, points - start
    side = along[0] * away[:, 1] - along[1] * away[:, 0] > 0
    assert (side == (codes == 1)).all()


@pytest.mark.parametrize("rule", [Rule.PERCEPTRON, Rule.LEAST_SQUARES, Rule.LOGISTIC_REGRESSION])
def test_hostile_names_and_labels_stay_text(tmp_path: Path, rule: Rule) -> None:
    quoted = EVIL.replace('"', '""')
    lines = [f'"{quoted}",b,kind', *(f'{i},{i % 3},"{quoted}"' for i in range(6))]
    lines += [f"{i + 2},{i % 3},plain" for i in range(6)]
    path = tmp_path / "hostile.csv"
    path.write_text("\n".join(lines))
    html, shown = reported(open_source([str(path)], Options()), rule=rule, target="kind")
    reader = read(html)
    assert [name for name, _ in reader.tags].count("script") in {1, 2}
    assert not any("onerror" in attributes for _, attributes in reader.tags)
    assert not any(name == "img" for name, _ in reader.tags)
    assert "<script>alert" not in html
    assert any("alert(1)" in words for words in reader.words)
    assert shown["proof_rows"]  # the classes overlap, and the rows are shown


def test_three_classes_one_feature_and_no_trace() -> None:
    html, shown = reported(builtin_source("iris"), rule=Rule.LEAST_SQUARES, proof_seconds=0.0)
    assert (shown["curves"], shown["picture"]["frames"]) == ([], [])
    assert len(shown["picture"]["cells"]) == 3
    assert "replay" not in {a.get("class") for _, a in read(html).tags}
    html, shown = reported(builtin_source("not"), rule=Rule.PERCEPTRON)
    assert shown["picture"]["flat"]
    read(html)


def test_probabilities_are_judged_by_rows_not_seen() -> None:
    settings = {"C": 1.0, "tol": 1e-3}
    rule = Rule.LOGISTIC_REGRESSION
    source = builtin_source("iris")
    html, shown = reported(source, rule=rule, settings=settings, proof_seconds=0.0)
    told = shown["calibration"]
    assert sum(row["n_rows"] for row in told["bins"]) == 150
    assert told["method"] == "10-fold CV"
    right = sum(row["n_rows"] * row["accuracy"] for row in told["bins"])
    assert right == pytest.approx(round(right))
    assert "Calibration of the probabilities" in html


def test_rows_of_a_proof_are_shown_with_their_place_and_exact_weights() -> None:
    html, shown = reported(builtin_source("xor"), rule=Rule.PERCEPTRON, settings={"max_iter": 5})
    assert [row["weight"] for row in shown["proof_rows"]] == ["1/4"] * 4
    assert shown["proof_rows"][1]["place"] == "builtin:xor, row 1"
    assert shown["proof_rows"][1]["cells"] == {"x1": "0.0", "x2": "1.0"}
    assert html.count("1/4") == 4


def test_maps_of_two_features_are_seen_as_curves() -> None:
    pytest.importorskip("contourpy")
    source, maps = builtin_source("xor"), parse_map_specs(["products"])
    html, shown = reported(source, rule=Rule.PERCEPTRON, features=maps)
    told = shown["picture"]
    assert told["cells"] == []
    shade = np.array(told["shade"])  # the lowest row first
    assert [shade[0, 0], shade[0, -1], shade[-1, 0], shade[-1, -1]] == [0, 1, 1, 0]
    assert html.count('data-shade=""') == 1
    assert html.count('"shade":"data:image/png') == len(told["frames"])
    curve = np.concatenate([np.array(line) for line in told["lines"]])
    assert np.abs((curve - 0.5).prod(axis=1)).max() < 1e-3  # (x − ½)(y − ½) = 0
    assert "after products: yes" in " ".join(read(html).words)


def test_without_curves_maps_are_projected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plot_data, "find_spec", lambda _: None)
    maps = parse_map_specs(["products"])
    html, shown = reported(builtin_source("xor"), rule=Rule.PERCEPTRON, features=maps)
    told = shown["picture"]
    assert told["axes"][0] == "signed distance to the boundary"
    assert (len(told["cells"]), told["shade"]) == (2, None)
    read(html)


def test_many_rows_are_sampled_and_it_is_said(tmp_path: Path, rng: np.random.Generator) -> None:
    X = rng.normal(size=(100_000, 3)).astype(np.float32)
    np.savez(tmp_path / "many.npz", X=X, y=(X[:, 0] > 0).astype(int))
    source = open_source([str(tmp_path / "many.npz")], Options())
    settings = {"max_iter": 2}
    html, shown = reported(source, rule=Rule.PERCEPTRON, settings=settings, proof_seconds=0.0)
    assert "of 100,000 rows, chosen at random from each class" in html
    assert len(shown["picture"]["points"]) <= 2002
    assert len(html) < 300_000


def test_rows_in_a_file_are_drawn_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(encoded_data, "RowBuffer", partial(encoded_data.RowBuffer, max_bytes=1000))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2))
    np.savez(tmp_path / "rows.npz", X=X, y=(X[:, 0] + X[:, 1] > 0).astype(int))
    source = open_source([str(tmp_path / "rows.npz")], Options())
    html, shown = reported(source, rule=Rule.LEAST_SQUARES)
    assert "of 3," in shown["picture"]["drawn"]  # those it learned from
    read(html)


def test_pixels_become_pictures() -> None:
    _, shown = reported(
        builtin_source("mark-i"), rule=Rule.LEAST_SQUARES, evaluate=False, proof_seconds=0.0
    )
    assert shown["weights"]["side"] == 20
    drawn = picture(np.array([[1.0, -1.0], [0.0, 0.5]]), 1.0, "two by two")
    assert drawn.startswith('<img src="data:image/png;base64,')


def test_a_picture_has_the_colours_of_its_weights(tmp_path: Path) -> None:
    """The referee reads the file back: matplotlib's reader of PNG."""
    image = pytest.importorskip("matplotlib.image")
    drawn = picture(np.array([[1.0, -1.0], [0.0, 0.5]]), 1.0, "two by two")
    encoded = re.search(r"base64,([^\"]+)", drawn)
    assert encoded is not None
    path = tmp_path / "weights.png"
    path.write_bytes(b64decode(encoded[1]))
    pixels = np.rint(255 * image.imread(path)[..., :3]).astype(int)
    assert pixels[0, 0].tolist() == [0xD5, 0x5E, 0x00]
    assert pixels[0, 1].tolist() == [0x00, 0x72, 0xB2]
    assert pixels[1, 0].tolist() == [255, 255, 255]


@pytest.mark.parametrize(
    ("names", "are"),
    [
        ([f"x{j}" for j in range(1, 65)], True),
        ([f"pixel{j}" for j in range(64)], True),
        ([f"cell_{j // 8}_{j % 8}" for j in range(64)], True),
        ([f"{1 + j // 8}x{1 + j % 8}" for j in range(64)], True),
        ([f"x{j}" for j in range(63)] + ["x99"], False),
        ([f"cell_{j % 8}_{j // 8}" for j in range(64)], False),
        ([f"word {'abcdefgh'[j % 8]}{j // 8}" for j in range(64)], False),
        (["age"] * 64, False),
    ],
)
def test_which_names_are_pixels(names: list[str], are: bool) -> None:  # noqa: FBT001
    assert _pixel_by_pixel(names, 8) == are


def test_text_attributes_and_data_are_escaped() -> None:
    assert text(EVIL).count("<") == 0
    assert text("a\x00b\tc") == "a\N{REPLACEMENT CHARACTER}b\tc"
    assert tag("td", EVIL, title=EVIL).count("<") == 2
    assert data({"name": EVIL}, "id").count("<") == 2
    inside = data(EVIL, "id").removesuffix("</script>").partition(">")[2]
    assert json.loads(inside) == EVIL
    assert table(["<a>"], [["<b>", 1200, 0.123456]]) == (
        '<table><thead><tr><th scope="col">&lt;a&gt;</th></tr></thead><tbody><tr>'
        '<td>&lt;b&gt;</td><td class="number">1,200</td><td class="number">0.1235</td></tr></tbody>'
        "</table>"
    )


def test_a_page_is_written_whole_whatever_letters_it_holds(tmp_path: Path) -> None:
    write_page(tmp_path / "page.html", page("half a letter: \ud800", tag("p", "x"), []))
    read((tmp_path / "page.html").read_text("utf-8"))
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (-0.3, 0.3, [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]),
        (1e6, 3e6, [1e6, 1.5e6, 2e6, 2.5e6, 3e6]),
    ],
)
def test_numbers_on_axes_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


def result(rule: str, accuracy: float, *, nonlinear: bool = False) -> dict[str, Any]:
    low, high = accuracy - 0.05, min(1.0, accuracy + 0.05)
    return {
        "rule": rule,
        "feature_map": "none",
        "nonlinear": nonlinear,
        "accuracy": accuracy,
        "accuracy_interval": [low, high],
    }


def test_entries_of_a_comparison_are_drawn_with_their_intervals() -> None:
    entries = [result("trees", 0.9, nonlinear=True), result("line", 0.8), result(EVIL, 0.7)]
    chart = accuracy_chart(entries, 0.6)
    reader = read(chart)
    names = [words for words in reader.words if words in {EVIL, "trees", "line"}]
    assert names == ["trees", "line", EVIL]
    bars = [a for name, a in reader.tags if name == "line" and a.get("stroke-width")]
    lengths = [float(a["x2"]) - float(a["x1"]) for a in bars]
    assert lengths == pytest.approx([lengths[0]] * 3, abs=0.2)
    assert [a["stroke"] for a in bars] == [palette.colour(1), palette.colour(0), palette.colour(0)]


def test_a_comparison_of_perfect_entries_still_has_an_axis() -> None:
    read(accuracy_chart([result("line", 1.0) | {"accuracy_interval": [1.0, 1.0]}], 1.0))
