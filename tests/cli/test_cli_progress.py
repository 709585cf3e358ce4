"""Progress on a terminal: a bar of the passes, or of the gap on its way; elsewhere nothing."""

import logging
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from typing import Any

import pytest

from rosenblatt import BatchPerceptron, LinearSVM, LogisticRegression, Perceptron, builtin
from rosenblatt.cli.output import BAR_WIDTH, Progress, progress_line

XOR, IRIS = builtin("xor"), builtin("iris")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CODE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal(StringIO):
    """A screen; the line on it is the last that was written before it was taken away."""

    def isatty(self) -> bool:
        return True

    def line(self) -> str:
        lines = re.split(r"[\r\n]", CODE.sub("", self.getvalue()))
        return [line for line in lines if line.strip()][-1]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


@contextmanager
def watched(terminal: Terminal, *, quiet: bool = False) -> Iterator[Progress]:
    """Progress, shown on a terminal."""
    with redirect_stderr(terminal), progress_line(quiet=quiet) as progress:
        progress("Training")
        yield progress


@pytest.mark.parametrize("rule", [Perceptron(max_iter=8), BatchPerceptron(max_iter=8)])
def test_a_bar_of_the_passes_with_their_mistakes(terminal: Terminal, rule: Any) -> None:
    with watched(terminal):
        rule.fit(XOR.X, XOR.y)
    told = f"epoch 8: {rule.trace_[-1].mistakes} mistakes, loss "
    assert re.search(rf"Training ━{{{BAR_WIDTH}}} {told}.* 0:0\d:\d\d", terminal.line())


@pytest.mark.parametrize("rule", [LinearSVM(), LogisticRegression(), LogisticRegression(C="cv")])
def test_a_bar_of_the_gap_on_its_way(terminal: Terminal, rule: Any) -> None:
    with watched(terminal):
        rule.fit(IRIS.X, IRIS.y)
    told = rf"step \d+: gap {rule.trace_[-1].gap:.1e}"
    assert re.search(rf"Training ━{{{BAR_WIDTH}}} {told} +0:0\d:\d\d", terminal.line())


def test_the_bar_begins_anew_with_every_stage(terminal: Terminal) -> None:
    with watched(terminal) as progress:
        Perceptron(max_iter=8).fit(XOR.X, XOR.y)
        progress("Judging [by rows]")
    assert re.search(r"Judging \[by rows\] ━+ +0:0\d:\d\d", terminal.line())


def test_figures_give_way_on_a_narrow_screen(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with watched(terminal) as progress:
        progress("Judging, fold 3 of 10")
        Perceptron(max_iter=8).fit(XOR.X, XOR.y)
    line = terminal.line()
    assert len(line) <= 60
    assert re.search(rf"Judging, fold 3 of 10 ━{{{BAR_WIDTH}}} epoch.*… 0:0\d:\d\d", line)


@pytest.mark.parametrize("wish", ["", "1"])
def test_colours_are_for_those_who_want_them(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, wish: str
) -> None:
    monkeypatch.setenv("NO_COLOR", wish)
    with watched(terminal):
        Perceptron(max_iter=8).fit(XOR.X, XOR.y)
    assert bool(COLOUR.search(terminal.getvalue())) == (not wish)


def test_nothing_is_shown_or_heard_after_the_end(terminal: Terminal) -> None:
    logger = logging.getLogger("rosenblatt")
    before = (logger.level, list(logger.handlers))
    with watched(terminal):
        assert logger.handlers != before[1]
    written = terminal.getvalue()
    with redirect_stderr(terminal):
        Perceptron(max_iter=8, verbose=1).fit(XOR.X, XOR.y)
    assert terminal.getvalue() == written
    assert (logger.level, logger.handlers) == before


def test_nobody_who_asked_for_quiet_sees_a_bar(terminal: Terminal) -> None:
    with watched(terminal, quiet=True):
        Perceptron(max_iter=8).fit(XOR.X, XOR.y)
    assert terminal.getvalue() == ""


def test_shares_are_of_the_passes_and_of_the_digits(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="rosenblatt"):
        Perceptron(max_iter=4).fit(XOR.X, XOR.y)
        model = LinearSVM(tol=1e-6).fit(IRIS.X[50:], IRIS.y[50:])
    gaps = [min(1.0, gap) for gap in model.trace_.column("gap")]
    wanted = [0.25, 0.5, 0.75, 1.0, *(min(1.0, -math.log10(gap) / 6) for gap in gaps)]
    assert [record.share for record in caplog.records] == pytest.approx(wanted)
    assert gaps[0] > 1e-2
    assert wanted[-1] == 1.0
