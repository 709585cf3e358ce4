"""Histogram of the margins of rows."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.geometry.plane import class_margin
from rosenblatt.plotting import canvas, inputs
from rosenblatt.types import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 30


class MarginDisplay:
    """Histogram of the margins: mistakes are to the left of 0.

    Parameters
    ----------
    margins : ndarray of shape (n_samples,)
        Signed distance or score of each row, positive if it is classified correctly.
    codes : ndarray of shape (n_samples,)
        Index of its class.
    classes : sequence
        Labels of the classes.
    unit : str
        What the margins are, as the label of the axis.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt.plotting import MarginDisplay
    >>> display = MarginDisplay.from_predictions([0, 0, 1, 1], [-2.0, 0.5, 1.0, 3.0])
    >>> display.margins
    array([ 2. , -0.5,  1. ,  3. ])
    >>> display.wrong
    1
    """

    ax_: "Axes"
    figure_: Any

    def __init__(self, *, margins: Floats, codes: Ints, classes: Any, unit: str) -> None:
        self.margins, self.codes, self.classes, self.unit = margins, codes, classes, unit

    @property
    def wrong(self) -> int:
        """Number of rows on the wrong side, or on the boundary."""
        return int(np.count_nonzero(self.margins <= 0))

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: "Axes | None" = None, **drawing: Any
    ) -> Self:
        """Compute and draw the margins: distances for two classes, else differences of scores.

        Parameters
        ----------
        estimator : classifier
            Fitted, with a `decision_function`.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **drawing :
            Passed on to `plot`.

        Returns
        -------
        MarginDisplay
        """
        scores = np.asarray(estimator.decision_function(X), dtype=float)
        unit = "score of the true class minus the best other score"
        if scores.ndim == 1:
            unit = "score times the sign of the class"
            length = np.linalg.norm(estimator.coef_) if inputs.is_linear(estimator) else 0.0
            if length > 0:
                scores, unit = scores / length, "signed distance to the boundary"
        display = cls._from_scores(y, scores, estimator.classes_, unit)
        return display.plot(ax=ax, **drawing)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        scores: Any,
        *,
        classes: Any = None,
        ax: "Axes | None" = None,
        **drawing: Any,
    ) -> Self:
        """Draw margins of given scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores of the second class of two, or of each class.
        classes : sequence, optional
            The classes in the order of the scores; by default the sorted labels.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **drawing :
            Passed on to `plot`.

        Returns
        -------
        MarginDisplay
        """
        numbers = np.asarray(scores, dtype=float)
        known = np.unique(y_true) if classes is None else classes
        unit = "score times the sign of the class"
        if numbers.ndim == 2:
            unit = "score of the true class minus the best other score"
        return cls._from_scores(y_true, numbers, known, unit).plot(ax=ax, **drawing)

    @classmethod
    def _from_scores(cls, y: Any, scores: Floats, classes: Any, unit: str) -> Self:
        codes = inputs.codes_of(y, classes, len(scores))
        margins = np.empty(len(scores))
        for k in range(len(classes)):
            own = codes == k
            margin = class_margin(k, scores) if scores.ndim == 2 else scores * (1 if k else -1)
            margins[own] = margin[own]
        return cls(margins=margins, codes=codes, classes=classes, unit=unit)

    def plot(self, ax: "Axes | None" = None, *, bins: int = BINS) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        bins : int
            Approximate number of bins; one of their edges is at 0.

        Returns
        -------
        MarginDisplay
        """
        ax = canvas.axes(ax, (6.0, 3.6))
        own = [self.margins[self.codes == k] for k in range(len(self.classes))]
        ax.hist(
            own,
            bins=bin_edges(self.margins, bins).tolist(),
            stacked=True,
            color=[palette.colour(k) for k in range(len(own))],
            label=[str(label) for label in self.classes],
            edgecolor="white",
            linewidth=0.5,
        )
        ax.axvline(0, color=palette.INK, lw=1.6)
        ax.set(xlabel=self.unit, ylabel="rows")
        ax.locator_params(axis="y", integer=True)
        canvas.note(ax, f"{self.wrong:,} of {len(self.margins):,} rows misclassified")
        canvas.legend(ax, len(self.classes))
        self.ax_, self.figure_ = ax, ax.figure
        return self


def bin_edges(margins: Floats, bins: int) -> Floats:
    """Edges of bins of equal width, one of them at 0."""
    low, high = min(float(margins.min()), 0.0), max(float(margins.max()), 0.0)
    width = (high - low) / bins or 1.0
    edges: Floats = width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)
    return edges
