"""Data that come with the library, as a source."""

from collections.abc import Iterator
from dataclasses import dataclass

from rosenblatt.datasets.builtin import Dataset
from rosenblatt.io.chunks import Matrix, Place

PREFIX = "builtin:"


@dataclass(frozen=True)
class BuiltIn:
    """Rows of a built-in data set, with their labels if these are wanted."""

    data: Dataset
    labelled: bool = True

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return PREFIX + self.data.name

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features."""
        return self.data.feature_names

    def __iter__(self) -> Iterator[Matrix]:
        """Give all rows in one chunk."""
        labels = self.data.y if self.labelled else None
        yield Matrix(self.data.X, labels, Place(self.name))
