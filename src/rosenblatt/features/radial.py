"""The distance to a centre."""

from typing import Any

import numpy as np

from rosenblatt.csr import Rows, n_cols
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameter_checks
from rosenblatt.features.feature import Feature, require_seed
from rosenblatt.maps.distances import Distances, radial
from rosenblatt.maps.map import Map


class Radial(Feature):
    """The features, and the distance to a centre, or to several.

    Distances take all features alike: scale them first where they are measured in different units.

    Parameters
    ----------
    centres : int or array-like of shape (n_centres, n_features), default=1
        The centres, or how many: 1 is the mean of all rows, more are the means of as many groups
        (k-means).
    random_state : int, default=0
        Which rows the groups start from.

    Attributes
    ----------
    map_ : Distances
        What makes the features.
    n_features_in_ : int
        How many features it takes.
    feature_names_in_ : ndarray of str
        Their names, where X had some.

    Examples
    --------
    No line separates a ring from the one inside it; the distance to their middle does.

    >>> from rosenblatt import builtin, separability
    >>> from rosenblatt.features import Radial
    >>> rings = builtin("rings")
    >>> separability(rings.X, rings.y).answer
    'inseparable'
    >>> separability(Radial().fit_transform(rings.X), rings.y).answer
    'separable'
    """

    def __init__(self, centres: Any = 1, *, random_state: int = 0) -> None:
        self.centres = centres
        self.random_state = random_state

    def _learn(self, rows: Rows) -> Map:
        seed = require_seed("random_state", self.random_state)
        if np.ndim(self.centres) == 0:
            parameter_checks.whole("centres", self.centres, least=1)
            return radial(rows, int(self.centres), seed=seed)
        given = np.array(self.centres, np.float64)
        if given.ndim != 2 or given.shape[1] != n_cols(rows) or not np.isfinite(given).all():
            raise ParameterError(
                f"centres must be a number, or finite rows of {n_cols(rows):,} features; got an"
                f" array of shape {given.shape}."
            )
        return Distances(given)
