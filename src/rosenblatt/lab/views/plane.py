"""View of the plane: points that can be edited, the boundary, its margins and its normal."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from bokeh.models import (
    Arrow,
    CategoricalColorMapper,
    CategoricalMarkerMapper,
    ColumnDataSource,
    CustomJS,
    HoverTool,
    LinearColorMapper,
    PanTool,
    PointDrawTool,
    Range1d,
    ResetTool,
    TapTool,
    VeeHead,
    WheelZoomTool,
)
from bokeh.palettes import interp_palette
from bokeh.plotting import figure

from rosenblatt import palette as looks
from rosenblatt.geometry.plane import Box
from rosenblatt.lab.dataset import LabDataset
from rosenblatt.lab.plot_data import EMPTY_BOX, Picture, foot_of
from rosenblatt.lab.state import Point, rounded
from rosenblatt.lab.theme import ACCENT, INK, SOFT, WRONG, marker, plain
from rosenblatt.lab.views.bindings import on_change, send
from rosenblatt.lab.views.proof import Witness
from rosenblatt.palette import COLOURS, SHAPES, colour
from rosenblatt.types import Array, Floats

MARKS = [str(mark) for mark in range(len(COLOURS) * len(SHAPES))]
PROBABILITY_COLOURS = (looks.NEGATIVE, looks.NEUTRAL, looks.POSITIVE)
MISTAKE_LINE_WIDTH = 1.5


class PlaneView:
    """The figure in the middle of the page.

    `edited` is called with points changed by the mouse, `resized` after a change of size.
    """

    def __init__(self, edited: Callable[[list[Point]], None], resized: Callable[[], None]) -> None:
        self._edited, self._resized = edited, resized
        self._showing, self._box = False, EMPTY_BOX
        self._frame = {"inner_width": 1, "inner_height": 1}  # until the browser reports them
        self._picture: Picture | None = None
        self._weights: Floats | None = None
        self._source = ColumnDataSource({"x": [], "y": [], "mark": []})
        self._seen = ColumnDataSource(_no_points())
        self._wrong = ColumnDataSource({"x": [], "y": []})
        self._lines, self._margins = _lines(), _lines()
        self._cells = ColumnDataSource({"xs": [], "ys": [], "colour": []})
        self._image = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})
        self._chances = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})
        self._mixture = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})
        self._witnesses = ColumnDataSource({"x": [], "y": [], "size": []})
        self._update_rows = ColumnDataSource({"x": [], "y": []})
        self._foot = ColumnDataSource({"x": [], "y": []})
        self.figure = self._figure()
        for side in self._frame:
            on_change(self.figure, side, partial(self._on_resize, side))
        on_change(self._source, "data", lambda _: self._on_edit())
        on_change(self._source.selected, "indices", lambda _: self._show_foot())

    def _figure(self) -> Any:
        fig = plain(
            figure(
                name="plane",
                tools=[],
                sizing_mode="stretch_both",
                min_height=320,
                x_range=Range1d(0, 1),
                y_range=Range1d(0, 1),
            )
        )
        palette = [colour(k) for k in range(len(COLOURS))]
        mapper = LinearColorMapper(palette=palette, low=-0.5, high=len(palette) - 0.5)
        fig.image("image", source=self._image, color_mapper=mapper, alpha=0.13, level="underlay")
        chance = LinearColorMapper(palette=interp_palette(PROBABILITY_COLOURS, 64), low=0, high=1)
        fig.image("image", source=self._chances, color_mapper=chance, alpha=0.3, level="underlay")
        fig.image_rgba("image", source=self._mixture, alpha=0.3, level="underlay")
        fig.patches(
            "xs", "ys", source=self._cells, fill_color="colour", fill_alpha=0.1, line_color=None
        )
        fig.multi_line(
            "xs", "ys", source=self._margins, line_color=INK, line_width=1.4, line_dash="dashed"
        )
        fig.multi_line("xs", "ys", source=self._lines, line_color=INK, line_width=2.6)
        fig.line("x", "y", source=self._foot, line_color=ACCENT, line_width=2, line_dash="dotted")
        self._arrow = Arrow(
            end=VeeHead(size=12, fill_color=ACCENT, line_color=ACCENT),
            line_color=ACCENT,
            line_width=2.5,
            x_start=0,
            y_start=0,
            x_end=0,
            y_end=0,
            visible=False,
        )
        fig.add_layout(self._arrow)
        fig.scatter(
            "x",
            "y",
            size="size",
            source=self._witnesses,
            fill_color=None,
            line_color=INK,
            line_width=2.2,
        )
        drawn = fig.scatter("x", "y", source=self._source, size=11, **_marks("mark"))
        seen = fig.scatter("x", "y", source=self._seen, size=13, fill_color=None, line_color=None)
        fig.scatter(
            "x",
            "y",
            source=self._wrong,
            marker="x",
            size=8,
            line_color="white",
            line_width=MISTAKE_LINE_WIDTH,
        )
        fig.scatter(
            "x",
            "y",
            source=self._update_rows,
            size=26,
            fill_color=None,
            line_color=WRONG,
            line_width=3,
        )
        self._hover = HoverTool(
            renderers=[seen],
            tooltips=[
                ("sample", "@row"),
                ("class", "@name"),
                ("distance to the boundary", "@distance{0.0000}"),
            ],
        )
        self._draw = PointDrawTool(renderers=[drawn], default_overrides={"mark": "0"})
        self._tap = TapTool(renderers=[drawn])
        fig.add_tools(self._draw, self._tap, self._hover, PanTool(), WheelZoomTool(), ResetTool())
        fig.toolbar.active_tap = self._draw
        return fig

    def set_class_control(self, marks: Any) -> None:
        """Let new points have the chosen class, set in the browser as a click may come first."""
        code = "draw.default_overrides = {mark: String(cb_obj.active)}"
        marks.js_on_change("active", CustomJS(args={"draw": self._draw}, code=code))

    def load(self, points: Sequence[Point] | None, box: Box) -> None:
        """Show other data: points that can be edited, or None if they cannot."""
        fig, self._box = self.figure, box
        self._fit()
        fig.toolbar.active_tap = self._tap if points is None else self._draw
        fig.toolbar.active_drag = None if points is None else self._draw
        self._draw.add = self._draw.drag = points is not None
        if points is not None:
            self._write(points)

    def update(
        self,
        picture: Picture,
        weights: Floats | None,
        dataset: LabDataset,
        *,
        editable: bool,
    ) -> None:
        """Show a picture."""
        self._picture, self._weights = picture, weights
        names, marks = dataset.classes, dataset.marks
        self._show_points(picture, names, marks, editable=editable)
        send(self._lines, _as_lines(picture.boundary))
        send(self._margins, _as_lines(picture.margins))
        cells = [(k, cell) for k, cell in enumerate(picture.cells) if len(cell)]
        shaded = picture.probabilities is not None or picture.class_probabilities is not None
        send(
            self._cells,
            {
                "xs": [] if shaded else [cell[:, 0].tolist() for _, cell in cells],
                "ys": [] if shaded else [cell[:, 1].tolist() for _, cell in cells],
                "colour": [] if shaded else [colour(marks[k]) for k, _ in cells],
            },
        )
        decisions = None if shaded else picture.decisions
        looks = np.array(marks, float) % len(COLOURS)
        by_look = None if decisions is None else looks[decisions.astype(np.int64)]
        send(self._image, _as_image(by_look, picture.box))
        shaded_box = picture.shaded or picture.box
        send(self._chances, _as_image(picture.probabilities, shaded_box))
        mixture = (
            None
            if picture.class_probabilities is None
            else _mixed(picture.class_probabilities, marks)
        )
        send(self._mixture, _as_image(mixture, shaded_box))
        self._show_normal(picture.normal)
        self._show_foot()
        if not editable and picture.box != self.shown:
            self._box = picture.box
            self._fit()
        self.figure.xaxis.axis_label, self.figure.yaxis.axis_label = picture.names

    @property
    def shown(self) -> Box:
        """The visible box, which is larger if the figure has another aspect ratio."""
        across, up = self.figure.x_range, self.figure.y_range
        return Box(across.start, across.end, up.start, up.end)

    @property
    def selected(self) -> list[int]:
        """Indices of the selected points."""
        return list(self._source.selected.indices)

    def points(self) -> list[Point]:
        """The points that are drawn."""
        data: Any = self._source.data
        columns = (data["x"], data["y"], data["mark"])
        near = partial(_nearest, step=_pixel(self._box))
        return [Point(near(x), near(y), int(mark)) for x, y, mark in zip(*columns, strict=True)]

    def put(self, points: Sequence[Point]) -> None:
        """Replace the points, as by the mouse."""
        self._write(points)
        self._edited(list(points))

    def _on_resize(self, side: str, pixels: int) -> None:
        self._frame[side] = max(1, pixels)
        self._fit()
        self._resized()

    def _fit(self) -> None:
        """Show the whole box and, if it is square, with equal scales."""
        fig, box = self.figure, self._box
        width, height = box.right - box.left, box.top - box.bottom
        frame = self._frame["inner_width"] / self._frame["inner_height"]
        if abs(width - height) < 1e-9 * width:
            width, height = max(width, height * frame), max(height, width / frame)
        for axis, middle, span in zip(
            (fig.x_range, fig.y_range), box.centre, (width, height), strict=True
        ):
            axis.start, axis.end = middle - span / 2, middle + span / 2
            axis.reset_start, axis.reset_end = axis.start, axis.end

    def _write(self, points: Sequence[Point]) -> None:
        self._showing = True
        self._source.selected.indices = []
        self._source.data = {
            "x": [p.x for p in points],
            "y": [p.y for p in points],
            "mark": [str(p.label) for p in points],
        }
        self._showing = False

    def _on_edit(self) -> None:
        if not self._showing:
            self._edited(self.points())

    def _show_points(
        self, picture: Picture, names: Sequence[str], marks: Sequence[int], *, editable: bool
    ) -> None:
        drawn = picture.drawn
        x, y = np.ascontiguousarray(drawn.places.reshape(-1, 2).T)
        if not editable:
            self._showing = True
            send(self._source, {"x": x, "y": y, "mark": [str(marks[c]) for c in drawn.codes]})
            self._showing = False
        columns = {
            "x": x,
            "y": y,
            "row": drawn.rows + 1,
            "name": [names[code] for code in drawn.codes],
            "distance": drawn.distance,
        }
        send(self._seen, columns)
        wrong = drawn.correct == 0
        send(self._wrong, {"x": x[wrong], "y": y[wrong]})

    def _show_normal(self, normal: Floats | None) -> None:
        self._arrow.visible = normal is not None
        if normal is not None:
            (self._arrow.x_start, self._arrow.y_start), (self._arrow.x_end, self._arrow.y_end) = (
                normal.tolist()
            )

    def ring(self, update_rows: Sequence[int], witnesses: Sequence[Witness]) -> None:
        """Highlight the samples of the last update, and those of a proof."""
        if self._picture is None:
            return
        drawn = self._picture.drawn
        where = {row: place for place, row in enumerate(drawn.rows.tolist())}
        seen = [witness for witness in witnesses if witness.row in where]
        places = drawn.places[[where[witness.row] for witness in seen]]
        send(
            self._witnesses,
            {
                "x": places[:, 0].tolist(),
                "y": places[:, 1].tolist(),
                "size": [18 + 16 * witness.share for witness in seen],
            },
        )
        now = drawn.places[[where[row] for row in update_rows if row in where]]
        send(self._update_rows, {"x": now[:, 0].tolist(), "y": now[:, 1].tolist()})

    def _show_foot(self) -> None:
        foot = None
        if self._picture is not None and self._weights is not None and len(self.selected) == 1:
            place = self.selected[0]
            if place < len(self._picture.drawn.rows):
                foot = foot_of(self._picture.drawn, place, self._weights)
        points: Any = np.zeros((0, 2)) if foot is None else foot
        send(self._foot, {"x": points[:, 0].tolist(), "y": points[:, 1].tolist()})


def _pixel(box: Box) -> float:
    """The resolution of the mouse: about a thousandth of the box, as a power of ten."""
    return float(10.0 ** np.floor(np.log10(max(box.right - box.left, 1e-12)) - 3))


def _nearest(number: float, step: float) -> float:
    return rounded(round(float(number) / step) * step)


def _marks(column: str) -> dict[str, Any]:
    """Colour and shape by class."""
    marks = [int(mark) for mark in MARKS]
    colours = CategoricalColorMapper(factors=MARKS, palette=[colour(m) for m in marks])
    shapes = CategoricalMarkerMapper(factors=MARKS, markers=[marker(m) for m in marks])
    return {
        "fill_color": {"field": column, "transform": colours},
        "line_color": "white",
        "line_width": 0.8,
        "marker": {"field": column, "transform": shapes},
        "nonselection_fill_alpha": 1.0,
        "selection_line_color": SOFT,
        "selection_line_width": 3,
    }


def _no_points() -> dict[str, Any]:
    return {name: [] for name in ("x", "y", "row", "name", "distance")}


def _lines() -> ColumnDataSource:
    return ColumnDataSource({"xs": [], "ys": []})


def _as_lines(lines: Sequence[Floats]) -> dict[str, Any]:
    return {
        "xs": [line[:, 0].tolist() for line in lines],
        "ys": [line[:, 1].tolist() for line in lines],
    }


def _mixed(class_probabilities: Floats, marks: Sequence[int]) -> Array:
    """The colours of the classes, mixed by their probabilities, as 32-bit pixels."""
    colours = np.array([list(bytes.fromhex(colour(mark).lstrip("#"))) for mark in marks])
    pixels = np.full((*class_probabilities.shape[1:], 4), 255, np.uint8)
    pixels[..., :3] = np.einsum("kij,kc->ijc", class_probabilities, colours).round()
    return pixels.view(np.uint32)[..., 0]


def _as_image(values: Array | None, box: Box) -> dict[str, Any]:
    if values is None:
        return {"image": [], "x": [], "y": [], "dw": [], "dh": []}
    return {
        "image": [values.astype(np.float32) if values.dtype.kind == "f" else values],
        "x": [box.left],
        "y": [box.bottom],
        "dw": [box.right - box.left],
        "dh": [box.top - box.bottom],
    }
