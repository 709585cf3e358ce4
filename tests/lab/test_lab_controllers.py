"""Truth tables and the Mark I: what the other two rooms work out."""

import numpy as np
import pytest

from rosenblatt import realize
from rosenblatt.datasets import glyphs
from rosenblatt.lab.gates import (
    PRESETS,
    constant_false,
    explanation,
    flipped,
    formulas,
    neighbouring_preset,
    rows_of,
    wiring,
)
from rosenblatt.lab.mark_i import ALPHABETS, machine, pictures_of, sample_glyph, votes
from rosenblatt.lab.theme import hints, number, sentence, table, vector, weights_of_units
from rosenblatt.logic.realize import Realizable


@pytest.mark.parametrize(("name", "bits"), PRESETS.items())
def test_a_drawing_has_every_weight_and_bias(name: str, bits: str) -> None:
    found = realize(bits)
    nodes, edges = wiring(found)
    one = isinstance(found, Realizable)
    units = [found.unit] if one else [*found.network.hidden, found.network.output]
    assert len(nodes) == found.n_inputs + len(units)
    assert len(edges) == sum(1 for unit in units for w in unit.weights if w), name
    assert [node.intercept.replace("−", "-").lstrip("+") for node in nodes[found.n_inputs :]] == [
        str(unit.intercept) for unit in units
    ]
    assert len(formulas(found)) == len(units)
    labels = [edge.label for edge in edges]
    assert len(set(labels)) == len(labels)  # none hides another


def test_what_is_told_of_xor() -> None:
    proof, network, share = explanation(realize("0110"))
    assert proof.startswith("Proof: 01 + 10 (true) = 00 + 11 (false)")
    assert network == "Two layers can, with 2 hidden units:"
    assert share == "Of the 16 functions of 2 inputs, one unit computes 14."


def test_functions_follow_each_other() -> None:
    assert neighbouring_preset(PRESETS["and"], 1) == PRESETS["or"]
    assert neighbouring_preset(PRESETS["and"], -1) == PRESETS["parity of 4"]
    assert neighbouring_preset("0000", 1) == PRESETS["and"]
    assert constant_false(3) == "00000000"


def test_a_click_flips_one_row() -> None:
    assert flipped("0110", 3) == "0111"
    assert rows_of("01") == [("0", "0"), ("1", "1")]


@pytest.mark.parametrize(("alphabet", "fourth"), [("letters", "D"), ("digits", "3")])
def test_the_mark_i_knows_letters_and_digits_of_pens_it_never_saw(
    alphabet: str, fourth: str
) -> None:
    units = machine("perceptron", alphabet)
    X, y = glyphs.pictures(ALPHABETS[alphabet], 260, seed=99)
    right = [votes(units, x).glyph == glyph for x, glyph in zip(X, y, strict=True)]
    assert np.mean(right) > 0.9
    assert votes(units, np.zeros(400)).glyph == ""
    assert votes(units, sample_glyph(alphabet, 3, 5)).glyph == fourth


def test_weights_are_seen_as_pictures() -> None:
    units = machine("perceptron", "letters")
    mosaic, places = pictures_of(units)
    assert [letter for letter, _, _ in places] == list(units.glyphs)
    letter, left, top = places[7]
    rows = mosaic[::-1][len(mosaic) - top : len(mosaic) - top + 20, left : left + 20]
    w = units.W[7, :-1].reshape(20, 20)
    assert rows == pytest.approx(w / np.abs(w).max())
    assert letter == "H"


def test_words_are_safe_in_a_page() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    assert "<img" not in sentence(hostile)
    assert "<img" not in table([hostile], [[hostile]])
    assert number(-0.5) == "−0.5"
    assert hints({"↑ ↓": "a<b"}) == "<kbd>↑</kbd> <kbd>↓</kbd> a&lt;b"
    assert vector(range(20)) == "(0, 1, 2, 3, 4, 5, …, 19)"
    assert weights_of_units(np.array([[1.0, 2.0]]), ["a", "b"]) == [("w", "(1, 2)")]
    assert weights_of_units(np.eye(3), ["a", "b", "c"])[1] == ("w of b", "(0, 1, 0)")
