"""The time that a search may take, and what it tells whoever listens."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

import numpy as np


class Progress(NamedTuple):
    """One step of the search, for whoever watches."""

    stage: str
    seconds: float
    step: int
    working_set: int
    mistakes: int


@dataclass(frozen=True, eq=False)
class Watch:
    """Tells the time and the listener."""

    limit: float | None = None
    progress: Callable[[Progress], None] | None = None
    start: float = field(default_factory=monotonic)

    def left(self) -> float:
        """Seconds before the time limit, infinite without one."""
        return np.inf if self.limit is None else self.limit - (monotonic() - self.start)

    def late(self) -> bool:
        """Say whether the time limit has passed."""
        return self.left() < 0

    def allows(self, seconds: float) -> bool:
        """Say whether a step that cannot be stopped would end before the time limit."""
        return seconds <= self.left()

    def tell(self, stage: str, step: int = 0, working_set: int = 0, mistakes: int = 0) -> None:
        """Report a step."""
        if self.progress is not None:
            self.progress(Progress(stage, monotonic() - self.start, step, working_set, mistakes))
