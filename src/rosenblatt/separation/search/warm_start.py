"""A perceptron's proposal: weights that may separate already, and that order the rows if not.

The run is Kesler's rule (for two classes, the plain rule) from w = 0, shuffled, on a float32 copy
whose columns are scaled by powers of two. It returns the last weights of an epoch without a
mistake, or else the average of all weights, which is a better guess. What float32 rounds does not
matter, and of very large tables a systematic sample of the rows will do: whatever is proposed here
is decided elsewhere, on all rows and on the numbers as they are.
"""

import numpy as np

from rosenblatt.data.training_data import TrainingData, no_weights
from rosenblatt.kernels.rows import CSR, Rows
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.online.algorithms import Step
from rosenblatt.online.epochs import run_epochs
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.update import Rule
from rosenblatt.separation.proof.table import Csr, Table
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.working_set import MAX_NEW_PAIRS
from rosenblatt.types import Array, Floats

MAX_ENTRIES = 1 << 26  # numbers to copy
MAX_PRODUCTS = 500_000_000  # products of a number and a weight to spend
MAX_EPOCHS = 100
SLOW_DECREASE = 0.8  # a run that keeps more of its mistakes than this over two epochs is left


def propose(space: Space, deadline: Deadline) -> tuple[Floats, bool]:
    """Run the perceptron; return weights, and whether floats saw no mistake in an epoch."""
    table, n_vectors = some_rows(space.table), space.n_vectors
    data = table.values
    if table.n * (len(table.classes) - 1) <= MAX_NEW_PAIRS or data.dtype.kind == "O":
        # so few rows all go into the working set; Python integers fit no kernel
        return np.zeros((n_vectors, space.width)), False
    classes = np.ones(len(table.classes))
    problem = TrainingData(
        scaled_rows(space, table, data), table.codes, no_weights(table.n), classes
    )
    start = np.zeros((n_vectors, table.d + 1))
    memory = OptimiserState.from_weights(start, len(classes), keep="average", l1=False)
    most = int(np.clip(MAX_PRODUCTS // max(1, data.size * n_vectors), 5, MAX_EPOCHS))
    history = [table.n, table.n]
    for state in run_epochs(problem, rule_of(space), memory, seed=0):
        history.append(state.mistakes)
        deadline.report("perceptron", state.epoch, table.n, state.mistakes)
        if state.mistakes == 0:
            return _unscaled(space, memory.last()), True
        if deadline.passed() or state.epoch == most or state.mistakes > SLOW_DECREASE * history[-3]:
            break
    return _unscaled(space, memory.average()), False


def some_rows(table: Table) -> Table:
    """Every row, or every so manyth where a copy of all would be large: data may be on disk."""
    step = -(-table.values.size // MAX_ENTRIES)
    if step <= 1:
        return table
    if isinstance(table.X, Csr):
        return table.take(np.arange(0, table.n, step))
    return Table(table.X[::step], table.codes[::step], table.classes)


def scaled_rows(space: Space, table: Table, data: Array) -> Rows:
    """Rows with scaled columns, in float32."""
    X, out = table.X, np.empty(data.shape, np.float32)
    scale = space.scale[X.indices] if isinstance(X, Csr) else space.scale[: table.d]
    np.multiply(data, scale, out=out, casting="same_kind")
    return CSR(out, X.indices, X.indptr, table.d) if isinstance(X, Csr) else out


def rule_of(space: Space) -> Rule:
    """The perceptron's rule on the scaled rows, the constant 1 scaled like a column."""
    constant = float(space.scale[-1]) if space.fit_intercept else 0.0
    return Rule(
        int(Loss.PERCEPTRON),
        int(Step.CONSTANT),
        constant=constant,
        kesler=space.n_vectors > 1,
    )


def _unscaled(space: Space, W: Floats) -> Floats:
    """Weights in the units of the data, without a last column where there is no intercept."""
    return W[:, : space.width] * space.scale
