"""scikit-learn's ConvergenceWarning, where a fit ends before it has arrived.

=================================================  ===============================================
rule                                               warns where
=================================================  ===============================================
`LinearSVM`, `LogisticRegression`                  the gap is not certified to be at most `tol`
rules with epochs, `tol` a number                  epochs or time ran out before the loss levelled
                                                   off
rules with epochs, `tol=None`                      never: as in scikit-learn, epochs were asked for
any rule that diverges                             always
=================================================  ===============================================

The message is `outcome_`, which says the same without a warning. Commands print outcomes, and do
not load scikit-learn to warn of them: see `outcomes_alone`.
"""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line imports this module before it knows whether it will fit
    from rosenblatt.online.result import Outcome

# names of endings
UNCERTIFIED = {"MAX_STEPS_REACHED", "TIME_LIMIT_REACHED", "AT_ROUNDING", "SEPARATED"}
SPENT = {
    "MAX_EPOCHS_REACHED",
    "LOSS_REMAINS",
    "MAX_DESCENT_EPOCHS_REACHED",
    "MAX_REGRESSION_EPOCHS_REACHED",
    "EPOCH_TIME_LIMIT_REACHED",
}
DIVERGED = "DIVERGED"

PACKAGE = "rosenblatt."

_lock = Lock()
_users_of_outcomes = 0


@contextmanager
def outcomes_alone() -> Iterator[None]:
    """Let fits tell how they ended by `outcome_` alone, in all threads, for as long as this holds.

    For programs that print the outcome themselves.
    """
    _count_user(1)
    try:
        yield
    finally:
        _count_user(-1)


def warn_unless_converged(outcome: "Outcome", tol: float | None) -> None:
    """Warn whoever called `fit` where its outcome is none to rely on."""
    ending = outcome.ending.name
    spent = ending in SPENT and tol is not None
    if _users_of_outcomes or not (spent or ending in UNCERTIFIED or ending == DIVERGED):
        return
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 (slow to import)

    warnings.warn(str(outcome), ConvergenceWarning, stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    """How many calls lie between the warning and whoever called this package."""
    frame, levels = sys._getframe(2), 2  # noqa: SLF001 (what warnings themselves count by)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(PACKAGE):
        frame, levels = frame.f_back, levels + 1
    return levels


def _count_user(change: int) -> None:
    global _users_of_outcomes  # noqa: PLW0603 (threads of a command share it)
    with _lock:
        _users_of_outcomes += change
