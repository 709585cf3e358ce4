"""Weight space (lecture 003): each sample is a line, the solutions a region, the run a path."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.geometry.plane import Box, segment
from rosenblatt.geometry.view import sample
from rosenblatt.geometry.weight_space import WeightPlane
from rosenblatt.lab.dataset import LabDataset
from rosenblatt.types import Floats, Ints

MAX_LINES = 150
MAX_ROWS = 5000  # whose half-planes are intersected


@dataclass(frozen=True, eq=False)
class WeightPicture:
    """Plot data of the plane of two weights."""

    names: tuple[str, str]
    box: Box
    lines: tuple[Floats, ...]
    codes: Ints
    solutions: Floats
    path: Floats
    here: Floats
    caption: str


def weight_names(dataset: LabDataset) -> tuple[str, ...]:
    """Names of the weights: one for each feature, then the intercept b."""
    return (*(f"w({name})" for name in dataset.mapped_feature_names()), "b")


def refusal(dataset: LabDataset) -> str:
    """The reason why weight space is not drawn, or an empty string."""
    if len(dataset.classes) != 2:
        return (
            "The space of weights is drawn for two classes: here each class has weights of its own."
        )
    if len(dataset.X) > MAX_ROWS:
        return f"The space of weights is drawn for up to {MAX_ROWS:,} samples."
    return ""


def weight_picture(
    dataset: LabDataset, at: Floats, path: Floats, chosen: tuple[int, int], followed: str
) -> WeightPicture:
    """The plane of two weights through the weights `at`, with the others fixed."""
    plane = WeightPlane(at, chosen)
    signs = np.where(dataset.codes == 1, 1.0, -1.0)
    projected = plane.path(path)
    box = _box(projected)
    drawn = sample(dataset.codes, MAX_LINES).rows
    A, c = plane.halfplanes(dataset.Z[drawn], signs[drawn])
    ends = [segment(a, float(offset), box) for a, offset in zip(A, c, strict=True)]
    lines = [
        (line, code)
        for line, code in zip(ends, dataset.codes[drawn], strict=True)
        if line is not None
    ]
    names = weight_names(dataset)
    fixed = len(at) - 2
    others = (
        "" if fixed == 0 else f" The other {'weight is' if fixed == 1 else 'weights are'} fixed."
    )
    return WeightPicture(
        names=(names[chosen[0]], names[chosen[1]]),
        box=box,
        lines=tuple(line for line, _ in lines),
        codes=np.array([code for _, code in lines], np.int64),
        solutions=plane.solutions(dataset.Z, signs, box),
        path=projected,
        here=plane.path(at[None])[0],
        caption=f"Each line is a sample; the path is {followed}.{others}",
    )


def _box(path: Floats) -> Box:
    """A square around the origin that contains the path."""
    half = max(float(np.abs(path).max()), 1e-6) * 1.35
    return Box(-half, half, -half, half)
