"""The Hessian H = ρ I + Xᵀ Θ X of a binary objective, as an operator, and the cost of its products.

Θ are the curvatures of the rows; rows without one are left out. The intercept has no penalty: H is
ρ on the diagonal for the weights alone. H itself is never formed.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import entries_in
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg import products
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.types import Floats, Ints

CHOLESKY_SPEEDUP = 8.0  # measured: multiplications a second, against those in H p


class NewtonSystem(NamedTuple):
    """The Hessian of an objective: the rows with a curvature, and their curvatures."""

    objective: BinaryObjective
    rows: Ints
    curvatures: Floats

    @property
    def width(self) -> int:
        """Number of weights, with the intercept."""
        return n_cols(self.objective.blocks.problem.rows) + 1

    def dot(self, p: Floats) -> Floats:
        """The Hessian-vector product H p."""
        product = products.hessian_vector_product(
            self.objective.blocks, self.rows, self.curvatures, p
        )
        product[:-1] += self.objective.l2 * p[:-1]
        product[-1] = product[-1] if self.objective.fit_intercept else p[-1]
        return product

    @property
    def product_cost(self) -> float:
        """Multiplications in H p and in a solve with a Cholesky factor: a CG iteration."""
        return 4.0 * len(self.rows) * self._entries_a_row() + 2.0 * self.width**2

    def gram_cost(self, n: int) -> float:
        """Cost of Xᵀ Θ X over n rows, in multiplications of H p."""
        return n * self._entries_a_row() ** 2 / products.gram_speedup(self.objective.blocks)

    def factor_cost(self, n: int) -> float:
        """Cost of a Cholesky factor of H on n of the rows, in multiplications of H p."""
        gram = self.gram_cost(min(n, len(self.rows)))
        return gram + self.width**3 / (3.0 * CHOLESKY_SPEEDUP)

    def _entries_a_row(self) -> float:
        rows = self.objective.blocks.problem.rows
        return max(entries_in(rows) / n_rows(rows), 1.0)


def require_finite(numbers: Floats) -> None:
    """Raise a FloatingPointError unless all numbers are finite: X has NaN or too large values."""
    if not np.isfinite(numbers).all():
        raise FloatingPointError
