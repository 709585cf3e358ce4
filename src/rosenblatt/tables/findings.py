"""Columns that deserve a word: they are left out unless the user keeps them."""

from dataclasses import dataclass

from rosenblatt.arrays import Floats
from rosenblatt.sources.chunks import Grid, Table

FEW_VALUES = 50  # a column of more is not looked at for leaks
ROWS_A_VALUE = 10  # on average, to call it a leak
SAMPLE = 1000  # rows by which a column is found to have few values


@dataclass(frozen=True)
class Finding:
    """A column that was left out, and why."""

    column: str
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"Left out {self.column!r}: {self.reason} (--use {self.column} takes it in)."


def constant(name: str) -> Finding:
    """A column whose cells are all equal."""
    return Finding(name, "constant", "it has the same value in every row")


def identifier(name: str) -> Finding:
    """A column of names that hardly come twice."""
    return Finding(name, "identifier", "nearly every row has another value, as identifiers do")


def counting(name: str) -> Finding:
    """A column that counts the rows."""
    return Finding(name, "identifier", "it only counts the rows")


def leaking(name: str, target: str) -> Finding:
    """A column that gives the target away."""
    return Finding(name, "leak", f"it alone gives {target!r} in every row, which new rows may lack")


Pairs = list[tuple[object, ...]]


class Leaks:
    """Columns of few values each of which has come with one label only, so far."""

    def __init__(self, target: str, names: list[str]) -> None:
        self.target = target
        self._suspects: dict[str, dict[object, object]] = {name: {} for name in names}
        self._looked = False

    def add(self, chunk: Table) -> None:
        """Look at some rows; who gives two labels for one value is cleared."""
        if not self._looked:
            self._suspects = {n: {} for n in self._suspects if _n_distinct(chunk, n) <= FEW_VALUES}
            self._looked = True
        for name in list(self._suspects):
            pairs = _pairs(chunk, name, self.target)
            if not self._one_label_each(pairs, self._suspects[name]):
                del self._suspects[name]

    def gives_target(self, name: str, rows: int) -> bool:
        """Whether each value of a column goes with one label, and the labels differ."""
        known = self._suspects.get(name, {})
        return rows >= ROWS_A_VALUE * len(known) and len(set(known.values())) > 1

    def _one_label_each(self, pairs: Pairs, known: dict[object, object]) -> bool:
        if len(pairs) > FEW_VALUES:
            return False
        return all(known.setdefault(value, label) == label for value, label in pairs)


def _n_distinct(chunk: Table, name: str) -> int:
    """How many different cells there are in the first rows."""
    if isinstance(chunk, Grid):
        return len(set(_cells(chunk.column(name)[:SAMPLE])))
    return chunk.frame[name].head(SAMPLE).n_unique()


def _pairs(chunk: Table, name: str, target: str) -> Pairs:
    """Which cells of two columns come together."""
    if isinstance(chunk, Grid):
        cells, labels = _cells(chunk.column(name)), _cells(chunk.column(target))
        return list(set(zip(cells, labels, strict=True)))
    both = chunk.frame.select(name, target)
    if len(chunk) <= SAMPLE:  # quicker than a query
        return list(set(zip(both[name].to_list(), both[target].to_list(), strict=True)))
    return both.unique().rows()


def _cells(values: Floats) -> list[object]:
    """Numbers as a frame would give them: a missing one is none."""
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124
