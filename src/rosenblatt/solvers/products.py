"""The products of second-order rules: X w, Xᵀ u, Xᵀ Θ X p and Xᵀ Θ X, each a pass or less.

The first two go over all rows, the others over the rows chosen, which near the end are few. Each
row x stands for (x, 1), so that the bias is the last weight. Whatever is summed is cut by place
alone and added in order: the number of threads changes no bit.
"""

from functools import partial

import numpy as np
from numba import njit

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import (
    CSR,
    UINT,
    Rows,
    add,
    add4,
    dot4,
    entry,
    fetch_row,
    in_groups,
    n_cols,
    n_entries,
    n_rows,
)
from rosenblatt.solvers import blas, tiles
from rosenblatt.solvers.score import score_rows

PART_ENTRIES = 1 << 18  # of the chosen rows a thread takes at a time
BUFFER_ROWS = 512  # of float64, on their way into a Gram matrix
AHEAD = 4  # sparse rows


def scores(blocks: Blocks, w: Floats, out: Floats) -> None:
    """Write w·(x, 1) of every row."""
    unit = np.ascontiguousarray(w)[None]

    def here(block: Problem, part: Floats) -> None:
        score_rows(block.rows, unit, part[:, None])

    for _ in blocks.each(here, out):
        pass


def sums_by_sign(blocks: Blocks, factors: Floats, signs: Floats) -> Floats:
    """Σ u (x, 1) over the rows of sign −1 and over those of sign +1, with a factor u a row."""
    return blocks.total(_sums_of_block, factors, signs)


def _sums_of_block(block: Problem, factors: Floats, signs: Floats) -> Floats:
    totals = np.zeros((2, n_cols(block.rows) + 1))
    for side, sign in enumerate((-1.0, 1.0)):
        chosen = np.flatnonzero((factors != 0.0) & (signs == sign))
        add_rows(block.rows, chosen, factors[chosen], totals[side])
    return totals


def chosen_sums(blocks: Blocks, chosen: Ints, factors: Floats) -> Floats:
    """Σ u (x, 1) over the rows chosen."""
    rows, width = blocks.problem.rows, n_cols(blocks.problem.rows) + 1

    def here(part: slice) -> Floats:
        total = np.zeros(width)
        add_rows(rows, chosen[part], factors[part], total)
        return total

    return sum(blocks.over(here, _parts(rows, len(chosen))), np.zeros(width))


def curved(blocks: Blocks, chosen: Ints, curvatures: Floats, p: Floats) -> Floats:
    """Σ θ (x, 1) (x, 1)·p over the rows chosen."""
    rows = blocks.problem.rows

    def here(part: slice) -> Floats:
        total = np.zeros(len(p))
        curve_rows(rows, chosen[part], curvatures[part], p, total)
        return total

    return sum(blocks.over(here, _parts(rows, len(chosen))), np.zeros(len(p)))


def squared(blocks: Blocks, chosen: Ints, curvatures: Floats) -> Floats:
    """Diagonal of Σ θ (x, 1) (x, 1)ᵀ over the rows chosen."""
    rows, width = blocks.problem.rows, n_cols(blocks.problem.rows) + 1

    def here(part: slice) -> Floats:
        total = np.zeros(width)
        square_rows(rows, chosen[part], curvatures[part], total)
        return total

    return sum(blocks.over(here, _parts(rows, len(chosen))), np.zeros(width))


