"""Plot of y·x: separable rows, each times its sign, lie in one half-space."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.geometry.plane import Box, clip, segment
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.shapes import signed_rows
from rosenblatt.logic.solution_region import solution_region
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import arrow, equal_aspect, write
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.verdict import Separable
from rosenblatt.types import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PADDING = 0.15  # around the rows, as a share of their extent
SHOWN_WEIGHTS = 0.42  # length of the arrow of w, as a share of the shorter side
REGION_SHARE = 0.8  # of the box that the cone of solutions reaches


class HalfSpaceDisplay:
    """The normalised rows z = y (x, 1), or y x: weights w separate the classes where every w·z > 0.

    Two entries are drawn as they are; of more the horizontal axis is the distance of z to the
    hyperplane w·z = 0, which goes through the origin.

    Parameters
    ----------
    points : ndarray of shape (n_rows, 2)
        The rows z in the plane, or x where they are not normalised.
    originals : ndarray of shape (n_rows, 2)
        The rows before they were multiplied by y.
    codes : ndarray of shape (n_rows,)
        Their classes, 0 and 1.
    classes : sequence
        Labels of the two classes.
    weights : ndarray of shape (2,), optional
        w in the plane; None if no weights are given and none separate the classes.
    following : ndarray of shape (2,), optional
        The weights after an update by one row.
    row : int, optional
        That row.
    solutions : ndarray of shape (n_corners, 2)
        Corners of the cone of all weights that separate the rows, cut off.
    normalised : bool
        Whether rows of the first class are multiplied by −1.
    names : tuple of str
        Names of the axes.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt.plotting import HalfSpaceDisplay
    >>> X, y = [[1, 2], [2, 1], [-1, -1], [-2, 0]], [1, 1, -1, -1]
    >>> display = HalfSpaceDisplay.from_data(X, y, fit_intercept=False)
    >>> display.points.tolist()
    [[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [2.0, 0.0]]
    >>> display.mistakes
    0
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self,
        *,
        points: Floats,
        originals: Floats,
        codes: Ints,
        classes: Any,
        names: tuple[str, str],
        weights: Floats | None = None,
        following: Floats | None = None,
        row: int | None = None,
        solutions: Floats | None = None,
        normalised: bool = True,
    ) -> None:
        self.points, self.originals, self.codes, self.classes = points, originals, codes, classes
        self.names, self.weights, self.following, self.row = names, weights, following, row
        self.solutions = np.zeros((0, 2)) if solutions is None else solutions
        self.normalised = normalised

    @property
    def wrong(self) -> Any:
        """Whether each row is a mistake of w: y (w·x + b) ≤ 0."""
        if self.weights is None:
            return np.zeros(len(self.points), dtype=bool)
        signs = np.where(self.codes == 1, 1.0, -1.0)
        return signs * (self.originals @ self.weights) <= 0

    @property
    def mistakes(self) -> int:
        """How many rows are mistakes."""
        return int(np.count_nonzero(self.wrong))

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        coef: npt.ArrayLike | None = None,
        intercept: float = 0.0,
        fit_intercept: bool = True,
        normalised: bool = True,
        update: int | None = None,
        solutions: bool = False,
        feature_names: Sequence[str] | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the normalised rows of two classes, and weights.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.
        coef, intercept : array-like of shape (n_features,) and float, optional
            The weights w and b to draw; by default those with the largest margin, if the classes
            are separable.
        fit_intercept : bool
            Whether a constant 1 is added to each row.
        normalised : bool
            Whether rows of the first class are multiplied by −1.
        update : int, optional
            A row by which the weights are updated, w + y x: the arrows of w, of the row and of
            their sum are drawn to scale. For two entries only.
        solutions : bool
            Whether to shade the cone of all weights that separate the rows. For two entries only.
        feature_names : sequence of str, optional
            Names of the features, instead of those of a frame.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        HalfSpaceDisplay
        """
        rows, names = inputs.finite_rows(inputs.rows_of(X)), inputs.names_of(X, feature_names)
        classes = inputs.two_classes(y)
        codes = inputs.codes_of(y, classes, len(rows))
        Z = signed_rows(rows, 2 * codes - 1, intercept=fit_intercept)
        if Z.shape[1] < 2:
            raise DataError(
                "A half-space is drawn for 2 entries or more; X has 1 feature, and there is no"
                " constant 1. Use fit_intercept=True."
            )
        if (update is not None or solutions) and Z.shape[1] != 2:
            raise DataError(
                f"`update` and `solutions` are drawn for rows of 2 entries; these have"
                f" {Z.shape[1]}, the constant 1 included. Use 2 features and fit_intercept=False."
            )
        w = _weights(rows, y, coef, intercept, fit_intercept=fit_intercept)
        if update is not None and (w is None or not 0 <= update < len(Z)):
            raise DataError(
                f"`update` must be a row from 0 to {len(Z) - 1}, with weights `coef` to update;"
                f" got {update} and coef={coef!r}."
            )
        all_names = (*names, "constant 1") if fit_intercept else names
        plane = Projection.of(Z, np.zeros(Z.shape[1]) if w is None else w, 0.0, all_names)
        at = plane.axes
        cone = _cone(rows, codes, fit_intercept=fit_intercept) if solutions else None
        return cls(
            points=(Z if normalised else _unsigned(Z, codes)) @ at.T,
            originals=_unsigned(Z, codes) @ at.T,
            codes=codes,
            classes=classes,
            names=_axis_names(
                plane.names, Z.shape[1], weighted=w is not None, normalised=normalised
            ),
            weights=None if w is None else at @ w,
            following=None if update is None or w is None else at @ (w + Z[update]),
            row=update,
            solutions=cone,
            normalised=normalised,
        ).plot(ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **drawing: Any) -> Self:
        """Draw the normalised rows and the weights of a fitted linear classifier.

        Parameters
        ----------
        estimator : classifier
            Linear, of two classes, fitted. Rows on the wrong side are ringed.
        X, y : array-like
            Rows and labels.
        **drawing :
            Passed on to `from_data`, such as `normalised`, `feature_names` or `ax`.

        Returns
        -------
        HalfSpaceDisplay
        """
        w, b = inputs.line_of(estimator)
        own = bool(getattr(estimator, "fit_intercept", True)) or b != 0
        settings = {"fit_intercept": own, **drawing}
        return cls.from_data(X, y, coef=w, intercept=b, **settings)

    def plot(self, ax: "Axes | None" = None, *, legend: bool = True) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        legend : bool
            Whether to add a legend.

        Returns
        -------
        HalfSpaceDisplay
        """
        own = ax is None
        ax = canvas.axes(ax, (7.2, 4.8))
        box = self._box()
        equal_aspect(ax, box)
        if self.weights is not None:
            self._draw_weights(ax, self.weights, box)
        if len(self.solutions):
            size = REGION_SHARE * min(np.abs(box))
            ax.fill(*(size * self.solutions).T, color=palette.colour(2), alpha=0.3, lw=0,
                    label="weights that separate")  # fmt: skip
        self._draw_rows(ax)
        ax.plot(0, 0, "+", color=palette.INK, ms=10, mew=1.6, zorder=6)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        canvas.note(ax, self._remark())
        if legend:
            canvas.legend_outside(ax, own=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @property
    def _letter(self) -> str:
        """What the rows are called: z if they are normalised."""
        return "z" if self.normalised else "x"

    def _box(self) -> Box:
        shown = [self.points, np.zeros((1, 2))]
        if self.following is not None and self.weights is not None:
            shown += [self.weights[None], self.following[None]]
        if self.normalised:
            shown.append(self.originals)
        return Box.around(np.vstack(shown), PADDING).widened(1.6)

    def _draw_weights(self, ax: "Axes", w: Floats, box: Box) -> None:
        """Draw the half-space w·z > 0, its edge, and w; of an update the sum, too."""
        green = palette.colour(2)
        half = clip(box.corners, w, 0.0)
        if len(half) and self.normalised:
            ax.fill(*half.T, color=green, alpha=0.13, lw=0, zorder=0, label="w·z > 0")
        line = segment(w, 0.0, box)
        if line is not None:
            ax.plot(*line.T, color=palette.INK, lw=1.8, zorder=2, label=f"w·{self._letter} = 0")
        origin = np.zeros(2)
        if self.following is None:
            length = SHOWN_WEIGHTS * min(box.right - box.left, box.top - box.bottom)
            arrow(ax, origin, length * w / np.linalg.norm(w), "w", colour=palette.INK)
            return
        arrow(ax, origin, w, "w", colour=palette.GREY)
        arrow(ax, w, self.following, colour=palette.colour(3), style="--")
        middle = (w + self.following) / 2
        write(ax, middle, "y x", towards=np.array([1.0, 0.3]), colour=palette.colour(3))
        arrow(ax, origin, self.following, "w + y x", colour=palette.INK)

    def _draw_rows(self, ax: "Axes") -> None:
        """Draw rows, and where rows of the first class were before they changed sign."""
        words = ("−", "") if self.normalised else ("", "")
        for k, (label, sign) in enumerate(zip(self.classes, words, strict=True)):
            own = self.codes == k
            look: dict[str, Any] = {"marker": canvas.MARKERS[palette.shape(k)], "ls": "", "ms": 6}
            if sign:
                ghosts = {**look, "mfc": "none", "mec": palette.colour(k), "alpha": 0.4}
                ax.plot(*self.originals[own].T, label=f"{label}: x", zorder=2, **ghosts)
            text = f"{label}: {sign}x" if self.normalised else str(label)
            ax.plot(*self.points[own].T, color=palette.colour(k), label=text, zorder=3, **look)
        if self.mistakes:
            canvas.ring(ax, self.points[self.wrong], label="mistakes of w")
        if self.row is not None:
            place = self.points[self.row]
            ax.plot(*place, "o", ms=15, mfc="none", mec=palette.colour(3), mew=2.0, zorder=6)

    def _remark(self) -> str:
        if self.weights is None:
            return "not separable: no half-space contains all rows"
        if not self.normalised:
            return ""
        if not self.mistakes:
            return "all rows z = y x lie in one half-space"
        return f"{self.mistakes} of {len(self.points)} rows z = y x are not in the half-space of w"


def _weights(
    rows: Floats, y: Any, coef: Any, intercept: float, *, fit_intercept: bool
) -> Floats | None:
    """The weights given, or those with the largest margin; None if there are none."""
    if coef is not None:
        w = np.ravel(np.asarray(coef, dtype=float))
        if w.shape != (rows.shape[1],) or not np.isfinite(w).all():
            raise DataError(f"coef must be {rows.shape[1]} finite numbers; got {coef!r}.")
        return np.append(w, intercept) if fit_intercept else w
    proof = separability(rows, y, maximise=True, fit_intercept=fit_intercept)
    if not isinstance(proof, Separable):
        return None
    found = np.ravel(proof.coef)
    return np.append(found, float(np.ravel(proof.intercept)[0])) if fit_intercept else found


def _unsigned(Z: Floats, codes: Ints) -> Floats:
    return np.where(codes == 1, 1.0, -1.0)[:, None] * Z


def _cone(rows: Floats, codes: Ints, *, fit_intercept: bool) -> Floats:
    """The polygon of the weights in [−1, 1]² that separate the rows."""
    return solution_region(rows, codes, fit_intercept=fit_intercept).polygon


def _axis_names(
    names: tuple[str, str], n_entries: int, *, weighted: bool, normalised: bool
) -> tuple[str, str]:
    """Names of the axes: entries of the rows, or of their projection."""
    if n_entries == 2:
        return (f"y · {names[0]}", f"y · {names[1]}") if normalised else names
    letter = "z" if normalised else "(x, 1)"
    return (f"distance of {letter} to the hyperplane of w" if weighted else names[0]), names[1]
