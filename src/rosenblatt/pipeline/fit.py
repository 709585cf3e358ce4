"""The training pipeline: fit the preprocessing, encode, map, prove, train, evaluate.

The model is trained on all rows. Its accuracy is estimated by cross-validation for up to
MAX_CV_ROWS rows, beyond by a model trained on all but a 20 % hold-out. Evaluation rows are never
used for training or preprocessing. Only where the rows do not fit into memory, the model of the
hold-out is the model.

The default rule, auto, is maximum a posteriori logistic regression. C is the prior variance of the
weights, which does not depend on how many rows there are. So where cross-validation on all rows
would take long, C is chosen by a hold-out of a sample.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, n_cols, n_rows, rows_take
from rosenblatt.data.training_data import entries_in
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.features.maps.spec import MapSpec
from rosenblatt.io.chunks import (
    BackgroundTaskSource,
    CachedSource,
    ProgressSource,
    SelectedRows,
    Source,
)
from rosenblatt.model_selection.choose_c import SAMPLE_CS, best_on_path
from rosenblatt.model_selection.split import folds_of, held_out, kept
from rosenblatt.pipeline.encoded_data import (
    EncodedData,
    GrowableArray,
    choices_for,
    encode,
    fit_maps,
)
from rosenblatt.pipeline.evaluate import TEST_SET, Evaluation, decision_values, predict_rows
from rosenblatt.pipeline.question import LEFT_OUT_SECONDS, EncodingPlan, Question, prove_in_time
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import FittedPreprocessing, fit_preprocessing, resolve_choices
from rosenblatt.preprocess.target import encode_labels
from rosenblatt.registry import Rule
from rosenblatt.separation.proof.verdict import Proof
from rosenblatt.text import listed
from rosenblatt.types import Floats, Ints

MAX_CV_ROWS = 3_000  # more are evaluated by a hold-out
MAX_TEN_FOLD_ROWS = 1_000  # more have five folds
MIN_CLASS_ROWS = 3  # of the rarest class, to evaluate
HOLD_OUT = "20 % hold-out"  # a method of evaluation
NOT_EVALUATED = "No rows were set aside for an evaluation."


Progress = Callable[[str], None]

# parameters that only make sense in Python, or do nothing
PYTHON_ONLY = {
    "average",
    "dual",
    "intercept_scaling",
    "n_components",
    "priors",
    "store_covariance",
    "verbose",
    "warm_start",
}
MAX_CV_ENTRIES = 1 << 17  # entries or features, times outputs: cross-validation on all rows is fast
MAX_SAMPLE_ENTRIES = 1 << 25  # entries times outputs of a sample
MAX_SAMPLE_ROWS = 20_000
MAX_MULTINOMIAL_FEATURES = 4096  # sparse; beyond, one-vs-rest is as accurate and much faster
TOL = 1e-4  # duality gap of the fit: a smaller one does not improve accuracy
PATH_TOL = 1e-3  # duality gap of fits that only select C
DEFAULT_C = 1.0  # where no row of some class can be held out


def estimator_of(rule: Rule, settings: Mapping[str, Any]) -> Any:
    """An estimator with its settings; one that the rule does not have is refused."""
    import rosenblatt  # noqa: PLC0415 (late: estimators are slow to import)

    model = getattr(rosenblatt, rule.estimator)()
    known = set(model.get_params())
    if "max_iter" not in known:
        settings = _without_time_limit(settings)
    for name in settings:
        if name not in known:
            has = listed(_flag(parameter) for parameter in sorted(known - PYTHON_ONLY))
            raise ParameterError(f"--rule {rule} has no option {_flag(name)}; it has {has}.")
    return model.set_params(**settings)


def train_estimator(
    rule: Rule,
    settings: Mapping[str, Any],
    encoded: EncodedData,
    n_classes: int,
    progress: Progress = lambda _: None,
    initial_weights: Mapping[str, Any] | None = None,
) -> Any:
    """An estimator fitted to the rows; the settings of the default rule are chosen from them.

    `initial_weights` are those arguments of `fit`.
    """
    if rule is Rule.AUTO:
        progress("Selecting C")
        settings = auto_settings(encoded, n_classes, settings)
    progress("Training")
    return estimator_of(rule, settings).fit(encoded.X, encoded.codes, **(initial_weights or {}))


def check_initial_weights(rule: Rule, given: Mapping[str, Any]) -> None:
    """Refuse initial weights for a rule that takes none."""
    if not given:
        return
    name = _flag(next(iter(given)))
    if rule is Rule.AUTO:
        raise ParameterError(
            f"{name} needs a rule by name, such as --rule perceptron: auto selects C along a path"
            " with its own initial weights."
        )
    if "coef_init" not in inspect.signature(estimator_of(rule, {}).fit).parameters:
        raise ParameterError(
            f"--rule {rule} has no option {name}: it solves for its weights in one step."
        )


def auto_settings(
    encoded: EncodedData, n_classes: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings of the default rule: tol, multi_class and C, where they are not given."""
    sparse = isinstance(encoded.rows, CSR)
    wide = sparse and n_cols(encoded.rows) > MAX_MULTINOMIAL_FEATURES
    one_vs_rest = {"multi_class": "ovr"} if wide and n_classes > 2 else {}
    chosen = {"tol": TOL, **one_vs_rest, **settings}
    if "C" not in chosen:
        chosen["C"] = choose_C(encoded, n_classes, chosen)
    return chosen


