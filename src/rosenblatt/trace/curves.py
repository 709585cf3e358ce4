"""Curves of a trace, and a caption for each kind.

==============  =================================================================================
kind            curves
==============  =================================================================================
"mistakes"      mistakes in each epoch
"loss"          mean loss of each epoch
"norm"          |w| after each epoch
"margin"        the bracket of the convergence theorem around the largest margin
"gap"           duality gap after each step, on a logarithmic scale
"objective"     objective after each step, and its lower bound
==============  =================================================================================
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.trace.trace import Trace

KINDS = {  # columns of the trace
    "mistakes": ("mistakes",),
    "loss": ("loss",),
    "norm": ("norm",),
    "margin": ("margin_upper", "margin_lower"),
    "gap": ("gap",),
    "objective": ("objective", "bound"),
}
NAMES = {
    "mistakes": "mistakes in the epoch",
    "loss": "mean loss",
    "norm": "|w|",
    "margin_upper": "upper bound of the largest margin",
    "margin_lower": "lower bound of the largest margin",
    "gap": "duality gap",
    "objective": "objective",
    "bound": "lower bound of the objective",
}


class Curve(NamedTuple):
    """A named curve: values at some epochs or steps."""

    name: str
    passes: list[int]
    values: list[float]


def curve_kinds(trace: Trace) -> list[str]:
    """Kinds of curves that a trace has, the most telling first."""
    return [kind for kind, (column, *_) in KINDS.items() if hasattr(trace[0], column)]


def curves_of(trace: Trace, kind: str, classes: Sequence[Any]) -> list[Curve]:
    """Curves of a kind, for each class if there are several; unknown values are left out."""
    units = sorted({getattr(record, "unit", 0) for record in trace})
    return [
        _curve(trace, column, unit, "" if len(units) == 1 else f", class {classes[unit]}")
        for column in KINDS[kind]
        for unit in units
    ]


def _curve(trace: Trace, column: str, unit: int, of: str) -> Curve:
    own = [record for record in trace if getattr(record, "unit", 0) == unit]
    known = [record for record in own if getattr(record, column) is not None]
    passes = [record.step if hasattr(record, "step") else record.passes for record in known]
    return Curve(NAMES[column] + of, passes, [getattr(record, column) for record in known])


def curve_caption(estimator: Any, kind: str) -> str:
    """Caption for the curves of a kind; empty for most."""
    bound = getattr(estimator, "mistake_bound_", None)
    if kind == "mistakes":
        made = f"{sum(estimator.trace_.column('mistakes')):,} mistakes in all"
        return made if bound is None else f"{made}; the theorem allows {bound:,.0f}"
    bracket = getattr(estimator, "margin_bounds_", None)
    if kind == "margin" and bracket is not None and bracket.lower > 0:
        return f"the largest margin is from {bracket.lower:.4g} to {bracket.upper:.4g}"
    if kind == "gap":
        return f"the objective is within {estimator.gap_:.1e} of the best"
    return ""
