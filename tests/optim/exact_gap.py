"""The duality gap in exact arithmetic, to check certificates.

Fractions for margins, sums and hinges; balls of 300 bits for exponentials and logarithms. A dual
point that is feasible exactly has D ≤ P*, so (P − D)/P, in this arithmetic, is at least the true
suboptimality (P − P*)/P: a `gap_` that is not below it is true.

    python tests/optim/exact_gap.py [--fits 1200]

makes that many fits over losses, C from 1e-8 to 1e12, offsets up to 2³⁰, scales, separable or not,
weights and classes, and writes the results to benchmarks/results/certificates.md.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
import numpy as np

from rosenblatt import LinearSVM, LogisticRegression

BITS = 300
BINARY = ("hinge", "squared_hinge", "logistic")
LOSSES = (*BINARY, "softmax")
RESULT = Path(__file__).parents[2] / "benchmarks" / "results" / "certificates.md"
HEAD = (
    "{:,} fits, each checked in exact arithmetic by `python tests/optim/exact_gap.py`: every"
    " (P − P*)/P is at most `gap_`, and every certificate holds. Usual: C ≤ 1e6 and columns no"
    " farther from zero than 1e3."
)
USUAL_C, USUAL_OFFSET = 1e6, 1e3  # up to which every fit must reach `tol`


@contextmanager
def precise() -> Iterator[None]:
    """Ball arithmetic with `BITS` bits."""
    before, flint.ctx.prec = flint.ctx.prec, BITS
    try:
        yield
    finally:
        flint.ctx.prec = before


def exact(values: Any) -> list[Fraction]:
    """Floats as the fractions they are."""
    return [Fraction(float(value)) for value in values]


def ball(value: Fraction) -> Any:
    """A fraction as a ball."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Inner product."""
    return sum((u * v for u, v in zip(a, b, strict=True)), Fraction(0))


def loss_of(loss: str, margin: Fraction) -> Any:
    """Loss of a row with C = 1."""
    short = max(Fraction(0), 1 - margin)
    if loss == "logistic":
        return (-ball(margin)).exp().log1p()
    return ball(short if loss == "hinge" else short * short)


def dual_of(loss: str, a: Fraction, c: Fraction) -> Any:
    """What a dual variable, which must be within its bounds, adds to D."""
    assert a >= 0
    assert loss == "squared_hinge" or a <= c
    if loss == "hinge" or a == 0:
        return ball(a)
    if loss == "squared_hinge":
        return ball(a - a * a / (4 * c))
    first = -ball(a) * ball(a / c).log()
    return first if a == c else first - ball(c - a) * ball(-a / c).log1p()


def binary_sides(
    loss: str,
    X: Any,
    signs: Any,
    sample_C: Any,
    point: tuple[Any, float, Any],
    *,
    fit_intercept: bool,
) -> tuple[Any, Any]:
    """P of (w, b) and D of α, as balls."""
    w, b, alpha = exact(point[0]), Fraction(float(point[1])), exact(point[2])
    ys, rows = exact(signs), [exact(x) for x in X]
    assert not fit_intercept or dot(alpha, ys) == 0
    primal = ball(dot(w, w) / 2)
    dual = flint.arb(0)
    v = [Fraction(0)] * len(w)
    for x, y, a, c in zip(rows, ys, alpha, exact(sample_C), strict=True):
        primal += ball(c) * loss_of(loss, y * (dot(x, w) + b))
        dual += dual_of(loss, a, c)
        v = [u + a * y * t for u, t in zip(v, x, strict=True)]
    return primal, dual - ball(dot(v, v) / 2)


def softmax_sides(
    X: Any, codes: Any, sample_C: Any, point: tuple[Any, Any, Any], *, fit_intercept: bool
) -> tuple[Any, Any]:
    """P of (W, b) and D of α = c (e_y − q), as balls."""
    W, b, alpha = [exact(w) for w in point[0]], exact(point[1]), [exact(a) for a in point[2]]
    classes = range(len(W))
    assert all(sum(row) == 0 for row in alpha)
    assert not fit_intercept or all(sum(row[k] for row in alpha) == 0 for k in classes)
    primal, dual = ball(sum((dot(w, w) for w in W), Fraction(0)) / 2), flint.arb(0)
    V = [[Fraction(0)] * len(W[0]) for _ in classes]
    for x, own, a, c in zip([exact(x) for x in X], codes, alpha, exact(sample_C), strict=True):
        scores = [ball(dot(x, W[k]) + b[k]) for k in classes]
        primal += ball(c) * sum((s - scores[own]).exp() for s in scores).log()
        q = [int(k == own) - a[k] / c for k in classes]
        assert min(q) >= 0
        dual -= ball(c) * sum((ball(p) * ball(p).log() for p in q if p), flint.arb(0))
        V = [[u + a[k] * t for u, t in zip(V[k], x, strict=True)] for k in classes]
    return primal, dual - ball(sum((dot(v, v) for v in V), Fraction(0)) / 2)


