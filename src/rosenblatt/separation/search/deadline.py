"""The time that a search may take, and reports of its progress."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, thread_time
from typing import NamedTuple

import numpy as np

from rosenblatt.errors import ParameterError


class Progress(NamedTuple):
    """One step of the search."""

    stage: str
    seconds: float
    step: int
    working_set: int
    mistakes: int


@dataclass(frozen=True, eq=False)
class Deadline:
    """A time limit, and the function that is called with the progress."""

    limit: float | None = None
    progress: Callable[[Progress], None] | None = None
    start: float = field(default_factory=monotonic)
    clock: Callable[[], float] = monotonic

    @classmethod
    def of_this_thread(
        cls, limit: float, progress: Callable[[Progress], None] | None
    ) -> "Deadline":
        """The deadline of a limit in processor time: the same on a busy machine."""
        return cls(limit, progress, thread_time(), thread_time)

    @classmethod
    def within(
        cls, time_limit: float | None, progress: Callable[[Progress], None] | None
    ) -> "Deadline":
        """The deadline of a time limit that a user has given."""
        if time_limit is not None and not time_limit > 0:
            wanted = "time_limit must be positive, or None for none"
            raise ParameterError(f"{wanted}; got {time_limit}.")
        return cls(time_limit, progress)

    def seconds_left(self) -> float:
        """Seconds before the time limit, infinite without one."""
        return np.inf if self.limit is None else self.limit - self.spent()

    def spent(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.start

    def passed(self) -> bool:
        """Say whether the time limit has passed."""
        return self.seconds_left() < 0

    def allows(self, seconds: float) -> bool:
        """Say whether a step that cannot be stopped would end before the time limit."""
        return seconds <= self.seconds_left()

    def report(self, stage: str, step: int = 0, working_set: int = 0, mistakes: int = 0) -> None:
        """Report a step."""
        if self.progress is not None:
            self.progress(Progress(stage, self.spent(), step, working_set, mistakes))
