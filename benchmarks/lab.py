"""How long the page of the lab takes: python benchmarks/lab.py (needs [lab], [test], Chromium).

Times are those of a user: from the key, or from the choice of a file, until the browser shows what
was asked for. Written to benchmarks/results/lab.json.
"""

import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lab"))

from chromium import Tab, open_browser, open_lab  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "lab.json"
TURNS = 50
PRESSED = """async ([key, words]) => {
    const all = [...Bokeh.documents[0]._all_models.values()];
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    while (!all.some((m) => m.type == "Div" && m.text.includes(words)))
        await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);  // what the first one draws is then drawn
    return performance.now() - start;
}"""
SHOWN = """(words) => {
    const all = [...Bokeh.documents[0]._all_models.values()];
    return all.some((m) => m.type == "Div" && m.text.includes(words));
}"""


def main() -> None:
    """Measure, print and write."""
    load = os.getloadavg()[0]  # of others: it is taken before there is a browser
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "1000.csv", Path(folder) / "100000.csv"
        write_table(few, 1000)
        write_table(many, 100_000)
        with open_browser() as browser, open_lab() as address:
            tab = Tab(browser, address)
            measured = {
                "first page until it is idle": [opening(browser, address) for _ in range(3)],
                **on_a_thousand_points(tab, few),
                "100,000-row CSV, until its points are drawn": opened(tab, many, 100_000),
            }
    told = {
        "seconds": {name: summary(times) for name, times in measured.items()},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load_of_others": round(load, 1),
        "versions": {name: version(name) for name in ("bokeh", "tornado", "numpy")},
    }
    print(json.dumps(told, indent=2))
    RESULTS.write_text(json.dumps(told, indent=2) + "\n")


def write_table(path: Path, n: int) -> None:
    """Two overlapping clouds in three features."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3)).round(3) + 1.5 * y[:, None]
    lines = [f"{a},{b},{c},{'ab'[k]}" for (a, b, c), k in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("length,width,height,kind\n" + "\n".join(lines) + "\n")


def on_a_thousand_points(tab: Tab, path: Path) -> dict[str, list[float]]:
    """Steps by sample and by pass, and training anew."""
    tab.upload(path)
    wait(tab, "1,000 samples")
    tab.judges("inseparable")
    tab.press("to-start")
    wait(tab, "Step 0 of")
    turns = range(1, TURNS + 1)
    steps = [pressed(tab, "ArrowRight", f"Step {k:,} of") for k in turns]
    passes = [pressed(tab, "ArrowUp", f"Step {1000 * k:,} of") for k in turns]
    return {"step of one sample, 1,000 points": steps, "step of one pass, 1,000 points": passes}


def pressed(tab: Tab, key: str, words: str) -> float:
    """Seconds from a key until some words are there, by the clock of the browser."""
    return float(tab.page.evaluate(PRESSED, [key, words])) / 1000


def opened(tab: Tab, path: Path, n: int) -> list[float]:
    """From the choice of a file to its points, three times over."""
    times = []
    for _ in range(3):
        tab.choose("data", "xor")
        wait(tab, "4 samples")
        times.append(timed(tab, lambda: tab.upload(path), f"{n:,} samples"))
    return times


def opening(browser: Any, address: str) -> float:
    """A page, until there is nothing left to draw."""
    start = time.perf_counter()
    Tab(browser, address).close()
    return time.perf_counter() - start


def timed(tab: Tab, act: Callable[[], None], words: str) -> float:
    """Seconds from an act of the user until some words are there."""
    start = time.perf_counter()
    act()
    wait(tab, words)
    return time.perf_counter() - start


def wait(tab: Tab, words: str) -> None:
    """Look at every frame of the browser until the words are there."""
    tab.page.wait_for_function(SHOWN, arg=words)


def summary(times: list[float]) -> dict[str, float]:
    """The quickest, and the one in the middle."""
    return {"least": round(min(times), 3), "median": round(float(np.median(times)), 3)}


if __name__ == "__main__":
    main()
