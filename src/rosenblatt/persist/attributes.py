"""Fitted attributes of estimators: every attribute, and the shapes of its arrays.

Compiled code does not check shapes, so those of a file are checked before it runs on them:

==========  ===================================
letter      stands for
==========  ===================================
``K, d``    classes, features
``w``       weights of one output, d + 1
``u``       outputs: 1 for two classes, else K; of a regressor those of its targets
``f``       columns of a factor, d + 1 + u
``s``       support vectors of a kernel machine
==========  ===================================

`FITTED` lists what every fitted estimator of a rule has: a file that lacks some of it is refused
when it is loaded, not at the first prediction.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows
from rosenblatt.estimators.partial_fit import count_outputs
from rosenblatt.losses.kernel_functions import KERNEL_NAMES
from rosenblatt.online.state import OptimiserState
from rosenblatt.persist.schema import (
    RECORDS,
    TRACE,
    Accepts,
    either,
    is_array,
    is_dict,
    is_flag,
    is_float_array,
    is_int_array,
    is_integer,
    is_number,
    list_of,
    optional,
    tuple_of,
)

KINDS: dict[str, Accepts] = {
    "n_features_in_": is_integer,
    "feature_names_in_": is_array,
    "classes_": is_array,
    "_W": optional(is_float_array),
    "coef_": is_float_array,
    "vocabulary_": is_array,
    "_stream": RECORDS["stream"].accepts,
    "_outcome": optional(RECORDS["outcome"].accepts),
    "outcome_": RECORDS["outcome"].accepts,
    "trace_": TRACE.accepts,
    "n_iter_": either(is_integer, is_int_array),
    "_one_vs_rest": is_flag,
    "_sparse_coef": is_flag,
    "mistakes_": is_integer,
    "margin_bounds_": optional(RECORDS["margin_bounds"].accepts),
    "mistake_bound_": optional(is_number),
    "validation_score_": is_number,
    "_patience": RECORDS["patience"].accepts,
    "_pair": optional(is_array),
    "_moments": RECORDS["moments"].accepts,
    "_factor": RECORDS["row_factor"].accepts,
    "_target_shape": tuple_of(is_integer),
    "_largest_target": is_number,
    "_state": RECORDS["optimiser_state"].accepts,
    "_n_rows": is_integer,
    "_rank": is_integer,
    "rank_": is_integer,
    "scalings_": is_float_array,
    "explained_variance_ratio_": is_float_array,
    "means_": is_float_array,
    "_common": is_float_array,
    "_priors": is_float_array,
    "_covariance": is_float_array,
    "_shrinkage": is_float_array,
    "_scalings": is_float_array,
    "_ratios": is_float_array,
    "objective_": is_number,
    "gap_": is_number,
    "C_": is_number,
    "cv_results_": is_dict,
    "support_": either(is_int_array, list_of(is_int_array)),
    "dual_coef_": either(is_float_array, list_of(is_float_array)),
    "_kernel": RECORDS["kernel"].accepts,
    "_supports": RECORDS["support_vectors"].accepts,
    "_labels": is_array,
    "_skipped": is_integer,
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
OPTIMISER_STATE = {
    "W": ("u", "w"),
    "weighted_update_sum": ("u or 0", "w"),
    "pocket": ("u or 0", "w"),
    "counts": ("K",),
    "counters": (5,),
    "sums": (3,),
}
MOMENTS = {
    "counts": ("K",),
    "origins": ("K", "d"),
    "offsets": ("K", "d"),
    "scatter": ("K or 1", "d", "d"),
}
ROW_FACTOR = {"origin": ("d",), "target_origin": ("u",), "R": ("any", "f")}


class Fitted(NamedTuple):
    """Attributes that every fitted estimator of a rule has, besides classes and features."""

    always: tuple[str, ...]
    trained: tuple[str, ...] = ()  # in addition, unless the weights were set by hand
    without_weights: tuple[str, ...] = ()  # all of them if `_W` is None; empty if it cannot be


SOLVED = Fitted(("_W", "outcome_"))
ONLINE = Fitted(("_W", "_outcome"), ("_stream",), ("_W", "_outcome", "_stream"))
MOMENTS_FITTED = ("_moments", "_n_rows")
FACTOR = ("_factor", "_n_rows")
REGRESSION = ("_W", "_target_shape")
KERNEL_EXPANSION = ("_kernel", "_supports", "_labels", "_stream", "_outcome", "_skipped")
RANKING = ("coef_", "outcome_")
FITTED = {
    "perceptron": ONLINE,
    "batch-perceptron": SOLVED,
    "passive-aggressive": ONLINE,
    "arow": ONLINE,
    "second-order-perceptron": ONLINE,
    "lms": ONLINE,
    "tanh-perceptron": ONLINE,
    "gradient-descent": ONLINE,
    "least-squares": Fitted(
        ("_W", "_outcome"), (*MOMENTS_FITTED, "_rank"), without_weights=("_W", *MOMENTS_FITTED)
    ),
    "least-squares-regressor": Fitted(
        (*REGRESSION, "_outcome"), (*FACTOR, "_rank"), without_weights=(*REGRESSION, *FACTOR)
    ),
    "lms-regressor": Fitted((*REGRESSION, "_outcome"), ("_state", "_largest_target")),
    "fisher-discriminant": Fitted(("_W", "outcome_"), (*MOMENTS_FITTED, "rank_", "scalings_")),
    "linear-discriminant": Fitted(
        ("_W", "_outcome", "_common"),
        (*MOMENTS_FITTED, "_rank", "_priors", "_covariance"),
        without_weights=("_W", *MOMENTS_FITTED),
    ),
    "linear-svm": SOLVED,
    "logistic-regression": SOLVED,
    "kernel-perceptron": Fitted(KERNEL_EXPANSION, without_weights=KERNEL_EXPANSION),
    "fixed-weights": SOLVED,
    "sentence-ranker": Fitted(RANKING, without_weights=RANKING),
}
WITHOUT_CLASSES = {"sentence-ranker", "least-squares-regressor", "lms-regressor"}


def check(rule: str, state: Mapping[str, Any]) -> None:
    """Raise a ValueError for attributes that are incomplete or inconsistent."""
    _check_kinds(state)
    _check_fitted(rule, state)
    K, d = len(state.get("classes_", ())), state["n_features_in_"]
    u = _count_targets(state) if "_target_shape" in state else count_outputs(K)
    u = K if "_pair" in state else u
    sizes = {"K": K, "d": d, "w": d + 1, "u": u, "f": d + 1 + u}
    _check_shapes(state, SHAPES, sizes)
    if "_moments" in state:
        _check_shapes(state["_moments"]._asdict(), MOMENTS, sizes)
    if "_factor" in state:
        _check_shapes(state["_factor"]._asdict(), ROW_FACTOR, sizes)
    if "_state" in state:
        _check_optimiser_state(state["_state"], sizes)
    if "_kernel" in state:
        _check_kernel_expansion(state, sizes)
    if "_stream" in state:
        if not np.array_equal(state["_stream"].classes, state["classes_"]):
            raise ValueError("its stream has other classes")
        _check_optimiser_state(state["_stream"].state, sizes)


def _count_targets(state: Mapping[str, Any]) -> int:
    """Number of outputs of a regressor."""
    shape = state["_target_shape"]
    if len(shape) > 1 or not all(n > 0 for n in shape):
        raise ValueError("its targets have an impossible shape")
    return shape[0] if shape else 1


def _check_kinds(state: Mapping[str, Any]) -> None:
    for name, value in state.items():
        if name not in KINDS or not KINDS[name](value):
            raise ValueError(f"its attribute {name!r} is unknown or has the wrong type")
    if not all(type(word) is str for word in state.get("vocabulary_", ())):
        raise ValueError("its vocabulary holds values that are not text")


def _check_fitted(rule: str, state: Mapping[str, Any]) -> None:
    """Check for the weights, or what they are computed from, and their other attributes."""
    if "n_features_in_" not in state or not ("classes_" in state or rule in WITHOUT_CLASSES):
        raise ValueError("it lacks its classes or its number of features")
    fitted = FITTED[rule]
    if state.get("_W") is not None:
        wanted = fitted.always + (() if _are_set(state) else fitted.trained)
    elif fitted.without_weights:
        wanted = fitted.without_weights
    else:
        raise ValueError("it holds no weights")
    missing = [name for name in wanted if name not in state]
    if missing:
        raise ValueError(f"a fitted {rule} has the attribute {missing[0]!r}, which is missing")
    if bool({"_moments", "_factor"} & state.keys()) != ("_n_rows" in state):
        raise ValueError("moments need a number of rows, and one of the two is missing")
    if state.get("_outcome", ...) is None and not {"_stream", "_state"} & state.keys():
        raise ValueError("it does not say how its training ended")


def _are_set(state: Mapping[str, Any]) -> bool:
    """Whether the weights were set by hand, not trained."""
    outcome = state.get("_outcome") or state.get("outcome_")
    return outcome is not None and outcome.ending.name == "SET"


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
            raise ValueError(f"its {name} has the wrong shape {array.shape}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"its {name} holds NaN or infinity")


def _is_size(n: int, size: Any, sizes: Mapping[str, int]) -> bool:
    if size in ("any", n):
        return True
    letters = str(size).split(" or ")
    return any(
        n == sizes.get(letter, int(letter) if letter.isdigit() else -1) for letter in letters
    )


def _check_optimiser_state(optimiser: OptimiserState, sizes: Mapping[str, int]) -> None:
    _check_shapes(optimiser._asdict(), OPTIMISER_STATE, sizes)
    u, w = optimiser.W.shape
    aux = optimiser.aux  # empty, a row per output, or a matrix per output
    if len(aux) and (aux.shape[1:] != (w,) or len(aux) not in {u, u * w}):
        raise ValueError("its optimiser state does not fit its weights")
    if not np.isfinite(aux).all() or (optimiser.counters < 0).any() or (optimiser.counts < 0).any():
        raise ValueError("its optimiser state holds impossible values")


def _check_kernel_expansion(state: Mapping[str, Any], sizes: dict[str, int]) -> None:
    """Check the support vectors of a kernel machine and the arrays that belong to them."""
    kernel, points = state["_kernel"], state["_supports"]
    if kernel.kind not in KERNEL_NAMES or kernel.degree < 1 or not np.isfinite(kernel[1:]).all():
        raise ValueError("its kernel is unknown")
    precomputed = kernel.kind == "precomputed"
    s = n_rows(points.rows)
    _check_rows(points.rows, 0 if precomputed else sizes["d"])
    n_norms = s if kernel.kind == "rbf" else 0
    has_norms = len(points.squared_norms) == n_norms
    if {points.indices.shape, state["_labels"].shape} != {(s,)} or not has_norms:
        raise ValueError("the arrays of its support vectors have different lengths")
    if s and (points.indices.min() < 0 or (precomputed and points.indices.max() >= sizes["d"])):
        raise ValueError("its support vectors have impossible indices")
    sizes["w"] = s


def _check_rows(rows: Rows, width: int) -> None:
    values = rows.data if isinstance(rows, CSR) else rows
    if isinstance(rows, CSR):
        _check_sparse(rows)
    elif rows.ndim != 2:
        raise ValueError("its support vectors are not a matrix")
    if n_cols(rows) != width or values.dtype not in (np.float32, np.float64):
        raise ValueError("its support vectors have the wrong number of columns, or are not numbers")
    if not np.isfinite(values).all():
        raise ValueError("its support vectors hold NaN or infinity")


def _check_sparse(rows: CSR) -> None:
    data, indices, indptr, width = rows
    axes = {part.ndim for part in (data, indices, indptr)}
    if axes != {1} or indices.dtype.kind != "i" or indptr.dtype.kind != "i" or not len(indptr):
        raise ValueError("its sparse rows are inconsistent")
    inside = not len(indices) or 0 <= indices.min() <= indices.max() < width
    sorted_indptr = (
        indptr[0] == 0 and indptr[-1] == len(data) and bool((np.diff(indptr) >= 0).all())
    )
    if len(data) != len(indices) or not inside or not sorted_indptr:
        raise ValueError("its sparse rows are inconsistent")
