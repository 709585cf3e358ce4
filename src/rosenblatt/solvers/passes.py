"""Online learning in passes: a State after each, without an end."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Problem, row_bytes
from rosenblatt.data.rows import CSR, n_rows
from rosenblatt.data.visits import visits
from rosenblatt.solvers.ahead import LookAhead, windows_for
from rosenblatt.solvers.correct import Rule
from rosenblatt.solvers.memory import LOSS, MISTAKES, UPDATES, Memory, kept_weights
from rosenblatt.solvers.online import ALL_FINITE
from rosenblatt.solvers.state import State
from rosenblatt.solvers.walk import walk


def passes_of(
    problem: Problem,
    rule: Rule,
    memory: Memory,
    *,
    keep: str,
    seed: int | None,
    n_jobs: int = 1,
) -> Iterator[State]:
    """Learn row after row, pass after pass, without an end: a State after each pass.

    `keep` is "last", "average" or "pocket"; a `seed` shuffles every pass anew, None keeps the file
    order. More than one job scores rows ahead, which changes nothing but the time. The memory is
    worked on in place.
    """
    n, clock, sums = n_rows(problem.rows), memory.clock, memory.sums
    for passes in itertools.count(1):
        before, sums[LOSS] = clock.copy(), 0.0
        learn(problem, rule, memory, None if seed is None else (seed, passes), n_jobs)
        yield State(
            passes=passes,
            rows=n,
            mistakes=int(clock[MISTAKES] - before[MISTAKES]),
            changes=int(clock[UPDATES] - before[UPDATES]),
            loss=float(sums[LOSS]) / n,
            all_mistakes=int(clock[MISTAKES]),
            all_changes=int(clock[UPDATES]),
            last=memory.last,
            weights=lambda: kept_weights(memory, keep),
        )


def learn(
    problem: Problem,
    rule: Rule,
    memory: Memory,
    shuffle_key: tuple[int, int] | None = None,
    n_jobs: int = 1,
) -> None:
    """Learn from every row once."""
    rows = problem.rows
    plan = partial(
        visits, n_rows(rows), row_bytes(rows), shuffle_key, streams=isinstance(rows, CSR)
    )
    if n_jobs == 1:
        ended = all(walk(problem, part, rule, memory) == ALL_FINITE for part in plan())
    else:
        with ThreadPoolExecutor(1) as pool:
            look_ahead = LookAhead(pool)
            ended = all(
                look_ahead.walk(problem, part, rule, memory) == ALL_FINITE
                for part in plan(windows=windows_for(rows))
            )
    if not ended:
        raise not_finite(rows)
