"""The pictures of the lectures: what is drawn is where the mathematics says, read from the axes."""

import doctest
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier

from rosenblatt import (
    LMS,
    BatchPerceptron,
    FisherDiscriminant,
    KernelPerceptron,
    LeastSquares,
    LinearDiscriminant,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    TanhPerceptron,
    ThresholdUnit,
    bias_variance,
    builtin,
    capacity_curve,
    gates,
    learning_curve,
    plotting,
    separability,
)
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features import HOG, Polynomial, Radial
from rosenblatt.plotting import (
    BiasVarianceDisplay,
    BoundaryDisplay,
    ErrorCurveDisplay,
    ErrorSurfaceDisplay,
    FunctionDisplay,
    GateDisplay,
    GaussianDisplay,
    HalfSpaceDisplay,
    HOGDisplay,
    HyperplaneDisplay,
    NetworkDisplay,
    NoDecisionDisplay,
    ProjectionDisplay,
    RegressionDisplay,
    ScoreDisplay,
    SeparabilityDisplay,
    StepsDisplay,
    VectorDisplay,
)

PAGE = Path(__file__).parents[2] / "docs/plots.md"
POINTS = builtin("4f10")
LECTURE_003 = {"coef_init": [0, 1], "intercept_init": -0.5}


def line(ax: Axes, label: str) -> np.ndarray:
    """The points of the one line with a label."""
    (found,) = [each for each in ax.lines if each.get_label() == label]
    return np.asarray(found.get_xydata())


def arrows(ax: Axes) -> list[tuple[np.ndarray, np.ndarray]]:
    """Start and tip of each arrow."""
    found = [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]
    return [(np.array(each.xyann, float), np.array(each.xy, float)) for each in found]


def legend_texts(figure: Any) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def texts(ax: Axes) -> set[str]:
    return {text.get_text() for text in ax.texts}


# functions, vectors, hyperplanes


def test_the_losses_of_the_slides() -> None:
    ax = FunctionDisplay.from_losses(limits=(-2, 2)).ax_
    m, hinge = line(ax, "hinge: max(0, 1 − m)").T
    assert hinge == pytest.approx(np.maximum(0, 1 - m))
    _, perceptron = line(ax, "perceptron: max(0, −m)").T
    assert hinge - perceptron == pytest.approx(np.clip(1 - m, 0, 1))
    assert line(ax, "0–1: 1 where m ≤ 0")[-1].tolist() == [0, 1]
    assert len(legend_texts(ax.figure)) == 6
    named = [each for each in ax.lines if not str(each.get_label()).startswith("_")]
    assert len({str(each._dash_pattern) for each in named}) == 6  # told apart in black and white


def test_activations_and_their_derivatives() -> None:
    display = FunctionDisplay.from_activations("tanh", "sign", derivative=True)
    outputs, derivatives = display.ax_
    s, f = line(outputs, "tanh(s)").T
    assert line(derivatives, "tanh(s)")[:, 1] == pytest.approx(np.gradient(f, s), abs=1e-3)
    ends = [each for each in outputs.lines if each.get_marker() == "o"]
    assert [each.get_xydata().tolist() for each in ends] == [[[0, -1]], [[0, 1]]]
    assert [each.get_markerfacecolor() == "white" for each in ends] == [True, False]


def test_a_dot_product_is_a_projection() -> None:
    ax = VectorDisplay.from_vectors([2, 3], [4, 0], names=("a", "b")).ax_
    assert line(ax, "a on b: ‖a‖ cos θ = 2").tolist() == [[0, 0], [2, 0]]
    assert [tip.tolist() for _, tip in arrows(ax)] == [[4, 0], [2, 3]]
    assert any(np.allclose(each.get_xydata(), [[2, 3], [2, 0]]) for each in ax.lines)
    assert {"a", "b", "θ = 56.31°"} <= texts(ax)
    assert ax.get_title().startswith("a·b = 8 = 2 × 4")
    assert ax.get_aspect() == 1


def test_the_normal_is_perpendicular_and_the_side_is_that_of_w_z() -> None:
    """Lecture 004: 0.5 x1 + 0.5 x2 > 20."""
    ax = HyperplaneDisplay.from_weights([0.5, 0.5], -20, point=[10, 15], base=[30, 10]).ax_
    drawn = line(ax, "w·x + b = 0")
    assert drawn.sum(axis=1) == pytest.approx([40, 40])
    (base, normal), (start, point) = arrows(ax)
    assert (normal - base) @ (drawn[1] - drawn[0]) == pytest.approx(0)
    assert (normal - base) @ [1, 1] > 0
    assert start.tolist() == base.tolist() == [30, 10]
    assert point.tolist() == [10, 15]
    assert "−7.5, so f(x₁) = −1" in ax.get_title()


