"""A map that was learned elsewhere."""

from typing import Self

from rosenblatt.csr import Rows
from rosenblatt.features.feature import Feature
from rosenblatt.maps.map import Map


class Mapped(Feature):
    """A map as a transformer: there is nothing left to learn from rows.

    Parameters
    ----------
    map : Map
        The map.
    """

    def __init__(self, map: Map) -> None:  # noqa: A002 (scikit-learn's parameters are attributes)
        self.map = map

    def fit_inputs(self) -> Self:
        """Be ready to transform, without any rows."""
        self.map_, self.n_features_in_ = self.map, self.map.n_inputs
        return self

    def _learn(self, rows: Rows) -> Map:
        del rows
        return self.map
