"""Compiled kernels of histograms of oriented gradients: votes of the pixels, blocks of the cells.

A pixel votes with the magnitude of its gradient for an orientation, in the cell it lies in. A
gradient that points up is negated first, so that its angle is in [0°, 180°); if orientations are
signed, it then votes for the second half of the bins. No angle is needed to find the orientation:
it is the number of boundaries between orientations that the gradient lies beyond, by the sign of a
cross product.

Soft votes are interpolated linearly between the two nearest orientations and the four nearest
cells.

The cells are padded by a border that takes the votes of pixels outside them, and is never read.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import INLINE, UINT
from rosenblatt.types import Array, Floats, Ints

L1, L1_SQRT, L2, L2_HYS = range(4)
EPSILON = 1e-5  # added to the norm of a block, which may be 0
HYS_CLIP = 0.2  # largest entry of a normalised block under L2-Hys
BEFORE, AFTER = 1, 2  # cells of padding; a soft vote also goes to the next cell
ONE = UINT(1)


class Layout(NamedTuple):
    """Sizes of the image, its cells and blocks; bins of a cell; how votes are counted and scaled.

    `share` is the weight of one pixel in its cell; `single` means that differences are float32.
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


class VotePlaces(NamedTuple):
    """The cell and the weights of each pixel's vote, and the boundaries between orientations.

    `cell` is the first bin of each pixel's cell, or of the upper left of its four; `below` and
    `right` are the weights of the next ones. The boundaries are directions.
    """

    cell: Ints
    below: Floats
    right: Floats
    cosines: Floats
    sines: Floats


class Gradients(NamedTuple):
    """Buffers for the nonzero gradients of an image: components, bin and pixel."""

    x: Floats
    y: Floats
    bins: Ints
    pixels: Ints


@njit(cache=True, nogil=True)
def hog_features(images: Floats, layout: Layout, places: VotePlaces, out: Array) -> None:
    """Write the blocks of each image to its row of `out`."""
    n_pixels = images.shape[1]
    x, y = np.empty(n_pixels), np.empty(n_pixels)
    bins, pixels = np.empty(n_pixels, np.int64), np.empty(n_pixels, np.int64)
    gradients = Gradients(x, y, bins, pixels)
    cells = (layout.down + BEFORE + AFTER) * (layout.across + BEFORE + AFTER)
    votes = np.empty(cells * layout.bins)
    for i in range(len(images)):
        for k in range(UINT(len(votes))):
            votes[k] = 0.0
        n = find_gradients(images[i], layout, gradients)
        if layout.soft:
            vote_softly(n, layout, places, gradients, votes)
        else:
            vote(n, layout, places, gradients, votes)
        write_blocks(votes, layout, out[i])


@njit(cache=True, nogil=True)
def find_gradients(image: Floats, layout: Layout, gradients: Gradients) -> int:
    """Write the nonzero gradients, pointing down, to `gradients`, and return their number."""
    x, y, bins, pixels = gradients
    width, row, n = UINT(layout.width), UINT(0), UINT(0)
    last = UINT(len(image)) - width
    negated_bin = layout.bins - layout.orientations  # first bin of negated gradients, if signed
    while row <= last:
        for column in range(width):
            pixel, gx, gy = row + column, 0.0, 0.0
            if UINT(0) < column < width - ONE:
                gx = difference(image[pixel + ONE], image[pixel - ONE], layout.single)
            if UINT(0) < row < last:
                gy = difference(image[pixel + width], image[pixel - width], layout.single)
            negated = gy < 0.0 or (gy == 0.0 and gx < 0.0)
            x[n], y[n] = (-gx, -gy) if negated else (gx, gy)
            bins[n], pixels[n] = negated_bin if negated else 0, pixel
            n += UINT(gx != 0.0 or gy != 0.0)
        row += width
    return int(n)


@njit(cache=True, nogil=True, **INLINE)
def difference(after: float, before: float, single: bool) -> float:  # noqa: FBT001
    """The difference of two pixels, in the precision of the input."""
    return float(np.float32(after - before)) if single else after - before


