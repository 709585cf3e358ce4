"""The page in a real browser: what a user does in a lecture, by mouse and keys."""

from collections.abc import Iterator
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


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Tab]:
    tab = Tab(browser, address)
    yield tab
    tab.close()


def test_xor_drawn_by_mouse_is_proved_inseparable_until_the_product_joins(tab: Tab) -> None:
    tab.press("clear")
    tab.sees("Click to draw")
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
    tab.choose("data", "4f10")
    tab.choose("rule", "Batch perceptron")
    tab.type("start", "0, 1, -0.5")
    tab.press("to-start")
    tab.sees("before the first step", "(0, 1, −0.5)")
    tab.press("step")
    tab.sees("Step 1 of 2", "(1.45, −0.6, −0.5)")
