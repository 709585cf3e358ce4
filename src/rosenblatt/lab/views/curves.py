"""Charts of a run, computed and drawn: mistakes, loss, objective, bounds and duality gap."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from bokeh.models import Column, ColumnDataSource, Div, Legend, LegendItem, Span
from bokeh.plotting import figure

from rosenblatt.lab.runs import Run
from rosenblatt.lab.theme import ACCENT, SOFT, WRONG, plain, sentence
from rosenblatt.lab.views.bindings import send
from rosenblatt.separation.proof.verdict import Proof, Separable
from rosenblatt.trace.trace import Certified


class Curve(NamedTuple):
    """A named line over the steps of a run."""

    name: str
    values: tuple[float, ...]
    dashed: bool = False


class Chart(NamedTuple):
    """Curves over the same steps, on a linear or logarithmic scale."""

    title: str
    across: str
    curves: tuple[Curve, ...]
    log: bool = False


def charts(run: Run, proof: Proof | None) -> tuple[Chart, ...]:
    """The charts of a run; none for a rule in closed form."""
    trace: Any = getattr(run.model, "trace_", ())
    if not len(trace):
        return ()
    if isinstance(trace[0], Certified):
        return _certified(trace)
    mistakes = np.array(trace.column("mistakes"), float)
    so_far = Curve("mistakes so far", tuple(np.cumsum(mistakes).tolist()))
    bound = _mistake_bound(run, proof)
    found = [
        Chart("Mistakes in each epoch", "epoch", (Curve("mistakes", tuple(mistakes.tolist())),))
    ]
    if bound is not None:
        level = Curve(f"bound {bound:,.0f}", (bound,) * len(trace), dashed=True)
        found.append(Chart("Mistakes so far and their bound", "epoch", (so_far, level)))
    loss = tuple(trace.column("loss"))
    found.append(Chart("Mean loss, each sample before its update", "epoch", (Curve("loss", loss),)))
    bounds = _margin_bounds(trace, proof)
    return (*found, bounds) if bounds is not None else tuple(found)


def _certified(trace: tuple[Certified, ...]) -> tuple[Chart, ...]:
    first = [record for record in trace if record.output == 0]
    objective = Curve("objective", tuple(record.objective for record in first))
    bound = Curve("lower bound", tuple(record.lower_bound for record in first), dashed=True)
    gap = tuple(max(record.gap, 1e-16) for record in first)
    return (
        Chart("Objective and its lower bound", "step", (objective, bound)),
        Chart("Duality gap", "step", (Curve("gap", gap),), log=True),
    )


def _mistake_bound(run: Run, proof: Proof | None) -> float | None:
    """The theorem's bound on the mistakes, if its premises hold for the run."""
    if getattr(run.model, "margin_bounds_", None) is None or not isinstance(proof, Separable):
        return None
    bound = proof.mistake_bound
    return None if bound is None else float(bound)


def _margin_bounds(trace: Any, proof: Proof | None) -> Chart | None:
    """The upper bound |w|/(ηk) on the largest margin, and the margin of the proof below it."""
    upper = [u if u is not None else np.nan for u in trace.column("margin_upper")]
    if not np.isfinite(upper).any():
        return None
    running = np.fmin.accumulate(np.array(upper, float))
    curves = [Curve("γ* is at most |w| / (η k)", tuple(running.tolist()))]
    if isinstance(proof, Separable):
        level = (proof.margin,) * len(running)
        curves.append(Curve("γ* is at least (the proof)", level, dashed=True))
    return Chart("Bounds on the largest margin γ*", "epoch", tuple(curves), log=True)


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
