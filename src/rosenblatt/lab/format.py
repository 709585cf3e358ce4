"""Numbers and rows of numbers as the page writes them, safe to stand in HTML."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from rosenblatt.types import Floats

SHOWN = 6  # weights of a unit


def number(value: float, digits: int = 4) -> str:
    """A number with a real minus."""
    return f"{value:.{digits}g}".replace("-", "−")


def vector(values: Iterable[float], most: int = SHOWN) -> str:
    """Numbers in brackets, the first few and the last where there are many."""
    listed = [number(float(value)) for value in values]
    if len(listed) > most + 1:
        listed = [*listed[:most], "…", listed[-1]]
    return f"({', '.join(listed)})"


def sentence(words: str, kind: str = "") -> str:
    """A paragraph of plain words."""
    mark = f' class="{kind}"' if kind else ""
    return f"<p{mark}>{escape(words)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain words."""
    first = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"


def hints(keys: Mapping[str, str]) -> str:
    """What keys do: those that belong together, with spaces between them, and a word."""
    told = []
    for several, word in keys.items():
        shown = " ".join(f"<kbd>{escape(key)}</kbd>" for key in several.split())
        told.append(f"{shown} {escape(word)}")
    return " &ensp;".join(told)


def weights_of_units(W: Floats, classes: Sequence[str]) -> list[tuple[str, str]]:
    """Each unit's weights (w, b): of one unit simply w, else by class."""
    if len(W) == 1:
        return [("w", vector(W[0]))]
    return [(f"w of {name}", vector(w)) for name, w in zip(classes, W, strict=True)]
