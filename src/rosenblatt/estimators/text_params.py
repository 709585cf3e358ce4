"""Settings of what reads texts, checked, and the reader that they and some texts make."""

from collections import Counter
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import parameter_checks
from rosenblatt.preprocess.ngram_spec import MAX_BITS, MAX_N, UNITS
from rosenblatt.types import Array


def check_text_settings(sizes: Any, unit: Any, n_features: Any, vocabulary: Any) -> None:
    """Refuse settings by which no text can be read."""
    parameter_checks.one_of("unit", unit, UNITS)
    parameter_checks.flag("vocabulary", vocabulary)
    parameter_checks.whole("n_features", n_features, least=2)
    if n_features & (n_features - 1) or n_features > 1 << MAX_BITS:
        raise ParameterError(
            f"n_features must be a power of 2, at most 2**{MAX_BITS}; got {n_features!r}."
        )
    good = isinstance(sizes, tuple | list) and len(sizes) == 2
    good = good and all(type(size) is int for size in sizes)
    if not good or not 1 <= sizes[0] <= sizes[1] <= MAX_N:
        raise ParameterError(
            f"sizes must be two integers (from, to) with 1 ≤ from ≤ to ≤ {MAX_N}; got {sizes!r}."
        )


def words_kept(times: Counter[str], fewest: int) -> Array:
    """The vocabulary of runs that come in enough texts, in alphabetical order."""
    kept = sorted(name for name, n in times.items() if n >= fewest)
    if not kept:
        enough = "any word" if fewest == 1 else f"a word that comes in {fewest} of them"
        raise DataError(f"The vocabulary is empty: no text has {enough}.")
    return np.array(kept, object)
