"""Feature maps as scikit-learn transformers, loaded when they are first used.

`maps` has the maps themselves, as plain records that commands and model files use without
scikit-learn; `transformers` wraps them for scikit-learn's pipelines.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.features.transformers.images import HOG, AssociationUnits, MarkI
    from rosenblatt.features.transformers.ngrams import NGrams
    from rosenblatt.features.transformers.numeric import (
        Polynomial,
        Products,
        Radial,
        RandomProducts,
    )

_HOMES = {
    "HOG": "images",
    "AssociationUnits": "images",
    "MarkI": "images",
    "NGrams": "ngrams",
    "Polynomial": "numeric",
    "Products": "numeric",
    "Radial": "numeric",
    "RandomProducts": "numeric",
}

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt.features' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.features.transformers.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
