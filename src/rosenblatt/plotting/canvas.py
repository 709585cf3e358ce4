"""Drawing with matplotlib, shared by all plots; the only file here that imports it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.geometry.plane import Box
from rosenblatt.geometry.view import Boundary, View
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "wedge": "v",
    "cross": "X",
    "plus": "P",
    "star": "*",
}
LEGEND = {"frameon": True, "framealpha": 0.9, "edgecolor": "none", "fontsize": "small"}
OUTSIDE = "outside right upper"
MAX_LEGEND_ENTRIES = 12
MAX_COLUMNS = 3  # of panels
LEGEND_INCHES = 2.0  # next to panels


def pyplot() -> Any:
    """matplotlib.pyplot; an error that says how to install it if it is missing."""
    try:
        from matplotlib import pyplot as plt  # noqa: PLC0415 (an extra)
    except ImportError as missing:
        raise ImportError(
            "Plots need matplotlib; install it with pip install 'rosenblatt[plot]'."
        ) from missing
    return plt


def axes(ax: "Axes | None", size: tuple[float, float] = (6.0, 4.5)) -> "Axes":
    """The axes given, or those of a new figure."""
    if ax is None:
        ax = pyplot().subplots(figsize=size, layout="compressed")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def panels(ax: Any, count: int, *, size: tuple[float, float] = (4.2, 3.6)) -> list["Axes"]:
    """The axes given, as many as there are panels, or those of a new figure."""
    if ax is None:
        across = 2 if count == 4 else min(count, MAX_COLUMNS)
        rows = -(-count // across)
        figure, grid = pyplot().subplots(
            rows,
            across,
            figsize=(size[0] * across + LEGEND_INCHES, size[1] * rows),
            layout="compressed",
            squeeze=False,
        )
        for spare in grid.ravel()[count:]:
            figure.delaxes(spare)
        found = list(grid.ravel()[:count])
    else:
        found = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(found) != count:
        raise DataError(f"This picture has {count} panels; got {len(found)} axes for them.")
    for each in found:
        each.spines[["top", "right"]].set_visible(False)
    return found


def axes_3d(ax: Any, size: tuple[float, float] = (6.4, 5.2)) -> Any:
    """The axes given, if they are three-dimensional, or those of a new figure."""
    if ax is None:
        options = {"projection": "3d"}
        return pyplot().subplots(figsize=size, layout="compressed", subplot_kw=options)[1]
    if not hasattr(ax, "get_zlim"):
        raise DataError(
            "A surface needs three-dimensional axes: leave `ax` out, or make it with"
            " plt.subplots(subplot_kw={'projection': '3d'})."
        )
    return ax


def grid_of_axes(count: int, columns: int) -> tuple[Any, list["Axes"]]:
    """A new figure with `count` axes."""
    rows = -(-count // columns)
    size = (2.2 * min(count, columns), 2.3 * rows + 0.4)
    figure, grid = pyplot().subplots(
        rows, min(count, columns), figsize=size, layout="compressed", squeeze=False
    )
    for spare in grid.ravel()[count:]:
        spare.set_axis_off()
    return figure, list(grid.ravel()[:count])


def diverging() -> Any:
    """A colour map from blue through white to orange."""
    return _colour_map(palette.NEGATIVE, palette.NEUTRAL, palette.POSITIVE)


def sequential() -> Any:
    """A colour map from white to grey."""
    return _colour_map(palette.NEUTRAL, palette.GREY)


def _colour_map(*ends: str) -> Any:
    pyplot()
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 (an extra)

    return LinearSegmentedColormap.from_list("rosenblatt", list(ends))


def scatter(
    ax: "Axes", view: View, classes: Sequence[Any], *, faint: bool = False, edge: str = "none"
) -> None:
    """Draw rows, each class by its colour and shape, with a note if only a sample is drawn."""
    size = 26 if len(view.points) <= 300 else 14
    for k, label in enumerate(classes):
        own = view.points[view.codes == k]
        ax.scatter(
            own[:, 0],
            own[:, 1],
            c=palette.colour(k),
            marker=MARKERS[palette.shape(k)],
            s=size,
            alpha=0.3 if faint else 0.85,
            linewidths=0 if edge == "none" else 0.6,
            edgecolors=edge,
            label=str(label),
            zorder=3,
        )
    set_limits(ax, view.box)
    across, up = view.projection.names
    ax.set(xlabel=across, ylabel=up)
    if view.flat:
        ax.set(yticks=range(len(classes)), yticklabels=[str(label) for label in classes])
    if not view.drawn.whole:
        note(ax, f"drawn: {view.drawn}")


def set_limits(ax: "Axes", box: Box) -> None:
    """Limit the axes to a box."""
    ax.set(xlim=(box.left, box.right), ylim=(box.bottom, box.top))


def boundary(ax: "Axes", found: Boundary, box: Box) -> None:
    """Draw the decision regions in pale colours, the boundary, and dashed margins."""
    for k, cell in enumerate(found.cells):
        if len(cell):
            edge = "white" if len(found.cells) > 2 else "none"
            ax.fill(
                *cell.T, facecolor=palette.colour(k), edgecolor=edge, alpha=0.13, lw=2, zorder=1
            )
            if len(found.cells) > 2:
                ax.fill(*cell.T, facecolor="none", edgecolor=palette.INK, lw=1.2, zorder=2)
    if found.shade is not None:
        shades = [palette.colour(k) for k in range(int(found.shade.max()) + 1)]
        ax.contourf(
            *(np.linspace(low, high, n) for low, high, n in _grid_ranges(box, found.shade)),
            found.shade,
            levels=np.arange(len(shades) + 1) - 0.5,
            colors=shades,
            alpha=0.13,
            zorder=1,
        )
    for line in found.lines:
        ax.plot(*line.T, color=palette.INK, lw=1.8, zorder=4)
    for line in found.margins:
        ax.plot(*line.T, color=palette.GREY, lw=1.2, ls="--", zorder=4)


def _grid_ranges(box: Box, grid: Floats) -> Iterable[tuple[float, float, int]]:
    return (box.left, box.right, grid.shape[1]), (box.bottom, box.top, grid.shape[0])


def ring(ax: "Axes", points: Floats, label: str | None = None) -> None:
    """Highlight some rows by a ring."""
    x, y = points.T
    ax.scatter(x, y, s=90, facecolors="none", edgecolors=palette.INK, lw=1.2, zorder=5, label=label)


def note(ax: "Axes", text: str) -> None:
    """Write a note in small letters above the axes."""
    ax.set_title(text, fontsize="small", color=palette.GREY, loc="right")


def legend(ax: "Axes", n_classes: int) -> None:
    """Add a legend of the classes, unless there are too many to read."""
    if n_classes <= MAX_LEGEND_ENTRIES:
        _opaque(ax.legend(**LEGEND))


def legend_outside(*axes: "Axes", own: bool, above: bool = False) -> None:
    """Add one legend of all axes outside of them, if the figure is the plot's own.

    Given axes have one each, inside, where it hides least.
    """
    if not own:
        for ax in axes:
            if 0 < len(ax.get_legend_handles_labels()[1]) <= MAX_LEGEND_ENTRIES:
                _opaque(ax.legend(**LEGEND))
        return
    named = {
        label: handle
        for ax in axes
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    if 0 < len(named) <= MAX_LEGEND_ENTRIES:
        place = {"loc": "outside upper left", "ncols": 4} if above else {"loc": OUTSIDE}
        figure: Any = axes[0].figure
        look = {**LEGEND, "fontsize": "medium", "handlelength": 3.0, **place}
        _opaque(figure.legend(named.values(), named.keys(), **look))


def _opaque(legend_drawn: Any) -> None:
    """Show rows in a legend as they are, even if they are faint in the plot."""
    for handle in legend_drawn.legend_handles:
        if handle is not None and hasattr(handle, "set_sizes"):
            handle.set_alpha(1)
