"""Colours, fonts and style sheets of the page; numbers, vectors and tables as HTML, escaped."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from rosenblatt import palette
from rosenblatt.types import Floats

INK, SOFT, PALE = palette.INK, palette.GREY, palette.PALE
PAPER, ACCENT, WRONG, GRID = "#ffffff", "#0072B2", "#B00020", "#eef1f4"
LETTERS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
MARKERS = {
    "wedge": "inverted_triangle",
    "cross": "hex",
    "plus": "square_pin",
}  # those that can be filled


def marker(k: int) -> str:
    """Bokeh's name of the marker of class k."""
    return MARKERS.get(palette.shape(k), palette.shape(k))


def plain(figure: Any) -> Any:
    """The figure with the style of the page."""
    figure.toolbar.logo = None
    figure.outline_line_color = PALE
    figure.background_fill_color = PAPER
    figure.border_fill_color = PAPER
    figure.title.text_font = LETTERS
    figure.title.text_font_size = "13px"
    figure.title.text_font_style = "bold"
    figure.title.text_color = INK
    for axis in figure.axis:
        axis.axis_label_text_font = axis.major_label_text_font = LETTERS
        axis.axis_label_text_font_size = "13px"
        axis.axis_label_text_font_style = "normal"
        axis.major_label_text_font_size = "12px"
        axis.axis_label_text_color = axis.major_label_text_color = SOFT
        axis.axis_line_color = axis.major_tick_line_color = PALE
        axis.minor_tick_line_color = None
    figure.grid.grid_line_color = GRID
    return figure


# of text inside widgets, which the page's own style sheet does not reach
WORDS = f"""
:host {{ font-family: {LETTERS}; font-size: 14px; color: {INK}; line-height: 1.4; }}
p {{ margin: 0 0 6px; }}
h2 {{ font-size: 13px; margin: 8px 0 2px; letter-spacing: .04em; color: {SOFT};
  text-transform: uppercase; }}
.soft {{ color: {SOFT}; font-size: 13px; }}
.w {{ font-size: 16px; font-variant-numeric: tabular-nums; margin: 0 0 3px; }}
h2.separable, h2.inseparable, h2.undecided, h2.verdict {{
  font-size: 22px; text-transform: none; letter-spacing: 0; color: {INK}; margin: 4px 0 8px; }}
h2.separable {{ color: #00704f; }} h2.inseparable {{ color: {WRONG}; }}
table {{ border-collapse: collapse; margin: 8px 0; font-variant-numeric: tabular-nums; }}
th {{ text-align: left; font-weight: 600; color: {SOFT}; font-size: 12px; }}
th, td {{ padding: 3px 14px 3px 0; border-bottom: 1px solid {PALE}; }}
"""
KEYS = f"""
:host {{ font-size: 12px; color: {SOFT}; white-space: nowrap; }}
kbd {{ border: 1px solid {PALE}; border-radius: 3px; padding: 0 4px; font: inherit; color: {INK}; }}
"""
MESSAGE = f"""
p:not(.soft) {{ color: {WRONG}; font-size: 13px; border-left: 3px solid {WRONG};
  padding-left: 8px; }}
"""
BUTTONS = f"""
:host {{ font-family: {LETTERS}; }}
.bk-btn, .bk-input {{ font-family: {LETTERS}; font-size: 13px; }}
.bk-btn-primary {{ background: {ACCENT}; border-color: {ACCENT}; }}
.bk-btn-primary:hover {{ background: #005a8e; border-color: #005a8e; }}
.bk-btn-default.bk-active {{ background: {ACCENT}; border-color: {ACCENT}; color: white; }}
.bk-btn:focus-visible, .bk-input:focus {{ outline: 2px solid {ACCENT}; outline-offset: 1px; }}
label {{ color: {SOFT}; font-size: 12px; }}
"""
WIDGETS = ("Button", "Select", "Spinner", "TextInput", "RadioButtonGroup", "Toggle", "Checkbox")
LOOK: dict[str, Any] = {
    "attrs": {
        "Div": {"stylesheets": [WORDS], "margin": 0},
        "Slider": {"bar_color": ACCENT, "margin": (8, 12)},
        **{name: {"stylesheets": [BUTTONS], "margin": 0} for name in WIDGETS},
    }
}

MAX_SHOWN_WEIGHTS = 6


def number(value: float, digits: int = 4) -> str:
    """A number with a typographic minus."""
    return f"{value:.{digits}g}".replace("-", "−")


def vector(values: Iterable[float], most: int = MAX_SHOWN_WEIGHTS) -> str:
    """Numbers in brackets, shortened to the first few and the last."""
    listed = [number(float(value)) for value in values]
    if len(listed) > most + 1:
        listed = [*listed[:most], "…", listed[-1]]
    return f"({', '.join(listed)})"


def sentence(words: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{escape(words)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain text."""
    first = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"


def hints(keys: Mapping[str, str]) -> str:
    """The keys of the keyboard, those of one action separated by spaces, and their actions."""
    items = []
    for several, word in keys.items():
        shown = " ".join(f"<kbd>{escape(key)}</kbd>" for key in several.split())
        items.append(f"{shown} {escape(word)}")
    return " &ensp;".join(items)


def weights_of_units(W: Floats, classes: Sequence[str]) -> list[tuple[str, str]]:
    """Labels and weights (w, b): one vector for two classes, else one for each class."""
    if len(W) == 1:
        return [("w", vector(W[0]))]
    return [(f"w of {name}", vector(w)) for name, w in zip(classes, W, strict=True)]
