"""The verdict on the rows as the page tells it: the proof, in words and as rows to point at."""

from typing import NamedTuple

from rosenblatt.lab.dataset import LabDataset
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable

SECONDS = 10.0  # after which the search gives up
WIDEST_MARGIN = 2000  # rows for which the largest margin is looked for


class Witness(NamedTuple):
    """A row that the proof speaks of, its class, and its weight as a fraction.

    Where there are several classes, it is held against a `rival`.
    """

    row: int
    label: str
    weight: str = ""
    share: float = 0.0
    rival: str = ""


def verdict_on(dataset: LabDataset) -> Proof | None:
    """Decide and prove; None where there is nothing to decide about."""
    if len(dataset.classes) < 2:
        return None
    few = len(dataset.X) <= WIDEST_MARGIN
    return separability(dataset.Z, dataset.labels, maximise=few, time_limit=SECONDS)


def witnesses(proof: Proof, dataset: LabDataset) -> tuple[Witness, ...]:
    """Rows that prove it: the contradicting ones, or those on the margin."""
    labels = dataset.labels
    if isinstance(proof, Inseparable):
        several = len(proof.classes) > 2
        return tuple(
            Witness(row, str(labels[row]), str(w), float(w), proof.classes[k] if several else "")
            for row, w, k in zip(proof.rows, proof.weights, proof.rivals, strict=True)
        )
    if isinstance(proof, Separable):
        return tuple(Witness(row, str(labels[row])) for row in proof.support)
    return ()


def headline(proof: Proof) -> str:
    """The verdict in a few words."""
    if isinstance(proof, Separable):
        return "Separable"
    return "Not separable" if isinstance(proof, Inseparable) else "Undecided"


def explanation(proof: Proof, mistakes: int | None) -> tuple[str, ...]:
    """The proof in sentences; `mistakes` are those of a run the theorem speaks of."""
    if isinstance(proof, Inseparable):
        what = "y·(x, 1)"
        if len(proof.classes) > 2:
            what = "the vectors with (x, 1) at the own class and −(x, 1) at the rival"
        told = (
            f"These {len(proof.rows)} samples prove it. Add up {what}, with the weights below: the"
            " sum is exactly 0. Weights that put all of them on their side would make it positive."
        )
        return (told,)
    if isinstance(proof, Separable):
        bound = proof.mistake_bound
        said = [
            f"Margin γ = {proof.margin:.4g}, radius R = {proof.radius:.4g}, of the vectors (x, 1)."
        ]
        if bound is not None:
            said.append(f"A perceptron from w = 0 makes at most R²/γ² = {bound:,} mistakes.")
        if mistakes is not None:
            said.append(f"This one made {mistakes:,}.")
        if proof.upper is not None:
            said.append("The samples below lie on the largest margin.")
        return tuple(said)
    return (
        f"{SECONDS:g} seconds were not enough. The largest margin is at most {proof.upper:.4g}.",
    )
