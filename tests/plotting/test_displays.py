"""What the plots draw, read from what they have drawn."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC

from rosenblatt import (
    BatchPerceptron,
    KernelPerceptron,
    LeastSquares,
    LinearSVM,
    LMSRegressor,
    Perceptron,
    builtin,
    palette,
    separability,
)
from rosenblatt.errors import DataError
from rosenblatt.plotting import (
    BoundaryDisplay,
    MarginDisplay,
    SeparabilityDisplay,
    TraceDisplay,
    WeightsDisplay,
    WeightSpaceDisplay,
)


def line_through(ax: Axes, ends: np.ndarray) -> bool:
    return any(np.allclose(line.get_xydata(), ends) for line in ax.lines)


def drawn_points(ax: Axes) -> int:
    classes = [c for c in ax.collections if not str(c.get_label()).startswith("_")]
    return sum(len(c.get_offsets()) for c in classes)


@pytest.fixture(scope="module")
def svm() -> tuple:
    data = builtin("separable")
    return LinearSVM().fit(data.X, data.y), data


def test_a_boundary_and_its_margins(svm: tuple) -> None:
    model, data = svm
    display = BoundaryDisplay.from_estimator(model, data.X, data.y)
    (line,) = display.boundary.lines
    assert line @ model.coef_[0] + model.intercept_[0] == pytest.approx([0, 0], abs=1e-9)
    above, below = display.boundary.margins
    assert above @ model.coef_[0] + model.intercept_[0] == pytest.approx([1, 1])
    assert below @ model.coef_[0] + model.intercept_[0] == pytest.approx([-1, -1])
    for ends in (line, above, below):
        assert line_through(display.ax_, ends)
    assert drawn_points(display.ax_) == len(data.X)
    assert len(display.ringed) == len(model.support_)
    assert display.figure_ is display.ax_.figure


def test_classes_differ_by_colour_and_by_shape(svm: tuple) -> None:
    model, data = svm
    ax = BoundaryDisplay.from_estimator(model, data.X, data.y, rows=()).ax_
    first, second = (c for c in ax.collections if c.get_label() in {"-1", "1"})
    assert first.get_facecolor().tolist() != second.get_facecolor().tolist()
    assert len(first.get_paths()[0].vertices) != len(second.get_paths()[0].vertices)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["-1", "1"]


def test_given_axes_are_drawn_on(svm: tuple) -> None:
    model, data = svm
    _, (left, right) = plt.subplots(1, 2)
    display = BoundaryDisplay.from_estimator(model, data.X, data.y, ax=right, legend=False)
    assert display.ax_ is right
    assert right.get_legend() is None
    assert not left.lines
    assert display.plot(ax=left).ax_ is left
    assert len(left.lines) == len(right.lines)


def test_three_classes_have_cells_and_frames_name_the_axes() -> None:
    iris = builtin("iris")
    frame = pd.DataFrame(iris.X[:, 2:], columns=list(iris.feature_names[2:]))
    model = LeastSquares().fit(frame, iris.y)
    display = BoundaryDisplay.from_estimator(model, frame, iris.y)
    assert len(display.boundary.cells) == 3
    assert display.ax_.get_xlabel() == iris.feature_names[2]
    assert display.boundary.lines == []


def test_more_features_are_projected_with_exact_distances() -> None:
    iris = builtin("iris")
    X, y = sparse.csr_array(iris.X[50:]), iris.y[50:]
    model = LeastSquares().fit(X, y)
    display = BoundaryDisplay.from_estimator(model, X, y)
    away = model.decision_function(X) / np.linalg.norm(model.coef_)
    assert display.view.points[:, 0] == pytest.approx(away)
    assert display.boundary.lines[0][:, 0] == pytest.approx([0, 0], abs=1e-9)
    assert display.ax_.get_xlabel() == "signed distance to the boundary"


@pytest.mark.parametrize(
    "model",
    [
        KernelPerceptron(kernel="poly", degree=2),
        make_pipeline(PolynomialFeatures(2), LeastSquares()),
    ],
)
def test_curved_boundaries_are_found(model: object) -> None:
    rings = builtin("rings")
    display = BoundaryDisplay.from_estimator(model.fit(rings.X, rings.y), rings.X, rings.y)
    (curve,) = display.boundary.lines
    radii = np.hypot(*curve.T)
    assert radii.min() > 0.9
    assert radii.max() < 2.1
    assert (
        np.abs(model.decision_function(curve)).max()
        < 0.05 * np.abs(model.decision_function(rings.X)).max()
    )


def test_votes_of_pairs_are_no_units() -> None:
    """An SVC has a weight vector for each pair of classes, three for three: they are no cells."""
    iris = builtin("iris")
    X = iris.X[:, 2:]
    model = SVC(kernel="linear").fit(X, iris.y)
    display = BoundaryDisplay.from_estimator(model, X, iris.y)
    assert display.boundary.cells == []
    assert display.boundary.shade is not None
    left, _, bottom, _ = display.view.box
    corner = model.predict([[left, bottom]])[0]
    assert model.classes_[int(display.boundary.shade[0, 0])] == corner


def test_many_rows_are_sampled_which_is_said(rng: np.random.Generator) -> None:
    X = rng.normal(size=(5000, 2))
    model = LeastSquares().fit(X, X[:, 0] > 0)
    display = BoundaryDisplay.from_estimator(model, X, X[:, 0] > 0, most=300)
    assert drawn_points(display.ax_) <= 301
    assert "of 5,000 rows" in display.ax_.get_title("right")


def test_without_labels_rows_look_as_decided(svm: tuple) -> None:
    model, data = svm
    display = BoundaryDisplay.from_estimator(model, data.X)
    assert display.view.codes.tolist() == (model.predict(data.X) > 0).astype(int).tolist()


def test_mistakes_of_each_pass_and_the_bound() -> None:
    kennel = builtin("kennel")
    model = Perceptron(shuffle=False).fit(kennel.X, kennel.y)
    ax = TraceDisplay.from_estimator(model).ax_
    assert ax.lines[0].get_ydata().tolist() == [151, 130, 123, 58, 118, 104, 21, 0]
    assert ax.lines[0].get_xdata().tolist() == list(range(1, 9))
    remark = "705 mistakes in all; the margin of the last weights allows 9,594,645"
    assert ax.get_title("right") == remark


def test_the_bracket_of_the_margin() -> None:
    kennel = builtin("kennel")
    model = Perceptron(shuffle=False).fit(kennel.X, kennel.y)
    display = TraceDisplay.from_estimator(model, kind="margin")
    upper, lower = (line.get_ydata() for line in display.ax_.lines)
    assert min(upper) == model.margin_bounds_.upper
    assert lower.tolist() == [model.margin_bounds_.lower]


def test_training_and_validation_errors_of_each_epoch() -> None:
    kennel = builtin("kennel")
    rows, held_out = slice(200), slice(200, 300)
    model = Perceptron(shuffle=False, track_error=True, max_iter=5)
    model.fit(kennel.X[rows], kennel.y[rows], X_val=kennel.X[held_out], y_val=kennel.y[held_out])
    display = TraceDisplay.from_estimator(model, kind="error")
    for curve, column in zip(display.curves, ("training_error", "validation_error"), strict=True):
        assert curve.values == model.trace_.column(column)
        assert curve.name == column.replace("_", " ")


def test_a_regressor_shows_its_loss() -> None:
    iris = builtin("iris")
    model = LMSRegressor(max_iter=5, tol=None).fit(iris.X[:, :3], iris.X[:, 3])
    display = TraceDisplay.from_estimator(model)
    assert display.curves[0].values == model.trace_.column("loss")


def test_the_objective_and_its_lower_bound(svm: tuple) -> None:
    model, _ = svm
    curves = TraceDisplay.from_estimator(model, kind="objective").curves
    assert [curve.values[-1] for curve in curves] == [
        model.trace_[-1].objective,
        model.trace_[-1].lower_bound,
    ]


def test_the_gap_falls_on_a_logarithmic_scale(svm: tuple) -> None:
    model, _ = svm
    display = TraceDisplay.from_estimator(model)
    assert display.ax_.get_yscale() == "log"
    assert display.ax_.lines[0].get_ydata()[-1] == model.trace_[-1].gap


@pytest.mark.parametrize(
    ("kind", "there"), [("gap", "mistakes, loss, norm, margin"), ("colour", "mistakes")]
)
def test_a_figure_that_a_trace_has_not(kind: str, there: str) -> None:
    data = builtin("and")
    model = Perceptron().fit(data.X, data.y)
    with pytest.raises(DataError, match=there):
        TraceDisplay.from_estimator(model, kind=kind)


def test_no_trace_no_display() -> None:
    data = builtin("and")
    with pytest.raises(DataError, match="has no trace_"):
        TraceDisplay.from_estimator(LeastSquares().fit(data.X, data.y))


def test_only_a_support_vector_machine_has_its_margins_at_a_score_of_1() -> None:
    rings, clouds = builtin("rings"), builtin("separable")
    model = KernelPerceptron("linear", max_iter=5)
    shown = BoundaryDisplay.from_estimator(model.fit(rings.X, rings.y), rings.X, rings.y)
    assert len(shown.boundary.margins) == 0
    model.fit(clouds.X, clouds.y)
    shown = BoundaryDisplay.from_estimator(model, clouds.X, clouds.y)
    nearest = (clouds.y * model.decision_function(clouds.X)).min()
    assert nearest != 1
    assert model.decision_function(shown.boundary.margins[0]) == pytest.approx([nearest] * 2)


def test_margins_are_distances_and_bars_meet_at_0(svm: tuple) -> None:
    model, data = svm
    display = MarginDisplay.from_estimator(model, data.X, data.y)
    signed = data.y * model.decision_function(data.X) / np.linalg.norm(model.coef_)
    assert display.margins == pytest.approx(signed)
    bars = [patch for patch in display.ax_.patches if patch.get_height() > 0]
    assert sum(bar.get_height() for bar in bars) == len(data.X)
    left = [bar.get_x() for bar in bars]
    assert all(x >= -1e-12 or x + bars[0].get_width() <= 1e-12 for x in left)


def test_margins_of_three_classes_are_leads() -> None:
    scores = [[3.0, 1.0, 2.0], [0.0, 5.0, 6.0]]
    display = MarginDisplay.from_predictions(["a", "b"], scores, classes=["a", "b", "c"])
    assert (display.margins.tolist(), display.wrong) == ([1.0, -1.0], 1)


def test_weights_as_bars_the_largest_on_top() -> None:
    iris = builtin("iris")
    frame = pd.DataFrame(iris.X[50:], columns=list(iris.feature_names))
    model = LeastSquares().fit(frame, iris.y[50:])
    ax = WeightsDisplay.from_estimator(model, most=3).ax_
    widths = [bar.get_width() for bar in ax.patches]
    order = np.argsort(-np.abs(model.coef_[0]))[:3]
    assert widths == model.coef_[0, order].tolist()
    assert [t.get_text() for t in ax.get_yticklabels()] == [iris.feature_names[j] for j in order]
    assert ax.yaxis_inverted()
    assert ax.get_title("right") == "the largest 3 of 4 weights"


def test_weights_as_pictures() -> None:
    data = builtin("mark-i")
    some = np.isin(data.y, ["A", "B", "C"])
    model = Perceptron(max_iter=3).fit(data.X[some], data.y[some])
    display = WeightsDisplay.from_estimator(model, image_shape=(20, 20))
    assert len(display.ax_) == 3
    picture = display.ax_[1].images[0].get_array()
    assert picture.tolist() == model.coef_[1].reshape(20, 20).tolist()
    low, high = display.ax_[1].images[0].get_clim()
    assert low == -high
    with pytest.raises(DataError, match="leave `ax` out"):
        display.plot(ax=plt.gca())
    with pytest.raises(DataError, match="has 380 pixels; there are 400"):
        WeightsDisplay.from_estimator(model, image_shape=(19, 20))


def test_the_lecture_in_weight_space() -> None:
    """Lecture 003: from (0, 1, −0.5) to (1.45, −0.6, −0.5)."""
    data = builtin("4f10")
    start = {"coef_init": [[0, 1]], "intercept_init": [-0.5]}
    model = BatchPerceptron().fit(data.X, data.y, **start)
    display = WeightSpaceDisplay.from_estimator(model, data.X, data.y, **start)
    assert display.path[-1] == pytest.approx(model.coef_[0])
    assert display.ax_.patches[0].get_xy()[:-1] == pytest.approx(display.solutions)
    signs = np.where(data.y == model.classes_[1], 1, -1)
    scores = signs * (data.X @ display.solutions.mean(axis=0) + model.intercept_[0])
    assert (scores > 0).all()
    assert display.remark == f"intercept = {model.intercept_[0]:.4g}"
    for line, sign in zip(display.lines, display.signs, strict=True):
        own = data.X[signs == sign]
        zero = np.abs(own @ line.T + model.intercept_[0]).max(axis=1)
        assert zero.min() < 1e-9


def test_weight_space_is_that_of_two_classes_and_two_weights() -> None:
    iris, gate = builtin("iris"), builtin("and")
    with pytest.raises(DataError, match="drawn for 2 classes; got 3"):
        WeightSpaceDisplay.from_estimator(LeastSquares().fit(iris.X, iris.y), iris.X, iris.y)
    model = LeastSquares().fit(gate.X, gate.y)
    with pytest.raises(DataError, match="two indices from 0 to 2"):
        WeightSpaceDisplay.from_estimator(model, gate.X, gate.y, weights=(0, 3))
    assert len(WeightSpaceDisplay.from_estimator(model, gate.X, gate.y).path) == 1


def test_a_proof_that_a_line_separates() -> None:
    data = builtin("separable")
    display = SeparabilityDisplay.from_data(data.X, data.y)
    assert display.proof.answer == "separable"
    w = np.asarray(display.proof.coef)
    nearest = display.view.at(display.rows) @ w + display.proof.intercept
    assert np.abs(nearest) / np.linalg.norm(w) == pytest.approx(
        display.proof.geometric_margin, rel=1e-6
    )
    assert len(display.boundary.margins) == 2
    assert "separable: margin 0.269" in display.ax_.get_title("right")


def test_a_proof_that_none_can() -> None:
    xor = builtin("xor")
    display = SeparabilityDisplay.from_data(xor.X, xor.y)
    assert display.meeting_point == pytest.approx([0.5, 0.5])
    texts = [text.get_text() for text in display.ax_.texts]
    assert texts == ["1/4"] * 4
    assert display.ax_.get_title("right") == "not separable: proved by 4 rows"


@pytest.mark.parametrize("classes", [2, 3])
def test_proofs_in_more_features(classes: int) -> None:
    iris = builtin("iris")
    X, y = iris.X[(3 - classes) * 50 :], iris.y[(3 - classes) * 50 :]
    proof = separability(X, y)
    display = SeparabilityDisplay.from_data(X, y, proof=proof, most=60)
    assert set(proof.rows) <= set(display.view.drawn.rows.tolist())
    if classes == 2:
        own = [t for t, row in enumerate(proof.rows) if y[row] == display.classes[1]]
        weights = np.array([float(proof.weights[t]) for t in own])
        rows = X[[proof.rows[t] for t in own]]
        there = weights @ rows / weights.sum()
        assert display.meeting_point == pytest.approx(display.view.projection.points(there))
    else:
        assert display.meeting_point is None


def test_an_open_question_is_drawn_as_one(rng: np.random.Generator) -> None:
    X = rng.normal(size=(2000, 30))
    y = rng.integers(0, 2, 2000)
    display = SeparabilityDisplay.from_data(X, y, time_limit=1e-9)
    assert display.ax_.get_title("right") == "undecided within the time limit"
    assert display.rows == ()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, X, y: BoundaryDisplay.from_estimator(m, X, y[:3]), "one label per row, 4"),
        (lambda m, X, _: BoundaryDisplay.from_estimator(m, X, ["?"] * 4), "holds '\\?', which is"),
        (
            lambda m, X, y: BoundaryDisplay.from_estimator(m, X, y, feature_names=["a"]),
            "2 features",
        ),
        (lambda m, X, y: BoundaryDisplay.from_estimator(m, X[0], y), "rows and columns"),
        (lambda *_: WeightsDisplay.from_estimator(KernelPerceptron()), "no weights"),
    ],
)
def test_bad_input_is_told(call: object, words: str) -> None:
    data = builtin("and")
    model = LeastSquares().fit(data.X, data.y)
    with pytest.raises(DataError, match=words):
        call(model, data.X, data.y)


def test_curves_in_three_features_are_refused(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 3))
    model = KernelPerceptron(kernel="poly", max_iter=2).fit(X, X[:, 0] > 0)
    with pytest.raises(DataError, match="drawn for 2 features; X has 3"):
        BoundaryDisplay.from_estimator(model, X)


def test_every_class_up_to_56_looks_different() -> None:
    assert len({(palette.colour(k), palette.shape(k)) for k in range(56)}) == 56


def test_without_matplotlib_it_is_said_what_to_install() -> None:
    code = """
import sys
sys.modules["matplotlib"] = None
import rosenblatt
data = rosenblatt.builtin("and")
try:
    rosenblatt.plotting.MarginDisplay.from_predictions([0, 1], [-1, 1])
except ImportError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'rosenblatt[plot]'" in run.stdout
