"""The data on the page: rows with classes, from a name, a file or the mouse, and their features."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.data.validation import require_finite, rows_of
from rosenblatt.datasets.builtin import Dataset, builtin
from rosenblatt.errors import DataError
from rosenblatt.features.maps.distances import radial
from rosenblatt.features.maps.feature_map import FeatureMap
from rosenblatt.features.maps.polynomial import polynomial, products
from rosenblatt.lab.state import BUILT_IN, DRAWN, MOST_POINTS, PLANE_CLASSES, Point, Setup, rounded
from rosenblatt.preprocess.scaling import Scaling
from rosenblatt.types import Array, Floats, Ints

MOST_ENTRIES = 50_000_000  # rows times features: what the page holds in memory
MOST_FEATURES = 2000
MOST_CLASSES = 30
DRAWN_NAMES = ("x1", "x2")


@dataclass(frozen=True, eq=False)
class LabDataset:
    """Rows, the class of each, and what they are called."""

    name: str
    X: Floats
    codes: Ints
    classes: tuple[str, ...]
    feature_names: tuple[str, ...]
    marks: tuple[int, ...]  # which colour and shape each class has
    description: str = ""
    scaled: bool = False
    lift: FeatureMap | None = None
    Z: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # the features of the rows

    @property
    def flat(self) -> bool:
        """Whether the rows lie in the plane as they are."""
        return bool(self.X.shape[1] == 2)

    @property
    def editable(self) -> bool:
        """Whether its points can be drawn, dragged and deleted."""
        few = len(self.X) <= MOST_POINTS and len(self.classes) <= PLANE_CLASSES
        return few and self.flat and not self.scaled

    @property
    def labels(self) -> Array:
        """The class of each row by its name."""
        return np.array(self.classes)[self.codes]

    def points(self) -> list[Point]:
        """The rows as points that can be drawn."""
        return [
            Point(rounded(x), rounded(y), self.marks[code])
            for (x, y), code in zip(self.X.tolist(), self.codes.tolist(), strict=True)
        ]

    def lifted(self, X: Floats) -> Floats:
        """Features of some rows."""
        return X if self.lift is None else np.asarray(self.lift.transform(X))

    def lifted_names(self) -> tuple[str, ...]:
        """Names of the features a line is drawn in."""
        return (
            self.feature_names if self.lift is None else self.lift.feature_names(self.feature_names)
        )


def dataset_of(setup: Setup, opened: Dataset | None) -> LabDataset:
    """The data that are set up, with their features; `opened` are those of a file."""
    if setup.data == DRAWN:
        return _with_features(_drawn(setup.points), setup)  # where they were drawn
    data = builtin(setup.data.removeprefix(BUILT_IN)) if setup.data.startswith(BUILT_IN) else opened
    if data is None:
        raise DataError(
            "The address speaks of a file, and files are not part of an address: open it again."
        )
    dataset = _read(data)
    return _with_features(_scaled(dataset) if setup.scaled else dataset, setup)


def _drawn(points: tuple[Point, ...]) -> LabDataset:
    X = np.array([(p.x, p.y) for p in points]).reshape(-1, 2)
    present = sorted({p.label for p in points})
    codes = np.array([present.index(p.label) for p in points], np.int64)
    classes = tuple(str(label + 1) for label in present)
    return LabDataset("Drawn points", X, codes, classes, DRAWN_NAMES, tuple(present))


def _read(data: Dataset) -> LabDataset:
    n, d = data.X.shape
    if d > MOST_FEATURES or n * d > MOST_ENTRIES:
        raise DataError(
            f"{data.name} has {n:,} rows of {d:,} features; the page takes up to {MOST_FEATURES:,}"
            f" features and {MOST_ENTRIES:,} numbers. `rosenblatt fit` takes any."
        )
    found, codes = np.unique(data.y, return_inverse=True)
    if len(found) > MOST_CLASSES:
        raise DataError(
            f"{data.name} has {len(found):,} classes in its target; the page takes up to"
            f" {MOST_CLASSES}. Choose another column to predict."
        )
    X: Any = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    dense = np.ascontiguousarray(X, np.float64)
    require_finite(rows_of(dense))
    classes = tuple(str(label) for label in found)
    names = data.feature_names
    about = data.description if data.description != data.name else ""
    marks = tuple(range(len(classes)))
    return LabDataset(data.name, dense, codes.astype(np.int64), classes, names, marks, about)


def _scaled(dataset: LabDataset) -> LabDataset:
    """Columns brought to mean 0 and deviation 1; what is 0 or 1 stays."""
    X = dataset.X.copy()
    spread, bits = X.std(axis=0), ((X == 0) | (X == 1)).all(axis=0)
    shift = np.where(bits, 0.0, X.mean(axis=0))
    Scaling(shift, 1 / np.where(bits | (spread == 0), 1.0, spread)).apply(X)
    return replace(dataset, X=X, scaled=True)


def _with_features(dataset: LabDataset, setup: Setup) -> LabDataset:
    lift = None
    if len(dataset.X) and setup.features != "none":
        lift = _LIFTS[setup.features](dataset.X, setup.degree)
        if lift.n_outputs > MOST_FEATURES or lift.n_outputs * len(dataset.X) > MOST_ENTRIES:
            raise DataError(
                f"{setup.features} would make {lift.n_outputs:,} features of"
                f" {dataset.X.shape[1]:,}; the page takes up to {MOST_FEATURES:,}. Choose fewer"
                " columns or a lower degree."
            )
    Z = dataset.X if lift is None else np.ascontiguousarray(lift.transform(dataset.X), np.float64)
    return replace(dataset, lift=lift, Z=Z)


_LIFTS: dict[str, Any] = {
    "products": lambda X, degree: products(X, min(degree, X.shape[1])),
    "polynomial": lambda X, degree: polynomial(X, degree, full=True),
    "radial": lambda X, _: radial(X),
}
