"""Array types, and the letters every layer uses.

==========  =================================================================
letter      meaning
==========  =================================================================
``n, d, K`` rows, features, classes
``X``       the rows, n × d
``y``       class codes 0 … K−1 (in a two-class rule, code 1 is the sign +1)
``W``       weights, one row per output: (w, b), so W has d + 1 columns
``w``       one row of ``W``
==========  =================================================================

The intercept is the last weight, for the constant 1 at the end of (x, 1), as in the lectures.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.signedinteger[Any]]
Array = npt.NDArray[Any]
