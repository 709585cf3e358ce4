"""Which walk through the rows a rule takes."""

from typing import Any

from rosenblatt.data.problem import Problem
from rosenblatt.data.visits import Visit
from rosenblatt.errors import ParameterError
from rosenblatt.rules.steps import CONFIDENT
from rosenblatt.solvers.confident import walk_confident
from rosenblatt.solvers.correct import ALL_FINITE, Rule
from rosenblatt.solvers.memory import Memory
from rosenblatt.solvers.online import walk_many, walk_one
from rosenblatt.solvers.pairs import in_pairs, walk_pairs


def walk(problem: Problem, visit: Visit, rule: Rule, memory: Memory) -> int:
    """Visit rows once and learn from each; give the place of a row that is not finite, or −1."""
    if rule.step == CONFIDENT:
        return _called(walk_confident, problem, visit, rule, memory)
    if rule.l1 > 0 and not len(memory.beside):
        raise ParameterError(
            "An l1 penalty cannot be asked of a stream that began without one. Use a new estimator."
        )
    if rule.l1 == rule.l2 == 0:
        memory.settle()
    if len(memory.W) > 1 or rule.l1 > 0 or rule.l2 > 0:
        return _called(walk_many, problem, visit, rule, memory)
    if in_pairs(problem, visit, rule, memory):
        even = len(visit.order) // 2 * 2
        bad = _called(walk_pairs, problem, visit.part(0, even), rule, memory)
        if bad != ALL_FINITE or even == len(visit.order):
            return bad
        visit = visit.part(even, even + 1)
    return _called(walk_one, problem, visit, rule, memory)


def _called(kernel: Any, problem: Problem, visit: Visit, rule: Rule, memory: Memory) -> int:
    # the classes of named tuples are looked up at each call, which takes longer than a short row
    return int(kernel(tuple(problem), tuple(visit), rule, tuple(memory)))
