"""Plot of a training run, epoch by epoch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.plotting import canvas
from rosenblatt.trace.trace import Curve, curve_caption, curve_kinds, curves_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["mistakes", "error", "loss", "norm", "margin", "gap", "objective"]


class TraceDisplay:
    """Mistakes, loss or duality gap of each epoch, and the bound of the theory in a note.

    Parameters
    ----------
    curves : sequence of Curve
        A name, epochs and values each.
    kind : str
        Which quantity they show.
    remark : str
        A sentence above the axes.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt import Perceptron, builtin
    >>> from rosenblatt.plotting import TraceDisplay
    >>> data = builtin("kennel")
    >>> model = Perceptron(shuffle=False).fit(data.X, data.y)
    >>> TraceDisplay.from_estimator(model).curves[0].values
    [151, 130, 123, 58, 118, 104, 21, 0]
    """

    ax_: "Axes"
    figure_: Any

    def __init__(self, *, curves: Sequence[Curve], kind: str, remark: str = "") -> None:
        self.curves, self.kind, self.remark = curves, kind, remark

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, kind: Kind | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw the trace of a fitted estimator.

        Parameters
        ----------
        estimator : classifier
            One that has a `trace_`.
        kind : {"mistakes", "error", "loss", "norm", "margin", "gap", "objective"}, optional
            What to draw; by default the duality gap if there is one, else mistakes, or the loss of
            a regressor. "error" shows training and validation errors, "margin" the bounds of the
            convergence theorem on the largest margin.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        TraceDisplay
        """
        trace = getattr(estimator, "trace_", None)
        if not trace:
            raise DataError(
                f"This {type(estimator).__name__} has no trace_: only fitted iterative estimators"
                " have one."
            )
        available = curve_kinds(trace)
        kind = kind or next(each for each in ("gap", "mistakes", "loss") if each in available)
        if kind not in available:
            raise DataError(f"This trace has {', '.join(available)}; got kind={kind!r}.")
        curves = curves_of(trace, kind, getattr(estimator, "classes_", ()))
        return cls(curves=curves, kind=kind, remark=curve_caption(estimator, kind)).plot(ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        TraceDisplay
        """
        ax = canvas.axes(ax, (6.0, 3.6))
        for k, (name, epochs, values) in enumerate(self.curves):
            marker = canvas.MARKERS[palette.shape(k)] if len(epochs) <= 60 else None
            ax.plot(
                epochs, values, color=palette.colour(k), marker=marker, ms=4, lw=1.6, label=name
            )
        last = max((curve.n_iter[-1] for curve in self.curves if curve.n_iter), default=1)
        ax.set_xlabel("step" if self.kind in {"gap", "objective"} else "epoch")
        ax.set_xlim(1 - 0.02 * last, last + 0.02 * last + 0.01)
        ax.locator_params(axis="x", integer=True)
        if self.kind == "gap":
            ax.set_yscale("log")
        elif self.kind in {"mistakes", "error", "loss", "norm"}:
            ax.set_ylim(bottom=0)
        if len(self.curves) == 1:
            ax.set_ylabel(self.curves[0].name)
        elif len(self.curves) <= canvas.MAX_LEGEND_ENTRIES:
            ax.legend(**canvas.LEGEND)
        if self.remark:
            canvas.note(ax, self.remark)
        self.ax_, self.figure_ = ax, ax.figure
        return self
