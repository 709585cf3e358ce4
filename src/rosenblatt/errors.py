"""What can go wrong, and under which name.

::

    RosenblattError
    ├── DataError (also a ValueError)      rows, labels or weights that cannot be learned from
    │   ├── NotFiniteError                 NaN or infinity among the rows
    │   └── TooLargeError                  finite rows whose scores are beyond float64
    ├── ParameterError (also a ValueError) a setting out of range, or that does not go with another
    ├── SourceError (also a ValueError)    a file or built-in name that cannot be read
    │   └── BadCellError                   a cell that its column cannot take
    ├── ModelError (also a ValueError)     a model that cannot be saved, loaded or exported
    └── ProofError (also a ValueError)     a proof that does not hold, or is not a proof
        └── ProofFileError                 a file that cannot be read as a proof

Every message says what was wanted, what came, where, and what to do.
"""

from collections.abc import Sequence


class RosenblattError(Exception):
    """Base of every error raised on purpose."""


class DataError(RosenblattError, ValueError):
    """Rows, labels or weights that cannot be learned from."""


class NotFiniteError(DataError):
    """NaN or infinity among the rows, and where."""

    def __init__(
        self, what: str, row: int, column: int, name: str | None = None, *, table: str = "X"
    ) -> None:
        self.what, self.row, self.column, self.table = what, row, column, table
        called = "" if name is None else f" ({name!r})"
        super().__init__(
            f"Input {table} contains {what} at row {row}, column {column}{called}; every value"
            " must be finite. Fill or drop such rows first, for instance with"
            " sklearn.impute.SimpleImputer."
        )

    def named(self, names: Sequence[str]) -> "NotFiniteError":
        """The same with the name of the column."""
        name = names[self.column]
        return NotFiniteError(self.what, self.row, self.column, name, table=self.table)


class TooLargeError(DataError):
    """Rows that are finite, while their scores have left the range of float64."""


class ParameterError(RosenblattError, ValueError):
    """A setting that is out of range or does not go with another."""


class SourceError(RosenblattError, ValueError):
    """A file or a built-in name that cannot be read."""


class BadCellError(SourceError):
    """A cell that its column cannot take: the row of its chunk, and why."""

    def __init__(self, row: int, column: str, reason: str) -> None:
        self.row, self.column = row, column
        super().__init__(reason)


class ModelError(RosenblattError, ValueError):
    """A model that cannot be saved, loaded or exported, or a file that is no model."""


class ProofError(RosenblattError, ValueError):
    """A proof that does not hold for the data, or is no proof at all."""


class ProofFileError(ProofError):
    """A file that cannot be read as a proof: whatever it claims, nothing was checked."""
