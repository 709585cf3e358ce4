"""Tables larger than memory: rows from a file, in many blocks, some of them for the proposal."""

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof import table, validation
from rosenblatt.separation.search import perceptron


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(table, "BLOCK_ENTRIES", 64)
    monkeypatch.setattr(perceptron, "MAX_ENTRIES", 2000)
    monkeypatch.setattr(validation, "LABELS_AT_ONCE", 100)


def clouds(answer):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 6)).astype(np.float32)
    score = X @ rng.normal(size=6).astype(np.float32)
    near = np.abs(score) < 0.05
    X, y = X[~near], np.where(score[~near] > 0, "yes", "no")
    if answer == "inseparable":
        y[7] = "no" if y[7] == "yes" else "yes"
    return X, y


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("answer", ["separable", "inseparable"])
@pytest.mark.parametrize("storage", ["mapped", "sparse"])
def test_many_blocks_give_the_verdict_of_one(tmp_path, answer, storage):
    X, y = clouds(answer)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    proof = separability(sparse.csr_array(X) if storage == "sparse" else mapped, y)
    assert proof.answer == answer
    assert proof.verify(X, y)


@pytest.mark.usefixtures("small_blocks")
def test_every_so_manyth_row_is_proposed_from():
    X, y = clouds("separable")
    rows = validation.read_table(X, y)
    some = perceptron.some_rows(rows)
    assert some.n * some.d <= perceptron.MAX_ENTRIES + some.d
    step = -(-rows.n // some.n)
    np.testing.assert_array_equal(some.X, X[::step])
    packed = perceptron.some_rows(validation.read_table(sparse.csr_array(X), y))
    np.testing.assert_array_equal(packed.codes, some.codes)


def test_parts_are_copied_while_they_are_small(monkeypatch):
    rows = validation.read_table(*clouds("separable"))
    monkeypatch.setattr(table, "MAX_COPIED_NUMBERS", 100 * rows.d)
    assert rows.may_copy(100)
    assert not rows.may_copy(101)
