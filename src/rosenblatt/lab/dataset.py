"""The data on the page: samples built in, from a file or drawn, and their features.

A file that the page opens, or an upload, is read once, and read again with another target.
"""

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.validation import require_finite, rows_of
from rosenblatt.datasets.builtin import Dataset, builtin
from rosenblatt.errors import DataError, SourceError
from rosenblatt.features.maps.distances import radial
from rosenblatt.features.maps.feature_map import FeatureMap
from rosenblatt.features.maps.polynomial import polynomial, products
from rosenblatt.io.chunks import CachedSource, Source, Table
from rosenblatt.io.formats import open_source
from rosenblatt.lab.state import BUILT_IN, DRAWN, MAX_POINTS, PLANE_CLASSES, Point, Setup, rounded
from rosenblatt.pipeline.read_dataset import read_rows
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.transformer import Scaling
from rosenblatt.types import Array, Floats, Ints

MAX_ENTRIES = 50_000_000  # rows times features
MAX_FEATURES = 2000
MAX_CLASSES = 30
DRAWN_NAMES = ("x1", "x2")
MAX_UPLOAD_BYTES = 50 * 2**20
MAX_PENDING_UPLOADS = 8  # the oldest is deleted first
TOO_LARGE = (
    f"The file is larger than {MAX_UPLOAD_BYTES // 2**20} MB, the limit of the page."
    " Open it with `rosenblatt lab FILE` instead."
)


@dataclass(frozen=True, eq=False)
class LabDataset:
    """Samples, the class of each, and their names."""

    name: str
    X: Floats
    codes: Ints
    classes: tuple[str, ...]
    feature_names: tuple[str, ...]
    marks: tuple[int, ...]  # index of the colour and shape of each class
    description: str = ""
    scaled: bool = False
    feature_map: FeatureMap | None = None
    Z: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # the mapped features

    @property
    def flat(self) -> bool:
        """Whether there are two features."""
        return bool(self.X.shape[1] == 2)

    @property
    def editable(self) -> bool:
        """Whether its points can be edited."""
        few = len(self.X) <= MAX_POINTS and len(self.classes) <= PLANE_CLASSES
        return few and self.flat and not self.scaled

    @property
    def labels(self) -> Array:
        """The name of the class of each sample."""
        return np.array(self.classes)[self.codes]

    def points(self) -> list[Point]:
        """The samples as points of the plane."""
        return [
            Point(rounded(x), rounded(y), self.marks[code])
            for (x, y), code in zip(self.X.tolist(), self.codes.tolist(), strict=True)
        ]

    def mapped(self, X: Floats) -> Floats:
        """Mapped features of some samples."""
        return X if self.feature_map is None else np.asarray(self.feature_map.transform(X))

    def mapped_feature_names(self) -> tuple[str, ...]:
        """Names of the mapped features."""
        return (
            self.feature_names
            if self.feature_map is None
            else self.feature_map.feature_names(self.feature_names)
        )


