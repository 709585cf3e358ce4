"""An estimator that learns from rows, its settings chosen where they are not given."""

from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt.pipeline.choose_c import auto_settings
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.pipeline.rule import Rule, estimator_of

Progress = Callable[[str], None]


def train_estimator(
    rule: Rule,
    settings: Mapping[str, Any],
    encoded: EncodedData,
    n_classes: int,
    progress: Progress = lambda _: None,
) -> Any:
    """An estimator that learned the codes from the rows."""
    if rule is Rule.AUTO:
        progress("Choosing C")
        settings = auto_settings(encoded, n_classes, settings)
    progress("Training")
    return estimator_of(rule, settings).fit(encoded.X, encoded.codes)
