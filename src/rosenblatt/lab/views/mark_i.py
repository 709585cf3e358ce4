"""The Mark I: 20 × 20 pixels to draw on, scores, the rule, and weights as images."""

from functools import partial
from typing import Any, ClassVar, Protocol

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

from rosenblatt import palette as looks
from rosenblatt.lab.catalogue import LAB_RULES
from rosenblatt.lab.mark_i import (
    ACROSS,
    ALPHABETS,
    CELLS,
    HIGH,
    IMAGES_PER_GLYPH,
    MACHINES,
    ROWS,
    SIDE,
    WIDE,
    Machine,
    Votes,
    as_hex,
    from_hex,
    machine,
    pictures_of,
    sample_glyph,
    votes,
)
from rosenblatt.lab.session import Session
from rosenblatt.lab.theme import ACCENT, INK, PALE, SOFT, plain, sentence
from rosenblatt.lab.views.bindings import on_change
from rosenblatt.lab.views.controls import HALF, heading
from rosenblatt.types import Floats

WIDTH = 400
HOW_TO_READ = "Orange: positive weights, evidence for the class; blue: negative, against it."
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


class EventHandler(Protocol):
    """The controller of the Mark I, which is called on every choice."""

    def draw(self, cells: Floats) -> None:
        """Classify another image."""

    def choose_rule(self, rule: str) -> None:
        """Train by another rule."""

    def choose_alphabet(self, alphabet: str) -> None:
        """Train on letters, or on digits."""

    def show_some(self) -> None:
        """Show a letter or digit."""


