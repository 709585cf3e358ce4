"""Errors of many models, taken apart row by row.

For the squared loss, the mean over models of ‖Y − y‖² is ‖E Y − y‖² + V Y: bias² and variance. The
mean of R models is itself V Y / R off, squared; that much is moved from the bias to the variance,
which leaves their sum as it is.

For the 0–1 loss (Domingos 2000), the main vote is the class that most models decide for. A row is
biased where that is wrong; its variance is the share of models off the main vote. Where the main
vote is right, variance is error. Where it is wrong, whoever leaves it for the right class is an
error less. So

    error = bias + unbiased variance − mended,

where `mended` counts, among the rows that are biased, decisions for the right class: of two
classes that is all of the biased variance, of more it is a part of it.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints


class SquaredRows(NamedTuple):
    """Squared error of each row, and its parts."""

    error: Floats
    bias: Floats
    variance: Floats


class ZeroOneRows(NamedTuple):
    """Share of wrong decisions of each row, and its parts."""

    error: Floats
    bias: Floats
    variance: Floats
    unbiased: Floats
    biased: Floats
    mended: Floats


class Tally:
    """Running means and spreads of outputs: models come one after another and are forgotten."""

    def __init__(self, targets: Floats) -> None:
        n = len(targets)
        self.targets = targets
        self.counts = np.zeros(n, np.int64)
        self._mean = np.zeros_like(targets)
        self._spread = np.zeros(n)  # summed squares around the mean
        self._error = np.zeros(n)  # summed squares around the target

    def add(self, rows: Ints, outputs: Floats) -> None:
        """Take in what a model puts out for some rows, each once."""
        self.counts[rows] += 1
        off = outputs - self._mean[rows]
        self._mean[rows] += off / self.counts[rows, None]
        self._spread[rows] += (off * (outputs - self._mean[rows])).sum(axis=1)
        self._error[rows] += ((outputs - self.targets[rows]) ** 2).sum(axis=1)

    def parts(self, rows: Ints) -> SquaredRows:
        """The decomposition of rows that two models or more have judged."""
        R = self.counts[rows]
        variance = self._spread[rows] / (R - 1)
        bias = ((self._mean - self.targets)[rows] ** 2).sum(axis=1) - variance / R
        return SquaredRows(self._error[rows] / R, bias, variance)


class Votes:
    """Decisions of models, counted for each row and class."""

    def __init__(self, codes: Ints, n_classes: int) -> None:
        self.codes = codes
        self.counts = np.zeros((len(codes), n_classes), np.int64)

    def add(self, rows: Ints, decided: Ints) -> None:
        """Take in what a model decides for some rows, each once."""
        self.counts[rows, decided] += 1

    def parts(self, rows: Ints) -> ZeroOneRows:
        """The decomposition of rows that some model has judged; a tie goes to the lowest class."""
        shares = self.counts[rows] / self.counts[rows].sum(axis=1, keepdims=True)
        true, main, each = self.codes[rows], shares.argmax(axis=1), np.arange(len(rows))
        right = shares[each, true]
        bias = (main != true).astype(np.float64)
        variance = 1.0 - shares[each, main]
        return ZeroOneRows(
            1.0 - right, bias, variance, (1 - bias) * variance, bias * variance, bias * right
        )
