"""Numbers, vectors and tables as HTML, escaped."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from rosenblatt.types import Floats

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
