"""A dual point brought nearer to given weights: Σ α y x = ρ w holds at the best of both.

Where a row is long and costly, float64 margins are too coarse to tell α: an error of 1e-16 in a
margin times C times the length of the row may be more than all of w. So α is moved by the least δ,
each row measured by the room it has, that makes up for what Σ α y x misses of ρ w:

    minimise Σ δ²/t  subject to  Σ δ y x = ρ w − Σ α y x,  Σ δ y = 0 with an intercept

by a singular value decomposition of the rows; the right-hand side is summed with compensation.
"""

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.problem import matrix_of
from rosenblatt.data.rows import CSR, n_cols, n_rows
from rosenblatt.rules.losses import SQUARED_HINGE
from rosenblatt.solvers.error_free import read_rows
from rosenblatt.solvers.responses import Task

MOST_OPERATIONS = 10**8  # rows × features²


def is_small(task: Task) -> bool:
    """Whether the rows are few enough to be decomposed."""
    rows = task.blocks.problem.rows
    return n_rows(rows) * (n_cols(rows) + 1) ** 2 <= MOST_OPERATIONS


def refined(task: Task, w: Floats, alpha: Floats) -> Floats:
    """Dual variables whose sum Σ α y x is nearer to ρ w; they may be outside of their bounds."""
    total = read_rows(task.blocks, w, alpha * task.signs).total
    missing = (task.ridge * w[:-1] - total.value) - total.correction
    room = alpha * (
        1.0 if task.loss == SQUARED_HINGE else 1.0 - alpha / np.maximum(task.costs, alpha)
    )
    used = np.flatnonzero(room > 0.0)
    if not (len(used) and np.isfinite(missing).all()):
        return alpha
    rows = task.blocks.problem.rows
    X = matrix_of(rows)[used].toarray() if isinstance(rows, CSR) else rows[used]
    root = np.sqrt(room[used])
    A = (root * task.signs[used])[:, None] * np.column_stack([X, np.ones(len(used))])
    if not task.bias:
        A[:, -1] = 0.0
    move, *_ = np.linalg.lstsq(A.T, np.append(missing, 0.0), rcond=np.finfo(np.float64).eps)
    nearer = alpha.copy()
    nearer[used] += root * move
    return nearer
