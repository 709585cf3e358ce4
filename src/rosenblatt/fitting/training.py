"""An estimator that learns from rows, its settings chosen where they are not given."""

from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt.fitting.building import Built
from rosenblatt.fitting.choosing import auto_settings
from rosenblatt.fitting.rules import Rule, estimator_of

Listen = Callable[[str], None]


def trained(
    rule: Rule,
    settings: Mapping[str, Any],
    built: Built,
    n_classes: int,
    listen: Listen = lambda _: None,
) -> Any:
    """An estimator that learned the codes from the rows."""
    if rule is Rule.AUTO:
        listen("Choosing C")
        settings = auto_settings(built, n_classes, settings)
    listen("Training")
    return estimator_of(rule, settings).fit(built.X, built.codes)
