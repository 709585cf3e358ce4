"""The Mark I: draw on 20 × 20 cells, watch the units vote, see their weights as pictures."""

from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.events import Pan, PanEnd, PanStart, Tap
from bokeh.models import (
    Button,
    Column,
    ColumnDataSource,
    CustomJS,
    Div,
    FactorRange,
    LinearColorMapper,
    RadioButtonGroup,
    Range1d,
    Row,
    Select,
)
from bokeh.palettes import interp_palette
from bokeh.plotting import figure

from rosenblatt.arrays import Floats
from rosenblatt.geometry import looks
from rosenblatt.lab.letters import (
    ACROSS,
    CELLS,
    HIGH,
    MACHINES,
    ROWS,
    SIDE,
    WIDE,
    Machine,
    Votes,
    pictures_of,
)
from rosenblatt.lab.panels.controls import HALF, heading
from rosenblatt.lab.panels.hearing import hear
from rosenblatt.lab.teaching import TAUGHT
from rosenblatt.lab.theme import ACCENT, INK, PALE, SOFT, plain
from rosenblatt.lab.words import sentence

WIDTH = 400
HOW_TO_READ = "Orange cells speak for the letter of a unit, blue cells against it."
DIVERGING = interp_palette((looks.NEGATIVE, looks.NEUTRAL, looks.POSITIVE), 65)
INKED = """
const [x, y, ink] = [cb_obj.x, cb_obj.y, source.data.ink.slice()];
const [fx, fy] = kind == "pan" && source.pen ? source.pen : [x, y];
source.pen = kind == "end" ? null : [x, y];
const steps = Math.ceil(2 * Math.hypot(x - fx, y - fy)) + 1;
for (let s = 0; s <= steps; s++) {
  const [px, py] = [fx + (x - fx) * s / steps, fy + (y - fy) * s / steps];
  for (let i = 0; i < ink.length; i++)
    if (Math.hypot(source.data.x[i] - px, source.data.y[i] - py) < 0.95) ink[i] = 1 - pen.active;
}
if (ink.some((value, i) => value != source.data.ink[i])) source.data = {...source.data, ink};
"""


