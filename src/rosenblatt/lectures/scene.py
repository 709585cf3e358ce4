"""A scene: a worked example of a lecture, fitted, to be replayed, drawn, or opened in the lab."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.datasets.builtin import builtin
from rosenblatt.estimators.replay import Frame, Replay, replay
from rosenblatt.features.transformers.numeric import Polynomial, Products, Radial
from rosenblatt.lectures.scene_table import PointOfClass, SceneRow, scene_row
from rosenblatt.logic import gates
from rosenblatt.logic.units import ThresholdNetwork
from rosenblatt.pipeline.fit import estimator_of
from rosenblatt.registry import Rule
from rosenblatt.types import Array, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARK_I_CELLS = (20, 20)
FEATURE_MAPS: dict[str, Callable[[int], Any]] = {
    "products": lambda _: Products(),
    "polynomial": Polynomial,
    "radial": lambda _: Radial(),
}


def scene(name: str) -> "Scene":
    """A worked example of the lectures, fitted.

    Examples
    --------
    >>> from rosenblatt import scene
    >>> batch = scene("003-batch")
    >>> batch.model.coef_.round(2), batch.model.intercept_
    (array([[ 1.45, -0.6 ]]), array([-0.5]))
    >>> print(batch.command)
    rosenblatt lab --scene 003-batch
    """
    row = scene_row(name)
    X, y, feature_names = _data(row.data)
    return Scene(row, X, y, feature_names, _fitted(row, X, y))


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene with its data and its fitted model.

    Attributes
    ----------
    row : SceneRow
        Name, title, caption, rule and the rest as data.
    X, y : ndarray
        The rows and their labels.
    feature_names : tuple of str
        Names of the columns of X.
    model :
        The fitted model: an estimator, a pipeline where features are mapped, or a network.
    """

    row: SceneRow
    X: Floats
    y: Array
    feature_names: tuple[str, ...]
    model: Any

    def replay(self) -> Replay | list[Frame]:
        """The run again: every sample of an online rule, else the weights after each step."""
        model, X = self.model, self.X
        if self.row.features != "none":
            X, model = model[:-1].transform(X), model[-1]
        start = _start_of(self.row)
        return (
            model.replay(X, self.y, **start)
            if hasattr(model, "replay")
            else replay(model, X, self.y, **start)
        )

    def plot(self, ax: "Axes | None" = None) -> Any:
        """Draw the scene's picture; the display that `rosenblatt.plotting` makes of it."""
        from rosenblatt import plotting  # noqa: PLC0415 (matplotlib is an extra)

        model, X, y = self.model, self.X, self.y
        named: dict[str, Any] = {"feature_names": self.feature_names, "ax": ax}
        start = _start_of(self.row)
        pictures: dict[str, Callable[[], Any]] = {
            "plane": lambda: plotting.BoundaryDisplay.from_estimator(model, X, y, **named),
            "weights": lambda: plotting.WeightSpaceDisplay.from_estimator(
                model, X, y, **named, **start
            ),
            "proof": lambda: plotting.SeparabilityDisplay.from_data(X, y, ax=ax),
            "gates": lambda: plotting.GateDisplay.from_unit(model, ax=ax),
            "mark-i": lambda: plotting.WeightsDisplay.from_estimator(
                model, image_shape=MARK_I_CELLS
            ),
        }
        return pictures[self.row.view]()

    @property
    def query(self) -> str:
        """The query of the lab's address that opens the scene."""
        return self.row.query

    @property
    def command(self) -> str:
        """The command that opens the scene in the lab."""
        return f"rosenblatt lab --scene {self.row.name}"


def _data(data: str | tuple[PointOfClass, ...]) -> tuple[Floats, Array, tuple[str, ...]]:
    """Rows, labels and names of features."""
    if isinstance(data, str):
        given = builtin(data.removeprefix("builtin:"))
        return given.X, given.y, given.feature_names
    x1, x2, code = zip(*data, strict=True)
    labels = (-1, 1) if max(code) == 1 else (1, 2, 3)
    return np.column_stack([x1, x2]), np.array([labels[k] for k in code]), ("x1", "x2")


def _fitted(row: SceneRow, X: Floats, y: Array) -> Any:
    """The model of a scene, fitted."""
    if row.view == "gates":
        return ThresholdNetwork((gates.OR, gates.NAND), gates.AND)
    model = estimator_of(Rule(row.rule), row.parameters)
    if row.features == "none":
        return model.fit(X, y, **_start_of(row))
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415 (slow to import)

    return make_pipeline(FEATURE_MAPS[row.features](row.degree), model).fit(X, y)


def _start_of(row: SceneRow) -> dict[str, Any]:
    """The initial weights of a scene as arguments of `fit`."""
    return {"coef_init": row.start[:-1], "intercept_init": row.start[-1]} if row.start else {}
