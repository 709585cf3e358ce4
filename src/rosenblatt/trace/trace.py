"""The trace of a run, one record per epoch or solver step, its curves, and the theorem's bounds.

A perceptron that starts at w = 0 and adds η y (x, 1) at each of k mistakes has, for any separable
data, with γ* the largest margin of unit weights on the vectors (x, 1) and R their largest norm,

    k γ* ≤ |w_k| / η,      γ* ≥ min y (w·x) / |w|      and      k ≤ (R / γ*)².

So |w_k| / (η k) bounds γ* from above during the run, and an epoch without a mistake bounds it from
below: a bracket that closes. (Lecture 000 writes γ/2 for what is γ here: its bound is 4R²/γ².)
In Kesler's construct the vectors have x at the own class and −x at the rival, the margin is that of
the K(d+1)-vector, and R² counts twice.

Premises: w starts at 0, η is constant, all samples have the same weight, and there is no penalty.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.errors import ParameterError
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, n_rows, square
from rosenblatt.linalg.scores import margins_of, scores_of
from rosenblatt.online.result import EpochResult, Outcome
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from rosenblatt.optim.solve import Step


MIN_SQUARED_NORM = 1e-290  # below it, float64 loses digits


@dataclass(frozen=True)
class Record:
    """One epoch of a run.

    ==================  ===========================================================================
    `epoch`             number of the epoch, from 1
    `mistakes`          rows (one-vs-rest: outputs) with a margin ≤ 0 before their update
    `updates`           updates of the weights
    `loss`              mean loss of the rows before their updates
    `norm`              |w| after the epoch, intercepts included, over all outputs
    `margin_lower`      lower bound of γ* for the vectors (x, 1); None while unknown
    `margin_upper`      upper bound |w| / (η k) of γ* after k mistakes; None where it does not hold
    `training_error`    weighted share of rows the kept weights misclassify; None: not measured
    `validation_error`  share of the validation rows they misclassify; None without such rows
    ==================  ===========================================================================
    """

    epoch: int
    mistakes: int
    updates: int
    loss: float
    norm: float
    margin_lower: float | None = None
    margin_upper: float | None = None
    training_error: float | None = None
    validation_error: float | None = None


@dataclass(frozen=True)
class RegressionRecord:
    """One epoch of a regression.

    ==================  ===========================================================================
    `epoch`             number of the epoch, from 1
    `updates`           updates of the weights
    `loss`              mean of ½ (y − w·x − b)² over the rows, each before its update
    `norm`              |w| after the epoch, intercepts included, over all outputs
    `training_error`    mean squared error of the weights on the rows; None: not measured
    `validation_error`  mean squared error on the validation rows; None without them
    ==================  ===========================================================================
    """

    epoch: int
    updates: int
    loss: float
    norm: float
    training_error: float | None = None
    validation_error: float | None = None


@dataclass(frozen=True)
class Certified:
    """One step of a solver with a duality gap.

    ==================  ===========================================================================
    `step`              number of steps so far
    `output`            number of the binary problem, from 0; two classes have one
    `objective`         primal objective P of the best weights so far
    `lower_bound`       dual objective D, a lower bound of the optimum
    `gap`               (P − D)/P
    `norm`              |w| of the best weights so far, intercept included
    `method`            method of the step
    `rows`              number of rows in its linear system
    ==================  ===========================================================================
    """

    step: int
    output: int
    objective: float
    lower_bound: float
    gap: float
    norm: float
    method: str
    rows: int


AnyRecord = Record | RegressionRecord | Certified


class Trace(Sequence[Any]):
    """The records of a run, in order."""

    def __init__(self, records: Sequence[AnyRecord] = ()) -> None:
        self._records = list(records)

    def add(self, record: AnyRecord) -> None:
        """Append a record."""
        self._records.append(record)

    def replace_last(self, record: Record) -> None:
        """Replace the last record by one that was completed after the run."""
        self._records[-1] = record

    def column(self, name: str) -> list[Any]:
        """One field of all records, such as "mistakes"."""
        return [getattr(record, name) for record in self._records]

    def as_dicts(self) -> list[dict[str, Any]]:
        """Records as plain dictionaries, for JSON or a data frame."""
        return [asdict(record) for record in self._records]

    def table(self, *columns: str) -> str:
        """The records as lines of text: the columns named, or all in which something is known."""
        if not self._records:
            return ""
        known = [field.name for field in fields(self[0])]
        unknown = [name for name in columns if name not in known]
        if unknown:
            raise ParameterError(
                f"This trace has no column {unknown[0]!r}; it has {', '.join(known)}."
            )
        chosen = columns or [name for name in known if _is_known(self, name)]
        cells = [[name, *(_cell(record, name) for record in self)] for name in chosen]
        widths = [max(map(len, column)) for column in cells]
        lines = zip(*cells, strict=True)
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)

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
        if len(self) and isinstance(self[-1], RegressionRecord):
            return f"Trace of {len(self)} epochs, last loss {self[-1].loss:.3g}"
        shown = ", ".join(str(m) for m in self.column("mistakes")[:12])
        more = ", …" if len(self) > 12 else ""
        return f"Trace of {len(self)} epochs, mistakes {shown}{more}"


def _cell(record: AnyRecord, name: str) -> str:
    """A field of a record as text: shares of rows in percent, other numbers to four digits."""
    value = getattr(record, name)
    if value is None:
        return "–"
    if isinstance(record, Record) and name.endswith("_error"):
        return f"{100 * value:.2f} %"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def record_of(result: EpochResult, eta_if_bounded: float | None) -> Record:
    """Record of an epoch; η is given where the theorem's premises hold, for the upper bound."""
    norm = _norm(result.last()) if result.norm is None else result.norm
    upper = None
    if eta_if_bounded is not None and result.all_mistakes > 0:
        upper = norm / eta_if_bounded / result.all_mistakes
    return Record(
        epoch=result.epoch,
        mistakes=result.mistakes,
        updates=result.updates,
        loss=result.loss,
        norm=norm,
        margin_upper=upper,
        training_error=result.error,
        validation_error=result.validation_error,
    )


