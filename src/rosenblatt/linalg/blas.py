"""BLAS where it is the best tool: kept to one thread, and called without the GIL."""

import ctypes
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from rosenblatt.types import Floats


def one_thread() -> AbstractContextManager[Any]:
    """Keep BLAS to one thread: results must not depend on how many it has, nor small ones wait."""
    return _controller().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache
def _controller() -> Any:
    """Look the loaded libraries up once: that takes longer than many a small problem."""
    import scipy.linalg.cython_blas  # noqa: PLC0415, F401 (numpy has another, and is here before)

    return ThreadpoolController()


def add_gram(Z: Floats, G: Floats) -> None:
    """Add ZᵀZ to the lower triangle of G, without the GIL, which scipy's own wrapper holds.

    To Fortran, who reads columns first, Z and G are their transposes.
    """
    n, d = (ctypes.byref(ctypes.c_int(size)) for size in Z.shape)
    single = Z.dtype == np.float32
    one = ctypes.byref(ctypes.c_float(1.0) if single else ctypes.c_double(1.0))
    update = _routine("ssyrk" if single else "dsyrk")
    update(b"U", b"N", d, n, one, Z.ctypes.data, d, one, G.ctypes.data, d)


@cache
def _routine(name: str) -> Any:
    from numba.extending import get_cython_function_address  # noqa: PLC0415 (slow to import)

    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_char_p] * 2, *[ctypes.c_void_p] * 8)
    return kind(get_cython_function_address("scipy.linalg.cython_blas", name))
