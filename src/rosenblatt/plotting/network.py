"""Plot of units as a graph: a neuron, a layer, or a network of two layers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import ParameterError
from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import ON_WHITE, number
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_INPUTS = 8  # of more the largest weights are shown
COLUMN_DISTANCE = 2.4
COLUMN_INCHES = (1.5, 0.6)  # width of a column of edges, and for each unit they lead to
NODE_AREA = 620.0  # points²
INPUT_AREA = 150.0
MAX_HEIGHT_INCHES = 12.0
LABEL_PLACES = (0.22, 0.74)  # of weights along their edges, from the first unit to the last
ACTIVATIONS = {  # of estimators, by their class; others decide by the sign
    "LMS": "linear",
    "LeastSquares": "linear",
    "LMSRegressor": "linear",
    "LeastSquaresRegressor": "linear",
    "LogisticRegression": "σ",
    "LinearDiscriminant": "σ",
}


class Layer(NamedTuple):
    """Units that read the same inputs: their names, weights, and labels of weights and intercepts.

    The weights are units × inputs; an edge of weight 0 is not drawn.
    """

    units: list[str]
    weights: Floats
    labels: list[list[str]]
    intercepts: list[str]


class NetworkDisplay:
    """Units as a graph: inputs on the left, an edge for each weight, outputs on the right.

    Positive weights are solid lines, negative ones dashed; the larger the weight, the thicker the
    line. The intercept b of a unit stands below it.

    Parameters
    ----------
    names : list of str
        Names of the inputs.
    layers : list of Layer
        The units, layer by layer.
    outputs : list of str
        Names of the outputs.
    activation : str
        The activation of all units.
    hidden_inputs : int
        How many inputs are left out because their weights are small.
    letters : bool
        Whether the weights are letters, which have no sign and no size.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt import gates
    >>> from rosenblatt.plotting import NetworkDisplay
    >>> [layer.weights.tolist() for layer in NetworkDisplay.from_network(gates.XOR).layers]
    [[[1.0, 1.0], [-1.0, -1.0]], [[1.0, 1.0]]]
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self,
        *,
        names: list[str],
        layers: list[Layer],
        outputs: list[str],
        activation: str,
        hidden_inputs: int = 0,
        letters: bool = False,
    ) -> None:
        self.names, self.layers, self.outputs = names, layers, outputs
        self.activation, self.hidden_inputs, self.letters = activation, hidden_inputs, letters

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        activation: str | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a fitted linear model: one unit, or a layer if it has several outputs.

        Parameters
        ----------
        estimator : classifier or regressor
            Linear and fitted.
        feature_names : sequence of str, optional
            By default those the estimator was fitted with. Of many features those with the largest
            weights are drawn.
        activation : str, optional
            What to write in the units; by default that of the estimator.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        NetworkDisplay
        """
        inputs.require_linear(estimator)
        W = np.atleast_2d(np.asarray(estimator.coef_, dtype=float))
        b = np.broadcast_to(np.ravel(np.asarray(estimator.intercept_, dtype=float)), len(W))
        if feature_names is None:
            feature_names = getattr(estimator, "feature_names_in_", None)
        names = list(inputs.names_of(W, feature_names))
        kept = np.arange(len(names))
        if len(names) > MAX_INPUTS:
            kept = np.sort(np.argsort(-np.abs(W).max(axis=0), kind="stable")[: MAX_INPUTS - 1])
        layer = Layer(
            units=["Σ"] * len(W),
            weights=W[:, kept],
            labels=[[number(weight, 3) for weight in row] for row in W[:, kept].tolist()],
            intercepts=[f"b = {number(value, 3)}" for value in b.tolist()],
        )
        return cls(
            names=[names[j] for j in kept],
            layers=[layer],
            outputs=_outputs_of(estimator, len(W)),
            activation=_activation_of(estimator, len(W)) if activation is None else activation,
            hidden_inputs=len(names) - len(kept),
        ).plot(ax=ax)

    @classmethod
    def from_network(
        cls, network: ThresholdNetwork | ThresholdUnit, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw a network of threshold units, or a single one.

        Parameters
        ----------
        network : ThresholdNetwork or ThresholdUnit
            Of any number of inputs.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        NetworkDisplay
        """
        if isinstance(network, ThresholdUnit):
            layers = [_threshold_layer([network], ["Σ"])]
        else:
            hidden = [f"h{k + 1}" for k in range(len(network.hidden))]
            layers = [
                _threshold_layer(network.hidden, hidden),
                _threshold_layer([network.output], ["y"]),
            ]
        names = [f"x{j + 1}" for j in range(network.n_inputs)]
        return cls(names=names, layers=layers, outputs=["y"], activation="step").plot(ax=ax)

    @classmethod
    def from_shape(
        cls,
        n_inputs: int,
        n_outputs: int = 1,
        *,
        activation: str = "σ",
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw a layer y = f(W x + b) in letters.

        Parameters
        ----------
        n_inputs, n_outputs : int
            How many inputs and units there are, at most 8.
        activation : str
            What to write in the units.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        NetworkDisplay
        """
        if not (1 <= n_inputs <= MAX_INPUTS and 1 <= n_outputs <= MAX_INPUTS):
            raise ParameterError(
                f"A layer in letters has 1 to {MAX_INPUTS} inputs and outputs; got {n_inputs} and"
                f" {n_outputs}."
            )
        single = n_outputs == 1
        layer = Layer(
            units=["Σ"] * n_outputs,
            weights=np.ones((n_outputs, n_inputs)),
            labels=[
                [f"$w_{{{j}}}$" if single else f"$w_{{{i},{j}}}$" for j in range(1, n_inputs + 1)]
                for i in range(1, n_outputs + 1)
            ],
            intercepts=["b"] if single else [f"$b_{{{i}}}$" for i in range(1, n_outputs + 1)],
        )
        return cls(
            names=[f"$x_{{{j}}}$" for j in range(1, n_inputs + 1)],
            layers=[layer],
            outputs=["y"] if single else [f"$y_{{{i}}}$" for i in range(1, n_outputs + 1)],
            activation=activation,
            letters=True,
        ).plot(ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        NetworkDisplay
        """
        rows = max(len(self.names) + bool(self.hidden_inputs), *self._sizes)
        ax = canvas.axes(ax, self._inches(rows))
        left = _heights(len(self.names) + bool(self.hidden_inputs))
        for name, y in zip(self.names, left, strict=False):
            ax.scatter(0, y, s=INPUT_AREA, color="white", edgecolors=palette.INK, lw=1.4, zorder=3)
            _text(ax, (0, y), name, (-12, 0), ha="right")
        if self.hidden_inputs:
            _text(ax, (0, left[-1]), f"⋮  {self.hidden_inputs:,} more", (6, 0), ha="right")
        before = [(0.0, y) for y in left[: len(self.names)]]
        for depth, layer in enumerate(self.layers, 1):
            before = self._draw_layer(ax, layer, before, depth * COLUMN_DISTANCE)
        for (x, y), name in zip(before, self.outputs, strict=True):
            self._draw_output(ax, (x, y), name)
        ax.set_axis_off()
        right = len(self.layers) * COLUMN_DISTANCE + 1.7
        ax.set(xlim=(-1.1, right), ylim=(-rows / 2 - 0.25, rows / 2 + 0.1))
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @property
    def _sizes(self) -> list[int]:
        """The number of units of each layer, and a 1."""
        return [*(len(layer.units) for layer in self.layers), 1]

    def _inches(self, rows: int) -> tuple[float, float]:
        """The size of a figure in which the labels of edges do not meet."""
        base, unit = COLUMN_INCHES
        width = 2.6 + sum(base + unit * min(len(x.units), MAX_INPUTS) for x in self.layers)
        return width, min(0.9 + 0.9 * rows, MAX_HEIGHT_INCHES)

    def _draw_layer(
        self, ax: "Axes", layer: Layer, before: list[tuple[float, float]], x: float
    ) -> list[tuple[float, float]]:
        """Draw the units of a layer and the edges into them; the places of the units."""
        heights = _heights(len(layer.units))
        largest = float(np.abs(layer.weights).max()) or 1.0
        first, last = LABEL_PLACES
        shares = np.linspace(first, last, len(heights)) if len(heights) > 1 else [0.5]
        for k, (y, share) in enumerate(zip(heights, shares, strict=True)):
            for j, start in enumerate(before):
                weight = float(layer.weights[k, j])
                if weight:
                    look = _edge_look(weight, largest, letters=self.letters)
                    look["fontsize"] = "medium" if len(heights) <= 2 else "small"
                    _edge(ax, (start, (x, y)), layer.labels[k][j], float(share), look)
            _circle(ax, (x, y), layer.units[k])
            _text(ax, (x, y), layer.intercepts[k], (0, -25), size="small")
        return [(x, y) for y in heights]

    def _draw_output(self, ax: "Axes", place: tuple[float, float], name: str) -> None:
        """Draw the activation of a unit as a box, and its output."""
        x, y = place
        look: dict[str, Any] = {"arrowstyle": "-|>", "color": palette.INK, "shrinkA": 14}
        ax.annotate("", (x + 1.15, y), (x, y), arrowprops=look, zorder=1)
        box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": palette.INK}
        ax.text(x + 0.56, y, self.activation, ha="center", va="center", bbox=box, zorder=3)
        _text(ax, (x + 1.15, y), name, (4, 0), ha="left")


def _threshold_layer(units: Sequence[ThresholdUnit], names: list[str]) -> Layer:
    return Layer(
        units=names,
        weights=np.array([[float(weight) for weight in unit.weights] for unit in units]),
        labels=[[_exact(weight) for weight in unit.weights] for unit in units],
        intercepts=[f"b = {_exact(unit.intercept)}" for unit in units],
    )


def _exact(value: Any) -> str:
    return str(value).replace("-", "−")


def _outputs_of(estimator: Any, n_outputs: int) -> list[str]:
    """Names of the outputs: the classes if each has a unit, else y."""
    if n_outputs == 1:
        return ["y"]
    classes = getattr(estimator, "classes_", ())
    columns = hasattr(estimator, "activation") and np.array_equal(classes, np.arange(n_outputs))
    if len(classes) != n_outputs or columns:  # a layer has the numbers of its outputs as classes
        return [f"y{k + 1}" for k in range(n_outputs)]
    return [str(label) for label in classes]


def _activation_of(estimator: Any, n_outputs: int) -> str:
    """The activation of an estimator's units, as a word."""
    given = getattr(estimator, "activation", None)
    if isinstance(given, str):
        return {"logistic": "σ", "hard": "sign"}.get(given, given)
    by_loss = {"logistic": "σ", "tanh": "tanh", "square": "linear"}.get(
        str(getattr(estimator, "loss", None))
    )
    own = by_loss or ACTIVATIONS.get(type(estimator).__name__)
    if n_outputs == 1:
        return own or "sign"
    return "softmax" if own == "σ" else "argmax"


def _heights(count: int) -> list[float]:
    """Heights of so many nodes, the first on top, centred at 0."""
    heights: list[float] = np.linspace((count - 1) / 2, -(count - 1) / 2, count).tolist()
    return heights


def _circle(ax: "Axes", place: tuple[float, float], name: str) -> None:
    ax.scatter(*place, s=NODE_AREA, color="white", edgecolors=palette.INK, lw=1.6, zorder=3)
    ax.text(*place, name, ha="center", va="center", zorder=4)


def _edge_look(weight: float, largest: float, *, letters: bool) -> dict[str, Any]:
    """The colour, style and width of an edge; weights in letters have no sign."""
    if letters:
        return {"color": palette.INK, "ls": "-", "lw": 1.4}
    colour = palette.POSITIVE if weight > 0 else palette.NEGATIVE
    thick = 0.8 + 1.8 * abs(weight) / largest
    return {"color": colour, "ls": "-" if weight > 0 else "--", "lw": thick}


def _edge(
    ax: "Axes",
    ends: tuple[tuple[float, float], tuple[float, float]],
    label: str,
    share: float,
    look: dict[str, Any],
) -> None:
    """Draw an edge, with its weight at a share of its length where labels do not meet."""
    (x, y), (u, v) = ends
    text = {"ha": "center", "va": "center", "fontsize": look.pop("fontsize")}
    ax.plot([x, u], [y, v], zorder=1, **look)
    place = ((1 - share) * x + share * u, (1 - share) * y + share * v)
    white = {**ON_WHITE, "alpha": 1.0, "pad": 0.8}
    ax.text(*place, label, color=look["color"], bbox=white, zorder=2, **text)


def _text(
    ax: "Axes",
    place: tuple[float, float],
    text: str,
    offset: tuple[float, float],
    *,
    ha: str = "center",
    size: str = "medium",
) -> None:
    look: dict[str, Any] = {"ha": ha, "va": "center", "fontsize": size, "zorder": 4}
    ax.annotate(text, place, offset, textcoords="offset points", **look)
