"""Blocks of rows: cut by row number alone, added in order, the same bits on any threads."""

import os
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.data import training_data
from rosenblatt.data.training_data import BLOCK_ROWS, Blocks, TrainingData, block_rows, no_weights
from rosenblatt.kernels.rows import CSR, n_rows
from rosenblatt.linalg.scores import scores_of, training_error
from rosenblatt.types import Floats

NARROW, WIDE = 28, 784
SIZES = [1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 5 * BLOCK_ROWS + 7]


@pytest.fixture(autouse=True)
def _blocks_of_the_least_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_data, "BLOCK_ENTRIES", 0)
    monkeypatch.setattr(training_data, "MIN_THREADED_ENTRIES", 0)


def test_blocks_of_short_rows_have_more_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert block_rows(np.zeros((1, WIDE))) == BLOCK_ROWS
    many = block_rows(np.zeros((1, NARROW)))
    assert many > 4 * BLOCK_ROWS
    no_entry = sparse.csr_array((1, NARROW))
    rows = CSR(no_entry.data, no_entry.indices, no_entry.indptr, NARROW)
    assert block_rows(rows) == block_rows(np.zeros((1, NARROW), np.float32)) == many


def data(n: int, *, storage: str = "dense") -> TrainingData:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    rows: Any = X
    if storage == "csr":
        matrix = sparse.csr_array(X)
        rows = CSR(matrix.data, matrix.indices, matrix.indptr, 3)
    codes = rng.integers(0, 2, n).astype(np.int8)
    return TrainingData(rows, codes, rng.uniform(0.5, 2, n), np.ones(2))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_blocks_hold_every_row_once_in_order_and_none_is_copied(n: int, storage: str) -> None:
    whole = data(n, storage=storage)
    blocks = Blocks(whole)
    parts = list(blocks)
    assert len(parts) == len(blocks) == -(-n // BLOCK_ROWS)
    assert [n_rows(part.rows) for part in parts[:-1]] == [BLOCK_ROWS] * (len(parts) - 1)
    assert sum(n_rows(part.rows) for part in parts) == n
    np.testing.assert_array_equal(np.concatenate([p.codes for p in parts]), whole.codes)
    np.testing.assert_array_equal(np.concatenate([p.weights for p in parts]), whole.weights)
    W = np.array([[1.0, -2.0, 0.5, 3.0]])
    scores = np.concatenate([scores_of(part.rows, W) for part in parts])
    np.testing.assert_array_equal(scores, scores_of(whole.rows, W))
    for part in parts:
        assert np.shares_memory(part.weights, whole.weights)
        if storage == "dense":
            assert np.shares_memory(part.rows, whole.rows)
        else:
            assert part.rows.data is whole.rows.data
    assert [n_rows(part.rows) for part in blocks] == [n_rows(part.rows) for part in parts]


def weighted_sum(block: TrainingData) -> Floats:
    """Sum whose bits depend on the order of addition."""
    return np.array([(block.weights[:, None] * block.rows).sum(), block.weights.sum()])


@pytest.mark.parametrize("n", SIZES)
def test_a_total_has_the_same_bits_on_one_and_more_threads(n: int) -> None:
    whole = data(n)
    alone = Blocks(whole, 1).total(weighted_sum)
    in_order = weighted_sum(whole.part(0, BLOCK_ROWS))
    for start in range(BLOCK_ROWS, n, BLOCK_ROWS):
        in_order = in_order + weighted_sum(whole.part(start, start + BLOCK_ROWS))
    assert alone.tobytes() == in_order.tobytes()
    for n_jobs in (2, 3):
        for _ in range(3):
            assert Blocks(whole, n_jobs).total(weighted_sum).tobytes() == alone.tobytes()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_gives_the_blocks_in_order_even_if_the_first_is_slow(n_jobs: int) -> None:
    whole = data(6 * BLOCK_ROWS)._replace(weights=np.arange(6 * BLOCK_ROWS, dtype=float))

    def first_weight(block: TrainingData) -> float:
        if block.weights[0] == 0:
            time.sleep(0.05)
        return float(block.weights[0])

    found = list(Blocks(whole, n_jobs).each(first_weight))
    assert found == [k * BLOCK_ROWS for k in range(6)]


def test_two_jobs_do_work_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=10)  # breaks unless two threads are inside at once
    whole = data(4 * BLOCK_ROWS)
    assert Blocks(whole, 2).total(lambda block: meeting.wait() * 0 + len(block.codes)) == (
        4 * BLOCK_ROWS
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_block_comes_out(n_jobs: int) -> None:
    def fails(block: TrainingData) -> float:
        if block.codes[0] >= 0 and len(block.codes) < BLOCK_ROWS:
            raise ZeroDivisionError("in the last block")
        return 0.0

    with pytest.raises(ZeroDivisionError, match="in the last block"):
        Blocks(data(3 * BLOCK_ROWS + 1), n_jobs).total(fails)


def test_the_training_error_over_blocks_is_the_share_by_weight() -> None:
    whole = data(2 * BLOCK_ROWS + 100)
    W = np.array([[1.0, -1.0, 0.0, 0.25]])
    wrong = (whole.rows @ W[0, :3] + 0.25 >= 0) != whole.codes
    share = (whole.weights * wrong).sum() / whole.weights.sum()
    errors = [training_error(Blocks(whole, jobs), W) for jobs in (1, 2)]
    assert errors[0] == errors[1] == pytest.approx(share, rel=1e-12)


def test_no_weights_are_ones_in_the_memory_of_one() -> None:
    ones = no_weights(1_000_000)
    assert ones.shape == (1_000_000,)
    assert ones.strides == (0,)
    assert ones[[0, 999_999]].tolist() == [1, 1]
    assert ones[10:20].strides == (0,)


PLAIN_FIT = """
import numpy as np
import warnings
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from rosenblatt import BatchPerceptron, PassiveAggressive, Perceptron, builtin
warnings.simplefilter("ignore", ConvergenceWarning)  # three passes are few
data = builtin("4f10")
X = sparse.csr_array(data.X) if {sparse} else data.X
for model in (
    Perceptron(shuffle={shuffle}),
    Perceptron(shuffle={shuffle}, keep="average", penalty=None, multi_class="ovr"),
    Perceptron(shuffle={shuffle}, penalty="elasticnet", max_iter=3),
    PassiveAggressive(shuffle={shuffle}, max_iter=3),
    BatchPerceptron(shuffle={shuffle}, batch_size=3),
):
    model.fit(X, data.y)
    three = np.arange(8) % 3
    print(model.coef_.round(9).tolist(), model.intercept_.round(9).tolist(), model.mistakes_)
    model.set_params(max_iter=3).fit(X, three)
    print(model.coef_.round(9).tolist(), model.mistakes_, model.predict(X).tolist())
"""


@pytest.mark.parametrize("shuffle", [False, True])
def test_kernels_run_as_plain_python_with_the_same_result(*, shuffle: bool) -> None:
    # once, if shuffled: the shuffle's uint64 arithmetic overflows by design, of which numpy warns
    # where numba is silent
    outputs = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PLAIN_FIT.format(sparse=False, shuffle=shuffle)],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == 10


def test_sparse_kernels_run_as_plain_python_too() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAIN_FIT.format(sparse=True, shuffle=False)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 10


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_arrays_beside_the_rows_are_cut_as_they_are(n_jobs: int) -> None:
    n = 3 * BLOCK_ROWS + 5
    blocks, numbers, out = Blocks(data(n), n_jobs), np.arange(n, dtype=float), np.zeros(n)

    def here(block: TrainingData, part: Floats, to: Floats) -> float:
        assert n_rows(block.rows) == len(part) == len(to)
        to[:] = 2 * part
        return float(part.sum())

    assert blocks.total(here, numbers, out) == numbers.sum()
    np.testing.assert_array_equal(out, 2 * numbers)
