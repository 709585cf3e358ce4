"""Validation of estimator parameters, made when a fit begins."""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from rosenblatt.errors import ParameterError


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
