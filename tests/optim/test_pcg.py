"""Newton systems are solved, and predicted dual variables prove no more than their dual value."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import entr

from rosenblatt.data.training_data import Blocks, unlabelled
from rosenblatt.data.validation import rows_of
from rosenblatt.kernels.rows import n_rows
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, SQUARED_HINGE
from rosenblatt.optim import hessian
from rosenblatt.optim.certificate import prove
from rosenblatt.optim.hessian import NewtonSystem, UpdatedGram
from rosenblatt.optim.newton import evaluate, iterate_at
from rosenblatt.optim.objective import BinaryObjective, SmoothedHinge
from rosenblatt.optim.pcg import DIRECT_SOLVES, AdaptivePCG, any_residual, iterations_left
from rosenblatt.types import Floats, Ints

STORES = {
    "float64": np.float64,
    "float32": np.float32,
    "csr": lambda X: rows_of(sparse.csr_array(X)),
}


def objective_of(
    X: Any, loss: int, *, fit_intercept: bool = True, C: float = 1.0
) -> BinaryObjective:
    """Random classes, rows of different C."""
    rng = np.random.default_rng(7)
    n = n_rows(X)
    signs = rng.choice([-1.0, 1.0], n)
    sample_C = C * rng.uniform(0.5, 2.0, n)
    return BinaryObjective(
        Blocks(unlabelled(X)), loss, signs, sample_C, l2=0.7, fit_intercept=fit_intercept
    )


def table(n: int, d: int) -> Floats:
    return np.random.default_rng(n).normal(0.3, 1.0, (n, d)).astype(np.float32).astype(np.float64)


def matrix(system: NewtonSystem, X: Floats) -> Floats:
    """H, written out."""
    Z = np.column_stack([X, np.ones(len(X))])[system.rows]
    H = Z.T @ (system.curvatures[:, None] * Z)
    if not system.objective.fit_intercept:
        H[-1], H[:, -1] = 0.0, 0.0
        H[-1, -1] = 1.0
    return np.asarray(H + system.objective.l2 * np.diag(np.r_[np.ones(X.shape[1]), 0.0]))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("apart", [1e-3, 0.3, 3.0])
def test_predicted_alpha_proves_no_more_than_their_dual_value(
    store: str, apart: float, *, fit_intercept: bool
) -> None:
    X = table(203, 5)
    objective = objective_of(STORES[store](X), LOGISTIC, fit_intercept=fit_intercept)
    rng = np.random.default_rng(1)
    iterate = iterate_at(objective, np.append(0.4 * rng.normal(size=5), 0.1 * fit_intercept))
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
    assert not fit_intercept or alpha @ objective.signs == 0.0
    assert (alpha >= 0.0).all()
    assert (alpha <= objective.sample_C).all()
    assert bounds.dual <= max(dual, 0.0) + 1e-12 * abs(dual)
    gap = bounds.primal - bounds.dual  # at most twice the true gap
    assert gap <= 2.0 * (bounds.primal - max(dual, 0.0)) + 1e-12 * abs(dual)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_an_updated_gram_follows_rows_that_enter_and_leave(
    store: str, *, fit_intercept: bool
) -> None:
    X = table(300, 7)
    objective = objective_of(STORES[store](X), SQUARED_HINGE, fit_intercept=fit_intercept)
    rng = np.random.default_rng(2)
    b = rng.normal(size=8)
    b[-1] *= fit_intercept
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
    """Systems of a run: curvatures that change, of rows that enter and leave."""
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
@pytest.mark.parametrize("residual_bound", [np.inf, 1e-10])
def test_adaptive_pcg_solves_system_after_system(loss: int, residual_bound: float) -> None:
    X = table(6000, 20)
    pcg = AdaptivePCG(0)
    rng = np.random.default_rng(4)
    for system in systems(loss, X, 5):
        b = rng.normal(size=21)
        H = matrix(system, X)
        x = pcg.solve(system, b, lambda _: residual_bound)
        left = b - H @ x
        assert left @ left <= min(1e-2 * (b @ b), 1.001 * residual_bound)


def test_float32_preconditions_only_where_the_l2_penalty_outweighs_its_rounding() -> None:
    X = table(400, 130).astype(np.float32)
    rows = np.arange(400)
    for C, use_float32 in ((1.0, True), (1e6, False)):
        objective = objective_of(X, SQUARED_HINGE, C=C)
        assert hessian.may_use_float32(objective, objective.sample_C) == use_float32
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
    assert iterations_left(excess=100.0, reduction=0.01, iterations=2) == pytest.approx(2.0)
    assert iterations_left(excess=10.0, reduction=1.0, iterations=2) == np.inf
