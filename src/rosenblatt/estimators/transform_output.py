"""What `transform` gives back, in the container that scikit-learn was asked for.

`set_output(transform="pandas")` and `sklearn.set_config(transform_output=…)` are kept by
scikit-learn itself, which is loaded only where one of them may have been used.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.types import Array, Floats

CONFIG = "_sklearn_output_config"  # where scikit-learn's `clone` looks for it


def configure(estimator: Any, transform: str | None) -> None:
    """Remember the container asked for; None leaves it as it was."""
    if transform is not None:
        setattr(estimator, CONFIG, {"transform": transform})


def projected(
    estimator: Any, X: Any, project: Callable[[Any], Floats], names: Callable[[], Array]
) -> Any:
    """The projections of X, in the container that the estimator or scikit-learn is set to."""
    config = vars(estimator).get(CONFIG)
    if config is None and "sklearn" not in sys.modules:
        return project(X)
    from sklearn.base import TransformerMixin  # noqa: PLC0415 (slow to import)

    class Projection(TransformerMixin):
        def get_feature_names_out(self, input_features: Any = None) -> Array:
            del input_features
            return names()

        def transform(self, X: Any) -> Floats:
            return project(X)

    return Projection().set_output(**config or {}).transform(X)


def numbered_names(estimator: Any, n: int) -> Array:
    """Names of n features made by an estimator: its own name in small letters, and a number."""
    return np.array([f"{type(estimator).__name__.lower()}{k}" for k in range(n)], object)
