"""The photocells of the Mark I perceptron."""

from typing import Any

from rosenblatt.csr import Rows
from rosenblatt.estimators import parameter_checks
from rosenblatt.features.feature import Feature, require_sides
from rosenblatt.maps.map import Map
from rosenblatt.maps.photocells import mark_i


class MarkI(Feature):
    """An image as the Mark I perceptron saw it: 20 × 20 photocells.

    A photocell gives the mean brightness of its part of the image, from 0 to 1. Images may have any
    size; features are dense and float32.

    Parameters
    ----------
    image_shape : (int, int) or None, default=None
        Height and width of an image; None for square ones.
    threshold : float, default=0.0
        Where it is above 0, photocells that reach it give 1 and all others 0.
    white : float or None, default=None
        The pixel that gives 1; None for the brightest one in `fit`.

    Attributes
    ----------
    map_ : Photocells
        What makes the features.
    n_features_in_ : int
        How many pixels an image has.
    feature_names_in_ : ndarray of str
        Their names, where X had some.

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

    _keeps = ()

    def __init__(
        self, image_shape: Any = None, *, threshold: float = 0.0, white: float | None = None
    ) -> None:
        self.image_shape = image_shape
        self.threshold = threshold
        self.white = white

    def _learn(self, rows: Rows) -> Map:
        parameter_checks.number("threshold", self.threshold, least=0, most=1)
        parameter_checks.number("white", self.white, above=0, optional=True)
        return mark_i(
            rows,
            float(self.threshold),
            white=None if self.white is None else float(self.white),
            shape=require_sides("image_shape", self.image_shape, optional=True),
        )
