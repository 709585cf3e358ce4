"""Feature design: maps as scikit-learn transformers, with names for what they make."""

from rosenblatt.features.association_units import AssociationUnits
from rosenblatt.features.hog import HOG
from rosenblatt.features.mark_i import MarkI
from rosenblatt.features.ngrams import NGrams
from rosenblatt.features.polynomial import Polynomial
from rosenblatt.features.products import Products
from rosenblatt.features.radial import Radial
from rosenblatt.features.random_products import RandomProducts

__all__ = [
    "HOG",
    "AssociationUnits",
    "MarkI",
    "NGrams",
    "Polynomial",
    "Products",
    "Radial",
    "RandomProducts",
]
