"""The model file: arrays and a JSON text, and nothing that could run.

The format stands in docs/models.md. A file is read as if nobody vouched for it: only known fields,
each of the known kind, sizes that fit together; whatever else stands there is refused with a
sentence.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.losses.link import LINKS
from rosenblatt.persist.estimator_state import WEIGHTS, Kept, Unpacker, estimator_of, kept_of
from rosenblatt.persist.model import KINDS, Model, link_of, unprepared
from rosenblatt.persist.safetensors_file import Tensors, parsed, read_tensors, write_tensors
from rosenblatt.preprocess.column_encoders import Number
from rosenblatt.preprocess.transformer import Preparation, preparation_of
from rosenblatt.registry import RULES
from rosenblatt.types import Array
from rosenblatt.version import __version__

FORMAT, VERSION = "rosenblatt-model", 1
PREPARED = "preparation."  # before the names of its arrays
FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def save(model: Any, path: str | Path) -> None:
    """Write a fitted estimator, or a `Model`, to a file.

    The file holds data only: numbers, names, the labels of the classes and the categories of
    columns. It is written whole or not at all.

    Parameters
    ----------
    model : estimator or Model
        Any fitted estimator of this library, a threshold unit or network, or a `Model`.
    path : str or Path
        Where to; `.rosenblatt` is the usual ending.

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
    """Read what `save` wrote: the estimator, or a `Model` where columns are prepared for it.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    estimator or Model
        It decides as before, bit for bit, and an estimator can go on learning.
    """
    contents = _Contents(path)
    return contents.estimator() if contents.fields["preparation"] is None else contents.model()


def load_model(path: str | Path) -> Model:
    """Read what `save` wrote as a `Model`, without loading any training code."""
    return _Contents(path).model()


class _Contents:
    """A file that was read and checked, but for what only the estimator knows."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.text, self.arrays = read_tensors(path)
        self.fields = self._checked(self._fields)
        rule, parameters, state = (self.fields[name] for name in ("rule", "parameters", "state"))
        self.kept = Kept(rule, parameters, state, self.arrays)

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
            raise ModelError(f"{self.path} is no model file: it is nested too deeply.") from error

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
            raise ValueError("it lacks a field, or has one too many")
        for name, is_right in CHECKS.items():
            if not is_right(fields[name]):
                raise ValueError(f'its field "{name}" is not right')
        return fields

    def _estimator(self) -> Any:
        estimator = estimator_of(self.kept)
        if plain_labels(_classes_of(estimator)) != self.fields["classes"]:
            raise ValueError("its estimator is about other classes")
        return estimator

    def _model(self) -> Model:
        fields, W = self.fields, self.kept.W
        if W is None:
            raise ModelError(
                f"{self.path} holds a {self.kept.rule}, which is no linear classifier of rows. Load"
                " it in Python with rosenblatt.load."
            )
        state = self.kept.state
        if state.get("_W") != {"array": WEIGHTS} or state.get("classes_") is None:
            raise ValueError("its estimator lacks weights or classes")
        classes, names = labels_of(fields["classes"]), fields["features"]
        preparation = unprepared(W.shape[-1] - 1, names)
        if fields["preparation"] is not None:
            preparation = self._preparation(fields["preparation"])
        if len(classes) != len(Unpacker(self.arrays).value(state["classes_"])):
            raise ValueError("its estimator has another number of classes")
        units = 1 if len(classes) <= 2 else len(classes)
        if W.shape != (units, preparation.n_features + 1) or W.dtype != np.float64:
            raise ValueError("its weights do not go with its classes and features")
        if not np.isfinite(W).all():
            raise ValueError("its weights are not finite")
        if fields["link"] != link_of(self.kept, units):
            raise ValueError("its link is not that of its rule")
        summary, fingerprint = fields["summary"], fields["fingerprint"]
        return Model(preparation, classes, fields["link"], self.kept, summary, fingerprint)

    def _preparation(self, plain: dict[str, Any]) -> Preparation:
        start = len(PREPARED)
        arrays = {name[start:]: a for name, a in self.arrays.items() if name.startswith(PREPARED)}
        preparation = preparation_of(plain, arrays)
        check_preparation(preparation, arrays)
        return preparation


def check_preparation(preparation: Preparation, arrays: dict[str, Array]) -> None:
    """Refuse a preparation that would make no numbers of a row, or two of one column."""
    numbers = (np.float64, np.int64)
    if not all(a.dtype in numbers and np.isfinite(a).all() for a in arrays.values()):
        raise ValueError("its preparation holds what are no finite numbers")
    names = [column.name for column in preparation.columns]
    if len(set(names)) < len(names):
        raise ValueError("a column stands there twice")
    fills = [column.fill for column in preparation.columns if isinstance(column, Number)]
    if not np.isfinite(fills).all():
        raise ValueError("a missing cell would be filled with no finite number")


def labels_of(plain: dict[str, Any]) -> Array:
    """Labels of the classes as an array."""
    return np.array(plain["values"], KINDS[plain["kind"]])


def plain_labels(classes: Array) -> dict[str, Any]:
    """Labels of the classes as plain data, with their kind."""
    values = classes.tolist()
    for kind, type_ in KINDS.items():
        if all(type(value) is type_ for value in values):
            return {"kind": kind, "values": values}
    told = type(values[0]).__name__ if len(values) else "nothing"
    raise ModelError(
        f"A model file holds labels that are text, numbers or truth values, all of one kind; the"
        f" classes are of {classes.dtype} ({told}). Turn them into strings first."
    )


def _classes_of(estimator: Any) -> Array:
    """Classes of an estimator; a threshold unit knows of none."""
    return np.asarray(vars(estimator).get("classes_", np.empty(0, np.int64)))


def _of_model(model: Model) -> tuple[dict[str, Any], dict[str, Array]]:
    """Fields and arrays of a model."""
    plain, arrays = model.preparation.to_plain()
    fields = _fields(model.kept, model.classes, model.summary)
    fields |= {"preparation": plain, "fingerprint": model.fingerprint, "link": model.link}
    return fields, {**model.kept.arrays, **{PREPARED + name: a for name, a in arrays.items()}}


def _of_estimator(estimator: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    """Fields and arrays of an estimator by itself."""
    kept = kept_of(estimator)
    learned = vars(estimator)
    outcome = getattr(estimator, "outcome_", None)
    summary = {} if outcome is None else {"outcome": str(outcome)}
    fields = _fields(kept, _classes_of(estimator), summary)
    names = learned.get("feature_names_in_")
    fields["features"] = None if names is None else [str(name) for name in names]
    fields["link"] = None if kept.W is None else link_of(kept, len(kept.W))
    return fields, dict(kept.arrays)


def _fields(kept: Kept, classes: Array, summary: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "rosenblatt": __version__,
        "rule": kept.rule,
        "parameters": kept.parameters,
        "classes": plain_labels(classes),
        "features": None,
        "link": None,
        "preparation": None,
        "summary": summary,
        "fingerprint": None,
        "state": kept.state,
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
    "rosenblatt": lambda value: isinstance(value, str),
    "rule": lambda value: isinstance(value, str) and value in RULES,
    "parameters": lambda value: isinstance(value, dict),
    "classes": _is_labels,
    "features": _is_names,
    "link": lambda value: value is None or value in LINKS,
    "preparation": lambda value: value is None or isinstance(value, dict),
    "summary": lambda value: isinstance(value, dict),
    "fingerprint": lambda value: value is None or FINGERPRINT.fullmatch(value) is not None,
    "state": lambda value: isinstance(value, dict),
}
