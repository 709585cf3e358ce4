"""A model as a scikit-learn Pipeline that takes pandas frames, made of scikit-learn's own steps.

The steps are fitted to a frame of two rows, with the model's fills as its numbers and a missing
cell wherever there is an indicator, so that they end up with the model's values.
"""

from itertools import groupby
from typing import Any

import numpy as np

from rosenblatt.errors import ModelError
from rosenblatt.persist.model import Model, as_model
from rosenblatt.preprocess.column_encoders import CategoryColumn, Column, NumberColumn, TextColumn
from rosenblatt.preprocess.transformer import ColumnTransformer, Scaling


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
    if model.transformer.columns:
        steps.append(("columns", _transformer(model.transformer.columns)))
    if model.transformer.scaling is not None:
        steps.extend(_scalers(model.transformer.scaling, sparse=model.transformer.sparse))
    steps.extend(_features(model.transformer))
    return Pipeline([*steps, ("classifier", _classifier(model))])


def _features(transformer: ColumnTransformer) -> list[tuple[str, Any]]:
    """The feature maps, each as a fitted transformer."""
    from rosenblatt.features.transformers.base import (  # noqa: PLC0415 (slow to import)
        FittedTransformer,
    )

    made = [FittedTransformer(step.map) for step in transformer.maps]
    return [(f"features {k + 1}", each.mark_fitted()) for k, each in enumerate(made)]


def _classifier(model: Model) -> Any:
    """The estimator with the model's labels, for the output of the steps before it."""
    estimator = model.estimator(labels=True)
    if model.transformer.columns:
        vars(estimator).pop("feature_names_in_", None)  # the steps before it return plain arrays
    return estimator


def _transformer(columns: tuple[Column, ...]) -> Any:
    from sklearn import compose  # noqa: PLC0415 (slow to import)

    parts = []
    for _, group in groupby(columns, key=_step_key):
        first, *others = group
        names = [first.name, *(column.name for column in others)]
        parts.append((f"{first.name}, …" if others else first.name, _step(first), names))
    transformer = compose.ColumnTransformer(
        parts, sparse_threshold=0.0, verbose_feature_names_out=False
    )
    return transformer.fit(_example(columns))


def _step_key(column: Column) -> str:
    """Adjacent columns with the same key share one step."""
    plain = isinstance(column, NumberColumn) and not column.indicator
    return ("as they are" if _has_no_fill(column) else "filled") if plain else f"={column.name}"


def _has_no_fill(column: Column) -> bool:
    return isinstance(column, NumberColumn) and bool(np.isnan(column.fill))


def _step(column: Column) -> Any:
    """The step for a column, or for several columns of numbers."""
    from sklearn.impute import SimpleImputer  # noqa: PLC0415 (slow to import)

    if isinstance(column, TextColumn):
        raise ModelError(
            f"The column {column.name!r} holds text, whose words scikit-learn hashes differently."
            " Export to JSON, or leave the column out of the model."
        )
    if isinstance(column, CategoryColumn):
        return _one_hot(column)
    if _has_no_fill(column):
        return "passthrough"
    return SimpleImputer(strategy="mean", add_indicator=column.indicator)


def _one_hot(column: CategoryColumn) -> Any:
    """One feature per value; a missing cell becomes the empty string first."""
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
    """Two rows on which the steps are fitted."""
    try:
        import pandas as pd  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise ModelError("The pipeline takes pandas frames: pip install pandas.") from error
    cells: dict[str, Any] = {}
    for column in columns:
        if isinstance(column, NumberColumn):
            cells[column.name] = [column.fill, np.nan if column.indicator else column.fill]
        else:
            cells[column.name] = np.array([*getattr(column, "values", ())][:1] * 2, object)
    return pd.DataFrame(cells)


def _tfidf(scaling: Scaling) -> Any:
    from sklearn.feature_extraction.text import TfidfTransformer  # noqa: PLC0415 (slow to import)

    transformer = TfidfTransformer(sublinear_tf=True)
    transformer.idf_ = scaling.factor
    return transformer


def _scalers(scaling: Scaling, *, sparse: bool) -> list[tuple[str, Any]]:
    from sklearn.preprocessing import Normalizer, StandardScaler  # noqa: PLC0415 (slow to import)

    if scaling.sublinear_tf:
        return [("tfidf", _tfidf(scaling))]
    with np.errstate(divide="ignore"):  # a factor of 0 is a scale of infinity
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
    return [*steps, ("unit rows", Normalizer())] if scaling.unit_norm else steps