def test_the_hyperplane_of_a_model_has_the_names_of_its_frame() -> None:
    frame = pd.DataFrame(POINTS.X, columns=["length", "width"])
    model = FisherDiscriminant().fit(frame, POINTS.y)
    ax = HyperplaneDisplay.from_estimator(model).ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")
    scores = line(ax, "w·x + b = 0") @ model.coef_[0] + model.intercept_
    assert scores == pytest.approx([0, 0], abs=1e-9)


# scores, boundaries, margins


def test_a_score_is_drawn_as_colour() -> None:
    data = builtin("separable")
    frame = pd.DataFrame(data.X, columns=["left", "up"])
    model = LinearSVM().fit(frame, data.y)
    display = ScoreDisplay.from_estimator(model, frame, data.y)
    x, y = display.grid
    across, up = np.meshgrid(x, y)
    w, b = model.coef_[0], model.intercept_[0]
    assert display.values == pytest.approx(w[0] * across + w[1] * up + b)
    (zero,) = [each for each in display.ax_.lines if len(each.get_xydata()) > 1]
    assert zero.get_xydata() @ w + b == pytest.approx(0, abs=1e-9)
    assert display.ax_.get_xlabel() == "left"
    assert display.figure_.axes[1].get_ylabel() == "score w·x + b"
    assert display.reach >= np.abs(display.values).max()


def test_votes_are_drawn_as_a_probability() -> None:
    rings = builtin("rings")
    votes = KNeighborsClassifier(11).fit(rings.X, rings.y)
    display = ScoreDisplay.from_estimator(votes, rings.X, rings.y)
    assert display.label == "probability of 1"
    assert np.unique((11 * display.values).round(6)).tolist() == list(range(12))


def test_a_surface_stands_over_the_plane() -> None:
    display = ScoreDisplay.from_estimator(
        LogisticRegression().fit(POINTS.X, POINTS.y), POINTS.X, POINTS.y, kind="probability",
        surface=True,
    )  # fmt: skip
    ax = display.ax_
    assert ax.get_zlabel() == "probability of 1.0" or ax.get_zlabel() == "probability of 1"
    boundary = np.array(ax.lines[0].get_data_3d())
    assert boundary[2] == pytest.approx(0.5)
    assert sum(len(c.get_offsets()) for c in ax.collections[1:]) == len(POINTS.X)
    with pytest.raises(DataError, match="three-dimensional axes"):
        display.plot(ax=plt.figure().add_subplot())


def test_any_classifier_has_regions() -> None:
    iris = builtin("iris")
    frame = pd.DataFrame(iris.X[:, 2:], columns=list(iris.feature_names[2:]))
    model = make_pipeline(Radial(), KNeighborsClassifier(11)).fit(frame, iris.y)
    display = BoundaryDisplay.from_estimator(model, frame, iris.y)
    shade, box = display.boundary.shade, display.view.box
    for row, up in ((0, box.bottom), (-1, box.top)):
        for column, across in ((0, box.left), (-1, box.right)):
            corner = pd.DataFrame([[across, up]], columns=frame.columns)
            assert model.classes_[int(shade[row, column])] == model.predict(corner)[0]
    assert len(display.boundary.lines) >= 2
    assert display.ax_.get_xlabel() == "petal_length"


def test_several_boundaries_are_told_apart() -> None:
    data = builtin("separable")
    models = [Perceptron(random_state=seed).fit(data.X, data.y) for seed in range(3)]
    ax = BoundaryDisplay.from_estimators(models, data.X, data.y).ax_
    names = [f"Perceptron(random_state={seed})" for seed in range(3)]
    assert legend_texts(ax.figure) == ["-1", "1", *names]
    drawn = [each for each in ax.lines if len(each.get_xydata())]
    assert len({each.get_linestyle() for each in drawn}) == 3
    for model, each in zip(models, drawn, strict=True):
        scores = each.get_xydata() @ model.coef_[0] + model.intercept_
        assert scores == pytest.approx([0, 0], abs=1e-9 * np.abs(model.coef_).max())


def test_boundaries_of_one_plane_have_the_same_classes() -> None:
    iris = builtin("iris")
    X = iris.X[:, 2:]
    models = {
        "all": LeastSquares().fit(X, iris.y),
        "two": LeastSquares().fit(X[:100], iris.y[:100]),
    }
    with pytest.raises(DataError, match="two has"):
        BoundaryDisplay.from_estimators(models, X, iris.y)


def test_the_sphere_and_the_margin_of_the_theorem() -> None:
    data = builtin("separable")
    X, y = data.X[::4], data.y[::4]
    proof = separability(X, y, maximise=True, fit_intercept=False)
    display = SeparabilityDisplay.from_data(X, y, proof=proof, fit_intercept=False, sphere=True)
    ax = display.ax_
    (ring,) = [each.get_xydata() for each in ax.lines if len(each.get_xydata()) > 100]
    assert np.hypot(*ring.T) == pytest.approx(np.linalg.norm(X, axis=1).max())
    (_, rim), (start, edge) = arrows(ax)
    assert np.hypot(*rim) == pytest.approx(proof.radius)
    assert np.hypot(*(edge - start)) == pytest.approx(proof.margin)
    w = np.asarray(proof.coef)
    assert [start @ w, edge @ w] == pytest.approx([0, proof.margin * np.linalg.norm(w)], abs=1e-9)
    assert f"= {proof.mistake_bound} mistakes" in ax.get_title("right")
    assert ax.get_aspect() == 1


