"""Plot of losses over the margin, and of activations over the score."""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import ParameterError
from rosenblatt.losses.curves import JUMPS, activation_at, loss_named, losses_at
from rosenblatt.plotting import canvas
from rosenblatt.plotting.marks import line_style
from rosenblatt.text import listed
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_PLACES = 601  # odd, so that 0 is one of them
HIGHEST_LOSS = 4.0
SMALLEST_JUMP = 0.45  # between neighbouring places; no continuous function rises so fast
ZERO_ONE = "zero_one"
LOSS_LABELS = {
    ZERO_ONE: "0–1: 1 where m ≤ 0",
    "perceptron": "perceptron: max(0, −m)",
    "hinge": "hinge: max(0, 1 − m)",
    "squared_hinge": "squared hinge: max(0, 1 − m)²",
    "logistic": "logistic: log(1 + e⁻ᵐ) = −log σ(m)",
    "square": "square: ½ (1 − m)²",
    "tanh": "tanh: ½ (1 − tanh m)²",
    "sigmoid": "sigmoid: ½ (1 − σ(m))²",
}
ACTIVATION_LABELS = {
    "step": "step: 1 where s ≥ 0, else 0",
    "sign": "sign: 1 where s ≥ 0, else −1",
    "logistic": "logistic: σ(s) = 1 / (1 + e⁻ˢ)",
    "tanh": "tanh(s)",
    "linear": "linear: s",
}
SIX_LOSSES = (ZERO_ONE, "perceptron", "hinge", "squared_hinge", "logistic", "square")


class FunctionCurve(NamedTuple):
    """A function and its derivative at some places; `jump` says whether it jumps at 0."""

    name: str
    label: str
    values: Floats
    derivatives: Floats
    jump: bool = False


class FunctionDisplay:
    """Losses of the margin m = y (w·x + b), or activations of the score s = w·x + b.

    Parameters
    ----------
    places : ndarray of shape (n_places,)
        Margins or scores.
    curves : list of FunctionCurve
        A name, a label, the values and the derivatives of each function.
    axis : str
        Label of the horizontal axis.
    title : str
        What the values are.
    derivative : bool
        Whether to draw the derivatives, too, in a panel of their own.

    Attributes
    ----------
    ax_ : matplotlib Axes, or a list of two of them
        The axes it was drawn on.
    figure_ :
        Their figure.

    Examples
    --------
    >>> from rosenblatt.plotting import FunctionDisplay
    >>> display = FunctionDisplay.from_losses("hinge", "perceptron", limits=(-1, 1))
    >>> [curve.values[[0, 300, 600]].tolist() for curve in display.curves]
    [[2.0, 1.0, 0.0], [1.0, -0.0, 0.0]]
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        places: Floats,
        curves: list[FunctionCurve],
        axis: str,
        title: str,
        derivative: bool = False,
    ) -> None:
        self.places, self.curves, self.axis = places, curves, axis
        self.title, self.derivative = title, derivative

    @classmethod
    def from_losses(
        cls,
        *names: str,
        derivative: bool = False,
        limits: tuple[float, float] = (-2.5, 2.5),
        ax: Any = None,
    ) -> Self:
        """Draw losses over the margin.

        Parameters
        ----------
        *names : str
            "zero_one", "perceptron", "hinge", "squared_hinge", "logistic", "square", "tanh" or
            "sigmoid"; by default the first six.
        derivative : bool
            Whether to draw the derivatives, too.
        limits : tuple of float
            Smallest and largest margin.
        ax : matplotlib Axes, or two of them with derivatives, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        FunctionDisplay
        """
        places = _places(limits)
        curves = [_loss(name, places) for name in names or SIX_LOSSES]
        axis = "margin m = y (w·x + b)"
        return cls(
            places=places, curves=curves, axis=axis, title="loss", derivative=derivative
        ).plot(ax=ax)

    @classmethod
    def from_activations(
        cls,
        *names: str,
        derivative: bool = False,
        limits: tuple[float, float] = (-5.0, 5.0),
        ax: Any = None,
    ) -> Self:
        """Draw activations over the score.

        Parameters
        ----------
        *names : str
            "step", "sign", "logistic", "tanh" or "linear"; by default sign, logistic and tanh.
        derivative : bool
            Whether to draw the derivatives, too.
        limits : tuple of float
            Smallest and largest score.
        ax : matplotlib Axes, or two of them with derivatives, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        FunctionDisplay
        """
        places = _places(limits)
        curves = []
        for name in names or ("sign", "logistic", "tanh"):
            outputs, derivatives = activation_at(name, places)
            label = ACTIVATION_LABELS[name]
            curves.append(FunctionCurve(name, label, outputs, derivatives, jump=name in JUMPS))
        axis = "score s = w·x + b"
        return cls(
            places=places, curves=curves, axis=axis, title="output f(s)", derivative=derivative
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, or two of them with derivatives, optional
            Where to draw.

        Returns
        -------
        FunctionDisplay
        """
        size = (4.0, 3.6) if self.derivative else (6.0, 4.2)
        found = canvas.panels(ax, 2 if self.derivative else 1, size=size)
        for k, curve in enumerate(self.curves):
            _draw(found[0], self.places, curve, k)
        found[0].set_ylabel(self.title)
        if self.derivative:
            for k, curve in enumerate(self.curves):
                flat = curve._replace(values=curve.derivatives)
                _draw(found[1], self.places, flat, k)
            found[1].set_ylabel("derivative")
        for each in found:
            each.axhline(0, color=palette.PALE, lw=1, zorder=0)
            each.axvline(0, color=palette.PALE, lw=1, zorder=0)
            each.set(xlabel=self.axis, xlim=(self.places[0], self.places[-1]))
        if self.title == "loss":
            highest = max(float(curve.values.max()) for curve in self.curves)
            found[0].set_ylim(-0.15, min(HIGHEST_LOSS, 1.1 * highest))
        canvas.legend_outside(found[-1], own=ax is None)
        self.ax_, self.figure_ = (found if self.derivative else found[0]), found[0].figure
        return self


