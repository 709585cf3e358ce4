"""Bias-variance decomposition of the errors of many models, row by row.

For the squared loss, the mean over models of ‖Y − y‖² is ‖E Y − y‖² + V Y: bias² and variance. The
squared bias of the mean of R models is too large by V Y / R on average; that much is moved from the
bias to the variance, which leaves their sum as it is.

For the 0–1 loss (Domingos 2000), the main prediction is the class that most models predict. A row
is biased where that is wrong; its variance is the share of models that predict another class. Where
the main prediction is right, variance adds to the error. Where it is wrong, models that predict the
right class instead lower it. So

    error = bias + unbiased variance − corrected,

where `corrected` counts, among the biased rows, predictions of the right class: for two classes
that is all of the biased variance, for more a part of it.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.types import Floats, Ints


class SquaredRows(NamedTuple):
    """Squared error of each row, and its parts."""

    error: Floats
    bias: Floats
    variance: Floats


class ZeroOneRows(NamedTuple):
    """0–1 loss of each row, and its parts."""

    error: Floats
    bias: Floats
    variance: Floats
    unbiased: Floats
    biased: Floats
    corrected: Floats


class RunningMoments:
    """Running means and spreads of outputs: updated model by model."""

    def __init__(self, targets: Floats) -> None:
        n = len(targets)
        self.targets = targets
        self.counts = np.zeros(n, np.int64)
        self._mean = np.zeros_like(targets)
        self._spread = np.zeros(n)  # summed squares around the mean
        self._error = np.zeros(n)  # summed squares around the target

    def add(self, rows: Ints, outputs: Floats) -> None:
        """Add the outputs of a model for some rows, each once."""
        self.counts[rows] += 1
        deviation = outputs - self._mean[rows]
        self._mean[rows] += deviation / self.counts[rows, None]
        self._spread[rows] += (deviation * (outputs - self._mean[rows])).sum(axis=1)
        self._error[rows] += ((outputs - self.targets[rows]) ** 2).sum(axis=1)

    def parts(self, rows: Ints) -> SquaredRows:
        """The decomposition for rows that two models or more have predicted."""
        R = self.counts[rows]
        variance = self._spread[rows] / (R - 1)
        bias = ((self._mean - self.targets)[rows] ** 2).sum(axis=1) - variance / R
        return SquaredRows(self._error[rows] / R, bias, variance)


class Votes:
    """Predictions of models, counted for each row and class."""

    def __init__(self, codes: Ints, n_classes: int) -> None:
        self.codes = codes
        self.counts = np.zeros((len(codes), n_classes), np.int64)

    def add(self, rows: Ints, predicted: Ints) -> None:
        """Add the predictions of a model for some rows, each once."""
        self.counts[rows, predicted] += 1

    def parts(self, rows: Ints) -> ZeroOneRows:
        """The decomposition for rows that some model has predicted; ties go to the lowest class."""
        shares = self.counts[rows] / self.counts[rows].sum(axis=1, keepdims=True)
        true, main, each = self.codes[rows], shares.argmax(axis=1), np.arange(len(rows))
        correct = shares[each, true]
        bias = (main != true).astype(np.float64)
        variance = 1.0 - shares[each, main]
        return ZeroOneRows(
            1.0 - correct, bias, variance, (1 - bias) * variance, bias * variance, bias * correct
        )
