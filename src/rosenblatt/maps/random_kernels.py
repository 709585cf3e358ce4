"""Maps whose products are, or come near, a Gaussian kernel exp(−γ|x − x'|²)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, n_rows, rows_take
from rosenblatt.errors import ParameterError
from rosenblatt.maps.map import floats
from rosenblatt.types import Array, Floats

MOST_ROWS = 10_000  # from which γ and the landmarks are learned


@dataclass(frozen=True, eq=False)
class Fourier:
    """Random waves √(2/m) cos(x·w + φ), whose products come near the kernel."""

    directions: Floats
    phases: Floats

    def __post_init__(self) -> None:
        if self.directions.ndim != 2 or self.phases.shape != self.directions.shape[1:]:
            raise ValueError("there is not one phase for each wave")

    @property
    def n_inputs(self) -> int:
        """How many features it takes."""
        return len(self.directions)

    @property
    def n_outputs(self) -> int:
        """How many it makes."""
        return len(self.phases)

    def rows(self, rows: Rows) -> Rows:
        """The waves at some rows."""
        waves = _product(rows, self.directions)
        waves += self.phases
        np.cos(waves, out=waves)
        waves *= np.sqrt(2.0 / self.n_outputs)
        return waves

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Waves by number: each is made of all features."""
        del names
        return tuple(f"wave {k + 1}" for k in range(self.n_outputs))


@dataclass(frozen=True, eq=False)
class Nystroem:
    """The kernel between a row and some rows of the training data, made independent."""

    landmarks: Floats
    whitening: Floats
    gamma: float

    def __post_init__(self) -> None:
        if self.landmarks.ndim != 2 or self.whitening.shape != (len(self.landmarks),) * 2:
            raise ValueError("the landmarks do not go with their whitening")
        if not self.gamma > 0:
            raise ValueError("gamma is not positive")

    @property
    def n_inputs(self) -> int:
        """How many features it takes."""
        return int(self.landmarks.shape[1])

    @property
    def n_outputs(self) -> int:
        """How many it makes."""
        return len(self.landmarks)

    def rows(self, rows: Rows) -> Rows:
        """The kernel between some rows and the landmarks, times the whitening."""
        near = _product(rows, self.landmarks.T)
        near *= -2.0
        near += _squares(rows)[:, None]
        near += np.einsum("ij,ij->i", self.landmarks, self.landmarks)
        np.maximum(near, 0.0, out=near)
        near *= -self.gamma
        np.exp(near, out=near)
        return np.asarray(near @ self.whitening.T.astype(near.dtype))

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Landmarks by number."""
        del names
        return tuple(f"nearness to landmark {k + 1}" for k in range(self.n_outputs))


def fourier(rows: Rows, n: int = 1000, *, gamma: float | None = None, seed: int = 0) -> Fourier:
    """Random waves as scikit-learn draws them; γ is 1 / (features × variance) by default."""
    from sklearn.kernel_approximation import RBFSampler  # noqa: PLC0415 (slow to import)

    if n < 1:
        raise ParameterError(f"n must be an integer of at least 1; got {n!r}.")
    some = _some(rows, seed)
    drawn = RBFSampler(gamma=gamma or _gamma(some), n_components=n, random_state=seed).fit(some)
    return Fourier(
        np.asarray(drawn.random_weights_, np.float64), np.asarray(drawn.random_offset_, np.float64)
    )


def nystroem(rows: Rows, n: int = 300, *, gamma: float | None = None, seed: int = 0) -> Nystroem:
    """Landmarks as scikit-learn draws them from the training rows, which the model then holds."""
    from sklearn import kernel_approximation  # noqa: PLC0415 (slow to import)

    some = _some(rows, seed)
    if not 1 <= n <= len(some):
        raise ParameterError(f"n must be a number of rows from 1 to {len(some):,}; got {n!r}.")
    width = gamma or _gamma(some)
    drawn = kernel_approximation.Nystroem(gamma=width, n_components=n, random_state=seed).fit(some)
    return Nystroem(
        np.asarray(drawn.components_, np.float64),
        np.asarray(drawn.normalization_, np.float64),
        float(width),
    )


def _some(rows: Rows, seed: int) -> Array:
    """Some of the rows, dense, drawn at random where there are many."""
    order = np.random.default_rng(seed).permutation(n_rows(rows))[:MOST_ROWS]
    some = _matrix(rows_take(rows, np.sort(order)))
    return np.asarray(some.toarray() if isinstance(rows, CSR) else some)


def _gamma(some: Array) -> float:
    variance = float(some.var())
    return 1.0 / (some.shape[1] * variance) if variance > 0 else 1.0


def _product(rows: Rows, right: Floats) -> Array:
    X = _matrix(rows)
    kind = floats(rows.data if isinstance(rows, CSR) else rows).dtype
    return np.asarray(X @ right.astype(kind), dtype=kind)


def _squares(rows: Rows) -> Array:
    if isinstance(rows, CSR):
        return np.asarray(_matrix(rows).power(2).sum(axis=1))
    X = floats(rows)
    return np.asarray(np.einsum("ij,ij->i", X, X))


def _matrix(rows: Rows) -> Any:
    from rosenblatt.data.training_data import matrix_of  # noqa: PLC0415 (loads scipy)

    return matrix_of(rows)
