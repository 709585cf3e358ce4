"""Gram matrix ZᵀZ of a narrow matrix: with few columns faster than BLAS, which packs panels.

The lower triangle is cut into tiles of 4 × 8 sums, each held in eight registers of four float64
lanes over all rows, so that a row costs six loads for thirty-two products.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.llvm import MemoryRows, int64, load, splat, store
from rosenblatt.types import Floats

MAX_TILED_COLUMNS = 128  # up to which the tiles were measured to be faster than BLAS
TILE_ROWS, TILE_COLUMNS, LANES = 4, 8, 4
L1_CACHE_FLOATS = 2048  # float64 numbers in the L1 cache, with a few lines of G

NUMBER = ir.DoubleType()
_VECTOR = ir.VectorType(NUMBER, LANES)


def padded(width: int) -> int:
    """Number of columns, padded with zeros to whole tiles; unchanged for a wide matrix."""
    return -(-width // TILE_COLUMNS) * TILE_COLUMNS if width <= MAX_TILED_COLUMNS else width


@njit(cache=True, nogil=True)
def add_gram(Z: Floats, d: int, G: Floats) -> None:
    """Add ZᵀZ of the first d columns to the lower triangle of G; some tiles extend above it."""
    at_once = max(16, L1_CACHE_FLOATS // Z.shape[1])
    for start in range(0, len(Z), at_once):
        rows = Z[start : start + at_once]
        for j in range(0, d, TILE_ROWS):
            for m in range(0, j + TILE_ROWS, TILE_COLUMNS):
                add_tile(rows, j, m, G)


@intrinsic
def tile_of(_typing: Any, Z: Any, j: Any, m: Any, G: Any) -> Any:  # noqa: ARG001
    """Add Σ z[j … j+3] z[m … m+7]ᵀ over the rows z of Z to the tile of G at (j, m)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = MemoryRows(context, builder, signature.args[0], args[0])
        sums = MemoryRows(context, builder, signature.args[3], args[3])
        down = [builder.add(args[1], int64(a)) for a in range(TILE_ROWS)]
        across = [builder.add(args[2], int64(half)) for half in range(0, TILE_COLUMNS, LANES)]
        tile = [[_register(builder) for _ in across] for _ in down]
        with cgutils.for_range(builder, rows.n_rows) as row:
            z = rows.values_at(row.index)
            right = [load(builder, z, place, NUMBER, LANES) for place in across]
            for place, registers in zip(down, tile, strict=True):
                left = splat(builder, builder.load(builder.gep(z, [place])), LANES)
                for x, register in zip(right, registers, strict=True):
                    builder.store(_fma(builder, left, x, builder.load(register)), register)
        for line, registers in zip(down, tile, strict=True):
            g = sums.values_at(line)
            for place, register in zip(across, registers, strict=True):
                before = load(builder, g, place, NUMBER, LANES)
                store(builder, builder.fadd(before, builder.load(register)), g, place)
        return context.get_dummy_value()

    return types.void(Z, types.int64, types.int64, G), codegen


add_tile: Any = tile_of  # an intrinsic's own first argument is not the caller's


def _register(builder: Any) -> Any:
    register = cgutils.alloca_once(builder, _VECTOR)
    builder.store(ir.Constant(_VECTOR, [0.0] * LANES), register)
    return register


def _fma(builder: Any, x: Any, y: Any, total: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f64")
    return builder.call(fma, [x, y, total])