def test_the_sphere_of_more_features_is_centred_at_the_projected_origin() -> None:
    iris = builtin("iris")
    X = sparse.csr_matrix(iris.X[:100])
    display = SeparabilityDisplay.from_data(X, iris.y[:100], sphere=True)
    assert display.radius == pytest.approx(np.linalg.norm(iris.X[:100], axis=1).max())
    (ring,) = [e.get_xydata() for e in display.ax_.lines if len(e.get_xydata()) > 100]
    centre = display.view.projection.points(np.zeros((1, 4)))[0]
    assert np.hypot(*(ring - centre).T) == pytest.approx(display.radius)
    assert display.ax_.get_title("right").startswith("of (x, 1): R = ")


# half-spaces


def test_normalised_rows_lie_in_one_half_space() -> None:
    X = np.array([[2.0, 1], [1, 3], [-1, 0.5], [-2, -1]])
    display = HalfSpaceDisplay.from_data(X, [1, 1, -1, -1], fit_intercept=False, solutions=True)
    assert display.points.tolist() == [[2, 1], [1, 3], [1, -0.5], [2, 1]]
    assert (display.points @ display.weights > 0).all()
    assert (display.points @ display.solutions[1:].T >= -1e-9).all()
    (start, tip), *_ = arrows(display.ax_)
    assert not start.any()
    assert np.cross([*tip, 0], [*display.weights, 0])[2] == pytest.approx(0)
    plain = HalfSpaceDisplay.from_data(X, [1, 1, -1, -1], fit_intercept=False, normalised=False)
    assert plain.points.tolist() == X.tolist()


def test_with_an_intercept_the_distance_to_the_hyperplane_is_exact() -> None:
    """Three entries (x, 1): the horizontal axis is the margin of the theorem."""
    proof = separability(POINTS.X, POINTS.y, maximise=True)
    display = HalfSpaceDisplay.from_data(POINTS.X, POINTS.y)
    assert display.points[:, 0].min() == pytest.approx(proof.margin, rel=1e-6)
    assert "distance" in display.ax_.get_xlabel()


def test_mistakes_and_an_update_of_the_weights() -> None:
    X, y = [[2.0, 1], [1, 3], [-1, 0.5]], ["b", "b", "a"]
    display = HalfSpaceDisplay.from_data(X, y, coef=[-1, 1], fit_intercept=False, update=0)
    assert display.wrong.tolist() == [True, False, True]  # y x·w = −1, 2, −1.5
    tips = [tip.tolist() for _, tip in arrows(display.ax_)]
    assert tips == [[-1, 1], [1, 2], [1, 2]]  # w, y x from there, and their sum
    assert "2 of 3 rows" in display.ax_.get_title("right")
    model = Perceptron(max_iter=1, shuffle=False).fit(POINTS.X, POINTS.y)
    signs = np.where(POINTS.y == model.classes_[1], 1, -1)
    wrong = signs * model.decision_function(POINTS.X) <= 0
    seen = HalfSpaceDisplay.from_estimator(model, POINTS.X, POINTS.y)
    assert seen.wrong.tolist() == wrong.tolist()


def test_classes_that_overlap_have_no_half_space() -> None:
    xor = builtin("xor")
    display = HalfSpaceDisplay.from_data(xor.X, xor.y)
    assert display.weights is None
    assert display.ax_.get_title("right").startswith("not separable")


# error surfaces, steps


def test_each_eta_has_a_panel_and_each_start_a_path() -> None:
    display = ErrorSurfaceDisplay.from_data(
        POINTS.X, POINTS.y, loss="square", eta0=[0.02, 0.2, 0.6], n_steps=12,
        starts=[[0, 0], [1, 1]], fit_intercept=False,
    )  # fmt: skip
    assert [ax.get_title("left") for ax in display.ax_] == ["η = 0.02", "η = 0.2", "η = 0.6"]
    signs = np.where(POINTS.y > 0, 1.0, -1.0)
    for ax, eta in zip(display.ax_, (0.02, 0.2, 0.6), strict=True):
        w = np.array([1.0, 1.0])
        for drawn in line(ax, "descent from start 2"):
            assert drawn == pytest.approx(w)
            w = w + eta * (signs - POINTS.X @ w) @ POINTS.X
        assert ax.get_aspect() == 1
    errors = [float(display.surface.values(paths[0].points[-1])[0]) for paths in display.panels]
    assert errors[1] < errors[0] < errors[2]  # slow, right, and out of the valley