class MarkIView:
    """Pixels to draw on, scores and weights."""

    def __init__(self, handler: EventHandler) -> None:
        self._handler, self._showing = handler, False
        rows, columns = np.divmod(np.arange(CELLS), SIDE)
        self._source = ColumnDataSource(
            {
                "x": (columns + 0.5).tolist(),
                "y": (SIDE - rows - 0.5).tolist(),
                "ink": [0.0] * CELLS,
            }
        )
        on_change(self._source, "data", lambda _: self._on_ink())
        self._pen = RadioButtonGroup(labels=["Draw", "Erase"], active=0, width=HALF)
        clear = Button(label="Clear", width=HALF, css_classes=["lab-wipe"])
        clear.on_click(lambda: handler.draw(np.zeros(CELLS)))
        some = Button(label="Show one", width=HALF, css_classes=["lab-some"])
        some.on_click(handler.show_some)
        self._alphabets = RadioButtonGroup(
            labels=[name.capitalize() for name in ALPHABETS],
            active=0,
            width=WIDTH,
            css_classes=["lab-alphabets"],
        )
        on_change(self._alphabets, "active", self._on_alphabet)
        names = [(name, LAB_RULES[name].label) for name in MACHINES]
        self._rules = Select(options=names, width=WIDTH, css_classes=["lab-machine"])
        on_change(self._rules, "value", self._on_rule)
        self._answer = Div(text="", width=WIDTH, css_classes=["lab-answer"])
        self._scores = ColumnDataSource({"glyph": [], "score": [], "colour": []})
        self._weights = ColumnDataSource({"image": []})
        self._names = ColumnDataSource({"x": [], "y": [], "name": []})
        self._bars = self._vote_figure()
        left = [
            heading("Draw"),
            self._alphabets,
            self._cell_figure(),
            Row(children=[self._pen, clear, some], spacing=8),
            heading("Trained with"),
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
        fig.hbar("glyph", right="score", height=0.72, source=self._scores, color="colour")
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

    def wait(self, rule: str, alphabet: str) -> None:
        """Show that a classifier is being trained."""
        self._showing = True
        self._rules.value, self._alphabets.active = rule, list(ALPHABETS).index(alphabet)
        self._showing = False
        self._answer.text = sentence(
            f"Training on {IMAGES_PER_GLYPH} images of each of the {alphabet}…", "soft"
        )

    def say(self, error: str) -> None:
        """Show an error message."""
        self._answer.text = sentence(error)

    def show_machine(self, units: Machine) -> None:
        """Show the weights of a classifier."""
        self._bars.y_range.factors = list(units.glyphs)[::-1]
        mosaic, places = pictures_of(units)
        self._weights.data = {"image": [mosaic.astype(np.float32)]}
        self._names.data = {
            "x": [x for _, x, _ in places],
            "y": [y for _, _, y in places],
            "name": [glyph for glyph, _, _ in places],
        }

    def show_cells(self, cells: Floats) -> None:
        """Show an image."""
        if cells.tolist() != list(self._source.data["ink"]):
            self._showing = True
            self._source.data = {**self._source.data, "ink": cells.tolist()}
            self._showing = False

    def show_votes(self, units: Machine, found: Votes) -> None:
        """Show the scores and the prediction."""
        scores = found.scores if found.glyph else np.zeros(len(units.glyphs))
        self._scores.data = {
            "glyph": list(units.glyphs),
            "score": scores.tolist(),
            "colour": [ACCENT if glyph == found.glyph else PALE for glyph in units.glyphs],
        }
        empty = sentence("Draw on the cells with the mouse.", "soft")
        self._answer.text = (
            f"<h2 class='verdict'>It is {found.glyph}.</h2>" if found.glyph else empty
        )

    def _on_ink(self) -> None:
        if not self._showing:
            ink = np.asarray(self._source.data["ink"], float)
            if ink.shape == (CELLS,) and np.isin(ink, (0.0, 1.0)).all():
                self._handler.draw(ink)

    def _on_rule(self, rule: str) -> None:
        if not self._showing:
            self._handler.choose_rule(rule)

    def _on_alphabet(self, place: int) -> None:
        if not self._showing:
            self._handler.choose_alphabet(list(ALPHABETS)[place])


GLYPH_STRIDE = 7  # from one sample to the next


class MarkIController:
    """Trains a classifier when the tab is opened."""

    KEYS: ClassVar = {"space": "show one", "delete": "clear"}

    def __init__(self, session: Session) -> None:
        self._session, self._trainer = session, session.worker()
        self._panel = MarkIView(self)
        self._units: Machine | None = None
        self._shown = 0
        self.view = self._panel.view

    def enter(self) -> None:
        """Show the image of the set-up, and train the classifier if necessary."""
        self._panel.show_cells(from_hex(self._session.setup.cells))
        if self._units is None:
            self._train()

    def pressed(self, key: str) -> None:
        """Act on a key."""
        if key == " ":
            self.show_some()
        elif key in {"Delete", "Backspace"}:
            self.draw(np.zeros(CELLS))

    def choose_rule(self, rule: str) -> None:
        """Train by another rule."""
        self._session.change(machine=rule)
        self._train()

    def choose_alphabet(self, alphabet: str) -> None:
        """Train on letters, or on digits."""
        self._session.change(alphabet=alphabet)
        self._train()

    def _train(self) -> None:
        self._units = None
        setup = self._session.setup
        self._panel.wait(setup.machine, setup.alphabet)
        work = partial(machine, setup.machine, setup.alphabet)
        self._session.run_in_background(self._trainer, work, self._trained, self._panel.say)

    def _trained(self, units: Machine) -> None:
        self._units = units
        self._panel.show_machine(units)
        self._vote()

    def draw(self, cells: Floats) -> None:
        """Classify another image."""
        self._session.change(cells=as_hex(cells))
        self._panel.show_cells(cells)
        self._vote()

    def _vote(self) -> None:
        if self._units is not None:
            cells = from_hex(self._session.setup.cells)
            self._panel.show_votes(self._units, votes(self._units, cells))

    def show_some(self) -> None:
        """Show a letter or digit from outside the training set."""
        self.draw(
            sample_glyph(self._session.setup.alphabet, GLYPH_STRIDE * self._shown, self._shown)
        )
        self._shown += 1
