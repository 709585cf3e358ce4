"""The linear system of Newton's step, H δ = −g with H = ρ + Xᵀ Θ X, and what dealing with it costs.

Θ holds the curvatures of the rows, and many rows have none. H is never formed in full.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import entries_in
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg import products
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.types import Floats, Ints

CHOLESKY_SPEEDUP = 8.0  # times that of a multiplication in H p, as measured


class NewtonSystem(NamedTuple):
    """H of a task, by the rows chosen and their curvatures."""

    objective: BinaryObjective
    rows: Ints
    curvatures: Floats

    @property
    def width(self) -> int:
        """How many weights there are, the bias among them."""
        return n_cols(self.objective.blocks.problem.rows) + 1

    def dot(self, p: Floats) -> Floats:
        """H p."""
        product = products.hessian_vector_product(
            self.objective.blocks, self.rows, self.curvatures, p
        )
        product[:-1] += self.objective.l2 * p[:-1]
        product[-1] = product[-1] if self.objective.bias else p[-1]
        return product

    @property
    def product_cost(self) -> float:
        """Multiplications in H p, and in the answer of a factor to it."""
        return 4.0 * len(self.rows) * self._entries_a_row() + 2.0 * self.width**2

    def gram_cost(self, n: int) -> float:
        """As many multiplications in H p take as long as Xᵀ Θ X over n rows."""
        return n * self._entries_a_row() ** 2 / products.gram_speedup(self.objective.blocks)

    def factor_cost(self, n: int) -> float:
        """As many take as long as a factor made of n of the rows chosen."""
        gram = self.gram_cost(min(n, len(self.rows)))
        return gram + self.width**3 / (3.0 * CHOLESKY_SPEEDUP)

    def _entries_a_row(self) -> float:
        rows = self.objective.blocks.problem.rows
        return max(entries_in(rows) / n_rows(rows), 1.0)


def require_finite(numbers: Floats) -> None:
    """Refuse to go on with what is not a number: X holds one that is none, or is too large."""
    if not np.isfinite(numbers).all():
        raise FloatingPointError
