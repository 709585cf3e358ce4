"""A run, pass by pass."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from rosenblatt.errors import DataError
from rosenblatt.geometry import looks
from rosenblatt.plotting import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["mistakes", "loss", "norm", "margin", "gap", "objective"]
KINDS: dict[str, tuple[str, ...]] = {  # columns of the trace on one plot
    "mistakes": ("mistakes",),
    "loss": ("loss",),
    "norm": ("norm",),
    "margin": ("margin_upper", "margin_lower"),
    "gap": ("gap",),
    "objective": ("objective", "bound"),
}
NAMES = {
    "mistakes": "mistakes in the pass",
    "loss": "mean loss",
    "norm": "|w|",
    "margin_upper": "the largest margin is at most",
    "margin_lower": "and at least",
    "gap": "duality gap",
    "objective": "objective",
    "bound": "no weights are below",
}


class TraceDisplay:
    """How a run went: mistakes, loss or gap of each pass, and what theory says beside it.

    Parameters
    ----------
    curves : mapping of str to (passes, values)
        What is drawn, by name.
    kind : str
        Which figures these are.
    remark : str
        A sentence above the axes.

    Attributes
    ----------
    ax_, figure_ :
        What it was drawn on.

    Examples
    --------
    >>> from rosenblatt import Perceptron, builtin
    >>> from rosenblatt.plotting import TraceDisplay
    >>> data = builtin("kennel")
    >>> model = Perceptron(shuffle=False).fit(data.X, data.y)
    >>> TraceDisplay.from_estimator(model).curves["mistakes in the pass"][1]
    [151, 130, 123, 58, 118, 104, 21, 0]
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self, *, curves: Mapping[str, tuple[list[int], list[float]]], kind: str, remark: str = ""
    ) -> None:
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
        kind : {"mistakes", "loss", "norm", "margin", "gap", "objective"}, optional
            What to draw; by default the gap where there is one, else mistakes. "margin" is the
            bracket of the convergence theorem around the largest margin.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        TraceDisplay
        """
        trace = getattr(estimator, "trace_", None)
        if not trace:
            raise DataError(
                f"This {type(estimator).__name__} has no trace_: only a fitted rule that learns in"
                " passes or steps has one."
            )
        certified = hasattr(trace[0], "gap")
        kind = kind or ("gap" if certified else "mistakes")
        columns = KINDS.get(kind, ())
        if not columns or not hasattr(trace[0], columns[0]):
            there = [name for name, fields in KINDS.items() if hasattr(trace[0], fields[0])]
            raise DataError(f"This trace has {', '.join(there)}; got kind={kind!r}.")
        curves = {
            name: curve for column in columns for name, curve in _curves(trace, column, estimator)
        }
        return cls(curves=curves, kind=kind, remark=_remark(estimator, kind)).plot(ax=ax)

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
        for k, (name, (passes, values)) in enumerate(self.curves.items()):
            marker = canvas.MARKERS[looks.shape(k)] if len(passes) <= 60 else None
            ax.plot(passes, values, color=looks.colour(k), marker=marker, ms=4, lw=1.6, label=name)
        last = max((p[-1] for p, _ in self.curves.values() if p), default=1)
        ax.set_xlabel("step" if self.kind in {"gap", "objective"} else "pass")
        ax.set_xlim(1 - 0.02 * last, last + 0.02 * last + 0.01)
        ax.locator_params(axis="x", integer=True)
        if self.kind == "gap":
            ax.set_yscale("log")
        elif self.kind in {"mistakes", "loss", "norm"}:
            ax.set_ylim(bottom=0)
        if len(self.curves) == 1:
            ax.set_ylabel(next(iter(self.curves)))
        elif len(self.curves) <= canvas.MOST_IN_LEGEND:
            ax.legend(**canvas.LEGEND)
        if self.remark:
            canvas.note(ax, self.remark)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _curves(
    trace: Any, column: str, estimator: Any
) -> list[tuple[str, tuple[list[int], list[float]]]]:
    """The passes at which a column has a value, and the values; of each unit, if it has units."""
    name = NAMES[column]
    units = sorted({getattr(record, "unit", 0) for record in trace})
    curves = []
    for unit in units:
        own = [
            (getattr(record, "step", None) or record.passes, getattr(record, column))
            for record in trace
            if getattr(record, "unit", 0) == unit
        ]
        known = [(p, value) for p, value in own if value is not None]
        called = name if len(units) == 1 else f"{name}, class {estimator.classes_[unit]}"
        curves.append((called, ([p for p, _ in known], [value for _, value in known])))
    return curves


def _remark(estimator: Any, kind: str) -> str:
    bound = getattr(estimator, "mistake_bound_", None)
    if kind == "mistakes" and bound is not None:
        return f"{estimator.mistakes_:,} mistakes in all; the theorem allows {bound:,.0f}"
    if kind == "mistakes":
        return f"{sum(estimator.trace_.column('mistakes')):,} mistakes in all"
    if kind == "gap":
        return f"the objective is within {estimator.gap_:.1e} of the best"
    return ""
