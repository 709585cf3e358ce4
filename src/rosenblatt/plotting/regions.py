"""Plots of regions cut by several lines: one-vs-rest classes, and gates of threshold units."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.geometry.arrangement import Cell, arrangement
from rosenblatt.geometry.plane import Box, area, segment
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.view import Boundary, View
from rosenblatt.logic.realize import Realizable, realize
from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import equal_aspect, line_style, write
from rosenblatt.types import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SQUARE = Box(-0.5, 1.5, -0.5, 1.5)
CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
PANELS = (4.2, 4.0)


class NoDecisionDisplay:
    """Where each score of a one-vs-rest classifier is positive: one class, several, or none.

    If each class is decided for by itself, w·x + b ≥ 0, then some points are claimed by no class
    and others by several. Kesler's construct compares the scores, so that each point has one class.

    Parameters
    ----------
    view : View
        The rows.
    cells : list of Cell
        The cells of the plane by the signs of all scores.
    lines : list of ndarray of shape (2, 2), or None
        The line of each class on which its score is 0, where it crosses the box.
    classes : sequence
        Labels of the classes.
    kesler : Boundary, optional
        The cells of the largest score, for a second panel.

    Attributes
    ----------
    ax_ : matplotlib Axes, or a list of two of them
        The axes it was drawn on.
    figure_ :
        Their figure.

    Examples
    --------
    >>> from rosenblatt import LeastSquares, builtin
    >>> from rosenblatt.plotting import NoDecisionDisplay
    >>> iris = builtin("iris")
    >>> X = iris.X[:, 2:]
    >>> display = NoDecisionDisplay.from_estimator(LeastSquares().fit(X, iris.y), X, iris.y)
    >>> {count: round(share, 2) for count, share in display.shares.items()}
    {0: 0.04, 1: 0.68, 2: 0.27}
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        view: View,
        cells: list[Cell],
        lines: list[Floats | None],
        classes: Any,
        kesler: Boundary | None = None,
    ) -> None:
        self.view, self.cells, self.lines = view, cells, lines
        self.classes, self.kesler = classes, kesler

    @property
    def shares(self) -> dict[int, float]:
        """The share of the area claimed by 0, 1, 2 and more classes."""
        total = sum(area(cell.polygon) for cell in self.cells)
        found: dict[int, float] = {}
        for cell in self.cells:
            count = sum(cell.positive)
            found[count] = found.get(count, 0.0) + area(cell.polygon) / total
        return dict(sorted(found.items()))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        kesler: Any = None,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the signs of the scores of a fitted linear classifier of several classes.

        Parameters
        ----------
        estimator : classifier
            Linear, of three classes or more and two features, such as
            `Perceptron(multi_class="ovr")`.
        X : array or frame of shape (n_samples, 2)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        kesler : classifier, optional
            Another of the same classes, such as `Perceptron()`, whose cells are drawn in a second
            panel.
        feature_names : sequence of str, optional
            Names of the axes, instead of those of a frame.
        ax : matplotlib Axes, or two of them with `kesler`, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        NoDecisionDisplay
        """
        inputs.require_linear(estimator)
        rows = inputs.plane_rows(X, "Regions without a decision")
        names = inputs.names_of(X, feature_names)
        W, b = np.atleast_2d(estimator.coef_), np.ravel(estimator.intercept_)
        if len(W) < 3:
            raise DataError(
                f"Regions without a decision need 3 classes or more, with a score each; this"
                f" {type(estimator).__name__} has {len(W)}."
            )
        models = {"the first": estimator} if kesler is None else {"1": estimator, "2": kesler}
        classes = inputs.common_classes(models)
        codes = inputs.codes_of(y, classes, len(rows))
        projection = Projection(np.zeros(2), np.eye(2), (names[0], names[1]))
        view = View.of(rows, codes, projection)
        second = None
        if kesler is not None:
            inputs.require_linear(kesler)
            second = view.boundary(kesler.coef_, kesler.intercept_)
        return cls(
            view=view,
            cells=arrangement(W, b, view.box),
            lines=[segment(w, float(c), view.box) for w, c in zip(W, b, strict=True)],
            classes=classes,
            kesler=second,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, or two of them with Kesler's cells, optional
            Where to draw.

        Returns
        -------
        NoDecisionDisplay
        """
        found = canvas.panels(ax, 1 if self.kesler is None else 2, size=PANELS)
        self._draw_signs(found[0])
        if self.kesler is not None:
            canvas.boundary(found[1], self.kesler, self.view.box)
            canvas.scatter(found[1], self.view, self.classes)
            found[1].set_title("the largest score (Kesler)", fontsize="medium", loc="left")
        canvas.legend_outside(*found, own=ax is None)
        self.ax_ = found if len(found) > 1 else found[0]
        self.figure_ = found[0].figure
        return self

    def _draw_signs(self, ax: "Axes") -> None:
        """Shade cells of one class, hatch those of several, leave those of none white."""
        shown = set()
        for polygon, positive in self.cells:
            owners = np.flatnonzero(positive)
            look = _cell_look(owners, new=len(owners) not in shown)
            shown.add(len(owners))
            ax.fill(*polygon.T, zorder=1, **look)
        for k, (label, line) in enumerate(zip(self.classes, self.lines, strict=True)):
            look = {"color": palette.colour(k), "ls": line_style(k), "lw": 2.0, "zorder": 4}
            ends = np.zeros((2, 0)) if line is None else line.T
            ax.plot(*ends, label=f"score of {label} = 0", **look)
        canvas.scatter(ax, self.view, self.classes)
        none = 100 * self.shares.get(0, 0.0)
        several = 100 * sum(share for count, share in self.shares.items() if count > 1)
        shares = f"{none:.1f} % of the area to no class, {several:.1f} % to several"
        ax.set_title(
            f"each score by itself (one-vs-rest):\n{shares}", fontsize="medium", loc="left"
        )


