"""The gates: a truth table to edit, and its unit, or the proof and a network."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from bokeh.models import (
    Button,
    Column,
    ColumnDataSource,
    Div,
    RadioButtonGroup,
    Range1d,
    Row,
    Select,
)
from bokeh.plotting import figure

from rosenblatt.lab.gates import (
    PRESETS,
    Wiring,
    constant_false,
    explanation,
    flipped,
    formulas,
    n_inputs_of,
    neighbouring_preset,
    rows_of,
    wiring,
)
from rosenblatt.lab.session import Session
from rosenblatt.lab.state import MAX_INPUTS
from rosenblatt.lab.theme import ACCENT, INK, WRONG, plain, sentence
from rosenblatt.lab.views.bindings import on_change
from rosenblatt.lab.views.controls import HALF, WIDTH, heading
from rosenblatt.logic.realize import Realizable, realize

CUSTOM = "custom table"
HOW_TO_READ = (
    "In the drawing, a number on a line is a weight, and one below a circle an intercept; a unit"
    " outputs 1 where its sum is at least 0."
)


class GatesView:
    """A truth table, a drawing, and text; `chosen` is called with another table."""

    def __init__(self, chosen: Callable[[str], None]) -> None:
        self._chosen, self._table, self._showing = chosen, "", False
        self._presets = Select(
            options=[CUSTOM, *PRESETS], value=CUSTOM, width=WIDTH, css_classes=["lab-preset"]
        )
        sizes = [str(n) for n in range(1, MAX_INPUTS + 1)]
        self._size = RadioButtonGroup(labels=sizes, width=WIDTH, css_classes=["lab-inputs"])
        self._cells = Column(width=WIDTH, spacing=4, css_classes=["lab-table"])
        self._words = Div(text="", sizing_mode="stretch_width", css_classes=["lab-unit"])
        self._nodes = ColumnDataSource({"x": [], "y": [], "name": [], "intercept": []})
        self._edges = ColumnDataSource({"xs": [], "ys": [], "colour": []})
        self._labels = ColumnDataSource({"x": [], "y": [], "text": [], "colour": []})
        on_change(self._presets, "value", self._on_preset)
        on_change(self._size, "active", self._on_size)
        left = [
            heading("Function"),
            self._presets,
            heading("Inputs"),
            self._size,
            heading("Truth table (click a row)"),
            self._cells,
        ]
        self._figure = self._drawn()
        self.view = Row(
            children=[
                Column(children=left, width=WIDTH, spacing=6),
                Column(children=[self._figure], sizing_mode="stretch_both", margin=(0, 12, 0, 12)),
                Column(children=[self._words], width=420),
            ],
            sizing_mode="stretch_both",
        )

    def _drawn(self) -> Any:
        fig = plain(
            figure(
                tools=[],
                toolbar_location=None,
                sizing_mode="stretch_both",
                x_range=Range1d(-0.35, 2.35),
                y_range=Range1d(-2, 2),
            )
        )
        fig.axis.visible = False
        fig.grid.visible = False
        fig.outline_line_color = None
        fig.multi_line("xs", "ys", source=self._edges, line_color="colour", line_width=2.5)
        look: dict[str, Any] = {"text_align": "center", "text_baseline": "middle"}
        fig.scatter("x", "y", source=self._labels, size=24, fill_color="white", line_color=None)
        font = {"text_color": "colour", "text_font_size": "16px"}
        fig.text("x", "y", "text", source=self._labels, **font, **look)
        fig.scatter(
            "x", "y", source=self._nodes, size=58, fill_color="white", line_color=INK, line_width=2
        )
        fig.text("x", "y", "name", source=self._nodes, text_font_size="20px", **look)
        fig.text(
            "x",
            "y",
            "intercept",
            source=self._nodes,
            y_offset=44,
            text_font_size="15px",
            text_color=INK,
            **look,
        )
        return fig

    def update(self, table: str) -> None:
        """Show a truth table and its unit or network."""
        self._table, self._showing = table, True
        known = {value: name for name, value in PRESETS.items()}
        self._presets.value = known.get(table, CUSTOM)
        self._size.active = n_inputs_of(table) - 1
        self._cells.children = self._buttons(table)
        self._showing = False
        found = realize(table)
        can = isinstance(found, Realizable)
        verdict = "One unit computes it" if can else "No unit computes it"
        *before, share = explanation(found)
        parts = [f"<h2 class='{'separable' if can else 'inseparable'}'>{verdict}</h2>"]
        parts += [sentence(words) for words in ([] if can else before)]
        parts += [sentence(line, "w") for line in formulas(found)]
        parts += [sentence(words) for words in (before if can else [])]
        parts += [sentence(words, "soft") for words in (share, HOW_TO_READ)]
        self._words.text = "".join(parts)
        self._draw(wiring(found))

    def _buttons(self, table: str) -> list[Any]:
        """One button for each row of the table, in two columns if there are many."""
        buttons = []
        for row, (inputs, value) in enumerate(rows_of(table)):
            button = Button(
                label=f"{' '.join(inputs)}  →  {value}",
                width=HALF if len(table) > 8 else WIDTH,
                button_type="primary" if value == "1" else "default",
                css_classes=[f"lab-row-{inputs}"],
            )
            button.on_click(partial(self._flip, row))
            buttons.append(button)
        if len(table) <= 8:
            return buttons
        half = len(buttons) // 2
        pairs = zip(buttons[:half], buttons[half:], strict=True)
        return [Row(children=list(pair), spacing=8) for pair in pairs]

    def _draw(self, drawing: Wiring) -> None:
        nodes, edges = drawing
        half_height = max(abs(node.y) for node in nodes) + 0.9
        fig = self._figure
        fig.y_range.start, fig.y_range.end = -max(half_height, 1.6), max(half_height, 1.6)
        fig.x_range.end = max(node.x for node in nodes) + 0.35
        self._nodes.data = {
            "x": [node.x for node in nodes],
            "y": [node.y for node in nodes],
            "name": [node.name for node in nodes],
            "intercept": [node.intercept for node in nodes],
        }
        colours = [ACCENT if edge.positive else WRONG for edge in edges]
        self._edges.data = {
            "xs": [[edge.start[0], edge.end[0]] for edge in edges],
            "ys": [[edge.start[1], edge.end[1]] for edge in edges],
            "colour": colours,
        }
        self._labels.data = {
            "x": [edge.label[0] for edge in edges],
            "y": [edge.label[1] for edge in edges],
            "text": [edge.weight for edge in edges],
            "colour": colours,
        }

    def _flip(self, row: int) -> None:
        self._chosen(flipped(self._table, row))

    def _on_preset(self, name: str) -> None:
        if not self._showing and name in PRESETS:
            self._chosen(PRESETS[name])

    def _on_size(self, active: int) -> None:
        if not self._showing:
            self._chosen(constant_false(active + 1))


class GatesController:
    """Shows the truth table of the set-up."""

    KEYS: ClassVar = {"↑ ↓": "function", "1 2 3 4": "inputs"}

    def __init__(self, session: Session) -> None:
        self._session = session
        self._panel = GatesView(self._choose)
        self.view = self._panel.view
        self._panel.update(session.setup.table)

    def enter(self) -> None:
        """Nothing to do: the table is always shown."""

    def pressed(self, key: str) -> None:
        """Act on a key."""
        actions: dict[str, Callable[[], str]] = {
            "ArrowUp": partial(neighbouring_preset, self._session.setup.table, -1),
            "ArrowDown": partial(neighbouring_preset, self._session.setup.table, 1),
            **{str(n): partial(constant_false, n) for n in range(1, MAX_INPUTS + 1)},
        }
        if key in actions:
            self._choose(actions[key]())

    def _choose(self, table: str) -> None:
        self._session.change(table=table)
        self._panel.update(table)