def regression_record(result: EpochResult) -> RegressionRecord:
    """Record of an epoch of a regression."""
    return RegressionRecord(
        epoch=result.epoch,
        updates=result.updates,
        loss=result.loss,
        norm=_norm(result.last()),
        training_error=result.error,
        validation_error=result.validation_error,
    )


def certified_record(step: "Step", output: int) -> Certified:
    """Record of a solver step."""
    return Certified(
        step=step.number,
        output=output,
        objective=step.bounds.primal,
        lower_bound=step.bounds.dual,
        gap=step.bounds.gap,
        norm=_norm(step.w),
        method=step.method,
        rows=step.rows,
    )


def _norm(W: Floats) -> float:
    """Norm of all weights, also where its square would overflow."""
    square = float(np.vdot(W, W))
    if MIN_SQUARED_NORM < square < np.inf:
        return math.sqrt(square)
    largest = float(np.abs(W).max())
    return largest * float(np.linalg.norm(W / largest)) if largest > 0 else 0.0


def outcome_of(result: EpochResult) -> Outcome:
    """Outcome of a run, from its last result."""
    if result.ending is None:
        raise ValueError("the run has not ended: no stopping criterion was met")
    return Outcome(result.ending, result.epoch, result.rows, result.mistakes, result.advice)


KINDS = {  # columns of the trace
    "mistakes": ("mistakes",),
    "error": ("training_error", "validation_error"),
    "loss": ("loss",),
    "norm": ("norm",),
    "margin": ("margin_upper", "margin_lower"),
    "gap": ("gap",),
    "objective": ("objective", "lower_bound"),
}
NAMES = {
    "mistakes": "mistakes in the epoch",
    "training_error": "training error",
    "validation_error": "validation error",
    "loss": "mean loss",
    "norm": "|w|",
    "margin_upper": "upper bound of the largest margin",
    "margin_lower": "lower bound of the largest margin",
    "gap": "duality gap",
    "objective": "objective",
    "lower_bound": "lower bound of the objective",
}


