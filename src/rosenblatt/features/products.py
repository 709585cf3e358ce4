"""Features and the products of different ones."""

from rosenblatt.csr import Rows
from rosenblatt.estimators import parameter_checks
from rosenblatt.features.feature import Feature
from rosenblatt.maps.map import Map
from rosenblatt.maps.monomials import products


class Products(Feature):
    """The features and the products of different ones: Φ(u, v) = (u, v, uv).

    Parameters
    ----------
    degree : int, default=2
        Most factors of a product.

    Attributes
    ----------
    map_ : Monomials
        What makes the features.
    n_features_in_ : int
        How many features it takes.
    feature_names_in_ : ndarray of str
        Their names, where X had some.

    Examples
    --------
    No line makes xor; with the product, one does.

    >>> from rosenblatt import builtin, separability
    >>> from rosenblatt.features import Products
    >>> xor = builtin("xor")
    >>> separability(xor.X, xor.y).answer
    'inseparable'
    >>> separability(Products().fit_transform(xor.X), xor.y).answer
    'separable'
    >>> Products().fit(xor.X).get_feature_names_out(["u", "v"]).tolist()
    ['u', 'v', 'u × v']
    """

    def __init__(self, degree: int = 2) -> None:
        self.degree = degree

    def _learn(self, rows: Rows) -> Map:
        parameter_checks.whole("degree", self.degree, least=1)
        return products(rows, int(self.degree))
