"""Powers of features, or all products up to a degree."""

from rosenblatt.csr import Rows
from rosenblatt.estimators import parameter_checks
from rosenblatt.features.feature import Feature
from rosenblatt.maps.map import Map
from rosenblatt.maps.powers import polynomial


class Polynomial(Feature):
    """The powers x, x², …, x^degree of every feature, or all products up to a degree.

    The constant 1 of the lecture's Φ(x) = (1, x, x², …) is the bias of the line.

    Parameters
    ----------
    degree : int, default=2
        Highest power, or most factors of a product.
    full : bool, default=False
        Whether products of different features are among them.

    Attributes
    ----------
    map_ : Powers or Monomials
        What makes the features.
    n_features_in_ : int
        How many features it takes.
    feature_names_in_ : ndarray of str
        Their names, where X had some.

    Examples
    --------
    >>> from rosenblatt.features import Polynomial
    >>> Polynomial(3).fit_transform([[2.0, 10.0]])
    array([[   2.,   10.,    4.,  100.,    8., 1000.]])
    >>> Polynomial(2, full=True).fit([[2.0, 10.0]]).get_feature_names_out().tolist()
    ['x0', 'x1', 'x0²', 'x0 × x1', 'x1²']
    """

    def __init__(self, degree: int = 2, *, full: bool = False) -> None:
        self.degree = degree
        self.full = full

    def _learn(self, rows: Rows) -> Map:
        parameter_checks.whole("degree", self.degree, least=1)
        parameter_checks.flag("full", self.full)
        return polynomial(rows, int(self.degree), full=bool(self.full))