def choose_C(encoded: EncodedData, n_classes: int, settings: Mapping[str, Any]) -> Any:  # noqa: N802
    """The C to fit with: "cv" for few rows, else the best on a hold-out of a sample."""
    n_outputs = 1 if n_classes == 2 else n_classes
    if np.bincount(encoded.codes, minlength=n_classes).min() < 2:
        return DEFAULT_C
    work = max(entries_in(encoded.rows), 1) * n_outputs
    if max(work, n_cols(encoded.rows) * n_outputs) <= MAX_CV_ENTRIES:
        return "cv"
    n = n_rows(encoded.rows)
    sample_size = int(min(n, MAX_SAMPLE_ROWS, MAX_SAMPLE_ENTRIES * n / work))
    sample = np.linspace(0, n - 1, sample_size).astype(np.int64)
    left_out = held_out(1)(sample)
    train, test = _part(encoded, sample[~left_out]), _part(encoded, sample[left_out])
    if len(np.unique(train.codes)) < n_classes:
        return DEFAULT_C
    return best_on_path(_hold_out_loss(train, test, settings), SAMPLE_CS, DEFAULT_C)


def _hold_out_loss(
    train: EncodedData, test: EncodedData, settings: Mapping[str, Any]
) -> Callable[[float], float]:
    """The log loss on test rows as a function of C; each fit starts from the one before."""
    model = estimator_of(
        Rule.LOGISTIC_REGRESSION, {**settings, "tol": PATH_TOL, "warm_start": True}
    )

    def log_loss(C: float) -> float:
        p = model.set_params(C=C).fit(train.X, train.codes).predict_proba(test.X)
        return -float(np.log(np.maximum(p[np.arange(len(test.codes)), test.codes], 1e-300)).mean())

    return log_loss


def _part(encoded: EncodedData, rows: Ints) -> EncodedData:
    return EncodedData(rows_take(encoded.rows, rows), encoded.codes[rows], on_disk=False)


