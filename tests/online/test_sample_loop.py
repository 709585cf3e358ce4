"""Four rows are tested in turn, and the first that is not clear is found."""

from typing import Any

import numpy as np
import pytest
from numba import njit

from rosenblatt.online.sample_loop import first_with_loss


@njit
def compiled(products: Any, rows: Any, codes: Any, bias: Any, safe: Any) -> Any:
    return first_with_loss(products, rows, codes, bias, safe)


@pytest.mark.parametrize("safe", [0.0, 1.0])
def test_clear_rows_are_counted_up_to_the_first_that_is_not(safe: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        products = rng.integers(-3, 4, 4) / 2  # small numbers: many ties
        products[rng.integers(4)] = rng.choice([1.0, np.nan, np.inf, -np.inf])
        rows = tuple(rng.permutation(4).tolist())
        codes = rng.integers(0, 2, 4).astype(np.int8)
        n_clear, margin = compiled(tuple(products.tolist()), rows, codes, 0.5, safe)
        margins = (2 * codes[list(rows)] - 1) * (products + 0.5)
        assert ((margins > safe) & np.isfinite(margins))[:n_clear].all()
        np.testing.assert_array_equal(margin, margins[min(n_clear, 3)])
        if n_clear < 4:
            assert not safe < margin < np.inf
