"""A fitted estimator as plain data: its rule, its parameters, and what it has learned.

Every attribute that an estimator may have stands in a table, with its type and its shape. What is
not in the table cannot be saved, so nothing is forgotten silently; and nothing else is ever set on
an estimator that was loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.persist.serialize import Packer, Unpacker
from rosenblatt.registry import NAMES, RULES
from rosenblatt.types import Array

WEIGHTS = "weights"  # (w, b), a row a unit: the array that a stranger needs
ARRAYS = {"_W": WEIGHTS}
LATER = {  # parameters that files of before lack: they have their default
    "time_limit",
    *("solver", "n_components", "store_covariance"),  # of a linear discriminant
    "average",  # of a passive-aggressive classifier
    *("penalty", "dual", "multi_class", "intercept_scaling", "verbose"),  # of a linear SVM
}
DERIVED = {
    "_ready",
    "_sklearn_output_config",
    "_metadata_request",
    "_skl_callbacks",
}  # made or set again when wanted
NOT_KEPT = {("logistic-regression", "dual_coef_")}  # as long as the training data
MACHINES = {"threshold-unit", "threshold-network"}  # no estimators: a record is all of them


@dataclass(frozen=True, eq=False)
class Kept:
    """All of an estimator: plain data as values.py has them, and arrays."""

    rule: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    arrays: Mapping[str, Array]

    @property
    def W(self) -> Array | None:  # noqa: N802 (a matrix)
        """Weights of a linear classifier; None where it is another machine, or a layer."""
        return None if "_pair" in self.state else self.arrays.get(WEIGHTS)


def kept_of(estimator: Any) -> Kept:
    """A fitted estimator as plain data."""
    rule = NAMES.get(type(estimator).__name__)
    if rule is None or not type(estimator).__module__.startswith("rosenblatt."):
        raise ModelError(
            f"Only fitted estimators of rosenblatt can be saved; got {type(estimator).__name__}."
            " Of a pipeline save the estimator at its end."
        )
    packer = Packer()
    if rule in MACHINES:
        return Kept(rule, {}, {"machine": packer.plain(estimator, "machine")}, packer.arrays)
    if not estimator.__sklearn_is_fitted__():
        raise ModelError(
            f"This {type(estimator).__name__} is not fitted: there is nothing to save."
        )
    parameters = {
        name: packer.plain(value, f"parameter.{name}")
        for name, value in estimator.get_params(deep=False).items()
    }
    hasattr(estimator, "coef_")  # brings the weights of a stream up to date
    state = {}
    for name, value in vars(estimator).items():
        if name in parameters or name in DERIVED or (rule, name) in NOT_KEPT:
            continue
        if name not in _attributes():
            raise ModelError(f"A model file has no place for the attribute {name!r}.")
        state[name] = packer.plain(value, ARRAYS.get(name, f"state.{name.strip('_')}"))
    return Kept(rule, parameters, state, packer.arrays)


def estimator_of(kept: Kept) -> Any:
    """The estimator that was kept; a ValueError where its parts do not fit together."""
    import rosenblatt  # noqa: PLC0415 (late: training code is slow to import)

    unpacker = Unpacker(kept.arrays)
    kind = getattr(rosenblatt, RULES[kept.rule].estimator)
    if kept.rule in MACHINES:
        machine = unpacker.value(kept.state["machine"])
        if type(machine) is not kind:
            raise ValueError(f"it holds no {kept.rule}")
        return machine
    parameters = {name: unpacker.value(plain) for name, plain in kept.parameters.items()}
    known = set(kind().get_params())
    if set(parameters) | LATER & known != known:
        raise ValueError(f"its parameters are not those of {kind.__name__}")
    estimator = kind(**parameters)
    state = {name: unpacker.value(plain) for name, plain in kept.state.items()}
    _check_settings(estimator)
    _attributes_checked(kept.rule, state)
    if state.get("_W", ...) is None and not hasattr(estimator, "partial_fit"):
        raise ValueError("it holds no weights, and its parameters allow none from moments alone")
    vars(estimator).update(state)
    return estimator


def relabelled(kept: Kept, classes: Array) -> Kept:
    """The same with other labels for its classes."""
    packer = Packer()
    labels = packer.plain(classes, "classes")
    state = kept.state | {"classes_": labels}
    if "_stream" in state:
        state["_stream"] = {"stream": state["_stream"]["stream"] | {"classes": labels}}
    return replace(kept, state=state, arrays={**kept.arrays, **packer.arrays})


def _attributes() -> Mapping[str, Any]:
    from rosenblatt.persist.attributes import KINDS  # noqa: PLC0415 (slow to import)

    return KINDS


def _attributes_checked(rule: str, state: Mapping[str, Any]) -> None:
    from rosenblatt.persist.attributes import check  # noqa: PLC0415 (slow to import)

    check(rule, state)


def _check_settings(estimator: Any) -> None:
    """Refuse parameters that `fit` would refuse."""
    try:
        estimator._check()  # noqa: SLF001 (what fit calls first)
    except RosenblattError as error:
        raise ValueError(str(error)) from error
    except TypeError as error:
        raise ValueError(f"a parameter is of the wrong kind: {error}") from error
