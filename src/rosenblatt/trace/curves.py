"""A trace as curves: what there is to draw of a run, and the sentence beside it.

==============  =================================================================================
kind            what is drawn
==============  =================================================================================
"mistakes"      mistakes of each pass
"loss"          mean loss of each pass
"norm"          |w| after each pass
"margin"        the bracket of the convergence theorem around the largest margin
"gap"           duality gap after each step, on a logarithmic scale
"objective"     the objective after each step, and the bound that no weights are below
==============  =================================================================================
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.trace.trace import Trace

KINDS = {  # the columns of the trace
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


class Curve(NamedTuple):
    """Values at some passes or steps, by name."""

    name: str
    passes: list[int]
    values: list[float]


def infer_kinds(trace: Trace) -> list[str]:
    """Kinds of curves that a trace has, the most telling first."""
    return [kind for kind, (column, *_) in KINDS.items() if hasattr(trace[0], column)]


def curves_of(trace: Trace, kind: str, classes: Sequence[Any]) -> list[Curve]:
    """The curves of a kind, of each unit if there are several; a value not known is left out."""
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


def remark_on(estimator: Any, kind: str) -> str:
    """What there is to say about curves of a kind; nothing about most."""
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
