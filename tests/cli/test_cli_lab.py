"""`rosenblatt lab` refuses before it opens anything; what it opens is tested in tests/lab."""

import importlib.util

import pytest
from commands import refusal


def test_what_cannot_be_read_is_told_before_a_page_opens() -> None:
    assert "missing.csv" in refusal("lab", "missing.csv", "--no-browser")
    assert "Did you mean 'iris'?" in refusal("lab", "builtin:iriss", "--no-browser")
    assert "no column" in refusal("lab", "pets.csv", "--target", "breed", "--no-browser").lower()


def test_without_bokeh_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    hidden = lambda name, *rest: None if name == "bokeh" else found(name, *rest)  # noqa: E731
    monkeypatch.setattr("rosenblatt.cli.lab.find_spec", hidden)
    assert refusal("lab") == "The lab needs Bokeh: pip install 'rosenblatt[lab]'."
