"""Numba and LLVM code: row access, dot products, parsing, and the cache of compiled kernels."""
