"""From a chunk of a source to rows of features: what is learned once and re-applied ever after.

Columns are encoded as numbers, these are scaled, and go through the feature maps. A preparation is
plain data and goes into the model file. Columns are found by name. Without columns the source gives
a matrix of numbers, and the rows are its rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols
from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.features.maps.spec import FittedMap, apply_maps, map_from_dict, map_to_dict
from rosenblatt.io.chunks import Chunk, Matrix, Place, Table
from rosenblatt.preprocess.column_encoders import (
    Category,
    Column,
    Number,
    Text,
    dense_rows,
    narrowed,
    plain_column,
    sparse_rows,
    width_of,
    written_out,
)
from rosenblatt.preprocess.ngram_spec import Grams
from rosenblatt.preprocess.scaling import Scaling
from rosenblatt.types import Array


@dataclass(frozen=True, eq=False)
class Preparation:
    """What turns chunks into rows of features.

    `n_encoded` is the number of features before the maps. `names` are those of a matrix's features,
    where it has names; `target` is the column that holds the classes, where it is a column.
    """

    columns: tuple[Column, ...]
    n_encoded: int
    sparse: bool
    scaling: Scaling | None = None
    names: tuple[str, ...] | None = None
    target: str | None = None
    maps: tuple[FittedMap, ...] = ()

    @property
    def n_features(self) -> int:
        """How many features a row has in the end."""
        return self.maps[-1].map.n_outputs if self.maps else self.n_encoded

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """A name for each feature."""
        return self.mapped_names(self.encoded_names)

    @property
    def encoded_names(self) -> tuple[str, ...]:
        """A name for each feature before the maps."""
        if self.columns:
            return tuple(name for column in self.columns for name in column.features)
        return self.names or tuple(f"x{j}" for j in range(1, self.n_encoded + 1))

    def mapped_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of the features, if these are the names before the maps."""
        for step in self.maps:
            names = step.map.feature_names(names)
        return names

    @property
    def as_words(self) -> frozenset[str]:
        """Columns whose cells must be read as words, whatever they look like."""
        return frozenset(c.name for c in self.columns if not isinstance(c, Number))

    @property
    def has_text(self) -> bool:
        """Whether there is a column of text: its features are weighted, not only scaled."""
        return any(isinstance(column, Text) for column in self.columns)

    def raw(self, chunk: Chunk) -> Rows:
        """Rows as exactly as they were read, before the maps; words are counted."""
        return self._rows(chunk, weighted=False)

    def rows(self, chunk: Chunk) -> Rows:
        """Rows of features; a chunk's own only where nothing is to be done."""
        return apply_maps(self.maps, self.encoded(chunk))

    def encoded(self, chunk: Chunk) -> Rows:
        """Rows before the maps, weighted and scaled."""
        rows = self._rows(chunk, weighted=True)
        if self.scaling is not None:
            rows = _own(rows) if isinstance(chunk, Matrix) else rows  # made of columns, they are
            self.scaling.apply(rows)
        return rows

    def exact(self) -> "Preparation":
        """The same without scaling and weights: `raw` and `encoded` are one."""
        columns = tuple(replace(c, idf=None) if isinstance(c, Text) else c for c in self.columns)
        return replace(self, columns=columns, scaling=None)

    def _rows(self, chunk: Chunk, *, weighted: bool) -> Rows:
        if isinstance(chunk, Table):
            return self._encoded(chunk, weighted=weighted)
        if self.columns:
            raise _wrong_kind(chunk.place, "columns with names", "a matrix of numbers")
        return self._matrix(chunk)

    def _encoded(self, chunk: Table, *, weighted: bool) -> Rows:
        if not self.columns and self.names is None:
            raise _wrong_kind(chunk.place, "a matrix of numbers", "columns with names")
        if not self.columns:
            return self._by_names(chunk)
        there = set(chunk.names)
        absent = [c.name for c in self.columns if c.name not in there]
        if absent:
            raise SourceError(
                f"{chunk.place.file} lacks {_listed(absent)}, which the model needs. Columns are"
                f" found by name; an empty column is filled as missing cells are.{_hint(chunk)}"
            )
        with chunk.naming_cells():
            if self.sparse:
                return sparse_rows(self.columns, chunk, weighted=weighted)
            return dense_rows(self.columns, chunk)

    def _by_names(self, chunk: Table) -> Rows:
        """Rows of a table whose columns are called as the features of the matrix are."""
        columns = tuple(Number(name, np.nan, indicator=False) for name in self.names or ())
        return replace(self, columns=columns, names=None, scaling=None, maps=()).raw(chunk)

    def _matrix(self, chunk: Matrix) -> Rows:
        rows = chunk.rows
        if isinstance(rows, CSR):
            rows = narrowed(rows, self.n_encoded)  # what training never saw has no weight
            return rows if self.sparse or self.scaling is None else written_out(rows)
        if n_cols(rows) != self.n_encoded:
            raise SourceError(
                f"{chunk.place.file} has {n_cols(rows):,} features a row; the model was trained on"
                f" {self.n_encoded:,}."
            )
        return rows

    def to_plain(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Plain data, and the arrays that go with them."""
        texts = [column for column in self.columns if isinstance(column, Text)]
        arrays = {f"idf {text.name}": text.idf for text in texts if text.idf is not None}
        plain: dict[str, Any] = {
            "columns": [plain_column(column) for column in self.columns],
            "n_features": self.n_encoded,
            "sparse": self.sparse,
            "names": self.names,
            "target": self.target,
            "unit_rows": None,
            "logarithm": False,
            "maps": [],
        }
        if self.scaling is not None:
            plain["unit_rows"] = self.scaling.unit_rows
            plain["logarithm"] = self.scaling.logarithm
            arrays |= {"shift": self.scaling.shift, "factor": self.scaling.factor}
        for place, step in enumerate(self.maps):
            told, parts = map_to_dict(step)
            plain["maps"].append(told)
            arrays |= {f"map {place} {name}": part for name, part in parts.items()}
        return plain, arrays


def preparation_of(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> Preparation:
    """The preparation that `to_plain` wrote down; what does not fit together is refused."""
    n_features, sparse = int(plain["n_features"]), bool(plain["sparse"])
    columns = _columns_of(plain, arrays)
    scaling = None
    if plain["unit_rows"] is not None:
        unit_rows, logarithm = bool(plain["unit_rows"]), bool(plain["logarithm"])
        scaling = Scaling(arrays["shift"], arrays["factor"], unit_rows, logarithm)
        if {scaling.shift.shape, scaling.factor.shape} != {(n_features,)}:
            raise ValueError("its scaling is not one number a feature")
        if not np.isfinite(scaling.shift + scaling.factor).all():
            raise ValueError("its scaling is not finite")
    names = None if plain["names"] is None else tuple(map(str, plain["names"]))
    if names is not None and len(names) != n_features:
        raise ValueError("it does not name every feature")
    target = None if plain["target"] is None else str(plain["target"])
    maps = _maps_of(plain.get("maps", []), arrays, n_features)  # none in files of before
    return Preparation(columns, n_features, sparse, scaling, names, target, maps)


def _columns_of(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> tuple[Column, ...]:
    columns = tuple(_column(column, arrays) for column in plain["columns"])
    if columns and sum(map(width_of, columns)) != int(plain["n_features"]):
        raise ValueError("its columns do not make up its features")
    texts = [isinstance(column, Text) for column in columns]
    if texts != sorted(texts) or (any(texts) and not plain["sparse"]):
        raise ValueError("its columns of text are not the last, or not sparse")
    return columns


def _maps_of(
    plain: list[Mapping[str, Any]], arrays: Mapping[str, Array], n_inputs: int
) -> tuple[FittedMap, ...]:
    """The maps, each of which must take what the one before it makes."""
    steps = []
    for place, told in enumerate(plain):
        start = f"map {place} "
        parts = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
        steps.append(map_from_dict(told, parts))
        if steps[-1].map.n_inputs != n_inputs:
            raise ValueError("its maps do not go with each other")
        n_inputs = steps[-1].map.n_outputs
    return tuple(steps)


def _column(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> Column:
    name = str(plain["name"])
    if plain["kind"] == "number":
        return Number(name, float(plain["fill"]), bool(plain["indicator"]))
    if plain["kind"] == "category":
        values = tuple(map(str, plain["values"]))
        if len(set(values)) < len(values):
            raise ValueError(f"the column {name!r} has a value twice")
        return Category(name, values, bool(plain["indicator"]))
    if plain["kind"] != "text":
        raise ValueError(f"{plain['kind']!r} is no kind of column")
    low, high = map(int, plain["sizes"])
    unit, weight = plain.get("unit", "word"), plain.get("weight", "tfidf")  # files of before
    grams = Grams((low, high), str(unit), int(plain["bits"]), str(weight))
    try:
        grams.check()
    except ParameterError as error:
        raise ValueError(
            f"the column {name!r} hashes {low} to {high} {unit}s to {grams.bits} bits by {weight}"
        ) from error
    idf = arrays.get(f"idf {name}")
    if idf is not None and idf.shape != (grams.n_features,):
        raise ValueError(f"the column {name!r} does not weigh every feature")
    return Text(name, grams, idf)


def _own(rows: Rows) -> Rows:
    """Rows that may be written to."""
    if isinstance(rows, CSR):
        return rows._replace(data=_floats(rows.data))
    return _floats(rows)


def _floats(values: Array) -> Array:
    kind = values.dtype if values.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    return np.array(values, kind, order="C")


def _wrong_kind(place: Place, wanted: str, came: str) -> SourceError:
    return SourceError(f"{place.file} holds {came}; the model was trained on {wanted}.")


def _hint(chunk: Table) -> str:
    """What to say of a table of text that was read without a header."""
    unnamed = all(name == f"x{j}" for j, name in enumerate(chunk.names, 1))
    if chunk.place.line is None or not unnamed:
        return ""
    return " If the first line names the columns, say so with --header."


def _listed(names: list[str], most: int = 8) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return f"the column{'s' if len(names) > 1 else ''} {shown}{', …' if len(names) > most else ''}"
