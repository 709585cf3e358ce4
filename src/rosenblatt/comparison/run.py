"""Cross-validation of every rule with every feature map, and of the non-linear baselines.

Estimators of any kind that scikit-learn takes are run on the same folds. The baselines are nearest
neighbours and gradient boosting. They are trained on the same rows as linear rules, encoded and
scaled. They are slow: of many rows they are trained on a sample, and evaluated on one fold.
Thousands of sparse features are projected on their principal components.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from rosenblatt.comparison.result import NO_MAP, Result
from rosenblatt.csr import CSR, Rows, n_cols, rows_take
from rosenblatt.data.labels import check_same_kind, classes_of, labels_of
from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features.maps.spec import MapSpec, parse_map_specs
from rosenblatt.io.chunks import SelectedRows, Source
from rosenblatt.parallel import processors
from rosenblatt.pipeline.encoded_data import EncodedData, apply_map, encode, fit_maps
from rosenblatt.pipeline.fit import Progress, train_estimator
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import FittedPreprocessing, fit_preprocessing
from rosenblatt.registry import Rule
from rosenblatt.types import Array, Ints

Random = np.random.RandomState
PARAMETERS = {"n_jobs": -1}
MAX_PRODUCT_FEATURES = 50  # more have random products
MAX_DEFAULT_FEATURES = 4096  # beyond, no map is tried by default
MAX_MAPPED_ENTRIES = 1 << 27  # that a default map may make
SEPARATOR = "+"  # between maps that follow one another
BOOSTING = "gradient-boosting"
NEIGHBOURS = 11
MIN_SAMPLE_ROWS, MAX_SAMPLE_ROWS = 1_000, 20_000  # to train on, and the latter to evaluate on
MAX_BOOSTING_WORK = 1 << 22  # rows × features × outputs that boosting is trained on
MAX_SPARSE_FEATURES = 2000  # more are projected
N_COMPONENTS = 100


class SampleSize(NamedTuple):
    """How many rows of a fold a baseline is trained on, of how many."""

    n_train: int
    of: int

    @property
    def sampled(self) -> bool:
        """Whether it is trained on a sample, and evaluated on one fold only."""
        return self.n_train < self.of

    def note(self, n_evaluated: int) -> str:
        """Which sample was taken to save time, if any."""
        part = f"trained on {self.n_train:,} of {self.of:,} rows"
        return f"{part}, evaluated on {n_evaluated:,} rows of one fold" if self.sampled else ""


def sample_size(name: str, n_train: int, n_features: int, n_classes: int) -> SampleSize:
    """How many of the rows of a fold a baseline is trained on."""
    n_outputs = 1 if n_classes == 2 else n_classes
    work = max(1, min(n_features, MAX_SPARSE_FEATURES) * n_outputs)
    most = max(MIN_SAMPLE_ROWS, MAX_BOOSTING_WORK // work) if name == BOOSTING else MAX_SAMPLE_ROWS
    return SampleSize(min(n_train, most, MAX_SAMPLE_ROWS), n_train)


def evenly_spaced(n: int, wanted: int) -> Ints:
    """Evenly spaced row numbers."""
    return np.linspace(0, n - 1, min(n, wanted)).astype(np.int64)


class BaselineData(NamedTuple):
    """Dense training and test rows, and which of the fold's rows the latter are."""

    X: Any
    codes: Ints
    X_test: Any
    evaluated: Ints


def baseline_data(train: EncodedData, test: EncodedData, size: SampleSize) -> BaselineData:
    """The rows of a fold as the baselines take them."""
    chosen = evenly_spaced(len(train.codes), size.n_train)
    n_test = len(test.codes)
    evaluated = evenly_spaced(n_test, MAX_SAMPLE_ROWS if size.sampled else n_test)
    X, X_test = rows_take(train.rows, chosen), rows_take(test.rows, evaluated)
    if isinstance(X, CSR) and n_cols(X) > MAX_SPARSE_FEATURES:
        X, X_test = _principal_components(X, X_test)
    return BaselineData(_dense(X), train.codes[chosen].astype(np.int64), _dense(X_test), evaluated)


def fit_predict(name: str, rows: BaselineData) -> tuple[Ints, float]:
    """Predictions of a baseline, and its fit time in seconds."""
    with threadpool_limits(1, user_api="openmp"):  # threads wait for each other if busy
        start = perf_counter()
        model = NONLINEAR_BASELINES[name](len(rows.codes)).fit(rows.X, rows.codes)
        seconds = perf_counter() - start
        return np.asarray(model.predict(rows.X_test), np.int64), seconds


