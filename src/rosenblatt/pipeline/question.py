"""The question that a verdict on separability answers, and the check that a proof answers it.

It says which rows, classes and columns there are, how these became features, whether an intercept
is allowed, which columns were left out and why, and what the verdict is with those that were left
out automatically. More columns never make separable classes inseparable: their weights may be 0.
Only where feature maps are fitted to all columns, separability is tested again.

The encoding in a proof file is never applied. The rows are read again by its choices, which have to
give the same encoding (`plan_of_claim`, `encode_as_claimed`).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from rosenblatt.errors import ParameterError, ProofError, ProofFileError, SourceError
from rosenblatt.features.maps.spec import MapSpec
from rosenblatt.io.chunks import Source, Table
from rosenblatt.io.wrappers import CachedSource
from rosenblatt.persist.file import check_transformer
from rosenblatt.pipeline.prove import prove_in_time
from rosenblatt.pipeline.read_dataset import EncodedDataset, encoded_rows, read_rows
from rosenblatt.preprocess.column_types import Choices, LeftOutColumn, dropped
from rosenblatt.preprocess.fit import FittedPreprocessing
from rosenblatt.preprocess.proof_encoding import choices_in, difference, encoding_of, transformer_in
from rosenblatt.preprocess.target import LabelCounts, infer_target
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.separation.proof.verdict import Proof

LEFT_OUT_SECONDS = 2.0  # time limit of the test with the columns left out
NOT_KNOWN = "not known"


class Question(NamedTuple):
    """What was asked.

    `with_left_out` is the verdict with the columns that were left out automatically, or "not
    known"; None where there are none, or where it was not tested.
    """

    transformer: ColumnTransformer
    counts: LabelCounts
    left_out: tuple[LeftOutColumn, ...]
    fit_intercept: bool
    with_left_out: str | None = None


class EncodingPlan(NamedTuple):
    """How to read and encode a source for a verdict."""

    source: Source
    target: str | None
    choices: Choices
    map_specs: tuple[MapSpec, ...] = ()
    why_dropped: str = "by --drop"

    def read(self) -> EncodedDataset:
        """The rows."""
        return read_rows(self.source, self.target, self.choices, self.map_specs)

    def left_out(self, learned: FittedPreprocessing) -> tuple[LeftOutColumn, ...]:
        """Columns left out: automatically, then by the user."""
        drop = sorted(self.choices.drop)
        return (*learned.left_out, *(dropped(name, self.why_dropped) for name in drop))

    def encoding(self, rows: EncodedDataset) -> dict[str, Any]:
        """The encoding for a proof about these rows."""
        left_out = self.left_out(rows.learned)
        return encoding_of(rows.transformer, self.choices, self.map_specs, left_out)

    def question(self, rows: EncodedDataset, *, fit_intercept: bool) -> Question:
        """The question about these rows."""
        left_out = self.left_out(rows.learned)
        return Question(rows.transformer, rows.learned.counts, left_out, fit_intercept)

    def verdict_with_left_out(
        self, learned: FittedPreprocessing, proof: Proof, seconds: float, *, fit_intercept: bool
    ) -> str | None:
        """The verdict with the columns that were left out automatically."""
        if not learned.left_out:
            return None
        if proof.answer == "separable" and not self.map_specs:
            return proof.answer
        if not (isinstance(self.source, CachedSource) and self.source.is_cached):
            return NOT_KNOWN  # the source would be read once more
        choices = replace(self.choices, use_all=True)
        rows = encoded_rows(self.source, self.target, choices, self.map_specs)
        again = prove_in_time(rows.encoded, learned.classes, seconds, fit_intercept=fit_intercept)
        return NOT_KNOWN if again is None or again.answer == "undecided" else again.answer


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
