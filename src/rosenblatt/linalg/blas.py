"""BLAS with one thread, and its symmetric rank-k update without the GIL."""

import ctypes
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from rosenblatt.types import Floats


def one_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread: the bits depend on their number, and small products are slower."""
    return _controller().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache
def _controller() -> Any:
    """The loaded BLAS libraries, looked up once: that takes longer than many small problems."""
    import scipy.linalg.cython_blas  # noqa: PLC0415, F401 (numpy's BLAS is another, and loaded)

    return ThreadpoolController()


def add_gram(Z: Floats, G: Floats) -> None:
    """Add ZᵀZ to the lower triangle of G (BLAS syrk), without the GIL that scipy's wrapper holds.

    To Fortran, which stores columns first, Z and G are their transposes.
    """
    n, d = (ctypes.byref(ctypes.c_int(size)) for size in Z.shape)
    is_float32 = Z.dtype == np.float32
    one = ctypes.byref(ctypes.c_float(1.0) if is_float32 else ctypes.c_double(1.0))
    update = _routine("ssyrk" if is_float32 else "dsyrk")
    update(b"U", b"N", d, n, one, Z.ctypes.data, d, one, G.ctypes.data, d)


@cache
def _routine(name: str) -> Any:
    """A routine of scipy's BLAS as a C function."""
    from numba.extending import get_cython_function_address  # noqa: PLC0415 (slow to import)

    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_char_p] * 2, *[ctypes.c_void_p] * 8)
    return kind(get_cython_function_address("scipy.linalg.cython_blas", name))
