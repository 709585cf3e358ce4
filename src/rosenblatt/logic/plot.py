"""Drawing of a threshold network; the only file of this folder that needs matplotlib."""

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.logic.units import Number, ThresholdNetwork, as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NODE_AREA = 700  # points²
MAX_HEIGHT_INCHES = 14.0
EDGE_COLOURS = {True: "#1f6f8b", False: "#b8432f"}  # by whether the weight is positive


def draw(network: ThresholdNetwork, ax: "Axes | None" = None) -> "Axes":
    """Draw inputs, hidden units and output from left to right, each edge with its weight."""
    try:
        from matplotlib import pyplot as plt  # noqa: PLC0415 - an extra
    except ImportError as missing:
        raise ImportError(
            "Drawing a network needs matplotlib; install it with pip install 'rosenblatt[plot]'."
        ) from missing
    if ax is None:
        height = 1 + 0.8 * max(network.n_inputs, len(network.hidden))
        ax = plt.subplots(figsize=(6, min(height, MAX_HEIGHT_INCHES)))[1]
    left, middle, right = (
        _column(network.n_inputs),
        _column(len(network.hidden)),
        _column(1),
    )
    for k, unit in enumerate(network.hidden):
        for j, weight in enumerate(unit.weights):
            _edge(ax, (0, left[j]), (1, middle[k]), weight, 1 / (1 + len(middle)))
    for k, weight in enumerate(network.output.weights):
        _edge(ax, (1, middle[k]), (2, right[0]), weight, 1 / 2)
    for j, height in enumerate(left):
        _node(ax, (0, height), f"x{j + 1}", None)
    for k, height in enumerate(middle):
        _node(ax, (1, height), f"h{k + 1}", network.hidden[k].intercept)
    _node(ax, (2, right[0]), "y", network.output.intercept)
    ax.set_axis_off()
    ax.margins(0.15)
    return ax


def _column(count: int) -> list[float]:
    """Heights of `count` nodes, the first on top, centred at 0."""
    heights: list[float] = np.linspace((count - 1) / 2, -(count - 1) / 2, count).tolist()
    return heights


def _signed(number: Number) -> str:
    return f"{'−' if number < 0 else ''}{as_text(number)}"


def _edge(
    ax: "Axes",
    start: tuple[float, float],
    end: tuple[float, float],
    weight: Number,
    place: float,
) -> None:
    """Draw a line, with its weight at a place where labels of different edges do not overlap."""
    if not weight:
        return
    colour = EDGE_COLOURS[weight > 0]
    ax.plot([start[0], end[0]], [start[1], end[1]], color=colour, linewidth=1.2, zorder=1)
    x, y = ((1 - place) * s + place * e for s, e in zip(start, end, strict=True))
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    ax.text(x, y, _signed(weight), color=colour, ha="center", va="center", bbox=box, fontsize=9)


def _node(ax: "Axes", place: tuple[float, float], name: str, intercept: Number | None) -> None:
    ax.scatter(*place, s=NODE_AREA, facecolor="white", edgecolor="black", zorder=2)
    ax.text(*place, name, ha="center", va="center", zorder=3)
    if intercept is not None:
        below = (0, -22)
        label = f"b = {_signed(intercept)}"
        ax.annotate(label, place, below, textcoords="offset points", ha="center", fontsize=8)
