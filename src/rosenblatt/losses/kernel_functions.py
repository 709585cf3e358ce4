"""Kernels: the inner product κ(a, b) = Φ(a)·Φ(b) of two rows after a map Φ that stays unknown.

=============  ============================  ====================================================
kernel         κ(a, b)                       Φ
=============  ============================  ====================================================
linear         a·b                           the row itself
poly           (γ a·b + c)^degree            all products of up to `degree` features, weighted
rbf            exp(−γ ‖a − b‖²)              infinitely many; every row has length 1
precomputed    read from a table             whatever made the table
one's own      a function of two tables      whatever makes it a kernel
=============  ============================  ====================================================

"One needs to specify κ alone, and may keep Φ undefined" (lecture 000). The bias is a constant at
the end of Φ(x), as it is at the end of x without a kernel: it adds its square to κ.

The first three are functions of a·b, ‖a‖² and ‖b‖². These are summed in the order of
kernels/rows.py, so a row gives the same bits alone and in company, ‖a − a‖² is exactly 0, and
whole numbers stay whole. A distance is good to about 1e-16 ‖a‖²: rows far from zero are
better centred first.
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
_PART = 16_384  # rows
TOGETHER = 8  # centres that share a reading of the rows


class Points(NamedTuple):
    """Rows to take a kernel between, with ‖x‖² where the kernel wants it, and their numbers."""

    rows: Rows
    squares: Floats
    numbers: Ints

    def part(self, start: int, stop: int) -> "Points":
        """Points start … stop, without a copy."""
        span = slice(start, stop)
        return Points(rows_part(self.rows, start, stop), self.squares[span], self.numbers[span])

    def take(self, chosen: Array) -> "Points":
        """The chosen points, copied."""
        squares = self.squares[chosen] if len(self.squares) else _NONE
        return Points(rows_take(self.rows, chosen), squares, self.numbers[chosen])

    def joined(self, others: "Points") -> "Points":
        """These points, and the others after them."""
        return Points(
            rows_joined(self.rows, others.rows),
            np.concatenate([self.squares, others.squares]),
            np.concatenate([self.numbers, others.numbers]),
        )


class Kernel(NamedTuple):
    """A kernel with its settings; `kind` is a name, or a function of two tables."""

    kind: str | Callable[[Any, Any], Any]
    gamma: float
    degree: int
    coef0: float
    bias: float

    @property
    def shares_reading(self) -> bool:
        """Whether columns of several centres are made quicker together than one by one."""
        return self.kind in _FORMULAS

    def points(self, rows: Rows, first_number: int = 0) -> Points:
        """Rows with what the kernel wants to know of each."""
        n = n_rows(rows)
        squares = np.empty(n) if self.kind == "rbf" else _NONE
        if len(squares):
            square_lengths(rows, squares)
        return Points(rows, squares, np.arange(first_number, first_number + n))

    def centres(self, points: Points, chosen: Array) -> Points:
        """Points that others will be compared with, copied; of a table their numbers will do."""
        if self.kind == "precomputed":
            return Points(np.empty((len(chosen), 0)), _NONE, points.numbers[chosen])
        return points.take(chosen)

    def between(self, centres: Points, points: Points) -> Floats:
        """Kernel, bias included, of every centre (a line each) with every point."""
        if callable(self.kind):
            table = _own(self.kind, centres, points)
        elif self.kind == "precomputed":
            table = _read(points.rows, centres.numbers)
        else:
            table = np.empty((n_rows(centres.rows), n_rows(points.rows)))
            inner_products(centres.rows, points.rows, table)
            with np.errstate(over="ignore", invalid="ignore"):  # whoever uses it looks at it
                table = _FORMULAS[self.kind](self, table, (centres.squares, points.squares))
        return table + self.bias**2

    def with_themselves(self, points: Points) -> Floats:
        """Kernel of every point with itself, bias included: its squared length after the map."""
        cuts = range(0, n_rows(points.rows), TOGETHER)
        parts = [points.part(cut, cut + TOGETHER) for cut in cuts]
        return np.concatenate([np.diagonal(self.between(part, part)) for part in parts])


def linear(kernel: Kernel, products: Floats, squares: tuple[Floats, Floats]) -> Floats:  # noqa: ARG001
    """Inner product a·b."""
    return products


def polynomial(kernel: Kernel, products: Floats, squares: tuple[Floats, Floats]) -> Floats:  # noqa: ARG001
    """(γ a·b + c)^degree, by multiplying alone: whole numbers stay whole."""
    base, degree = kernel.gamma * products + kernel.coef0, kernel.degree
    power = np.ones_like(base)
    while degree:
        if degree % 2:
            power *= base
        base, degree = base * base, degree // 2
    return power


def radial(kernel: Kernel, products: Floats, squares: tuple[Floats, Floats]) -> Floats:
    """exp(−γ ‖a − b‖²), the distance never below 0."""
    distances = squares[0][:, None] + squares[1] - 2.0 * products
    return np.exp(-kernel.gamma * np.maximum(distances, 0.0))


_FORMULAS = {"linear": linear, "poly": polynomial, "rbf": radial}
NAMES = (*_FORMULAS, "precomputed")


def _read(rows: Any, numbers: Ints) -> Floats:
    return np.ascontiguousarray(rows[:, numbers].T, np.float64)


def _own(kernel: Callable[[Any, Any], Any], centres: Points, points: Points) -> Floats:
    given: Any = kernel(matrix_of(points.rows), matrix_of(centres.rows))
    table = np.asarray(given.toarray() if hasattr(given, "toarray") else given, np.float64)
    wanted = (n_rows(points.rows), n_rows(centres.rows))
    if table.shape != wanted:
        raise ParameterError(
            f"kernel must give a table of shape {wanted}, a row for each of the first rows and a"
            f" column for each of the second; got {table.shape}."
        )
    if not np.isfinite(table).all():
        raise ParameterError("kernel must give finite numbers; it gave NaN or infinity.")
    return np.ascontiguousarray(table.T)


@njit(cache=True, nogil=True)
def inner_products(centres: Rows, X: Rows, table: Floats) -> None:
    """Write a·x for every centre a (a line each) and every row x; X is read once a few centres."""
    n, m = n_rows(X), n_rows(centres)
    few = np.zeros((min(TOGETHER, m), n_cols(X)))
    for first in range(0, m, TOGETHER):
        size = min(TOGETHER, m - first)
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
    """Add a times the rows first, first + 1, … to the lines of `few`."""
    for j in range(len(few)):
        add(centres, first + j, a, few[j])


@njit(cache=True, nogil=True)
def square_lengths(X: Rows, squares: Floats) -> None:
    """Write x·x of every row, in the same bits as `inner_products` has it."""
    x = np.zeros(n_cols(X))
    for i in range(n_rows(X)):
        add(X, i, 1.0, x)
        squares[i] = dot(X, i, x)
        add(X, i, -1.0, x)


def gamma_by_scale(rows: Rows) -> float:
    """1 / (d · variance of all entries), scikit-learn's "scale"; 1 where all entries are equal.

    Zeros are counted, not summed, however the rows are stored.
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
    for start in range(0, n_rows(rows), _PART):
        part = rows_part(rows, start, start + _PART)
        values = part.data[part.indptr[0] : part.indptr[-1]] if isinstance(part, CSR) else part
        yield values[values != 0].astype(np.float64)
