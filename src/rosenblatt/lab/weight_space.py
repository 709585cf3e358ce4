"""The space of two weights (lecture 003): every sample a line, the solutions a region, w a path."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.geometry.plane import Box, segment
from rosenblatt.geometry.sampling import sample
from rosenblatt.geometry.weight_space import WeightPlane
from rosenblatt.lab.dataset import LabDataset
from rosenblatt.types import Floats, Ints

MOST_LINES = 150
MOST_ROWS = 5000  # whose half-planes are cut out one after the other


@dataclass(frozen=True, eq=False)
class WeightPicture:
    """What the space of two weights shows; without lines it has a sentence instead."""

    names: tuple[str, str]
    box: Box
    lines: tuple[Floats, ...]
    codes: Ints
    solutions: Floats
    path: Floats
    here: Floats
    caption: str


def weight_names(dataset: LabDataset) -> tuple[str, ...]:
    """Names of the weights: one a feature, then the bias."""
    return (*(f"w({name})" for name in dataset.lifted_names()), "b")


def refusal(dataset: LabDataset) -> str:
    """Why there is no picture, or nothing."""
    if len(dataset.classes) != 2:
        return (
            "The space of weights is drawn for two classes: here each class has weights of its own."
        )
    if len(dataset.X) > MOST_ROWS:
        return f"The space of weights is drawn for up to {MOST_ROWS:,} samples."
    return ""


def weight_picture(
    dataset: LabDataset, at: Floats, path: Floats, chosen: tuple[int, int], followed: str
) -> WeightPicture:
    """The plane of two weights through the weights `at`, the others as they are there."""
    plane = WeightPlane(at, chosen)
    signs = np.where(dataset.codes == 1, 1.0, -1.0)
    seen = plane.path(path)
    box = _box(seen)
    some = sample(dataset.codes, MOST_LINES).rows
    A, c = plane.halfplanes(dataset.Z[some], signs[some])
    ends = [segment(a, float(offset), box) for a, offset in zip(A, c, strict=True)]
    lines = [
        (line, code)
        for line, code in zip(ends, dataset.codes[some], strict=True)
        if line is not None
    ]
    names = weight_names(dataset)
    fixed = len(at) - 2
    others = (
        ""
        if fixed == 0
        else f" The other {'weight stays' if fixed == 1 else 'weights stay'} as now."
    )
    return WeightPicture(
        names=(names[chosen[0]], names[chosen[1]]),
        box=box,
        lines=tuple(line for line, _ in lines),
        codes=np.array([code for _, code in lines], np.int64),
        solutions=plane.solutions(dataset.Z, signs, box),
        path=seen,
        here=plane.path(at[None])[0],
        caption=f"Each line is a sample; the path is {followed}.{others}",
    )


def _box(path: Floats) -> Box:
    """Around the path and the origin, the same both ways."""
    reach = max(float(np.abs(path).max()), 1e-6) * 1.35
    return Box(-reach, reach, -reach, reach)
