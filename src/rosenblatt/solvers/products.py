"""The products of second-order rules: X w over all rows; Xᵀ Θ X p and Xᵀ Θ X over those chosen.

Near the end the rows chosen are few. Each row x stands for (x, 1), so that the bias is the last
weight. Whatever is summed is cut by place alone and added in order: threads change no bit. Products
that several units want of all rows are made in one pass.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem, entries_in
from rosenblatt.data.rows import (
    CSR,
    UINT,
    Four,
    Rows,
    add,
    add4,
    dot,
    dot4,
    entry,
    in_groups,
    n_cols,
    n_entries,
    n_rows,
    screens,
    shift,
)
from rosenblatt.kernel_cache import njit
from rosenblatt.solvers import blas, tiles
from rosenblatt.solvers.score import score_rows

PART_ENTRIES = 1 << 20  # of the chosen rows a thread takes at a time
STRIP_ENTRIES = 1 << 17  # that one unit after another takes while they are in the cache
SHARED_ENTRIES, SHARED_FEATURES = 1 << 22, 64  # of dense rows, from which a shared pass pays
FOR_A_MEAN = 1024  # rows
THIN_SPEED, NARROW_SPEED, WIDE_SPEED = 1.0, 1.5, 4.0
BUFFER_ROWS = 512  # of float64, on their way into a Gram matrix


def worth_sharing(rows: Rows) -> bool:
    """Whether one pass for several units spares them much: rows are long, and come from afar.

    With short rows, or rows that stay in a cache, they would wait for each other for nothing; with
    sparse ones the time goes into finding the weights.
    """
    long = not isinstance(rows, CSR) and n_cols(rows) >= SHARED_FEATURES
    return long and entries_in(rows) >= SHARED_ENTRIES


def scores(blocks: Blocks, w: Floats, out: Floats) -> None:
    """Write w·(x, 1) of every row."""
    blocks.together(_write_scores, (w, out))


def _write_scores(blocks: Blocks, wishes: list[tuple[Floats, Floats]]) -> list[None]:
    W = np.array([w for w, _ in wishes])

    def here(block: Problem, *parts: Floats) -> None:
        if len(parts) == 1:
            score_rows(block.rows, W, parts[0][:, None])
            return
        found = np.empty((len(W), len(parts[0])))
        score_rows(block.rows, W, found.T)
        for part, scores in zip(parts, found, strict=True):
            part[:] = scores

    for _ in blocks.each(here, *(out for _, out in wishes)):
        pass
    return [None] * len(wishes)


def curved(blocks: Blocks, chosen: Ints, curvatures: Floats, p: Floats) -> Floats:
    """Σ θ (x, 1) (x, 1)·p over the rows chosen."""
    rows = blocks.problem.rows
    if blocks.meeting is not None and len(chosen) == n_rows(rows):
        return blocks.together(_curved_for_each, (chosen, curvatures, p))

    def here(part: slice) -> Floats:
        total = np.zeros(len(p))
        curve_rows(rows, chosen[part], curvatures[part], p, total)
        return total

    return _summed(blocks, here, len(chosen), (len(p),))


def _curved_for_each(blocks: Blocks, wishes: list[tuple[Ints, Floats, Floats]]) -> Iterable[Floats]:
    """One unit after another takes a strip of all rows, while that is in the cache."""
    rows, shape = blocks.problem.rows, (len(wishes), n_cols(blocks.problem.rows) + 1)
    height = 4 * max(1, STRIP_ENTRIES // (4 * _entries_reckoned(rows)))  # groups stay whole

    def here(part: slice) -> Floats:
        totals = np.zeros(shape)
        for start in range(part.start, part.stop, height):
            strip = slice(start, min(start + height, part.stop))
            for total, (chosen, curvatures, p) in zip(totals, wishes, strict=True):
                curve_rows(rows, chosen[strip], curvatures[strip], p, total)
        return totals

    return _summed(blocks, here, n_rows(rows), shape)


def squared(blocks: Blocks, chosen: Ints, curvatures: Floats) -> Floats:
    """Diagonal of Σ θ (x, 1) (x, 1)ᵀ over the rows chosen."""
    rows, width = blocks.problem.rows, n_cols(blocks.problem.rows) + 1

    def here(part: slice) -> Floats:
        total = np.zeros(width)
        square_rows(rows, chosen[part], curvatures[part], total)
        return total

    return _summed(blocks, here, len(chosen), (width,))


def mean_row(blocks: Blocks, chosen: Ints, curvatures: Floats) -> Floats:
    """Mean of some of the rows chosen, by their curvatures."""
    every = max(1, len(chosen) // FOR_A_MEAN)
    rows, weights = chosen[::every], curvatures[::every]
    total = np.zeros(n_cols(blocks.problem.rows))
    add_rows(blocks.problem.rows, rows, weights, total)
    return total / max(float(weights.sum()), np.finfo(float).tiny)


def sum_of(blocks: Blocks, chosen: Ints, factors: Floats) -> Floats:
    """Σ u (x, 1) over the rows chosen."""
    total = np.zeros(n_cols(blocks.problem.rows) + 1)
    add_rows(blocks.problem.rows, chosen, factors, total)
    total[-1] = factors.sum()
    return total


def spread(blocks: Blocks) -> Ints:
    """Some rows, evenly spread over all."""
    n = n_rows(blocks.problem.rows)
    return np.arange(0, n, max(1, n // FOR_A_MEAN))


def mean_square(blocks: Blocks) -> float:
    """Mean squared length of some rows."""
    return blocks.known(_mean_square)


def _mean_square(blocks: Blocks) -> float:
    some = spread(blocks)
    return float(squared(blocks, some, np.ones(len(some)))[:-1].sum()) / len(some)


def gram(
    blocks: Blocks,
    chosen: Ints,
    curvatures: Floats,
    centre: Floats,
    rough: bool = False,  # noqa: FBT001, FBT002
) -> Floats:
    """Lower triangle of Σ θ (x − centre, 1) (x − centre, 1)ᵀ over the rows chosen.

    Of sparse rows the centre must be 0. `rough` is float32, for rows that may be treated so.
    """
    rows, width = blocks.problem.rows, n_cols(blocks.problem.rows) + 1
    kind: Any = np.float32 if rough else np.float64
    of_part = _pairs_of_part if is_thin(blocks) else partial(_dense_gram, kind)
    cut = max(1, -(-len(chosen) // (2 * BUFFER_ROWS))) * BUFFER_ROWS  # in two, for two threads
    parts = [slice(at, at + cut) for at in range(0, len(chosen), cut)]
    here = partial(of_part, rows, chosen, curvatures, centre)
    total = np.zeros((tiles.padded(width), tiles.padded(width)))
    for G in blocks.over(here, parts):
        total += G
    return total[:width, :width]


def gram_may_be_rough(blocks: Blocks) -> bool:
    """Whether float32 would do for a Gram matrix of these rows, and make it quicker."""
    rows = blocks.problem.rows
    return screens(rows) and n_cols(rows) >= tiles.NARROW


def gram_speed(blocks: Blocks) -> float:
    """How much quicker a multiplication is in a Gram matrix than in `curved`, as measured."""
    rows = blocks.problem.rows
    if is_thin(blocks):
        return THIN_SPEED
    return NARROW_SPEED if n_cols(rows) < tiles.NARROW else WIDE_SPEED


def is_thin(blocks: Blocks) -> bool:
    """Whether the pairs of entries of a row are few against the pairs of features."""
    rows = blocks.problem.rows
    entries = entries_in(rows) / n_rows(rows)
    return isinstance(rows, CSR) and 8 * entries * entries < rows.n_cols**2


def _pairs_of_part(
    rows: Rows, chosen: Ints, curvatures: Floats, _centre: Floats, part: slice
) -> Floats:
    width = tiles.padded(n_cols(rows) + 1)
    G = np.zeros((width, width))
    add_pairs(rows, chosen[part], curvatures[part], G)
    return G


def _dense_gram(
    kind: Any, rows: Rows, chosen: Ints, curvatures: Floats, centre: Floats, part: slice
) -> Floats:
    width = n_cols(rows) + 1
    padded = tiles.padded(width)
    G: Floats = np.zeros((padded, padded), kind)
    Z: Floats = np.zeros((BUFFER_ROWS, padded), kind)
    places, roots = chosen[part], np.sqrt(curvatures[part])
    for start in range(0, len(places), BUFFER_ROWS):
        span = slice(start, start + BUFFER_ROWS)
        few = Z[: len(places[span])]
        widen_rows(rows, places[span], roots[span], centre, few)
        if width <= tiles.NARROW:
            tiles.add_gram(few, width, G)
        else:
            blas.add_gram(few, G)
    return G


def _summed(blocks: Blocks, f: Callable[[slice], Floats], n: int, shape: tuple[int, ...]) -> Floats:
    """Sum of f over parts of n chosen rows, each worth a thread's while."""
    step = max(256, PART_ENTRIES // _entries_reckoned(blocks.problem.rows))
    if n <= step:
        return f(slice(0, n))
    total = np.zeros(shape)
    for part in blocks.over(f, (slice(start, start + step) for start in range(0, n, step))):
        total += part
    return total


def _entries_reckoned(rows: Rows) -> int:
    """About how many entries a row has; of sparse ones never mind how many."""
    return 64 if isinstance(rows, CSR) else n_cols(rows)


@njit(cache=True, nogil=True)
def curve_rows(X: Rows, chosen: Ints, curvatures: Floats, p: Floats, total: Floats) -> None:
    """Add θ ((x, 1)·p) (x, 1) of each chosen row; four rows share each reading of p and total."""
    n, last = len(chosen), len(total) - 1
    if not in_groups(X):
        for k in range(n):
            pull = curvatures[k] * (dot(X, chosen[k], p) + p[last])
            add(X, chosen[k], pull, total)
            total[last] += pull
        return
    for k in range(0, n, 4):
        end = n - 1  # a row that fills up the last group has no curvature
        a, b, c = min(k + 1, end), min(k + 2, end), min(k + 3, end)
        now = four_from(chosen, k)
        products = dot4(X, now, p, four_from(chosen, k + 4))
        pulls = (
            curvatures[k] * (products[0] + p[last]),
            curvatures[a] * (products[1] + p[last]) if k + 1 < n else 0.0,
            curvatures[b] * (products[2] + p[last]) if k + 2 < n else 0.0,
            curvatures[c] * (products[3] + p[last]) if k + 3 < n else 0.0,
        )
        add4(X, now, pulls, total)
        total[last] += pulls[0] + pulls[1] + pulls[2] + pulls[3]


@njit(cache=True, nogil=True, forceinline=True)
def four_from(rows: Ints, k: int) -> Four:
    """Four entries from the k-th on; the last stands for those beyond it."""
    end = len(rows) - 1
    return rows[min(k, end)], rows[min(k + 1, end)], rows[min(k + 2, end)], rows[min(k + 3, end)]


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
def widen_rows(X: Rows, chosen: Ints, roots: Floats, centre: Floats, Z: Floats) -> None:
    """Write each chosen row (x − centre, 1) times its root; columns beyond stay as they are."""
    d = n_cols(X)
    for k in range(len(chosen)):
        z, root = Z[k], roots[k]
        shift(X, chosen[k], centre, z)
        for j in range(d):
            z[j] *= root
        z[d] = root


@njit(cache=True, nogil=True)
def add_rows(X: Rows, chosen: Ints, factors: Floats, total: Floats) -> None:
    """Add each chosen row times its factor."""
    for k in range(len(chosen)):
        add(X, chosen[k], factors[k], total)


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
