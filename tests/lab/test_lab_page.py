"""The page in a real browser: what a user does in a lecture, by mouse and keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import Tab, open_browser, open_lab


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(browser: Any) -> Iterator[str]:
    del browser  # without one, no lab is needed
    with open_lab() as address:
        yield address


@pytest.fixture(scope="module")
def one_tab(browser: Any, address: str) -> Iterator[Tab]:
    tab = Tab(browser, address)
    yield tab
    tab.close()


@pytest.fixture
def tab(one_tab: Tab) -> Iterator[Tab]:
    """The tab that the tests share, as a user would: nothing may go wrong in it."""
    one_tab.enter("Plane")
    yield one_tab
    assert one_tab.troubles == []


def test_xor_drawn_by_mouse_is_proved_inseparable_until_the_product_joins(tab: Tab) -> None:
    tab.choose("features", "original")
    tab.choose("data", "drawn points")
    tab.press("clear")
    tab.sees("Click to draw")
    tab.page.keyboard.press("1")
    for x, y in ((0, 0), (1, 1)):
        tab.click_plane(x, y)
    tab.page.keyboard.press("2")
    for x, y in ((0, 1), (1, 0)):
        tab.click_plane(x, y)
    tab.judges("inseparable")
    tab.sees("These 4 samples prove it", "1/4")
    tab.choose("features", "with products x₁x₂")
    tab.judges("separable")


def test_worked_example_of_the_4f10_lecture(tab: Tab) -> None:
    tab.choose("features", "original")
    tab.choose("data", "4f10")
    tab.choose("rule", "Batch perceptron")
    tab.type("start", "0, 1, -0.5")
    tab.press("to-start")
    tab.sees("before the first step", "(0, 1, −0.5)")
    tab.press("step")
    tab.sees("Step 1 of 2", "(1.45, −0.6, −0.5)")


def test_a_rule_is_played_stepped_and_scrubbed_by_keys(tab: Tab) -> None:
    tab.choose("features", "original")
    tab.choose("rule", "Perceptron")
    tab.choose("data", "dogs-vs-cats")
    tab.type("start", "1, 0, -20")
    tab.press("to-start")
    tab.sees("Step 0 of")
    tab.judges("separable")  # after which nothing comes by itself
    tab.page.locator(".lab-readout").click()
    before = tab.changes
    tab.page.keyboard.press("ArrowRight")
    tab.sees("epoch 1, sample 1: a mistake, w changes", "(2, 100, −19)")
    assert tab.changes == before + 1  # points, line, weights and words are drawn once, together
    tab.page.keyboard.press("ArrowUp")
    tab.sees("epoch 1, sample 3: a mistake, w changes", "(2, 80, −20)")
    tab.page.keyboard.press("ArrowLeft")
    tab.sees("epoch 1, sample 2: correct, w unchanged")
    tab.choose("shuffle", "reshuffled in every epoch")
    tab.page.wait_for_url("**perceptron.shuffle=True*")
    tab.press("to-start")
    tab.sees("Step 0 of")
    tab.press("epoch")
    tab.sees("epoch 1, sample 2: correct")  # which comes last
    tab.choose("shuffle", "in the given order")
    tab.page.locator(".lab-readout").click()
    tab.page.keyboard.press("Space")
    tab.sees("❚❚")
    tab.page.keyboard.press("Space")
    tab.sees("▶")


def test_points_are_dragged_relabelled_and_deleted(tab: Tab) -> None:
    tab.choose("data", "drawn points")
    tab.press("clear")
    tab.sees("Click to draw")
    tab.page.keyboard.press("1")
    for x, y in ((0, 0), (1, 0)):
        tab.click_plane(x, y)
    tab.sees("All points are of one class")
    tab.click_plane(1, 0)  # selects it
    tab.page.wait_for_timeout(300)
    tab.page.keyboard.press("3")
    tab.judges("separable")
    start, end = tab.place(1, 0), tab.place(0.5, 0.8)
    tab.page.mouse.move(*start)
    tab.page.mouse.down()
    tab.page.mouse.move(*end, steps=5)
    tab.page.mouse.up()
    tab.page.wait_for_url("**0.5_0.8_2*")
    tab.click_plane(0.5, 0.8)
    tab.page.wait_for_timeout(300)
    tab.press("delete")
    tab.sees("All points are of one class")


def test_a_csv_is_opened_and_a_bad_one_is_told_about(tab: Tab, tmp_path: Path) -> None:
    kinds = ["low"] * 10 + ["high"] * 10
    rows = "\n".join(f"{1.5 * k},{k % 7},{k * k % 11},{kind}" for k, kind in enumerate(kinds))
    (tmp_path / "good.csv").write_text(f"a,b,c,kind\n{rows}\n")
    tab.choose("rule", "Perceptron")
    tab.type("start", "")
    tab.upload(tmp_path / "good.csv")
    tab.sees("20 samples, 3 features, 2 classes", "Projected: horizontally, signed distance")
    tab.judges("separable")
    tab.page.locator(".lab-scaled input").check()
    tab.page.wait_for_url("**scaled=True*")
    tab.judges("separable")
    tab.page.locator(".lab-scaled input").uncheck()
    tab.choose("target", "b")
    tab.sees("20 samples, 4 features, 7 classes")
    tab.page.wait_for_url("**target=b*")
    tab.choose("target", "kind")
    tab.sees("20 samples, 3 features, 2 classes")
    (tmp_path / "bad.csv").write_text("a,b,kind\n1,2,x\n3,y\n")
    tab.upload(tmp_path / "bad.csv")
    tab.sees("bad.csv")


def test_several_classes_weight_space_and_curves(tab: Tab) -> None:
    tab.choose("features", "original")
    tab.choose("data", "iris")
    tab.choose("rule", "Logistic regression")
    tab.judges("inseparable")
    tab.sees("w of setosa")
    tab.page.get_by_text("Curves", exact=True).click()
    tab.shows("Objective and its lower bound", "Duality gap")
    tab.page.get_by_text("Weight space", exact=True).click()
    tab.sees("Weight space is drawn for two classes")
    tab.page.get_by_text("Proof", exact=True).click()


def test_a_truth_table_is_clicked(tab: Tab) -> None:
    tab.enter("Gates")
    tab.sees("No unit computes it", "01 + 10 (true) = 00 + 11 (false)")
    tab.press("row-11")
    tab.sees("One unit computes it", "x1 + x2 − 1 ≥ 0")
    tab.sees("function")  # what the keys ↑ and ↓ choose
    tab.page.locator(".lab-unit").click()
    tab.page.keyboard.press("ArrowUp")  # from or to and
    tab.sees("x1 + x2 − 2 ≥ 0")
    tab.page.keyboard.press("3")
    tab.sees("Of the 256 functions of 3 inputs")
    tab.choose("preset", "xor")


def test_a_letter_and_a_digit_are_drawn_on_the_mark_i(tab: Tab) -> None:
    tab.enter("Mark I")
    tab.page.locator(".lab-alphabets .bk-btn", has_text="Letters").click()
    tab.sees("Draw on the cells with the mouse")
    tab.page.mouse.move(*tab.place(6, 17, "cells"))
    tab.page.mouse.down()
    tab.page.mouse.move(*tab.place(6, 3, "cells"), steps=6)
    tab.page.mouse.move(*tab.place(15, 3, "cells"), steps=6)
    tab.page.mouse.up()
    tab.sees("It is L.")
    tab.page.locator(".lab-alphabets .bk-btn", has_text="Digits").click()
    tab.page.wait_for_url("**alphabet=digits*")
    tab.press("some")
    tab.sees("It is 0.")
    tab.page.locator(".lab-answer").click()
    tab.page.keyboard.press("Delete")
    tab.sees("Draw on the cells with the mouse")


def test_an_address_is_a_setup_that_can_be_shared(browser: Any, tab: Tab) -> None:
    tab.choose("data", "xor")
    tab.choose("features", "with products x₁x₂")
    tab.choose("rule", "Support vector machine")
    tab.judges("separable")
    tab.page.wait_for_url("**rule=linear-svm*")
    other = Tab(browser, tab.page.url)
    other.judges("separable")
    other.sees("minimise ½|w|² + C Σ max")
    other.close()


def test_a_tab_says_that_the_lab_has_ended(browser: Any) -> None:
    with open_lab() as address:
        tab = Tab(browser, address)
        assert not tab.page.get_by_role("alert").is_visible()
    tab.sees("The lab has ended. Start it again with rosenblatt lab.")
    tab.page.close()


def test_tabs_are_independent_and_a_bad_address_is_told_about(
    browser: Any, address: str, tab: Tab
) -> None:
    tab.choose("features", "original")
    tab.choose("data", "4f10")
    tab.sees("8 samples")
    other = Tab(browser, address + "?data=builtin:xor&rule=magic&table=9")
    other.sees("The address has rule='magic'", "The address has table='9'")
    other.judges("inseparable")
    tab.judges("separable")
    tab.sees("8 samples")
    other.close()
