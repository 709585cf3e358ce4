"""Which walk through the rows a rule takes."""

from rosenblatt.data.problem import Problem
from rosenblatt.data.visits import Visit
from rosenblatt.errors import ParameterError
from rosenblatt.rules.steps import CONFIDENT
from rosenblatt.solvers.confident import walk_confident
from rosenblatt.solvers.correct import Rule
from rosenblatt.solvers.memory import Memory
from rosenblatt.solvers.online import walk_many, walk_one


def walk(problem: Problem, visit: Visit, rule: Rule, memory: Memory) -> int:
    """Visit rows once and learn from each; give the place of a row that is not finite, or −1."""
    if rule.step == CONFIDENT:
        return int(walk_confident(problem, visit, rule, memory))
    if rule.l1 > 0 and not len(memory.beside):
        raise ParameterError(
            "An l1 penalty cannot be asked of a stream that began without one. Use a new estimator."
        )
    plain = len(memory.W) == 1 and rule.l1 == 0 and rule.l2 == 0
    kernel = walk_one if plain else walk_many
    return int(kernel(problem, visit, rule, memory))
