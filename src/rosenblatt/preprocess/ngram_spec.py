"""Specification of n-grams: of words or characters, hashed to features, and weighted.

On the command line it is ngrams:SIZES followed by settings: `ngrams:1-2`, `ngrams:2`,
`ngrams:3-5,unit=character`, `ngrams:1-3,bits=20,weight=binary`.
"""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.csr import CSR
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.spec import NGRAMS, MapSpec, parse_map_specs, parse_settings
from rosenblatt.types import Ints

if TYPE_CHECKING:
    import polars as pl

UNITS = ("word", "character")
WEIGHTS = ("tfidf", "count", "binary")
MAX_N, MAX_BITS = 8, 30  # of an n-gram, and of its hash


class NgramSpec(NamedTuple):
    """n-grams of `sizes[0]` to `sizes[1]` units, hashed to 2^bits features.

    A feature has its tf-idf weight (vocabulary.py), its count, or 1 (binary).
    """

    sizes: tuple[int, int] = (1, 2)
    unit: str = "word"
    bits: int = 18
    weight: str = "tfidf"

    @property
    def n_features(self) -> int:
        """Number of features."""
        return 1 << self.bits

    @property
    def spec(self) -> str:
        """The specification as on the command line, without defaults."""
        default = NgramSpec()
        settings = [
            f",{name}={value}"
            for name, value in self._asdict().items()
            if name != "sizes" and value != getattr(default, name)
        ]
        return f"{NGRAMS}:{self.sizes[0]}-{self.sizes[1]}{''.join(settings)}"

    def check(self) -> None:
        """Refuse values out of range."""
        low, high = self.sizes
        if not 1 <= low <= high <= MAX_N:
            raise ParameterError(
                f"sizes must be from 1 to {MAX_N}, the smaller first; got {low} to {high}."
            )
        if not 1 <= self.bits <= MAX_BITS:
            raise ParameterError(f"bits must be from 1 to {MAX_BITS}; got {self.bits}.")
        for name, options in (("unit", UNITS), ("weight", WEIGHTS)):
            if getattr(self, name) not in options:
                given = getattr(self, name)
                raise ParameterError(f"{name} must be one of {', '.join(options)}; got {given!r}.")

    def counts(self, texts: "pl.Series") -> CSR:
        """n-gram counts of texts; 1 each if binary."""
        from rosenblatt.preprocess.ngrams import counts  # noqa: PLC0415 (loads the compiler)

        rows = counts(texts, sizes=self.sizes, bits=self.bits, unit=self.unit)
        return rows._replace(data=np.ones_like(rows.data)) if self.weight == "binary" else rows

    def names_in(self, texts: "pl.Series", wanted: Ints) -> dict[int, list[str]]:
        """The n-grams in some texts that hash to each wanted feature, most frequent first."""
        from rosenblatt.preprocess.ngrams import names_of  # noqa: PLC0415 (loads the compiler)

        return names_of(texts, wanted, sizes=self.sizes, bits=self.bits, unit=self.unit)


def features_of(written: Sequence[str]) -> tuple[NgramSpec | None, tuple[MapSpec, ...]]:
    """The n-gram specification, if there is one, and the feature maps after it."""
    texts = [each for each in written if each.partition(":")[0] == NGRAMS]
    if len(texts) > 1:
        raise ParameterError(
            f"Only one n-gram specification is allowed; got {' and '.join(texts)}."
        )
    maps = parse_map_specs(each for each in written if each not in texts)
    return (parse_ngram_spec(texts[0]) if texts else None), maps


def parse_ngram_spec(written: str) -> NgramSpec:
    """The n-gram specification that a string describes."""
    settings = parse_settings(written, inspect.signature(_grams).parameters)
    try:
        grams = _grams(**settings)
        grams.check()
    except ParameterError as error:
        raise ParameterError(f"{written}: {error}") from None
    return grams


def _grams(
    sizes: str = "1-2", unit: str = "word", bits: int = 18, weight: str = "tfidf"
) -> NgramSpec:
    low, _, high = sizes.partition("-")
    if not (low.isdecimal() and (high or low).isdecimal()):
        raise ParameterError(f"sizes must be one number, or two such as 1-2; got {sizes!r}.")
    return NgramSpec((int(low), int(high or low)), unit, bits, weight)
