"""Maps of images, which are rows of pixels in reading order."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from rosenblatt.csr import Rows
from rosenblatt.estimators import parameters
from rosenblatt.features.maps.feature_map import FeatureMap
from rosenblatt.features.maps.hog import NORMS, hog
from rosenblatt.features.maps.images import association_units, mark_i
from rosenblatt.features.transformers.base import FeatureTransformer, require_seed, require_shape


@dataclass(eq=False, repr=False)
class HOG(FeatureTransformer):
    """Histograms of oriented gradients: the edges in each part of an image.

    Defined as `skimage.feature.hog`, for flattened images in batches; `signed` and `soft` are
    additions. Features are float32.

    Parameters
    ----------
    image_shape : (int, int) or None, default=None
        Height and width of an image; None for square ones.
    orientations : int, default=9
        Number of bins of the angles from 0° to 180°.
    pixels_per_cell : (int, int), default=(8, 8)
        Height and width of a cell.
    cells_per_block : (int, int), default=(2, 2)
        Height and width of a block of cells, which are normalised together.
    block_norm : {"L2-Hys", "L2", "L1-sqrt", "L1"}, default="L2-Hys"
        Norm of a block.
    transform_sqrt : bool, default=False
        Whether to take the square root of every pixel first.
    signed : bool, default=False
        Whether to distinguish opposite gradients: twice as many bins, from 0° to 360°.
    soft : bool, default=False
        Whether to interpolate the vote of a pixel between the nearest orientations and cells, so
        that a small change of the image is a small change of the features.

    Attributes
    ----------
    map_ : Histograms
        The fitted map.
    n_features_in_ : int
        Number of pixels of an image.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    An image whose upper half is dark has one edge, and its gradient points down, at 90°.

    >>> import numpy as np
    >>> from rosenblatt.features import HOG
    >>> image = np.zeros((16, 16))
    >>> image[8:] = 1.0
    >>> hog = HOG(cells_per_block=(1, 1)).fit([image.ravel()])
    >>> features = hog.transform([image.ravel()])[0]
    >>> hog.get_feature_names_out()[features > 0.5].tolist()
    ['cell 0,0 at 90° in block 0,0', 'cell 0,1 at 90° in block 0,1',
     'cell 1,0 at 90° in block 1,0', 'cell 1,1 at 90° in block 1,1']
    """

    _preserved_dtypes = ()

    image_shape: Any = None
    orientations: int = 9
    pixels_per_cell: Any = (8, 8)
    cells_per_block: Any = (2, 2)
    _: KW_ONLY
    block_norm: str = "L2-Hys"
    transform_sqrt: bool = False
    signed: bool = False
    soft: bool = False

    def _fit_map(self, rows: Rows) -> FeatureMap:
        parameters.whole("orientations", self.orientations, least=1)
        parameters.one_of("block_norm", self.block_norm, NORMS)
        for name in ("transform_sqrt", "signed", "soft"):
            parameters.flag(name, getattr(self, name))
        return hog(
            rows,
            require_shape("pixels_per_cell", self.pixels_per_cell),
            block=require_shape("cells_per_block", self.cells_per_block),
            orientations=int(self.orientations),
            norm=self.block_norm,
            root=bool(self.transform_sqrt),
            signed=bool(self.signed),
            soft=bool(self.soft),
            shape=require_shape("image_shape", self.image_shape, optional=True),
        )


@dataclass(eq=False, repr=False)
class MarkI(FeatureTransformer):
    """An image as the Mark I perceptron saw it: 20 × 20 photocells.

    A photocell measures the mean brightness of its part of the image, from 0 to 1. Images may have
    any size. Features are dense and float32.

    Parameters
    ----------
    image_shape : (int, int) or None, default=None
        Height and width of an image; None for square ones.
    threshold : float, default=0.0
        If above 0, photocells that reach it are 1 and all others 0.
    white : float or None, default=None
        The pixel value that becomes 1; None is the largest one in `fit`.

    Attributes
    ----------
    map_ : Photocells
        The fitted map.
    n_features_in_ : int
        Number of pixels of an image.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.features import MarkI
    >>> image = np.arange(28 * 28, dtype=np.uint8).reshape(1, -1)
    >>> MarkI().fit_transform(image).shape
    (1, 400)
    >>> MarkI().fit(image).get_feature_names_out()[[0, 399]].tolist()
    ['photocell_0_0', 'photocell_19_19']
    """

    _preserved_dtypes = ()

    image_shape: Any = None
    _: KW_ONLY
    threshold: float = 0.0
    white: float | None = None

    def _fit_map(self, rows: Rows) -> FeatureMap:
        parameters.number("threshold", self.threshold, least=0, most=1)
        parameters.number("white", self.white, above=0, optional=True)
        return mark_i(
            rows,
            float(self.threshold),
            white=None if self.white is None else float(self.white),
            shape=require_shape("image_shape", self.image_shape, optional=True),
        )


@dataclass(eq=False, repr=False)
class AssociationUnits(FeatureTransformer):
    """Randomly connected units: 1 where the sum of a unit's inputs reaches its threshold, else 0.

    Half of a unit's connections are excitatory (+1), half inhibitory (−1). Features are dense and
    float32.

    Parameters
    ----------
    n_units : int, default=1000
        Number of units; a larger number starts with the same units.
    connections : int, default=10
        Number of input features of a unit.
    threshold : float or None, default=None
        Threshold of all units. None gives each unit its own: the sum it has for a random row.
    random_state : int, default=0
        Seed of the connections, and of the rows that thresholds are taken from.

    Attributes
    ----------
    map_ : Association
        The fitted map.
    n_features_in_ : int
        Number of input features.
    feature_names_in_ : ndarray of str
        Their names, if X had any.

    Examples
    --------
    XOR of two points is not linearly separable; the outputs of two random units are.

    >>> from rosenblatt import builtin, separability
    >>> from rosenblatt.features import AssociationUnits
    >>> xor = builtin("xor")
    >>> units = AssociationUnits(2, connections=2, threshold=0.5).fit(xor.X)
    >>> units.get_feature_names_out(["u", "v"]).tolist()
    ['u − v ≥ 0.5', 'v − u ≥ 0.5']
    >>> separability(units.transform(xor.X), xor.y).answer
    'separable'
    """

    _preserved_dtypes = ()

    n_units: int = 1000
    _: KW_ONLY
    connections: int = 10
    threshold: float | None = None
    random_state: int = 0

    def _fit_map(self, rows: Rows) -> FeatureMap:
        parameters.whole("n_units", self.n_units, least=1)
        parameters.whole("connections", self.connections, least=1)
        parameters.number("threshold", self.threshold, optional=True)
        return association_units(
            rows,
            int(self.n_units),
            connections=int(self.connections),
            threshold=None if self.threshold is None else float(self.threshold),
            seed=require_seed("random_state", self.random_state),
        )
