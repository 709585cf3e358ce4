"""The report in a real browser, from the file system, without a network."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.io.files import Options
from rosenblatt.io.formats import open_source
from rosenblatt.pipeline.fit import Plan, run
from rosenblatt.registry import Rule
from rosenblatt.report.html_report import provenance_of, write_fit_report
from rosenblatt.report.json import fit_json

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = pytest.mark.skipif(not BROWSER, reason="needs Chromium: no browser was found")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "kennel.html"
    source = open_source(["builtin:kennel"], Options())
    fitted = run(source, Plan(rule=Rule.PERCEPTRON, evaluate=False), lambda _: None)
    told = fit_json("</title><script>alert(1)</script>", fitted, {})
    write_fit_report(str(path), told, fitted, source, {}, provenance_of(["fit", "builtin:kennel"]))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        # Chromium has no sandbox of its own where it runs as root, as in a container
        flags = ["--no-sandbox", "--disable-background-networking"]
        browser = driver.chromium.launch(executable_path=BROWSER, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, report: Path) -> Iterator[Any]:
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
    page.on(
        "request",
        lambda asked: None if asked.url == report.as_uri() else troubles.append(asked.url),
    )
    page.goto(report.as_uri())
    yield page
    context.close()
    assert troubles == []


def test_the_slider_moves_through_the_passes(page: Any) -> None:
    told, slider = page.locator("output"), page.locator("input[type=range]")
    line, weight = page.locator("[data-boundary]"), page.locator("[data-weight]").first
    now = page.locator("[data-places]").first
    epochs = int(re.search(r"Epoch \d+ of (\d+)", told.inner_text())[1])
    assert told.inner_text() == f"Epoch {epochs} of {epochs}: 0 mistakes"
    at_the_end = (line.get_attribute("d"), weight.inner_text(), now.get_attribute("x1"))
    slider.focus()
    page.keyboard.press("Home")
    assert told.inner_text().startswith(f"Epoch 1 of {epochs}: ")
    assert slider.get_attribute("aria-valuetext") == told.inner_text()
    at_the_start = (line.get_attribute("d"), weight.inner_text(), now.get_attribute("x1"))
    assert all(a != b for a, b in zip(at_the_start, at_the_end, strict=True))
    page.keyboard.press("ArrowRight")
    assert told.inner_text().startswith(f"Epoch 2 of {epochs}: ")
    page.keyboard.press("End")
    assert (line.get_attribute("d"), weight.inner_text(), now.get_attribute("x1")) == at_the_end


def test_the_run_plays_and_pauses(page: Any) -> None:
    button, told = page.get_by_role("button"), page.locator("output")
    button.click()
    assert button.inner_text() == "Pause"
    playwright.expect(told).to_have_text(re.compile("^Epoch 2 of "))
    button.click()
    assert button.inner_text() == "Play"


def test_hostile_text_is_shown_as_text(page: Any) -> None:
    assert page.locator("h1").inner_text() == "</title><script>alert(1)</script>"
    assert page.title() == "</title><script>alert(1)</script>"


@pytest.mark.parametrize("width", [420, 1280, 1920])
def test_the_page_fits_the_screen(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.get_by_role("img", name=re.compile("^300 rows of 2 classes")).is_visible()


def test_it_reads_without_a_script_and_on_paper(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    page.emulate_media(media="print")
    assert not page.locator(".replay").is_visible()
    assert page.locator("[data-boundary]").is_visible()
    context.close()
