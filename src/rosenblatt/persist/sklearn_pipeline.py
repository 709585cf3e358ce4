"""A model as a scikit-learn Pipeline that takes pandas frames, made of scikit-learn's own steps.

The steps are fitted to a frame of two rows which has the model's fills as its numbers and a missing
cell wherever there is an indicator: what they learn from it is what the model knows.
"""

from itertools import groupby
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.persist.model import Model, as_model
from rosenblatt.preprocess.column_encoders import Category, Column, Number, Text
from rosenblatt.preprocess.scaling import Scaling
from rosenblatt.preprocess.transformer import Preparation


def to_pipeline(model: Any) -> Any:
    """A model as a fitted scikit-learn Pipeline.

    Parameters
    ----------
    model : Model or fitted estimator
        A linear classifier without columns of text.

    Returns
    -------
    sklearn.pipeline.Pipeline
        It takes pandas frames with the model's columns (numbers as numbers, words as words), or
        arrays where the model has none, and ends in the estimator itself.
    """
    from sklearn.pipeline import Pipeline  # noqa: PLC0415 (slow to import)

    model = as_model(model)
    steps: list[tuple[str, Any]] = []
    if model.preparation.columns:
        steps.append(("columns", _transformer(model.preparation.columns)))
    if model.preparation.scaling is not None:
        steps.extend(_scalers(model.preparation.scaling, sparse=model.preparation.sparse))
    steps.extend(_features(model.preparation))
    return Pipeline([*steps, ("classifier", _classifier(model))])


def _features(preparation: Preparation) -> list[tuple[str, Any]]:
    """The feature maps, each as a transformer that has nothing left to learn."""
    from rosenblatt.features.transformers.base import FittedTransformer  # noqa: PLC0415 (slow to import)

    made = [FittedTransformer(step.map) for step in preparation.maps]
    return [(f"features {k + 1}", each.mark_fitted()) for k, each in enumerate(made)]


def _classifier(model: Model) -> Any:
    """The estimator with the model's labels; it takes what the steps before it give."""
    estimator = model.estimator(labels=True)
    if model.preparation.columns:
        vars(estimator).pop("feature_names_in_", None)  # the steps before it give plain arrays
    return estimator


def _transformer(columns: tuple[Column, ...]) -> Any:
    from sklearn.compose import ColumnTransformer  # noqa: PLC0415 (slow to import)

    parts = []
    for _, group in groupby(columns, key=_together):
        first, *others = group
        names = [first.name, *(column.name for column in others)]
        parts.append((f"{first.name}, …" if others else first.name, _step(first), names))
    transformer = ColumnTransformer(parts, sparse_threshold=0.0, verbose_feature_names_out=False)
    return transformer.fit(_example(columns))


def _together(column: Column) -> str:
    """What neighbours must share to be taken by one step."""
    plain = isinstance(column, Number) and not column.indicator
    return ("as they are" if _has_no_fill(column) else "filled") if plain else f"={column.name}"


def _has_no_fill(column: Column) -> bool:
    return isinstance(column, Number) and bool(np.isnan(column.fill))


def _step(column: Column) -> Any:
    """What makes features of a column, or of several numbers."""
    from sklearn.impute import SimpleImputer  # noqa: PLC0415 (slow to import)

    if isinstance(column, Text):
        raise ModelError(
            f"The column {column.name!r} holds text, whose words scikit-learn hashes otherwise."
            " Export to JSON, or leave the column out of the model."
        )
    if isinstance(column, Category):
        return _words(column)
    if _has_no_fill(column):
        return "passthrough"
    return SimpleImputer(strategy="mean", add_indicator=column.indicator)


def _words(column: Category) -> Any:
    """One feature a word; a missing cell becomes the empty word first."""
    from sklearn.impute import SimpleImputer  # noqa: PLC0415 (slow to import)
    from sklearn.pipeline import Pipeline  # noqa: PLC0415
    from sklearn.preprocessing import OneHotEncoder  # noqa: PLC0415

    words = [*column.values, ""] if column.indicator else list(column.values)
    empty = {"strategy": "constant", "fill_value": ""}
    encoder = OneHotEncoder(
        categories=[np.array(words, object)], handle_unknown="ignore", sparse_output=False
    )
    return Pipeline(
        [
            ("NaN", SimpleImputer(missing_values=np.nan, **empty)),
            ("None", SimpleImputer(missing_values=None, **empty)),
            ("one-hot", encoder),
        ]
    )


def _example(columns: tuple[Column, ...]) -> Any:
    """Two rows from which the steps learn what the model knows."""
    try:
        import pandas as pd  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise ModelError("The pipeline takes frames of pandas: pip install pandas.") from error
    cells: dict[str, Any] = {}
    for column in columns:
        if isinstance(column, Number):
            cells[column.name] = [column.fill, np.nan if column.indicator else column.fill]
        else:
            cells[column.name] = np.array([*getattr(column, "values", ())][:1] * 2, object)
    return pd.DataFrame(cells)


def _weigher(scaling: Scaling) -> Any:
    from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415 (slow to import)

    weigher = TfidfTransformer(sublinear_tf=True)
    weigher.idf_ = scaling.factor
    return weigher


def _scalers(scaling: Scaling, *, sparse: bool) -> list[tuple[str, Any]]:
    from sklearn.preprocessing import Normalizer, StandardScaler  # noqa: PLC0415 (slow to import)

    if scaling.logarithm:
        return [("weigh counts", _weigher(scaling))]
    with np.errstate(divide="ignore"):  # a feature times 0 is one over infinity
        scale = 1.0 / scaling.factor
    scaler = StandardScaler(with_mean=not sparse or bool(scaling.shift.any()))
    vars(scaler).update(
        mean_=scaling.shift,
        scale_=scale,
        var_=scale**2,
        n_features_in_=len(scale),
        n_samples_seen_=np.int64(1),
    )
    steps = [("scale", scaler)]
    return [*steps, ("unit rows", Normalizer())] if scaling.unit_rows else steps
