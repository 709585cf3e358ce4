"""Weight space (lecture 003): each sample is a line, the solutions a region, the run a path."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import Column, ColumnDataSource, Div, Range1d, Row, Select
from bokeh.plotting import figure

from rosenblatt.geometry.plane import Box, WeightPlane, segment
from rosenblatt.geometry.view import sample
from rosenblatt.lab.dataset import LabDataset
from rosenblatt.lab.theme import ACCENT, INK, WRONG, plain, sentence
from rosenblatt.lab.views.bindings import on_change, send
from rosenblatt.palette import colour
from rosenblatt.types import Floats, Ints

MAX_LINES = 150
MAX_ROWS = 5000  # whose half-planes are intersected


@dataclass(frozen=True, eq=False)
class WeightPicture:
    """Plot data of the plane of two weights."""

    names: tuple[str, str]
    box: Box
    lines: tuple[Floats, ...]
    codes: Ints
    solutions: Floats
    path: Floats
    here: Floats
    caption: str


def weight_names(dataset: LabDataset) -> tuple[str, ...]:
    """Names of the weights: one for each feature, then the intercept b."""
    return (*(f"w({name})" for name in dataset.mapped_feature_names()), "b")


def refusal(dataset: LabDataset) -> str:
    """The reason why weight space is not drawn, or an empty string."""
    if len(dataset.classes) != 2:
        return "Weight space is drawn for two classes only: here each class has weights of its own."
    if len(dataset.X) > MAX_ROWS:
        return f"Weight space is drawn for up to {MAX_ROWS:,} samples."
    return ""


def weight_picture(
    dataset: LabDataset, at: Floats, path: Floats, chosen: tuple[int, int], followed: str
) -> WeightPicture:
    """The plane of two weights through the weights `at`, with the others fixed."""
    plane = WeightPlane(at, chosen)
    signs = np.where(dataset.codes == 1, 1.0, -1.0)
    projected = plane.path(path)
    box = _box(projected)
    drawn = sample(dataset.codes, MAX_LINES).rows
    A, c = plane.halfplanes(dataset.Z[drawn], signs[drawn])
    ends = [segment(a, float(offset), box) for a, offset in zip(A, c, strict=True)]
    lines = [
        (line, code)
        for line, code in zip(ends, dataset.codes[drawn], strict=True)
        if line is not None
    ]
    names = weight_names(dataset)
    fixed = len(at) - 2
    others = (
        "" if fixed == 0 else f" The other {'weight is' if fixed == 1 else 'weights are'} fixed."
    )
    return WeightPicture(
        names=(names[chosen[0]], names[chosen[1]]),
        box=box,
        lines=tuple(line for line, _ in lines),
        codes=np.array([code for _, code in lines], np.int64),
        solutions=plane.solutions(dataset.Z, signs, box),
        path=projected,
        here=plane.path(at[None])[0],
        caption=f"Each line is a sample; the path is {followed}.{others}",
    )


def _box(path: Floats) -> Box:
    """A square around the origin that contains the path."""
    half = max(float(np.abs(path).max()), 1e-6) * 1.35
    return Box(-half, half, -half, half)


SIDE = 410  # pixels


class WeightsView:
    """A figure and the choice of its two weights; `chosen` is called when that changes."""

    def __init__(self, chosen: Callable[[], None]) -> None:
        self._chosen, self._showing = chosen, False
        self._lines = ColumnDataSource({"xs": [], "ys": [], "colour": []})
        self._region = ColumnDataSource({"x": [], "y": []})
        self._path = ColumnDataSource({"x": [], "y": []})
        self._here = ColumnDataSource({"x": [], "y": []})
        self._figure = self._drawn()
        self._across = Select(title="across", options=["0"], value="0", width=120)
        self._up = Select(title="up", options=["1"], value="1", width=120)
        for select in (self._across, self._up):
            on_change(select, "value", lambda _: self._on_choice())
        self._choice = Row(children=[self._across, self._up], spacing=8, margin=(8, 0))
        self._caption = Div(text="", sizing_mode="stretch_width")
        self.view = Column(
            children=[self._choice, self._figure, self._caption], sizing_mode="stretch_both"
        )

    def _drawn(self) -> Any:
        fig = plain(
            figure(
                tools="pan,wheel_zoom,reset",
                width=SIDE,
                height=SIDE,
                x_range=Range1d(-1, 1),
                y_range=Range1d(-1, 1),
                toolbar_location=None,
            )
        )
        fig.patch(
            "x", "y", source=self._region, fill_color=ACCENT, fill_alpha=0.22, line_color=None
        )
        fig.multi_line("xs", "ys", source=self._lines, line_color="colour", line_alpha=0.55)
        fig.line("x", "y", source=self._path, line_color=INK, line_width=1.6)
        fig.scatter("x", "y", source=self._path, size=4, fill_color=INK, line_color=None)
        fig.scatter("x", "y", source=self._here, size=13, fill_color=WRONG, line_color="white")
        return fig

    @property
    def chosen(self) -> tuple[int, int]:
        """Indices of the two weights that are shown."""
        return int(self._across.value), int(self._up.value)

    def name_weights(self, names: Sequence[str]) -> None:
        """Set the names of the weights to choose from."""
        options = [(str(k), name) for k, name in enumerate(names)]
        if options == self._across.options:
            return
        self._showing = True
        self._across.options = self._up.options = options
        self._across.value, self._up.value = "0", str(min(1, len(names) - 1))
        self._showing = False

    def refuse(self, reason: str) -> None:
        """Show why weight space is not drawn."""
        self._choice.visible = self._figure.visible = False
        self._caption.text = sentence(reason, "soft")

    def update(self, picture: WeightPicture, marks: Sequence[int]) -> None:
        """Show plot data."""
        self._choice.visible = self._figure.visible = True
        fig, box = self._figure, picture.box
        fig.x_range.start, fig.x_range.end = box.left, box.right
        fig.y_range.start, fig.y_range.end = box.bottom, box.top
        fig.xaxis.axis_label, fig.yaxis.axis_label = picture.names
        lines = {
            "xs": [line[:, 0].tolist() for line in picture.lines],
            "ys": [line[:, 1].tolist() for line in picture.lines],
            "colour": [colour(marks[code]) for code in picture.codes],
        }
        send(self._lines, lines)
        for source, points in (
            (self._region, picture.solutions),
            (self._path, picture.path),
            (self._here, picture.here),
        ):
            x, y = np.ascontiguousarray(points.reshape(-1, 2).T)
            send(source, {"x": x, "y": y})
        region = "Blue: the solutions." if len(picture.solutions) else "No solutions in this box."
        self._caption.text = sentence(f"{picture.caption} {region}", "soft")

    def _on_choice(self) -> None:
        if not self._showing:
            self._chosen()
