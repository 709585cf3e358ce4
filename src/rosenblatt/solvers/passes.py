"""Online learning in passes: a State after each, without an end."""

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Problem, row_bytes
from rosenblatt.data.rows import n_cols, n_rows
from rosenblatt.data.visits import Shape, visits
from rosenblatt.errors import TooLargeError
from rosenblatt.rules.losses import NEVER_FLAT
from rosenblatt.solvers.ahead import LookAhead, part_for
from rosenblatt.solvers.correct import ALL_FINITE, Rule
from rosenblatt.solvers.memory import LOSS, MISTAKES, UPDATES, Memory
from rosenblatt.solvers.state import State
from rosenblatt.solvers.walk import walk


def passes_of(
    problem: Problem,
    rule: Rule,
    memory: Memory,
    *,
    seed: int | None,
    n_jobs: int = 1,
) -> Iterator[State]:
    """Learn row after row, pass after pass, without an end: a State after each pass.

    A `seed` shuffles every pass anew, None keeps the file order. More than one job scores rows
    ahead, which changes nothing but the time. The memory is worked on in place.
    """

    def once(number: int) -> None:
        learn(problem, rule, memory, None if seed is None else (seed, number), n_jobs)

    n = n_rows(problem.rows)
    return in_passes(once, Size(n, n), rule, memory)


class Size(NamedTuple):
    """How many rows a pass has, and how much they weigh: what the mean loss is over."""

    rows: int
    weight: float


def in_passes(
    once: Callable[[int], None], size: Size, rule: Rule, memory: Memory
) -> Iterator[State]:
    """Give a State after each pass, where `once` learns from all rows in the pass of a number.

    Where the steps of a rule may grow without bound, a pass in which they did is undone, and its
    loss is ∞.
    """
    clock, sums = memory.clock, memory.sums
    for passes in itertools.count(1):
        before, sums[LOSS] = clock.copy(), 0.0
        if rule.loss < NEVER_FLAT:
            once(passes)
        else:
            undo = memory.copy()
            if not stays_finite(once, passes, memory):
                made = clock[[MISTAKES, UPDATES]]
                memory.put_back(undo)
                clock[[MISTAKES, UPDATES]], sums[LOSS] = made, np.inf
        yield State(
            passes=passes,
            rows=size.rows,
            mistakes=int(clock[MISTAKES] - before[MISTAKES]),
            changes=int(clock[UPDATES] - before[UPDATES]),
            loss=float(sums[LOSS]) / size.weight,
            all_mistakes=int(clock[MISTAKES]),
            all_changes=int(clock[UPDATES]),
            last=memory.last,
            weights=memory.kept,
        )


def stays_finite(once: Callable[[int], None], number: int, memory: Memory) -> bool:
    """Learn from all rows once; tell whether weights and loss are still numbers."""
    try:
        once(number)
    except TooLargeError:
        return False
    return bool(np.isfinite(memory.sums[LOSS])) and memory.is_finite()


def learn(
    problem: Problem,
    rule: Rule,
    memory: Memory,
    shuffle_key: tuple[int, int] | None = None,
    n_jobs: int = 1,
) -> None:
    """Learn from every row once."""
    rows = problem.rows
    shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
    plan = partial(visits, shape, shuffle_key)
    if n_jobs == 1 or rule.loss >= NEVER_FLAT:  # where every row changes the weights, none is ahead
        ended = all(walk(problem, part, rule, memory) == ALL_FINITE for part in plan())
    else:
        with ThreadPoolExecutor(1) as pool:
            look_ahead = LookAhead(pool)
            ended = all(
                look_ahead.walk(problem, part, rule, memory) == ALL_FINITE
                for part in plan(size=part_for(rows))
            )
    if not ended:
        raise not_finite(rows)
    if not memory.is_finite():
        raise TooLargeError(
            "The weights grew beyond float64. Scale the columns of X, or take smaller steps."
        )