def test_local_minima_depend_on_the_start() -> None:
    X, y = np.arange(-6.0, 7)[:, None], [-1, -1, -1, 1, 1, 1, -1, -1, -1, 1, 1, 1, 1]
    display = ErrorSurfaceDisplay.from_data(
        X, y, loss="tanh", eta0=0.1, n_steps=300, coef=[1.5, 0], weights=[1], starts=[-6, -1, 8]
    )
    ends = [path.points[-1, 0] for path in display.panels[0]]
    assert ends[0] == pytest.approx(ends[1], abs=1e-3)
    assert ends[2] > ends[0] + 5
    curve = line(display.ax_, "error J(w)")
    margins = np.asarray(y) * (1.5 * X[:, 0] + curve[37, 0])
    assert curve[37, 1] == pytest.approx(((1 - np.tanh(margins)) ** 2 / 2).sum())
    assert display.ax_.get_title("right") == "weight of x1 = 1.5"


def test_the_path_of_a_fitted_rule() -> None:
    model = BatchPerceptron().fit(POINTS.X, POINTS.y, **LECTURE_003)
    display = ErrorSurfaceDisplay.from_estimator(model, POINTS.X, POINTS.y, **LECTURE_003)
    assert line(display.ax_, "training run")[:2] == pytest.approx(np.array([[0, 1], [1.45, -0.6]]))
    assert float(display.surface.values([1.45, -0.6])[0]) == 0
    both = builtin("overlapping")
    lms = LMS(batch_size=None, eta0=0.001, max_iter=4, tol=None).fit(both.X, both.y)
    X, y = np.column_stack([both.X, np.ones(len(both.y))]), np.where(both.y == 1, 1.0, -1.0)
    w = np.zeros(3)
    seen = ErrorSurfaceDisplay.from_estimator(lms, both.X, both.y, weights=(0, 2))
    for point in seen.panels[0][0].points:
        assert point == pytest.approx(w[[0, 2]])
        w = w + 0.001 * (y - X @ w) @ X


def test_the_steps_of_lecture_001() -> None:
    rule = Perceptron(eta0=0.1, max_iter=1, shuffle=False)
    X, y = pd.DataFrame({"u": [1.0, 2.0], "v": [1.0, 1.0]}), [-1, 1]
    display = StepsDisplay.from_estimator(rule, X, y, coef_init=[0.2, 0], intercept_init=-0.1)
    weights = [step.after.round(9).tolist() for step in display.steps]
    assert weights == [[0.2, 0, -0.1], [0.1, -0.1, -0.2], [0.3, 0, -0.1]]
    assert [step.rows for step in display.steps] == [(), (0,), (1,)]
    titles = [ax.get_title("left") for ax in display.ax_]
    assert titles[1] == "update 1, by row 0\nw = (0.1, −0.1), b = −0.2"
    for step, earlier, ax in zip(display.steps[1:], display.steps, display.ax_[1:], strict=False):
        drawn = {
            each.get_linestyle(): each.get_xydata()
            for each in ax.lines
            if len(each.get_xydata()) == 2
        }
        assert drawn["-"] @ step.after[:2] + step.after[2] == pytest.approx([0, 0], abs=1e-9)
        assert drawn["--"] @ earlier.after[:2] + earlier.after[2] == pytest.approx([0, 0], abs=1e-9)
        (ring,) = [c for c in ax.collections if not len(c.get_facecolor())]
        assert ring.get_offsets().tolist() == [X.iloc[step.rows[0]].tolist()]
        assert ax.get_xlabel() == "u"


def test_the_steps_of_lecture_003() -> None:
    display = StepsDisplay.from_estimator(BatchPerceptron(), POINTS.X, POINTS.y, **LECTURE_003)
    start, first, last = display.steps
    assert first.rows == (0, 3, 5, 6)  # {1, 4} of class 1 and {2, 3} of class 2
    assert first.after == pytest.approx([1.45, -0.6, -0.5])
    assert (start.after.tolist(), last.rows) == ([0, 1, -0.5], ())
    assert [step.title for step in display.steps[1:]] == [
        "epoch 1: 4 mistakes",
        "epoch 2: no mistake",
    ]


@pytest.mark.parametrize("rule", [Perceptron(random_state=3), BatchPerceptron(eta0=0.05)])
def test_a_long_run_ends_in_its_last_panel(rule: Any) -> None:
    kennel = builtin("kennel")
    display = StepsDisplay.from_estimator(rule, kennel.X, kennel.y, most=4)
    model = rule.fit(kennel.X, kennel.y)
    assert len(display.ax_) == 5
    assert display.steps[-1].after.tolist() == [*model.coef_[0], *model.intercept_]
    assert display.steps[-1].title.startswith("end, after ")
    for earlier, later in pairwise(display.steps[:-1]):
        assert later.before.tolist() == earlier.after.tolist()


