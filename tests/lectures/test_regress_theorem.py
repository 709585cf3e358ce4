"""The convergence theorem (lectures 000, 001 and 002) with the numbers of runs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import LMS, Perceptron, builtin, convergence_table, separability
from rosenblatt.errors import DataError, ParameterError, ProofError
from rosenblatt.types import Array, Floats

GATE, CLOUDS = builtin("or"), builtin("separable", margin=0.1)


def lecture_run(X: Floats, y: Array, eta: float) -> list[tuple[int, int, Floats]]:
    """Epoch and row of each mistake in file order, and the weights after it: lecture 000."""
    w, made, epoch = np.zeros(X.shape[1]), [], 0
    while not made or made[-1][0] == epoch:
        epoch += 1
        for i, (x, sign) in enumerate(zip(X, y, strict=True)):
            if sign * (w @ x) <= 0:
                w = w + eta * sign * x
                made.append((epoch, i, w))
    return made


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**20),
    d=st.integers(1, 5),
    share=st.floats(0.02, 0.6),
    radius=st.floats(1.5, 30),
    eta=st.sampled_from([1.0, 0.1, 8.0]),
    largest=st.booleans(),
    fit_intercept=st.booleans(),
)
def test_both_chains_hold_at_every_mistake(
    seed: int,
    d: int,
    share: float,
    radius: float,
    eta: float,
    *,
    largest: bool,
    fit_intercept: bool,
) -> None:
    margin = share * np.sqrt(radius**2 - 1)
    how = {"n_samples": 40, "n_features": d, "random_state": seed}
    data = builtin("separable", margin=margin, radius=radius, **how)
    X, y = data.X, data.y
    if not fit_intercept:
        X = np.column_stack([X, np.ones(40)])
    found = separability(X, y, fit_intercept=fit_intercept)
    solution = None if largest else np.append(found.coef, found.intercept)[: d + 1]
    model = Perceptron(eta0=eta, shuffle=False, fit_intercept=fit_intercept)
    table = convergence_table(model, X, y, solution)
    extended = np.column_stack([X, np.ones(40)])[:, : d + 1]
    made = lecture_run(extended, y, eta)
    assert [(e, i) for e, i, _ in made] == list(zip(table.epoch, table.row, strict=True))
    W = np.array([w for _, _, w in made])
    star = table.solution[: d + 1]
    rounding = 1e-12 * eta * radius * len(made)
    np.testing.assert_allclose(table.projection, W @ star, atol=rounding)
    np.testing.assert_allclose(table.squared_norm, (W * W).sum(axis=1), rtol=1e-9)
    # what the theorem says of γ and R, and of each mistake
    assert np.linalg.norm(star) == pytest.approx(1, rel=1e-12)
    assert table.margin <= (y * (extended @ star)).min() + rounding
    assert table.radius >= np.linalg.norm(extended, axis=1).max() - rounding
    k = np.arange(1, len(made) + 1)
    assert (table.projection >= eta * k * table.margin - rounding).all()
    assert (table.squared_norm <= eta**2 * k * table.radius**2 * (1 + 1e-12)).all()
    assert (table.cosine <= 1 + 1e-12).all()
    assert len(table) <= table.mistake_bound
    if largest:
        assert table.margin == pytest.approx(margin, rel=1e-5)
        assert (
            table.mistake_bound
            == separability(X, y, fit_intercept=fit_intercept, maximise=True).mistake_bound
        )


def test_lecture_000_writes_half_of_gamma() -> None:
    """y (x·w*) ≥ γ/2 and k ≤ 4R²/γ² with its γ are y (x·w*) ≥ γ and k ≤ R²/γ² with ours."""
    table = convergence_table(Perceptron(shuffle=False), CLOUDS.X, CLOUDS.y)
    lecture = 2 * table.margin
    assert table.mistake_bound == int(4 * table.radius**2 / lecture**2) == 1599
    assert (table.projection >= table.mistake * lecture / 2 - 1e-9).all()


def test_the_smaller_the_margin_the_more_mistakes() -> None:
    """The slide's remark, for the bound always and here for the mean of ten runs too."""
    mistakes, bounds = [], []
    for margin in (1.0, 0.3, 0.1, 0.03, 0.01):
        data = builtin("separable", margin=margin)
        runs = [Perceptron(random_state=seed).fit(data.X, data.y).mistakes_ for seed in range(10)]
        mistakes.append(np.mean(runs))
        bounds.append(separability(data.X, data.y, maximise=True).mistake_bound)
    assert mistakes == sorted(mistakes)
    assert bounds == sorted(bounds)
    assert mistakes[-1] > 5 * mistakes[0]


