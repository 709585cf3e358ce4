"""The page of a lecture opens more figures than matplotlib keeps without a warning."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("agg")


@pytest.fixture(autouse=True)
def _figures_of_a_page() -> Iterator[None]:
    """Keep the figures of a page open until its end."""
    with mpl.rc_context({"figure.max_open_warning": 0}):
        yield
    plt.close("all")
