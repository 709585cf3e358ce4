"""A model as plain JSON, to compute scores without any library."""

import json
from math import isnan
from typing import Any

from rosenblatt.features.maps.spec import FittedMap, map_to_dict
from rosenblatt.persist.model import Model, as_model
from rosenblatt.preprocess.column_encoders import Column, NumberColumn, TextColumn, column_to_dict

FORMAT, VERSION = "rosenblatt-json", 1
HOW = (
    "Features come from the columns in order: a number is its value or, where it is missing, its"
    " fill (null: it must not be missing), and with an indicator one more feature, 1 where it is"
    " missing; a category is one feature per value, 1 for the value it has, and with an indicator"
    " one more, 1 where it is missing or empty; text is counted and weighted as docs/text.md"
    " says. Without columns they are the numbers of a row. With sublinear_tf, each x > 0 becomes"
    " 1 + log x. Then each x becomes (x - shift) * factor; with unit_norm the row is then divided"
    " by its length. Then each of the maps transforms the features, as docs/features.md says."
    " Scores are s = weights x + intercept. One score: the second class where s >= 0, or with a"
    " link where s > 0; more: that of the largest. Probabilities by link:"
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
    >>> from rosenblatt.persist.json_export import to_json
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
