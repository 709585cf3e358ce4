"""Cover's count: how many labellings of n points a hyperplane can make.

Of the 2^n labellings of n points in general position in N dimensions, planes through the origin
make C(n, N) = 2 Σ_{k<N} (n−1 choose k). An intercept adds one dimension (Cover 1965).
"""

from fractions import Fraction
from math import comb

import numpy as np

EXACT_POINTS = 2000  # above this the sum is taken in logarithms


def count(n: int, dimension: int) -> int:
    """Labellings of n points in general position that planes through the origin make."""
    return 2 * sum(comb(n - 1, k) for k in range(min(dimension, n)))


def chance(n: int, dimension: int) -> float:
    """Chance that a random labelling is one of them; 0.0 below the smallest float."""
    if dimension >= n:
        return 1.0
    if n <= EXACT_POINTS:
        return float(Fraction(count(n, dimension), 2**n))
    return float(2.0 ** log2_chance(n, dimension))


def log2_chance(n: int, dimension: int) -> float:
    """Logarithm to base 2 of the chance, for numbers too small to write."""
    if dimension >= n:
        return 0.0
    k = np.arange(1, dimension)
    terms = np.concatenate([[0.0], np.cumsum(np.log2((n - k) / k))])  # log2 of (n−1 choose k)
    top = float(terms.max())
    return min(0.0, top + float(np.log2(np.sum(2.0 ** (terms - top)))) + 1 - n)


def chance_text(n: int, dimension: int) -> str:
    """Write the chance as a number, or as a power of ten where it is below all floats."""
    number = chance(n, dimension)
    if number > 1e-300:
        return f"{number:.3g}"
    return f"10^{log2_chance(n, dimension) * np.log10(2):.0f}"