def test_a_random_start_is_not_taken_for_zero() -> None:
    rule = BatchPerceptron(start="random")
    first = StepsDisplay.from_estimator(rule, POINTS.X, POINTS.y, most=2).steps[0]
    assert first.title in {"start", "after epoch 1"}  # if the start is not known
    assert first.after.any()


# densities and projections


def test_the_posterior_of_two_gaussians_is_a_sigmoid() -> None:
    data = builtin("overlapping")
    model = LinearDiscriminant(priors=[0.3, 0.7]).fit(data.X, data.y)
    display = GaussianDisplay.from_estimator(model, data.X, data.y)
    plane, cut = display.ax_
    d, first = line(cut, "density of -1 × prior").T
    _, second = line(cut, "density of 1 × prior").T
    (posterior,) = [e.get_ydata() for e in display.figure_.axes[2].lines if len(e.get_ydata()) > 1]
    assert posterior == pytest.approx(second / (first + second))
    assert np.trapezoid(first, d) == pytest.approx(0.3, abs=1e-3)
    inverse = np.linalg.inv(model.covariance_)
    outlines = [each.get_xydata() for each in plane.lines if len(each.get_xydata()) > 50]
    mean = [model.means_[0], model.means_[0], model.means_[1], model.means_[1]]
    for outline, m, size in zip(outlines, mean, (1, 2, 1, 2), strict=True):
        away = outline - m
        assert np.einsum("ij,jk,ik->i", away, inverse, away) == pytest.approx(size**2)


def test_densities_of_more_features_are_seen_from_the_side() -> None:
    iris = builtin("iris")
    X, y = iris.X[50:], iris.y[50:]
    model = LinearDiscriminant().fit(X, y)
    display = GaussianDisplay.from_estimator(model, X, y)
    w, b = model.coef_[0], model.intercept_[0]
    assert display.means[:, 0] == pytest.approx((model.means_ @ w + b) / np.linalg.norm(w))
    assert display.covariance[0, 0] == pytest.approx(w @ model.covariance_ @ w / (w @ w))


def test_the_projection_of_fisher() -> None:
    """Lecture 003: w = (3.3878, −0.1626) and the threshold 1.4432."""
    model = FisherDiscriminant().fit(POINTS.X, POINTS.y)
    display = ProjectionDisplay.from_estimator(model, POINTS.X, POINTS.y)
    plane, histogram = display.ax_
    threshold = line(histogram, "threshold −b = 1.443")
    assert threshold[:, 0] == pytest.approx([1.4432] * 2, abs=1e-4)
    own = display.projections[POINTS.y == model.classes_[1]]
    assert line(histogram, f"their mean {own.mean():.4g}")[0, 0] == pytest.approx(own.mean())
    bars = [bar for bar in histogram.patches if bar.get_height() > 0]
    assert sum(bar.get_height() for bar in bars) == len(POINTS.X)
    for bar in bars:
        left, right = bar.get_x(), bar.get_x() + bar.get_width()
        assert left >= 1.4431 or right <= 1.4433  # no bar lies across the threshold
    ((start, tip),) = arrows(plane)
    assert np.cross([*(tip - start), 0], [*model.coef_[0], 0])[2] == pytest.approx(0, abs=1e-9)


# regions, gates, networks


def test_regions_without_a_decision() -> None:
    iris = builtin("iris")
    X = iris.X[:, 2:]
    model = Perceptron(multi_class="ovr", max_iter=20).fit(X, iris.y)
    display = NoDecisionDisplay.from_estimator(
        model, X, iris.y, kesler=Perceptron(max_iter=20).fit(X, iris.y)
    )
    left, right, bottom, top = display.view.box
    across, up = np.meshgrid(np.linspace(left, right, 300), np.linspace(bottom, top, 300))
    scores = model.decision_function(np.column_stack([across.ravel(), up.ravel()]))
    claims = (scores >= 0).sum(axis=1)
    for count, share in display.shares.items():
        assert share == pytest.approx(np.mean(claims == count), abs=0.01)
    assert len(display.ax_) == 2
    entries = {"no class": 0 in display.shares, "several classes": 2 in display.shares}
    assert {name for name, there in entries.items() if there} <= set(legend_texts(display.figure_))
    for k, label in enumerate(model.classes_):
        drawn = line(display.ax_[0], f"score of {label} = 0")
        if len(drawn):
            zero = drawn @ model.coef_[k] + model.intercept_[k]
            assert zero == pytest.approx([0, 0], abs=1e-9 * np.abs(model.coef_).max())


