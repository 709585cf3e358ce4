"""The three answers of `separability`: records that explain, verify and save themselves.

The letters are those of the theorem: γ is the margin and R the radius of the vectors (x, 1), or of
x without an intercept. A perceptron from w = 0 makes at most ⌊R²/γ²⌋ mistakes on two classes, and
⌊2R²/γ²⌋ by Kesler's rule on more. Notes that ask y(x·w*) ≥ γ/2 write the same number as 4R²/γ².
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from rosenblatt.separation.proof import cover_count, writer
from rosenblatt.separation.proof import verify as certificate
from rosenblatt.separation.proof.listed import ListedArray
from rosenblatt.separation.proof.margins import Hull, distance_of, nearest
from rosenblatt.separation.proof.overlap import Overlap
from rosenblatt.types import Array, Floats

Kind = Literal["overlap", "touching", "unknown"]


@dataclass(frozen=True, eq=False, kw_only=True)
class _About:
    """The data that a proof is about.

    ``encoding`` says how the rows were made from the columns of a table, if they were.
    """

    classes: tuple[str, ...]
    n_rows: int
    n_features: int
    fit_intercept: bool
    fingerprint: str
    encoding: dict[str, Any] | None = None
    version: int = writer.VERSION  # of the file that it was read from: fingerprints differ

    def verify(self, X: Any, y: Any) -> bool:
        """Return True if the proof holds for the data; else raise ProofError with the reason."""
        return certificate.verify(self, X, y)  # type: ignore[arg-type]

    def save(self, path: str | Path) -> None:
        """Write the proof as JSON, completely or not at all."""
        writer.write(path, writer.as_fields(self))

    @property
    def _size(self) -> str:
        features = f"{self.n_features:,} feature{'' if self.n_features == 1 else 's'}"
        return f"{self.n_rows:,} rows × {features}, {len(self.classes):,} classes"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Separable(_About):
    """Weights that put every row strictly on its own side.

    ``W`` holds the weights exactly, one row of (w, b) for two classes and K rows for K classes, as
    float64 or, where these cannot hold a separator, as fractions. ``upper`` bounds the largest
    possible margin γ* from above if the margin was maximised; ``hull`` is its evidence. ``margin``
    is 0 where it is smaller than every positive float. ``support`` are the rows nearest to the
    planes, up to rounding: information from the solver that is neither checked nor saved.
    """

    answer: ClassVar[Literal["separable"]] = "separable"
    W: Array = ListedArray()  # type: ignore[assignment]  # noqa: RUF009 (a descriptor)
    margin: float
    radius: float
    upper: float | None = None
    hull: Hull | None = None
    support: tuple[int, ...] = ()

    @property
    def geometric_margin(self) -> float:
        """Lower bound on the distance in x of every row from the planes, implied by the margin."""
        return distance_of(self.margin, self.W, self.n_features)

    @property
    def coef(self) -> Floats:
        """Weights of the features: d numbers for two classes, K × d for K."""
        coef = nearest(self.W)[:, : self.n_features]
        return coef[0] if len(coef) == 1 else coef

    @property
    def intercept(self) -> float | Floats:
        """Intercept: one number for two classes, K for K; 0 if none is fitted."""
        K = len(self.W)
        b = nearest(self.W)[:, self.n_features] if self.fit_intercept else np.zeros(K)
        return float(b[0]) if K == 1 else b

    @property
    def margin_bounds(self) -> tuple[float, float]:
        """Interval that contains the largest possible margin γ*."""
        return self.margin, self.radius if self.upper is None else self.upper

    @property
    def mistake_bound(self) -> int | None:
        """⌊R²/γ²⌋, or ⌊2R²/γ²⌋ for more than two classes; None if γ or R is beyond floats."""
        if self.margin == 0 or self.radius == np.inf:
            return None
        factor = 1 if len(self.classes) == 2 else 2
        ratio = Fraction(self.radius) / Fraction(self.margin)
        return int(factor * ratio**2)

    @property
    def bounds(self) -> dict[str, tuple[float, int | None]]:
        """The bound in both conventions: formula, the γ it means, the number of mistakes."""
        factor = "" if len(self.classes) == 2 else "2"
        lecture = "4" if len(self.classes) == 2 else "8"
        return {
            f"{factor}R²/γ² with y(w·x) ≥ γ": (self.margin, self.mistake_bound),
            f"{lecture}R²/γ² with y(w·x) ≥ γ/2": (2 * self.margin, self.mistake_bound),
        }

    @property
    def chance(self) -> float | None:
        """Upper bound on the probability that random labels are separable (Cover); two classes."""
        dimension = self.n_features + self.fit_intercept
        return cover_count.chance(self.n_rows, dimension) if len(self.classes) == 2 else None

    def __repr__(self) -> str:
        return f"Separable({self._size}; margin {self.margin:.6g}, radius {self.radius:.6g})"

    @property
    def _numbers(self) -> str:
        if self.margin == 0:
            return "The margin γ is positive, but too small for float64."
        numbers = f"Margin γ = {self.margin:.6g}, radius R = {self.radius:.6g}"
        if self.mistake_bound is None:
            return f"{numbers}."
        return f"{numbers}: a perceptron makes at most {self.mistake_bound:,} mistakes."

    def __str__(self) -> str:
        lines = [f"Separable: {self._size}.", self._numbers]
        if self.upper is None and self.mistake_bound is not None:
            lines.append("A larger margin may exist, and would prove fewer mistakes.")
        if self.upper is not None:
            lines.append(f"The largest margin is in [{self.margin:.6g}, {self.upper:.6g}].")
        if self.chance is not None:
            dimension = self.n_features + self.fit_intercept
            chance = cover_count.chance_text(self.n_rows, dimension)
            lines.append(f"Random labels would be separable with probability at most {chance}.")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Inseparable(_About):
    """Rows whose signed sum, with exact positive weights, is exactly 0: no weights separate them.

    Largest weights first. Row ``rows[t]`` is paired with class ``rivals[t]``; with two classes
    that is the other class. The weights sum to 1. ``kind`` is "touching" where some weights, given
    in ``touching``, put no row on the wrong side and ``tied`` rows, but not all, on the boundary;
    "overlap" where no weights do, which ``overlap`` shows; "unknown" where finding out would have
    cost too much. All of it is checked, except "overlap" without its evidence, which is
    information from the solver; a proof file has "unknown" instead.
    """

    answer: ClassVar[Literal["inseparable"]] = "inseparable"
    rows: tuple[int, ...]
    rivals: tuple[int, ...]
    weights: tuple[Fraction, ...]
    kind: Kind
    touching: Array | None = ListedArray(None)  # type: ignore[assignment]  # noqa: RUF009
    tied: int | None = None
    overlap: Overlap | None = None

    def __repr__(self) -> str:
        return f"Inseparable({self._size}; proved by {len(self.rows)} pairs; {self.kind})"

    def __str__(self) -> str:
        first = ", ".join(str(row) for row in self.rows[:8])
        more = ", …" if len(self.rows) > 8 else ""
        pairs = "rows" if len(self.classes) == 2 else "pairs of a row and a rival class"
        return (
            f"Not separable: {self._size}.\n"
            f"Proved by {len(self.rows):,} {pairs} whose signed sum, with positive weights, is"
            f" exactly 0. Row numbers (from 0), largest weights first: {first}{more}.\n"
            f"{self._kind_sentence}"
        )

    @property
    def _kind_sentence(self) -> str:
        """How the classes meet, in a sentence."""
        if self.tied is None:
            return KINDS[self.kind]
        lie = "row lies" if self.tied == 1 else "rows lie"
        return (
            f"The classes touch: some weights put no row on the wrong side, but {self.tied:,} of"
            f" {self.n_rows:,} {lie} exactly on the boundary, which is not separation."
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Undecided(_About):
    """No verdict within the time limit. The largest margin γ* is at most ``upper``.

    ``lower`` is the margin of the best weights so far; below 0 while they still make mistakes.
    """

    answer: ClassVar[Literal["undecided"]] = "undecided"
    lower: float
    upper: float

    def __str__(self) -> str:
        return (
            f"Undecided: {self._size}. The time limit was reached; the largest margin, if there "
            f"is one, is at most {self.upper:.6g}. Give a longer time_limit, or None."
        )


KINDS: dict[str, str] = {
    "overlap": "The classes overlap: any weights put some row on the wrong side, "
    "or every row on the boundary.",
    "touching": "The classes touch: some weights put no row on the wrong side, but some rows "
    "exactly on the boundary, which is not separation.",
    "unknown": "Whether the classes overlap or only touch was not determined.",
}
Proof = Separable | Inseparable | Undecided
