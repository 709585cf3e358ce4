"""Systems of Newton's steps are solved, and pulls that were only expected prove what they say."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import entr

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import unlabelled
from rosenblatt.data.validation import rows_of
from rosenblatt.kernels.rows import n_rows
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, SQUARED_HINGE
from rosenblatt.optim import preconditioners
from rosenblatt.optim.certificate import prove
from rosenblatt.optim.hessian import NewtonSystem
from rosenblatt.optim.newton import evaluate, iterate_at
from rosenblatt.optim.objective import BinaryObjective, SmoothedHinge
from rosenblatt.optim.pcg import DIRECT_SOLVES, AdaptivePCG, any_residual, iterations_left
from rosenblatt.optim.preconditioners import UpdatedGram
from rosenblatt.types import Floats, Ints

STORES = {
    "float64": np.float64,
    "float32": np.float32,
    "csr": lambda X: rows_of(sparse.csr_array(X)),
}


def objective_of(X: Any, loss: int, *, bias: bool = True, cost: float = 1.0) -> BinaryObjective:
    """Classes by chance, rows of different costs."""
    rng = np.random.default_rng(7)
    n = n_rows(X)
    signs = rng.choice([-1.0, 1.0], n)
    sample_C = cost * rng.uniform(0.5, 2.0, n)
    return BinaryObjective(Blocks(unlabelled(X)), loss, signs, sample_C, l2=0.7, bias=bias)


def table(n: int, d: int) -> Floats:
    return np.random.default_rng(n).normal(0.3, 1.0, (n, d)).astype(np.float32).astype(np.float64)


def matrix(system: NewtonSystem, X: Floats) -> Floats:
    """H, written out."""
    Z = np.column_stack([X, np.ones(len(X))])[system.rows]
    H = Z.T @ (system.curvatures[:, None] * Z)
    if not system.objective.bias:
        H[-1], H[:, -1] = 0.0, 0.0
        H[-1, -1] = 1.0
    return np.asarray(H + system.objective.l2 * np.diag(np.r_[np.ones(X.shape[1]), 0.0]))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("apart", [1e-3, 0.3, 3.0])
def test_predicted_alpha_proves_no_more_than_their_dual_value(
    store: str, apart: float, *, bias: bool
) -> None:
    X = table(203, 5)
    objective = objective_of(STORES[store](X), LOGISTIC, bias=bias)
    rng = np.random.default_rng(1)
    iterate = iterate_at(objective, np.append(0.4 * rng.normal(size=5), 0.1 * bias))
    evaluate(objective, iterate, SmoothedHinge(objective.sample_C, 1.0), from_scratch=True)
    away = apart * rng.normal(size=len(X)) * iterate.curvatures
    alpha = np.clip(iterate.alpha + away, 0.0, objective.sample_C)
    bounds, alpha, _ = prove(objective, iterate.w, alpha, 1e-9)
    shares = alpha / objective.sample_C
    v = X.T @ (alpha * objective.signs)
    dual = float(
        (objective.sample_C * (entr(shares) + entr(1.0 - shares))).sum()
        - v @ v / (2 * objective.l2)
    )
    assert not bias or alpha @ objective.signs == 0.0
    assert (alpha >= 0.0).all()
    assert (alpha <= objective.sample_C).all()
    assert bounds.dual <= max(dual, 0.0) + 1e-12 * abs(dual)
    gap = bounds.primal - bounds.dual  # what is given away is told no more than twice
    assert gap <= 2.0 * (bounds.primal - max(dual, 0.0)) + 1e-12 * abs(dual)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("bias", [False, True])
def test_an_updated_gram_follows_rows_that_enter_and_leave(store: str, *, bias: bool) -> None:
    X = table(300, 7)
    objective = objective_of(STORES[store](X), SQUARED_HINGE, bias=bias)
    rng = np.random.default_rng(2)
    b = rng.normal(size=8)
    b[-1] *= bias
    first = np.sort(rng.permutation(300)[:200])
    updated_gram = UpdatedGram(NewtonSystem(objective, first, 2.0 * objective.sample_C[first]))
    for stiffness in (2.0, 2.0, 9.0):
        chosen = np.setxor1d(first, rng.permutation(300)[:40])
        system = NewtonSystem(objective, chosen, stiffness * objective.sample_C[chosen])
        assert updated_gram.is_near(system)
        wanted = np.linalg.solve(matrix(system, X), b)
        assert updated_gram.solver(system)(b) == pytest.approx(wanted, rel=1e-9)
    assert not updated_gram.is_near(
        NewtonSystem(objective, first[:5], 2.0 * objective.sample_C[first[:5]])
    )


def systems(loss: int, X: Any, n: int) -> list[NewtonSystem]:
    """Systems of a run: curvatures that change, of rows that come and go."""
    objective, rng = objective_of(X, loss), np.random.default_rng(3)
    found = []
    for k in range(n):
        chosen: Ints = np.arange(len(X))
        curvatures = objective.sample_C * rng.uniform(0.01, 0.25, len(chosen))
        if loss != LOGISTIC:
            chosen = np.flatnonzero(rng.random(len(chosen)) < 0.6)
            curvatures = objective.sample_C[chosen] * (2.0 if loss == SQUARED_HINGE else 2.0**k)
        found.append(NewtonSystem(objective, chosen, curvatures))
    return found


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE, LOGISTIC])
@pytest.mark.parametrize("allowed", [np.inf, 1e-10])
def test_adaptive_pcg_solves_system_after_system(loss: int, allowed: float) -> None:
    X = table(6000, 20)
    pcg = AdaptivePCG(0)
    rng = np.random.default_rng(4)
    for system in systems(loss, X, 5):
        b = rng.normal(size=21)
        H = matrix(system, X)
        x = pcg.solve(system, b, lambda _: allowed)
        left = b - H @ x
        assert left @ left <= min(1e-2 * (b @ b), 1.001 * allowed)


def test_float32_preconditions_only_where_the_l2_penalty_outweighs_its_rounding() -> None:
    X = table(400, 130).astype(np.float32)
    rows = np.arange(400)
    for cost, rough in ((1.0, True), (1e6, False)):
        objective = objective_of(X, SQUARED_HINGE, cost=cost)
        assert preconditioners.may_use_float32(objective, objective.sample_C) == rough
        system = NewtonSystem(objective, rows, 2.0 * objective.sample_C)
        b = np.ones(131)
        wanted = np.linalg.solve(matrix(system, X.astype(np.float64)), b)
        assert AdaptivePCG(0).solve(system, b, lambda _: 1e-16) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("store", STORES)
def test_a_trusted_factor_solves_directly_and_is_checked_again(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = table(300, 30)
    objective = objective_of(STORES[store](X), SQUARED_HINGE)
    pcg, rng, products = AdaptivePCG(0), np.random.default_rng(5), []
    hessian_dot = NewtonSystem.dot
    monkeypatch.setattr(
        NewtonSystem, "dot", lambda s, p: (products.append(p), hessian_dot(s, p))[1]
    )
    chosen, asked = np.arange(200), []
    for k in range(2 * DIRECT_SOLVES + 2):
        system = NewtonSystem(objective, chosen + k, 2.0 * objective.sample_C[chosen + k])
        b, before = rng.normal(size=31), len(products)
        x = pcg.solve(system, b, any_residual)
        assert x == pytest.approx(np.linalg.solve(matrix(system, X), b), rel=1e-8, abs=1e-10)
        asked.append(len(products) - before)
    assert asked == 2 * [1, *DIRECT_SOLVES * [0]]


def test_iterations_left_go_on_as_those_before() -> None:
    assert iterations_left(over=100.0, reduction=0.01, iterations=2) == pytest.approx(2.0)
    assert iterations_left(over=10.0, reduction=1.0, iterations=2) == np.inf