def _neighbours(n_rows: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier  # noqa: PLC0415 (slow to import)

    return KNeighborsClassifier(min(NEIGHBOURS, n_rows))


def _boosting(_: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 (slow to import)

    return HistGradientBoostingClassifier(random_state=0)


NONLINEAR_BASELINES: dict[str, Callable[[int], Any]] = {
    "nearest-neighbours": _neighbours,
    BOOSTING: _boosting,
}


def _principal_components(X: CSR, X_test: Rows) -> tuple[Any, Any]:
    """Principal components (not centred) of the features that occur at least twice."""
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415 (slow to import)

    often = np.flatnonzero(np.bincount(X.indices, minlength=X.n_cols) > 1)
    svd = TruncatedSVD(min(N_COMPONENTS, len(often)), random_state=0)
    return svd.fit_transform(matrix_of(X)[:, often]), svd.transform(matrix_of(X_test)[:, often])


def _dense(rows: Rows) -> Any:
    return matrix_of(rows).toarray() if isinstance(rows, CSR) else rows


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Rows, and the label or the value of each."""

    X: Any
    y: Array

    def __len__(self) -> int:
        """How many rows."""
        return len(self.y)

    def take(self, rows: Ints) -> "LabelledData":
        """Some of the rows, by number."""
        return LabelledData(_taken(self.X, rows), self.y[rows])


def labelled(X: Any, y: Any, estimator: Any) -> LabelledData:
    """Rows that can be indexed, with labels, or with the target values of a regressor."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    elif not hasattr(X, "shape"):
        X = np.asarray(X)
    n = int(X.shape[0])
    if not is_regressor(estimator):
        return LabelledData(X, labels_of(y, n))
    values = np.asarray(y, np.float64)
    if values.shape != (n,):
        raise DataError(
            f"y must hold one value for each of the {n} rows of X; got the shape {values.shape}."
        )
    return LabelledData(X, values)


def given_rows(test: Sequence[Any], estimator: Any, train: LabelledData) -> LabelledData:
    """Test rows that are given as (X, y)."""
    if len(test) != 2:
        raise ParameterError(f"test must be a share of the rows, or (X, y); got {len(test)} items.")
    given = labelled(test[0], test[1], estimator)
    if not is_regressor(estimator):
        check_same_kind(given.y, train.y)
    return given


def classes_in(y: Array) -> Array:
    """The classes of labels, two at least."""
    classes = classes_of(y)
    if len(classes) < 2:
        raise DataError(f"y must hold at least two classes; got one, {classes[0]!r}.")
    return classes


def generator_of(random_state: Any) -> Random:
    """The random generator of a seed."""
    try:
        return check_random_state(random_state)  # type: ignore[no-any-return]
    except ValueError as error:
        raise ParameterError(
            f"random_state must be an integer, a RandomState or None: {error}"
        ) from error


def fit_copy(estimator: Any, data: LabelledData) -> Any:
    """A clone of an estimator, fitted to rows."""
    return clone(estimator).fit(data.X, data.y)


def estimator_name(estimator: Any) -> str:
    """The name of an estimator; of a pipeline, those of its steps."""
    if isinstance(estimator, Pipeline):
        return " → ".join(estimator_name(step) for _, step in estimator.steps)
    return type(estimator).__name__


def thread_count(n_jobs: int | None) -> int:
    """The number of threads: 1 for None, all cores for numbers below 0."""
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else processors()


def _taken(X: Any, rows: Ints) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


class FeatureSpec(NamedTuple):
    """A feature map as it is written, and the specifications of its maps."""

    written: str
    map_specs: tuple[MapSpec, ...]


def feature_specs(
    features: Sequence[str] | None, n_rows: int, n_features: int
) -> tuple[FeatureSpec, ...]:
    """The original features, and the given maps, or the default ones."""
    wanted = _default(n_rows, n_features) if features is None else features
    return (FeatureSpec(NO_MAP, ()), *parse_feature_specs(wanted))


def parse_feature_specs(features: Sequence[str]) -> tuple[FeatureSpec, ...]:
    """The maps of these specs, each once."""
    names = [name for name in dict.fromkeys(features) if name != NO_MAP]
    return tuple(FeatureSpec(name, parse_map_specs(name.split(SEPARATOR))) for name in names)


def _default(n: int, d: int) -> list[str]:
    """Maps that suit so many features, unless they make too many numbers."""
    makes = {"random-products:1000": d + 1000} if d <= MAX_DEFAULT_FEATURES else {}
    if d <= MAX_PRODUCT_FEATURES:
        makes = {"products" if d > 1 else "poly:2": d * (d + 1) // 2, "radial": d + 1}
    return [name for name, width in makes.items() if n * width <= MAX_MAPPED_ENTRIES]


class FoldPredictions:
    """Predictions of one rule or baseline, filled fold by fold."""

    def __init__(self, rule: str, spec: str, n: int) -> None:
        self.rule, self.map = rule, spec
        self.predicted = np.full(n, -1, np.int64)
        self.seconds: list[float] = []
        self.n_weights: int | None = None
        self.note = ""

    def result(self, codes: Ints) -> Result:
        """The result against the true codes."""
        evaluated: Array = self.predicted >= 0
        correct: Array = self.predicted == codes
        seconds = tuple(self.seconds)
        return Result(self.rule, self.map, correct, evaluated, seconds, self.n_weights, self.note)


class CrossValidation:
    """Every rule after every feature map, and the baselines, fold by fold."""

    def __init__(
        self,
        source: Source,
        learned: FittedPreprocessing,
        choices: Choices,
        rules: Sequence[Rule],
        specs: Sequence[FeatureSpec],
        *,
        codes: Ints,
        folds: Ints,
    ) -> None:
        self.source, self.choices, self.rules, self.specs = source, choices, rules, specs
        self.codes, self.folds, self.n_folds = codes, folds, int(folds.max()) + 1
        self.classes, self.target = learned.classes, learned.transformer.target
        n = len(codes)
        self.linear = {
            (r, w.written): FoldPredictions(r, w.written, n) for w in specs for r in self.rules
        }
        self.baselines = {name: FoldPredictions(name, NO_MAP, n) for name in NONLINEAR_BASELINES}

    def results(self, progress: Progress) -> tuple[Result, ...]:
        """Predictions on all folds."""
        for fold in range(self.n_folds):
            self._run_fold(fold, _within(f"Fold {fold + 1} of {self.n_folds}", progress))
        linear = [*self.linear.values(), *self.baselines.values()]
        return tuple(run.result(self.codes) for run in linear)

    def _run_fold(self, fold: int, progress: Progress) -> None:
        """Train everything on the rows outside a fold, and predict those in it."""
        progress("fitting the preprocessing")
        train = SelectedRows(self.source, lambda rows: self.folds[rows] != fold)
        test = SelectedRows(self.source, lambda rows: self.folds[rows] == fold)
        transformer = fit_preprocessing(train, self.target, self.choices).transformer
        encoded_train, encoded_test = (
            encode(part, transformer, self.classes, transformer.transform) for part in (train, test)
        )
        places = np.flatnonzero(self.folds == fold)
        for spec in self.specs:
            mapped_train, prepared = fit_maps(encoded_train, transformer, spec.map_specs)
            mapped_test = encoded_test
            for step in prepared.maps:
                mapped_test = apply_map(mapped_test, step)
            for rule in self.rules:
                progress(f"{rule}, features: {spec.written}")
                self._fit_linear(
                    self.linear[rule, spec.written], rule, mapped_train, mapped_test, places
                )
        rows: dict[SampleSize, BaselineData] = {}
        for name, run in self.baselines.items():
            size = sample_size(
                name, len(encoded_train.codes), n_cols(encoded_train.rows), len(self.classes)
            )
            if fold == 0 or not size.sampled:
                progress(name)
                rows[size] = rows.get(size) or baseline_data(encoded_train, encoded_test, size)
                _fit_baseline(run, rows[size], size, places)

    def _fit_linear(
        self, run: FoldPredictions, rule: Rule, train: EncodedData, test: EncodedData, places: Ints
    ) -> None:
        start = perf_counter()
        model = train_estimator(rule, PARAMETERS, train, len(self.classes))
        run.seconds.append(perf_counter() - start)
        run.predicted[places] = model.predict(test.X)
        run.n_weights = int(model.coef_.size + np.size(model.intercept_))


def _fit_baseline(run: FoldPredictions, rows: BaselineData, size: SampleSize, places: Ints) -> None:
    predicted, seconds = fit_predict(run.rule, rows)
    run.seconds.append(seconds)
    run.predicted[places[rows.evaluated]] = predicted
    run.note = size.note(len(rows.evaluated))


def _within(stage: str, progress: Progress) -> Progress:
    return lambda what: progress(f"{stage}: {what}")
