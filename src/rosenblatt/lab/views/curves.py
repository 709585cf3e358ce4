"""Charts of a run: mistakes, loss, objective, bounds and duality gap."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import Column, ColumnDataSource, Div, Legend, LegendItem, Span
from bokeh.plotting import figure

from rosenblatt.lab.curves import Chart
from rosenblatt.lab.format import sentence
from rosenblatt.lab.theme import ACCENT, SOFT, WRONG, plain
from rosenblatt.lab.views.bindings import send

WIDTH = 410  # pixels
MAX_LINEAR_CHARTS = 3


class CurvesView:
    """Small charts below each other, with the current step."""

    def __init__(self) -> None:
        self._linear = [_Slot(log=False) for _ in range(MAX_LINEAR_CHARTS)]
        self._log = _Slot(log=True)
        self._empty = Div(text="", sizing_mode="stretch_width")
        slots = [*self._linear, self._log]
        self.view = Column(
            children=[self._empty, *(slot.figure for slot in slots)],
            width=WIDTH,
            sizing_mode="stretch_height",
        )

    def update(self, charts: Sequence[Chart]) -> None:
        """Show the curves of a run."""
        words = (
            "This rule has a closed-form solution: there is nothing to plot." if not charts else ""
        )
        self._empty.text = sentence(words, "soft") if words else ""
        self._empty.visible = not charts
        linear = [chart for chart in charts if not chart.log]
        for slot, chart in zip(self._linear, [*linear, *[None] * MAX_LINEAR_CHARTS], strict=False):
            slot.update(chart)
        self._log.update(next((chart for chart in charts if chart.log), None))

    def move(self, epoch: int) -> None:
        """Mark the current epoch."""
        for slot in [*self._linear, self._log]:
            slot.here.location = epoch


class _Slot:
    """One chart of up to two curves."""

    def __init__(self, *, log: bool) -> None:
        self._solid, self._dashed = _xy(), _xy()
        self.figure: Any = plain(
            figure(
                tools="hover",
                toolbar_location=None,
                width=WIDTH,
                sizing_mode="stretch_height",
                min_height=120,
                y_axis_type="log" if log else "linear",
            )
        )
        look = {"line_width": 2.2}
        solid = self.figure.line("x", "y", source=self._solid, line_color=ACCENT, **look)
        points = self.figure.scatter("x", "y", source=self._solid, size=4, color=ACCENT)
        dashed = self.figure.line(
            "x", "y", source=self._dashed, line_color=WRONG, line_dash="dashed", **look
        )
        self._items = [
            LegendItem(label="", renderers=[solid, points]),
            LegendItem(label="", renderers=[dashed]),
        ]
        self._legend = Legend(items=self._items, label_text_font_size="11px", padding=3, spacing=0)
        self._legend.background_fill_alpha, self._legend.border_line_color = 0.8, None
        self.figure.add_layout(self._legend)
        # on its own layer, which moves without a redraw of the curves
        self.here = Span(
            location=0, dimension="height", line_color=SOFT, line_dash="dotted", level="overlay"
        )
        self.figure.add_layout(self.here)
        self.figure.hover.tooltips = [("", "@y{0.0000}")]

    def update(self, chart: Chart | None) -> None:
        """Show a chart, or nothing."""
        self.figure.visible = chart is not None
        if chart is None:
            return
        self.figure.title.text = chart.title
        self.figure.xaxis.axis_label = chart.across
        pairs = zip((self._solid, self._dashed), [*chart.curves, None][:2], strict=True)
        for (source, curve), item in zip(pairs, self._items, strict=True):
            values = () if curve is None else curve.values
            send(source, {"x": np.arange(1, len(values) + 1), "y": np.array(values, float)})
            item.label = {"value": "" if curve is None else curve.name}
            item.visible = curve is not None
        self._legend.visible = len(chart.curves) > 1


def _xy() -> ColumnDataSource:
    return ColumnDataSource({"x": [], "y": []})