def _places(limits: tuple[float, float]) -> Floats:
    low, high = limits
    if not -np.inf < low < high < np.inf:
        raise ParameterError(f"limits must be two finite numbers, low and high; got {limits}.")
    return np.linspace(low, high, N_PLACES)


def _loss(name: str, places: Floats) -> FunctionCurve:
    """The curve of a loss; 0–1 is none of those that rules minimise."""
    if name not in LOSS_LABELS:
        raise ParameterError(f"A loss must be one of {listed(LOSS_LABELS)}; got {name!r}.")
    if name == ZERO_ONE:
        wrong = np.where(places <= 0, 1.0, 0.0)
        flat = np.where(places == 0, np.nan, 0.0)
        return FunctionCurve(name, LOSS_LABELS[name], wrong, flat, jump=True)
    values, derivatives = losses_at(loss_named(name), places)
    return FunctionCurve(name, LOSS_LABELS[name], values, derivatives)


def _draw(ax: "Axes", places: Floats, curve: FunctionCurve, k: int) -> None:
    """Draw a function, in parts if it jumps; a full dot marks the value at the jump of 0."""
    look: dict[str, Any] = {"color": palette.colour(k), "ls": line_style(k), "lw": 2.2}
    jumps = np.flatnonzero(np.abs(np.diff(curve.values)) > SMALLEST_JUMP) + 1
    parts = np.split(np.arange(len(places)), jumps)
    for number, part in enumerate(parts):
        label = curve.label if number == 0 else None
        ax.plot(places[part], curve.values[part], label=label, **look)
    if curve.jump and len(parts) == 2:
        below, above = curve.values[parts[0][-1]], curve.values[parts[1][0]]
        own = np.searchsorted(places, 0.0) in parts[0]
        for value, full in ((below, own), (above, not own)):
            fill = palette.colour(k) if full else "white"
            ax.plot(0, value, "o", ms=6, mfc=fill, mec=palette.colour(k), mew=1.6, zorder=4)
