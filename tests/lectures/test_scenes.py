"""Scenes: the numbers of the slides, the same run in the lab, and a picture of each."""

from urllib.parse import parse_qsl

import matplotlib as mpl
import numpy as np
import pytest

from rosenblatt import scene, scene_names
from rosenblatt.errors import ParameterError
from rosenblatt.lab.dataset import dataset_of
from rosenblatt.lab.runs import run_of
from rosenblatt.lab.state import from_query
from rosenblatt.lectures.scene_table import SCENES

mpl.use("agg")
IN_THE_PLANE = [name for name in scene_names() if SCENES[name].view not in {"gates", "mark-i"}]


@pytest.mark.parametrize("name", IN_THE_PLANE)
def test_the_lab_opens_a_scene_with_the_same_weights(name: str) -> None:
    found = scene(name)
    setup, errors = from_query(dict(parse_qsl(found.query)))
    run = run_of(dataset_of(setup, None), setup)
    model = found.model if found.row.features == "none" else found.model[-1]
    assert errors == ()
    assert np.array_equal(run.model.coef_, model.coef_)
    assert np.array_equal(run.model.intercept_, model.intercept_)
    assert found.row.step is None or found.row.step <= run.n_steps


@pytest.mark.parametrize("name", sorted(set(SCENES) - set(IN_THE_PLANE)))
def test_other_rooms_open_without_errors(name: str) -> None:
    setup, errors = from_query(dict(parse_qsl(SCENES[name].query)))
    assert (setup.tab, errors) == (SCENES[name].view, ())


@pytest.mark.parametrize("name", scene_names())
def test_every_scene_has_a_picture(name: str) -> None:
    display = scene(name).plot()
    assert display.figure_.axes
    mpl.pyplot.close("all")


def test_the_worked_numbers() -> None:
    def after(name: str) -> list[list[float]]:
        run = scene(name).replay()
        return [run.visit(1, place).after[0].round(9).tolist() for place in range(run.n_rows)]

    assert after("001-example") == [[0.1, -0.1, -0.2], [0.3, 0.0, -0.1]]
    assert after("004-dogs-and-cats") == [[2, 100, -19], [2, 100, -19], [2, 80, -20]]
    assert scene("001-and").model.coef_.tolist() == [[3, 2]]
    assert scene("001-and").model.intercept_.tolist() == [-4]
    batch = scene("003-batch")
    assert np.append(batch.model.coef_, batch.model.intercept_).round(9).tolist() == [
        *(1.45, -0.6),
        -0.5,
    ]
    assert scene("003-fisher").model.coef_.round(4).tolist() == [[3.3878, -0.1626]]
    assert scene("003-xor-network").model.truth_table() == (0, 1, 1, 0)
    given = scene("004-given-line")
    assert given.model.coef_.tolist() == [[0.5, 0.5]]
    assert given.model.mistakes_ == 0


def test_a_scene_that_is_not_there() -> None:
    with pytest.raises(ParameterError, match=r"Did you mean '003-batch'"):
        scene("003-bacth")
    with pytest.raises(ParameterError, match="000, 001, 002, 003, 004"):
        scene_names("3")
    assert scene_names("001") == ("001-and", "001-example")
