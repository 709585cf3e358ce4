"""Two runs of the perceptron: a proposal for any data, and a verdict on few rows of integers.

The proposal is Kesler's rule (for two classes, the plain rule) from w = 0, shuffled, on a float32
copy whose columns are scaled by powers of two. It returns the last weights of an epoch without a
mistake, or else the average of all weights, which is a better guess. What float32 rounds does not
matter, and of very large tables a systematic sample of the rows will do: whatever is proposed here
is decided elsewhere, on all rows and on the numbers as they are.

With integers nothing rounds, and on rows that cannot be separated the weights stay bounded
(Minsky and Papert's cycling theorem), so after finitely many corrections they repeat. The rows
added between two visits of the same weights sum to 0, each as often as it was added: a
certificate. On up to some dozen rows that was 2 to 13 times quicker than the working set; on more
it may take very long, so the number of corrections is limited.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import TrainingData, no_weights
from rosenblatt.kernels.rows import CSR, Rows
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.online.algorithms import Step
from rosenblatt.online.epochs import run_epochs
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.update import Rule
from rosenblatt.separation.proof.table import Csr, Table
from rosenblatt.separation.search import exact
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.kesler import Pairs, Space
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


MAX_PAIRS = 64
MAX_WIDTH = 64
MAX_CORRECTIONS = 300
MAX_VALUE = 2.0**40  # floats hold the weights after all corrections

Vector = tuple[int, ...]


class Run(NamedTuple):
    """How a perceptron's run ended: with weights that separate, or with vectors that sum to 0."""

    w: Vector | None
    added: Counter[int]


def decide_small(space: Space, deadline: Deadline) -> exact.Found | None:
    """Return a verdict if the perceptron reaches one within its corrections."""
    table, wide = space.table, space.n_vectors * space.width
    if table.n * (len(table.classes) - 1) > MAX_PAIRS or wide > MAX_WIDTH:
        return None
    if not table.whole(np.arange(table.n)) or table.column_tops().max() > MAX_VALUE:
        return None
    pairs = space.every_pair()
    run = perceptron(signed_vectors(space, pairs), MAX_CORRECTIONS)
    deadline.report("perceptron", 1, len(pairs.row))
    if run is None:
        return None
    if run.w is not None:
        W = np.array(run.w, dtype=np.float64).reshape(space.n_vectors, space.width)
        return exact.Found(W, None, ()) if space.separated_by(W) else None
    if len(run.added) > max(1, space.n_vectors - 1) * space.width + 1:
        return None  # more vectors than a certificate needs: taking some away costs more than this
    return exact.Found(None, pairs.keep(list(run.added)), tuple(run.added.values()))


def signed_vectors(space: Space, pairs: Pairs) -> list[Vector]:
    """Kesler's vectors of the pairs, in integers."""
    row, column, value = space.table.entries(np.arange(space.table.n))
    Z = [[0] * space.table.d + [1] * space.fit_intercept for _ in range(space.table.n)]
    for i, j, v in zip(row.tolist(), column.tolist(), value.tolist(), strict=True):
        Z[i][j] = int(v)
    own, vectors = space.table.codes[pairs.row].tolist(), []
    for i, c, r in zip(pairs.row.tolist(), own, pairs.rival.tolist(), strict=True):
        blocks = [[0] * space.width for _ in range(space.n_vectors)]
        for k, sign in exact.vectors_of(space, c, r):
            blocks[k] = [sign * z for z in Z[i]]
        vectors.append(tuple(v for block in blocks for v in block))
    return vectors


def perceptron(vectors: list[Vector], corrections: int) -> Run | None:
    """Correct until an epoch has no mistake or starts at weights seen before; None if neither came.

    Examples
    --------
    >>> perceptron([(1, 0), (1, 1)], 10)
    Run(w=(1, 0), added=Counter())
    >>> perceptron([(1, 1), (-1, -1)], 10).added
    Counter({0: 1, 1: 1})
    """
    w: Vector = (0,) * len(vectors[0])
    seen, added = dict[Vector, int](), list[int]()
    while len(added) < corrections:
        if w in seen:
            return Run(None, Counter(added[seen[w] :]))
        seen[w] = len(added)
        for i, a in enumerate(vectors):
            if sum(map(int.__mul__, w, a)) <= 0:
                w = tuple(map(int.__add__, w, a))
                added.append(i)
        if seen.get(w) == len(added):
            return Run(w, Counter())
    return None
