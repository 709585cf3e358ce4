"""Parameters that estimators of one family share, each declared once."""

from dataclasses import dataclass
from typing import Any


@dataclass(eq=False, repr=False, kw_only=True)
class OnlineParameters:
    """Parameters of estimators that learn online, epoch after epoch."""

    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-3
    shuffle: bool = True
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = 0
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    class_weight: Any = None
    warm_start: bool = False
    keep: str = "last"
    start: str = "zero"
    track_error: bool = False
    time_limit: float | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class ConvexParameters:
    """Parameters of estimators that minimise a convex objective."""

    C: Any = 1.0  # a number, or "cv"
    fit_intercept: bool = True
    tol: float | None = 1e-6
    max_iter: int = 1000
    solver: str = "auto"
    class_weight: Any = None
    warm_start: bool = False
    time_limit: float | None = None
    intercept_scaling: float = 1
    verbose: int = 0
    n_jobs: int | None = None
    random_state: Any = 0
