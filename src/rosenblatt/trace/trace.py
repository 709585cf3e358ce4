"""A run collected: one record a pass, and how it ended."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rosenblatt.online.result import EpochResult, Outcome
from rosenblatt.types import Floats

if TYPE_CHECKING:  # its solvers load scipy, which other rules do without
    from rosenblatt.optim.solve import Step

SMALLEST_SQUARE = 1e-290  # of a length: in less, digits are lost


@dataclass(frozen=True)
class Record:
    """One pass of a run.

    ==================  ===========================================================================
    `passes`            which pass it was, from 1
    `mistakes`          rows (one-vs-rest: units) that were wrong when they came
    `changes`           updates of the weights
    `loss`              mean loss of the rows as they came
    `norm`              |w| after the pass, bias included, over all units
    `margin_lower`      γ* is at least this, of the vectors (x, 1); None while unknown
    `margin_upper`      γ* is at most |w| / (η k) after k mistakes; None where that says nothing
    `training_error`    share of rows (by weight) the weights kept get wrong; None: not measured
    `validation_score`  accuracy on the validation rows; None without them
    ==================  ===========================================================================
    """

    passes: int
    mistakes: int
    changes: int
    loss: float
    norm: float
    margin_lower: float | None = None
    margin_upper: float | None = None
    training_error: float | None = None
    validation_score: float | None = None


@dataclass(frozen=True)
class Certified:
    """One step of a certified run.

    ==================  ===========================================================================
    `step`              how many steps had been taken
    `unit`              of which unit, from 0; two classes have one
    `objective`         P of the best weights so far
    `bound`             D: no weights have an objective below it
    `gap`               (P − D)/P
    `norm`              |w| of the best weights so far, bias included
    `method`            what made the step
    `rows`              how many rows its system of equations was made of
    ==================  ===========================================================================
    """

    step: int
    unit: int
    objective: float
    bound: float
    gap: float
    norm: float
    method: str
    rows: int


class Trace(Sequence[Any]):
    """The records of a run, first pass first."""

    def __init__(self, records: Sequence[Record | Certified] = ()) -> None:
        self._records = list(records)

    def add(self, record: Record | Certified) -> None:
        """Append the record of one more pass."""
        self._records.append(record)

    def replace_last(self, record: Record) -> None:
        """Complete the last record with what was found out after the run."""
        self._records[-1] = record

    def column(self, name: str) -> list[Any]:
        """One field of all records, such as "mistakes"."""
        return [getattr(record, name) for record in self._records]

    def as_dicts(self) -> list[dict[str, Any]]:
        """Records as plain dictionaries, for JSON or a data frame."""
        return [asdict(record) for record in self._records]

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._records)

    def __repr__(self) -> str:
        if len(self) and isinstance(self[-1], Certified):
            return f"Trace of {len(self)} steps, last gap {self[-1].gap:.1e}"
        shown = ", ".join(str(m) for m in self.column("mistakes")[:12])
        more = ", …" if len(self) > 12 else ""
        return f"Trace of {len(self)} passes, mistakes {shown}{more}"


def record_of(result: EpochResult, eta_if_bounded: float | None) -> Record:
    """Record of a state; η is given where the theorem's premises hold, for the upper bound."""
    norm = _length(result.last()) if result.norm is None else result.norm
    upper = None
    if eta_if_bounded is not None and result.all_mistakes > 0:
        upper = norm / eta_if_bounded / result.all_mistakes
    return Record(
        passes=result.passes,
        mistakes=result.mistakes,
        changes=result.changes,
        loss=result.loss,
        norm=norm,
        margin_upper=upper,
        training_error=result.error,
        validation_score=result.score,
    )


def certified_record(step: "Step", unit: int) -> Certified:
    """Record of a certified step."""
    return Certified(
        step=step.number,
        unit=unit,
        objective=step.bounds.primal,
        bound=step.bounds.dual,
        gap=step.bounds.gap,
        norm=_length(step.w),
        method=step.method,
        rows=step.rows,
    )


def _length(W: Floats) -> float:
    """|w| over all units, also where its square would be beyond float64."""
    square = float(np.vdot(W, W))
    if SMALLEST_SQUARE < square < np.inf:
        return math.sqrt(square)
    largest = float(np.abs(W).max())
    return largest * float(np.linalg.norm(W / largest)) if largest > 0 else 0.0


def outcome_of(result: EpochResult) -> Outcome:
    """How the run of a last state ended."""
    if result.ending is None:
        raise ValueError("the run goes on: no stop rule has spoken")
    return Outcome(result.ending, result.passes, result.rows, result.mistakes, result.advice)
