"""Non-linear referees on the same folds: the vote of neighbours, and boosted trees.

They learn from rows as a line does, encoded and scaled. They are slow: of many rows they learn from
a sample, and judge no more than one fold. Of thousands of sparse features, they are given the main
directions.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from rosenblatt.arrays import Ints
from rosenblatt.data.problem import matrix_of
from rosenblatt.data.storage import CSR, Rows, n_cols, rows_take
from rosenblatt.fitting.building import Built

BOOSTING = "gradient-boosting"
NEIGHBOURS = 11
FEWEST_ROWS, MOST_ROWS = 1_000, 20_000  # to learn from, and the latter to judge
MOST_WORK = 1 << 22  # rows × features × units that boosting learns from
WIDE = 2000  # sparse features
DIRECTIONS = 100


class Size(NamedTuple):
    """How many rows of a fold a referee learns from, of how many."""

    learns: int
    of: int

    @property
    def sampled(self) -> bool:
        """Whether it learns from a sample, and judges one fold only."""
        return self.learns < self.of

    def told(self, n_judged: int) -> str:
        """What was done to save time, if anything."""
        part = f"learned from {self.learns:,} of {self.of:,} rows"
        return f"{part}, judged by {n_judged:,} rows of one fold" if self.sampled else ""


def size_for(name: str, n_train: int, n_features: int, n_classes: int) -> Size:
    """How many of the rows of a fold a referee learns from."""
    units = 1 if n_classes == 2 else n_classes
    work = max(1, min(n_features, WIDE) * units)
    most = max(FEWEST_ROWS, MOST_WORK // work) if name == BOOSTING else MOST_ROWS
    return Size(min(n_train, most, MOST_ROWS), n_train)


def spread_out(n: int, wanted: int) -> Ints:
    """Numbers of rows from all parts of the data."""
    return np.linspace(0, n - 1, min(n, wanted)).astype(np.int64)


class Ready(NamedTuple):
    """Dense rows to learn from and to judge, and which of the fold's rows the latter are."""

    X: Any
    codes: Ints
    X_test: Any
    judged: Ints


def ready(train: Built, test: Built, size: Size) -> Ready:
    """Rows as referees take them."""
    chosen = spread_out(len(train.codes), size.learns)
    n_test = len(test.codes)
    judged = spread_out(n_test, MOST_ROWS if size.sampled else n_test)
    X, X_test = rows_take(train.rows, chosen), rows_take(test.rows, judged)
    if isinstance(X, CSR) and n_cols(X) > WIDE:
        X, X_test = _directions(X, X_test)
    return Ready(_dense(X), train.codes[chosen].astype(np.int64), _dense(X_test), judged)


def judged_by(name: str, rows: Ready) -> tuple[Ints, float]:
    """Decisions of a referee, and the seconds that it took to learn."""
    with threadpool_limits(1, user_api="openmp"):  # on a busy machine, threads wait for each other
        start = perf_counter()
        model = REFEREES[name](len(rows.codes)).fit(rows.X, rows.codes)
        seconds = perf_counter() - start
        return np.asarray(model.predict(rows.X_test), np.int64), seconds


def _neighbours(n_rows: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier  # noqa: PLC0415 (slow to import)

    return KNeighborsClassifier(min(NEIGHBOURS, n_rows))


def _boosting(_: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 (slow to import)

    return HistGradientBoostingClassifier(random_state=0)


REFEREES: dict[str, Callable[[int], Any]] = {
    "nearest-neighbours": _neighbours,
    BOOSTING: _boosting,
}


def _directions(X: CSR, X_test: Rows) -> tuple[Any, Any]:
    """The main directions of the features that come twice or more."""
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415 (slow to import)

    often = np.flatnonzero(np.bincount(X.indices, minlength=X.n_cols) > 1)
    svd = TruncatedSVD(min(DIRECTIONS, len(often)), random_state=0)
    return svd.fit_transform(matrix_of(X)[:, often]), svd.transform(matrix_of(X_test)[:, often])


def _dense(rows: Rows) -> Any:
    return matrix_of(rows).toarray() if isinstance(rows, CSR) else rows
