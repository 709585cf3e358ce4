"""The linear system of Newton's step, H δ = −g with H = ρ + Xᵀ Θ X, and what dealing with it costs.

Θ holds the curvatures of the rows, and many rows have none. H is never formed in full.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.problem import entries_in
from rosenblatt.data.rows import n_cols, n_rows
from rosenblatt.solvers import products
from rosenblatt.solvers.responses import Task

CHOLESKY_SPEED = 8.0  # times that of a multiplication in H p, as measured


class System(NamedTuple):
    """H of a task, by the rows chosen and their curvatures."""

    task: Task
    chosen: Ints
    curvatures: Floats

    @property
    def width(self) -> int:
        """How many weights there are, the bias among them."""
        return n_cols(self.task.blocks.problem.rows) + 1

    def times(self, p: Floats) -> Floats:
        """H p."""
        product = products.curved(self.task.blocks, self.chosen, self.curvatures, p)
        product[:-1] += self.task.ridge * p[:-1]
        product[-1] = product[-1] if self.task.bias else p[-1]
        return product

    @property
    def product_cost(self) -> float:
        """Multiplications in H p, and in the answer of a factor to it."""
        return 4.0 * len(self.chosen) * self._entries_a_row() + 2.0 * self.width**2

    def gram_cost(self, n: int) -> float:
        """As many multiplications in H p take as long as Xᵀ Θ X over n rows."""
        return n * self._entries_a_row() ** 2 / products.gram_speed(self.task.blocks)

    def factor_cost(self, n: int) -> float:
        """As many take as long as a factor made of n of the rows chosen."""
        gram = self.gram_cost(min(n, len(self.chosen)))
        return gram + self.width**3 / (3.0 * CHOLESKY_SPEED)

    def _entries_a_row(self) -> float:
        rows = self.task.blocks.problem.rows
        return max(entries_in(rows) / n_rows(rows), 1.0)


def require_finite(numbers: Floats) -> None:
    """Refuse to go on with what is not a number: X holds one that is none, or is too large."""
    if not np.isfinite(numbers).all():
        raise FloatingPointError
