"""The checker: whether a proof holds for these rows and labels.

It is kept apart from whatever finds proofs, and small, so that it can be read and believed:

- *not separable*: weights λ > 0 on some rows whose signed sum Σ λ_i y_i (x_i, 1) is exactly 0. Any
  w with y_i w·(x_i, 1) > 0 for all i would make the sum's product with w positive, so no such w
  exists (Gordan). With K classes, a row is paired with a rival class and adds λz to the block of
  its own class and −λz to the block of its rival (Kesler).
- *separable*: weights whose slack is positive on every row.

Sums, signs and every other claim are decided in integers; floating point only settles what its
error bound allows. `rosenblatt.proof` checks the same without numpy: docs/proof-format.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import ProofError
from rosenblatt.separation.proof.margins import (
    hull_holds,
    margin_holds,
    over,
    radius_holds,
    signed_sums,
    signs,
)
from rosenblatt.separation.proof.overlap import Overlap, check_null, spans
from rosenblatt.separation.proof.table import Table
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.types import Array, Ints

if TYPE_CHECKING:
    from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable

MAX_DENOMINATOR_BITS = 1 << 27  # honest proofs stay far below; others could keep the checker busy


def verify(proof: "Proof", X: Any, y: Any) -> bool:
    """Return True if the proof holds for the data; else raise ProofError with the reason."""
    if not hasattr(proof, "fingerprint"):
        raise ProofError(f"A proof is what `separability` or `load_proof` gives; got {proof!r}.")
    table = in_proof_order(read_table(X, y), proof.classes)
    if (table.n, table.d) != (proof.n_rows, proof.n_features):
        raise ProofError(
            f"The proof is about {proof.n_rows} rows of {proof.n_features} features; "
            f"these data have {table.n} rows of {table.d}. Give the data the proof was made from."
        )
    found = table.fingerprint if proof.version > 1 else table.fingerprint_of_version_1
    if found != proof.fingerprint:
        raise ProofError(
            "The data are not those of the proof: a value, a label or the order of the rows "
            "differs (the fingerprints disagree). Give the data unchanged, or prove it again."
        )
    check(proof, table)
    return True


def check(proof: "Proof", table: Table) -> None:
    """Raise ProofError unless the proof holds for the table, whatever its fingerprint."""
    if proof.answer == "separable":
        check_separable(proof, table)
    elif proof.answer == "inseparable":
        check_inseparable(proof, table)
    else:
        raise ProofError("An undecided run proves nothing: run it again with more time.")


def in_proof_order(table: Table, classes: tuple[str, ...]) -> Table:
    """Recode the labels so that class k is the k-th class of the proof."""
    if sorted(table.classes) != sorted(classes):
        raise ProofError(
            f"The proof is about the classes {', '.join(classes)}; "
            f"y holds {', '.join(table.classes)}."
        )
    if table.classes == classes:
        return table
    place = np.array([classes.index(name) for name in table.classes], dtype=np.int64)
    return Table(table.X, place[table.codes], classes)


def check_inseparable(proof: "Inseparable", table: Table) -> None:
    """Rows in range, pairs distinct, weights positive, signed sum exactly 0."""
    _check_certificate(
        proof.rows, proof.rivals, proof.weights, table, fit_intercept=proof.fit_intercept
    )
    if (proof.touching is not None) != (proof.kind == "touching"):
        raise ProofError("Touching weights are required for the kind touching, and for no other.")
    if proof.touching is not None:
        _check_shape(proof.touching, table, fit_intercept=proof.fit_intercept)
        _check_touching(proof.touching, proof.tied, table)
    if proof.overlap is not None:
        _check_overlap(proof, proof.overlap, table)


def _check_certificate(
    rows: tuple[int, ...],
    rivals: tuple[int, ...],
    weights: tuple[Fraction, ...],
    table: Table,
    *,
    fit_intercept: bool,
) -> None:
    """Rows in range, pairs distinct, weights positive, signed sum exactly 0."""
    if not all(isinstance(weight, Fraction) for weight in weights):
        raise ProofError("The weights must be fractions: floats are not an exact proof.")
    row, rival = np.array(rows, dtype=np.int64), np.array(rivals, dtype=np.int64)
    _check_pairs(row, rival, weights, table)
    numerators = over(weights, _common_denominator(weights))
    for sums in signed_sums(table, row, rival, numerators, fit_intercept=fit_intercept):
        bad = next((j for j, total in enumerate(sums) if total != 0), None)
        if bad is not None:
            where = "the intercept" if bad == table.d else f"column {bad}"
            raise ProofError(
                f"The signed sum of the weighted rows is not 0 in {where}: this is not a proof."
            )


def _check_overlap(proof: "Inseparable", overlap: Overlap, table: Table) -> None:
    """Further pairs with the sum 0, null vectors, and enough independent pairs."""
    fit_intercept = proof.fit_intercept
    if proof.kind != "overlap":
        raise ProofError("Evidence of an overlap belongs to the kind overlap only.")
    if overlap.rows or overlap.rivals or overlap.weights:
        _check_certificate(
            overlap.rows, overlap.rivals, overlap.weights, table, fit_intercept=fit_intercept
        )
    check_null(table, overlap.null, fit_intercept=fit_intercept)
    if not spans(table, (proof.rows, proof.rivals), overlap, fit_intercept=fit_intercept):
        raise ProofError("The pairs do not span what the data span: they prove no overlap.")


def _check_pairs(
    rows: Ints, rivals: Ints, weights: Sequence[Fraction | float], table: Table
) -> None:
    if not len(rows) == len(rivals) == len(weights) > 0:
        raise ProofError(
            f"A proof lists as many rows as rivals and weights, and at least one; got {len(rows)} "
            f"rows, {len(rivals)} rivals, {len(weights)} weights."
        )
    if rows.min() < 0 or rows.max() >= table.n:
        raise ProofError(f"A row number lies outside the data's rows 0 to {table.n - 1}.")
    if rivals.min() < 0 or rivals.max() >= len(table.classes):
        raise ProofError("A rival is not one of the classes.")
    own = np.flatnonzero(table.codes[rows] == rivals)
    if len(own):
        raise ProofError(f"Row {rows[own[0]]} is paired with its own class, not with a rival.")
    if len(set(zip(rows.tolist(), rivals.tolist(), strict=True))) < len(rows):
        raise ProofError("A row is listed twice with the same rival; every pair may stand once.")
    for row, weight in zip(rows, weights, strict=True):
        if not 0 < weight < np.inf:
            raise ProofError(f"Row {row} has the weight {weight}; weights must be positive.")


def _common_denominator(weights: Sequence[Fraction]) -> int:
    bottom = 1
    for weight in weights:
        bottom = lcm(bottom, weight.denominator)
        if bottom.bit_length() > MAX_DENOMINATOR_BITS:
            raise ProofError("The weights have no common denominator of a reasonable size.")
    return bottom


def _check_shape(W: Array, table: Table, *, fit_intercept: bool) -> None:
    shape = (1 if len(table.classes) == 2 else len(table.classes), table.d + fit_intercept)
    if W.shape != shape:
        raise ProofError(f"The weights must have shape {shape}; got {W.shape}.")
    fractions = W.dtype.kind == "O" and all(isinstance(w, Fraction) for w in W.ravel().tolist())
    if not fractions and (W.dtype != np.float64 or not bool(np.isfinite(W).all())):
        raise ProofError("The weights must be finite float64 numbers, or fractions.")


def _check_touching(W: Array, tied: int | None, table: Table) -> None:
    sign = signs(table, W)
    if sign.min() < 0:
        raise ProofError(f"The touching weights put row {int(sign.argmin())} on the wrong side.")
    if sign.max() == 0 and not _some_pair_positive(table, W):
        raise ProofError("The touching weights leave all rows on the boundary: they prove nothing.")
    on_boundary = int((sign == 0).sum())
    if tied is not None and tied != on_boundary:
        raise ProofError(
            f"The touching weights leave {on_boundary} rows on the boundary, "
            f"not the {tied} claimed."
        )


def _some_pair_positive(table: Table, W: Array) -> bool:
    """Say whether some row beats some rival, even if it beats no other."""
    fractions = np.array([[Fraction(w) for w in row] for row in W], dtype=object)
    for own in range(len(W)):
        mine = Table(table.X, (table.codes == own).astype(np.int64), ("", ""))
        for rival in range(len(W)):
            sign = signs(mine, fractions[[own]] - fractions[[rival]])
            if bool((sign[table.codes == own] > 0).any()):
                return True
    return False


def check_separable(proof: "Separable", table: Table) -> None:
    """Every slack positive; margin and radius as said."""
    W = proof.W
    _check_shape(W, table, fit_intercept=proof.fit_intercept)
    sign = signs(table, W)
    if sign.min() <= 0:
        row = int(sign.argmin())
        side = "on the wrong side" if sign[row] < 0 else "exactly on the boundary"
        raise ProofError(f"Row {row} lies {side}: the weights do not separate these data.")
    if not margin_holds(table, W, proof.margin):
        raise ProofError(f"The margin is smaller than the {proof.margin:g} claimed.")
    if not radius_holds(table, proof.radius, fit_intercept=proof.fit_intercept):
        raise ProofError(f"The radius is larger than the {proof.radius:g} claimed.")
    if proof.upper is not None or proof.hull is not None:
        _check_upper(proof, table)


def _check_upper(proof: "Separable", table: Table) -> None:
    """No margin exceeds the length of any point of the hull of the signed vectors."""
    hull, upper = proof.hull, proof.upper
    if hull is None or upper is None:
        raise ProofError("An upper bound on the margin needs its hull weights, and they the bound.")
    rows, rivals = np.array(hull.rows), np.array(hull.rivals)
    _check_pairs(rows, rivals, hull.weights, table)
    if not hull_holds(table, hull, upper, fit_intercept=proof.fit_intercept):
        raise ProofError(f"The hull's weights do not show that no margin exceeds {upper:g}.")
