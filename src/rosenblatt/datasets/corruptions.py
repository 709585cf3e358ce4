"""Corrupted sentences made from real ones, to train a rule that ranks sentences."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError, ParameterError

FEWEST_WORDS = 3  # of a sentence that is worth spoiling
TRIALS = 20  # for each wrong sentence, before it is given up

Words = list[str]


class Candidates(NamedTuple):
    """Groups of sentences, and the place of the real one in each."""

    groups: list[list[str]]
    best: list[int]


def corrupted(sentences: Sequence[str], n_wrong: int = 4, *, random_state: int = 0) -> Candidates:
    """Put each sentence among wrong ones made from it.

    In a wrong one, two neighbouring words are swapped, or a word is replaced by another one of the
    sentences, drawn by frequency, or a word is left out. The real one is at a random position.
    Sentences with fewer than three words are skipped.

    Parameters
    ----------
    sentences : sequence of str
        Real sentences.
    n_wrong : int, default=4
        Number of wrong ones for each; fewer if a sentence cannot be corrupted in so many ways.
    random_state : int, default=0
        Random seed.

    Returns
    -------
    Candidates
        `groups`, each a list of sentences, and `best`, the index of the real one in each.

    Examples
    --------
    >>> from rosenblatt import corrupted
    >>> groups, best = corrupted(["the cat sat on the mat"], 2)
    >>> groups[0][best[0]]
    'the cat sat on the mat'
    """
    if isinstance(n_wrong, bool) or not isinstance(n_wrong, int) or n_wrong < 1:
        raise ParameterError(f"n_wrong must be an integer of at least 1; got {n_wrong!r}.")
    real = [words for sentence in sentences if len(words := sentence.split()) >= FEWEST_WORDS]
    if not real:
        raise DataError(
            f"No sentence has {FEWEST_WORDS} words or more: there is nothing to corrupt."
        )
    rng = np.random.default_rng(random_state)
    stock = np.array([word for words in real for word in words], object)
    groups, best = [], []
    for words in real:
        wrong = _wrong(words, n_wrong, stock, rng)
        best.append(int(rng.integers(len(wrong) + 1)))
        groups.append([*wrong[: best[-1]], " ".join(words), *wrong[best[-1] :]])
    return Candidates(groups, best)


def _wrong(words: Words, n_wrong: int, stock: Any, rng: np.random.Generator) -> list[str]:
    """Different wrong sentences: no two are the same but for case and punctuation."""
    found = {_plain(words): " ".join(words)}
    for _ in range(TRIALS * n_wrong):
        spoil = WAYS[int(rng.integers(len(WAYS)))]
        spoilt = spoil(words, stock, rng)
        found.setdefault(_plain(spoilt), " ".join(spoilt))
        if len(found) > n_wrong:
            break
    return list(found.values())[1:]


def _plain(words: Words) -> str:
    return " ".join(re.findall(r"\w+", " ".join(words).lower()))


def _swapped(words: Words, stock: Any, rng: np.random.Generator) -> Words:
    del stock
    i = int(rng.integers(len(words) - 1))
    return [*words[:i], words[i + 1], words[i], *words[i + 2 :]]


def _replaced(words: Words, stock: Any, rng: np.random.Generator) -> Words:
    i = int(rng.integers(len(words)))
    return [*words[:i], str(stock[rng.integers(len(stock))]), *words[i + 1 :]]


def _left_out(words: Words, stock: Any, rng: np.random.Generator) -> Words:
    del stock
    i = int(rng.integers(len(words)))
    return words[:i] + words[i + 1 :]


WAYS: list[Callable[[Words, Any, np.random.Generator], Words]] = [_swapped, _replaced, _left_out]
