"""A linear program in floats, by HiGHS; whatever it says is only a proposal."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.types import Floats


class Program(NamedTuple):
    """Minimise costs·x subject to A x ≤ b (or A x = b, if ``equal``) and low ≤ x ≤ high."""

    costs: Floats
    A: Any
    b: Floats
    low: Floats
    high: Floats
    equal: bool = False


class Solution(NamedTuple):
    """A solution, and the dual variables of the inequalities, or else of the equations."""

    x: Floats
    dual: Floats


def solve(program: Program, deadline: Deadline) -> Solution | None:
    """Solve within the time limit; None if that did not succeed."""
    from scipy.optimize import linprog  # noqa: PLC0415

    names = ("A_eq", "b_eq") if program.equal else ("A_ub", "b_ub")
    given: dict[str, Any] = dict(zip(names, (program.A, program.b), strict=True))
    given["bounds"] = np.column_stack([program.low, program.high])
    given["options"] = {"time_limit": max(deadline.seconds_left(), 0.0)}
    result: Any = linprog(program.costs, **given)
    if result.status != 0:
        return None
    rows = result.eqlin if program.equal else result.ineqlin
    return Solution(result.x, -rows.marginals)
