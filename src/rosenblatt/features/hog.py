"""Histograms of oriented gradients."""

from typing import Any

from rosenblatt.csr import Rows
from rosenblatt.estimators import parameter_checks
from rosenblatt.features.feature import Feature, require_sides
from rosenblatt.maps.hog import NORMS, hog
from rosenblatt.maps.map import Map


class HOG(Feature):
    """Which edges there are in each part of an image: histograms of oriented gradients.

    Defined as `skimage.feature.hog` is, for flattened images in batches; `signed` and `soft` go
    beyond it. Features are float32.

    Parameters
    ----------
    image_shape : (int, int) or None, default=None
        Height and width of an image; None for square ones.
    orientations : int, default=9
        Bins of the angles from 0° to 180°.
    pixels_per_cell : (int, int), default=(8, 8)
        Height and width of a cell.
    cells_per_block : (int, int), default=(2, 2)
        Height and width of a block of cells, which are brought to the same length.
    block_norm : {"L2-Hys", "L2", "L1-sqrt", "L1"}, default="L2-Hys"
        What that length is.
    transform_sqrt : bool, default=False
        Whether to take the square root of every pixel first.
    signed : bool, default=False
        Whether opposite gradients differ: twice as many bins, from 0° to 360°.
    soft : bool, default=False
        Whether a pixel's vote is shared between the nearest orientations and cells, so that a small
        change of the image is a small change of the features.

    Attributes
    ----------
    map_ : Histograms
        What makes the features.
    n_features_in_ : int
        How many pixels an image has.
    feature_names_in_ : ndarray of str
        Their names, where X had some.

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

    _keeps = ()

    def __init__(
        self,
        image_shape: Any = None,
        orientations: int = 9,
        pixels_per_cell: Any = (8, 8),
        cells_per_block: Any = (2, 2),
        *,
        block_norm: str = "L2-Hys",
        transform_sqrt: bool = False,
        signed: bool = False,
        soft: bool = False,
    ) -> None:
        self.image_shape = image_shape
        self.orientations = orientations
        self.pixels_per_cell = pixels_per_cell
        self.cells_per_block = cells_per_block
        self.block_norm = block_norm
        self.transform_sqrt = transform_sqrt
        self.signed = signed
        self.soft = soft

    def _learn(self, rows: Rows) -> Map:
        parameter_checks.whole("orientations", self.orientations, least=1)
        parameter_checks.one_of("block_norm", self.block_norm, NORMS)
        for name in ("transform_sqrt", "signed", "soft"):
            parameter_checks.flag(name, getattr(self, name))
        return hog(
            rows,
            require_sides("pixels_per_cell", self.pixels_per_cell),
            block=require_sides("cells_per_block", self.cells_per_block),
            orientations=int(self.orientations),
            norm=self.block_norm,
            root=bool(self.transform_sqrt),
            signed=bool(self.signed),
            soft=bool(self.soft),
            shape=require_sides("image_shape", self.image_shape, optional=True),
        )
