"""Export of a model: plain JSON to compute scores without any library, and an ONNX graph."""

import json
from math import isnan
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.features.maps.spec import FittedMap, map_to_dict
from rosenblatt.losses.link import LOGISTIC, ONE_VS_REST
from rosenblatt.persist.model import Model, as_model
from rosenblatt.preprocess.column_encoders import (
    CategoryColumn,
    Column,
    NumberColumn,
    TextColumn,
    column_to_dict,
)
from rosenblatt.preprocess.transformer import Scaling
from rosenblatt.types import Array

FORMAT, VERSION = "rosenblatt-json", 1
HOW = (
    "Features come from the columns in order: a number is its value or, where it is missing, its"
    " fill (null: it must not be missing), and with an indicator one more feature, 1 where it is"
    " missing; a category is one feature per value, 1 for the value it has, and with an indicator"
    " one more, 1 where it is missing or empty; text is counted and weighted as docs/text.md"
    " says. Without columns they are the numbers of a row. With sublinear_tf, each x > 0 becomes"
    " 1 + log x. Then each x becomes (x - shift) * factor; with unit_norm the row is then divided"
    " by its length. Then each of the maps transforms the features, as docs/features.md says."
    " Scores are s = weights x + intercept. With one score, predict the second class where s >= 0,"
    " or, with a link, where s > 0; with more, the class of the largest. Probabilities by link:"
    " logistic 1 / (1 + exp(-s)) of the second class; softmax exp(s) over their sum;"
    " one-vs-rest 1 / (1 + exp(-s)) over their sum."
)


def to_json(model: Any) -> str:
    """A model as JSON text.

    Parameters
    ----------
    model : Model or fitted estimator
        A linear classifier.

    Returns
    -------
    str
        JSON with the fields that docs/models.md describes; `how` explains the computation.

    Examples
    --------
    >>> import json
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.persist.export import to_json
    >>> plain = json.loads(to_json(Perceptron().fit([[0.0], [2.0]], ["no", "yes"])))
    >>> plain["classes"], plain["weights"], plain["intercept"]
    (['no', 'yes'], [[2.0]], [-1.0])
    """
    return json.dumps(plain_model(as_model(model)), ensure_ascii=False, allow_nan=False, indent=1)


def plain_model(model: Model) -> dict[str, Any]:
    """The model as plain data."""
    transformer = model.transformer
    scaling = transformer.scaling
    return {
        "format": FORMAT,
        "version": VERSION,
        "rule": model.rule,
        "how": HOW,
        "columns": [_plain(column) for column in transformer.columns] or None,
        "feature_names": list(model.feature_names),
        "shift": None if scaling is None else scaling.shift.tolist(),
        "factor": None if scaling is None else scaling.factor.tolist(),
        "sublinear_tf": scaling is not None and scaling.sublinear_tf,
        "unit_norm": scaling is not None and scaling.unit_norm,
        "maps": [_plain_map(step) for step in transformer.maps],
        "weights": model.W[:, :-1].tolist(),
        "intercept": model.W[:, -1].tolist(),
        "classes": model.classes.tolist(),
        "link": model.link,
    }


def _plain_map(step: FittedMap) -> dict[str, Any]:
    plain, arrays = map_to_dict(step)
    return plain | {name: array.tolist() for name, array in arrays.items()}


def _plain(column: Column) -> dict[str, Any]:
    plain = column_to_dict(column)
    if isinstance(column, TextColumn):
        return plain | {"idf": None if column.idf is None else column.idf.tolist()}
    if isinstance(column, NumberColumn) and isnan(column.fill):
        return plain | {"fill": None}
    return plain


OPSET, ML_OPSET, IR = 17, 3, 8  # old enough for any runtime in use
INTERNAL = "rosenblatt/"  # prefix of names that are neither inputs nor outputs


