"""Linear model of tables, as the command line fits and uses it: columns in, classes out.

It holds the transformer of chunks into rows of features, and the weights. Predictions need numpy
alone: neither Numba nor scikit-learn is imported.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.errors import DataError, ModelError, SourceError
from rosenblatt.io.chunks import Chunk, Matrix, Place, Table
from rosenblatt.losses.link import LOGISTIC, ONE_VS_REST, SOFTMAX, predicted_codes, probabilities
from rosenblatt.persist.estimator_state import EstimatorState, state_of, with_labels
from rosenblatt.preprocess.column_encoders import NumberColumn
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.types import Array, Floats

if TYPE_CHECKING:
    import polars as pl

KINDS = {"str": str, "int": int, "float": float, "bool": bool}  # of labels
IN_MEMORY = Place("X")


@dataclass(frozen=True, eq=False)
class Model:
    """A linear classifier of tables, chunk by chunk or frame by frame.

    Parameters
    ----------
    transformer : ColumnTransformer
        Turns columns into features.
    classes : ndarray of shape (n_classes,)
        Labels; for two classes the second is the positive one.
    link : {"logistic", "softmax", "one-vs-rest"} or None
        How scores become probabilities; None where they do not.
    state : EstimatorState
        The fitted estimator, as plain data; `estimator()` restores it.
    summary : dict
        About the training: plain data of the caller's choice.
    fingerprint : str or None
        SHA-256 of the training data, if it was computed.
    """

    transformer: ColumnTransformer
    classes: Array
    link: str | None
    state: EstimatorState
    summary: dict[str, Any] = field(default_factory=dict)
    fingerprint: str | None = None

    @property
    def rule(self) -> str:
        """Name of the rule that found the weights."""
        return self.state.rule

    @property
    def W(self) -> Floats:  # noqa: N802 (a matrix)
        """Weights (w, b), a row per output: one for two classes, else one per class."""
        return np.asarray(self.state.W)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Name of each feature, in the order of the weights."""
        return self.transformer.feature_names

    def scores(self, chunk: Chunk) -> Floats:
        """Scores w·x + b of the rows of a chunk, a column per output."""
        rows = self.transformer.transform(chunk)
        scores = linear_scores(rows, self.W)
        if not np.isfinite(scores).all():
            raise self._not_finite(chunk, rows, scores)
        return scores

    def codes(self, scores: Floats) -> Array:
        """Index of the predicted class for each row of scores."""
        return predicted_codes(scores, len(self.classes), zero_is_first=self.link is not None)

    def probabilities_at(self, scores: Floats) -> Floats:
        """Probability of each class for some scores, a column per class."""
        if self.link is None:
            raise ModelError(f"The rule {self.rule} gives scores, but no probabilities.")
        return probabilities(self.link, scores)

    def decision_function(self, X: Any) -> Floats:
        """Score of each row: one number for two classes, else one per class.

        Parameters
        ----------
        X : polars or pandas frame, array, sparse matrix, or a chunk of a source
            The rows; columns are found by name.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive scores of the first kind mean `classes[1]`; so does 0, unless the model has
            probabilities, where it means `classes[0]`.
        """
        scores = self.scores(as_chunk(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """Class of each row.

        Parameters
        ----------
        X : polars or pandas frame, array, sparse matrix, or a chunk of a source
            The rows; columns are found by name.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of `classes`.
        """
        labels: Array = self.classes[self.codes(self.scores(as_chunk(X)))]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class.

        Parameters
        ----------
        X : polars or pandas frame, array, sparse matrix, or a chunk of a source
            The rows; columns are found by name.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes`.
        """
        return self.probabilities_at(self.scores(as_chunk(X)))

    def probabilities(self, chunk: Chunk) -> Floats:
        """Probability of each class for the rows of a chunk: `predict_proba`."""
        return self.predict_proba(chunk)

    def estimator(self, *, labels: bool = False) -> Any:
        """The estimator of the model, as it was fitted to rows of features.

        With `labels` it predicts `classes`, not their codes.
        """
        from rosenblatt.persist.estimator_state import restore_estimator  # noqa: PLC0415 (slow to import)

        state = with_labels(self.state, self.classes) if labels else self.state
        try:
            return restore_estimator(state)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ModelError(
                f"The estimator of the model is inconsistent: {error}. Fit the model again."
            ) from error

    def _not_finite(self, chunk: Chunk, rows: Rows, scores: Floats) -> SourceError:
        """The error that names the cell behind a score that is not finite."""
        row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
        if isinstance(rows, CSR):
            entries = slice(rows.indptr[row], rows.indptr[row + 1])
            values, places = rows.data[entries], rows.indices[entries]
        else:
            values, places = rows[row], np.arange(rows.shape[1])
        bad = places[~np.isfinite(values)]
        where = chunk.place.at(row)
        if not len(bad):
            return SourceError(f"{where}: its numbers are so large that its score overflows.")
        name = self.feature_names[int(bad[0])]
        return SourceError(
            f"{where}, column {name!r}: the cell is missing, not finite or too large to be"
            " scaled, and the model has no fill for it. Correct it first."
        )


def model_of(
    estimator: Any,
    transformer: ColumnTransformer | None = None,
    summary: dict[str, Any] | None = None,
    *,
    classes: Sequence[Any] | Array | None = None,
    fingerprint: str | None = None,
) -> Model:
    """A model from an estimator and the transformer of the rows it was fitted to.

    `classes` are the labels for the classes of the estimator, by default these themselves. Without
    a transformer, rows are used as they are, or by the feature names of the estimator.
    """
    state = state_of(estimator)
    labels = np.asarray(vars(estimator).get("classes_", []) if classes is None else classes)
    if state.W is None:
        raise ModelError(
            f"A {state.rule} is not a linear classifier of rows: save and load the estimator"
            " itself."
        )
    n_features, n_outputs = state.W.shape[1] - 1, len(state.W)
    if transformer is None:
        transformer = identity_transformer(n_features, vars(estimator).get("feature_names_in_"))
    if transformer.n_features != n_features or len(labels) != len(estimator.classes_):
        raise ModelError(
            f"An estimator of {n_features:,} features and {len(estimator.classes_)} classes does"
            f" not fit {transformer.n_features:,} features and {len(labels)} classes."
        )
    link = link_of(state, n_outputs)
    return Model(transformer, labels, link, state, dict(summary or {}), fingerprint)


def as_model(model: Any) -> Model:
    """A model, or an estimator as one."""
    return model if isinstance(model, Model) else model_of(model)


def link_of(state: EstimatorState, n_outputs: int) -> str | None:
    """Link from the scores of a rule to probabilities."""
    single = n_outputs == 1
    if state.rule == "linear-discriminant":
        return LOGISTIC if single else SOFTMAX
    if state.rule == "logistic-regression":
        one_vs_rest = state.attributes.get("_one_vs_rest", state.parameters["multi_class"] == "ovr")
        return LOGISTIC if single else ONE_VS_REST if one_vs_rest else SOFTMAX
    if state.rule == "gradient-descent" and state.parameters["loss"] == "logistic":
        return LOGISTIC if single else ONE_VS_REST
    logistic = state.rule == "tanh-perceptron" and state.parameters["activation"] == "logistic"
    return LOGISTIC if single and logistic else None


def identity_transformer(n_features: int, names: Array | None) -> ColumnTransformer:
    """A transformer that changes nothing: of a matrix, or of named columns of numbers."""
    if names is None:
        return ColumnTransformer((), n_features, sparse=False)
    columns = tuple(NumberColumn(str(name), np.nan, indicator=False) for name in names)
    return ColumnTransformer(columns, n_features, sparse=False)


def linear_scores(rows: Rows, W: Floats) -> Floats:
    """Scores of rows, a column per output."""
    w, b = W[:, :-1], W[:, -1]
    with np.errstate(over="ignore", invalid="ignore"):
        if not isinstance(rows, CSR):
            return np.asarray(rows @ w.T + b)
        from scipy import sparse  # noqa: PLC0415 (slow to import, and not needed for dense rows)

        parts = (rows.data, rows.indices, rows.indptr)
        matrix = sparse.csr_array(parts, shape=(len(rows.indptr) - 1, rows.n_cols))
        return np.asarray(matrix @ np.ascontiguousarray(w.T) + b)


def as_chunk(X: Any) -> Chunk:
    """Rows of any kind as a chunk."""
    if isinstance(X, Table | Matrix):
        return X
    home = type(X).__module__.partition(".")[0]
    if home == "polars":
        return Table(X.collect() if hasattr(X, "collect") else X, IN_MEMORY)
    if home == "pandas":
        return Table(_polars_frame(X), IN_MEMORY)
    if hasattr(X, "tocsr"):
        matrix = X.tocsr()
        rows = CSR(matrix.data, matrix.indices, matrix.indptr, int(matrix.shape[1]))
        return Matrix(rows, None, IN_MEMORY)
    return Matrix(_table(X), None, IN_MEMORY)


def _table(X: Any) -> Array:
    try:
        rows = np.asarray(X, None if isinstance(X, np.ndarray) else np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X must be a data frame or a table of numbers: {error}.") from error
    if rows.ndim != 2 or rows.dtype.kind not in "fiub":
        raise DataError(
            f"X must be a data frame or a table of numbers; got shape {rows.shape} of {rows.dtype}."
        )
    return rows


def _polars_frame(frame: Any) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 (slow to import)

    return pl.DataFrame([_polars_column(str(name), frame[name]) for name in frame.columns])


def _polars_column(name: str, column: Any) -> "pl.Series":
    """A pandas column as a polars column, whatever its marker of missing cells."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub":
        return pl.Series(name, column.to_numpy())
    missing = column.isna().to_numpy()
    cells = [None if gone else cell for cell, gone in zip(column.tolist(), missing, strict=True)]
    return pl.Series(name, cells, strict=False)
