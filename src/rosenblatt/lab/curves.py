"""Charts of a training run: mistakes, loss, bounds and the duality gap."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.lab.runs import Run
from rosenblatt.separation.proof.verdict import Proof, Separable
from rosenblatt.trace.trace import Certified


class Curve(NamedTuple):
    """A named line over the steps of a run."""

    name: str
    values: tuple[float, ...]
    dashed: bool = False


class Chart(NamedTuple):
    """Curves over the same steps, on a linear or logarithmic scale."""

    title: str
    across: str
    curves: tuple[Curve, ...]
    log: bool = False


def charts(run: Run, proof: Proof | None) -> tuple[Chart, ...]:
    """The charts of a run; none for a rule in closed form."""
    trace: Any = getattr(run.model, "trace_", ())
    if not len(trace):
        return ()
    if isinstance(trace[0], Certified):
        return _certified(trace)
    mistakes = np.array(trace.column("mistakes"), float)
    so_far = Curve("mistakes so far", tuple(np.cumsum(mistakes).tolist()))
    bound = _mistake_bound(run, proof)
    found = [
        Chart("Mistakes in each epoch", "epoch", (Curve("mistakes", tuple(mistakes.tolist())),))
    ]
    if bound is not None:
        level = Curve(f"bound {bound:,.0f}", (bound,) * len(trace), dashed=True)
        found.append(Chart("Mistakes so far and their bound", "epoch", (so_far, level)))
    loss = tuple(trace.column("loss"))
    found.append(
        Chart("Mean loss of each sample before its update", "epoch", (Curve("loss", loss),))
    )
    bounds = _margin_bounds(trace, proof)
    return (*found, bounds) if bounds is not None else tuple(found)


def _certified(trace: tuple[Certified, ...]) -> tuple[Chart, ...]:
    first = [record for record in trace if record.output == 0]
    objective = Curve("objective", tuple(record.objective for record in first))
    bound = Curve("lower bound", tuple(record.lower_bound for record in first), dashed=True)
    gap = tuple(max(record.gap, 1e-16) for record in first)
    return (
        Chart("Objective and its lower bound", "step", (objective, bound)),
        Chart("Duality gap", "step", (Curve("gap", gap),), log=True),
    )


def _mistake_bound(run: Run, proof: Proof | None) -> float | None:
    """The theorem's bound on the mistakes, if its premises hold for the run."""
    if getattr(run.model, "margin_bounds_", None) is None or not isinstance(proof, Separable):
        return None
    bound = proof.mistake_bound
    return None if bound is None else float(bound)


def _margin_bounds(trace: Any, proof: Proof | None) -> Chart | None:
    """The upper bound |w|/(ηk) on the largest margin, and the margin of the proof below it."""
    upper = [u if u is not None else np.nan for u in trace.column("margin_upper")]
    if not np.isfinite(upper).any():
        return None
    running = np.fmin.accumulate(np.array(upper, float))
    curves = [Curve("γ* is at most |w| / (η k)", tuple(running.tolist()))]
    if isinstance(proof, Separable):
        level = (proof.margin,) * len(running)
        curves.append(Curve("γ* is at least (the proof)", level, dashed=True))
    return Chart("Bounds on the largest margin γ*", "epoch", tuple(curves), log=True)