def _cell_look(owners: Ints, *, new: bool) -> dict[str, Any]:
    """How a cell is filled that so many classes claim, and its entry in the legend."""
    if len(owners) == 1:
        return {"facecolor": palette.colour(int(owners[0])), "edgecolor": "none", "alpha": 0.13}
    if len(owners) == 0:
        label = "no class" if new else None
        return {"facecolor": "white", "edgecolor": palette.PALE, "lw": 0.8, "label": label}
    label = "several classes" if new and len(owners) == 2 else None
    look = {"facecolor": palette.PALE, "edgecolor": palette.GREY, "hatch": "///", "lw": 0.0}
    return {**look, "alpha": 0.55, "label": label}


class GateDisplay:
    """A threshold unit of two inputs, or a network of them, in the plane of its inputs.

    The region where the output is 1 is shaded, and each unit of the first layer has its line. Of a
    network with two hidden units the second panel is the plane of their outputs, in which a single
    line decides.

    Parameters
    ----------
    unit : ThresholdUnit or ThresholdNetwork
        Random seed.
    cells : list of Cell
        The cells of the plane by the outputs of the first layer.
    outputs : list of int
        The output in each cell.

    Attributes
    ----------
    ax_ : matplotlib Axes, or a list of two of them
        The axes it was drawn on.
    figure_ :
        Their figure.

    Examples
    --------
    >>> from rosenblatt import gates
    >>> from rosenblatt.plotting import GateDisplay
    >>> display = GateDisplay.from_unit(gates.XOR)
    >>> sorted(zip([cell.positive for cell in display.cells], display.outputs))
    [((False, True), 0), ((True, False), 0), ((True, True), 1)]
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        unit: ThresholdUnit | ThresholdNetwork,
        cells: list[Cell],
        outputs: list[int],
    ) -> None:
        self.unit, self.cells, self.outputs = unit, cells, outputs

    @classmethod
    def from_unit(cls, unit: ThresholdUnit | ThresholdNetwork | str, *, ax: Any = None) -> Self:
        """Draw a unit, a network, or a truth table.

        Parameters
        ----------
        unit : ThresholdUnit, ThresholdNetwork or str
            Of two inputs. A truth table such as "0110" is realized by one unit, or by a network if
            none can; its lines are drawn halfway between the points that they separate.
        ax : matplotlib Axes, or two of them for a network of two hidden units, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        GateDisplay
        """
        if isinstance(unit, str):
            unit = _realized(unit)
        if unit.n_inputs != 2:
            raise DataError(
                f"A gate is drawn in the plane for 2 inputs; this one has {unit.n_inputs}."
                " NetworkDisplay draws the graph of any."
            )
        first = _first_layer(unit)
        cells = arrangement([_weights(each) for each in first], [_offset(e) for e in first], SQUARE)
        return cls(unit=unit, cells=cells, outputs=_outputs(unit, cells)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, or two of them for a network of two hidden units, optional
            Where to draw.

        Returns
        -------
        GateDisplay
        """
        hidden = self.unit.hidden if isinstance(self.unit, ThresholdNetwork) else ()
        found = canvas.panels(ax, 2 if len(hidden) == 2 else 1, size=PANELS)
        first = _first_layer(self.unit)
        names = [f"h{k + 1}: " if hidden else "" for k in range(len(first))]
        polygons = [cell.polygon for cell in self.cells]
        pairs = list(zip(polygons, self.outputs, strict=True))
        _draw_plane(found[0], pairs, list(zip(names, first, strict=True)), "x")
        _draw_corners(found[0], CORNERS, self.unit.decide(CORNERS))
        if len(found) == 2:
            assert isinstance(self.unit, ThresholdNetwork)
            self._draw_hidden(found[1], self.unit)
        canvas.legend_outside(*found, own=ax is None)
        self.ax_ = found if len(found) > 1 else found[0]
        self.figure_ = found[0].figure
        return self

    def _draw_hidden(self, ax: "Axes", network: ThresholdNetwork) -> None:
        """Draw the plane of the outputs of two hidden units, and the line of the output unit."""
        last = network.output
        cells = arrangement([_weights(last)], [_offset(last)], SQUARE)
        pairs = [(cell.polygon, int(cell.positive[0])) for cell in cells]
        _draw_plane(ax, pairs, [("y: ", last)], "h")
        places, which = np.unique(network.hidden_values(CORNERS), axis=0, return_inverse=True)
        _draw_corners(ax, places, last.decide(places))
        for k, place in enumerate(places):
            own = CORNERS[np.ravel(which) == k]
            inputs_here = [f"{u}{v}" for u, v in own.tolist()]
            side = np.where(place > 0, 1.0, -1.0)
            write(ax, place.astype(float), ", ".join(inputs_here), towards=side, size="small")


