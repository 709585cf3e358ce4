"""The question that a verdict on separability answers, its test in limited time, and its check."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.training_data import entries_in
from rosenblatt.errors import ParameterError, ProofError, ProofFileError, SourceError
from rosenblatt.features.maps.spec import MapSpec
from rosenblatt.io.chunks import CachedSource, Source, Table
from rosenblatt.io.rounded_cells import RoundedCells
from rosenblatt.persist.file import check_transformer
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.pipeline.read_dataset import EncodedDataset, encoded_rows, read_rows
from rosenblatt.preprocess.column_types import Choices, LeftOutColumn, dropped
from rosenblatt.preprocess.fit import FittedPreprocessing
from rosenblatt.preprocess.proof_encoding import choices_in, difference, encoding_of, transformer_in
from rosenblatt.preprocess.target import Label, booleans_as_words, infer_target
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.separation.proof.verdict import Proof
from rosenblatt.types import Ints

MAX_UNTIMED_ENTRIES = 1 << 14  # entries whose test needs no time limit


def prove_in_time(
    encoded: EncodedData,
    classes: tuple[Label, ...],
    seconds: float,
    progress: Callable[[str], None] = lambda _: None,
    *,
    fit_intercept: bool = True,
) -> Proof | None:
    """The verdict on encoded rows; None without time, or where they do not fit into memory."""
    if seconds <= 0 or encoded.on_disk:
        return None
    from rosenblatt.separation.decide import separability  # noqa: PLC0415 (slow to import)

    progress("Testing separability")
    labels = booleans_as_words(np.array(classes)[encoded.codes])
    few = _few_rows(encoded)
    decide = partial(separability, fit_intercept=fit_intercept)
    if len(few) == len(labels):
        return decide(encoded.X, labels)
    if len(np.unique(labels[few])) > 1:
        decide(encoded.X[few], labels[few])  # compiles the kernels, which must not count
    return decide(encoded.X, labels, time_limit=seconds)


def _few_rows(encoded: EncodedData) -> Ints:
    """Evenly spaced rows, so few that their test takes no time."""
    n = len(encoded.codes)
    few = max(2, min(n, MAX_UNTIMED_ENTRIES * n // max(1, entries_in(encoded.rows))))
    return np.linspace(0, n - 1, few).astype(np.int64)


LEFT_OUT_SECONDS = 2.0  # time limit of the test with the columns left out
NOT_KNOWN = "not known"


class VerdictWithLeftOut(NamedTuple):
    """The verdict with the columns left out automatically, or "not known".

    `rounded` are cells of these columns that float64 does not tell apart.
    """

    answer: str
    rounded: RoundedCells


class Question(NamedTuple):
    """What was asked.

    `precision` is the type of the features. `with_left_out` is None where no columns were left out
    automatically, or where it was not tested.
    """

    transformer: ColumnTransformer
    learned: FittedPreprocessing
    left_out: tuple[LeftOutColumn, ...]
    fit_intercept: bool
    precision: str
    with_left_out: VerdictWithLeftOut | None = None


class EncodingPlan(NamedTuple):
    """How to read and encode a source for a verdict."""

    source: Source
    target: str | None
    choices: Choices
    map_specs: tuple[MapSpec, ...] = ()
    why_dropped: str = "by --drop"

    def read(self) -> EncodedDataset:
        """The rows, with labels as a proof names them: those of a table are words in any format."""
        rows = read_rows(self.source, self.target, self.choices, self.map_specs)
        if rows.transformer.target is None:
            return rows
        return rows._replace(data=replace(rows.data, y=booleans_as_words(rows.data.y)))

    def left_out(self, learned: FittedPreprocessing) -> tuple[LeftOutColumn, ...]:
        """Columns left out: automatically, then by the user."""
        drop = sorted(self.choices.drop)
        return (*learned.left_out, *(dropped(name, self.why_dropped) for name in drop))

    def encoding(self, rows: EncodedDataset) -> dict[str, Any]:
        """The encoding for a proof about these rows."""
        left_out = self.left_out(rows.learned)
        rounded = rows.learned.rounded
        return encoding_of(rows.transformer, self.choices, self.map_specs, left_out, rounded)

    def question(self, rows: EncodedDataset, *, fit_intercept: bool) -> Question:
        """The question about these rows."""
        left_out, precision = self.left_out(rows.learned), str(rows.data.X.dtype)
        return Question(rows.transformer, rows.learned, left_out, fit_intercept, precision)

    def verdict_with_left_out(
        self, learned: FittedPreprocessing, proof: Proof, seconds: float, *, fit_intercept: bool
    ) -> VerdictWithLeftOut | None:
        """The verdict with the columns that were left out automatically."""
        if not learned.left_out:
            return None
        if proof.answer == "separable" and not self.map_specs:
            return VerdictWithLeftOut(proof.answer, {})
        if not (isinstance(self.source, CachedSource) and self.source.is_cached):
            return VerdictWithLeftOut(NOT_KNOWN, {})  # the source would be read once more
        choices = replace(self.choices, use_all=True)
        rows = encoded_rows(self.source, self.target, choices, self.map_specs)
        again = prove_in_time(rows.encoded, learned.classes, seconds, fit_intercept=fit_intercept)
        if again is None or again.answer == "undecided":
            return VerdictWithLeftOut(NOT_KNOWN, {})
        more = {n: c for n, c in rows.learned.rounded.items() if n not in learned.rounded}
        return VerdictWithLeftOut(again.answer, more)


class ClaimedEncoding(NamedTuple):
    """The encoding in a proof file: of the right form, but not trusted."""

    encoding: Mapping[str, Any]
    transformer: ColumnTransformer
    choices: Choices
    map_specs: tuple[MapSpec, ...]


def parse_claimed_encoding(encoding: Mapping[str, Any]) -> ClaimedEncoding:
    """The parsed encoding of a proof file; an inconsistent one is refused."""
    try:
        transformer, arrays = transformer_in(encoding)
        check_transformer(transformer, arrays)
        choices, map_specs = choices_in(encoding)
    except KeyError as error:
        raise ProofFileError(
            f"The encoding in the proof file is damaged: {error} is missing."
        ) from error
    except (TypeError, ValueError, AttributeError, OverflowError, ParameterError) as error:
        reason = str(error).removesuffix(".")
        raise ProofFileError(f"The encoding in the proof file is damaged: {reason}.") from error
    return ClaimedEncoding(encoding, transformer, choices, map_specs)


def plan_of_claim(claimed: ClaimedEncoding, source: Source, target: str | None) -> EncodingPlan:
    """The question of a proof, for a source and a target that the user names."""
    source = CachedSource(source)
    first = next(iter(source))
    own, choices = claimed.transformer.target, claimed.choices
    if not isinstance(first, Table):
        if own is not None:
            raise SourceError(
                f"{source.name} has its own labels, but the proof is about a table with the target"
                f" {own!r}."
            )
        return EncodingPlan(source, target, choices, claimed.map_specs)
    _check_target(first, own, target)
    named = choices.drop | choices.use | choices.category | choices.text
    for name in sorted(named - set(first.names)):
        raise ProofError(f"The proof names the column {name!r}, which {source.name} does not have.")
    if "version" not in claimed.encoding:
        choices = replace(choices, drop=frozenset(first.names) - choices.use - {str(own)})
        return EncodingPlan(source, own, choices, claimed.map_specs, "not used by the proof")
    return EncodingPlan(source, own, choices, claimed.map_specs)


def _check_target(table: Table, claimed: str | None, asked: str | None) -> None:
    """Refuse a proof about another target than the one given, or the default one."""
    if claimed is None:
        raise SourceError(
            f"{table.place.file} has columns with names, but the proof is about rows of numbers"
            " with labels of their own."
        )
    if asked is not None and asked != claimed:
        raise SourceError(f"The proof is about the target {claimed!r}, not {asked!r}.")
    usual = infer_target(table, asked)
    if usual != claimed:
        raise SourceError(
            f"The proof is about the target {claimed!r}; without --target it would be {usual!r}. If"
            f" {claimed!r} is meant, give --target {claimed}."
        )


def encode_as_claimed(claimed: ClaimedEncoding, asked: EncodingPlan) -> EncodedDataset:
    """The rows of a question; ProofError if they are not made as the proof says."""
    rows = asked.read()
    wrong = difference(claimed.encoding, asked.encoding(rows))
    if wrong is not None:
        raise ProofError(
            f"The encoding in the proof is not the one that {asked.source.name} gives: {wrong}."
            " Give the data that the proof was made from, unchanged."
        )
    return rows