def gram(blocks: Blocks, chosen: Ints, curvatures: Floats) -> Floats:
    """Lower triangle of Σ θ (x, 1) (x, 1)ᵀ over the rows chosen."""
    rows, width = blocks.problem.rows, n_cols(blocks.problem.rows) + 1
    of_part = _pairs_of_part if _is_thin(rows) else _dense_gram
    cut = max(1, -(-len(chosen) // (2 * BUFFER_ROWS))) * BUFFER_ROWS  # in two, for two threads
    parts = [slice(at, at + cut) for at in range(0, len(chosen), cut)]
    here = partial(of_part, rows, chosen, curvatures)
    total = np.zeros((tiles.padded(width), tiles.padded(width)))
    for G in blocks.over(here, parts):
        total += G
    return total[:width, :width]


def _is_thin(rows: Rows) -> bool:
    """Whether the pairs of entries of a row are few against the pairs of features."""
    if not isinstance(rows, CSR):
        return False
    entries = (rows.indptr[-1] - rows.indptr[0]) / n_rows(rows)
    return bool(8 * entries * entries < rows.n_cols**2)


def _pairs_of_part(rows: Rows, chosen: Ints, curvatures: Floats, part: slice) -> Floats:
    width = tiles.padded(n_cols(rows) + 1)
    G = np.zeros((width, width))
    add_pairs(rows, chosen[part], curvatures[part], G)
    return G


def _dense_gram(rows: Rows, chosen: Ints, curvatures: Floats, part: slice) -> Floats:
    width = n_cols(rows) + 1
    padded = tiles.padded(width)
    G, Z = np.zeros((padded, padded)), np.zeros((BUFFER_ROWS, padded))
    places, roots = chosen[part], np.sqrt(curvatures[part])
    for start in range(0, len(places), BUFFER_ROWS):
        span = slice(start, start + BUFFER_ROWS)
        few = Z[: len(places[span])]
        widen_rows(rows, places[span], roots[span], few)
        if width <= tiles.NARROW:
            tiles.add_gram(few, width, G)
        else:
            blas.add_gram(few, G)
    return G


def _parts(rows: Rows, n: int) -> list[slice]:
    """Cut n chosen rows into parts worth a thread's while."""
    step = max(256, PART_ENTRIES // (n_cols(rows) if not isinstance(rows, CSR) else 64))
    return [slice(start, start + step) for start in range(0, n, step)]


@njit(cache=True, nogil=True)
def add_rows(X: Rows, chosen: Ints, factors: Floats, total: Floats) -> None:
    """Add each chosen row (x, 1) times its factor."""
    n, last = len(chosen), len(total) - 1
    for k in range(n):
        total[last] += factors[k]
    whole = n - n % 4 if in_groups(X) else 0
    for k in range(0, whole, 4):
        now = (chosen[k], chosen[k + 1], chosen[k + 2], chosen[k + 3])
        add4(X, now, (factors[k], factors[k + 1], factors[k + 2], factors[k + 3]), total)
    for k in range(whole, n):
        if k + AHEAD < n:
            fetch_row(X, chosen[k + AHEAD])
        add(X, chosen[k], factors[k], total)


@njit(cache=True, nogil=True)
def curve_rows(X: Rows, chosen: Ints, curvatures: Floats, p: Floats, total: Floats) -> None:
    """Add θ ((x, 1)·p) (x, 1) of each chosen row; four rows share each reading of p and total."""
    n, last = len(chosen), len(total) - 1
    for k in range(0, n, 4):
        end = n - 1  # a row that fills up the last group has no curvature
        a, b, c = min(k + 1, end), min(k + 2, end), min(k + 3, end)
        now = (chosen[k], chosen[a], chosen[b], chosen[c])
        products = dot4(X, now, p, None)
        pulls = (
            curvatures[k] * (products[0] + p[last]),
            curvatures[a] * (products[1] + p[last]) if k + 1 < n else 0.0,
            curvatures[b] * (products[2] + p[last]) if k + 2 < n else 0.0,
            curvatures[c] * (products[3] + p[last]) if k + 3 < n else 0.0,
        )
        add4(X, now, pulls, total)
        total[last] += pulls[0] + pulls[1] + pulls[2] + pulls[3]


@njit(cache=True, nogil=True)
def square_rows(X: Rows, chosen: Ints, curvatures: Floats, total: Floats) -> None:
    """Add θ x² of each chosen row, feature by feature."""
    last = len(total) - 1
    for k in range(len(chosen)):
        total[last] += curvatures[k]
        for e in range(n_entries(X, chosen[k])):
            j, value = entry(X, chosen[k], UINT(e))
            total[j] += curvatures[k] * value * value


@njit(cache=True, nogil=True)
def widen_rows(X: Rows, chosen: Ints, roots: Floats, Z: Floats) -> None:
    """Write each chosen row (x, 1) times its root as float64; columns beyond stay as they are."""
    d = n_cols(X)
    for k in range(len(chosen)):
        z = Z[k]
        for j in range(d):
            z[j] = 0.0
        add(X, chosen[k], roots[k], z)
        z[d] = roots[k]


@njit(cache=True, nogil=True)
def add_pairs(X: Rows, chosen: Ints, curvatures: Floats, G: Floats) -> None:
    """Add θ (x, 1) (x, 1)ᵀ of each chosen row to the lower triangle, entry by entry."""
    d = n_cols(X)
    for k in range(len(chosen)):
        i, theta = chosen[k], curvatures[k]
        G[d, d] += theta
        for e in range(n_entries(X, i)):
            j, value = entry(X, i, UINT(e))
            G[d, j] += theta * value
            for f in range(e + 1):
                m, other = entry(X, i, UINT(f))
                G[max(j, m), min(j, m)] += theta * value * other