def _without_time_limit(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a closed form, which reads the rows once and cannot stop early."""
    parameters.number("time_limit", settings.get("time_limit"), above=0, optional=True)
    return {name: value for name, value in settings.items() if name != "time_limit"}


def _flag(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"


@dataclass(frozen=True)
class Plan:
    """What to train and how to evaluate it."""

    rule: Rule = Rule.AUTO
    settings: Mapping[str, Any] = field(default_factory=dict)
    initial_weights: Mapping[str, Any] = field(default_factory=dict)  # arguments of `fit`
    target: str | None = None
    choices: Choices = field(default_factory=Choices)
    test: Source | None = None
    evaluate: bool = True
    seed: int = 0
    proof_seconds: float = 5.0
    features: tuple[MapSpec, ...] = ()


class FitResult(NamedTuple):
    """A model, its fitted preprocessing, and what is known about it.

    Without an `evaluation`, `advice` says why there is none. `proof` is about the rows as they were
    read, `proof_of_features` about the mapped features; `question` and `question_of_features` are
    what these answer. `encoded` are the rows that the estimator was trained on.
    """

    estimator: Any
    learned: FittedPreprocessing
    evaluation: Evaluation | None
    advice: str
    training_accuracy: float
    proof: Proof | None
    proof_of_features: Proof | None
    on_disk: bool
    encoded: EncodedData | None = None
    question: Question | None = None
    question_of_features: Question | None = None
    initial_weights: Mapping[str, Any] | None = None


def run(source: Source, plan: Plan, progress: Progress) -> FitResult:
    """The result of a plan on a source; `progress` is called with each stage."""
    check_initial_weights(plan.rule, plan.initial_weights)
    plan = replace(plan, choices=choices_for(plan.features, plan.choices))
    source = ProgressSource(source, lambda rows: progress(f"Reading, {rows:,} rows so far"))
    # imports scikit-learn meanwhile, which takes as long as reading
    source = CachedSource(BackgroundTaskSource(source, partial(estimator_of, plan.rule, {})))
    if plan.test is not None:
        return _evaluated(_fit_all(source, plan, progress), plan.test, TEST_SET, progress)
    if not plan.evaluate:
        return _fit_all(source, plan, progress)
    if count_rows_up_to(source, MAX_CV_ROWS) <= MAX_CV_ROWS:
        return _fit_and_cross_validate(source, plan, progress)
    return _fit_and_hold_out(source, plan, progress)


def _fit_and_hold_out(source: Source, plan: Plan, progress: Progress) -> FitResult:
    """The model of every row, evaluated by one that was trained without a 20 % hold-out."""
    chosen = held_out(plan.seed)
    part = replace(plan, proof_seconds=0.0)
    first = _fit_all(SelectedRows(source, kept(chosen)), part, progress)
    first = _evaluated(first, SelectedRows(source, chosen), HOLD_OUT, progress)
    if first.on_disk:
        return first
    if plan.rule is Rule.AUTO:  # C is the same for more rows
        plan = replace(plan, settings={**plan.settings, "C": first.estimator.C_})
    evaluation = first.evaluation
    del first  # frees its rows
    return _fit_all(source, plan, progress)._replace(evaluation=evaluation)


def _fit_all(source: Source, plan: Plan, progress: Progress) -> FitResult:
    """The model of every row of a source, and the verdict on separability; no evaluation."""
    learned = fit_preprocessing(source, plan.target, plan.choices)
    progress("Encoding the rows")
    raw = learned.transformer.encode
    encoded = encode(source, learned.transformer, learned.classes, raw, learned.n_rows)
    proof = prove_in_time(encoded, learned.classes, plan.proof_seconds, progress)
    question = _question(source, learned, plan, proof, str(encoded.X.dtype))
    encoded = _scaled(encoded, source, learned, progress)
    proof_of_features = None
    if plan.features:
        progress("Making features")
        encoded, transformer = fit_maps(encoded, learned.transformer, plan.features)
        learned = learned._replace(transformer=transformer)
        proof_of_features = prove_in_time(encoded, learned.classes, plan.proof_seconds, progress)
    n_classes = len(learned.classes)
    estimator = train_estimator(
        plan.rule, plan.settings, encoded, n_classes, progress, plan.initial_weights
    )
    training_accuracy = float(np.mean(estimator.predict(encoded.X) == encoded.codes))
    of_features = question._replace(
        transformer=learned.transformer, precision=str(encoded.X.dtype), with_left_out=None
    )
    return FitResult(
        estimator=estimator,
        learned=learned,
        evaluation=None,
        advice=NOT_EVALUATED,
        training_accuracy=training_accuracy,
        proof=proof,
        proof_of_features=proof_of_features,
        on_disk=encoded.on_disk,
        encoded=encoded,
        question=question,
        question_of_features=of_features,
        initial_weights=plan.initial_weights,
    )


def _question(
    source: Source,
    learned: FittedPreprocessing,
    plan: Plan,
    proof: Proof | None,
    precision: str,
) -> Question:
    """The question that the verdict on rows as they were read answers."""
    asked = EncodingPlan(source, plan.target, plan.choices)
    left_out = asked.left_out(learned)
    transformer = learned.transformer.without_scaling()
    question = Question(transformer, learned, left_out, fit_intercept=True, precision=precision)
    if proof is None:
        return question
    seconds = min(plan.proof_seconds, LEFT_OUT_SECONDS)
    again = asked.verdict_with_left_out(learned, proof, seconds, fit_intercept=True)
    return question._replace(with_left_out=again)


def _fit_and_cross_validate(source: Source, plan: Plan, progress: Progress) -> FitResult:
    """The model of every row, evaluated by models of all folds but one."""
    fitted = _fit_all(source, plan, progress)
    learned = fitted.learned
    fewest = min(learned.counts.values())
    if fewest < MIN_CLASS_ROWS:
        rare = min(learned.classes, key=lambda label: learned.counts[label])
        advice = (
            f"Not evaluated: cross-validation needs {MIN_CLASS_ROWS} rows of each class, and the"
            f" class {rare!r} has {fewest}."
        )
        return fitted._replace(advice=advice)
    codes = np.concatenate(
        [encode_labels(chunk, learned.transformer.target, learned.classes) for chunk in source]
    )
    n_folds = min(10 if learned.n_rows <= MAX_TEN_FOLD_ROWS else 5, fewest)
    folds, n_classes = folds_of(codes, n_folds, plan.seed), len(learned.classes)
    plan = replace(plan, choices=resolve_choices(plan.choices, learned))
    predicted = np.empty_like(codes)
    probabilities = np.full((len(codes), n_classes), np.nan)
    for fold in range(n_folds):
        progress(f"Evaluating, fold {fold + 1} of {n_folds}")
        codes_of_fold, p = _predict_fold(source, folds, fold, learned, plan)
        predicted[folds == fold] = codes_of_fold
        if p is not None:
            probabilities[folds == fold] = p
    evaluation = Evaluation(
        true=codes,
        predicted=predicted,
        n_classes=n_classes,
        method=f"{n_folds}-fold CV",
        probabilities=None if np.isnan(probabilities).any() else probabilities,
    )
    return fitted._replace(evaluation=evaluation)


def _predict_fold(
    source: Source, folds: Ints, fold: int, learned: FittedPreprocessing, plan: Plan
) -> tuple[Ints, Floats | None]:
    """Predictions for the rows of a fold by a pipeline that is fitted to the others alone."""
    train = SelectedRows(source, lambda rows: folds[rows] != fold)
    test = SelectedRows(source, lambda rows: folds[rows] == fold)
    others = fit_preprocessing(train, learned.transformer.target, plan.choices)
    encoded = encode(train, others.transformer, learned.classes, others.transformer.transform)
    encoded, prepared = fit_maps(encoded, others.transformer, plan.features)
    n_classes = len(learned.classes)
    estimator = train_estimator(
        plan.rule, plan.settings, encoded, n_classes, initial_weights=plan.initial_weights
    )
    rows = encode(test, prepared, learned.classes, prepared.transform)
    return predict_rows(estimator, rows.X)


def _scaled(
    encoded: EncodedData, source: Source, learned: FittedPreprocessing, progress: Progress
) -> EncodedData:
    """The rows scaled in place; rows with text are encoded again, weighted by tf-idf."""
    transformer = learned.transformer
    if transformer.has_text:
        return encode(source, transformer, learned.classes, transformer.transform)
    if transformer.scaling is not None:
        progress("Scaling the rows")
        transformer.scaling.apply(encoded.rows)
    return encoded


def _evaluated(fitted: FitResult, test: Source, method: str, progress: Progress) -> FitResult:
    """The result, evaluated on the rows of a source, chunk by chunk."""
    progress("Evaluating on test rows")
    transformer, classes = fitted.learned.transformer, fitted.learned.classes
    true, predicted = [], []
    scores, probabilities = GrowableArray(), GrowableArray()  # in a file where they are many
    for chunk in test:
        one = encode([chunk], transformer, classes, transformer.transform)
        codes_of_fold, p = predict_rows(fitted.estimator, one.X)
        true.append(one.codes)
        predicted.append(codes_of_fold)
        if p is None:
            scores.add(decision_values(fitted.estimator, one.X))
        else:
            probabilities.add(p)
    n = sum(map(len, true))
    evaluation = Evaluation(
        true=np.concatenate(true),
        predicted=np.concatenate(predicted),
        n_classes=len(classes),
        method=method,
        scores=scores.array().reshape(n, -1) if scores.size else None,
        probabilities=probabilities.array().reshape(n, -1) if probabilities.size else None,
    )
    return fitted._replace(evaluation=evaluation)


def count_rows_up_to(source: Source, most: int) -> int:
    """The number of rows of a source, counted no further than to see that it is above `most`."""
    rows = 0
    for chunk in source:
        rows += len(chunk)
        if rows > most:
            break
    return rows
