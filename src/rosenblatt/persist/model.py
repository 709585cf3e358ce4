"""A model as the command line fits and uses it: columns in, classes out.

It holds what turns a chunk of a source into rows of features, and the weights. It decides with
numpy alone: neither a compiler nor scikit-learn is loaded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.errors import ModelError, SourceError
from rosenblatt.io.chunks import Chunk
from rosenblatt.losses.link import LOGISTIC, ONE_VS_REST, SOFTMAX, predicted_codes, probabilities
from rosenblatt.persist.estimator_state import Kept, kept_of, relabelled
from rosenblatt.preprocess.column_encoders import Number
from rosenblatt.preprocess.transformer import Preparation
from rosenblatt.types import Array, Floats

if TYPE_CHECKING:
    import polars as pl

KINDS = {"str": str, "int": int, "float": float, "bool": bool}  # of labels
HERE = Place("X")


@dataclass(frozen=True, eq=False)
class Model:
    """A linear classifier of tables, chunk by chunk or frame by frame.

    Parameters
    ----------
    preparation : Preparation
        What turns columns into features.
    classes : ndarray of shape (n_classes,)
        Labels; for two classes the second is the positive one.
    link : {"logistic", "softmax", "one-vs-rest"} or None
        How scores become probabilities; None where they do not.
    kept : Kept
        The estimator behind it, as plain data; `estimator()` makes it anew.
    summary : dict
        What was told about the training: plain data of the caller's choice.
    fingerprint : str or None
        SHA-256 of the training data, where it was taken.
    """

    preparation: Preparation
    classes: Array
    link: str | None
    kept: Kept
    summary: dict[str, Any] = field(default_factory=dict)
    fingerprint: str | None = None

    @property
    def rule(self) -> str:
        """Name of the rule that found the weights."""
        return self.kept.rule

    @property
    def W(self) -> Floats:  # noqa: N802 (a matrix)
        """Weights (w, b), a row a unit: one for two classes, else one a class."""
        return np.asarray(self.kept.W)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Name of each feature, in the order of the weights."""
        return self.preparation.feature_names

    def scores(self, chunk: Chunk) -> Floats:
        """Scores w·x + b of the rows of a chunk, a column a unit."""
        rows = self.preparation.rows(chunk)
        scores = linear_scores(rows, self.W)
        if not np.isfinite(scores).all():
            raise self._not_finite(chunk, rows, scores)
        return scores

    def codes(self, scores: Floats) -> Array:
        """Place of the class that each row of scores decides for."""
        return predicted_codes(scores, len(self.classes), zero_is_first=self.link is not None)

    def probabilities_at(self, scores: Floats) -> Floats:
        """Probability of each class at some scores, a column a class."""
        if self.link is None:
            raise ModelError(f"The rule {self.rule} gives scores, but no probabilities.")
        return probabilities(self.link, scores)

    def decision_function(self, X: Any) -> Floats:
        """Score of each row: one number a row for two classes, else one a class.

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
        scores = self.scores(chunk_of(X))
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
        labels: Array = self.classes[self.codes(self.scores(chunk_of(X)))]
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
        return self.probabilities_at(self.scores(chunk_of(X)))

    def probabilities(self, chunk: Chunk) -> Floats:
        """Probability of each class for the rows of a chunk: `predict_proba`."""
        return self.predict_proba(chunk)

    def estimator(self, *, labels: bool = False) -> Any:
        """The estimator behind the model, as it was fitted to rows of features.

        With `labels` it decides for `classes`, not for their codes.
        """
        from rosenblatt.persist.estimator_state import estimator_of  # noqa: PLC0415 (slow to import)

        kept = relabelled(self.kept, self.classes) if labels else self.kept
        try:
            return estimator_of(kept)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ModelError(
                f"The estimator behind the model does not hold together: {error}. Fit the model"
                " anew."
            ) from error

    def _not_finite(self, chunk: Chunk, rows: Rows, scores: Floats) -> SourceError:
        """Tell which cell a score that is no number comes from."""
        row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
        if isinstance(rows, CSR):
            entries = slice(rows.indptr[row], rows.indptr[row + 1])
            values, places = rows.data[entries], rows.indices[entries]
        else:
            values, places = rows[row], np.arange(rows.shape[1])
        bad = places[~np.isfinite(values)]
        where = chunk.place.at(row)
        if not len(bad):
            return SourceError(f"{where}: its numbers are so large that no score can be told.")
        name = self.feature_names[int(bad[0])]
        return SourceError(
            f"{where}, column {name!r}: the cell is missing, not finite or too large to be"
            " scaled, and the model knows nothing to put in its place. Mend it first."
        )


def fitted(
    estimator: Any,
    preparation: Preparation | None = None,
    summary: dict[str, Any] | None = None,
    *,
    classes: Sequence[Any] | Array | None = None,
    fingerprint: str | None = None,
) -> Model:
    """A model out of an estimator fitted to rows that were so prepared.

    `classes` are the labels that the estimator's own stand for, by default these themselves.
    Without a preparation, rows come as they are, or by the names the estimator has learned.
    """
    kept = kept_of(estimator)
    labels = np.asarray(vars(estimator).get("classes_", []) if classes is None else classes)
    if kept.W is None:
        raise ModelError(
            f"A {kept.rule} is no linear classifier of rows: save and load the estimator itself."
        )
    n_features, n_units = kept.W.shape[1] - 1, len(kept.W)
    if preparation is None:
        preparation = unprepared(n_features, vars(estimator).get("feature_names_in_"))
    if preparation.n_features != n_features or len(labels) != len(estimator.classes_):
        raise ModelError(
            f"An estimator of {n_features:,} features and {len(estimator.classes_)} classes does"
            f" not go with {preparation.n_features:,} features and {len(labels)} classes."
        )
    link = link_of(kept, n_units)
    return Model(preparation, labels, link, kept, dict(summary or {}), fingerprint)


def as_model(model: Any) -> Model:
    """A model, or an estimator as one."""
    return model if isinstance(model, Model) else fitted(model)


def link_of(kept: Kept, n_units: int) -> str | None:
    """How the scores of a rule become probabilities."""
    single = n_units == 1
    if kept.rule == "linear-discriminant":
        return LOGISTIC if single else SOFTMAX
    if kept.rule == "logistic-regression":
        asked = kept.parameters["multi_class"] == "ovr"  # older files say nothing else
        several = ONE_VS_REST if kept.state.get("_one_vs_rest", asked) else SOFTMAX
        return LOGISTIC if single else several
    soft = kept.rule == "tanh-perceptron" and kept.parameters["activation"] == "logistic"
    return LOGISTIC if single and soft else None


def unprepared(n_features: int, names: Array | None) -> Preparation:
    """Rows as they come: a matrix, or columns of numbers with names."""
    if names is None:
        return Preparation((), n_features, sparse=False)
    columns = tuple(Number(str(name), np.nan, indicator=False) for name in names)
    return Preparation(columns, n_features, sparse=False)


def linear_scores(rows: Rows, W: Floats) -> Floats:
    """Scores of rows, a column a unit."""
    w, b = W[:, :-1], W[:, -1]
    with np.errstate(over="ignore", invalid="ignore"):
        if not isinstance(rows, CSR):
            return np.asarray(rows @ w.T + b)
        from scipy import sparse  # noqa: PLC0415 (slow to import, and dense rows do without)

        parts = (rows.data, rows.indices, rows.indptr)
        matrix = sparse.csr_array(parts, shape=(len(rows.indptr) - 1, rows.n_cols))
        return np.asarray(matrix @ np.ascontiguousarray(w.T) + b)


def chunk_of(X: Any) -> Chunk:
    """Rows of any kind as a chunk."""
    if isinstance(X, Table | Matrix):
        return X
    home = type(X).__module__.partition(".")[0]
    if home == "polars":
        return Table(X.collect() if hasattr(X, "collect") else X, HERE)
    if home == "pandas":
        return Table(_polars_frame(X), HERE)
    if hasattr(X, "tocsr"):
        matrix = X.tocsr()
        rows = CSR(matrix.data, matrix.indices, matrix.indptr, int(matrix.shape[1]))
        return Matrix(rows, None, HERE)
    return Matrix(_table(X), None, HERE)


def _table(X: Any) -> Array:
    try:
        rows = np.asarray(X, None if isinstance(X, np.ndarray) else np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X must be a frame, or a table of numbers: {error}.") from error
    if rows.ndim != 2 or rows.dtype.kind not in "fiub":
        raise DataError(
            f"X must be a frame, or a table of numbers; got shape {rows.shape} of {rows.dtype}."
        )
    return rows


def _polars_frame(frame: Any) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 (slow to import)

    return pl.DataFrame([_polars_column(str(name), frame[name]) for name in frame.columns])


def _polars_column(name: str, column: Any) -> "pl.Series":
    """A column of pandas, whatever it has for a missing cell."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub":
        return pl.Series(name, column.to_numpy())
    missing = column.isna().to_numpy()
    cells = [None if gone else cell for cell, gone in zip(column.tolist(), missing, strict=True)]
    return pl.Series(name, cells, strict=False)
