"""The random layer of Rosenblatt's perceptron."""

from rosenblatt.csr import Rows
from rosenblatt.estimators import parameter_checks
from rosenblatt.features.feature import Feature, require_seed
from rosenblatt.maps.association import association_units
from rosenblatt.maps.map import Map


class AssociationUnits(Feature):
    """Units wired at random to the features, each 1 where its sum reaches its threshold, else 0.

    Half of a unit's connections excite it and half inhibit it. Features are dense and float32.

    Parameters
    ----------
    n_units : int, default=1000
        How many units; more of them begin with the same ones.
    connections : int, default=10
        How many features a unit is wired to.
    threshold : float or None, default=None
        The threshold of all units. None gives each the sum it has for a row taken at random.
    random_state : int, default=0
        Which connections and rows.

    Attributes
    ----------
    map_ : Association
        What makes the features.
    n_features_in_ : int
        How many features it takes.
    feature_names_in_ : ndarray of str
        Their names, where X had some.

    Examples
    --------
    No line makes xor of two points of the retina; of what two random units see, one does.

    >>> from rosenblatt import builtin, separability
    >>> from rosenblatt.features import AssociationUnits
    >>> xor = builtin("xor")
    >>> units = AssociationUnits(2, connections=2, threshold=0.5).fit(xor.X)
    >>> units.get_feature_names_out(["u", "v"]).tolist()
    ['u − v ≥ 0.5', 'v − u ≥ 0.5']
    >>> separability(units.transform(xor.X), xor.y).answer
    'separable'
    """

    _keeps = ()

    def __init__(
        self,
        n_units: int = 1000,
        *,
        connections: int = 10,
        threshold: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.n_units = n_units
        self.connections = connections
        self.threshold = threshold
        self.random_state = random_state

    def _learn(self, rows: Rows) -> Map:
        parameter_checks.whole("n_units", self.n_units, least=1)
        parameter_checks.whole("connections", self.connections, least=1)
        parameter_checks.number("threshold", self.threshold, optional=True)
        return association_units(
            rows,
            int(self.n_units),
            connections=int(self.connections),
            threshold=None if self.threshold is None else float(self.threshold),
            seed=require_seed("random_state", self.random_state),
        )