def test_scaling_the_population() -> None:
    """Of (x, 1) as a whole nothing changes; of x alone the constant keeps its length."""
    rows = np.column_stack([CLOUDS.X, np.ones(200)])
    plain = Perceptron(shuffle=False, fit_intercept=False)
    tables = [convergence_table(plain, scale * rows, CLOUDS.y) for scale in (1, 4, 0.125)]
    for table in tables:
        assert table.row.tolist() == tables[0].row.tolist()
        assert table.mistake_bound == tables[0].mistake_bound
        np.testing.assert_allclose(table.cosine, tables[0].cosine, rtol=1e-9)
    alone = [
        convergence_table(Perceptron(shuffle=False), scale * CLOUDS.X, CLOUDS.y)
        for scale in (1, 10)
    ]
    assert alone[0].row.tolist() == tables[0].row.tolist()
    assert alone[1].row.tolist() != alone[0].row.tolist()
    assert alone[1].mistake_bound != alone[0].mistake_bound


@pytest.mark.parametrize("eta", [1e-200, 1e150])
def test_a_learning_rate_of_any_size(eta: float) -> None:
    table = convergence_table(Perceptron(eta0=eta, shuffle=False), CLOUDS.X, CLOUDS.y)
    plain = convergence_table(Perceptron(shuffle=False), CLOUDS.X, CLOUDS.y)
    np.testing.assert_allclose(table.cosine, plain.cosine, rtol=1e-9)
    np.testing.assert_allclose(table.projection, eta * plain.projection, rtol=1e-9)


def test_a_fitted_model_keeps_its_run() -> None:
    for rows in (CLOUDS.X, sparse.csr_array(CLOUDS.X), CLOUDS.X.astype(np.float32)):
        model = Perceptron(random_state=3, keep="average").fit(rows, CLOUDS.y)
        before = model.coef_.copy()
        table = convergence_table(model, rows, CLOUDS.y)
        assert len(table) == model.mistakes_
        assert table.epoch[-1] == model.n_iter_ - 1
        assert (model.coef_ == before).all()


def test_a_run_that_is_cut_short_is_shown_up_to_there() -> None:
    whole = convergence_table(Perceptron(shuffle=False), GATE.X, GATE.y)
    short = convergence_table(Perceptron(shuffle=False, max_iter=2), GATE.X, GATE.y)
    assert short.rows() == whole.rows()[: len(short)]
    assert short.epoch.tolist() == [1, 1, 1, 2]


def test_the_text_of_a_long_table_leaves_lines_out() -> None:
    table = convergence_table(Perceptron(shuffle=False), CLOUDS.X, CLOUDS.y)
    lines = str(table).splitlines()
    assert "γ = 0.1" in lines[0]
    assert "1,599" in lines[0]
    assert len(lines) == 2 + 12 + 1 + 4
    assert lines[-1].split()[0] == str(len(table)) == "20"
    assert table.rows()[0]["row"] == 0


XOR, IRIS = builtin("xor"), builtin("iris")


@pytest.mark.parametrize(
    ("model", "rows", "solution", "words"),
    [
        (Perceptron(), (XOR.X, XOR.y), None, "not separable"),
        (Perceptron(), (IRIS.X, IRIS.y), None, "two classes"),
        (LMS(error="hard"), (GATE.X, GATE.y), None, "LMS"),
        (Perceptron(start="means"), (GATE.X, GATE.y), None, "start='zero'"),
        (Perceptron(penalty="l2"), (GATE.X, GATE.y), None, "penalty=None"),
        (Perceptron(learning_rate="1/n"), (GATE.X, GATE.y), None, "constant"),
        (Perceptron(class_weight="balanced"), (GATE.X, GATE.y), None, "class_weight"),
        (Perceptron(), (GATE.X, GATE.y), [1, 1, 0], "row 0"),
        (Perceptron(), (GATE.X, GATE.y), [1, 1], "3 numbers"),
        (Perceptron(), (GATE.X, GATE.y), [0, 0, 0], "not all 0"),
        (Perceptron(), (GATE.X, GATE.y), [1, np.nan, 0], "finite"),
        (Perceptron(fit_intercept=False), (GATE.X, GATE.y), None, "not separable"),
        (
            Perceptron().fit(CLOUDS.X, CLOUDS.y, coef_init=[1, 2]),
            (CLOUDS.X, CLOUDS.y),
            None,
            "elsewhere",
        ),
        (Perceptron(fit_intercept=False), (1e-170 * GATE.X[1:3], [0, 1]), None, "float64"),
        (Perceptron(), (GATE.X, GATE.y), separability(XOR.X, XOR.y), "not separable"),
        (Perceptron(), (GATE.X, GATE.y), separability(CLOUDS.X, CLOUDS.y), "proof is about"),
    ],
)
def test_what_the_theorem_does_not_speak_of(
    model: Any, rows: tuple[Floats, Array], solution: Any, words: str
) -> None:
    with pytest.raises((DataError, ParameterError, ProofError), match=words):
        convergence_table(model, *rows, solution)
