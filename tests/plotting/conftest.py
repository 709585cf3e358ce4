"""Figures are drawn without a screen, and closed after each test."""

from collections.abc import Iterator

import pytest

plt = pytest.importorskip("matplotlib.pyplot", reason="needs the extra [plot]")
plt.switch_backend("Agg")


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")
