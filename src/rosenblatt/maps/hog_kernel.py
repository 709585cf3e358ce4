"""Histograms of oriented gradients: the votes of an image's pixels, and their blocks.

A pixel votes with the length of its gradient for an orientation, in the cell it lies in. A gradient
that points up is turned round first, so that its angle is in [0°, 180°); where signs count, it then
votes for the second half of the bins. Which orientation it is needs no angle: it is the number of
boundaries between orientations that the gradient lies beyond, each told by a cross product.

Soft votes are shared, linearly, by the two nearest orientations and by the four nearest cells.

Round the cells is a margin that takes the votes of pixels outside them, and is never read.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import INLINE, UINT
from rosenblatt.types import Array, Floats, Ints

L1, L1_SQRT, L2, L2_HYS = range(4)
EPSILON = 1e-5  # of a block's length, so that a block without edges has one
MOST = 0.2  # of a block's length, for one of its entries, under L2-Hys
BEFORE, AFTER = 1, 2  # cells of the margin; a soft vote goes on to the next cell
ONE = UINT(1)


class Layout(NamedTuple):
    """Cells down and across, also of a block; bins of a cell; how votes are counted and scaled.

    `share` is that of one pixel in its cell; `single` says that differences are float32.
    """

    width: int
    down: int
    across: int
    block_down: int
    block_across: int
    bins: int
    orientations: int
    share: float
    norm: int
    soft: bool
    single: bool


class Places(NamedTuple):
    """Where votes go.

    `cell` is the first bin of each pixel's cell, or of the upper left of its four; `below` and
    `right` are the shares of the next ones. The boundaries between orientations are directions.
    """

    cell: Ints
    below: Floats
    right: Floats
    cosines: Floats
    sines: Floats


class Gradients(NamedTuple):
    """Room for the gradients of an image that are not zero: what they are, and of which pixel."""

    x: Floats
    y: Floats
    bins: Ints
    pixels: Ints


@njit(cache=True, nogil=True)
def describe(images: Floats, layout: Layout, places: Places, out: Array) -> None:
    """Write the blocks of each image to its row of `out`."""
    n_pixels = images.shape[1]
    x, y = np.empty(n_pixels), np.empty(n_pixels)
    bins, pixels = np.empty(n_pixels, np.int64), np.empty(n_pixels, np.int64)
    found = Gradients(x, y, bins, pixels)
    cells = (layout.down + BEFORE + AFTER) * (layout.across + BEFORE + AFTER)
    votes = np.empty(cells * layout.bins)
    for i in range(len(images)):
        for k in range(UINT(len(votes))):
            votes[k] = 0.0
        n = find_gradients(images[i], layout, found)
        if layout.soft:
            vote_softly(n, layout, places, found, votes)
        else:
            vote(n, layout, places, found, votes)
        write_blocks(votes, layout, out[i])


@njit(cache=True, nogil=True)
def find_gradients(image: Floats, layout: Layout, found: Gradients) -> int:
    """Keep the gradients that are not zero, pointing down; how many there are."""
    x, y, bins, pixels = found
    width, row, n = UINT(layout.width), UINT(0), UINT(0)
    last = UINT(len(image)) - width
    behind = layout.bins - layout.orientations  # for a gradient that is turned, where signs count
    while row <= last:
        for column in range(width):
            pixel, gx, gy = row + column, 0.0, 0.0
            if UINT(0) < column < width - ONE:
                gx = difference(image[pixel + ONE], image[pixel - ONE], layout.single)
            if UINT(0) < row < last:
                gy = difference(image[pixel + width], image[pixel - width], layout.single)
            turned = gy < 0.0 or (gy == 0.0 and gx < 0.0)
            x[n], y[n] = (-gx, -gy) if turned else (gx, gy)
            bins[n], pixels[n] = behind if turned else 0, pixel
            n += UINT(gx != 0.0 or gy != 0.0)
        row += width
    return int(n)


@njit(cache=True, nogil=True, **INLINE)
def difference(after: float, before: float, single: bool) -> float:  # noqa: FBT001
    """The change between two pixels, in the precision that they came in."""
    return float(np.float32(after - before)) if single else after - before


@njit(cache=True, nogil=True)
def vote(n: int, layout: Layout, places: Places, found: Gradients, votes: Floats) -> None:
    """Let each gradient vote for its orientation in its cell."""
    cell, _, _, cosines, sines = places
    x, y, bins, pixels = found
    for e in range(len(cosines)):
        cosine, sine = cosines[e], sines[e]
        for k in range(UINT(n)):
            bins[k] += int(cosine * y[k] >= sine * x[k])
    for k in range(UINT(n)):
        length = np.sqrt(x[k] * x[k] + y[k] * y[k]) * layout.share
        votes[UINT(cell[UINT(pixels[k])] + bins[k])] += length


@njit(cache=True, nogil=True)
def vote_softly(n: int, layout: Layout, places: Places, found: Gradients, votes: Floats) -> None:
    """Share the vote of each gradient between the nearest orientations and cells."""
    cell, below, right, _, _ = places
    x, y, behind, pixels = found
    bins, half_turn = layout.bins, layout.orientations
    line = (layout.across + BEFORE + AFTER) * bins
    for k in range(UINT(n)):
        length, pixel = np.sqrt(x[k] * x[k] + y[k] * y[k]) * layout.share, UINT(pixels[k])
        angle = np.arctan2(y[k], x[k]) * (half_turn / np.pi) + behind[k] - 0.5
        first = int(np.floor(angle))
        beyond = length * (angle - first)
        first, second = first % bins, (first + 1) % bins
        down, aside, here = below[pixel], right[pixel], cell[pixel]
        for place, share in (
            (here, (1.0 - down) * (1.0 - aside)),
            (here + bins, (1.0 - down) * aside),
            (here + line, down * (1.0 - aside)),
            (here + line + bins, down * aside),
        ):
            votes[UINT(place + first)] += share * (length - beyond)
            votes[UINT(place + second)] += share * beyond


@njit(cache=True, nogil=True)
def write_blocks(votes: Floats, layout: Layout, out: Array) -> None:
    """Write each block of cells, brought to length 1, one after the other."""
    bins, of_line = UINT(layout.bins), UINT(layout.block_across * layout.bins)
    line = UINT((layout.across + BEFORE + AFTER) * layout.bins)
    block = np.empty(layout.block_down * layout.block_across * layout.bins)
    at = UINT(0)
    for row in range(layout.down - layout.block_down + 1):
        for column in range(layout.across - layout.block_across + 1):
            corner = UINT(row + BEFORE) * line + UINT(column + BEFORE) * bins
            k = UINT(0)
            for _ in range(layout.block_down):
                for j in range(of_line):
                    block[k + j] = votes[corner + j]
                k += of_line
                corner += line
            normalise(block, layout.norm)
            for j in range(k):
                out[at + j] = block[j]
            at += k


@njit(cache=True, nogil=True)
def normalise(block: Floats, norm: int) -> None:
    """Bring a block to length 1, as the norm has it."""
    if norm in (L1, L1_SQRT):
        scale(block, 1.0 / (total(block) + EPSILON))
        if norm == L1_SQRT:
            for k in range(UINT(len(block))):
                block[k] = np.sqrt(block[k])
        return
    scale(block, 1.0 / np.sqrt(square(block) + EPSILON * EPSILON))
    if norm == L2_HYS:
        for k in range(UINT(len(block))):
            block[k] = min(block[k], MOST)
        scale(block, 1.0 / np.sqrt(square(block) + EPSILON * EPSILON))


@njit(cache=True, nogil=True, **INLINE)
def scale(block: Floats, factor: float) -> None:
    """Multiply every entry."""
    for k in range(UINT(len(block))):
        block[k] *= factor


@njit(cache=True, nogil=True, fastmath={"reassoc"}, **INLINE)
def total(block: Floats) -> float:
    """Sum of the entries, in an order that suits the processor."""
    found = 0.0
    for k in range(UINT(len(block))):
        found += block[k]
    return found


@njit(cache=True, nogil=True, fastmath={"reassoc"}, **INLINE)
def square(block: Floats) -> float:
    """Sum of the squares, likewise."""
    found = 0.0
    for k in range(UINT(len(block))):
        found += block[k] * block[k]
    return found
