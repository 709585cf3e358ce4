"""The model file: arrays and JSON, and nothing that could be executed.

docs/models.md describes the format. Files are not trusted: only known fields of the right types,
with sizes that fit together, are accepted; anything else is refused with an error message.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import __version__
from rosenblatt.errors import ModelError
from rosenblatt.losses.link import LINKS
from rosenblatt.persist.estimator_state import (
    WEIGHTS,
    EstimatorState,
    Unpacker,
    restore_estimator,
    state_of,
)
from rosenblatt.persist.model import KINDS, Model, identity_transformer, link_of
from rosenblatt.persist.safetensors_file import Tensors, parsed, read_tensors, write_tensors
from rosenblatt.preprocess.column_encoders import NumberColumn
from rosenblatt.preprocess.transformer import ColumnTransformer, transformer_from_dict
from rosenblatt.registry import RULES
from rosenblatt.types import Array

FORMAT, VERSION = "rosenblatt-model", 1
TRANSFORMER = "transformer."  # prefix of the names of its arrays
FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def save(model: Any, path: str | Path) -> None:
    """Write a fitted estimator, or a `Model`, to a file.

    The file holds data only: numbers, names, the labels of the classes and the categories of
    columns. It is written completely or not at all.

    Parameters
    ----------
    model : estimator or Model
        Any fitted estimator of this library, a threshold unit or network, or a `Model`.
    path : str or Path
        The file; its usual suffix is `.rosenblatt`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rosenblatt import LogisticRegression, builtin, load, save
    >>> iris = builtin("iris")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "iris.rosenblatt"
    ...     save(LogisticRegression().fit(iris.X, iris.y), path)
    ...     print(load(path).predict(iris.X[:2]))
    ['setosa' 'setosa']
    """
    fields, tensors = _of_model(model) if isinstance(model, Model) else _of_estimator(model)
    try:
        text = json.dumps(fields, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError) as error:
        raise ModelError(f"The model cannot be saved: {error}.") from error
    write_tensors(path, Tensors(text, tensors))


def load(path: str | Path) -> Any:
    """Read what `save` wrote: the estimator, or a `Model` if it takes the columns of a table.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    estimator or Model
        Its predictions are bit-identical, and an estimator can continue training.
    """
    contents = _Contents(path)
    return contents.estimator() if contents.fields["transformer"] is None else contents.model()


def load_model(path: str | Path) -> Model:
    """Read what `save` wrote as a `Model`, without loading any training code."""
    return _Contents(path).model()


class _Contents:
    """A file that was read and validated, except for what only the estimator can check."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.text, self.arrays = read_tensors(path)
        self.fields = self._checked(self._fields)
        rule, parameters = self.fields["rule"], self.fields["parameters"]
        self.state = EstimatorState(rule, parameters, self.fields["attributes"], self.arrays)

    def estimator(self) -> Any:
        """The estimator itself."""
        return self._checked(self._estimator)

    def model(self) -> Model:
        """The file as a model."""
        model: Model = self._checked(self._model)
        return model

    def _checked(self, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except ModelError:
            raise
        except KeyError as error:
            raise ModelError(f"{self.path} is a damaged model file: it lacks {error}.") from error
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            raise ModelError(f"{self.path} is a damaged model file: {error}.") from error
        except RecursionError as error:
            raise ModelError(
                f"{self.path} is not a model file: it is nested too deeply."
            ) from error

    def _fields(self) -> dict[str, Any]:
        fields = parsed(self.text)
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise ValueError(f'its "format" is not "{FORMAT}"')
        version = fields.get("version")
        if version != VERSION:
            newer = type(version) is int and version > VERSION
            advice = "written by a newer rosenblatt: update this one" if newer else "unknown"
            raise ModelError(
                f"{self.path} has the format version {version!r}, {advice}. This is rosenblatt"
                f" {__version__}, which reads version {VERSION}."
            )
        if set(fields) != set(CHECKS):
            raise ValueError("it has a missing or a surplus field")
        for name, is_right in CHECKS.items():
            if not is_right(fields[name]):
                raise ValueError(f'its field "{name}" is invalid')
        return fields

    def _estimator(self) -> Any:
        estimator = restore_estimator(self.state)
        if labels_to_dict(_classes_of(estimator)) != self.fields["classes"]:
            raise ValueError("its estimator has other classes")
        return estimator

    def _model(self) -> Model:
        fields, W = self.fields, self.state.W
        if W is None:
            raise ModelError(
                f"{self.path} holds a {self.state.rule}, which is not a linear classifier of rows."
                " Load it in Python with rosenblatt.load."
            )
        attributes = self.state.attributes
        if attributes.get("_W") != {"array": WEIGHTS} or attributes.get("classes_") is None:
            raise ValueError("its estimator lacks weights or classes")
        classes, names = labels_of(fields["classes"]), fields["feature_names"]
        transformer = identity_transformer(W.shape[-1] - 1, names)
        if fields["transformer"] is not None:
            transformer = self._transformer(fields["transformer"])
        if len(classes) != len(Unpacker(self.arrays).value(attributes["classes_"])):
            raise ValueError("its estimator has another number of classes")
        n_outputs = 1 if len(classes) <= 2 else len(classes)
        if W.shape != (n_outputs, transformer.n_features + 1) or W.dtype != np.float64:
            raise ValueError("its weights do not fit its classes and features")
        if not np.isfinite(W).all():
            raise ValueError("its weights are not finite")
        if fields["link"] != link_of(self.state, n_outputs):
            raise ValueError("its link is not that of its rule")
        summary, fingerprint = fields["summary"], fields["fingerprint"]
        return Model(transformer, classes, fields["link"], self.state, summary, fingerprint)

    def _transformer(self, plain: dict[str, Any]) -> ColumnTransformer:
        start = len(TRANSFORMER)
        own = (name for name in self.arrays if name.startswith(TRANSFORMER))
        arrays = {name[start:]: self.arrays[name] for name in own}
        transformer = transformer_from_dict(plain, arrays)
        check_transformer(transformer, arrays)
        return transformer


def check_transformer(transformer: ColumnTransformer, arrays: dict[str, Array]) -> None:
    """Refuse a transformer with duplicate columns, or that would give NaN or infinity."""
    numbers = (np.float64, np.int64)
    if not all(a.dtype in numbers and np.isfinite(a).all() for a in arrays.values()):
        raise ValueError("its transformer holds NaN, infinity or other types")
    names = [column.name for column in transformer.columns]
    if len(set(names)) < len(names):
        raise ValueError("a column occurs twice")
    fills = [column.fill for column in transformer.columns if isinstance(column, NumberColumn)]
    if not np.isfinite(fills).all():
        raise ValueError("a fill for missing cells is not finite")


def labels_of(plain: dict[str, Any]) -> Array:
    """Labels of the classes as an array."""
    return np.array(plain["values"], KINDS[plain["kind"]])


def labels_to_dict(classes: Array) -> dict[str, Any]:
    """Labels of the classes as plain data, with their kind."""
    values = classes.tolist()
    for kind, type_ in KINDS.items():
        if all(type(value) is type_ for value in values):
            return {"kind": kind, "values": values}
    found = type(values[0]).__name__ if len(values) else "nothing"
    raise ModelError(
        f"A model file holds labels that are text, numbers or booleans, all of one type; the"
        f" classes are of {classes.dtype} ({found}). Turn them into strings first."
    )


def _classes_of(estimator: Any) -> Array:
    """Classes of an estimator; a threshold unit has none."""
    return np.asarray(vars(estimator).get("classes_", np.empty(0, np.int64)))


def _of_model(model: Model) -> tuple[dict[str, Any], dict[str, Array]]:
    """Fields and arrays of a model."""
    plain, arrays = model.transformer.to_dict()
    fields = _fields(model.state, model.classes, model.summary)
    fields |= {"transformer": plain, "fingerprint": model.fingerprint, "link": model.link}
    return fields, {**model.state.arrays, **{TRANSFORMER + name: a for name, a in arrays.items()}}


def _of_estimator(estimator: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    """Fields and arrays of an estimator by itself."""
    state = state_of(estimator)
    outcome = getattr(estimator, "outcome_", None)
    summary = {} if outcome is None else {"outcome": str(outcome)}
    fields = _fields(state, _classes_of(estimator), summary)
    names = vars(estimator).get("feature_names_in_")
    fields["feature_names"] = None if names is None else [str(name) for name in names]
    fields["link"] = None if state.W is None else link_of(state, len(state.W))
    return fields, dict(state.arrays)


def _fields(state: EstimatorState, classes: Array, summary: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "rosenblatt_version": __version__,
        "rule": state.rule,
        "parameters": state.parameters,
        "classes": labels_to_dict(classes),
        "feature_names": None,
        "link": None,
        "transformer": None,
        "summary": summary,
        "fingerprint": None,
        "attributes": state.attributes,
    }


def _is_labels(value: Any) -> bool:
    kind = KINDS.get(value["kind"])
    values = value["values"]
    distinct = len(set(values)) == len(values)
    return kind is not None and distinct and all(type(label) is kind for label in values)


def _is_names(value: Any) -> bool:
    return value is None or (
        isinstance(value, list)
        and all(isinstance(name, str) for name in value)
        and len(set(value)) == len(value)
    )


CHECKS: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: value == FORMAT,
    "version": lambda value: type(value) is int,
    "rosenblatt_version": lambda value: isinstance(value, str),
    "rule": lambda value: isinstance(value, str) and value in RULES,
    "parameters": lambda value: isinstance(value, dict),
    "classes": _is_labels,
    "feature_names": _is_names,
    "link": lambda value: value is None or value in LINKS,
    "transformer": lambda value: value is None or isinstance(value, dict),
    "summary": lambda value: isinstance(value, dict),
    "fingerprint": lambda value: value is None or FINGERPRINT.fullmatch(value) is not None,
    "attributes": lambda value: isinstance(value, dict),
}
