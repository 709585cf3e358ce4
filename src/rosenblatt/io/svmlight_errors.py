"""What is wrong with a token of an svmlight file, where, and what to do about it, in words."""

from typing import NamedTuple

import numpy as np

from rosenblatt.io.svmlight_parser import BAD_LABEL, LARGEST_INDEX, NEWLINE, TWICE
from rosenblatt.types import Array

LONGEST_QUOTE = 60  # signs
SPLITTERS = b" \t\r\n#"
NOT_FINITE = {"nan", "inf", "infinity"}


class Trouble(NamedTuple):
    """A line, counted from 0 within its part, the text that is wrong there, and why."""

    line: int
    token: str
    why: str


def stopped(text: Array, place: int, why: int, base: int) -> Trouble:
    """The trouble that a pass over a text stopped at."""
    token = token_at(text, place)
    if why == BAD_LABEL:
        words = _of_label(token)
    elif why == TWICE:
        words = _of_twin(token.partition(":")[0])
    else:
        words = _of_entry(token, base)
    return Trouble(line_of(text, place), _quote(token), words)


def too_large(text: Array, place: int) -> Trouble:
    """A number that float64 cannot hold."""
    token = token_at(text, place)
    return Trouble(line_of(text, place), _quote(token), "is beyond the largest number, 1.8e308.")


def twice(line: int, feature: int) -> Trouble:
    """A feature that stands twice in the row of a line, not side by side."""
    return Trouble(line, f"{feature}:", _of_twin(str(feature)))


def line_of(text: Array, place: int) -> int:
    """How many lines end before a place."""
    return int(np.count_nonzero(text[:place] == NEWLINE))


def token_at(text: Array, place: int) -> str:
    """The signs from a place to the next blank."""
    signs = text[place : place + 100 * LONGEST_QUOTE].tobytes()
    for splitter in SPLITTERS:
        signs = signs.split(bytes([splitter]), 1)[0]
    return signs.decode("utf-8", "backslashreplace")


def _quote(token: str) -> str:
    return token if len(token) <= LONGEST_QUOTE else token[:LONGEST_QUOTE] + "…"


def _of_label(token: str) -> str:
    if ":" in token:
        return "stands where a label should. If the rows have no labels, say so (labelled=False)."
    if "," in token:
        return "is several labels, but a row has one class. Make a file for each label, yes or no."
    if _not_finite(token):
        return "is no label: it must be finite. Drop such rows."
    return "is no label: svmlight files have numbers for classes. Number the classes first."


def _of_entry(token: str, base: int) -> str:
    feature, colon, value = token.partition(":")
    if not colon:
        return "has no colon: after the label, index:value is wanted."
    if not (feature.isascii() and feature.isdecimal()):
        return f"has no feature number: index:value is wanted, with a whole index from {base} on."
    if int(feature) < base:
        return "has the index 0, but features are counted from 1. Say so if from 0 (zero_based)."
    if int(feature) > LARGEST_INDEX:
        return f"has an index beyond {LARGEST_INDEX}. Number the features anew, or hash them."
    if _not_finite(value):
        return "has a value that is not finite. Fill it, or leave the entry out."
    return "has no decimal number behind its colon: index:value is wanted, as in 3:0.5."


def _of_twin(feature: str) -> str:
    return f"gives feature {feature} twice in one row. Add the values up, or drop one."


def _not_finite(value: str) -> bool:
    return value.lstrip("+-").lower() in NOT_FINITE
