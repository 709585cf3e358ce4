"""Table of the online algorithms: their loss, their step size and their source.

An estimator takes its row from here and adds nothing of its own to the mathematics.
"""

from typing import NamedTuple

from rosenblatt.losses.margin_losses import Loss
from rosenblatt.online.step_size import Step


class Algorithm(NamedTuple):
    """An online algorithm: its loss and its step size."""

    loss: Loss
    step: Step
    source: str


ALGORITHMS = {
    "perceptron": Algorithm(Loss.PERCEPTRON, Step.CONSTANT, "lectures 000–004"),
    "perceptron 1/n": Algorithm(Loss.PERCEPTRON, Step.INVERSE, "lecture 004"),
    "perceptron normalised": Algorithm(Loss.PERCEPTRON, Step.NORMALISED, "as normalised LMS"),
    "LMS": Algorithm(Loss.SQUARE, Step.CONSTANT, "lecture 002 (Widrow and Hoff 1960)"),
    "LMS 1/n": Algorithm(Loss.SQUARE, Step.INVERSE, "lectures 002, 004"),
    "LMS normalised": Algorithm(Loss.SQUARE, Step.NORMALISED, "Nagumo and Noda 1967"),
    "tanh": Algorithm(Loss.TANH, Step.CONSTANT, "lectures 002, 004"),
    "tanh 1/n": Algorithm(Loss.TANH, Step.INVERSE, "lecture 004"),
    "tanh normalised": Algorithm(Loss.TANH, Step.NORMALISED, "as normalised LMS"),
    "sigmoid": Algorithm(Loss.SIGMOID, Step.CONSTANT, "lecture 002"),
    "sigmoid 1/n": Algorithm(Loss.SIGMOID, Step.INVERSE, "lectures 002, 004"),
    "sigmoid normalised": Algorithm(Loss.SIGMOID, Step.NORMALISED, "as normalised LMS"),
    "passive-aggressive I": Algorithm(Loss.HINGE, Step.PASSIVE_AGGRESSIVE_1, "Crammer et al. 2006"),
    "passive-aggressive II": Algorithm(
        Loss.HINGE, Step.PASSIVE_AGGRESSIVE_2, "Crammer et al. 2006"
    ),
    "AROW": Algorithm(Loss.HINGE, Step.SECOND_ORDER, "Crammer, Kulesza and Dredze 2009"),
    "second-order perceptron": Algorithm(
        Loss.PERCEPTRON, Step.SECOND_ORDER, "Cesa-Bianchi, Conconi and Gentile 2005"
    ),
}
