"""Marks that several plots share: arrows, text on white, styles that differ without colour."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import palette
from rosenblatt.geometry.plane import Box
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE_STYLES: tuple[Any, ...] = (
    "-",
    "--",
    "-.",
    ":",
    (0, (7, 1.5, 1.5, 1.5, 1.5, 1.5)),
    (0, (9, 2)),
    (0, (3, 1)),
)
LABEL_DISTANCE = 10.0  # points
ON_WHITE = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.2}


def number(value: float, digits: int = 4) -> str:
    """A number as text, rounded and with a true minus sign."""
    return f"{value:.{digits}g}".replace("-", "−")


def line_style(k: int) -> Any:
    """The style of the k-th line, so that lines differ where colours do not."""
    return LINE_STYLES[k % len(LINE_STYLES)]


def arrow(
    ax: "Axes",
    start: Floats,
    end: Floats,
    label: str = "",
    *,
    colour: str = palette.INK,
    style: Any = "-",
) -> None:
    """Draw an arrow between two points, with a label beyond its tip."""
    look = {"arrowstyle": "-|>", "color": colour, "lw": 2.0, "linestyle": style}
    look |= {"shrinkA": 0.0, "shrinkB": 0.0, "mutation_scale": 16.0}
    ax.annotate("", _pair(end), _pair(start), arrowprops=look, zorder=5, annotation_clip=False)
    if label:
        write(ax, end, label, towards=end - start, colour=colour, size="large")


def double_arrow(ax: "Axes", start: Floats, end: Floats, *, colour: str = palette.INK) -> None:
    """Draw a line with a tip at either end, which shows a length."""
    look = {"arrowstyle": "<|-|>", "color": colour, "lw": 1.4, "shrinkA": 0.0, "shrinkB": 0.0}
    ax.annotate("", _pair(end), _pair(start), arrowprops=look, zorder=5)


def write(
    ax: "Axes",
    place: Floats,
    text: str,
    *,
    towards: Floats | None = None,
    distance: float = LABEL_DISTANCE,
    colour: str = palette.INK,
    size: str = "medium",
) -> None:
    """Write next to a point, on a side of it, on a white ground."""
    side = np.zeros(2) if towards is None or not np.any(towards) else np.asarray(towards, float)
    unit = side / (np.linalg.norm(side) or 1.0)
    ax.annotate(
        text,
        _pair(place),
        _pair(distance * unit),
        textcoords="offset points",
        ha=_alignment(unit[0], ("right", "center", "left")),
        va=_alignment(unit[1], ("top", "center", "bottom")),
        color=colour,
        fontsize=size,
        bbox=ON_WHITE,
        zorder=7,
        annotation_clip=False,
    )


def equal_aspect(ax: "Axes", box: Box) -> None:
    """Show a box with the same scale on both axes, so that right angles look right."""
    ax.set(xlim=(box.left, box.right), ylim=(box.bottom, box.top))
    ax.set_aspect("equal", adjustable="box")


def _alignment(direction: float, names: tuple[str, str, str]) -> Any:
    """Which part of the text is at the point, if it lies in a direction from there."""
    return names[1] if abs(direction) < 0.35 else names[0 if direction < 0 else 2]


def _pair(place: Floats) -> tuple[float, float]:
    return float(place[0]), float(place[1])