def _realized(table: str) -> ThresholdUnit | ThresholdNetwork:
    """A unit or a network of a truth table. Its weights are integers: b + ½ changes no output."""
    found = realize(table)
    if isinstance(found, Realizable):
        return _halfway(found.unit)
    hidden = tuple(_halfway(unit) for unit in found.network.hidden)
    return ThresholdNetwork(hidden, _halfway(found.network.output))


def _halfway(unit: ThresholdUnit) -> ThresholdUnit:
    return ThresholdUnit(unit.weights, float(unit.intercept) + 0.5)


def _first_layer(unit: ThresholdUnit | ThresholdNetwork) -> tuple[ThresholdUnit, ...]:
    return unit.hidden if isinstance(unit, ThresholdNetwork) else (unit,)


def _weights(unit: ThresholdUnit) -> list[float]:
    return [float(weight) for weight in unit.weights]


def _offset(unit: ThresholdUnit) -> float:
    return float(unit.intercept)


def _outputs(unit: ThresholdUnit | ThresholdNetwork, cells: list[Cell]) -> list[int]:
    """The output in each cell, where the first layer is constant."""
    bits = np.array([cell.positive for cell in cells], dtype=np.int64)
    values = unit.output.decide(bits) if isinstance(unit, ThresholdNetwork) else bits[:, 0]
    return [int(value) for value in values]


def _draw_plane(
    ax: "Axes",
    cells: list[tuple[Floats, int]],
    units: list[tuple[str, ThresholdUnit]],
    letter: str,
) -> None:
    """Shade where the output is 1, and draw the line of each unit."""
    for polygon, output in cells:
        k = int(output)
        alpha = 0.18 if k else 0.07
        ax.fill(*polygon.T, facecolor=palette.colour(k), edgecolor="none", alpha=alpha)
    for j, (name, unit) in enumerate(units):
        line = segment(_weights(unit), _offset(unit), SQUARE)
        if line is not None:
            text = f"{name}{unit.formula(letter)}".replace("≥", "=")
            ax.plot(*line.T, color=palette.INK, ls=line_style(j), lw=2.0, label=text, zorder=3)
    equal_aspect(ax, SQUARE)
    ax.set(xlabel=f"{letter}1", ylabel=f"{letter}2", xticks=[0, 1], yticks=[0, 1])


def _draw_corners(ax: "Axes", places: Ints, outputs: Ints) -> None:
    """Draw points of the square, each by its output."""
    for k in (0, 1):
        own = places[outputs == k]
        marker = canvas.MARKERS[palette.shape(k)]
        ax.plot(*own.T, ls="", marker=marker, ms=11, color=palette.colour(k), mec="white",
                label=f"output {k}", zorder=5)  # fmt: skip
