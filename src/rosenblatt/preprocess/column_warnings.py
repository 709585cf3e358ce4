"""Columns that deserve a word: they are left out unless the user keeps them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosenblatt.io.chunks import Table

if TYPE_CHECKING:
    import polars as pl

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
        return f"Left out {self.column!r}: {self.reason} (--use {self.column} includes it)."


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


def dropped(name: str, reason: str) -> Finding:
    """A column that the user leaves out, or a proof of before."""
    return Finding(name, "dropped", reason)


Pairs = list[tuple[object, ...]]


class Leaks:
    """Columns of few values each of which has come with one label only, so far."""

    def __init__(self, target: str, names: list[str]) -> None:
        self.target = target
        self._suspects: dict[str, dict[object, object]] = {name: {} for name in names}
        self._looked = False

    def add(self, chunk: Table) -> None:
        """Look at some rows; who gives two labels for one value is cleared."""
        cells = chunk.columns
        if not self._looked:
            few = {n for n in self._suspects if _has_few_values(cells[n])}
            self._suspects = {name: {} for name in self._suspects if name in few}
            self._looked = True
        if not self._suspects:
            return
        target = cells[self.target]
        labels = target.to_list() if len(chunk) <= SAMPLE else None
        for name in list(self._suspects):
            pairs = _pairs(cells[name], target, labels)
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


def _has_few_values(cells: "pl.Series") -> bool:
    """Whether there are few different cells in the first rows."""
    first = cells[:SAMPLE]
    return len(first) <= FEW_VALUES or first.n_unique() <= FEW_VALUES


def _pairs(cells: "pl.Series", target: "pl.Series", labels: list[object] | None) -> Pairs:
    """Which cells of two columns come together; the labels are given where rows are few."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if labels is not None:
        return list(set(zip(cells.to_list(), labels, strict=True)))
    return pl.DataFrame([cells, target]).unique().rows()
