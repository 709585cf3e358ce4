"""What estimators may have learned: every attribute with its type, and the shapes of its arrays.

Compiled code trusts shapes, so those of a file are checked before anything runs on them:

==========  ===================================
letter      stands for
==========  ===================================
``K, d``    classes, features
``w``       weights of a unit, d + 1
``u``       units: 1 for two classes, else K
``s``       rows in the sum of a kernel machine
==========  ===================================
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.arrays import Array, Floats, Ints
from rosenblatt.data.storage import CSR, Rows, n_cols, n_rows
from rosenblatt.estimators.stream import Stream, units
from rosenblatt.evidence.bounds import MarginBounds
from rosenblatt.evidence.trace import Trace
from rosenblatt.models.values import fits
from rosenblatt.rules.kernels import NAMES, Kernel, Points
from rosenblatt.solvers.memory import Memory
from rosenblatt.solvers.moments import Moments
from rosenblatt.solvers.run import Stalled
from rosenblatt.solvers.state import Outcome

KINDS: dict[str, Any] = {
    "n_features_in_": int,
    "feature_names_in_": Array,
    "classes_": Array,
    "_W": Floats | None,
    "coef_": Floats,
    "vocabulary_": Array,
    "_stream": Stream,
    "_outcome": Outcome | None,
    "outcome_": Outcome,
    "trace_": Trace,
    "n_iter_": int | Ints,
    "_one_vs_rest": bool,
    "_sparse_coef": bool,
    "mistakes_": int,
    "margin_bounds_": MarginBounds | None,
    "mistake_bound_": float | None,
    "validation_score_": float,
    "_patience": Stalled,
    "_pair": Array | None,
    "_moments": Moments,
    "_n_rows": int,
    "_rank": int,
    "rank_": int,
    "scalings_": Floats,
    "explained_variance_ratio_": Floats,
    "means_": Floats,
    "_common": Floats,
    "_priors": Floats,
    "_covariance": Floats,
    "_shrinkage": Floats,
    "_scalings": Floats,
    "_ratios": Floats,
    "objective_": float,
    "gap_": float,
    "C_": float,
    "cv_results_": dict,
    "support_": Ints | list[Ints],
    "dual_coef_": Floats | list[Floats],
    "_kernel": Kernel,
    "_supports": Points,
    "_labels": Array,
    "_skipped": int,
}
SHAPES = {
    "classes_": ("K",),
    "feature_names_in_": ("d",),
    "_W": ("u", "w"),
    "coef_": ("d",),
    "vocabulary_": ("d",),
    "_pair": (2,),
    "scalings_": ("d", "any"),
    "explained_variance_ratio_": ("any",),
    "means_": ("K", "d"),
    "_common": ("w",),
    "_priors": ("K",),
    "_covariance": ("d", "d"),
    "_shrinkage": ("K",),
    "_scalings": ("d", "any"),
    "_ratios": ("any",),
}
MEMORY = {
    "W": ("u", "w"),
    "late": ("u or 0", "w"),
    "pocket": ("u or 0", "w"),
    "counts": ("K",),
    "clock": (5,),
    "sums": (3,),
}
MOMENTS = {
    "counts": ("K",),
    "origins": ("K", "d"),
    "offsets": ("K", "d"),
    "scatter": ("K or 1", "d", "d"),
}
LEARNED = ("_W", "_stream", "_moments", "coef_")  # one of them is all a prediction needs


def check(state: Mapping[str, Any]) -> None:
    """Refuse what does not fit together, with a ValueError."""
    _check_kinds(state)
    K, d = len(state.get("classes_", ())), state["n_features_in_"]
    sizes = {"K": K, "d": d, "w": d + 1, "u": K if "_pair" in state else units(K)}
    _check_shapes(state, SHAPES, sizes)
    if "_moments" in state:
        _check_shapes(state["_moments"]._asdict(), MOMENTS, sizes)
    if "_kernel" in state:
        _check_sum(state, sizes)
    if "_stream" in state:
        if not np.array_equal(state["_stream"].classes, state["classes_"]):
            raise ValueError("its stream is about other classes")
        _check_memory(state["_stream"].memory, sizes)


def _check_kinds(state: Mapping[str, Any]) -> None:
    for name, value in state.items():
        if name not in KINDS or not fits(value, KINDS[name]):
            raise ValueError(f"its attribute {name!r} is unknown or of another kind")
    ranks = "coef_" in state  # what ranks has no classes
    if "n_features_in_" not in state or ("classes_" not in state and not ranks):
        raise ValueError("it does not say what its classes and features are")
    if not all(type(word) is str for word in state.get("vocabulary_", ())):
        raise ValueError("its vocabulary holds what is no word")
    if not any(state.get(name) is not None for name in LEARNED):
        raise ValueError("it holds no weights")


def _check_shapes(
    values: Mapping[str, Any], shapes: Mapping[str, tuple[Any, ...]], sizes: Mapping[str, int]
) -> None:
    for name, wanted in shapes.items():
        array = values.get(name)
        if array is None:
            continue
        if len(array.shape) != len(wanted) or not all(
            _is_size(n, size, sizes) for n, size in zip(array.shape, wanted, strict=True)
        ):
            raise ValueError(f"its {name} has the shape {array.shape}, which is not right")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"its {name} holds NaN or infinity")


def _is_size(n: int, size: Any, sizes: Mapping[str, int]) -> bool:
    if size in ("any", n):
        return True
    letters = str(size).split(" or ")
    return any(
        n == sizes.get(letter, int(letter) if letter.isdigit() else -1) for letter in letters
    )


def _check_memory(memory: Memory, sizes: Mapping[str, int]) -> None:
    _check_shapes(memory._asdict(), MEMORY, sizes)
    u, w = memory.W.shape
    beside = memory.beside  # nothing, a row a unit, or a matrix a unit
    if len(beside) and (beside.shape[1:] != (w,) or len(beside) not in {u, u * w}):
        raise ValueError("its memory keeps something beside the weights that does not go with them")
    if not np.isfinite(beside).all() or (memory.clock < 0).any() or (memory.counts < 0).any():
        raise ValueError("its memory holds what cannot be")


def _check_sum(state: Mapping[str, Any], sizes: dict[str, int]) -> None:
    """The sum of a kernel machine: its rows, and what goes with each."""
    kernel, points = state["_kernel"], state["_supports"]
    if kernel.kind not in NAMES or kernel.degree < 1 or not np.isfinite(kernel[1:]).all():
        raise ValueError("its kernel is none that is known")
    table = kernel.kind == "precomputed"
    s = n_rows(points.rows)
    _check_rows(points.rows, 0 if table else sizes["d"])
    squares = s if kernel.kind == "rbf" else 0
    if {points.numbers.shape, state["_labels"].shape} != {(s,)} or len(points.squares) != squares:
        raise ValueError("the rows in its sum lack something")
    if s and (points.numbers.min() < 0 or (table and points.numbers.max() >= sizes["d"])):
        raise ValueError("the rows in its sum have numbers that cannot be")
    sizes["w"] = s


def _check_rows(rows: Rows, width: int) -> None:
    values = rows.data if isinstance(rows, CSR) else rows
    if isinstance(rows, CSR):
        _check_sparse(rows)
    elif rows.ndim != 2:
        raise ValueError("the rows in its sum are no table")
    if n_cols(rows) != width or values.dtype not in (np.float32, np.float64):
        raise ValueError("the rows in its sum have another width, or are no numbers")
    if not np.isfinite(values).all():
        raise ValueError("the rows in its sum hold NaN or infinity")


def _check_sparse(rows: CSR) -> None:
    data, indices, indptr, width = rows
    axes = {part.ndim for part in (data, indices, indptr)}
    if axes != {1} or indices.dtype.kind != "i" or indptr.dtype.kind != "i" or not len(indptr):
        raise ValueError("its sparse rows are broken")
    inside = not len(indices) or 0 <= indices.min() <= indices.max() < width
    rising = indptr[0] == 0 and indptr[-1] == len(data) and bool((np.diff(indptr) >= 0).all())
    if len(data) != len(indices) or not inside or not rising:
        raise ValueError("its sparse rows are broken")
