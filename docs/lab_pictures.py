"""Take the pictures of docs/lab.md: python docs/lab_pictures.py.

It needs the extras [lab] and [test], and Chromium. The pictures are those of a real browser.
"""

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lab"))

from chromium import Tab, open_browser, open_lab  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SETTLED = 1500  # milliseconds after the last words for the last strokes


def main() -> None:
    """Write docs/images/lab-*.png."""
    with open_browser() as browser, open_lab() as address:
        weight_space(browser, address)
        proof(browser, address)
        features(browser, address)
        classes(browser, address)
        gates(browser, address)
        letters(browser, address)


def weight_space(browser: Any, address: str) -> None:
    """The batch step of lecture 003 in both spaces."""
    query = "?rule=batch-perceptron&start=0_1_-0.5&step=1&view=weights"
    tab = Tab(browser, address + query)
    tab.sees("(1.45, −0.6, −0.5)", "Blue: the solutions")
    keep(tab, "lab-steps")


def proof(browser: Any, address: str) -> None:
    """Points that no line separates, and the four that prove it."""
    points = "0_0_0~0.2_0.3_0~1_1_0~0.8_1.1_0~0.1_0.9_1~0.9_0.2_1~1.1_0_1~0_1.2_1"
    tab = Tab(browser, f"{address}?data=drawn&points={points}&rule=linear-svm&linear-svm.C=10.0")
    tab.judges("inseparable")
    tab.sees("Certified")
    keep(tab, "lab-proof")


def features(browser: Any, address: str) -> None:
    """Rings, told apart by a polynomial, with the probability as shade."""
    query = "?data=builtin:rings&features=polynomial&rule=logistic-regression&view=curves"
    tab = Tab(browser, address + query)
    tab.sees("Certified")
    tab.shows("Duality gap")
    keep(tab, "lab-features")


def classes(browser: Any, address: str) -> None:
    """Three kinds of iris, four features: a projection."""
    tab = Tab(browser, f"{address}?data=builtin:iris&rule=linear-discriminant")
    tab.judges("inseparable")
    tab.sees("w of setosa")
    keep(tab, "lab-classes")


def gates(browser: Any, address: str) -> None:
    """Xor as two layers."""
    tab = Tab(browser, f"{address}?tab=gates")
    tab.sees("No unit computes it")
    keep(tab, "lab-gates")


def letters(browser: Any, address: str) -> None:
    """A letter drawn by mouse on the Mark I."""
    tab = Tab(browser, f"{address}?tab=letters")
    tab.sees("Draw on the cells with the mouse")
    strokes = (((5, 3), (10, 17), (15, 3)), ((7, 8), (13, 8)))
    for start, *ends in strokes:
        tab.page.mouse.move(*tab.place(*start, "cells"))
        tab.page.mouse.down()
        for end in ends:
            tab.page.mouse.move(*tab.place(*end, "cells"), steps=8)
        tab.page.mouse.up()
    tab.sees("It is A.")
    keep(tab, "lab-mark-i")


def keep(tab: Tab, name: str) -> None:
    """Take the picture, and close the tab if nothing went wrong in it."""
    tab.page.wait_for_timeout(SETTLED)
    tab.page.screenshot(path=IMAGES / f"{name}.png")
    tab.close()


if __name__ == "__main__":
    main()
