"""A discriminative language model picks the real one of five sentences.

The score of a sentence is linear in the counts of its words and pairs of words. A perceptron
learns to rank a sentence above corrupted copies. With ROSENBLATT_DATA the sentences are film
reviews.
"""

import gzip
import json
import os
import re
import sys
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np

from rosenblatt import SentenceRanker, corrupted


def sentences() -> list[str]:
    """Sentences of 5 to 40 words, without repetition, of film reviews or of Python's own help."""
    texts = list(topics.values())
    if "ROSENBLATT_DATA" in os.environ:
        reviews = Path(os.environ["ROSENBLATT_DATA"]) / "text" / "imdb_train.jsonl.gz"
        with gzip.open(reviews, "rt", encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
    joined = re.sub(r"\s+", " ", " ".join(texts))
    found = (s for s in re.split(r"(?<=[.!?]) ", joined) if re.match("[A-Z][a-z]+ [a-z]+ ", s))
    return sorted({s for s in found if 5 <= len(s.split()) <= 40})


def run(folder: Path) -> Path:
    """Write how often the model finds the real one of five sentences that it has not seen."""
    found = sentences()
    new, known = found[::10], [s for place, s in enumerate(found) if place % 10]
    groups, best = corrupted(new[:2000], 4, random_state=1)
    lines = ["sentences  real one found (1 in 5 by chance)"]
    for n in (300, len(known)):
        model = SentenceRanker(max_iter=10).fit_sentences(known[:n], n_wrong=4)
        lines.append(f"{n:9,}  {np.mean(model.choose(groups) == best):.0%}")
    path = folder / "language_model.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