def to_onnx(model: Any) -> Any:
    """A model as an ONNX graph; needs ``rosenblatt[onnx]``.

    Parameters
    ----------
    model : Model or fitted estimator
        A linear classifier without columns of text.

    Returns
    -------
    onnx.ModelProto
        Its inputs are the columns by name, a float or string tensor of shape (n, 1) each, or the
        float tensor "X" of shape (n, n_features). A missing number is NaN, a missing word "". Its
        outputs are "label", "scores" and, where there are any, "probabilities".
    """
    model = as_model(model)
    if model.transformer.maps:
        raise ModelError(
            "ONNX export does not support feature maps, and this model has"
            f" {model.transformer.maps[0][0]}. Export to JSON, or train without --features."
        )
    return _Graph(model).build()


class _Graph:
    """Builder of the nodes and constants of the graph."""

    def __init__(self, model: Model) -> None:
        self._onnx = _onnx()
        self._model = model
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def build(self) -> Any:
        """The complete graph."""
        helper, model = self._onnx.helper, self._model
        rows = self._rows()
        if model.transformer.scaling is not None:
            rows = self._scaled(rows, model.transformer.scaling)
        w, b = self._constant(model.W[:, :-1].T), self._constant(model.W[:, -1])
        scores = self._node("Add", self._node("MatMul", rows, w), b)
        self._output("label", self._label(scores), self._type_of(_labels(model)), [None])
        self._output_floats("scores", scores, len(model.W))
        if model.link is not None:
            self._output_floats("probabilities", self._probabilities(scores), len(model.classes))
        graph = helper.make_graph(
            self._nodes, "rosenblatt", self._inputs, self._outputs, self._constants
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        proto = helper.make_model(
            graph, opset_imports=opsets, ir_version=IR, producer_name="rosenblatt"
        )
        self._onnx.checker.check_model(proto)
        return proto

    def _rows(self) -> str:
        """Features of the rows, before they are scaled."""
        columns = self._model.transformer.columns
        if not columns:
            X = self._input("X", "FLOAT", self._model.transformer.n_features)
            return self._double(X)
        parts = [part for column in columns for part in self._features(column)]
        return self._node("Concat", *parts, axis=1)

    def _features(self, column: Column) -> list[str]:
        if isinstance(column, TextColumn):
            raise ModelError(
                f"The column {column.name!r} holds text, and ONNX has no operation for hashed"
                " n-grams. Export to JSON, or leave the column out of the model."
            )
        if isinstance(column, CategoryColumn):
            return [self._one_hot(column)]
        return self._filled(column)

    def _filled(self, column: NumberColumn) -> list[str]:
        value = self._double(self._input(column.name, "FLOAT", 1))
        missing = self._node("IsNaN", value)
        filled = self._node("Where", missing, self._constant(np.array(column.fill)), value)
        return [filled, self._double(missing)] if column.indicator else [filled]

    def _one_hot(self, column: CategoryColumn) -> str:
        word = self._input(column.name, "STRING", 1)
        words = [*column.values, ""] if column.indicator else list(column.values)
        table = self._node("OneHotEncoder", word, domain="ai.onnx.ml", cats_strings=words, zeros=1)
        shape = self._constant(np.array([-1, len(words)]))
        return self._double(self._node("Reshape", table, shape))

    def _scaled(self, rows: str, scaling: Scaling) -> str:
        if scaling.sublinear_tf:
            rows = self._logarithm(rows)
        rows = self._node("Sub", rows, self._constant(scaling.shift))
        rows = self._node("Mul", rows, self._constant(scaling.factor))
        if not scaling.unit_norm:
            return rows
        axis = self._constant(np.array([1]))
        squares = self._node("ReduceSum", self._node("Mul", rows, rows), axis, keepdims=1)
        length = self._node("Sqrt", squares)
        none = self._node("Equal", length, self._constant(np.array(0.0)))
        safe = self._node("Where", none, self._constant(np.array(1.0)), length)
        return self._node("Div", rows, safe)

    def _logarithm(self, rows: str) -> str:
        """1 + log x of every positive x."""
        one = self._constant(np.array(1.0))
        positive = self._node("Greater", rows, self._constant(np.array(0.0)))
        safe = self._node("Where", positive, rows, one)
        return self._node("Where", positive, self._node("Add", self._node("Log", safe), one), rows)

    def _label(self, scores: str) -> str:
        if len(self._model.W) == 1:
            above = "GreaterOrEqual" if self._model.link is None else "Greater"
            positive = self._node(above, scores, self._constant(np.array(0.0)))
            code = self._node("Cast", positive, to=self._onnx.TensorProto.INT64)
            code = self._node("Squeeze", code, self._constant(np.array([1])))
        else:
            code = self._node("ArgMax", scores, axis=1, keepdims=0)
        return self._node("Gather", self._constant(_labels(self._model)), code)

    def _probabilities(self, scores: str) -> str:
        if self._model.link == LOGISTIC:
            both = self._node("Concat", self._node("Neg", scores), scores, axis=1)
            return self._node("Sigmoid", both)
        if self._model.link == ONE_VS_REST:
            scores = self._log_sigmoid(scores)
        return self._node("Softmax", scores, axis=1)

    def _log_sigmoid(self, scores: str) -> str:
        """Return log σ(s) = min(s, 0) − log(1 + e^−|s|), which does not overflow."""
        power = self._node("Exp", self._node("Neg", self._node("Abs", scores)))
        rest = self._node("Log", self._node("Add", power, self._constant(np.array(1.0))))
        return self._node("Sub", self._node("Min", scores, self._constant(np.array(0.0))), rest)

    def _node(self, operation: str, *inputs: str, **settings: Any) -> str:
        output = f"{INTERNAL}{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operation, inputs, [output], **settings))
        return output

    def _constant(self, array: Array) -> str:
        name = f"{INTERNAL}constant {len(self._constants)}"
        values = array.astype(object) if array.dtype.kind == "U" else np.ascontiguousarray(array)
        self._constants.append(self._onnx.numpy_helper.from_array(values, name))
        return name

    def _double(self, name: str) -> str:
        return self._node("Cast", name, to=self._onnx.TensorProto.DOUBLE)

    def _input(self, name: str, kind: str, width: int) -> str:
        number = getattr(self._onnx.TensorProto, kind)
        self._inputs.append(self._onnx.helper.make_tensor_value_info(name, number, [None, width]))
        return name

    def _output_floats(self, name: str, value: str, width: int) -> None:
        single = self._onnx.TensorProto.FLOAT
        self._output(name, self._node("Cast", value, to=single), single, [None, width])

    def _output(self, name: str, value: str, number: int, shape: list[int | None]) -> None:
        taken = {column.name for column in self._model.transformer.columns}
        while name in taken:  # by a column
            name += "_"
        self._nodes.append(self._onnx.helper.make_node("Identity", [value], [name]))
        self._outputs.append(self._onnx.helper.make_tensor_value_info(name, number, shape))

    def _type_of(self, array: Array) -> int:
        if array.dtype.kind == "U":
            return int(self._onnx.TensorProto.STRING)
        return int(self._onnx.helper.np_dtype_to_tensor_dtype(array.dtype))


def _labels(model: Model) -> Array:
    """Labels by code, at least two."""
    classes = model.classes
    if classes.dtype.kind == "i":
        classes = classes.astype(np.int64)
    return classes if len(classes) > 1 else np.repeat(classes, 2)


def _onnx() -> Any:
    try:
        import onnx  # noqa: PLC0415 (an extra)
        import onnx.checker  # noqa: PLC0415
        import onnx.helper  # noqa: PLC0415
        import onnx.numpy_helper  # noqa: PLC0415
    except ImportError as error:
        raise ModelError(
            "The export needs the package onnx: pip install 'rosenblatt[onnx]'."
        ) from error
    return onnx
