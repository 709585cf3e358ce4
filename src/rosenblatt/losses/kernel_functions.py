"""Kernel functions: the inner product κ(a, b) = Φ(a)·Φ(b) of two rows after a feature map Φ.

=============  ============================  ====================================================
kernel         κ(a, b)                       Φ
=============  ============================  ====================================================
linear         a·b                           the row itself
poly           (γ a·b + c)^degree            all products of up to `degree` features, weighted
rbf            exp(−γ ‖a − b‖²)              infinitely many features, of norm 1
precomputed    read from a table             unknown
a function     of two tables                 unknown
=============  ============================  ====================================================

"One needs to specify κ alone, and may keep Φ undefined" (lecture 000). The intercept is a constant
feature at the end of Φ(x), as it is at the end of x without a kernel: it adds its square to κ.

The first three are functions of a·b, ‖a‖² and ‖b‖². These are summed in the order of
kernels/rows.py, so that a row gives the same bits in any batch, ‖a − a‖² is exactly 0, and integers
stay exact. A distance has an error of about 1e-16 ‖a‖²: centre rows that lie far from zero.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import rows_part, rows_take
from rosenblatt.data.training_data import matrix_of, rows_joined
from rosenblatt.data.validation import not_finite
from rosenblatt.errors import ParameterError
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, Rows, add, dot, dot4, n_cols, n_rows
from rosenblatt.types import Array, Floats, Ints

_NONE = np.zeros(0)
_PART_ROWS = 16_384
CENTRES_PER_READING = 8  # that share a reading of the rows


class Points(NamedTuple):
    """Rows as arguments of a kernel, with ‖x‖² where the kernel needs it, and their indices."""

    rows: Rows
    squared_norms: Floats
    indices: Ints

    def part(self, start: int, stop: int) -> "Points":
        """Points start … stop, without a copy."""
        span = slice(start, stop)
        return Points(
            rows_part(self.rows, start, stop), self.squared_norms[span], self.indices[span]
        )

    def take(self, chosen: Array) -> "Points":
        """The chosen points, copied."""
        squares = self.squared_norms[chosen] if len(self.squared_norms) else _NONE
        return Points(rows_take(self.rows, chosen), squares, self.indices[chosen])

    def joined(self, others: "Points") -> "Points":
        """These points followed by others."""
        return Points(
            rows_joined(self.rows, others.rows),
            np.concatenate([self.squared_norms, others.squared_norms]),
            np.concatenate([self.indices, others.indices]),
        )


class Kernel(NamedTuple):
    """A kernel and its parameters; `kind` is a name, or a function of two tables."""

    kind: str | Callable[[Any, Any], Any]
    gamma: float
    degree: int
    coef0: float
    offset: float

    @property
    def shares_reading(self) -> bool:
        """Whether several centres are faster together than one by one."""
        return self.kind in _FORMULAS

    def points(self, rows: Rows, first_number: int = 0) -> Points:
        """Rows as points, with ‖x‖² if the kernel needs it."""
        n = n_rows(rows)
        squares = np.empty(n) if self.kind == "rbf" else _NONE
        if len(squares):
            square_lengths(rows, squares)
        return Points(rows, squares, np.arange(first_number, first_number + n))

    def centres(self, points: Points, chosen: Array) -> Points:
        """Points to be compared with others, copied; of a precomputed table, only their numbers."""
        if self.kind == "precomputed":
            return Points(np.empty((len(chosen), 0)), _NONE, points.indices[chosen])
        return points.take(chosen)

    def between(self, centres: Points, points: Points) -> Floats:
        """Kernel matrix, intercept included: a row for each centre, a column for each point."""
        if callable(self.kind):
            table = _by_function(self.kind, centres, points)
        elif self.kind == "precomputed":
            table = _precomputed(points.rows, centres.indices)
        else:
            table = np.empty((n_rows(centres.rows), n_rows(points.rows)))
            inner_products(centres.rows, points.rows, table)
            with np.errstate(over="ignore", invalid="ignore"):  # the caller checks
                table = _FORMULAS[self.kind](
                    self, table, (centres.squared_norms, points.squared_norms)
                )
        return table + self.offset**2

    def with_themselves(self, points: Points) -> Floats:
        """κ(x, x) = ‖Φ(x)‖² of every point, intercept included."""
        cuts = range(0, n_rows(points.rows), CENTRES_PER_READING)
        parts = [points.part(cut, cut + CENTRES_PER_READING) for cut in cuts]
        return np.concatenate([np.diagonal(self.between(part, part)) for part in parts])


def linear(kernel: Kernel, products: Floats, squares: tuple[Floats, Floats]) -> Floats:  # noqa: ARG001
    """Inner product a·b."""
    return products


def polynomial(kernel: Kernel, products: Floats, squares: tuple[Floats, Floats]) -> Floats:  # noqa: ARG001
    """(γ a·b + c)^degree by repeated squaring: integers stay exact."""
    base, degree = kernel.gamma * products + kernel.coef0, kernel.degree
    power = np.ones_like(base)
    while degree:
        if degree % 2:
            power *= base
        base, degree = base * base, degree // 2
    return power


def radial(kernel: Kernel, products: Floats, squares: tuple[Floats, Floats]) -> Floats:
    """exp(−γ ‖a − b‖²), the computed distance at least 0."""
    distances = squares[0][:, None] + squares[1] - 2.0 * products
    return np.exp(-kernel.gamma * np.maximum(distances, 0.0))


_FORMULAS = {"linear": linear, "poly": polynomial, "rbf": radial}
KERNEL_NAMES = (*_FORMULAS, "precomputed")


def _precomputed(rows: Any, numbers: Ints) -> Floats:
    return np.ascontiguousarray(rows[:, numbers].T, np.float64)


def _by_function(kernel: Callable[[Any, Any], Any], centres: Points, points: Points) -> Floats:
    given: Any = kernel(matrix_of(points.rows), matrix_of(centres.rows))
    table = np.asarray(given.toarray() if hasattr(given, "toarray") else given, np.float64)
    wanted = (n_rows(points.rows), n_rows(centres.rows))
    if table.shape != wanted:
        raise ParameterError(
            f"kernel must return a matrix of shape {wanted}, with a row for each row of its first"
            f" argument and a column for each row of its second; got {table.shape}."
        )
    if not np.isfinite(table).all():
        raise ParameterError("kernel must return finite numbers; it returned NaN or infinity.")
    return np.ascontiguousarray(table.T)


@njit(cache=True, nogil=True)
def inner_products(centres: Rows, X: Rows, table: Floats) -> None:
    """Write a·x for every centre a (a row each) and every row x of X, some at a time."""
    n, m = n_rows(X), n_rows(centres)
    few = np.zeros((min(CENTRES_PER_READING, m), n_cols(X)))
    for first in range(0, m, CENTRES_PER_READING):
        size = min(CENTRES_PER_READING, m - first)
        add_some(centres, first, 1.0, few[:size])
        for i in range(0, n - 3, 4):
            for j in range(size):
                products = dot4(X, (i, i + 1, i + 2, i + 3), few[j], None)
                for b in range(4):
                    table[first + j, i + b] = products[b]
        for i in range(n - n % 4, n):
            for j in range(size):
                table[first + j, i] = dot(X, i, few[j])
        add_some(centres, first, -1.0, few[:size])  # zero again, exactly


@njit(cache=True, nogil=True)
def add_some(centres: Rows, first: int, a: float, few: Floats) -> None:
    """Add a times the rows first, first + 1, … to the rows of `few`."""
    for j in range(len(few)):
        add(centres, first + j, a, few[j])


@njit(cache=True, nogil=True)
def square_lengths(X: Rows, squares: Floats) -> None:
    """Write x·x of every row, to the same bits as `inner_products`."""
    x = np.zeros(n_cols(X))
    for i in range(n_rows(X)):
        add(X, i, 1.0, x)
        squares[i] = dot(X, i, x)
        add(X, i, -1.0, x)


def gamma_by_scale(rows: Rows) -> float:
    """1 / (d · variance of all entries), scikit-learn's "scale"; 1 where all entries are equal.

    Zeros are counted, not summed, so that dense and sparse rows give the same bits.
    """
    size = n_rows(rows) * n_cols(rows)
    mean = sum(float(part.sum()) for part in _nonzeros(rows)) / size
    squares, zeros = 0.0, size
    with np.errstate(over="ignore", invalid="ignore"):
        for part in _nonzeros(rows):
            squares += float(np.square(part - mean).sum())
            zeros -= len(part)
        variance = (squares + zeros * np.square(mean)) / size
    if not np.isfinite(variance):
        raise not_finite(rows)
    return 1.0 / (n_cols(rows) * variance) if variance > 0 else 1.0


def _nonzeros(rows: Rows) -> Iterator[Floats]:
    for start in range(0, n_rows(rows), _PART_ROWS):
        part = rows_part(rows, start, start + _PART_ROWS)
        values = part.data[part.indptr[0] : part.indptr[-1]] if isinstance(part, CSR) else part
        yield values[values != 0].astype(np.float64)
