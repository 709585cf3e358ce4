"""View of the proof: the margin, or the samples that contradict each other."""

from collections.abc import Sequence

from bokeh.models import Div

from rosenblatt.lab.dataset import LabDataset
from rosenblatt.lab.format import number, sentence, table
from rosenblatt.lab.verdicts import Witness, explanation, headline
from rosenblatt.separation.proof.verdict import Proof

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
            self.view.text = sentence("No verdict yet: it takes samples of two classes.", "soft")
            return
        parts = [f"<h2 class='{proof.answer}'>{headline(proof)}</h2>"]
        parts += [sentence(words) for words in explanation(proof, mistakes)]
        if witnesses:
            parts.append(_table(witnesses, dataset))
        if len(witnesses) > MAX_SHOWN_SAMPLES:
            parts.append(sentence(f"… and {len(witnesses) - MAX_SHOWN_SAMPLES:,} more.", "soft"))
        if witnesses:
            parts.append(sentence("They have a black ring in the plane.", "soft"))
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
