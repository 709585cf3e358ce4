"""Maps whose inner products approximate a Gaussian kernel exp(−γ|x − x'|²)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, n_rows, rows_take
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.feature_map import as_floats
from rosenblatt.types import Array, Floats

MAX_SAMPLE_ROWS = 10_000  # that γ and the landmarks are fitted to


@dataclass(frozen=True, eq=False)
class Fourier:
    """Random Fourier features √(2/m) cos(x·w + φ)."""

    directions: Floats
    phases: Floats

    def __post_init__(self) -> None:
        if self.directions.ndim != 2 or self.phases.shape != self.directions.shape[1:]:
            raise ValueError("phases must hold one number per column of directions")

    @property
    def n_inputs(self) -> int:
        """Number of input features."""
        return len(self.directions)

    @property
    def n_outputs(self) -> int:
        """Number of output features."""
        return len(self.phases)

    def transform(self, rows: Rows) -> Rows:
        """The waves at some rows."""
        waves = _product(rows, self.directions)
        waves += self.phases
        np.cos(waves, out=waves)
        waves *= np.sqrt(2.0 / self.n_outputs)
        return waves

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Waves by number: each depends on all features."""
        del names
        return tuple(f"wave {k + 1}" for k in range(self.n_outputs))


@dataclass(frozen=True, eq=False)
class Nystroem:
    """Nyström features: the kernel between a row and some training rows, whitened."""

    landmarks: Floats
    whitening: Floats
    gamma: float

    def __post_init__(self) -> None:
        if self.landmarks.ndim != 2 or self.whitening.shape != (len(self.landmarks),) * 2:
            raise ValueError("whitening must be square, with one row a landmark")
        if not self.gamma > 0:
            raise ValueError("gamma must be positive")

    @property
    def n_inputs(self) -> int:
        """Number of input features."""
        return int(self.landmarks.shape[1])

    @property
    def n_outputs(self) -> int:
        """Number of output features."""
        return len(self.landmarks)

    def transform(self, rows: Rows) -> Rows:
        """The kernel between some rows and the landmarks, times the whitening matrix."""
        kernel = _product(rows, self.landmarks.T)
        kernel *= -2.0
        kernel += _squared_norms(rows)[:, None]
        kernel += np.einsum("ij,ij->i", self.landmarks, self.landmarks)
        np.maximum(kernel, 0.0, out=kernel)
        kernel *= -self.gamma
        np.exp(kernel, out=kernel)
        return np.asarray(kernel @ self.whitening.T.astype(kernel.dtype))

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Landmarks by number."""
        del names
        return tuple(f"nearness to landmark {k + 1}" for k in range(self.n_outputs))


def fourier(rows: Rows, n: int = 1000, *, gamma: float | None = None, seed: int = 0) -> Fourier:
    """Random waves as scikit-learn draws them; γ is 1 / (features × variance) by default."""
    from sklearn.kernel_approximation import RBFSampler  # noqa: PLC0415 (slow to import)

    if n < 1:
        raise ParameterError(f"n must be an integer of at least 1; got {n!r}.")
    sample = _sample(rows, seed)
    gamma = gamma or _default_gamma(sample)
    fitted = RBFSampler(gamma=gamma, n_components=n, random_state=seed).fit(sample)
    return Fourier(
        np.asarray(fitted.random_weights_, np.float64),
        np.asarray(fitted.random_offset_, np.float64),
    )


def nystroem(rows: Rows, n: int = 300, *, gamma: float | None = None, seed: int = 0) -> Nystroem:
    """Landmarks as scikit-learn draws them from the training rows; the model holds these rows."""
    from sklearn import kernel_approximation  # noqa: PLC0415 (slow to import)

    sample = _sample(rows, seed)
    if not 1 <= n <= len(sample):
        raise ParameterError(f"n must be a number of rows from 1 to {len(sample):,}; got {n!r}.")
    gamma = gamma or _default_gamma(sample)
    estimator = kernel_approximation.Nystroem(gamma=gamma, n_components=n, random_state=seed)
    fitted = estimator.fit(sample)
    return Nystroem(
        np.asarray(fitted.components_, np.float64),
        np.asarray(fitted.normalization_, np.float64),
        float(gamma),
    )


def _sample(rows: Rows, seed: int) -> Array:
    """The rows, dense; a random sample of them if there are many."""
    order = np.random.default_rng(seed).permutation(n_rows(rows))[:MAX_SAMPLE_ROWS]
    sample = _matrix(rows_take(rows, np.sort(order)))
    return np.asarray(sample.toarray() if isinstance(rows, CSR) else sample)


def _default_gamma(sample: Array) -> float:
    variance = float(sample.var())
    return 1.0 / (sample.shape[1] * variance) if variance > 0 else 1.0


def _product(rows: Rows, right: Floats) -> Array:
    X = _matrix(rows)
    dtype = as_floats(rows.data if isinstance(rows, CSR) else rows).dtype
    return np.asarray(X @ right.astype(dtype), dtype=dtype)


def _squared_norms(rows: Rows) -> Array:
    if isinstance(rows, CSR):
        return np.asarray(_matrix(rows).power(2).sum(axis=1))
    X = as_floats(rows)
    return np.asarray(np.einsum("ij,ij->i", X, X))


def _matrix(rows: Rows) -> Any:
    from rosenblatt.data.training_data import matrix_of  # noqa: PLC0415 (loads scipy)

    return matrix_of(rows)
