"""Fit a rule to a source: learn the preparation, build the rows, map, judge, prove, train.

The model learns from all rows. It is judged by others like it: up to SMALL rows by those of a
cross-validation, beyond by one that learned from all but a fifth of the rows. No row that judges
has been seen by the model that it judges, nor by the preparation before it. Only where the rows do
not fit into memory, the model that was judged is the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.evidence.proof.verdict import Proof
from rosenblatt.fitting.assessing import Estimate, decisions, estimated
from rosenblatt.fitting.building import Built, build
from rosenblatt.fitting.mapping import choices_for, mapped
from rosenblatt.fitting.proving import proved
from rosenblatt.fitting.question import LEFT_OUT_SECONDS, Asked, Question
from rosenblatt.fitting.rules import Rule, estimator_of
from rosenblatt.fitting.splitting import folds_of, held_out, kept
from rosenblatt.fitting.training import Listen, trained
from rosenblatt.maps.recipes import Recipe
from rosenblatt.sources.chunks import Source
from rosenblatt.sources.selecting import Accompanied, Remembered, Selected, Watched
from rosenblatt.tables.kinds import Choices
from rosenblatt.tables.learning import Learned, learn, settled
from rosenblatt.tables.targets import coded

SMALL = 3_000  # rows: cross-validation is quick, and held-out rows would be missed
MANY_FOLDS, FEW_FOLDS = 10, 5
FEW_ROWS = 1_000  # up to so many, there are many folds
TOO_FEW = 3  # rows of a class, below which nothing honest can be said


@dataclass(frozen=True)
class Plan:
    """What is asked for."""

    rule: Rule = Rule.AUTO
    settings: Mapping[str, Any] = field(default_factory=dict)
    target: str | None = None
    choices: Choices = field(default_factory=Choices)
    test: Source | None = None
    judge: bool = True
    seed: int = 0
    proof_seconds: float = 5.0
    features: tuple[Recipe, ...] = ()


class Fitted(NamedTuple):
    """A model, what was learned before it, and what is known about it.

    Without an `estimate`, `advice` says why there is none. `proof` is about the rows as they were
    read, `proof_of_features` about what the feature maps made of them; `question` and
    `question_of_features` are what these answer. `built` are the rows as the estimator has learned
    them.
    """

    estimator: Any
    learned: Learned
    estimate: Estimate | None
    advice: str
    training: Estimate
    proof: Proof | None
    proof_of_features: Proof | None
    on_disk: bool
    built: Built | None = None
    question: Question | None = None
    question_of_features: Question | None = None


def carry_out(source: Source, plan: Plan, listen: Listen) -> Fitted:
    """Carry out a plan on a source; what is being done is told to `listen`."""
    plan = replace(plan, choices=choices_for(plan.features, plan.choices))
    source = Watched(source, lambda rows: listen(f"Reading, {rows:,} rows so far"))
    # which imports scikit-learn, and takes as long as reading
    source = Remembered(Accompanied(source, partial(estimator_of, plan.rule, {})))
    if plan.test is not None:
        return _judged(_fit_all(source, plan, listen), plan.test, "the test source", listen)
    if not plan.judge:
        return _fit_all(source, plan, listen)
    if n_rows_up_to(source, SMALL) <= SMALL:
        return _cross_validated(source, plan, listen)
    return _held_out(source, plan, listen)


def _held_out(source: Source, plan: Plan, listen: Listen) -> Fitted:
    """Learn from every row, and judge by a model that did not learn from a fifth of them."""
    chosen = held_out(plan.seed)
    part = replace(plan, proof_seconds=0.0)
    first = _fit_all(Selected(source, kept(chosen)), part, listen)
    first = _judged(first, Selected(source, chosen), "a fifth of them, held out", listen)
    if first.on_disk:
        return first
    if plan.rule is Rule.AUTO:  # C is the same for more rows
        plan = replace(plan, settings={**plan.settings, "C": first.estimator.C_})
    estimate = first.estimate
    del first  # its rows are needed no more
    return _fit_all(source, plan, listen)._replace(estimate=estimate)


def _fit_all(source: Source, plan: Plan, listen: Listen) -> Fitted:
    """Learn from every row of a source."""
    learned = learn(source, plan.target, plan.choices)
    listen("Building the rows")
    raw = learned.preparation.raw
    built = build(source, learned.preparation, learned.classes, raw, learned.n_rows)
    proof = proved(built, learned.classes, plan.proof_seconds, listen)
    question = _question(source, learned, plan, proof)
    built = _scaled(built, source, learned, listen)
    proof_of_features = None
    if plan.features:
        listen("Making features")
        built, preparation = mapped(built, learned.preparation, plan.features)
        learned = learned._replace(preparation=preparation)
        proof_of_features = proved(built, learned.classes, plan.proof_seconds, listen)
    n_classes = len(learned.classes)
    estimator = trained(plan.rule, plan.settings, built, n_classes, listen)
    training = estimated(built.codes, estimator.predict(built.X), n_classes, "the training rows")
    advice = "No rows were set apart to judge it."
    proofs = (proof, proof_of_features)
    of_features = Question(
        learned.preparation, learned.counts, question.left_out, fit_intercept=True
    )
    told = (question, of_features)
    return Fitted(estimator, learned, None, advice, training, *proofs, built.on_disk, built, *told)


def _question(source: Source, learned: Learned, plan: Plan, proof: Proof | None) -> Question:
    """The question of the verdict on rows as they were read."""
    asked = Asked(source, plan.target, plan.choices)
    left_out = asked.left_out(learned)
    question = Question(learned.preparation.exact(), learned.counts, left_out, fit_intercept=True)
    if proof is None:
        return question
    seconds = min(plan.proof_seconds, LEFT_OUT_SECONDS)
    again = asked.answer_with_left_out(learned, proof, seconds, fit_intercept=True)
    return question._replace(with_left_out=again)


def _cross_validated(source: Source, plan: Plan, listen: Listen) -> Fitted:
    """Learn from every row, and judge by models that learned from all folds but one."""
    fitted = _fit_all(source, plan, listen)
    learned = fitted.learned
    fewest = min(learned.counts.values())
    if fewest < TOO_FEW:
        rare = min(learned.classes, key=lambda label: learned.counts[label])
        advice = (
            f"Too few rows for an honest estimate: the class {rare!r} has {fewest}, and needs at"
            f" least {TOO_FEW}."
        )
        return fitted._replace(advice=advice)
    codes = np.concatenate(
        [coded(chunk, learned.preparation.target, learned.classes) for chunk in source]
    )
    wanted = MANY_FOLDS if learned.n_rows <= FEW_ROWS else FEW_FOLDS
    n_folds = min(wanted, fewest)
    folds = folds_of(codes, n_folds, plan.seed)
    plan = replace(plan, choices=settled(plan.choices, learned))
    decided, said = np.empty_like(codes), np.full(len(codes), np.nan)
    for fold in range(n_folds):
        listen(f"Judging, fold {fold + 1} of {n_folds}")
        own, sure = _decided_in_fold(source, folds, fold, learned, plan)
        decided[folds == fold], said[folds == fold] = own, np.nan if sure is None else sure
    method = f"{n_folds}-fold cross-validation"
    known = None if np.isnan(said).any() else said
    estimate = estimated(codes, decided, len(learned.classes), method, known)
    return fitted._replace(estimate=estimate)


def _decided_in_fold(
    source: Source, folds: Ints, fold: int, learned: Learned, plan: Plan
) -> tuple[Ints, Floats | None]:
    """Decisions on the rows of a fold by a model of the others, all numbers learned anew."""
    train = Selected(source, lambda rows: folds[rows] != fold)
    test = Selected(source, lambda rows: folds[rows] == fold)
    others = learn(train, learned.preparation.target, plan.choices)
    built = build(train, others.preparation, learned.classes, others.preparation.rows)
    built, prepared = mapped(built, others.preparation, plan.features)
    estimator = trained(plan.rule, plan.settings, built, len(learned.classes))
    rows = build(test, prepared, learned.classes, prepared.rows)
    return decisions(estimator, rows.X)


def _scaled(built: Built, source: Source, learned: Learned, listen: Listen) -> Built:
    """The rows scaled where they stand; words are weighted, for which rows are built anew."""
    preparation = learned.preparation
    if preparation.has_text:
        return build(source, preparation, learned.classes, preparation.rows)
    if preparation.scaling is not None:
        listen("Scaling the rows")
        preparation.scaling.apply(built.rows)
    return built


def _judged(fitted: Fitted, test: Source, method: str, listen: Listen) -> Fitted:
    """Judge by test rows, chunk by chunk."""
    listen("Judging by test rows")
    preparation, classes = fitted.learned.preparation, fitted.learned.classes
    true, decided, said = [], [], []
    for chunk in test:
        one = build([chunk], preparation, classes, preparation.rows)
        true.append(one.codes)
        own, sure = decisions(fitted.estimator, one.X)
        decided.append(own)
        said += [] if sure is None else [sure]
    known = np.concatenate(said) if said else None
    found = estimated(np.concatenate(true), np.concatenate(decided), len(classes), method, known)
    return fitted._replace(estimate=found)


def n_rows_up_to(source: Source, most: int) -> int:
    """How many rows a source has, counted no further than is needed to see that there are more."""
    rows = 0
    for chunk in source:
        rows += len(chunk)
        if rows > most:
            break
    return rows
