"""Maps of numeric features: products, powers, distances."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from rosenblatt.csr import Rows, n_cols
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.features.maps.distances import Distances, radial
from rosenblatt.features.maps.feature_map import FeatureMap
from rosenblatt.features.maps.polynomial import polynomial, products, random_products
from rosenblatt.features.transformers.base import FeatureTransformer, require_seed


@dataclass(eq=False, repr=False)
class Products(FeatureTransformer):
    """The features and the products of distinct ones: Φ(u, v) = (u, v, uv).

    Parameters
    ----------
    degree : int, default=2
        Maximum number of factors of a product.

    Attributes
    ----------
    map_ : Monomials
        The fitted map.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    XOR is not linearly separable; with the product of its inputs, it is.

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

    degree: int = 2

    def _fit_map(self, rows: Rows) -> FeatureMap:
        parameters.whole("degree", self.degree, least=1)
        return products(rows, int(self.degree))


@dataclass(eq=False, repr=False)
class Polynomial(FeatureTransformer):
    """The powers x, x², …, x^degree of every feature, or all products up to a degree.

    The constant 1 of the lecture's Φ(x) = (1, x, x², …) is the intercept of the model.

    Parameters
    ----------
    degree : int, default=2
        Maximum number of factors of a product. It is also the highest power.
    full : bool, default=False
        Whether to include the products of different features.

    Attributes
    ----------
    map_ : Powers or Monomials
        The fitted map.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    >>> from rosenblatt.features import Polynomial
    >>> Polynomial(3).fit_transform([[2.0, 10.0]])
    array([[   2.,   10.,    4.,  100.,    8., 1000.]])
    >>> Polynomial(2, full=True).fit([[2.0, 10.0]]).get_feature_names_out().tolist()
    ['x0', 'x1', 'x0²', 'x0 × x1', 'x1²']
    """

    degree: int = 2
    _: KW_ONLY
    full: bool = False

    def _fit_map(self, rows: Rows) -> FeatureMap:
        parameters.whole("degree", self.degree, least=1)
        parameters.flag("full", self.full)
        return polynomial(rows, int(self.degree), full=bool(self.full))


@dataclass(eq=False, repr=False)
class RandomProducts(FeatureTransformer):
    """The features, and the products of random pairs of them.

    Parameters
    ----------
    n_products : int, default=1000
        Number of pairs; a larger number starts with the same pairs.
    random_state : int, default=0
        Seed of the pairs.

    Attributes
    ----------
    map_ : Pairs
        The fitted map.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    >>> from rosenblatt.features import RandomProducts
    >>> RandomProducts(2).fit_transform([[2.0, 3.0, 5.0]])
    array([[ 2.,  3.,  5., 15.,  6.]])
    """

    n_products: int = 1000
    _: KW_ONLY
    random_state: int = 0

    def _fit_map(self, rows: Rows) -> FeatureMap:
        parameters.whole("n_products", self.n_products, least=0)
        seed = require_seed("random_state", self.random_state)
        return random_products(rows, int(self.n_products), seed=seed)


@dataclass(eq=False, repr=False)
class Radial(FeatureTransformer):
    """The features, and the distance to a centre, or to several.

    All features count equally in a distance: scale them first if their units differ.

    Parameters
    ----------
    centres : int or array-like of shape (n_centres, n_features), default=1
        The centres, or their number: 1 is the mean of all rows, more are the centres of k-means.
    random_state : int, default=0
        Seed of the initial centres.

    Attributes
    ----------
    map_ : Distances
        The fitted map.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    No line separates a ring from the one inside it; the distance to their centre does.

    >>> from rosenblatt import builtin, separability
    >>> from rosenblatt.features import Radial
    >>> rings = builtin("rings")
    >>> separability(rings.X, rings.y).answer
    'inseparable'
    >>> separability(Radial().fit_transform(rings.X), rings.y).answer
    'separable'
    """

    centres: Any = 1
    _: KW_ONLY
    random_state: int = 0

    def _fit_map(self, rows: Rows) -> FeatureMap:
        seed = require_seed("random_state", self.random_state)
        if np.ndim(self.centres) == 0:
            parameters.whole("centres", self.centres, least=1)
            return radial(rows, int(self.centres), seed=seed)
        given = np.array(self.centres, np.float64)
        if given.ndim != 2 or given.shape[1] != n_cols(rows) or not np.isfinite(given).all():
            raise ParameterError(
                f"centres must be a number, or finite rows of {n_cols(rows):,} features; got an"
                f" array of shape {given.shape}."
            )
        return Distances(given)
