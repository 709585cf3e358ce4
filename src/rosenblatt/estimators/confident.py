"""Estimators that know how sure they are of each weight, and learn the more where they are not."""

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import checks
from rosenblatt.estimators.online import OnlineClassifier
from rosenblatt.solvers.confident import covariance_of, unsure
from rosenblatt.solvers.memory import Memory
from rosenblatt.solvers.run import Stop, one_pass

WIDEST = 256  # features for which "auto" keeps whole matrices: an update costs their square
MOST_BYTES = 4 * 2**30  # of covariances


class ConfidentClassifier(OnlineClassifier):
    """A line with a covariance of its weights. Subclasses name their rule and its parameter."""

    covariance: str

    @property
    def covariance_kind_(self) -> str:
        """Whether the covariance is kept "full" or as its "diagonal" only."""
        self._weights()
        return _kind(self._stream.memory)

    @property
    def covariance_(self) -> Floats:
        """Covariance of the weights (w, b) of each unit: a matrix, or the diagonal of one."""
        self._weights()
        return covariance_of(self._stream.memory)

    def _check(self) -> None:
        super()._check()
        checks.one_of("covariance", self.covariance, ("auto", "full", "diagonal"))

    def _wanted_kind(self) -> str:
        if self.covariance == "auto":
            return "full" if self.n_features_in_ <= WIDEST else "diagonal"
        return self.covariance

    def _memory(self, W: Floats, n_classes: int) -> Memory:
        kind = self._wanted_kind()
        if kind == "full":
            _check_size(*W.shape)
        return super()._memory(W, n_classes)._replace(beside=unsure(*W.shape, full=kind == "full"))

    def _check_going_on(self) -> None:
        super()._check_going_on()
        began = _kind(self._stream.memory)
        if began != self._wanted_kind():
            raise ParameterError(
                f"covariance={self.covariance!r} cannot be asked of a stream that began with a"
                f" {began} one. Use a new estimator."
            )

    def _stops(self, *, judged: bool) -> list[Stop]:
        if self.max_iter == 1:
            return [self._at_rest(), one_pass]
        return super()._stops(judged=judged)


def _kind(memory: Memory) -> str:
    return "diagonal" if len(memory.beside) == len(memory.W) else "full"


def _check_size(n_units: int, n_weights: int) -> None:
    """Refuse matrices that are too large to keep, before they are made."""
    size = n_units * n_weights**2 * np.dtype(np.float64).itemsize
    if size > MOST_BYTES:
        matrices = "a matrix" if n_units == 1 else f"{n_units:,} matrices"
        raise ParameterError(
            f"covariance='full' would keep {matrices} of {n_weights:,} × {n_weights:,} numbers,"
            f" {size / 2**30:,.1f} GiB, where at most {MOST_BYTES / 2**30:g} GiB are taken."
            " Use covariance='diagonal'."
        )
