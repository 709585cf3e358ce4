"""Is linear enough? What a comparison shows, by its paired intervals.

Is linear enough? Linear rules, feature maps and non-linear baselines on the same folds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.comparison.result import NO_MAP, Comparison, FeatureSet, Result
from rosenblatt.comparison.run import (
    CrossValidation,
    FeatureSpec,
    feature_specs,
    parse_feature_specs,
)
from rosenblatt.csr import CSR, n_cols, n_rows
from rosenblatt.data.labels import labels_of
from rosenblatt.data.training_data import matrix_of
from rosenblatt.data.validation import require_finite, rows_of
from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.estimators import parameters
from rosenblatt.io.chunks import CachedSource, Chunk, Matrix, Source, Table
from rosenblatt.io.files import Options
from rosenblatt.io.formats import open_source
from rosenblatt.model_selection.split import folds_of
from rosenblatt.persist.model import IN_MEMORY, as_chunk
from rosenblatt.pipeline.encoded_data import EncodedData, choices_for, encode, fit_maps
from rosenblatt.pipeline.evaluate import PairedDifference
from rosenblatt.pipeline.fit import MIN_CLASS_ROWS, Progress
from rosenblatt.pipeline.question import prove_in_time
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import FittedPreprocessing, fit_preprocessing, resolve_choices
from rosenblatt.preprocess.target import encode_labels
from rosenblatt.registry import Rule
from rosenblatt.text import listed


class ResultDifference(NamedTuple):
    """The difference in accuracy of a result against a reference."""

    result: Result
    reference: Result
    paired: PairedDifference

    @property
    def better(self) -> bool:
        """Whether the result is significantly better, at 5 %."""
        return self.paired.low > 0


class Conclusion(NamedTuple):
    """The best non-linear baseline against linear rules, and the best feature map against none.

    A linear rule is enough where the best baseline is not significantly better.
    """

    nonlinear_vs_linear: ResultDifference
    mapped_vs_plain: ResultDifference | None
    nonlinear_vs_mapped: ResultDifference | None

    @property
    def linear_enough(self) -> bool:
        """Whether a linear rule on the original features is enough."""
        return not self.nonlinear_vs_linear.better

    @property
    def feature_map_helps(self) -> bool:
        """Whether the best feature map improves accuracy significantly."""
        return self.mapped_vs_plain is not None and self.mapped_vs_plain.better

    @property
    def linear_enough_after_map(self) -> bool | None:
        """Whether a linear rule after the best map is enough; None where no map was tried."""
        return None if self.nonlinear_vs_mapped is None else not self.nonlinear_vs_mapped.better


def conclude(comparison: Comparison) -> Conclusion:
    """What a comparison shows."""
    nonlinear = comparison.best_of(tuple(r for r in comparison.results if r.is_baseline))
    linear = tuple(r for r in comparison.results if not r.is_baseline)
    plain = comparison.best_of(tuple(r for r in linear if r.map == NO_MAP))
    mapped = tuple(r for r in linear if r.map != NO_MAP)
    first = _difference(comparison, nonlinear, plain)
    if not mapped:
        return Conclusion(first, None, None)
    best = comparison.best_of(mapped)
    helps = _difference(comparison, best, plain)
    return Conclusion(first, helps, _difference(comparison, nonlinear, best))


def _difference(comparison: Comparison, result: Result, reference: Result) -> ResultDifference:
    return ResultDifference(result, reference, comparison.difference(result, reference))


DEFAULT_RULES = (Rule.AUTO, Rule.LINEAR_SVM)
MAX_RANK_MULTIPLICATIONS = 1 << 31  # to find a rank


@dataclass(frozen=True)
class ComparisonPlan:
    """What to compare: rules, and specs of feature maps, None for the default ones."""

    rules: tuple[Rule, ...] = DEFAULT_RULES
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
    """Compare linear rules, feature maps and non-linear baselines on the same folds.

    Every rule with every feature map, and two non-linear baselines (11 nearest neighbours and
    gradient boosting), are cross-validated on the same folds. Preprocessing and feature maps are
    fitted again in every fold: evaluation rows are never used for training or preprocessing.

    Parameters
    ----------
    X : str, sequence of str, array-like, sparse matrix or frame
        Names of sources as `read` takes them, or rows.
    y : array-like of shape (n_samples,), optional
        Labels of the rows, unless X is the name of a source.
    rules : sequence of str, default=("auto", "linear-svm")
        Learning rules by their names on the command line.
    features : sequence of str, optional
        Feature maps to try, such as "products" or "poly:3"; "a+b" applies a, then b. The original
        features are always tried. By default "products" and "radial" for up to 50 features,
        "random-products:1000" for up to 4,096, and none for more, or for very many rows.
    n_folds : int, default=5
        Number of folds; fewer if a class has fewer rows.
    target : str, optional
        Column to predict, of a source.
    options : Options, optional
        How to read files.
    proof_seconds : float, default=5.0
        Time limit of each test of separability; 0 skips it.
    random_state : int, default=0
        Random seed of the folds.

    Returns
    -------
    Comparison
        Printed as a table and a paragraph; `results` and `feature_sets` have the numbers.

    Notes
    -----
    Differences are paired: over the rows that both have predicted, pooled over the folds, with
    Bonett and Price's interval. It takes the models of the folds as given, and there is no
    correction for multiple comparisons, so the best of many results is slightly optimistic.

    Examples
    --------
    >>> from rosenblatt import builtin, compare
    >>> rings = builtin("rings")
    >>> comparison = compare(rings.X, rings.y, rules=["linear-svm"], features=["radial"])
    >>> [features.proof.answer for features in comparison.feature_sets]
    ['inseparable', 'separable']
    """
    parameters.whole("n_folds", n_folds, least=2)
    parameters.number("proof_seconds", proof_seconds, least=0)
    parameters.whole("random_state", random_state, least=0)
    plan = ComparisonPlan(
        rules=parse_rules(rules),
        features=None if features is None else tuple(features),
        n_folds=n_folds,
        target=target,
        seed=random_state,
        proof_seconds=proof_seconds,
    )
    named = isinstance(X, str) or (y is None and isinstance(X, (list, tuple)))
    if named:
        names = [X] if isinstance(X, str) else list(X)
        return run_comparison(open_source(names, options, target=target), plan)
    source, column = memory_source(X, y)
    return run_comparison(source, replace(plan, target=column))


def parse_rules(names: Sequence[str]) -> tuple[Rule, ...]:
    """Rules by their names on the command line."""
    known = [str(rule) for rule in Rule]
    if isinstance(names, str) or not names:
        raise ParameterError(f"rules must be a list of names from {listed(known)}; got {names!r}.")
    for name in names:
        parameters.one_of("rules", str(name), known)
    return tuple(dict.fromkeys(Rule(name) for name in names))


def run_comparison(
    source: Source, plan: ComparisonPlan, progress: Progress = lambda _: None
) -> Comparison:
    """The comparison that a plan asks for on a source; `progress` is called with each stage."""
    source = CachedSource(source)
    progress("Reading")
    requested = [
        map_spec for spec in parse_feature_specs(plan.features or ()) for map_spec in spec.map_specs
    ]
    choices = choices_for(requested, plan.choices)
    learned = fit_preprocessing(source, plan.target, choices)
    target, classes = learned.transformer.target, learned.classes
    n_folds = _folds(learned, plan.n_folds)
    specs = feature_specs(plan.features, learned.n_rows, learned.transformer.n_encoded_features)
    codes = np.concatenate([encode_labels(chunk, target, classes) for chunk in source])
    feature_sets = tuple(_feature_sets(source, learned, specs, plan.proof_seconds, progress))
    folds = folds_of(codes, n_folds, plan.seed)
    choices, rules = resolve_choices(choices, learned), plan.rules
    validation = CrossValidation(source, learned, choices, rules, specs, codes=codes, folds=folds)
    results = validation.results(progress)
    return Comparison(
        source=source.name,
        target=target,
        counts={label: learned.counts[label] for label in classes},
        left_out=learned.left_out,
        n_folds=n_folds,
        seed=plan.seed,
        proof_seconds=plan.proof_seconds,
        feature_sets=feature_sets,
        results=results,
    )


def _folds(learned: FittedPreprocessing, wanted: int) -> int:
    fewest = min(learned.counts.values())
    if fewest < MIN_CLASS_ROWS:
        rare = min(learned.classes, key=lambda label: learned.counts[label])
        raise SourceError(
            f"Too few rows to compare: every class needs at least {MIN_CLASS_ROWS}; the class"
            f" {rare!r} has {fewest}. `rosenblatt separable` gives a verdict on any number of rows."
        )
    return min(wanted, fewest)


def _feature_sets(
    source: Source,
    learned: FittedPreprocessing,
    specs: Sequence[FeatureSpec],
    seconds: float,
    progress: Progress,
) -> Iterator[FeatureSet]:
    """The features as they were read and after each map, with a verdict on separability."""
    transformer, classes, n = learned.transformer, learned.classes, learned.n_rows
    raw = encode(source, transformer, classes, transformer.encode, n)
    plain = encode(source, transformer, classes, transformer.transform, n)
    for spec in specs:
        progress(f"Looking for a proof, features: {spec.written}")
        encoded, _ = fit_maps(plain, transformer, spec.map_specs)
        proof = prove_in_time(encoded if spec.map_specs else raw, classes, seconds)
        rank = _rank(encoded) if len(classes) == 2 else None
        yield FeatureSet(spec.written, n_cols(encoded.rows), n, rank, proof)


def _rank(encoded: EncodedData) -> int:
    """The rank of (X, 1), or its number of columns where finding the rank would take long."""
    n, d = n_rows(encoded.rows), n_cols(encoded.rows) + 1
    if n * d * min(n, d) > MAX_RANK_MULTIPLICATIONS:
        return d
    X = matrix_of(encoded.rows)
    dense = X.toarray() if isinstance(encoded.rows, CSR) else X
    return int(np.linalg.matrix_rank(np.column_stack([dense, np.ones(n)])))


@dataclass(frozen=True)
class MemorySource:
    """A source of one chunk."""

    chunk: Chunk
    name: str = "X"

    def __iter__(self) -> Iterator[Chunk]:
        """Give the chunk."""
        yield self.chunk


def memory_source(X: Any, y: Any) -> tuple[MemorySource, str | None]:
    """Rows with their labels; those of a frame become a column, whose name is returned too."""
    chunk = as_chunk(X) if hasattr(X, "columns") else None
    if isinstance(chunk, Table):
        import polars as pl  # noqa: PLC0415 (slow to import)

        name = "y"
        while name in chunk.names:
            name += "_"
        labels = pl.Series(name, labels_of(y, len(chunk)))
        return MemorySource(Table(chunk.frame.with_columns(labels), IN_MEMORY)), name
    rows = rows_of(X)
    require_finite(rows)
    return MemorySource(Matrix(rows, labels_of(y, n_rows(rows)), IN_MEMORY)), None