@pytest.mark.parametrize("unit", [gates.XOR, gates.OR, "0110", "1011", gates.parity(2)])
def test_a_gate_is_shaded_where_it_is_1(unit: Any) -> None:
    display = GateDisplay.from_unit(unit)
    table = tuple(map(int, unit)) if isinstance(unit, str) else unit.truth_table()
    found = {}
    for (polygon, _), output in zip(display.cells, display.outputs, strict=True):
        for corner in [(0, 0), (0, 1), (1, 0), (1, 1)]:
            edges = np.roll(polygon, -1, axis=0) - polygon
            to = np.array(corner) - polygon
            if (edges[:, 0] * to[:, 1] - edges[:, 1] * to[:, 0] > 0).all():
                found[corner] = output
    assert [found[corner] for corner in sorted(found)] == list(table)


def test_the_two_lines_of_xor_and_the_unit_that_joins_them() -> None:
    plane, hidden = GateDisplay.from_unit(gates.XOR).ax_
    assert line(plane, "h1: x1 + x2 − 0.5 = 0").sum(axis=1) == pytest.approx([0.5, 0.5])
    assert line(plane, "h2: −x1 − x2 + 1.5 = 0").sum(axis=1) == pytest.approx([1.5, 1.5])
    assert line(hidden, "y: h1 + h2 − 1.5 = 0").sum(axis=1) == pytest.approx([1.5, 1.5])
    assert line(hidden, "output 1").tolist() == [[1, 1]]
    assert texts(hidden) == {"00", "11", "01, 10"}


def test_a_network_as_a_graph() -> None:
    display = NetworkDisplay.from_network(gates.XOR)
    shown = texts(display.ax_)
    assert {"x1", "x2", "h1", "h2", "y", "1", "−1", "b = −0.5", "b = 1.5", "b = −1.5"} <= shown
    assert len(display.ax_.lines) == 6
    styles = [each.get_linestyle() for each in display.ax_.lines]
    assert styles.count("--") == 2  # NAND has the two negative weights
    lone = NetworkDisplay.from_network(ThresholdUnit((1, 0, -2), 0.5))
    assert len(lone.ax_.lines) == 2  # a weight of 0 is no edge


def test_a_neuron_and_a_layer_as_graphs() -> None:
    pets = builtin("dogs-vs-cats")
    frame = pd.DataFrame(pets.X, columns=list(pets.feature_names))
    model = Perceptron(max_iter=1, shuffle=False)
    model.fit(frame, pets.y, coef_init=[1, 0], intercept_init=-20)
    shown = texts(NetworkDisplay.from_estimator(model).ax_)
    assert {"times_it_comes", "pounds", "2", "80", "b = −20", "Σ", "sign", "y"} <= shown
    X, Y = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]], [[0, 0], [1, 0], [1, 0], [1, 1]]
    layer = TanhPerceptron(activation="logistic", max_iter=5).fit(X, Y)
    display = NetworkDisplay.from_estimator(layer)
    assert len(display.ax_.lines) == 6
    assert {"y1", "y2", "σ"} <= texts(display.ax_)
    letters = texts(NetworkDisplay.from_shape(3, 2).ax_)
    assert {"$w_{2,3}$", "$b_{2}$", "$x_{3}$", "$y_{1}$"} <= letters


def test_many_inputs_are_cut_to_the_largest_weights(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 30))
    model = LeastSquares().fit(X, X[:, 4] + 2 * X[:, 9] > 0)
    display = NetworkDisplay.from_estimator(model)
    assert {"x5", "x10"} <= set(display.names)
    assert "⋮  23 more" in texts(display.ax_)


# images, errors, regression


def test_edges_of_an_image() -> None:
    image = np.zeros((32, 48))
    image[:, 24:] = 1.0
    display = HOGDisplay.from_image(image)
    lengths = np.linalg.norm(np.diff(display.segments, axis=2)[:, :, 0], axis=2)
    longest = display.segments[np.unravel_index(lengths.argmax(), lengths.shape)]
    across, down = np.abs(longest[1] - longest[0])
    assert down > 5 * across  # the edge is vertical
    used = display.histograms.sum(axis=2).reshape(4, 6) > 0
    assert used.tolist() == [[False, False, True, True, False, False]] * 4
    flat = HOGDisplay.from_image(image.ravel(), hog=HOG((32, 48)))
    assert flat.segments.tolist() == display.segments.tolist()


def test_the_histogram_of_a_cell_is_the_mean_over_its_blocks(rng: np.random.Generator) -> None:
    image = rng.random((24, 32))
    hog = HOG((24, 32), pixels_per_cell=(4, 8), orientations=5)
    names = hog.fit([image.ravel()]).get_feature_names_out()
    features = hog.transform([image.ravel()])[0]
    found = HOGDisplay.from_image(image, hog=hog).histograms
    assert found.shape == (6, 4, 5)
    for down, across, k in [(0, 0, 0), (2, 1, 3), (5, 3, 4)]:
        pattern = re.compile(rf"cell {down},{across} at {(k + 0.5) * 36:g}° in block .*")
        own = [value for name, value in zip(names, features, strict=True) if pattern.match(name)]
        assert found[down, across, k] == pytest.approx(np.mean(own), rel=1e-5)


