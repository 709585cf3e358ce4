"""Plot of the weights, as bars or as images."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.plotting import canvas, inputs
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_BARS = 20
IMAGES_PER_LINE = 5


class WeightsDisplay:
    """The largest weights as bars, or all of them as images.

    Parameters
    ----------
    coef : ndarray of shape (n_outputs, n_features)
        The weights.
    names : sequence of str
        Names of the features.
    units : sequence of str
        The class of each row of weights.
    image_shape : tuple of int, optional
        Height and width of an image whose pixels are the features.

    Attributes
    ----------
    ax_ : matplotlib Axes, or a list of them for several images
        The axes it was drawn on.
    figure_ :
        Their figure.

    Examples
    --------
    >>> from rosenblatt import Perceptron, builtin
    >>> from rosenblatt.plotting import WeightsDisplay
    >>> data = builtin("dogs-vs-cats")
    >>> model = Perceptron(shuffle=False).fit(data.X, data.y)
    >>> display = WeightsDisplay.from_estimator(model, feature_names=data.feature_names)
    >>> display.shown
    ['times_it_comes', 'pounds']
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        coef: Floats,
        names: Sequence[str],
        units: Sequence[str],
        image_shape: tuple[int, int] | None = None,
    ) -> None:
        self.coef, self.names, self.units, self.image_shape = coef, names, units, image_shape

    @property
    def shown(self) -> list[str]:
        """Names of the features, sorted by their largest weight of any class."""
        return [self.names[j] for j in self._order()]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        image_shape: tuple[int, int] | None = None,
        ax: "Axes | None" = None,
        **drawing: Any,
    ) -> Self:
        """Draw the weights of a fitted linear classifier.

        Parameters
        ----------
        estimator : classifier
            Linear and fitted.
        feature_names : sequence of str, optional
            By default those the estimator was fitted with.
        image_shape : tuple of int, optional
            Height and width of an image, if the features are its pixels.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure. Several images make their own.
        **drawing :
            Passed on to `plot`.

        Returns
        -------
        WeightsDisplay
        """
        inputs.require_linear(estimator)
        coef = np.atleast_2d(np.asarray(estimator.coef_, dtype=float))
        if feature_names is None:
            feature_names = getattr(estimator, "feature_names_in_", None)
        if image_shape is not None and np.prod(image_shape) != coef.shape[1]:
            raise DataError(
                f"image_shape {image_shape} has {np.prod(image_shape)} pixels; there are"
                f" {coef.shape[1]} features."
            )
        labels = [str(label) for label in estimator.classes_]
        names = inputs.names_of(coef, feature_names)
        display = cls(coef=coef, names=names, units=labels[-len(coef) :], image_shape=image_shape)
        return display.plot(ax=ax, **drawing)

    def plot(self, ax: "Axes | None" = None, *, most: int = MAX_BARS) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        most : int
            Largest number of features shown as bars.

        Returns
        -------
        WeightsDisplay
        """
        if self.image_shape is None:
            self._bars(ax, most)
        else:
            self._images(ax)
        return self

    def _order(self) -> list[int]:
        order: list[int] = np.argsort(-np.abs(self.coef).max(axis=0), kind="stable").tolist()
        return order

    def _bars(self, ax: "Axes | None", most: int) -> None:
        chosen = self._order()[:most]
        height = 0.8 / len(self.coef)
        ax = canvas.axes(ax, (6.0, 1.0 + 0.28 * len(chosen) * max(1.0, 0.5 * len(self.coef))))
        places = np.arange(len(chosen))
        for k, (unit, w) in enumerate(zip(self.units, self.coef, strict=True)):
            single = len(self.coef) == 1
            colours = [palette.POSITIVE if v > 0 else palette.NEGATIVE for v in w[chosen]]
            ax.barh(
                places + (k - (len(self.coef) - 1) / 2) * height,
                w[chosen],
                height=height,
                color=colours if single else palette.colour(k),
                label=f"for {unit}",
            )
        ax.axvline(0, color=palette.INK, lw=1)
        ax.set(yticks=places, yticklabels=[self.names[j] for j in chosen], xlabel="weight")
        ax.invert_yaxis()
        if len(self.coef) == 1:
            ax.set_xlabel(f"weight (positive: for {self.units[0]})")
        elif len(self.coef) <= canvas.MAX_LEGEND_ENTRIES:
            ax.legend(**canvas.LEGEND)
        if len(chosen) < len(self.names):
            canvas.note(ax, f"the largest {len(chosen)} of {len(self.names):,} weights")
        self.ax_, self.figure_ = ax, ax.figure

    def _images(self, ax: "Axes | None") -> None:
        if ax is not None and len(self.coef) > 1:
            raise DataError(f"{len(self.coef)} images need as many axes: leave `ax` out.")
        largest = float(np.abs(self.coef).max()) or 1.0
        if ax is None:
            figure, grid = canvas.grid_of_axes(len(self.coef), IMAGES_PER_LINE)
        else:
            figure, grid = ax.figure, [ax]
        for place, unit, w in zip(grid, self.units, self.coef, strict=True):
            image = place.imshow(
                w.reshape(self.image_shape), cmap=canvas.diverging(), vmin=-largest, vmax=largest
            )
            place.set(xticks=[], yticks=[])
            place.set_title(f"for {unit}", fontsize="medium")
        figure.colorbar(image, ax=grid, shrink=0.7, label="weight")
        self.ax_, self.figure_ = (grid if len(grid) > 1 else grid[0]), figure