class Curve(NamedTuple):
    """A named curve: values at some epochs or steps."""

    name: str
    n_iter: list[int]
    values: list[float]


def curve_kinds(trace: Trace) -> list[str]:
    """Kinds of curves that a trace has, the most telling first."""
    return [kind for kind, columns in KINDS.items() if any(_is_known(trace, c) for c in columns)]


def _is_known(trace: Trace, column: str) -> bool:
    """Whether some record of a trace has a value in a column."""
    return any(getattr(record, column, None) is not None for record in trace)


def curves_of(trace: Trace, kind: str, classes: Sequence[Any]) -> list[Curve]:
    """Curves of a kind, for each class if there are several; unknown values are left out."""
    outputs = sorted({getattr(record, "output", 0) for record in trace})
    return [
        _curve(trace, column, output, "" if len(outputs) == 1 else f", class {classes[output]}")
        for column in KINDS[kind]
        for output in outputs
    ]


def _curve(trace: Trace, column: str, output: int, of: str) -> Curve:
    own = [record for record in trace if getattr(record, "output", 0) == output]
    known = [record for record in own if getattr(record, column) is not None]
    n_iter = [record.step if hasattr(record, "step") else record.epoch for record in known]
    return Curve(NAMES[column] + of, n_iter, [getattr(record, column) for record in known])


def curve_caption(estimator: Any, kind: str) -> str:
    """Caption for the curves of a kind; empty for most."""
    bound = getattr(estimator, "mistake_bound_", None)
    if kind == "mistakes":
        made = f"{sum(estimator.trace_.column('mistakes')):,} mistakes in all"
        if bound is None:
            return made
        return f"{made}; the margin of the last weights allows {int(bound):,}"
    bracket = getattr(estimator, "margin_bounds_", None)
    if kind == "margin" and bracket is not None and bracket.lower > 0:
        return f"the largest margin is from {bracket.lower:.4g} to {bracket.upper:.4g}"
    if kind == "gap":
        return f"the objective is within {estimator.gap_:.1e} (relative) of the optimum"
    return ""


class MarginBounds(NamedTuple):
    """lower ≤ γ* ≤ upper, for the vectors (x, 1)."""

    lower: float
    upper: float


class MarginAndRadius(NamedTuple):
    """Smallest functional margin (times |w|) of some rows, and their largest ‖(x, 1)‖²."""

    margin: float
    square_radius: float

    def __add__(self, other: "MarginAndRadius") -> "MarginAndRadius":  # type: ignore[override]
        """Those of both sets of rows."""
        return MarginAndRadius(
            min(self.margin, other.margin), max(self.square_radius, other.square_radius)
        )


def margin_and_radius(
    blocks: Blocks, W: Floats, *, constant: float, kesler: bool
) -> MarginAndRadius:
    """Smallest margin and largest norm over all rows, in one pass."""

    def of_block(block: TrainingData) -> MarginAndRadius:
        scores = scores_of(block.rows, W)
        margin = smallest_margin(scores, block, kesler=kesler)
        lengths = np.empty(n_rows(block.rows))
        squares(block.rows, lengths)
        return MarginAndRadius(margin, float(lengths.max()) + constant * constant)

    return blocks.total(of_block)


def smallest_margin(scores: Floats, block: TrainingData, *, kesler: bool) -> float:
    """Smallest margin of some rows, from their scores."""
    return float(row_margins(scores, block, kesler=kesler).min())


def row_margins(scores: Floats, block: TrainingData, *, kesler: bool) -> Floats:
    """Margins of some rows: one a row in Kesler's construct, else one an output."""
    if kesler:
        return margins_of(scores, block.codes)[:, None]
    positive = np.array([1]) if scores.shape[1] == 1 else np.arange(scores.shape[1])
    margins: Floats = np.where(block.codes[:, None] == positive, scores, -scores)
    return margins


@njit(cache=True, nogil=True)
def squares(X: Rows, lengths: Floats) -> None:
    """Write ‖x‖² of each row."""
    for i in range(len(lengths)):
        lengths[i] = square(X, i)
