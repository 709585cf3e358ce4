"""Transformer from the chunks of a source to rows of features, and the scaling of features.

Columns, found by name, are encoded as numbers, scaled, and mapped by the feature maps. Without
columns the source is a matrix of numbers, and the rows are its rows. A transformer is plain data
and is stored in the model file.

Scaling makes a stored entry (x − shift) · factor of its feature; zeros that are not stored stay
zero, so only features that every row stores have a shift. Counts get tf-idf weights: 1 + log x,
times the inverse document frequency, with every row scaled to unit length.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols
from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.features.maps.spec import (
    FittedMap,
    NgramSpec,
    map_from_dict,
    map_to_dict,
)
from rosenblatt.io.chunks import Chunk, Matrix, Place, Table
from rosenblatt.preprocess.column_encoders import (
    CategoryColumn,
    Column,
    NumberColumn,
    TextColumn,
    column_to_dict,
    dense_rows,
    sparse_rows,
    to_dense,
    truncate_features,
    width_of,
)
from rosenblatt.types import Array, Floats

SCALED_BLOCK_ROWS = 1 << 14  # at a time, which keeps temporary arrays small


@dataclass(frozen=True, eq=False)
class Scaling:
    """A shift and a factor per feature; for counts, a logarithm before and unit rows after."""

    shift: Floats
    factor: Floats
    unit_norm: bool = False
    sublinear_tf: bool = False

    def apply(self, rows: Rows) -> None:
        """Scale rows in place; overflow becomes infinity."""
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(rows, CSR):
                self._scale_sparse(rows)
            else:
                self._scale_dense(rows)

    def _scale_dense(self, rows: Array) -> None:
        for start in range(0, len(rows), SCALED_BLOCK_ROWS):
            part = rows[start : start + SCALED_BLOCK_ROWS]
            if self.sublinear_tf:
                _take_logarithm(part)
            part -= self.shift
            part *= self.factor
            if self.unit_norm:
                part /= _safe(np.sqrt(np.einsum("ij,ij->i", part, part)))[:, None]

    def _scale_sparse(self, rows: CSR) -> None:
        for start in range(0, len(rows.indptr) - 1, SCALED_BLOCK_ROWS):
            ends = rows.indptr[start : start + SCALED_BLOCK_ROWS + 1]
            span = slice(int(ends[0]), int(ends[-1]))
            data, features = rows.data[span], rows.indices[span]
            if self.sublinear_tf:
                _take_logarithm(data)
            data -= self.shift[features]
            data *= self.factor[features]
            if self.unit_norm:
                part = CSR(data, features, ends - ends[0], rows.n_cols)
                data /= np.repeat(_safe(np.sqrt(squares_of(part))), np.diff(ends))


def _take_logarithm(counts: Array) -> None:
    """Replace every positive x by 1 + log x."""
    positive = counts > 0
    np.log(counts, out=counts, where=positive)
    np.add(counts, 1.0, out=counts, where=positive)


def squares_of(rows: CSR) -> Floats:
    """Squared norm of each sparse row."""
    row = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
    squares = rows.data.astype(np.float64) ** 2
    return np.asarray(np.bincount(row, squares, len(rows.indptr) - 1), np.float64)


def _safe(lengths: Floats) -> Floats:
    """Lengths to divide by; 1 for rows of zeros."""
    return np.where(lengths > 0, lengths, 1.0)


@dataclass(frozen=True, eq=False)
class ColumnTransformer:
    """A fitted transformer of chunks into rows of features.

    `n_encoded_features` is the number of features before the maps. `names` are the feature names of
    a matrix, if it has any; `target` is the column of the classes, if it is a column.
    """

    columns: tuple[Column, ...]
    n_encoded_features: int
    sparse: bool
    scaling: Scaling | None = None
    names: tuple[str, ...] | None = None
    target: str | None = None
    maps: tuple[FittedMap, ...] = ()

    @property
    def n_features(self) -> int:
        """Number of features after the maps."""
        return self.maps[-1].map.n_outputs if self.maps else self.n_encoded_features

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """A name for each feature."""
        return self.mapped_feature_names(self.encoded_feature_names)

    @property
    def encoded_feature_names(self) -> tuple[str, ...]:
        """A name for each feature before the maps."""
        if self.columns:
            return tuple(name for column in self.columns for name in column.features)
        return self.names or tuple(f"x{j}" for j in range(1, self.n_encoded_features + 1))

    def mapped_feature_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names after the maps, given the names before them."""
        for step in self.maps:
            names = step.map.feature_names(names)
        return names

    @property
    def string_columns(self) -> frozenset[str]:
        """Columns that must be read as strings, whatever they look like."""
        return frozenset(c.name for c in self.columns if not isinstance(c, NumberColumn))

    @property
    def has_text(self) -> bool:
        """Whether there is a column of text, whose counts are weighted."""
        return any(isinstance(column, TextColumn) for column in self.columns)

    def encode(self, chunk: Chunk) -> Rows:
        """Encoded rows, neither scaled nor mapped; n-grams are counted."""
        return self._rows(chunk, weighted=False)

    def transform(self, chunk: Chunk) -> Rows:
        """Rows of features; those of the chunk itself only if nothing changes them."""
        return self.apply_maps(self.encode_and_scale(chunk))

    def apply_maps(self, rows: Rows) -> Rows:
        """Rows transformed by all maps in turn."""
        for step in self.maps:
            rows = step.map.transform(rows)
        return rows

    def encode_and_scale(self, chunk: Chunk) -> Rows:
        """Rows before the maps, weighted and scaled."""
        rows = self._rows(chunk, weighted=True)
        if self.scaling is not None:
            rows = (
                _copy(rows) if isinstance(chunk, Matrix) else rows
            )  # encoded columns are new arrays
            self.scaling.apply(rows)
        return rows

    def without_scaling(self) -> "ColumnTransformer":
        """The same without scaling and tf-idf weights."""
        columns = tuple(
            replace(c, idf=None) if isinstance(c, TextColumn) else c for c in self.columns
        )
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
        present = set(chunk.names)
        absent = [c.name for c in self.columns if c.name not in present]
        if absent:
            raise SourceError(
                f"{chunk.place.file} lacks {_column_list(absent)}, which the model needs. Columns"
                f" are found by name; an empty column counts as missing cells.{_hint(chunk)}"
            )
        with chunk.locating_bad_cells():
            if self.sparse:
                return sparse_rows(self.columns, chunk, weighted=weighted)
            return dense_rows(self.columns, chunk)

    def _by_names(self, chunk: Table) -> Rows:
        """Rows of a table whose columns are named as the features of the matrix."""
        columns = tuple(NumberColumn(name, np.nan, indicator=False) for name in self.names or ())
        return replace(self, columns=columns, names=None, scaling=None, maps=()).encode(chunk)

    def _matrix(self, chunk: Matrix) -> Rows:
        rows = chunk.rows
        if isinstance(rows, CSR):
            rows = truncate_features(
                rows, self.n_encoded_features
            )  # unseen features have no weight
            return rows if self.sparse or self.scaling is None else to_dense(rows)
        if n_cols(rows) != self.n_encoded_features:
            raise SourceError(
                f"{chunk.place.file} has {n_cols(rows):,} features per row; the model was trained"
                f" on {self.n_encoded_features:,}."
            )
        return rows

    def to_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Plain data for JSON, and the arrays that belong to them."""
        texts = [column for column in self.columns if isinstance(column, TextColumn)]
        arrays = {f"idf.{text.name}": text.idf for text in texts if text.idf is not None}
        plain: dict[str, Any] = {
            "columns": [column_to_dict(column) for column in self.columns],
            "n_encoded_features": self.n_encoded_features,
            "sparse": self.sparse,
            "feature_names": self.names,
            "target": self.target,
            "unit_norm": None,
            "sublinear_tf": False,
            "maps": [],
        }
        if self.scaling is not None:
            plain["unit_norm"] = self.scaling.unit_norm
            plain["sublinear_tf"] = self.scaling.sublinear_tf
            arrays |= {"shift": self.scaling.shift, "factor": self.scaling.factor}
        for k, step in enumerate(self.maps):
            fields, parts = map_to_dict(step)
            plain["maps"].append(fields)
            arrays |= {f"maps.{k}.{name}": part for name, part in parts.items()}
        return plain, arrays


def transformer_from_dict(
    plain: Mapping[str, Any], arrays: Mapping[str, Array]
) -> ColumnTransformer:
    """The transformer that `to_dict` described; inconsistent data are a ValueError."""
    n_features, sparse = int(plain["n_encoded_features"]), bool(plain["sparse"])
    columns = _columns_of(plain, arrays)
    scaling = None
    if plain["unit_norm"] is not None:
        unit_norm, sublinear_tf = bool(plain["unit_norm"]), bool(plain["sublinear_tf"])
        scaling = Scaling(arrays["shift"], arrays["factor"], unit_norm, sublinear_tf)
        if {scaling.shift.shape, scaling.factor.shape} != {(n_features,)}:
            raise ValueError("its scaling is not one number per feature")
        if not np.isfinite(scaling.shift + scaling.factor).all():
            raise ValueError("its scaling is not finite")
    names = plain["feature_names"]
    names = None if names is None else tuple(map(str, names))
    if names is not None and len(names) != n_features:
        raise ValueError("it does not name every feature")
    target = None if plain["target"] is None else str(plain["target"])
    maps = _maps_of(plain["maps"], arrays, n_features)
    return ColumnTransformer(columns, n_features, sparse, scaling, names, target, maps)


def _columns_of(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> tuple[Column, ...]:
    columns = tuple(_column(column, arrays) for column in plain["columns"])
    if columns and sum(map(width_of, columns)) != int(plain["n_encoded_features"]):
        raise ValueError("its columns do not add up to its features")
    texts = [isinstance(column, TextColumn) for column in columns]
    if texts != sorted(texts) or (any(texts) and not plain["sparse"]):
        raise ValueError("its text columns are not the last, or not sparse")
    return columns


def _maps_of(
    plain: list[Mapping[str, Any]], arrays: Mapping[str, Array], n_inputs: int
) -> tuple[FittedMap, ...]:
    """The maps, each of which must accept the outputs of the one before."""
    steps = []
    for k, fields in enumerate(plain):
        start = f"maps.{k}."
        parts = {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
        steps.append(map_from_dict(fields, parts))
        if steps[-1].map.n_inputs != n_inputs:
            raise ValueError("its maps do not fit each other")
        n_inputs = steps[-1].map.n_outputs
    return tuple(steps)


def _column(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> Column:
    name = str(plain["name"])
    if plain["kind"] == "number":
        return NumberColumn(name, float(plain["fill"]), bool(plain["indicator"]))
    if plain["kind"] == "category":
        values = tuple(map(str, plain["values"]))
        if len(set(values)) < len(values):
            raise ValueError(f"the column {name!r} has a value twice")
        return CategoryColumn(name, values, bool(plain["indicator"]))
    if plain["kind"] != "text":
        raise ValueError(f"{plain['kind']!r} is not a kind of column")
    low, high = map(int, plain["sizes"])
    unit, bits, weight = str(plain["unit"]), int(plain["bits"]), str(plain["weight"])
    grams = NgramSpec((low, high), unit, bits, weight)
    try:
        grams.check()
    except ParameterError as error:
        raise ValueError(
            f"the column {name!r} hashes {low} to {high} {unit}s to {bits} bits with {weight}"
            " weights"
        ) from error
    idf = arrays.get(f"idf.{name}")
    if idf is not None and idf.shape != (grams.n_features,):
        raise ValueError(f"the column {name!r} does not have a weight for every feature")
    return TextColumn(name, grams, idf)


def _copy(rows: Rows) -> Rows:
    """A copy of rows as floats, to scale in place."""
    if isinstance(rows, CSR):
        return rows._replace(data=_floats(rows.data))
    return _floats(rows)


def _floats(values: Array) -> Array:
    kind = values.dtype if values.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    return np.array(values, kind, order="C")


def _wrong_kind(place: Place, expected: str, found: str) -> SourceError:
    return SourceError(f"{place.file} holds {found}; the model was trained on {expected}.")


def _hint(chunk: Table) -> str:
    """Advice for a text file that was read without a header."""
    unnamed = all(name == f"x{j}" for j, name in enumerate(chunk.names, 1))
    if chunk.place.line is None or not unnamed:
        return ""
    return " If the first line is a header, set --header."


def _column_list(names: list[str], limit: int = 8) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return f"the column{'s' if len(names) > 1 else ''} {shown}{', …' if len(names) > limit else ''}"
