"""Parameters of estimators: declared once, checked once, written as text."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features.maps.spec import MAX_BITS, MAX_N, UNITS
from rosenblatt.types import Array


@dataclass(eq=False, repr=False, kw_only=True)
class OnlineParameters:
    """Parameters of estimators that learn online, epoch after epoch."""

    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-3
    shuffle: bool = True
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = 0
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    class_weight: Any = None
    warm_start: bool = False
    keep: str = "last"
    start: str = "zero"
    track_error: bool = False
    time_limit: float | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ConvexParameters:
    """Parameters of estimators that minimise a convex objective."""

    C: Any = 1.0  # a number, or "cv"
    fit_intercept: bool = True
    tol: float | None = 1e-6
    max_iter: int = 1000
    solver: str = "auto"
    class_weight: Any = None
    warm_start: bool = False
    time_limit: float | None = None
    intercept_scaling: float = 1
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = 0


def check_text_settings(sizes: Any, unit: Any, n_features: Any, vocabulary: Any) -> None:
    """Refuse settings by which no text can be read."""
    one_of("unit", unit, UNITS)
    flag("vocabulary", vocabulary)
    whole("n_features", n_features, least=2)
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
        enough = "is in any text" if fewest == 1 else f"is in {fewest} texts"
        raise DataError(f"The vocabulary is empty: no word {enough}.")
    return np.array(kept, object)


def one_of(name: str, value: Any, options: Iterable[Any]) -> None:
    """Require one of some options."""
    allowed = list(options)
    plain = value is None or isinstance(value, (str, bool, int, float))  # no array, for one
    if not plain or not any(value is option or value == option for option in allowed):
        listed = ", ".join(repr(option) for option in allowed)
        raise ParameterError(f"{name} must be one of {listed}; got {value!r}.")


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
    below: float | None = None,
    optional: bool = False,
) -> None:
    """Require a finite number in a range (or None, where it is optional)."""
    if optional and value is None:
        return
    wanted = _range(above, least, most, below)
    x = _float(value)  # NaN is in no range
    good = math.isfinite(x) and (above is None or x > above) and (least is None or x >= least)
    good = good and (most is None or x <= most) and (below is None or x < below)
    if not good:
        nothing = ", or None" if optional else ""
        raise ParameterError(f"{name} must be a finite number{wanted}{nothing}; got {value!r}.")


def _float(value: Any) -> float:
    """A real number as a float; NaN for anything else, and ∞ for what is beyond all floats."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def whole(name: str, value: Any, *, least: int, optional: bool = False) -> None:
    """Require an integer that is large enough (or None, where it is optional)."""
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        nothing = ", or None" if optional else ""
        raise ParameterError(
            f"{name} must be an integer of at least {least}{nothing}; got {value!r}."
        )


def verbosity(name: str, value: Any) -> None:
    """Require a verbosity: an integer, or True or False."""
    if not isinstance(value, bool):
        whole(name, value, least=0)


def flag(name: str, value: Any) -> None:
    """Require True or False."""
    if not isinstance(value, bool) and type(value).__name__ not in {"bool", "bool_"}:
        raise ParameterError(f"{name} must be True or False; got {value!r}.")


def jobs(name: str, value: Any) -> None:
    """Require a number of threads: None for one, −1 for all cores."""
    if value is not None and (not isinstance(value, Integral) or int(value) == 0):
        raise ParameterError(f"{name} must be None or an integer other than 0; got {value!r}.")


def class_weight(name: str, value: Any) -> None:
    """Require None, "balanced" or weights by label, finite and not negative."""
    if value is None or (isinstance(value, str) and value == "balanced"):
        return
    if not isinstance(value, dict):
        raise ParameterError(f"{name} must be None, 'balanced' or a dict by label; got {value!r}.")
    for label, weight in value.items():
        number(f"{name}[{label!r}]", weight, least=0)


def _range(
    above: float | None, least: float | None, most: float | None, below: float | None
) -> str:
    parts = []
    if above is not None:
        parts.append(f"above {above:g}")
    if least is not None:
        parts.append(f"of at least {least:g}")
    if most is not None:
        parts.append(f"of at most {most:g}")
    if below is not None:
        parts.append(f"below {below:g}")
    return "".join(f" {part}" for part in [" and ".join(parts)] if part)
