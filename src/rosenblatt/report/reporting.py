"""The report on a fit or a comparison, as one HTML file: what was figured out, on a page."""

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from shlex import join
from typing import Any

from rosenblatt.fitting.fit import Fitted
from rosenblatt.report.page.comparisons import comparison_lead, comparison_sections
from rosenblatt.report.page.page import page, write_page
from rosenblatt.report.page.sections import Made, fit_sections, lead
from rosenblatt.report.pictures import page_figures
from rosenblatt.sources.chunks import Source
from rosenblatt.version import __version__

BEHIND = ("numpy", "scipy", "numba", "scikit-learn")  # whose versions matter


def write_fit_report(
    path: str,
    told: dict[str, Any],
    fitted: Fitted,
    source: Source,
    names: Mapping[int, str],
    made: Made,
) -> None:
    """Write the report on a fit: its figures, and all that can be drawn of it."""
    shown = page_figures(fitted, source, names)
    write_page(path, page(told["source"], lead(told), fit_sections(told, shown, made)))


def write_comparison_report(path: str, told: dict[str, Any], made: Made) -> None:
    """Write the report on a comparison."""
    write_page(path, page(told["source"], comparison_lead(told), comparison_sections(told, made)))


def made_by(words: Sequence[str]) -> Made:
    """What a report is made by: these words of a command, now, on this machine."""
    versions = {"rosenblatt": __version__, "Python": platform.python_version()}
    versions |= {name: version(name) for name in BEHIND}
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Made(join(["rosenblatt", *words]), date, versions)