class LettersPanel:
    """Cells to draw on, votes and weights.

    `drawn` hears of other cells, `chosen` of another rule, `asked` of the wish for some letter.
    """

    def __init__(
        self,
        drawn: Callable[[Floats], None],
        chosen: Callable[[str], None],
        asked: Callable[[], None],
    ) -> None:
        self._drawn, self._showing = drawn, False
        rows, columns = np.divmod(np.arange(CELLS), SIDE)
        self._source = ColumnDataSource(
            {
                "x": (columns + 0.5).tolist(),
                "y": (SIDE - rows - 0.5).tolist(),
                "ink": [0.0] * CELLS,
            }
        )
        hear(self._source, "data", lambda _: self._on_ink())
        self._pen = RadioButtonGroup(labels=["Draw", "Erase"], active=0, width=HALF)
        clear = Button(label="Clear", width=HALF, css_classes=["lab-wipe"])
        clear.on_click(lambda: self._drawn(np.zeros(CELLS)))
        some = Button(label="Show a letter", width=HALF, css_classes=["lab-some-letter"])
        some.on_click(asked)
        names = [(name, TAUGHT[name].label) for name in MACHINES]
        self._rules = Select(options=names, width=WIDTH, css_classes=["lab-machine"])
        hear(self._rules, "value", lambda name: None if self._showing else chosen(name))
        self._answer = Div(text="", width=WIDTH, css_classes=["lab-answer"])
        self._scores = ColumnDataSource({"letter": [], "score": [], "colour": []})
        self._weights = ColumnDataSource({"image": []})
        self._names = ColumnDataSource({"x": [], "y": [], "name": []})
        self._bars = self._vote_figure()
        left = [
            heading("Draw a letter"),
            self._cell_figure(),
            Row(children=[self._pen, clear, some], spacing=8),
            heading("Trained by"),
            self._rules,
        ]
        right = [
            heading("Weights of the units"),
            Div(text=sentence(HOW_TO_READ, "soft"), sizing_mode="stretch_width"),
            self._weight_figure(),
        ]
        middle = [heading("The units vote"), self._answer, self._bars]
        self.view = Row(
            children=[
                Column(children=left, width=WIDTH, spacing=6),
                Column(children=middle, width=300, sizing_mode="stretch_height", margin=(0, 24)),
                Column(children=right, sizing_mode="stretch_both"),
            ],
            sizing_mode="stretch_both",
        )

    def _cell_figure(self) -> Any:
        fig = plain(
            figure(
                name="cells",
                tools=[],
                toolbar_location=None,
                width=WIDTH,
                height=WIDTH,
                x_range=Range1d(0, SIDE),
                y_range=Range1d(0, SIDE),
                min_border=0,
            )
        )
        fig.axis.visible = False
        fig.grid.visible = False
        ink = LinearColorMapper(palette=["#ffffff", INK], low=0, high=1)
        colour = {"field": "ink", "transform": ink}
        fig.rect("x", "y", 1, 1, source=self._source, fill_color=colour, line_color=PALE)
        args = {"source": self._source, "pen": self._pen}
        for event, kind in ((Tap, "tap"), (PanStart, "start"), (Pan, "pan"), (PanEnd, "end")):
            code = f'const kind = "{kind}";{INKED}'
            fig.js_on_event(event, CustomJS(args=args, code=code))
        return fig

    def _vote_figure(self) -> Any:
        fig = plain(
            figure(
                tools=[],
                toolbar_location=None,
                width=300,
                sizing_mode="stretch_height",
                min_height=420,
                y_range=FactorRange(),
            )
        )
        fig.hbar("letter", right="score", height=0.72, source=self._scores, color="colour")
        fig.ygrid.visible = False
        fig.xaxis.axis_label = "w·x + b"
        return fig

    def _weight_figure(self) -> Any:
        wide, high = ACROSS * WIDE, ROWS * HIGH
        fig = plain(
            figure(
                tools=[],
                toolbar_location=None,
                width=4 * wide,
                height=4 * high,
                min_border=0,
                x_range=Range1d(0, wide),
                y_range=Range1d(0, high),
            )
        )
        fig.axis.visible = False
        fig.grid.visible = False
        fig.outline_line_color = None
        mapper = LinearColorMapper(palette=DIVERGING, low=-1, high=1, nan_color="white")
        fig.image("image", 0, 0, wide, high, source=self._weights, color_mapper=mapper)
        fig.text(
            "x",
            "y",
            "name",
            source=self._names,
            text_font_size="12px",
            text_color=SOFT,
            text_baseline="bottom",
        )
        return fig

    def wait(self) -> None:
        """Say that the units are being trained."""
        self._answer.text = sentence("Training on letters of eighty pens…", "soft")

    def say(self, trouble: str) -> None:
        """Say what went wrong."""
        self._answer.text = sentence(trouble)

    def show_machine(self, rule: str, units: Machine) -> None:
        """Show units and their weights."""
        self._showing = True
        self._rules.value = rule
        self._showing = False
        self._bars.y_range.factors = list(units.letters)[::-1]
        mosaic, places = pictures_of(units)
        self._weights.data = {"image": [mosaic.astype(np.float32)]}
        self._names.data = {
            "x": [x for _, x, _ in places],
            "y": [y for _, _, y in places],
            "name": [letter for letter, _, _ in places],
        }

    def show_cells(self, cells: Floats) -> None:
        """Show a picture."""
        if cells.tolist() != list(self._source.data["ink"]):
            self._showing = True
            self._source.data = {**self._source.data, "ink": cells.tolist()}
            self._showing = False

    def show_votes(self, units: Machine, found: Votes) -> None:
        """Show how the units vote."""
        scores = found.scores if found.letter else np.zeros(len(units.letters))
        self._scores.data = {
            "letter": list(units.letters),
            "score": scores.tolist(),
            "colour": [ACCENT if letter == found.letter else PALE for letter in units.letters],
        }
        empty = sentence("Draw on the cells with the mouse.", "soft")
        self._answer.text = (
            f"<h2 class='verdict'>It is {found.letter}.</h2>" if found.letter else empty
        )

    def _on_ink(self) -> None:
        if not self._showing:
            ink = np.asarray(self._source.data["ink"], float)
            if ink.shape == (CELLS,) and np.isin(ink, (0.0, 1.0)).all():
                self._drawn(ink)
