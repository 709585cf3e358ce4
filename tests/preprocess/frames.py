"""Sources out of frames and arrays, cut into chunks anyhow."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.io.chunks import Chunk, Matrix, Place, Table


@dataclass
class Made:
    """A source of given chunks."""

    chunks: list[Any]
    name: str = "made"

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self.chunks)


def tables(frame: pl.DataFrame, cuts: Sequence[int] = ()) -> Made:
    """A frame cut before some of its rows."""
    ends = sorted({0, *(cut for cut in cuts if 0 < cut < frame.height), frame.height})
    spans = pairwise(ends)
    return Made([Table(frame[a:b], Place("made.csv", line=a + 2)) for a, b in spans])


def matrix(rows: Any, labels: Any = None) -> Made:
    """Rows of numbers as one chunk."""
    found = None if labels is None else np.asarray(labels)
    return Made([Matrix(rows, found, Place("made.npy"))])


def mixed(rng: np.random.Generator, n: int = 60) -> pl.DataFrame:
    """Numbers, booleans and words, some of them missing, and a target."""
    age = [None if rng.random() < 0.2 else float(v) for v in rng.normal(40, 9, n).round(2)]
    size = rng.normal(0, 1e-3, n)
    town = [None if rng.random() < 0.2 else str(v) for v in rng.choice(["Ulm", "Bonn", "Jena"], n)]
    sex = rng.choice(["m", "f"], n)
    tame = [None if rng.random() < 0.1 else bool(v) for v in rng.random(n) < 0.4]
    return pl.DataFrame(
        {"age": age, "size": size, "town": town, "sex": sex, "tame": tame},
        schema_overrides={"age": pl.Float64, "town": pl.String, "tame": pl.Boolean},
    ).with_columns(kind=pl.Series(rng.choice(["no", "yes"], n)))
