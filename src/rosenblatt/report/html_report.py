"""The report on a fit or a comparison, as one HTML file."""

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from shlex import join
from typing import Any

from rosenblatt import __version__
from rosenblatt.io.chunks import Source
from rosenblatt.pipeline.fit import FitResult
from rosenblatt.report.html.comparison_sections import comparison_sections, comparison_summary
from rosenblatt.report.html.fit_sections import Provenance, fit_sections, summary
from rosenblatt.report.html.markup import page, write_page
from rosenblatt.report.plot_data import page_data

VERSIONED = ("numpy", "scipy", "numba", "scikit-learn")  # whose versions matter


def write_fit_report(
    path: str,
    report: dict[str, Any],
    fitted: FitResult,
    source: Source,
    names: Mapping[int, str],
    provenance: Provenance,
) -> None:
    """Write the report on a fit: its results, and all that can be plotted of it."""
    shown = page_data(fitted, source, names)
    write_page(
        path, page(report["source"], summary(report), fit_sections(report, shown, provenance))
    )


def write_comparison_report(path: str, report: dict[str, Any], provenance: Provenance) -> None:
    """Write the report on a comparison."""
    write_page(
        path,
        page(report["source"], comparison_summary(report), comparison_sections(report, provenance)),
    )


def provenance_of(words: Sequence[str]) -> Provenance:
    """How a report is made: by these words of a command, now, on this machine."""
    versions = {"rosenblatt": __version__, "Python": platform.python_version()}
    versions |= {name: version(name) for name in VERSIONED}
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Provenance(join(["rosenblatt", *words]), date, versions)
