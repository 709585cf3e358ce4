"""A lab in a process of its own, and the system's browser to look at it with."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

RUN = "from rosenblatt.cli.main import main; main()"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CAREFUL = ("--no-sandbox", "--disable-background-networking", "--disable-gpu")
PATIENCE = 120_000  # milliseconds: the first fit compiles kernels
DOUBLE_CLICK = 320  # milliseconds: sooner, two clicks are one
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/[\w-]+/\S*")


@contextmanager
def open_lab(*words: str, scratch: Path | None = None) -> Iterator[str]:
    """The address of a lab; it is closed by Ctrl-C, as a user would, and must end well.

    `scratch` is its folder for temporary files.
    """
    folder = {} if scratch is None else {"TMPDIR": str(scratch)}
    command = [sys.executable, "-c", RUN, "lab", "--no-browser", *words]
    lab = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **folder, "PYTHONUNBUFFERED": "1"},
    )
    assert lab.stdout is not None
    try:
        found = ADDRESS.search(lab.stdout.readline())
        assert found, lab.stdout.read()
        yield found[0]
    finally:
        lab.send_signal(2)
        rest, _ = lab.communicate(timeout=30)
    assert lab.returncode == 0, rest
    told = rest.removeprefix("Ctrl-C closes it.\n")  # which may have come with the address
    assert told == "The lab is closed.\n", rest  # and nothing was logged


@contextmanager
def open_browser() -> Iterator[Any]:
    """The system's Chromium, by playwright; without one, tests are skipped."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"needs a browser: one of {', '.join(BROWSERS)}")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(CAREFUL))
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page of the lab as a user sees it: words, widgets, and points of the plane."""

    def __init__(self, browser: Any, address: str) -> None:
        self.page = browser.new_page(viewport={"width": 1280, "height": 800})
        self.troubles: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("requestfailed", lambda request: self.troubles.append(request.url))
        self.changes = 0  # messages of the lab that change the page
        self.page.on("websocket", lambda socket: socket.on("framereceived", self._received))
        self.page.set_default_timeout(PATIENCE)
        self.page.goto(address)
        self.page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.troubles.append(message.text)

    def _received(self, frame: str | bytes) -> None:
        self.changes += isinstance(frame, str) and '"PATCH-DOC"' in frame

    def choose(self, name: str, label: str) -> None:
        """Choose an entry of a list."""
        self.page.locator(f".lab-{name} select").select_option(label=label)

    def press(self, name: str) -> None:
        """Press a button."""
        self.page.locator(f".lab-{name} button").click()

    def type(self, name: str, text: str) -> None:
        """Type into a field."""
        field = self.page.locator(f".lab-{name} input")
        field.fill(text)
        field.press("Enter")

    def enter(self, room: str) -> None:
        """Go to another room."""
        self.page.locator(".lab-tabs .bk-btn", has_text=room).click()

    def upload(self, path: Path) -> None:
        """Open a file by the button for it."""
        with self.page.expect_file_chooser() as chooser:
            self.press("upload")
        chooser.value.set_files(path)

    def shows(self, *titles: str) -> None:
        """Wait until figures with these titles are visible."""
        self.page.wait_for_function(
            """(titles) => {
                const shown = Bokeh.documents[0]._all_models.values();
                const figures = [...shown].filter((m) => m.type == "Figure" && m.visible);
                return titles.every((t) => figures.some((m) => m.title.text == t));
            }""",
            arg=list(titles),
        )

    def sees(self, *words: str) -> None:
        """Wait until some words are to be seen."""
        for word in words:
            self.page.get_by_text(word).first.wait_for()

    def judges(self, answer: str) -> None:
        """Wait until the verdict is "separable" or "inseparable"."""
        self.page.locator(f".lab-proof h2.{answer}").wait_for()

    def click_plane(self, x: float, y: float, name: str = "plane") -> None:
        """Click at a point of the plane."""
        self.page.wait_for_timeout(DOUBLE_CLICK)
        self.page.mouse.click(*self.place(x, y, name))

    def place(self, x: float, y: float, name: str = "plane") -> tuple[float, float]:
        """Where a point of a figure is on the screen."""
        where = self.page.evaluate(
            """([name, x, y]) => {
                const figure = Bokeh.documents[0].get_model_by_name(name);
                const view = Bokeh.index.find_one(figure);
                const box = view.el.getBoundingClientRect();
                return [box.left + view.frame.x_scale.compute(x),
                        box.top + view.frame.y_scale.compute(y)];
            }""",
            [name, x, y],
        )
        return where[0], where[1]

    def close(self) -> None:
        """Close the tab; nothing may have gone wrong in it."""
        self.page.close()
        assert self.troubles == []
