"""Log messages of a running fit, with the progress made.

A log record has the attribute `share` besides its message: 0 at the start of the run, 1 where it
has to end. Progress bars are drawn by that.
"""

import logging
import math

from rosenblatt.trace.trace import Certified, Record

_LOG = logging.getLogger("rosenblatt")
MIN_GAP = 1e-15  # duality gap below which float64 has no digits


def log_epoch(record: Record, max_iter: int, *, verbose: bool = False) -> None:
    """Log an epoch, at level INFO if verbose, else DEBUG."""
    level = logging.INFO if verbose else logging.DEBUG
    values = (record.passes, record.mistakes, record.loss)
    share = {"share": record.passes / max_iter}
    _LOG.log(level, "pass %d: %d mistakes, loss %.6g", *values, extra=share)


def log_step(record: Certified, tol: float) -> None:
    """Log a step of a certified solver; progress is measured in digits of the duality gap."""
    share = min(1.0, correct_digits(record.gap) / (correct_digits(tol) or math.inf))
    _LOG.info("step %d: gap %.1e", record.step, record.gap, extra={"share": share})


def correct_digits(gap: float) -> float:
    """How many decimal digits a relative gap leaves right."""
    return -math.log10(min(1.0, max(gap, MIN_GAP)))
