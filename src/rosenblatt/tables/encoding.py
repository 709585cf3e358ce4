"""A preparation inside a proof file: all of it as JSON, so that rows can be encoded again."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.tables.preparation import Preparation, preparation_of

TYPES = {"float64": np.float64, "int64": np.int64}
ARRAYS = "arrays"


def encoding_of(preparation: Preparation) -> dict[str, Any]:
    """A preparation as JSON; a float is written so that it is read as the same float."""
    plain, arrays = preparation.to_plain()
    told = {name: {"type": str(a.dtype), "values": a.tolist()} for name, a in arrays.items()}
    return {**plain, ARRAYS: told}


def preparation_in(encoding: Mapping[str, Any]) -> tuple[Preparation, dict[str, Array]]:
    """The preparation that `encoding_of` wrote down, and its arrays."""
    told = encoding.get(ARRAYS, {})
    arrays = {name: np.array(a["values"], TYPES[a["type"]]) for name, a in told.items()}
    return preparation_of(encoding, arrays), arrays
