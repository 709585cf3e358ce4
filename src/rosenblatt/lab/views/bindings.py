"""Binding of Bokeh models: changes in the browser call Python, and changed columns are sent."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource


def on_change(model: Any, attribute: str, callback: Callable[[Any], None]) -> None:
    """Call a function with every new value of an attribute."""

    def changed(attr: str, old: Any, new: Any) -> None:
        del attr, old
        callback(new)

    model.on_change(attribute, changed)


def send(source: ColumnDataSource, columns: Mapping[str, Any]) -> None:
    """Set the columns of a source, and send only those that have changed."""
    held = source.data
    if not _same_shape(held, columns):
        source.data = dict(columns)
        return
    changed = {name: values for name, values in columns.items() if not _same(held[name], values)}
    if changed:
        source.data.update(changed)


def _same_shape(held: Mapping[str, Any], columns: Mapping[str, Any]) -> bool:
    """Whether columns can be replaced one by one, as all have the same lengths as before."""
    return held.keys() == columns.keys() and all(
        len(held[name]) == len(values) for name, values in columns.items()
    )


def _same(held: Any, values: Any) -> bool:
    """Whether a column of numbers, strings or images equals the current one."""
    if isinstance(values, np.ndarray):
        return isinstance(held, np.ndarray) and np.array_equal(held, values, equal_nan=True)
    if len(values) and isinstance(values[0], np.ndarray):
        return all(_same(before, now) for before, now in zip(held, values, strict=True))
    return bool(held == values)
