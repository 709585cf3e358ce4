"""What the plane shows is what the weights say."""

from dataclasses import replace

import numpy as np
import pytest

from rosenblatt.geometry.plane import Box
from rosenblatt.geometry.view import sample
from rosenblatt.lab.dataset import LabDataset, dataset_of
from rosenblatt.lab.plot_data import EMPTY_BOX, box_around, chosen, foot_of, picture
from rosenblatt.lab.runs import run_of
from rosenblatt.lab.state import DRAWN, Point, Setup


def seen(setup: Setup, box: Box = Box(-3, 3, -3, 3)):  # noqa: B008 (a tuple)
    dataset = dataset_of(setup, None)
    W = run_of(dataset, setup).final
    return dataset, W, picture(dataset, W, setup.rule, chosen(dataset, ()), box)


def test_boundary_normal_margins_and_feet_of_a_line() -> None:
    dataset, W, shown = seen(Setup(data="builtin:separable"))
    w, b = W[0, :-1], W[0, -1]
    (line,) = shown.boundary
    assert line @ w + b == pytest.approx(0, abs=1e-9)
    tail, tip = shown.normal
    assert (tip - tail) @ (line[1] - line[0]) == pytest.approx(0, abs=1e-9)
    assert (tip - tail) @ w > 0
    signs = np.where(dataset.codes == 1, 1.0, -1.0)
    distance = signs * (dataset.X @ w + b) / np.linalg.norm(w)
    assert shown.drawn.distance == pytest.approx(distance)
    assert shown.drawn.correct.all()
    nearest = distance.min() * np.linalg.norm(w)
    levels = sorted(float((side @ w + b).mean()) for side in shown.margins)
    assert levels == pytest.approx([-nearest, nearest])
    point, foot = foot_of(shown.drawn, 5, W)
    assert foot @ w + b == pytest.approx(0, abs=1e-9)
    assert np.linalg.norm(point - foot) == pytest.approx(abs(distance[5]))


def test_scaled_data_are_seen_as_they_are_learned_from() -> None:
    dataset, W, shown = seen(Setup(data="builtin:separable", scaled=True))
    assert shown.names == ("x1 (scaled)", "x2 (scaled)")
    assert shown.drawn.places.tolist() == dataset.X.tolist()
    (line,) = shown.boundary
    assert line @ W[0, :-1] + W[0, -1] == pytest.approx(0, abs=1e-9)


def test_margins_of_the_svm_are_at_one() -> None:
    _, W, shown = seen(Setup(data="builtin:overlapping", rule="linear-svm"))
    levels = sorted(float((side @ W[0, :-1] + W[0, -1]).mean()) for side in shown.margins)
    assert levels == pytest.approx([-1, 1])


def test_boundary_through_features_is_a_curve_where_the_score_is_zero() -> None:
    setup = Setup(data="builtin:rings", features="polynomial", rule="logistic-regression")
    dataset, W, shown = seen(setup)
    for line in shown.boundary:
        scores = dataset.mapped(line) @ W[0, :-1] + W[0, -1]
        assert np.abs(scores).max() < 0.02 * np.abs(dataset.Z @ W[0, :-1] + W[0, -1]).max()
    inside = shown.decisions[75, 75]
    assert dataset.classes[int(inside)] == "1"  # the ring of radius 1
    assert shown.probabilities[75, 75] > 0.5 > shown.probabilities[0, 0]


@pytest.mark.parametrize("features", ["none", "products"])
def test_several_classes_share_the_plane_by_their_probabilities(features: str) -> None:
    points = tuple(Point(x, y, k) for k, (x, y) in enumerate([(0, 0), (1, 0), (0, 1)]))
    drawn = Setup(data=DRAWN, points=points, features=features)
    dataset, _, shown = seen(replace(drawn, rule="logistic-regression"))
    assert shown.class_probabilities.shape[0] == len(dataset.classes) == 3
    np.testing.assert_allclose(shown.class_probabilities.sum(axis=0), 1)
    assert shown.class_probabilities.argmax(axis=0)[0, 0] == 0
    assert seen(replace(drawn, rule="perceptron"))[2].class_probabilities is None