def test_learning_and_capacity_curves() -> None:
    data = builtin("overlapping")
    curve = learning_curve(LinearDiscriminant(), data.X, data.y, sizes=[5, 20, 150])
    ax = ErrorCurveDisplay.from_curve(curve).ax_
    drawn = line(ax, "test error")
    assert drawn == pytest.approx(np.array([[p.value, 100 * p.test.value] for p in curve.points]))
    assert (ax.get_xscale(), ax.get_xlabel()) == ("log", "rows")

    def powers(degree: int) -> Any:
        return make_pipeline(Polynomial(degree), LinearDiscriminant())

    found = capacity_curve(powers, data.X, data.y, [1, 2], axis="degree")
    rates = ErrorCurveDisplay.from_curve(found)
    assert (rates.ax_.get_xlabel(), rates.ax_.get_ylabel()) == ("degree", "error (%)")
    squares = ErrorCurveDisplay(
        values=rates.values,
        training=rates.training,
        test=rates.test,
        axis="degree",
        regression=True,
    ).plot()
    assert squares.ax_.get_ylabel() == "mean squared error"
    assert line(squares.ax_, "test error")[:, 1].tolist() == rates.test[:, 0].tolist()


def test_bars_of_bias_and_variance_add_up_to_the_error() -> None:
    rings = builtin("rings")
    results = {
        degree: bias_variance(
            make_pipeline(Polynomial(degree), LinearDiscriminant()),
            rings.X[::4], rings.y[::4], n_resamples=5,
        )
        for degree in (1, 2)
    }  # fmt: skip
    ax = BiasVarianceDisplay.from_results(results, axis="degree").ax_
    bars = [(bar.get_y(), bar.get_height()) for bar in ax.patches]
    for k, found in enumerate(results.values()):
        (low, bias), (base, variance) = bars[k], bars[2 + k]
        assert (low, bias) == (0, found.squared.bias.value)
        if bias >= 0:
            assert base + variance == pytest.approx(found.squared.error.value)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2"]


def test_polynomials_of_several_degrees() -> None:
    x = np.linspace(0, 1, 9)
    frame = pd.DataFrame({"age": x})
    y = pd.Series(1 - 3 * x + 2 * x**2, name="height")
    models = {
        f"degree {d}": make_pipeline(PolynomialFeatures(d), LinearRegression()).fit(frame, y)
        for d in (1, 2)
    }
    ax = RegressionDisplay.from_estimators(models, frame, y).ax_
    places, values = line(ax, "degree 2").T
    assert values == pytest.approx(1 - 3 * places + 2 * places**2)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "height")
    assert line(ax, "rows")[:, 0].tolist() == x.tolist()


# what is refused