def dataset_of(setup: Setup, opened: Dataset | None) -> LabDataset:
    """The data of a set-up with their features; `opened` is the data of the file."""
    if setup.data == DRAWN:
        return _with_features(_drawn(setup.points), setup)
    data = builtin(setup.data.removeprefix(BUILT_IN)) if setup.data.startswith(BUILT_IN) else opened
    if data is None:
        raise DataError(
            "The address refers to a file but does not contain it: open the file again."
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
    if d > MAX_FEATURES or n * d > MAX_ENTRIES:
        raise DataError(
            f"{data.name} has {n:,} rows with {d:,} features; the lab accepts up to"
            f" {MAX_FEATURES:,} features and {MAX_ENTRIES:,} numbers. `rosenblatt fit` takes more."
        )
    found, codes = np.unique(data.y, return_inverse=True)
    if len(found) > MAX_CLASSES:
        raise DataError(
            f"{data.name} has {len(found):,} classes in its target; the lab accepts up to"
            f" {MAX_CLASSES}. Choose another column to predict."
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
    """The dataset standardised to mean 0 and deviation 1, except binary columns."""
    X = dataset.X.copy()
    deviation, binary = X.std(axis=0), ((X == 0) | (X == 1)).all(axis=0)
    shift = np.where(binary, 0.0, X.mean(axis=0))
    Scaling(shift, 1 / np.where(binary | (deviation == 0), 1.0, deviation)).apply(X)
    return replace(dataset, X=X, scaled=True)


def _with_features(dataset: LabDataset, setup: Setup) -> LabDataset:
    feature_map = None
    if len(dataset.X) and setup.features != "none":
        feature_map = _FIT_FUNCTIONS[setup.features](dataset.X, setup.degree)
        if (
            feature_map.n_outputs > MAX_FEATURES
            or feature_map.n_outputs * len(dataset.X) > MAX_ENTRIES
        ):
            raise DataError(
                f"{setup.features} would make {feature_map.n_outputs:,} features of"
                f" {dataset.X.shape[1]:,}; the lab accepts up to {MAX_FEATURES:,}. Choose fewer"
                " columns or a lower degree."
            )
    Z = (
        dataset.X
        if feature_map is None
        else np.ascontiguousarray(feature_map.transform(dataset.X), np.float64)
    )
    return replace(dataset, feature_map=feature_map, Z=Z)


_FIT_FUNCTIONS: dict[str, Any] = {
    "products": lambda X, degree: products(X, min(degree, X.shape[1])),
    "polynomial": lambda X, degree: polynomial(X, degree, full=True),
    "radial": lambda X, _: radial(X),
}


@dataclass(frozen=True, eq=False)
class File:
    """The rows of a file, its target column, and the columns it can be chosen from.

    There is no choice if labels are stored separately, or if the file is too large to be kept in
    memory as it was read.
    """

    name: str
    data: Dataset
    target: str
    columns: tuple[str, ...]
    source: Source

    def predicting(self, target: str) -> "File":
        """The same file with another target."""
        return file_of(self.source, target, self.name)


def file_of(source: Source, target: str | None, name: str) -> File:
    """A file as it is read; `name` is shown to the user."""
    kept = source if isinstance(source, CachedSource) else CachedSource(source)
    try:
        found = read_rows(kept, target, Choices(scale=False))
    except ValueError as error:
        raise SourceError(str(error).replace(source.name, name)) from error
    first = next(iter(kept))
    columns = first.names if isinstance(first, Table) and kept.is_cached else ()
    data = replace(found.data, name=name, description=name)
    return File(name, data, found.transformer.target or "", columns, kept)


class Uploads:
    """A private folder of uploaded files, each kept until it is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pending: dict[str, tuple[Path, str]] = {}

    def open(self, name: str) -> tuple[str, Path]:
        """A key and a path for a new file; of its given name only the suffixes are used."""
        while len(self._pending) >= MAX_PENDING_UPLOADS:
            self.drop(next(iter(self._pending)))
        key = secrets.token_urlsafe(16)
        shown_name = Path(name.replace("\\", "/")).name[-80:] or "upload"
        suffixes = "".join(Path(shown_name).suffixes[-2:])
        safe = "".join(c for c in suffixes if c.isascii() and (c.isalnum() or c == "."))
        path = self._folder / f"{key}{safe[:20]}"
        self._pending[key] = (path, shown_name)
        return key, path

    def take(self, key: str) -> File:
        """The contents of a file, which is then deleted."""
        if key not in self._pending:
            raise SourceError("The upload is gone; choose the file again.")
        path, shown_name = self._pending[key]
        try:
            return file_of(open_source([str(path)]), None, shown_name)
        except SourceError as error:
            raise SourceError(str(error).replace(str(path), shown_name)) from error
        finally:
            self.drop(key)

    def drop(self, key: str) -> None:
        """Delete a file."""
        path, _ = self._pending.pop(key)
        path.unlink(missing_ok=True)
