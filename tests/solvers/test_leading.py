"""Systems of Newton's steps are solved, and pulls that were only expected prove what they say."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import entr

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.door import rows_of
from rosenblatt.data.problem import unlabelled
from rosenblatt.data.rows import n_rows
from rosenblatt.rules.losses import HINGE, LOGISTIC, SQUARED_HINGE
from rosenblatt.solvers import factors
from rosenblatt.solvers.duality_gap import prove
from rosenblatt.solvers.factors import Following
from rosenblatt.solvers.leading import TRUSTED, Leader, anything, iterations_left
from rosenblatt.solvers.newton import look, place_at
from rosenblatt.solvers.responses import Floor, Task
from rosenblatt.solvers.system import System

STORES = {
    "float64": np.float64,
    "float32": np.float32,
    "csr": lambda X: rows_of(sparse.csr_array(X)),
}


def task_of(X: Any, loss: int, *, bias: bool = True, cost: float = 1.0) -> Task:
    """Classes by chance, rows of different costs."""
    rng = np.random.default_rng(7)
    n = n_rows(X)
    signs = rng.choice([-1.0, 1.0], n)
    costs = cost * rng.uniform(0.5, 2.0, n)
    return Task(Blocks(unlabelled(X)), loss, signs, costs, ridge=0.7, bias=bias)


def table(n: int, d: int) -> Floats:
    return np.random.default_rng(n).normal(0.3, 1.0, (n, d)).astype(np.float32).astype(np.float64)


def matrix(system: System, X: Floats) -> Floats:
    """H, written out."""
    Z = np.column_stack([X, np.ones(len(X))])[system.chosen]
    H = Z.T @ (system.curvatures[:, None] * Z)
    if not system.task.bias:
        H[-1], H[:, -1] = 0.0, 0.0
        H[-1, -1] = 1.0
    return np.asarray(H + system.task.ridge * np.diag(np.r_[np.ones(X.shape[1]), 0.0]))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("apart", [1e-3, 0.3, 3.0])
def test_expected_pulls_prove_no_more_than_their_dual_value(
    store: str, apart: float, *, bias: bool
) -> None:
    X = table(203, 5)
    task = task_of(STORES[store](X), LOGISTIC, bias=bias)
    rng = np.random.default_rng(1)
    place = place_at(task, np.append(0.4 * rng.normal(size=5), 0.1 * bias))
    look(task, place, Floor(task.costs, 1.0), anew=True)
    away = apart * rng.normal(size=len(X)) * place.curvatures
    pulls = np.clip(place.pulls + away, 0.0, task.costs)
    bounds, alpha, _ = prove(task, place.w, pulls, 1e-9)
    shares = alpha / task.costs
    v = X.T @ (alpha * task.signs)
    dual = float(
        (task.costs * (entr(shares) + entr(1.0 - shares))).sum() - v @ v / (2 * task.ridge)
    )
    assert not bias or alpha @ task.signs == 0.0
    assert (alpha >= 0.0).all()
    assert (alpha <= task.costs).all()
    assert bounds.bound <= max(dual, 0.0) + 1e-12 * abs(dual)
    gap = bounds.objective - bounds.bound  # what is given away is told no more than twice
    assert gap <= 2.0 * (bounds.objective - max(dual, 0.0)) + 1e-12 * abs(dual)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("bias", [False, True])
def test_a_factor_follows_rows_that_come_and_go(store: str, *, bias: bool) -> None:
    X = table(300, 7)
    task = task_of(STORES[store](X), SQUARED_HINGE, bias=bias)
    rng = np.random.default_rng(2)
    b = rng.normal(size=8)
    b[-1] *= bias
    first = np.sort(rng.permutation(300)[:200])
    following = Following(System(task, first, 2.0 * task.costs[first]))
    for stiffness in (2.0, 2.0, 9.0):
        chosen = np.setxor1d(first, rng.permutation(300)[:40])
        system = System(task, chosen, stiffness * task.costs[chosen])
        assert following.fits(system)
        wanted = np.linalg.solve(matrix(system, X), b)
        assert following.solver(system)(b) == pytest.approx(wanted, rel=1e-9)
    assert not following.fits(System(task, first[:5], 2.0 * task.costs[first[:5]]))


def systems(loss: int, X: Any, n: int) -> list[System]:
    """Systems of a run: curvatures that change, of rows that come and go."""
    task, rng = task_of(X, loss), np.random.default_rng(3)
    found = []
    for k in range(n):
        chosen: Ints = np.arange(len(X))
        curvatures = task.costs * rng.uniform(0.01, 0.25, len(chosen))
        if loss != LOGISTIC:
            chosen = np.flatnonzero(rng.random(len(chosen)) < 0.6)
            curvatures = task.costs[chosen] * (2.0 if loss == SQUARED_HINGE else 2.0**k)
        found.append(System(task, chosen, curvatures))
    return found


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE, LOGISTIC])
@pytest.mark.parametrize("allowed", [np.inf, 1e-10])
def test_one_leader_solves_system_after_system(loss: int, allowed: float) -> None:
    X = table(6000, 20)
    leader = Leader(0)
    rng = np.random.default_rng(4)
    for system in systems(loss, X, 5):
        b = rng.normal(size=21)
        H = matrix(system, X)
        x = leader.solve(system, b, lambda _: allowed)
        left = b - H @ x
        assert left @ left <= min(1e-2 * (b @ b), 1.001 * allowed)


def test_float32_leads_only_where_the_ridge_outweighs_its_rounding() -> None:
    X = table(400, 130).astype(np.float32)
    rows = np.arange(400)
    for cost, rough in ((1.0, True), (1e6, False)):
        task = task_of(X, SQUARED_HINGE, cost=cost)
        assert factors.is_rough(task, task.costs) == rough
        system = System(task, rows, 2.0 * task.costs)
        b = np.ones(131)
        wanted = np.linalg.solve(matrix(system, X.astype(np.float64)), b)
        assert Leader(0).solve(system, b, lambda _: 1e-16) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("store", STORES)
def test_a_trusted_factor_solves_alone_and_is_looked_at_again(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = table(300, 30)
    task = task_of(STORES[store](X), SQUARED_HINGE)
    leader, rng, products = Leader(0), np.random.default_rng(5), []
    times = System.times
    monkeypatch.setattr(System, "times", lambda s, p: (products.append(p), times(s, p))[1])
    chosen, asked = np.arange(200), []
    for k in range(2 * TRUSTED + 2):
        system = System(task, chosen + k, 2.0 * task.costs[chosen + k])
        b, before = rng.normal(size=31), len(products)
        x = leader.solve(system, b, anything)
        assert x == pytest.approx(np.linalg.solve(matrix(system, X), b), rel=1e-8, abs=1e-10)
        asked.append(len(products) - before)
    assert asked == 2 * [1, *TRUSTED * [0]]


def test_iterations_left_go_on_as_those_before() -> None:
    assert iterations_left(over=100.0, share=0.01, taken=2) == pytest.approx(2.0)
    assert iterations_left(over=10.0, share=1.0, taken=2) == np.inf
