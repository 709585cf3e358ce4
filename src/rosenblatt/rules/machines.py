"""The classical machines as rows of a table: which loss, which step, and where it stands.

An estimator looks its row up here and adds nothing of its own to the mathematics.
"""

from typing import NamedTuple

from rosenblatt.rules.losses import Loss
from rosenblatt.rules.steps import Step


class Machine(NamedTuple):
    """A learning rule: the loss it descends, by which step, after each sample or each batch."""

    loss: Loss
    step: Step
    source: str


MACHINES = {
    "perceptron": Machine(Loss.PERCEPTRON, Step.CONSTANT, "lectures 000–004"),
    "perceptron 1/n": Machine(Loss.PERCEPTRON, Step.INVERSE, "lecture 004"),
    "perceptron normalised": Machine(Loss.PERCEPTRON, Step.NORMALISED, "as normalised LMS"),
    "LMS": Machine(Loss.SQUARE, Step.CONSTANT, "lecture 002 (Widrow and Hoff 1960)"),
    "LMS 1/n": Machine(Loss.SQUARE, Step.INVERSE, "lectures 002, 004"),
    "LMS normalised": Machine(Loss.SQUARE, Step.NORMALISED, "Nagumo and Noda 1967"),
    "tanh": Machine(Loss.TANH, Step.CONSTANT, "lectures 002, 004"),
    "tanh 1/n": Machine(Loss.TANH, Step.INVERSE, "lecture 004"),
    "tanh normalised": Machine(Loss.TANH, Step.NORMALISED, "as normalised LMS"),
    "sigmoid": Machine(Loss.SIGMOID, Step.CONSTANT, "lecture 002"),
    "sigmoid 1/n": Machine(Loss.SIGMOID, Step.INVERSE, "lectures 002, 004"),
    "sigmoid normalised": Machine(Loss.SIGMOID, Step.NORMALISED, "as normalised LMS"),
    "passive-aggressive I": Machine(Loss.HINGE, Step.CLOSING_1, "Crammer et al. 2006"),
    "passive-aggressive II": Machine(Loss.HINGE, Step.CLOSING_2, "Crammer et al. 2006"),
    "AROW": Machine(Loss.HINGE, Step.CONFIDENT, "Crammer, Kulesza and Dredze 2009"),
    "second-order perceptron": Machine(
        Loss.PERCEPTRON, Step.CONFIDENT, "Cesa-Bianchi, Conconi and Gentile 2005"
    ),
}
