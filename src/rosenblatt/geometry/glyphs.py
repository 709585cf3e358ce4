"""Glyphs of histograms of orientations: a star of lines in each cell, one line an orientation."""

import numpy as np

from rosenblatt.types import Floats

FILL = 0.95  # share of a cell that the longest line takes


def edge_segments(histograms: Floats, angles: Floats, cell: tuple[int, int]) -> Floats:
    """Lines along the edges in each cell, cells × bins × 2 ends × 2, in pixels from the upper left.

    `histograms` are down × across × bins, and `angles` those of the gradient of each bin, clockwise
    from the right; an edge is perpendicular to it. The longest line fills its cell; lengths are in
    proportion to the histograms.
    """
    down, across, _ = histograms.shape
    height, width = cell
    rows, columns = (np.arange(down) + 0.5) * height, (np.arange(across) + 0.5) * width
    centres = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 1, 1, 2) - 0.5
    along = np.column_stack([-np.sin(angles), np.cos(angles)])
    largest = float(histograms.max()) or 1.0
    half = FILL * min(cell) / 2 * histograms.reshape(-1, len(angles)) / largest
    reach = half[:, :, None, None] * along[None, :, None, :]
    return np.asarray(centres + reach * np.array([-1.0, 1.0])[None, None, :, None])
