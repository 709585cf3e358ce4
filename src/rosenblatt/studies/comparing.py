"""Is linear enough? The same folds for every rule on every map, and for non-linear referees."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.data.problem import matrix_of
from rosenblatt.data.storage import CSR, n_cols, n_rows
from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.estimators import checks
from rosenblatt.fitting.building import Built, build
from rosenblatt.fitting.fit import TOO_FEW
from rosenblatt.fitting.mapping import choices_for, mapped
from rosenblatt.fitting.proving import proved
from rosenblatt.fitting.rules import Rule
from rosenblatt.fitting.splitting import folds_of
from rosenblatt.fitting.training import Listen
from rosenblatt.sources.chunks import Source
from rosenblatt.sources.formats import open_source
from rosenblatt.sources.options import Options
from rosenblatt.sources.selecting import Remembered
from rosenblatt.studies.comparison import Comparison, Ground
from rosenblatt.studies.contest import Contest
from rosenblatt.studies.given import given_rows
from rosenblatt.studies.ways import Way, ways_asked_for, ways_of
from rosenblatt.tables.kinds import Choices
from rosenblatt.tables.learning import Learned, learn, settled
from rosenblatt.tables.targets import coded

USUAL_RULES = (Rule.AUTO, Rule.LINEAR_SVM)
MOST_COUNTED = 1 << 31  # multiplications to count independent features


@dataclass(frozen=True)
class Question:
    """What is to be compared: rules, and maps as they are written, None for the usual ones."""

    rules: tuple[Rule, ...] = USUAL_RULES
    features: tuple[str, ...] | None = None
    n_folds: int = 5
    target: str | None = None
    choices: Choices = field(default_factory=Choices)
    seed: int = 0
    proof_seconds: float = 5.0


def compare(
    X: Any,
    y: Any = None,
    *,
    rules: Sequence[str] = ("auto", "linear-svm"),
    features: Sequence[str] | None = None,
    n_folds: int = 5,
    target: str | None = None,
    options: Options | None = None,
    proof_seconds: float = 5.0,
    random_state: int = 0,
) -> Comparison:
    """Say whether a line is enough, which feature map helps, and at what cost.

    Every rule on every map, and two non-linear referees (the vote of the 11 nearest neighbours,
    and gradient boosting), decide the same folds of the rows. Whatever is learned, the preparation
    of columns included, is learned anew in every fold, so that no row judges what has seen it.

    Parameters
    ----------
    X : str, sequence of str, array-like, sparse matrix or frame
        Names of sources as `read` takes them, or rows.
    y : array-like of shape (n_samples,), optional
        Labels of the rows, where X is no name.
    rules : sequence of str, default=("auto", "linear-svm")
        Learning rules by their names on the command line.
    features : sequence of str, optional
        Feature maps to be tried, such as "products" or "poly:3"; "a+b" is b after a. The features
        as they are, are always tried. By default "products" and "radial" for up to 50 features,
        for more "random-products:1000", for thousands, or very many rows, none.
    n_folds : int, default=5
        How many; fewer where a class has fewer rows.
    target : str, optional
        Column to predict, of a source.
    options : Options, optional
        How to read files.
    proof_seconds : float, default=5.0
        Time for each verdict on separability; 0 asks for none.
    random_state : int, default=0
        Draws the folds.

    Returns
    -------
    Comparison
        Printed as a table and a paragraph; `entries` and `grounds` have the numbers.

    Notes
    -----
    Differences are paired: over the rows that both have decided, pooled over the folds, with Bonett
    and Price's interval. It takes the folds' models as they are, and no account of how many entries
    there are: the best of many is a little lucky.

    Examples
    --------
    >>> from rosenblatt import builtin, compare
    >>> rings = builtin("rings")
    >>> found = compare(rings.X, rings.y, rules=["linear-svm"], features=["radial"])
    >>> [ground.proof.answer for ground in found.grounds]
    ['inseparable', 'separable']
    """
    checks.whole("n_folds", n_folds, least=2)
    checks.number("proof_seconds", proof_seconds, least=0)
    checks.whole("random_state", random_state, least=0)
    question = Question(
        rules=rules_of(rules),
        features=None if features is None else tuple(features),
        n_folds=n_folds,
        target=target,
        seed=random_state,
        proof_seconds=proof_seconds,
    )
    named = isinstance(X, str) or (y is None and isinstance(X, (list, tuple)))
    if named:
        names = [X] if isinstance(X, str) else list(X)
        return compared(open_source(names, options, target=target), question)
    source, column = given_rows(X, y)
    return compared(source, replace(question, target=column))


def rules_of(names: Sequence[str]) -> tuple[Rule, ...]:
    """Rules by their names."""
    known = [str(rule) for rule in Rule]
    if isinstance(names, str) or not names:
        raise ParameterError(f"rules must be a list of names, out of {', '.join(known)}.")
    for name in names:
        checks.one_of("rules", str(name), known)
    return tuple(dict.fromkeys(Rule(name) for name in names))


def compared(source: Source, question: Question, listen: Listen = lambda _: None) -> Comparison:
    """Answer a question about a source; what is being done is told to `listen`."""
    source = Remembered(source)
    listen("Reading")
    asked = [recipe for way in ways_asked_for(question.features or ()) for recipe in way.recipes]
    choices = choices_for(asked, question.choices)
    learned = learn(source, question.target, choices)
    target, classes = learned.preparation.target, learned.classes
    n_folds = _folds(learned, question.n_folds)
    ways = ways_of(question.features, learned.n_rows, learned.preparation.n_encoded)
    codes = np.concatenate([coded(chunk, target, classes) for chunk in source])
    grounds = tuple(_grounds(source, learned, ways, question.proof_seconds, listen))
    folds = folds_of(codes, n_folds, question.seed)
    choices, rules = settled(choices, learned), question.rules
    contest = Contest(source, learned, choices, rules, ways, codes=codes, folds=folds)
    entries = contest.entries(listen)
    return Comparison(
        source=source.name,
        target=target,
        counts={label: learned.counts[label] for label in classes},
        findings=learned.findings,
        n_folds=n_folds,
        seed=question.seed,
        proof_seconds=question.proof_seconds,
        grounds=grounds,
        entries=entries,
    )


def _folds(learned: Learned, wanted: int) -> int:
    fewest = min(learned.counts.values())
    if fewest < TOO_FEW:
        rare = min(learned.classes, key=lambda label: learned.counts[label])
        raise SourceError(
            f"Too few rows to compare by: the class {rare!r} has {fewest}, and needs at least"
            f" {TOO_FEW}. `rosenblatt separable` gives a verdict on any rows."
        )
    return min(wanted, fewest)


def _grounds(
    source: Source,
    learned: Learned,
    ways: Sequence[Way],
    seconds: float,
    listen: Listen,
) -> Iterator[Ground]:
    """What a line stands on, with a verdict: as it was read, and after each map."""
    preparation, classes, n = learned.preparation, learned.classes, learned.n_rows
    raw = build(source, preparation, classes, preparation.raw, n)
    plain = build(source, preparation, classes, preparation.rows, n)
    for way in ways:
        listen(f"Looking for a proof, features: {way.written}")
        built, _ = mapped(plain, preparation, way.recipes)
        proof = proved(built if way.recipes else raw, classes, seconds)
        dimension = _dimension(built) if len(classes) == 2 else None
        yield Ground(way.written, n_cols(built.rows), n, dimension, proof)


def _dimension(built: Built) -> int:
    """How many of (features, 1) are independent, if that is quickly found; else how many are."""
    n, d = n_rows(built.rows), n_cols(built.rows) + 1
    if n * d * min(n, d) > MOST_COUNTED:
        return d
    X = matrix_of(built.rows)
    dense = X.toarray() if isinstance(built.rows, CSR) else X
    return int(np.linalg.matrix_rank(np.column_stack([dense, np.ones(n)])))


def _within(stage: str, listen: Listen) -> Listen:
    return lambda what: listen(f"{stage}: {what}")
