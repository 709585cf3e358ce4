"""Plot of regression curves of one feature."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import line_style
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLACES = 400
PADDING = 0.04  # beyond the rows, as a share of their extent
HEADROOM = 0.25  # above and below the targets; a curve that leaves it is cut


class RegressionDisplay:
    """Rows of one feature with real targets, and the curves of fitted regressors.

    Parameters
    ----------
    x, y : ndarray of shape (n_rows,)
        The rows and their targets.
    places : ndarray of shape (n_places,)
        Where the curves are known.
    curves : dict of str to ndarray of shape (n_places,)
        The predictions of each regressor.
    names : tuple of str
        Names of the axes.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from rosenblatt.plotting import RegressionDisplay
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> display = RegressionDisplay.from_estimator(LinearRegression().fit(X, y), X, y)
    >>> (display.curves["LinearRegression"] - 2 * display.places).round(9)[[0, -1]]
    array([1., 1.])
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self,
        *,
        x: Floats,
        y: Floats,
        places: Floats,
        curves: dict[str, Floats],
        names: tuple[str, str],
    ) -> None:
        self.x, self.y, self.places, self.curves, self.names = x, y, places, curves, names

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **drawing: Any) -> Self:
        """Draw the curve of one fitted regressor.

        Parameters
        ----------
        estimator : regressor
            Fitted to one feature.
        X, y : array-like
            The rows and their targets.
        **drawing :
            Passed on to `from_estimators`.

        Returns
        -------
        RegressionDisplay
        """
        return cls.from_estimators([estimator], X, y, **drawing)

    @classmethod
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,
        y: Any,
        *,
        feature_names: Sequence[str] | None = None,
        target_name: str | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the curves of several fitted regressors, such as polynomials of several degrees.

        Parameters
        ----------
        estimators : dict of str to regressor, or sequence of regressors
            Fitted to the same feature, pipelines included.
        X : array or frame of shape (n_samples, 1)
            The rows.
        y : array-like of shape (n_samples,)
            Their targets.
        feature_names : sequence of str, optional
            Name of the feature, instead of that of a frame.
        target_name : str, optional
            Name of the target, instead of that of a series.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        RegressionDisplay
        """
        rows = inputs.finite_rows(inputs.rows_of(X))
        if rows.shape[1] != 1:
            raise DataError(f"A regression curve is drawn for 1 feature; X has {rows.shape[1]}.")
        models = inputs.named_estimators(estimators)
        x, targets = rows[:, 0], np.asarray(y, dtype=float)
        if targets.shape != x.shape:
            raise DataError(
                f"y must have one target per row, {len(x)} of them; got shape {targets.shape}."
            )
        space = PADDING * (float(np.ptp(x)) or 1.0)
        places = np.linspace(x.min() - space, x.max() + space, PLACES)
        given = inputs.as_given(X, places[:, None])
        name = getattr(y, "name", None) if target_name is None else target_name
        return cls(
            x=x,
            y=targets,
            places=places,
            curves={key: np.ravel(model.predict(given)) for key, model in models.items()},
            names=(inputs.names_of(rows, _names(X, feature_names))[0], str(name or "y")),
        ).plot(ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        RegressionDisplay
        """
        own = ax is None
        ax = canvas.axes(ax, (7.2, 4.2))
        ax.plot(self.x, self.y, "o", ms=5, color=palette.GREY, alpha=0.8, label="rows", zorder=2)
        for k, (name, values) in enumerate(self.curves.items()):
            look: dict[str, Any] = {"color": palette.colour(k), "ls": line_style(k), "lw": 2.2}
            ax.plot(self.places, values, label=name, zorder=3, **look)
        space = HEADROOM * (float(np.ptp(self.y)) or 1.0)
        ax.set(xlim=(self.places[0], self.places[-1]))
        ax.set(ylim=(float(self.y.min()) - space, float(self.y.max()) + space))
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        canvas.legend_outside(ax, own=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _names(X: Any, given: Sequence[str] | None) -> Any:
    return getattr(X, "columns", None) if given is None else given
