"""What the page works out: subjects, runs and their moments, verdicts and curves."""

import numpy as np
import pytest

from rosenblatt.datasets.builtin import Dataset, builtin
from rosenblatt.errors import DataError
from rosenblatt.lab.catalogue import LAB_RULES, Stepping
from rosenblatt.lab.dataset import LabDataset, dataset_of
from rosenblatt.lab.runs import PassRun, Run, SampleRun, run_of
from rosenblatt.lab.state import DRAWN, FILE, Point, Setup
from rosenblatt.lab.views.curves import charts
from rosenblatt.lab.views.proof import explanation, headline, verdict_on, witnesses
from rosenblatt.lab.views.weights import refusal, weight_names, weight_picture
from rosenblatt.separation.proof.verdict import Inseparable, Separable

XOR = (Point(0, 0, 0), Point(1, 1, 0), Point(0, 1, 1), Point(1, 0, 1))


def worked(setup: Setup) -> tuple[LabDataset, Run]:
    dataset = dataset_of(setup, None)
    return dataset, run_of(dataset, setup)


def test_batch_step_of_lecture_003() -> None:
    setup = Setup(rule="batch-perceptron", start=(0.0, 1.0, -0.5))
    _, run = worked(setup)
    assert run.n_steps == 2
    assert run.at(0).after.tolist() == [[0.0, 1.0, -0.5]]
    moment = run.at(1)
    numbers = [row + 1 for row in moment.update_rows]
    assert numbers == [1, 4, 6, 7]  # 1, 4 of class 1; 2, 3 of class 2
    assert moment.after == pytest.approx(np.array([[1.45, -0.6, -0.5]]))
    assert run.at(2).update_rows == ()
    assert not run.at(2).changed


def test_sample_steps_of_lecture_004() -> None:
    setup = Setup(data="builtin:dogs-vs-cats", start=(1.0, 0.0, -20.0))
    _, run = worked(setup)
    assert isinstance(run, SampleRun)
    told = [(m.epoch, m.row, m.mistake, m.after[0].tolist()) for m in map(run.at, range(1, 4))]
    assert told == [  # its labels sort cat before dog, so dog is +1
        (1, 0, True, [2.0, 100.0, -19.0]),
        (1, 1, False, [2.0, 100.0, -19.0]),
        (1, 2, True, [2.0, 80.0, -20.0]),
    ]


