"""The proof: separable with its margin, or the samples that contradict each other."""

from collections.abc import Sequence

from bokeh.models import Div

from rosenblatt.lab.dataset import LabDataset
from rosenblatt.lab.format import number, sentence, table
from rosenblatt.lab.verdicts import Witness, explanation, headline
from rosenblatt.separation.proof.verdict import Proof

SHOWN = 12  # samples of a proof
FEATURES, LONGEST_NAME = 2, 16  # of each, and characters of their names
LONG = 10  # characters of a fraction, which is then written as a decimal
WIDTH = 410  # pixels


class ProofView:
    """The verdict in words, and the samples it rests on."""

    def __init__(self) -> None:
        self.view = Div(text="", width=WIDTH, css_classes=["lab-proof"])

    def wait(self) -> None:
        """Say that the search is on."""
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
            self.view.text = sentence("No verdict yet: it takes samples of two classes.", "soft")
            return
        parts = [f"<h2 class='{proof.answer}'>{headline(proof)}</h2>"]
        parts += [sentence(words) for words in explanation(proof, mistakes)]
        if witnesses:
            parts.append(_table(witnesses, dataset))
        if len(witnesses) > SHOWN:
            parts.append(sentence(f"… and {len(witnesses) - SHOWN:,} more.", "soft"))
        if witnesses:
            parts.append(sentence("They have a black ring in the plane.", "soft"))
        self.view.text = "".join(parts)


def _table(witnesses: Sequence[Witness], dataset: LabDataset) -> str:
    """Samples with what is known of them: a column that is empty everywhere is left out."""
    room = FEATURES - any(witness.rival for witness in witnesses)
    names = [name[:LONGEST_NAME] for name in dataset.feature_names[:room]]
    head = ["sample", "class", "against", "weight", *names]
    rows = [
        [
            str(witness.row + 1),
            witness.label,
            witness.rival,
            witness.weight if len(witness.weight) < LONG else f"{witness.share:.4g}",
            *(number(value) for value in dataset.X[witness.row, :room]),
        ]
        for witness in witnesses[:SHOWN]
    ]
    told = [k for k in range(len(head)) if any(row[k] for row in rows)]
    return table([head[k] for k in told], [[row[k] for k in told] for row in rows])