@njit(cache=True, nogil=True)
def vote(n: int, layout: Layout, places: VotePlaces, gradients: Gradients, votes: Floats) -> None:
    """Add the vote of each gradient for its orientation to its cell."""
    cell, _, _, cosines, sines = places
    x, y, bins, pixels = gradients
    for e in range(len(cosines)):
        cosine, sine = cosines[e], sines[e]
        for k in range(UINT(n)):
            bins[k] += int(cosine * y[k] >= sine * x[k])
    for k in range(UINT(n)):
        magnitude = np.sqrt(x[k] * x[k] + y[k] * y[k]) * layout.share
        votes[UINT(cell[UINT(pixels[k])] + bins[k])] += magnitude


@njit(cache=True, nogil=True)
def vote_softly(
    n: int, layout: Layout, places: VotePlaces, gradients: Gradients, votes: Floats
) -> None:
    """Interpolate the vote of each gradient between the nearest orientations and cells."""
    cell, below, right, _, _ = places
    x, y, first_bins, pixels = gradients
    bins, half_turn = layout.bins, layout.orientations
    line = (layout.across + BEFORE + AFTER) * bins
    for k in range(UINT(n)):
        magnitude, pixel = np.sqrt(x[k] * x[k] + y[k] * y[k]) * layout.share, UINT(pixels[k])
        angle = np.arctan2(y[k], x[k]) * (half_turn / np.pi) + first_bins[k] - 0.5
        first = int(np.floor(angle))
        beyond = magnitude * (angle - first)
        first, second = first % bins, (first + 1) % bins
        down, aside, here = below[pixel], right[pixel], cell[pixel]
        for place, share in (
            (here, (1.0 - down) * (1.0 - aside)),
            (here + bins, (1.0 - down) * aside),
            (here + line, down * (1.0 - aside)),
            (here + line + bins, down * aside),
        ):
            votes[UINT(place + first)] += share * (magnitude - beyond)
            votes[UINT(place + second)] += share * beyond


@njit(cache=True, nogil=True)
def write_blocks(votes: Floats, layout: Layout, out: Array) -> None:
    """Write the normalised blocks of cells one after the other."""
    bins, block_line = UINT(layout.bins), UINT(layout.block_across * layout.bins)
    line = UINT((layout.across + BEFORE + AFTER) * layout.bins)
    block = np.empty(layout.block_down * layout.block_across * layout.bins)
    at = UINT(0)
    for row in range(layout.down - layout.block_down + 1):
        for column in range(layout.across - layout.block_across + 1):
            corner = UINT(row + BEFORE) * line + UINT(column + BEFORE) * bins
            k = UINT(0)
            for _ in range(layout.block_down):
                for j in range(block_line):
                    block[k + j] = votes[corner + j]
                k += block_line
                corner += line
            normalise(block, layout.norm)
            for j in range(k):
                out[at + j] = block[j]
            at += k


@njit(cache=True, nogil=True)
def normalise(block: Floats, norm: int) -> None:
    """Divide a block by its norm."""
    if norm in (L1, L1_SQRT):
        scale(block, 1.0 / (sum_of(block) + EPSILON))
        if norm == L1_SQRT:
            for k in range(UINT(len(block))):
                block[k] = np.sqrt(block[k])
        return
    scale(block, 1.0 / np.sqrt(sum_of_squares(block) + EPSILON * EPSILON))
    if norm == L2_HYS:
        for k in range(UINT(len(block))):
            block[k] = min(block[k], HYS_CLIP)
        scale(block, 1.0 / np.sqrt(sum_of_squares(block) + EPSILON * EPSILON))


@njit(cache=True, nogil=True, **INLINE)
def scale(block: Floats, factor: float) -> None:
    """Multiply every entry by a factor."""
    for k in range(UINT(len(block))):
        block[k] *= factor


@njit(cache=True, nogil=True, fastmath={"reassoc"}, **INLINE)
def sum_of(block: Floats) -> float:
    """Sum of the entries, in an order that allows SIMD."""
    result = 0.0
    for k in range(UINT(len(block))):
        result += block[k]
    return result


@njit(cache=True, nogil=True, fastmath={"reassoc"}, **INLINE)
def sum_of_squares(block: Floats) -> float:
    """Sum of the squared entries, likewise."""
    result = 0.0
    for k in range(UINT(len(block))):
        result += block[k] * block[k]
    return result