@pytest.mark.parametrize("rule", LAB_RULES)
@pytest.mark.parametrize("data", ["builtin:4f10", "builtin:iris"])
def test_every_rule_can_be_stepped_to_the_weights_it_ends_with(rule: str, data: str) -> None:
    _, run = worked(Setup(rule=rule, data=data))
    assert np.array_equal(run.at(run.n_steps).kept, run.final)
    assert run.at(0).epoch == 0
    for step in {1, run.n_steps // 2, run.n_steps} - {0}:
        assert np.array_equal(run.at(step).before, run.at(step - 1).after)
    path, _ = run.path
    assert np.array_equal(path[0], run.at(0).after[0])
    assert (path[1:] != path[:-1]).any(axis=1).all()
    assert isinstance(run, SampleRun) == (LAB_RULES[rule].stepping is Stepping.SAMPLES)


def test_a_pass_is_as_many_steps_as_there_are_samples() -> None:
    dataset, run = worked(Setup(data="builtin:separable"))
    assert run.n_steps == run.n_epochs * len(dataset.X)
    assert (run.at(200).epoch, run.at(200).row) == (1, 199)
    assert (run.at(201).epoch, run.at(201).row) == (2, 0)


def test_a_shuffled_run_says_which_sample_is_at_work() -> None:
    setup = Setup(data="builtin:separable", settings=(("shuffle", True),))
    dataset, run = worked(setup)
    rows = [run.at(step).row for step in range(1, len(dataset.X) + 1)]
    assert rows != sorted(rows) == list(range(len(dataset.X)))
    again = worked(setup)[1]
    assert [again.at(step).row for step in (1, 2, 3)] == rows[:3]  # an address means one run


def test_long_runs_are_followed_from_pass_to_pass() -> None:
    setup = Setup(data="builtin:overlapping").with_setting("max_iter", 200)
    _, run = worked(setup)
    assert run.path[1] == "w after every epoch"
    assert len(run.path[0]) <= 201


@pytest.mark.parametrize(
    ("points", "told"),
    [((), "click in the plane"), (XOR[:2], "one class")],
)
def test_too_few_points_are_a_sentence(points: tuple[Point, ...], told: str) -> None:
    setup = Setup(data=DRAWN, points=points)
    dataset = dataset_of(setup, None)
    assert dataset.editable
    assert verdict_on(dataset) is None
    with pytest.raises(DataError, match=told):
        run_of(dataset, setup)


def test_a_start_of_another_length_is_a_sentence() -> None:
    with pytest.raises(DataError, match="2 initial weights were given, but this model has 3"):
        worked(Setup(start=(1.0, 2.0)))
    with pytest.raises(DataError, match="but this model has 3 × 5"):
        worked(Setup(data="builtin:iris", start=(1.0, 2.0)))


def test_colours_stay_with_the_classes_that_are_drawn() -> None:
    dataset = dataset_of(Setup(data=DRAWN, points=(Point(0, 0, 2), Point(1, 0, 1))), None)
    assert dataset.classes == ("2", "3")
    assert dataset.marks == (1, 2)
    assert dataset.points() == [Point(0, 0, 2), Point(1, 0, 1)]


def test_files_are_taken_whole_or_refused_with_a_sentence() -> None:
    rng = np.random.default_rng(0)
    many = Dataset("a.csv", rng.normal(size=(40, 3)), np.arange(40), ("a", "b", "c"), "a.csv")
    with pytest.raises(DataError, match="40 classes"):
        dataset_of(Setup(data=FILE), many)
    wide = Dataset("b.csv", np.zeros((2, 2001)), np.array([0, 1]), ("x",) * 2001, "b.csv")
    with pytest.raises(DataError, match="2,001 features"):
        dataset_of(Setup(data=FILE), wide)
    with pytest.raises(DataError, match="open the file again"):
        dataset_of(Setup(data=FILE), None)
    iris = builtin("iris")
    lifted = Dataset("c", np.zeros((2, 80)), np.array([0, 1]), ("x",) * 80, "")
    with pytest.raises(DataError, match="lower degree"):
        dataset_of(Setup(data=FILE, features="polynomial", degree=3), lifted)
    assert not dataset_of(Setup(data=FILE), iris).editable


def test_scaled_data_have_mean_0_and_deviation_1_but_for_bits() -> None:
    X = np.array([[0.0, 100.0, 7.0], [1.0, 300.0, 7.0]])
    data = Dataset("a.csv", X, np.array(["a", "b"]), ("bit", "grams", "same"), "a.csv")
    dataset = dataset_of(Setup(data=FILE, scaled=True), data)
    assert dataset.X.tolist() == dataset.Z.tolist() == [[0, -1, 0], [1, 1, 0]]
    assert X[0].tolist() == [0, 100, 7]  # the file's own rows stay
    assert not dataset_of(Setup(scaled=True), None).editable
    drawn = dataset_of(Setup(data=DRAWN, points=XOR, scaled=True), None)
    assert drawn.editable
    assert drawn.points() == list(XOR)  # a point stays where it was drawn


def test_xor_is_proved_inseparable_until_the_product_joins() -> None:
    setup = Setup(data=DRAWN, points=XOR)
    dataset = dataset_of(setup, None)
    proof = verdict_on(dataset)
    assert isinstance(proof, Inseparable)
    assert {w.row for w in witnesses(proof, dataset)} == {0, 1, 2, 3}
    assert {w.weight for w in witnesses(proof, dataset)} == {"1/4"}
    assert headline(proof) == "Not separable"
    assert {w.rival for w in witnesses(proof, dataset)} == {""}
    lifted = dataset_of(Setup(data=DRAWN, points=XOR, features="products"), None)
    proof = verdict_on(lifted)
    assert isinstance(proof, Separable)
    assert proof.verify(lifted.Z, lifted.labels)
    assert lifted.mapped_feature_names()[-1] == "x1 × x2"
    assert "lie on the margin" in explanation(proof, 3)[-1]


def test_samples_of_several_classes_are_held_against_rivals() -> None:
    dataset = dataset_of(Setup(data="builtin:iris"), None)
    proof = verdict_on(dataset)
    assert isinstance(proof, Inseparable)
    assert {(w.label, w.rival) for w in witnesses(proof, dataset)} == {
        ("versicolor", "virginica"),
        ("virginica", "versicolor"),
    }
    assert "at the rival" in explanation(proof, None)[0]


def test_curves_show_the_bounds() -> None:
    dataset, run = worked(Setup(data="builtin:separable"))
    proof = verdict_on(dataset)
    found = {chart.title: chart for chart in charts(run, proof)}
    made, bound = found["Mistakes so far and their bound"].curves
    assert made.values[-1] == run.model.mistakes_ <= bound.values[-1] == proof.mistake_bound
    upper, lower = found["Bounds on the largest margin γ*"].curves
    assert upper.values[-1] >= lower.values[-1] > 0
    assert list(upper.values) == sorted(upper.values, reverse=True)


def test_curves_of_certified_rules_show_the_gap() -> None:
    _, run = worked(Setup(rule="linear-svm"))
    objective, gap = charts(run, None)
    above, below = objective.curves
    assert all(p >= d for p, d in zip(above.values, below.values, strict=True))
    assert gap.log
    assert gap.curves[0].values[-1] <= 1e-6
    assert isinstance(run, PassRun)
    assert charts(worked(Setup(rule="least-squares"))[1], None) == ()


def test_weight_space_of_lecture_003() -> None:
    setup = Setup(rule="batch-perceptron", start=(0.0, 1.0, -0.5))
    dataset, run = worked(setup)
    at, (path, followed) = run.final[0], run.path
    seen = weight_picture(dataset, at, path, (0, 1), followed)
    assert len(seen.lines) == 7  # (0, 0) asks nothing of these two
    assert seen.names == ("w(x1)", "w(x2)")
    assert seen.path == pytest.approx(np.array([[0.0, 1.0], [1.45, -0.6]]))
    inside = seen.solutions.mean(axis=0)
    signs = np.where(dataset.codes == 1, 1.0, -1.0)
    assert (signs * (dataset.X @ inside + at[2]) > 0).all()
    assert weight_names(dataset)[-1] == "b"
    assert "two classes" in refusal(dataset_of(Setup(data="builtin:iris"), None))
