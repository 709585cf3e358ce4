"""What a run tells while it goes on: words for the logger, and how far it has come.

A log record has the attribute `share` besides its message: 0 where the run began, 1 where it has to
end. Whoever draws a bar listens to that.
"""

import logging
import math

from rosenblatt.evidence.trace import Certified, Record

_LOG = logging.getLogger("rosenblatt")
NEAREST = 1e-15  # a gap below which float64 sees none


def tell_pass(record: Record, max_iter: int, *, loudly: bool = False) -> None:
    """Log a pass: as information, or only for those who listen closely."""
    level = logging.INFO if loudly else logging.DEBUG
    told = (record.passes, record.mistakes, record.loss)
    share = {"share": record.passes / max_iter}
    _LOG.log(level, "pass %d: %d mistakes, loss %.6g", *told, extra=share)


def tell_step(record: Certified, tol: float) -> None:
    """Log a certified step; every digit of the gap is as long a way."""
    share = min(1.0, digits_of(record.gap) / (digits_of(tol) or math.inf))
    _LOG.info("step %d: gap %.1e", record.step, record.gap, extra={"share": share})


def digits_of(gap: float) -> float:
    """How many decimal digits a relative gap leaves right."""
    return -math.log10(min(1.0, max(gap, NEAREST)))
