"""How Python hears of a change in the browser."""

from collections.abc import Callable
from typing import Any


def hear(model: Any, attribute: str, heard: Callable[[Any], None]) -> None:
    """Call a function with every new value of an attribute."""

    def changed(attr: str, old: Any, new: Any) -> None:
        del attr, old
        heard(new)

    model.on_change(attribute, changed)
