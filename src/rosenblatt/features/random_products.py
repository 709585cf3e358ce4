"""Products of pairs of features taken at random."""

from rosenblatt.csr import Rows
from rosenblatt.estimators import parameter_checks
from rosenblatt.features.feature import Feature, require_seed
from rosenblatt.maps.map import Map
from rosenblatt.maps.pairs import random_products


class RandomProducts(Feature):
    """The features, and products of pairs of them taken at random.

    Parameters
    ----------
    n_products : int, default=1000
        How many pairs; more of them begin with the same ones.
    random_state : int, default=0
        Which pairs.

    Attributes
    ----------
    map_ : Pairs
        What makes the features.
    n_features_in_ : int
        How many features it takes.
    feature_names_in_ : ndarray of str
        Their names, where X had some.

    Examples
    --------
    >>> from rosenblatt.features import RandomProducts
    >>> RandomProducts(2).fit_transform([[2.0, 3.0, 5.0]])
    array([[ 2.,  3.,  5., 15.,  6.]])
    """

    def __init__(self, n_products: int = 1000, *, random_state: int = 0) -> None:
        self.n_products = n_products
        self.random_state = random_state

    def _learn(self, rows: Rows) -> Map:
        parameter_checks.whole("n_products", self.n_products, least=0)
        seed = require_seed("random_state", self.random_state)
        return random_products(rows, int(self.n_products), seed=seed)
