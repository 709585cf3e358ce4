"""The training pipeline: fit the preprocessing, encode, map, prove, train, evaluate.

The model is trained on all rows. Its accuracy is estimated by cross-validation for up to
MAX_CV_ROWS rows, beyond by a model trained on all but a 20 % hold-out. Evaluation rows are never
used for training or preprocessing. Only where the rows do not fit into memory, the model of the
hold-out is the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.features.maps.spec import MapSpec
from rosenblatt.io.chunks import Source
from rosenblatt.io.wrappers import BackgroundTaskSource, CachedSource, ProgressSource, SelectedRows
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
from rosenblatt.pipeline.train import Progress, estimator_of, train_estimator
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import FittedPreprocessing, fit_preprocessing, resolve_choices
from rosenblatt.preprocess.target import encode_labels
from rosenblatt.registry import Rule
from rosenblatt.separation.proof.verdict import Proof
from rosenblatt.types import Floats, Ints

MAX_CV_ROWS = 3_000  # more are evaluated by a hold-out
MAX_TEN_FOLD_ROWS = 1_000  # more have five folds
MIN_CLASS_ROWS = 3  # of the rarest class, to evaluate
HOLD_OUT = "20 % hold-out"  # a method of evaluation
NOT_EVALUATED = "No rows were set aside for an evaluation."


@dataclass(frozen=True)
class Plan:
    """What to train and how to evaluate it."""

    rule: Rule = Rule.AUTO
    settings: Mapping[str, Any] = field(default_factory=dict)
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


def run(source: Source, plan: Plan, progress: Progress) -> FitResult:
    """The result of a plan on a source; `progress` is called with each stage."""
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
    estimator = train_estimator(plan.rule, plan.settings, encoded, n_classes, progress)
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
            f"Not evaluated: the class {rare!r} has {fewest} of the"
            f" {MIN_CLASS_ROWS} rows that cross-validation needs."
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
    estimator = train_estimator(plan.rule, plan.settings, encoded, len(learned.classes))
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