@dataclass(frozen=True)
class Case:
    """A problem, and how it is to be solved."""

    loss: str
    X: Any
    y: Any
    weights: Any
    C: float
    fit_intercept: bool
    offset: float

    @property
    def is_usual(self) -> bool:
        """Whether every fit must reach its `tol`."""
        return self.C <= USUAL_C and self.offset <= USUAL_OFFSET

    def model(self) -> Any:
        """The estimator, not fitted."""
        settings = {"C": self.C, "fit_intercept": self.fit_intercept}
        if self.loss in {"logistic", "softmax"}:
            chosen = "ovr" if self.loss == "logistic" else "multinomial"
            return LogisticRegression(multi_class=chosen, **settings)
        return LinearSVM(loss=self.loss, **settings)


def drawn(seed: int, loss: str) -> Case:
    """A case drawn by a seed."""
    rng = np.random.default_rng([seed, LOSSES.index(loss)])
    n, d = int(rng.integers(6, 50)), int(rng.integers(1, 6))
    n_classes = 3 if loss == "softmax" else int(rng.choice([2, 2, 2, 3]))
    X = rng.normal(size=(n, d)) * rng.choice([1e-3, 1.0, 100.0])
    y = np.arange(n) % n_classes
    apart = 4.0 if rng.random() < 0.5 else 0.7
    X[:, 0] += apart * y * np.abs(X).max()
    offset = float(rng.choice([0.0, 0.0, 1e3, 1e6, 2.0**30]))
    weights = rng.uniform(0.5, 2.0, n) if rng.random() < 0.3 else np.ones(n)
    C, fit_intercept = 10.0 ** rng.integers(-8, 13), bool(rng.random() < 0.8)
    return Case(loss, X + offset, y, weights, C, fit_intercept, offset)


def exact_sides(case: Case, model: Any, certificate: Any) -> tuple[Any, Any]:
    """P and D of a fit, summed over its objectives, each of which its certificate must enclose."""
    sample_C, primal, dual = case.C * case.weights, flint.arb(0), flint.arb(0)
    softmax = case.loss == "softmax"
    positives = [1] if softmax or len(model.classes_) == 2 else range(len(model.classes_))
    for unit, k in zip(certificate.units, positives, strict=True):
        if softmax:
            point = (model.coef_, model.intercept_, unit.alpha)
            P, D = softmax_sides(case.X, case.y, sample_C, point, fit_intercept=case.fit_intercept)
        else:
            place = 0 if len(certificate.units) == 1 else k
            signs = np.where(case.y == model.classes_[k], 1.0, -1.0)
            point = (model.coef_[place], model.intercept_[place], unit.alpha)
            P, D = binary_sides(
                case.loss, case.X, signs, sample_C, point, fit_intercept=case.fit_intercept
            )
        assert unit.primal_upper >= P
        assert unit.dual_lower <= D
        primal, dual = primal + P, dual + D
    return primal, dual


def assert_proved(case: Case, model: Any) -> float:
    """The published dual variables prove the gap, exactly, and so does the certificate.

    Give (P − D)/P, which is at least the true suboptimality.
    """
    certificate = model.certificate(case.X, case.y, case.weights)
    assert certificate.holds
    assert 0.0 <= certificate.gap <= model.gap_ <= 1.0
    with precise():
        primal, dual = exact_sides(case, model, certificate)
        assert primal <= model.objective_
        gap = (primal - dual) / primal
        assert gap <= model.gap_
        return float(gap)


def main() -> None:
    """Make the fits, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fits", type=int, default=1200)
    each = -(-parser.parse_args().fits // len(LOSSES))
    lines = [
        HEAD.format(each * len(LOSSES)),
        "",
        "| loss | fits | certified | usual | of these certified | largest gap of others |",
        "|---|---|---|---|---|---|",
    ]
    for loss in LOSSES:
        lines.append(row(loss, each))
        print(lines[-1])
    RESULT.write_text("\n".join(lines) + "\n")


def row(loss: str, fits: int) -> str:
    """Fit so many cases of a loss, check each, and count those certified."""
    certified, usual, usual_certified, largest = 0, 0, 0, 0.0
    for seed in range(fits):
        case = drawn(seed, loss)
        model = case.model()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(case.X, case.y, sample_weight=case.weights)
        assert_proved(case, model)
        reached = model.outcome_.converged
        assert reached == (model.gap_ <= model.tol)
        certified += reached
        usual += case.is_usual
        usual_certified += reached and case.is_usual
        if not reached:
            print(
                loss,
                seed,
                f"C {case.C:g}, offset {case.offset:g}: {model.outcome_}",
                file=sys.stderr,
            )
            largest = max(largest, model.gap_)
    others = f"{largest:.1e}" if largest else "none"
    return f"| {loss} | {fits} | {certified} | {usual} | {usual_certified} | {others} |"


if __name__ == "__main__":
    main()
