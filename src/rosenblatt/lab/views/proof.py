"""The verdict on separability: in words, as the samples that prove it, and as a view."""

from collections.abc import Sequence
from typing import NamedTuple

from bokeh.models import Div

from rosenblatt.lab.dataset import LabDataset
from rosenblatt.lab.theme import number, sentence, table
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable

MAX_SECONDS = 10.0
MAX_MARGIN_ROWS = 2000  # the largest margin is computed for up to this many


class Witness(NamedTuple):
    """A row of the proof, its class, and its weight as a fraction.

    With several classes, it is compared with a `rival` class.
    """

    row: int
    label: str
    weight: str = ""
    share: float = 0.0
    rival: str = ""


def verdict_on(dataset: LabDataset) -> Proof | None:
    """The verdict with its proof; None if there are fewer than two classes."""
    if len(dataset.classes) < 2:
        return None
    small = len(dataset.X) <= MAX_MARGIN_ROWS
    return separability(dataset.Z, dataset.labels, maximise=small, time_limit=MAX_SECONDS)


def witnesses(proof: Proof, dataset: LabDataset) -> tuple[Witness, ...]:
    """The rows of the proof: the contradicting ones, or those on the margin."""
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
    """The proof in sentences; `mistakes` are those of a run to which the theorem applies."""
    if isinstance(proof, Inseparable):
        what = "the vectors y·(x, 1)"
        if len(proof.classes) > 2:
            what = "the vectors with (x, 1) at the true class and −(x, 1) at the rival class"
        sentence = (
            f"These {len(proof.rows)} samples prove it: with the weights below, the sum of {what}"
            " is exactly 0. A w that classifies all of them correctly would score it above 0."
            " (Samples count from 1 here, and from 0 in `separability(X, y).rows`.)"
        )
        return (sentence,)
    if isinstance(proof, Separable):
        bound = proof.mistake_bound
        which = "Largest margin" if proof.upper is not None else "Margin"
        sentences = [
            f"{which} γ = {proof.margin:.4g}, radius R = {proof.radius:.4g}, of the vectors (x, 1)."
        ]
        if bound is not None:
            formula = "R²/γ²" if len(proof.classes) == 2 else "2R²/γ²"
            sentences.append(
                f"A perceptron from w = 0 makes at most {formula} = {bound:,} mistakes."
            )
        if mistakes is not None:
            sentences.append(f"This one made {mistakes:,}.")
        if proof.upper is not None:
            sentences.append("The samples below lie on the margin.")
        return tuple(sentences)
    unproved = f"{MAX_SECONDS:g} seconds were not enough."
    return (f"{unproved} The largest margin is at most {proof.upper:.4g}.",)


MAX_SHOWN_SAMPLES = 12  # of a proof
MAX_SHOWN_FEATURES, MAX_NAME_LENGTH = 2, 16  # of each, and characters of their names
MAX_FRACTION_LENGTH = 10  # longer fractions are written as decimals
WIDTH = 410  # pixels


class ProofView:
    """The verdict in words, and the samples that prove it."""

    def __init__(self) -> None:
        self.view = Div(text="", width=WIDTH, css_classes=["lab-proof"])

    def wait(self) -> None:
        """Show that the search is running."""
        self.view.text = sentence("Looking for a proof…", "soft")

    def update(
        self,
        proof: Proof | None,
        witnesses: Sequence[Witness],
        dataset: LabDataset | None,
        mistakes: int | None,
    ) -> None:
        """Show a verdict."""
        if proof is None or dataset is None:
            self.view.text = sentence("No verdict yet: samples of two classes are needed.", "soft")
            return
        parts = [f"<h2 class='{proof.answer}'>{headline(proof)}</h2>"]
        parts += [sentence(words) for words in explanation(proof, mistakes)]
        if witnesses:
            parts.append(_table(witnesses, dataset))
        if len(witnesses) > MAX_SHOWN_SAMPLES:
            parts.append(sentence(f"… and {len(witnesses) - MAX_SHOWN_SAMPLES:,} more.", "soft"))
        if witnesses:
            parts.append(sentence("They are ringed in black in the plane.", "soft"))
        self.view.text = "".join(parts)


def _table(witnesses: Sequence[Witness], dataset: LabDataset) -> str:
    """A table of the samples, without empty columns."""
    n_features = MAX_SHOWN_FEATURES - any(witness.rival for witness in witnesses)
    names = [name[:MAX_NAME_LENGTH] for name in dataset.feature_names[:n_features]]
    head = ["sample", "class", "against", "weight", *names]
    rows = [
        [
            str(witness.row + 1),
            witness.label,
            witness.rival,
            witness.weight if len(witness.weight) < MAX_FRACTION_LENGTH else f"{witness.share:.4g}",
            *(number(value) for value in dataset.X[witness.row, :n_features]),
        ]
        for witness in witnesses[:MAX_SHOWN_SAMPLES]
    ]
    used = [k for k in range(len(head)) if any(row[k] for row in rows)]
    return table([head[k] for k in used], [[row[k] for k in used] for row in rows])