def test_more_features_are_projected_with_exact_distances() -> None:
    setup = Setup(data="builtin:iris", rule="logistic-regression")
    dataset = dataset_of(setup, None)
    two = LabDataset(
        "two",
        dataset.X[50:],
        dataset.codes[50:] - 1,
        dataset.classes[1:],
        dataset.feature_names,
        (0, 1),
        Z=dataset.X[50:],
    )
    W = run_of(two, setup).final
    shown = picture(two, W, setup.rule, sample(two.codes), EMPTY_BOX)
    signs = np.where(two.codes == 1, 1.0, -1.0)
    assert signs * shown.drawn.places[:, 0] == pytest.approx(shown.drawn.distance)
    (line,) = shown.boundary
    assert line[:, 0] == pytest.approx(0, abs=1e-9)
    assert "signed distance" in shown.caption


def test_cells_of_several_classes_hold_the_points_they_decide() -> None:
    dataset, W, shown = seen(Setup(data="builtin:iris", rule="linear-discriminant"))
    decided = (dataset.X @ W[:, :-1].T + W[:, -1]).argmax(axis=1)
    for code, cell in enumerate(shown.cells):
        for point in shown.drawn.places[decided == code]:
            ahead, here = np.roll(cell, -1, axis=0) - cell, point - cell
            assert (ahead[:, 0] * here[:, 1] - ahead[:, 1] * here[:, 0] > -1e-9).all()
    assert set(decided) == {0, 1, 2}
    assert "weights of the classes differ" in shown.caption


def test_one_feature_and_its_powers_are_seen_as_they_are() -> None:
    dataset, W, shown = seen(Setup(data="builtin:not", rule="least-squares"))
    (line,) = shown.boundary
    assert line[:, 0] == pytest.approx(-W[0, 1] / W[0, 0])
    assert shown.drawn.places.tolist() == [[0, 0], [1, 0]]
    assert shown.box.left < 0
    assert shown.box.right > 1
    setup = Setup(data="builtin:not", rule="least-squares", features="polynomial")
    dataset, W, shown = seen(setup)
    assert shown.drawn.places.tolist() == dataset.Z.tolist()
    assert shown.names == ("x1", "x1²")
    assert shown.caption == ""


def test_before_there_are_weights_only_points_are_seen() -> None:
    dataset = dataset_of(Setup(), None)
    shown = picture(dataset, None, "perceptron", chosen(dataset, ()), EMPTY_BOX)
    assert shown.drawn.places.tolist() == dataset.X.tolist()
    zero = picture(dataset, np.zeros((1, 3)), "perceptron", chosen(dataset, ()), EMPTY_BOX)
    assert zero.boundary == shown.boundary == ()
    assert np.isnan(zero.drawn.distance).all()


def test_large_data_are_sampled_for_drawing_and_that_is_said() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2))
    codes = (X[:, 0] > 0).astype(np.int64)
    dataset = LabDataset("big", X, codes, ("a", "b"), ("u", "v"), (0, 1), Z=X)
    shown = picture(dataset, None, "perceptron", chosen(dataset, (4999,)), EMPTY_BOX)
    assert len(shown.drawn.rows) <= 1501
    assert 4999 in shown.drawn.rows
    assert "of 5,000 rows" in shown.caption
    assert "use all of them" in shown.caption


def test_boxes_have_one_scale_unless_points_are_long_and_thin() -> None:
    box = box_around(np.array([[0.0, 0.0], [4.0, 1.0]]))
    assert box.right - box.left == pytest.approx(box.top - box.bottom)
    box = box_around(np.array([[0.0, 0.0], [400.0, 1.0]]))
    assert box.top - box.bottom < 2
    assert box_around(np.zeros((0, 2))) == EMPTY_BOX
