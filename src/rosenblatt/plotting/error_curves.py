"""Plots of errors: over rows or capacity, and as bias and variance."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.plotting import canvas
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.comparison.bias_variance import BiasVariance
    from rosenblatt.comparison.learning_curves import Curve

LOGARITHMIC_FROM = 20.0  # largest value over smallest, above which the axis is logarithmic
TRAINING: dict[str, Any] = {"color": palette.COLOURS[2], "marker": "o", "ls": "--", "lw": 1.8}
TEST: dict[str, Any] = {"color": palette.INK, "marker": "s", "ls": "-", "lw": 1.8}
BIAS: dict[str, Any] = {"color": palette.COLOURS[3], "hatch": "//", "edgecolor": "white"}
VARIANCE: dict[str, Any] = {"color": palette.COLOURS[5], "edgecolor": "white"}
BAR_WIDTH = 0.6


class ErrorCurveDisplay:
    """Training and test error, with 95 % intervals, over the number of rows or over capacity.

    Error rates are in percent; the errors of regressors are mean squared errors.

    Parameters
    ----------
    values : list
        Numbers of rows, degrees, or other values of a parameter.
    training, test : ndarray of shape (n_points, 3)
        The errors, each with the ends of its interval.
    axis : str
        What the values are.
    title : str
        The estimator and the number of test rows.
    regression : bool
        Whether the errors are mean squared errors.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt import LinearDiscriminant, builtin, learning_curve
    >>> from rosenblatt.plotting import ErrorCurveDisplay
    >>> data = builtin("overlapping")
    >>> curve = learning_curve(LinearDiscriminant(), data.X, data.y, sizes=[5, 20, 150])
    >>> ErrorCurveDisplay.from_curve(curve).test[:, 0].round(3).tolist()
    [0.332, 0.188, 0.14]
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self,
        *,
        values: list[Any],
        training: Floats,
        test: Floats,
        axis: str,
        title: str = "",
        regression: bool = False,
    ) -> None:
        self.values, self.training, self.test = values, training, test
        self.axis, self.title, self.regression = axis, title, regression

    @classmethod
    def from_curve(cls, curve: "Curve", *, ax: "Axes | None" = None) -> Self:
        """Draw a result of `learning_curve` or `capacity_curve`.

        Parameters
        ----------
        curve : Curve
            The result.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        ErrorCurveDisplay
        """
        if not getattr(curve, "points", None):
            raise DataError(
                f"Give a result of learning_curve or capacity_curve; got a {type(curve).__name__}."
            )
        training, test = (
            np.array([[est.value, est.low, est.high] for est in estimates])
            for estimates in zip(*((p.training, p.test) for p in curve.points), strict=True)
        )
        return cls(
            values=[point.value for point in curve.points],
            training=training,
            test=test,
            axis=curve.axis,
            title=f"{curve.estimator}, {curve.n_test:,} test rows",
            regression=getattr(curve, "regression", False),
        ).plot(ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        ErrorCurveDisplay
        """
        own = ax is None
        ax = canvas.axes(ax, (6.8, 3.8))
        places = _places(self.values)
        for name, errors, look in (
            ("training error", self.training, TRAINING),
            ("test error", self.test, TEST),
        ):
            middle, low, high = (1 if self.regression else 100) * errors.T
            ax.fill_between(places, low, high, color=look["color"], alpha=0.13, lw=0)
            ax.plot(places, middle, label=name, ms=5, **look)
        if _are_numbers(self.values):
            if min(places) > 0 and max(places) >= LOGARITHMIC_FROM * min(places):
                ax.set_xscale("log")
        else:
            ax.set(xticks=places, xticklabels=[str(value) for value in self.values])
        ax.set(xlabel=self.axis, ylabel="mean squared error" if self.regression else "error (%)")
        ax.set_ylim(bottom=0)
        if self.title:
            canvas.note(ax, self.title)
        canvas.legend_outside(ax, own=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class BiasVarianceDisplay:
    """Bars of bias² and variance, whose sum is the squared error, for several models.

    Parameters
    ----------
    values : list
        The name, degree or other value of each model.
    bias, variance : ndarray of shape (n_models,)
        The two parts of the error.
    errors : ndarray of shape (n_models, 3)
        The squared error and the ends of its 95 % interval.
    axis : str
        What the values are.
    outputs : str
        What was squared.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt import LinearDiscriminant, bias_variance, builtin
    >>> from rosenblatt.plotting import BiasVarianceDisplay
    >>> data = builtin("rings")
    >>> found = bias_variance(LinearDiscriminant(), data.X, data.y, n_resamples=10)
    >>> display = BiasVarianceDisplay.from_results({1: found}, axis="degree")
    >>> bool(abs(display.bias + display.variance - display.errors[:, 0]).max() < 1e-12)
    True
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self,
        *,
        values: list[Any],
        bias: Floats,
        variance: Floats,
        errors: Floats,
        axis: str = "",
        outputs: str = "outputs",
    ) -> None:
        self.values, self.bias, self.variance, self.errors = values, bias, variance, errors
        self.axis, self.outputs = axis, outputs

    @classmethod
    def from_results(
        cls, results: "Mapping[Any, BiasVariance]", *, axis: str = "", ax: "Axes | None" = None
    ) -> Self:
        """Draw results of `bias_variance`.

        Parameters
        ----------
        results : dict
            A result for each value, such as the degree of the features.
        axis : str
            What the values are.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        BiasVarianceDisplay
        """
        if not isinstance(results, Mapping) or not results:
            raise DataError(
                "Give a dictionary of results of bias_variance, such as {1: first, 2: second}; got"
                f" a {type(results).__name__}."
            )
        squared = [found.squared for found in results.values()]
        return cls(
            values=list(results),
            bias=np.array([parts.bias.value for parts in squared]),
            variance=np.array([parts.variance.value for parts in squared]),
            errors=np.array([[p.error.value, p.error.low, p.error.high] for p in squared]),
            axis=axis,
            outputs=next(iter(results.values())).outputs,
        ).plot(ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        BiasVarianceDisplay
        """
        own = ax is None
        ax = canvas.axes(ax, (6.8, 3.8))
        places = np.arange(len(self.values))
        below = np.minimum(self.bias, 0.0)  # an estimate of a small bias can come out below 0
        ax.bar(places, self.bias, BAR_WIDTH, label="bias² (with label noise)", **BIAS)
        bottom = self.bias - below
        ax.bar(places, self.variance, BAR_WIDTH, bottom=bottom, label="variance", **VARIANCE)
        middle, low, high = self.errors.T
        spread = [np.maximum(middle - low, 0.0), np.maximum(high - middle, 0.0)]
        look: dict[str, Any] = {"fmt": "D", "ms": 5, "color": palette.INK, "capsize": 4}
        ax.errorbar(places, middle, spread, label="squared error, 95 % interval", **look)
        ax.axhline(0, color=palette.INK, lw=0.8)
        ax.set(xticks=places, xticklabels=[str(value) for value in self.values])
        ax.set(xlabel=self.axis, ylabel=f"squared error of the {self.outputs}")
        canvas.legend_outside(ax, own=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _are_numbers(values: list[Any]) -> bool:
    return all(isinstance(value, int | float | np.number) for value in values)


def _places(values: list[Any]) -> list[float]:
    """Where values are on the axis: numbers where they are, others side by side."""
    return (
        [float(v) for v in values] if _are_numbers(values) else list(map(float, range(len(values))))
    )
