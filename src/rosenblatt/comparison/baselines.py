"""Non-linear baselines on the same folds: nearest neighbours and gradient boosting.

They are trained on the same rows as linear rules, encoded and scaled. They are slow: of many rows
they are trained on a sample, and evaluated on one fold. Thousands of sparse features are projected
on their principal components.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from rosenblatt.csr import CSR, Rows, n_cols, rows_take
from rosenblatt.data.training_data import matrix_of
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.types import Ints

BOOSTING = "gradient-boosting"
NEIGHBOURS = 11
MIN_SAMPLE_ROWS, MAX_SAMPLE_ROWS = 1_000, 20_000  # to train on, and the latter to evaluate on
MAX_BOOSTING_WORK = 1 << 22  # rows × features × outputs that boosting is trained on
MAX_SPARSE_FEATURES = 2000  # more are projected
N_COMPONENTS = 100


class SampleSize(NamedTuple):
    """How many rows of a fold a baseline is trained on, of how many."""

    n_train: int
    of: int

    @property
    def sampled(self) -> bool:
        """Whether it is trained on a sample, and evaluated on one fold only."""
        return self.n_train < self.of

    def note(self, n_evaluated: int) -> str:
        """Which sample was taken to save time, if any."""
        part = f"trained on {self.n_train:,} of {self.of:,} rows"
        return f"{part}, evaluated on {n_evaluated:,} rows of one fold" if self.sampled else ""


def sample_size(name: str, n_train: int, n_features: int, n_classes: int) -> SampleSize:
    """How many of the rows of a fold a baseline is trained on."""
    n_outputs = 1 if n_classes == 2 else n_classes
    work = max(1, min(n_features, MAX_SPARSE_FEATURES) * n_outputs)
    most = max(MIN_SAMPLE_ROWS, MAX_BOOSTING_WORK // work) if name == BOOSTING else MAX_SAMPLE_ROWS
    return SampleSize(min(n_train, most, MAX_SAMPLE_ROWS), n_train)


def evenly_spaced(n: int, wanted: int) -> Ints:
    """Evenly spaced row numbers."""
    return np.linspace(0, n - 1, min(n, wanted)).astype(np.int64)


class BaselineData(NamedTuple):
    """Dense training and test rows, and which of the fold's rows the latter are."""

    X: Any
    codes: Ints
    X_test: Any
    evaluated: Ints


def baseline_data(train: EncodedData, test: EncodedData, size: SampleSize) -> BaselineData:
    """The rows of a fold as the baselines take them."""
    chosen = evenly_spaced(len(train.codes), size.n_train)
    n_test = len(test.codes)
    evaluated = evenly_spaced(n_test, MAX_SAMPLE_ROWS if size.sampled else n_test)
    X, X_test = rows_take(train.rows, chosen), rows_take(test.rows, evaluated)
    if isinstance(X, CSR) and n_cols(X) > MAX_SPARSE_FEATURES:
        X, X_test = _principal_components(X, X_test)
    return BaselineData(_dense(X), train.codes[chosen].astype(np.int64), _dense(X_test), evaluated)


def fit_predict(name: str, rows: BaselineData) -> tuple[Ints, float]:
    """Predictions of a baseline, and its fit time in seconds."""
    with threadpool_limits(1, user_api="openmp"):  # threads wait for each other if busy
        start = perf_counter()
        model = NONLINEAR_BASELINES[name](len(rows.codes)).fit(rows.X, rows.codes)
        seconds = perf_counter() - start
        return np.asarray(model.predict(rows.X_test), np.int64), seconds


def _neighbours(n_rows: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier  # noqa: PLC0415 (slow to import)

    return KNeighborsClassifier(min(NEIGHBOURS, n_rows))


def _boosting(_: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 (slow to import)

    return HistGradientBoostingClassifier(random_state=0)


NONLINEAR_BASELINES: dict[str, Callable[[int], Any]] = {
    "nearest-neighbours": _neighbours,
    BOOSTING: _boosting,
}


def _principal_components(X: CSR, X_test: Rows) -> tuple[Any, Any]:
    """Principal components (not centred) of the features that occur at least twice."""
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415 (slow to import)

    often = np.flatnonzero(np.bincount(X.indices, minlength=X.n_cols) > 1)
    svd = TruncatedSVD(min(N_COMPONENTS, len(often)), random_state=0)
    return svd.fit_transform(matrix_of(X)[:, often]), svd.transform(matrix_of(X_test)[:, often])


def _dense(rows: Rows) -> Any:
    return matrix_of(rows).toarray() if isinstance(rows, CSR) else rows
