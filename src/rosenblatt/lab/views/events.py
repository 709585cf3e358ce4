"""Callbacks on changes in the browser."""

from collections.abc import Callable
from typing import Any


def on_change(model: Any, attribute: str, callback: Callable[[Any], None]) -> None:
    """Call a function with every new value of an attribute."""

    def changed(attr: str, old: Any, new: Any) -> None:
        del attr, old
        callback(new)

    model.on_change(attribute, changed)
