"""Second-order online classifiers, with a covariance of the weights: AROW and its relatives."""

import numpy as np

from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.online_base import OnlineClassifier
from rosenblatt.online.second_order import covariance_of, identity_roots
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.stopping import Stop, after_one_epoch
from rosenblatt.types import Floats

MAX_FULL_FEATURES = (
    256  # features for which "auto" keeps whole matrices: an update costs their square
)
MAX_BYTES = 4 * 2**30  # of covariances


class SecondOrderClassifier(OnlineClassifier):
    """A linear classifier with a covariance of its weights. Subclasses name their update rule."""

    covariance: str

    @property
    def covariance_kind_(self) -> str:
        """Whether the covariance is kept "full" or as its "diagonal" only."""
        self._weights()
        return _kind(self._stream.state)

    @property
    def covariance_(self) -> Floats:
        """Covariance of the weights (w, b) of each output: a matrix, or the diagonal of one."""
        self._weights()
        return covariance_of(self._stream.state)

    def _check(self) -> None:
        super()._check()
        parameter_checks.one_of("covariance", self.covariance, ("auto", "full", "diagonal"))

    def _wanted_kind(self) -> str:
        if self.covariance == "auto":
            return "full" if self.n_features_in_ <= MAX_FULL_FEATURES else "diagonal"
        return self.covariance

    def _state_from(self, W: Floats, n_classes: int) -> OptimiserState:
        kind = self._wanted_kind()
        if kind == "full":
            _check_size(*W.shape)
        return (
            super()
            ._state_from(W, n_classes)
            ._replace(aux=identity_roots(*W.shape, full=kind == "full"))
        )

    def _check_stream_settings(self) -> None:
        super()._check_stream_settings()
        began = _kind(self._stream.state)
        if began != self._wanted_kind():
            raise ParameterError(
                f"covariance={self.covariance!r} cannot be asked of a stream that began with a"
                f" {began} one. Use a new estimator."
            )

    def _stopping_criteria(self, *, with_validation: bool) -> list[Stop]:
        if self.max_iter == 1:
            return [self._convergence_criterion(), after_one_epoch]
        return super()._stopping_criteria(with_validation=with_validation)


def _kind(state: OptimiserState) -> str:
    return "diagonal" if len(state.aux) == len(state.W) else "full"


def _check_size(n_units: int, n_weights: int) -> None:
    """Refuse matrices that are too large to keep, before they are made."""
    size = n_units * n_weights**2 * np.dtype(np.float64).itemsize
    if size > MAX_BYTES:
        matrices = "a matrix" if n_units == 1 else f"{n_units:,} matrices"
        raise ParameterError(
            f"covariance='full' would keep {matrices} of {n_weights:,} × {n_weights:,} numbers,"
            f" {size / 2**30:,.1f} GiB, where at most {MAX_BYTES / 2**30:g} GiB are taken."
            " Use covariance='diagonal'."
        )
