"""Second-order online learning: AROW and the second-order perceptron, one epoch loop for both.

The weights w have a covariance Σ, initially I, for their uncertainty. With (x, 1), the intercept
inside w, a margin m and a number r > 0, an update by a row is

    β = 1 / (xᵀΣx + r),    w ← w + β (1 − m) y Σx,    Σ ← Σ − β Σx xᵀΣ.

With an update at every row, this is recursive least squares: with A = rI + ∑ xxᵀ and v = ∑ yx over
the rows so far, Σ = rA⁻¹ and w = A⁻¹v, the ridge solution. For A + xxᵀ and v + yx, by Sherman and
Morrison,

    (A + xxᵀ)⁻¹ = A⁻¹ − A⁻¹x xᵀA⁻¹ / (1 + xᵀA⁻¹x),    (A + xxᵀ)⁻¹x = A⁻¹x / (1 + xᵀA⁻¹x),

so r(A + xxᵀ)⁻¹ = Σ − β Σx xᵀΣ and (A + xxᵀ)⁻¹(v + yx) = w + (y − w·x) β Σx. Two rules make
the update:

* AROW where m < 1, where the hinge has a loss (Crammer, Kulesza and Dredze 2009);
* the second-order perceptron where m ≤ 0, at mistakes, with a for r (Cesa-Bianchi, Conconi and
  Gentile 2005). They predict by vᵀ(A + xxᵀ)⁻¹x, which by the second formula has the sign of w·x.

A row of weight ω counts ω times, A + ωxxᵀ and v + ωyx: the same step with r / ω for r.

Several outputs have a Σ each. In Kesler's construct the row is x at its own class and −x at the
rival, so that its variance is the sum of both; both are updated, and the covariance between the
two is neglected.

Stored is a square root S, Σ = SSᵀ, which keeps Σ symmetric and positive semidefinite under rounding
(Potter 1963): with f = Sᵀx the step is S ← S − c Sf fᵀ, where c = β / (1 + √u), and u = 1 − β fᵀf
is the share of the variance along the row that is left. The diagonal form keeps only the diagonal,
and takes that of the step: Σ_jj ← Σ_jj − β (Σ_jj x_j)². Roots S and −S are the same Σ.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.shuffle import SampleOrder
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import UINT, Rows, dot, entry, n_cols, n_entries, prefetch_row
from rosenblatt.losses.margin_losses import flat_beyond
from rosenblatt.online.sample_loop import copy_into, count_mistakes
from rosenblatt.online.state import LOSS, ROWS, UPDATES, OptimiserState
from rosenblatt.online.update import (
    ALL_FINITE,
    Rule,
    Sample,
    balanced_weight,
    update_all,
    update_squared_norm,
    worst_margin,
)
from rosenblatt.types import Floats

# A row leaves at least this share of the variance along it. A smaller one (with features above
# 2⁴⁰ √r) is lost to rounding; at 0 there would be no more updates along that row.
MIN_REMAINING_VARIANCE = 2.0**-80
MIN_VARIANCE = 2.0**-1022  # a row of less variance makes no update; 1 / it is finite


class CovarianceUpdate(NamedTuple):
    """Rank-one downdate of Σ by `gain` Σx xᵀΣ, which leaves a `share` of the variance along x."""

    gain: float
    share: float


def identity_roots(n_outputs: int, n_weights: int, *, full: bool) -> Floats:
    """Roots of the covariance I, stacked over the outputs: a matrix each, or a diagonal each."""
    one_unit = np.eye(n_weights) if full else np.ones((1, n_weights))
    return np.tile(one_unit, (n_outputs, 1))


def covariance_of(state: OptimiserState) -> Floats:
    """Covariance of the weights of each output: a matrix, or its diagonal."""
    n_outputs, n_weights = state.W.shape
    if len(state.aux) == n_outputs:
        return np.square(state.aux)
    roots = state.aux.reshape(n_outputs, n_weights, n_weights)
    return np.stack([(P + P.T) / 2.0 for P in (S @ S.T for S in roots)])


@njit(cache=True, nogil=True)
def second_order_epoch(
    data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState
) -> int:
    """Train on each sample once; position of the first not finite, or −1."""
    X, codes, weights, class_weights = data
    order, prefetch = sampling
    W, weighted_update_sum, pocket, roots, counts, counters, sums = state
    n_outputs, d = len(W), n_cols(X)
    height = len(roots) // n_outputs  # rows of a root
    scores, gaps, variances = np.empty(n_outputs), np.empty(n_outputs), np.empty(n_outputs)
    F, g = np.empty((n_outputs if height > 1 else 0, d + 1)), np.empty(d + 1)
    for place in range(len(order)):
        i = order[place]
        prefetch_row(X, prefetch[place])
        for k in range(n_outputs):
            scores[k] = dot(X, i, W[k]) + rule.constant * W[k, d]
        if not np.isfinite(scores[codes[i] if rule.kesler else 0]):
            return place
        safe = worst_margin(scores, codes[i], rule) > flat_beyond(rule.loss)
        if not safe and not np.isfinite(update_squared_norm(X, i, rule)):  # no variance is more
            return place
        if rule.balanced:
            counts[codes[i]] += 1
        if safe:
            continue
        n = counters[ROWS] + place + 1
        weight = weights[i] * class_weights[codes[i]] * balanced_weight(rule, counts, codes[i], n)
        mistakes, loss = update_all(scores, Sample(codes[i], weight, n, 0.0), rule, gaps)
        sums[LOSS] += loss
        if mistakes > 0 and count_mistakes(mistakes, n, counters) and len(pocket) > 0:
            copy_into(pocket, W)
        for k in range(n_outputs):
            root = roots[k * height : (k + 1) * height]
            variances[k] = variance_of(X, i, rule.constant, root, F, k) if gaps[k] != 0.0 else 0.0
        for k in range(n_outputs):
            if gaps[k] == 0.0:
                continue
            others, noise = sum_of_others(variances, k) if rule.kesler else 0.0, rule.cap / weight
            gain = 1.0 / max(variances[k] + others + noise, MIN_VARIANCE)
            if variances[k] + others < MIN_VARIANCE or gain == 0.0:  # too short or too light a row
                continue
            downdate = CovarianceUpdate(gain, max(gain * (others + noise), MIN_REMAINING_VARIANCE))
            root = roots[k * height : (k + 1) * height]
            if height > 1:
                update_full_root(root, F[k], downdate, g)
            else:
                update_diagonal_root(X, i, rule.constant, root[0], downdate, g)
            add_scaled(X, i, gaps[k] * gain, g, W[k], height > 1)
            if len(weighted_update_sum) > 0:
                add_scaled(X, i, (n - 1) * gaps[k] * gain, g, weighted_update_sum[k], height > 1)
            counters[UPDATES] += 1
    counters[ROWS] += len(order)
    return ALL_FINITE


@njit(cache=True, nogil=True, forceinline=True)
def variance_of(X: Rows, i: int, constant: float, S: Floats, F: Floats, k: int) -> float:
    """Variance xᵀΣx of row i at output k; for a full root S, F[k] becomes Sᵀx."""
    d = n_cols(X)
    if len(S) == 1:
        variance = (constant * S[0, d]) ** 2
        for e in range(n_entries(X, i)):
            j, x = entry(X, i, e)
            variance += (x * S[0, j]) ** 2
        return float(variance)
    f, width = F[k], UINT(d + 1)
    for c in range(width):
        f[c] = constant * S[UINT(d), c]
    for e in range(n_entries(X, i)):
        j, x = entry(X, i, e)
        if x != 0.0:
            for c in range(width):
                f[c] += x * S[j, c]
    return dot(F, k, f)


@njit(cache=True, nogil=True, forceinline=True)
def sum_of_others(variances: Floats, k: int) -> float:
    """Sum of the variances of the other outputs (a difference would lose the small ones)."""
    total = 0.0
    for other in range(len(variances)):
        if other != k:
            total += variances[other]
    return total


@njit(cache=True, nogil=True, forceinline=True)
def update_full_root(S: Floats, f: Floats, downdate: CovarianceUpdate, g: Floats) -> None:
    """Write g = Σx, and update S to the root of Σ − gain Σx xᵀΣ, in one pass over S."""
    c = downdate.gain / (1.0 + np.sqrt(downdate.share))
    for j in range(UINT(len(S))):
        g[j] = dot(S, j, f)
        amount = c * g[j]
        for q in range(UINT(len(f))):
            S[j, q] -= amount * f[q]


@njit(cache=True, nogil=True, forceinline=True)
def update_diagonal_root(
    X: Rows, i: int, constant: float, s: Floats, downdate: CovarianceUpdate, g: Floats
) -> None:
    """The same for a diagonal Σ: update g_j and s_j for the features of row i only."""
    d = n_cols(X)
    for e in range(n_entries(X, i)):
        j, x = entry(X, i, e)
        g[j] = s[j] * s[j] * x
        s[j] *= root_factor(downdate, g[j] * x)
    g[d] = s[d] * s[d] * constant
    s[d] *= root_factor(downdate, g[d] * constant)


@njit(cache=True, nogil=True, forceinline=True)
def root_factor(downdate: CovarianceUpdate, variance: float) -> float:
    """Factor of a root whose part of the row's variance is given.

    A part is at most the whole, of which a share is left; rounding must not leave less.
    """
    return float(np.sqrt(max(1.0 - downdate.gain * variance, downdate.share)))


@njit(cache=True, nogil=True, forceinline=True)
def add_scaled(X: Rows, i: int, amount: float, g: Floats, w: Floats, full: bool) -> None:  # noqa: FBT001
    """Add `amount` times g to w: all of it, or the features of row i and the intercept."""
    if full:
        for j in range(len(w)):
            w[j] += amount * g[j]
        return
    for e in range(n_entries(X, i)):
        j, _ = entry(X, i, e)
        w[j] += amount * g[j]
    w[-1] += amount * g[-1]