def bad_calls() -> list[tuple[Any, str]]:
    iris, xor = builtin("iris"), builtin("xor")
    X, y = iris.X, iris.y
    two = LeastSquares().fit(X[50:, 2:], y[50:])
    three = LeastSquares().fit(X[:, 2:], y)
    wide = LeastSquares().fit(X[50:], y[50:])
    kernel = KernelPerceptron(max_iter=2).fit(xor.X, xor.y)
    tree = DecisionTreeClassifier().fit(xor.X, xor.y)
    plane, words = X[:, 2:], y
    return [
        (lambda: FunctionDisplay.from_losses("cubic"), "loss must be one of zero_one"),
        (lambda: FunctionDisplay.from_activations("relu"), "activation must be one of"),
        (lambda: FunctionDisplay.from_losses(limits=(1, 1)), "two finite numbers"),
        (lambda: FunctionDisplay.from_losses(derivative=True, ax=plt.gca()), "2 panels; got 1"),
        (lambda: VectorDisplay.from_vectors([0, 0], [1, 2]), "zero vector"),
        (lambda: VectorDisplay.from_vectors([1, 2, 3], [1, 2]), "2 finite entries"),
        (lambda: HyperplaneDisplay.from_weights([1, 2], np.inf), "finite number"),
        (lambda: HyperplaneDisplay.from_estimator(wide), "2 features; this LeastSquares has 4"),
        (lambda: HyperplaneDisplay.from_estimator(three), "has 3"),
        (lambda: HyperplaneDisplay.from_estimator(Perceptron()), "fitted"),
        (lambda: ScoreDisplay.from_estimator(two, X[50:], y[50:]), "2 features; X has 4"),
        (lambda: ScoreDisplay.from_estimator(Perceptron(), plane, words), "fit"),
        (lambda: ScoreDisplay.from_estimator(three, plane, words), "as target"),
        (lambda: ScoreDisplay.from_estimator(three, plane, words, target="rose"), "'rose'"),
        (lambda: ScoreDisplay.from_estimator(two, plane[50:], kind="probability"), "predict_proba"),
        (lambda: ScoreDisplay.from_estimator(two, plane[50:], kind="height"), "kind must be"),
        (lambda: BoundaryDisplay.from_estimator(LinearRegression(), plane, words), "classes_"),
        (lambda: BoundaryDisplay.from_estimators([], plane, words), "at least one"),
        (lambda: HalfSpaceDisplay.from_data(plane, words), "holds 3"),
        (lambda: HalfSpaceDisplay.from_data(plane, ["a"] * 150), "holds 1"),
        (lambda: HalfSpaceDisplay.from_data([[1], [2]], [0, 1], fit_intercept=False), "1 feature"),
        (lambda: HalfSpaceDisplay.from_data(xor.X, xor.y, update=0), "2 entries"),
        (lambda: HalfSpaceDisplay.from_data(xor.X, xor.y, coef=[1]), "2 finite numbers"),
        (lambda: ErrorSurfaceDisplay.from_data(xor.X, xor.y, eta0=0), "eta0 must be positive"),
        (lambda: ErrorSurfaceDisplay.from_data(xor.X, xor.y, weights=(0, 3)), "from 0 to 2"),
        (lambda: ErrorSurfaceDisplay.from_data(xor.X, xor.y, starts=[1, 2, 3]), "2 finite"),
        (lambda: ErrorSurfaceDisplay.from_data(xor.X, xor.y, coef=[1, 2]), "3 finite numbers"),
        (lambda: ErrorSurfaceDisplay.from_data(xor.X, xor.y, box=(0, 1)), "box must be 4"),
        (lambda: ErrorSurfaceDisplay.from_estimator(kernel, xor.X, xor.y), "no weights"),
        (lambda: StepsDisplay.from_estimator(Perceptron(), X, y), "2 features; X has 4"),
        (lambda: StepsDisplay.from_estimator(Perceptron(), plane, words), "2 classes"),
        (lambda: StepsDisplay.from_estimator(LeastSquares(), xor.X, xor.y), "in epochs"),
        (lambda: StepsDisplay.from_estimator(tree, xor.X, xor.y), "in epochs"),
        (lambda: StepsDisplay.from_estimator(kernel, xor.X, xor.y), "no weights"),
        (lambda: StepsDisplay.from_estimator(Perceptron(), xor.X, xor.y, most=0), "at least 1"),
        (lambda: GaussianDisplay.from_estimator(two, plane[50:], words[50:]), "means_"),
        (lambda: ProjectionDisplay.from_estimator(three, plane, words), "has 3"),
        (lambda: ProjectionDisplay.from_estimator(two, plane[100:], words[100:]), "same label"),
        (lambda: NoDecisionDisplay.from_estimator(two, plane[50:], words[50:]), "3 classes"),
        (lambda: GateDisplay.from_unit(gates.MAJORITY), "2 inputs; this one has 3"),
        (lambda: NetworkDisplay.from_estimator(kernel), "no weights"),
        (lambda: NetworkDisplay.from_shape(0), "1 to 8"),
        (lambda: HOGDisplay.from_image(np.zeros(64)), "rows and columns"),
        (lambda: HOGDisplay.from_image(np.zeros((16, 16)), hog=HOG((8, 8))), "images of"),
        (lambda: ErrorCurveDisplay.from_curve([1, 2]), "learning_curve"),
        (lambda: BiasVarianceDisplay.from_results([1, 2]), "dictionary"),
        (lambda: RegressionDisplay.from_estimator(LinearRegression(), plane, y), "1 feature"),
        (lambda: ScoreDisplay.from_estimator(two, [[np.nan, 1]]), "contains NaN"),
    ]


def test_bad_input_gets_a_sentence() -> None:
    """Each is refused by name, and never by a traceback of numpy or matplotlib."""
    for call, words in bad_calls():
        with pytest.raises((DataError, ParameterError), match=words):
            call()


# the table in the docs


@pytest.mark.skipif(not PAGE.exists(), reason="tests run apart from the repository")
def test_every_slide_of_the_docs_is_one_line() -> None:
    """The page's own blocks define the names; each row of the table draws a figure with them."""
    before, section = PAGE.read_text().split("## Pictures of the lectures")
    blocks = before + "".join(section.split("```")[1])
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(blocks):
        if re.match(r"import |from |def |[\w, ]+ = ", example.source):
            exec(example.source, names)
    rows = re.findall(r"^\| ([\d, ]+) \| (.+?) \| `(.+)` \|$", section, re.MULTILINE)
    assert {lecture[:3] for lecture, _, _ in rows} == {"000", "001", "002", "003", "004"}
    assert len(rows) == section.count("\n| 0")
    for lecture, slide, code in rows:
        display = eval(code, names)
        assert type(display).__name__ in plotting.__all__, (lecture, slide)
        assert display.figure_.axes, (lecture, slide)
        plt.close("all")
